#include "label/detail.h"

#include <string.h>

#include "base/log.h"

void view_detail_destroy(const struct view_gpu *gpu, struct view_detail *detail)
{
    for (uint32_t i = 0; i < 2; i++)
        view_shown_destroy(gpu, &detail->images[i]);
    memset(detail, 0, sizeof *detail);
}

static struct view_shown *back_of(struct view_detail *detail)
{
    return &detail->images[1 - detail->front];
}

static enum shw_result load(const struct view_gpu *gpu, struct view_detail *detail, const struct view_picture *picture,
                            const struct shw_part *part)
{
    bool renewed;

    detail->loading = false;
    SHW_PROPAGATE(view_shown_fit(gpu, picture, part, true, back_of(detail), &renewed));
    detail->loading = true;
    return SHW_OK;
}

/* False: the overview is fine enough. */
static bool find_seen(const struct view_look *look, struct shw_part *seen, struct shw_part *part)
{
    const struct view_picture *picture = look->picture;

    return picture != NULL && view_part_detail(picture->image.width, picture->image.height, look->coarse, look->longest,
                                               look->place, look->area, seen, part);
}

static bool has(const struct view_detail *detail, const struct shw_part *seen)
{
    return detail->valid && view_part_covers(&detail->images[detail->front].part, seen);
}

enum shw_result view_detail_update(const struct view_gpu *gpu, struct view_detail *detail, const struct view_look *look,
                                   uint64_t count, bool anew)
{
    struct shw_part part;
    bool before = detail->wanted;

    if (anew || count != detail->picture)
        detail->valid = detail->loading = detail->loaded = false;
    if (detail->loaded) {
        detail->front = 1 - detail->front;
        detail->loaded = false;
        detail->valid = detail->changed = true;
    }
    detail->picture = count;
    detail->wanted = find_seen(look, &detail->seen, &part);
    detail->changed = detail->changed || detail->wanted != before;
    if (!detail->wanted)
        detail->loading = detail->loaded = false;
    if (!detail->wanted || has(detail, &detail->seen) ||
        (detail->loading && view_part_covers(&back_of(detail)->part, &detail->seen)))
        return SHW_OK;
    return load(gpu, detail, look->picture, &part);
}

bool view_detail_upload(struct view_detail *detail, const struct view_picture *picture, struct view_display_range range,
                        VkCommandBuffer commands, uint32_t slot)
{
    if (!detail->loading)
        return false;
    detail->loaded = view_shown_upload(back_of(detail), picture, range, commands, slot);
    detail->loading = !detail->loaded;
    return true;
}

const struct view_shown *view_detail_shown(const struct view_detail *detail)
{
    return detail->wanted && detail->valid ? &detail->images[detail->front] : NULL;
}

bool view_detail_is_complete(const struct view_detail *detail, const struct view_look *look)
{
    struct shw_part seen, part;
    bool wanted = find_seen(look, &seen, &part);

    return wanted == detail->wanted && (!wanted || has(detail, &seen));
}
