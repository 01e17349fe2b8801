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

enum shw_result view_detail_update(const struct view_gpu *gpu, struct view_detail *detail,
                                   const struct view_picture *picture, uint64_t count, uint32_t coarse,
                                   uint32_t longest, bool anew, const struct view_place *place,
                                   const struct view_area *area)
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
    detail->wanted = picture != NULL && view_part_detail(picture->image.width, picture->image.height, coarse, longest,
                                                         place, area, &detail->seen, &part);
    detail->changed = detail->changed || detail->wanted != before;
    if (!detail->wanted)
        detail->loading = detail->loaded = false;
    if (!detail->wanted || (detail->valid && view_part_covers(&detail->images[detail->front].part, &detail->seen)) ||
        (detail->loading && view_part_covers(&back_of(detail)->part, &detail->seen)))
        return SHW_OK;
    return load(gpu, detail, picture, &part);
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

bool view_detail_is_complete(const struct view_detail *detail)
{
    return !detail->wanted || (detail->valid && view_part_covers(&detail->images[detail->front].part, &detail->seen));
}
