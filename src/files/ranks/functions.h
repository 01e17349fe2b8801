/* Ranks as a module that is loaded when it is needed. */
#ifndef SHW_FILES_RANKS_FUNCTIONS_H
#define SHW_FILES_RANKS_FUNCTIONS_H

#include "files/io/module.h"
#include "files/ranks/ranks.h"

#define SHW_RANKS_MODULE  "shadewood-mpi.so"
#define SHW_RANKS_EXPORTS "shw_ranks_exports"

/* The functions of the header, in their order. */
struct shw_ranks_functions {
    struct shw_module_exports module;
    enum shw_result (*begin)(const struct shw_log *log, struct shw_ranks *ranks);
    enum shw_result (*gather)(void *user, const uint32_t *mine, size_t word_count, uint32_t *all);
    enum shw_result (*scatter)(void *user, const uint32_t *mine, size_t word_count, uint32_t *parts);
    enum shw_result (*collect)(struct shw_ranks *ranks, const void *mine, size_t size, size_t *sizes, void **all);
    void (*stop)(struct shw_ranks *ranks);
    void (*end)(struct shw_ranks *ranks);
    void (*abort)(int code);
};

#endif
