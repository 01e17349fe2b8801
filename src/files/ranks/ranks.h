/* Several processes that work together, started by mpirun: ranks, which exchange words by MPI. One group per process;
 * all calls come from one thread. */
#ifndef SHW_FILES_RANKS_RANKS_H
#define SHW_FILES_RANKS_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>

struct shw_ranks {
    uint32_t rank, count;       /* of this process, from 0, and of all */
    uint32_t place, neighbours; /* among those on this machine: of this process, and of all */
    uint32_t processors;        /* for this process alone: of those that it may use, its part */
    uint64_t bytes;             /* that each of the others has had from it */
    bool stopped;               /* this rank or another one has stopped: there is no exchange any more */
    bool broken;                /* this rank has not waited for the others, and can only end all */
    struct shw_log log;
    bool (*interrupted)(void); /* asked while this rank waits: if so, it does not wait for long. Set by the caller;
                                  NULL: it waits */
};

/* Joins the others; the log is kept. Errors: UNSUPPORTED if this program has no MPI or it cannot be loaded. */
enum shw_result shw_ranks_begin(const struct shw_log *log, struct shw_ranks *ranks);

/* For shw_train_exchange.gather; `user`: struct shw_ranks *. Errors: CANCELLED, without a message, if a rank has
 * stopped or this one was interrupted; ARGUMENT if ranks have different numbers of words; IO. */
enum shw_result shw_ranks_gather(void *user, const uint32_t *mine, size_t word_count, uint32_t *all);

/* For shw_train_exchange.scatter. Errors: as of shw_ranks_gather(). */
enum shw_result shw_ranks_scatter(void *user, const uint32_t *mine, size_t word_count, uint32_t *parts);

/* Gives the bytes of all ranks to all, in the order of their numbers; `sizes` has as many as there are ranks, and *all,
 * to be freed with free(), is as large as their sum. Errors: as of shw_ranks_gather(); MEMORY. */
enum shw_result shw_ranks_collect(struct shw_ranks *ranks, const void *mine, size_t size, size_t *sizes, void **all);

/* Lets the next exchange of the others fail with CANCELLED; returns when all have come there, or soon if this rank was
 * interrupted. Does nothing if a rank has stopped. */
void shw_ranks_stop(struct shw_ranks *ranks);

/* Leaves the others, which must do so, too; nothing is exchanged afterwards. */
void shw_ranks_end(struct shw_ranks *ranks);

/* Ends all processes with an exit code of failure. */
_Noreturn void shw_ranks_abort(int code);

#endif
