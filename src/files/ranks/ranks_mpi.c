#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Without the bindings for C++, which Open MPI's header would include. */
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include "base/integers.h"
#include "base/log.h"
#include "base/machine.h"
#include "files/ranks/ranks.h"

#define SPINS     2000       /* looks at a message that is nearly there, before sleeping */
#define SLEEP_MAX 1000000L   /* nanoseconds */
#define PATIENCE  0.3        /* seconds */
#define PART_MAX  (1u << 30) /* bytes of one message */

/* What ranks tell each other before anything else. */
struct notice {
    uint32_t stops, unused;
    uint64_t size; /* of what follows, in bytes */
};

static bool says(int code)
{
    return code == MPI_SUCCESS;
}

static enum shw_result fail_exchange(const struct shw_ranks *ranks)
{
    return shw_fail(&ranks->log, SHW_ERROR_IO, SHW_LOG_PROGRESS, "the exchange between ranks failed");
}

/* Ranks may wait for long while others count, so they sleep. One that was interrupted waits for what arrives soon: the
 * others may have been interrupted, too, or may be dead. */
static enum shw_result wait_for(struct shw_ranks *ranks, MPI_Request *request)
{
    double interrupted_at = -1;
    long sleep = 1000;

    for (uint32_t looks = 0;; looks++) {
        int done = 0;
        if (!says(MPI_Test(request, &done, MPI_STATUS_IGNORE)))
            return fail_exchange(ranks);
        if (done)
            return SHW_OK;
        if (interrupted_at < 0 && ranks->interrupted != NULL && ranks->interrupted())
            interrupted_at = MPI_Wtime();
        if (interrupted_at >= 0 && MPI_Wtime() - interrupted_at > PATIENCE) {
            ranks->broken = ranks->stopped = true;
            return SHW_ERROR_CANCELLED;
        }
        if (looks < SPINS) {
            sched_yield();
            continue;
        }
        nanosleep(&(struct timespec){.tv_nsec = sleep}, NULL);
        sleep = 2 * sleep < SLEEP_MAX ? 2 * sleep : SLEEP_MAX;
    }
}

/* All ranks have the same number of bytes, at most INT_MAX. */
static enum shw_result gather_bytes(struct shw_ranks *ranks, const void *mine, size_t size, void *all)
{
    MPI_Request request;

    if (!says(MPI_Iallgather(mine, (int)size, MPI_BYTE, all, (int)size, MPI_BYTE, MPI_COMM_WORLD, &request)))
        return fail_exchange(ranks);
    ranks->bytes += size;
    return wait_for(ranks, &request);
}

/* CANCELLED: a rank stops. */
static enum shw_result tell(struct shw_ranks *ranks, bool stops, uint64_t size, struct notice *all)
{
    const struct notice mine = {.stops = stops, .size = size};

    if (ranks->stopped)
        return SHW_ERROR_CANCELLED;
    SHW_PROPAGATE(gather_bytes(ranks, &mine, sizeof mine, all));
    for (uint32_t r = 0; r < ranks->count; r++)
        ranks->stopped = ranks->stopped || all[r].stops != 0;
    return ranks->stopped ? SHW_ERROR_CANCELLED : SHW_OK;
}

static uint32_t neighbours_of(uint32_t *place)
{
    MPI_Comm machine;
    int rank = 0, count = 1;

    if (says(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine))) {
        MPI_Comm_rank(machine, &rank);
        MPI_Comm_size(machine, &count);
        MPI_Comm_free(&machine);
    }
    *place = (uint32_t)rank;
    return (uint32_t)count;
}

/* A rank that mpirun has bound to processors has them for itself, otherwise all share them. */
static uint32_t own_processors(uint32_t neighbours)
{
    const uint32_t usable = shw_processor_count();
    const long online = sysconf(_SC_NPROCESSORS_ONLN);

    return (long)usable < online ? usable : shw_max_u32(usable / neighbours, 1);
}

enum shw_result shw_ranks_begin(const struct shw_log *log, struct shw_ranks *ranks)
{
    int level, rank, count;

    *ranks = (struct shw_ranks){.count = 1, .log = *log};
    if (!says(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level)) || level < MPI_THREAD_FUNNELED ||
        !says(MPI_Comm_rank(MPI_COMM_WORLD, &rank)) || !says(MPI_Comm_size(MPI_COMM_WORLD, &count)))
        return shw_fail(log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT, "MPI cannot be used: it does not start");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    ranks->rank = (uint32_t)rank;
    ranks->count = (uint32_t)count;
    ranks->neighbours = neighbours_of(&ranks->place);
    ranks->processors = own_processors(ranks->neighbours);
    return SHW_OK;
}

/* Each rank gives `size` bytes to each other, at most INT_MAX. */
static enum shw_result scatter_bytes(struct shw_ranks *ranks, const void *mine, size_t size, void *parts)
{
    MPI_Request request;

    if (!says(MPI_Ialltoall(mine, (int)size, MPI_BYTE, parts, (int)size, MPI_BYTE, MPI_COMM_WORLD, &request)))
        return fail_exchange(ranks);
    ranks->bytes += size;
    return wait_for(ranks, &request);
}

/* Exchanges words, as many as all others do. */
static enum shw_result exchange_words(struct shw_ranks *ranks, const uint32_t *mine, size_t word_count, uint32_t *all,
                                      enum shw_result (*exchange)(struct shw_ranks *ranks, const void *mine,
                                                                  size_t size, void *all))
{
    struct notice *notices = malloc(ranks->count * sizeof *notices);
    const size_t size = word_count * sizeof *mine;
    enum shw_result result;

    if (notices == NULL)
        return shw_fail_memory(&ranks->log, "what ranks exchange");
    SHW_TRY(tell(ranks, false, size, notices));
    for (uint32_t r = 0; r < ranks->count && result == SHW_OK; r++)
        if (notices[r].size != size || size > INT_MAX)
            result = shw_fail(&ranks->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                              "rank %u trains another forest: all need the same options and the same data", r);
    if (result == SHW_OK)
        result = exchange(ranks, mine, size, all);

fail:
    free(notices);
    return result;
}

enum shw_result shw_ranks_gather(void *user, const uint32_t *mine, size_t word_count, uint32_t *all)
{
    return exchange_words(user, mine, word_count, all, gather_bytes);
}

enum shw_result shw_ranks_scatter(void *user, const uint32_t *mine, size_t word_count, uint32_t *parts)
{
    return exchange_words(user, mine, word_count, parts, scatter_bytes);
}

/* Each rank in turn gives all of its bytes to the others. */
static enum shw_result pass_on(struct shw_ranks *ranks, const void *mine, const size_t *sizes, uint8_t *all)
{
    for (uint32_t r = 0; r < ranks->count; r++) {
        if (r == ranks->rank)
            memcpy(all, mine, sizes[r]);
        for (size_t at = 0; at < sizes[r]; at += PART_MAX) {
            const size_t part = sizes[r] - at < PART_MAX ? sizes[r] - at : PART_MAX;
            MPI_Request request;
            if (!says(MPI_Ibcast(all + at, (int)part, MPI_BYTE, (int)r, MPI_COMM_WORLD, &request)))
                return fail_exchange(ranks);
            SHW_PROPAGATE(wait_for(ranks, &request));
        }
        all += sizes[r];
    }
    return SHW_OK;
}

enum shw_result shw_ranks_collect(struct shw_ranks *ranks, const void *mine, size_t size, size_t *sizes, void **all)
{
    struct notice *notices = malloc(ranks->count * sizeof *notices);
    enum shw_result result;
    size_t sum = 0;

    *all = NULL;
    if (notices == NULL)
        return shw_fail_memory(&ranks->log, "what ranks exchange");
    SHW_TRY(tell(ranks, false, size, notices));
    for (uint32_t r = 0; r < ranks->count; r++)
        sum += sizes[r] = notices[r].size;
    *all = malloc(sum + 1);
    result = *all != NULL ? pass_on(ranks, mine, sizes, *all) : shw_fail_memory(&ranks->log, "what ranks exchange");
    ranks->bytes += size;

fail:
    free(notices);
    if (result != SHW_OK) {
        free(*all);
        *all = NULL;
    }
    return result;
}

void shw_ranks_stop(struct shw_ranks *ranks)
{
    struct notice *notices = malloc(ranks->count * sizeof *notices);

    if (notices == NULL)
        shw_ranks_abort(EXIT_FAILURE);
    (void)tell(ranks, true, 0, notices);
    free(notices);
}

void shw_ranks_end(struct shw_ranks *ranks)
{
    (void)ranks;
    MPI_Finalize();
}

_Noreturn void shw_ranks_abort(int code)
{
    MPI_Abort(MPI_COMM_WORLD, code);
    _exit(code);
}
