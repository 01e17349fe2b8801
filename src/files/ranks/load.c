/* Replaces ranks in a program that loads them as a module (functions.h). */
#include <stdlib.h>

#include "base/log.h"
#include "files/ranks/functions.h"

static struct shw_module module = SHW_MODULE(SHW_RANKS_MODULE, SHW_RANKS_EXPORTS);

/* Of the module, which has been loaded. */
static const struct shw_ranks_functions *functions(void)
{
    return (const struct shw_ranks_functions *)module.exports;
}

enum shw_result shw_ranks_begin(const struct shw_log *log, struct shw_ranks *ranks)
{
    const struct shw_module_exports *exports;

    SHW_PROPAGATE(shw_module_load(&module, "MPI", "used", log, &exports));
    return functions()->begin(log, ranks);
}

enum shw_result shw_ranks_gather(void *user, const uint32_t *mine, size_t word_count, uint32_t *all)
{
    return functions()->gather(user, mine, word_count, all);
}

enum shw_result shw_ranks_scatter(void *user, const uint32_t *mine, size_t word_count, uint32_t *parts)
{
    return functions()->scatter(user, mine, word_count, parts);
}

enum shw_result shw_ranks_collect(struct shw_ranks *ranks, const void *mine, size_t size, size_t *sizes, void **all)
{
    return functions()->collect(ranks, mine, size, sizes, all);
}

void shw_ranks_stop(struct shw_ranks *ranks)
{
    functions()->stop(ranks);
}

void shw_ranks_end(struct shw_ranks *ranks)
{
    functions()->end(ranks);
}

_Noreturn void shw_ranks_abort(int code)
{
    functions()->abort(code);
    abort();
}
