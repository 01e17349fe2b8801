/* Replaces ranks where MPI is missing. */
#include <stdlib.h>

#include "base/log.h"
#include "files/ranks/ranks.h"

enum shw_result shw_ranks_begin(const struct shw_log *log, struct shw_ranks *ranks)
{
    *ranks = (struct shw_ranks){.count = 1};
    return shw_fail(log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                    "MPI cannot be used: this program was built without it");
}

enum shw_result shw_ranks_gather(void *user, const uint32_t *mine, size_t word_count, uint32_t *all)
{
    (void)user;
    (void)mine;
    (void)word_count;
    (void)all;
    return SHW_ERROR_UNSUPPORTED;
}

enum shw_result shw_ranks_scatter(void *user, const uint32_t *mine, size_t word_count, uint32_t *parts)
{
    return shw_ranks_gather(user, mine, word_count, parts);
}

enum shw_result shw_ranks_collect(struct shw_ranks *ranks, const void *mine, size_t size, size_t *sizes, void **all)
{
    (void)ranks;
    (void)mine;
    (void)size;
    (void)sizes;
    *all = NULL;
    return SHW_ERROR_UNSUPPORTED;
}

void shw_ranks_stop(struct shw_ranks *ranks)
{
    (void)ranks;
}

void shw_ranks_end(struct shw_ranks *ranks)
{
    (void)ranks;
}

_Noreturn void shw_ranks_abort(int code)
{
    exit(code);
}
