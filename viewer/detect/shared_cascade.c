#include "detect/shared_cascade.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/formats/cascade_formats.h"

enum shw_result view_shared_cascade_load(const char *path, const struct shw_log *log,
                                         struct view_shared_cascade **cascade)
{
    struct view_shared_cascade *made = calloc(1, sizeof *made);
    enum shw_result result;

    if (made == NULL || (made->path = strdup(path)) == NULL) {
        free(made);
        return shw_fail_memory(log, path);
    }
    atomic_init(&made->shares, 1);
    result = shw_cascade_open(path, log, &made->cascade);
    if (result == SHW_OK)
        *cascade = made;
    else
        view_shared_cascade_release(&made);
    return result;
}

struct view_shared_cascade *view_shared_cascade_share(struct view_shared_cascade *cascade)
{
    atomic_fetch_add(&cascade->shares, 1);
    return cascade;
}

void view_shared_cascade_release(struct view_shared_cascade **cascade)
{
    struct view_shared_cascade *old = *cascade;

    *cascade = NULL;
    if (old == NULL || atomic_fetch_sub(&old->shares, 1) > 1)
        return;
    shw_cascade_destroy(&old->cascade);
    free(old->path);
    free(old);
}
