/* Custom techniques of shared objects. */
#ifndef SHW_BENCH_PLUGIN_H
#define SHW_BENCH_PLUGIN_H

#include "bench/bench.h"

struct shw_bench_plugins {
    void *objects[SHW_BENCH_CUSTOM_MAX]; /* of dlopen */
    const struct shw_stage_technique *techniques[SHW_BENCH_CUSTOM_MAX];
    uint32_t object_count, technique_count;
};

/* Loads the shared object at `path` with all its techniques. Its code runs with the privileges of the program. Errors:
 * IO (it cannot be loaded), FORMAT (it exports no techniques, or one that is incomplete or has the name of another),
 * VERSION, LIMIT. */
enum shw_result shw_bench_plugins_load(struct shw_bench_plugins *plugins, const char *path, const struct shw_log *log);

/* Unloads all of them; their techniques must not be in use. Leaves *plugins zero. */
void shw_bench_plugins_unload(struct shw_bench_plugins *plugins);

/* The technique's number, or -1. The name ends after `length` bytes. */
int shw_bench_plugins_find(const struct shw_bench_plugins *plugins, const char *name, size_t length);

#endif
