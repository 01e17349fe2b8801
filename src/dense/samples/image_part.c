#include "dense/samples/image_part.h"

struct shw_image_part shw_image_part_of(uint32_t whole, uint32_t worker, uint32_t workers)
{
    const uint32_t first = (uint32_t)((uint64_t)whole * worker / workers);

    return (struct shw_image_part){first, (uint32_t)((uint64_t)whole * (worker + 1) / workers) - first, whole};
}

static enum shw_result read_part(void *user, uint32_t index, struct shw_labelled_image *example)
{
    const struct shw_part_set *set = user;

    return set->given->read(set->given->user, set->part.first + index, example);
}

static void release_part(void *user, struct shw_labelled_image *example)
{
    const struct shw_part_set *set = user;

    set->given->release(set->given->user, example);
}

void shw_part_set_make(const struct shw_dataset *given, struct shw_image_part part, struct shw_part_set *set)
{
    *set = (struct shw_part_set){*given, given, part};
    set->dataset.count = part.count;
    set->dataset.user = set;
    set->dataset.read = read_part;
    set->dataset.release = release_part;
}
