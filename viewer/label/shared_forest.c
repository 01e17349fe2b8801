#include "label/shared_forest.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "dense/channels/channels.h"

/* A forest with its reference count. */
struct counted {
    struct view_shared_forest shown; /* first, so that a pointer to it can be converted */
    atomic_uint shares;
};

struct view_shared_forest *view_shared_forest_create(struct shw_forest *forest, bool full, uint64_t revision)
{
    struct counted *counted = malloc(sizeof *counted);

    if (counted == NULL)
        return NULL;
    counted->shown = (struct view_shared_forest){.forest = forest, .full = full, .revision = revision};
    atomic_init(&counted->shares, 1);
    return &counted->shown;
}

struct view_shared_forest *view_shared_forest_share(struct view_shared_forest *forest)
{
    if (forest != NULL)
        atomic_fetch_add(&((struct counted *)forest)->shares, 1);
    return forest;
}

void view_shared_forest_release(struct view_shared_forest **forest)
{
    struct counted *counted = (struct counted *)*forest;

    *forest = NULL;
    if (counted == NULL || atomic_fetch_sub(&counted->shares, 1) > 1)
        return;
    shw_forest_destroy(&counted->shown.forest);
    free(counted->shown.path);
    free(counted);
}

bool view_shared_forest_is_alike(const struct view_shared_forest *one, const struct view_shared_forest *other)
{
    const struct shw_forest_info *a = shw_forest_get_info(one->forest), *b = shw_forest_get_info(other->forest);

    return shw_channel_lists_equal(a->channel_list, b->channel_list) && a->feature == b->feature && a->fill == b->fill;
}
