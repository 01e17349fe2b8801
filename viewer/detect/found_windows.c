#include "detect/found_windows.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "job/times.h"

bool view_detect_same_scan(const struct view_detect_settings *a, const struct view_detect_settings *b)
{
    const struct shw_scan *one = &a->scan, *other = &b->scan;

    return one->min_size == other->min_size && one->max_size == other->max_size &&
           one->levels_per_octave == other->levels_per_octave && one->scale_factor == other->scale_factor &&
           one->stride == other->stride && one->step == other->step && a->angles == b->angles &&
           a->technique == b->technique;
}

bool view_detect_same_groups(const struct view_detect_settings *a, const struct view_detect_settings *b)
{
    const struct shw_group_params *one = &a->group, *other = &b->group;

    return one->method == other->method && one->min_neighbours == other->min_neighbours &&
           one->epsilon == other->epsilon && one->overlap == other->overlap && one->min_score == other->min_score &&
           one->has_min_score == other->has_min_score;
}

static bool copy_detections(const struct shw_detections *from, struct shw_detections *to)
{
    *to = (struct shw_detections){.count = from->count, .items = malloc((from->count + (size_t)1) * sizeof *to->items)};
    if (to->items == NULL)
        return false;
    if (from->count > 0)
        memcpy(to->items, from->items, from->count * sizeof *to->items);
    return true;
}

void view_found_windows_free(struct view_found_windows *found)
{
    view_picture_free(found->picture);
    view_shared_cascade_release(&found->cascade);
    free(found->windows.items);
    free(found->groups.items);
    *found = (struct view_found_windows){0};
}

enum shw_result view_found_windows_group(const struct shw_log *log, struct view_found_windows *found)
{
    free(found->groups.items);
    found->groups = (struct shw_detections){0};
    if (!copy_detections(&found->windows, &found->groups))
        return shw_fail_memory(log, "detections");
    return shw_detections_group(&found->groups, shw_cascade_get_info(found->cascade->cascade)->kind,
                                &found->settings.group, log);
}

enum shw_result view_found_windows_scan(struct shw_detector *detector, const struct shw_log *log,
                                        struct view_found_windows *found)
{
    const struct shw_image *image = &found->picture->image;
    const double begun = view_clock();

    SHW_PROPAGATE(shw_detector_run(detector, image, &found->windows));
    found->milliseconds = 1e3 * (view_clock() - begun);
    found->technique = shw_detector_get_technique(detector);
    found->window_count = shw_detector_count_windows(detector, image->width, image->height);
    return view_found_windows_group(log, found);
}

bool view_found_windows_copy(const struct view_found_windows *found, struct view_found_windows *copy)
{
    struct shw_detections windows;

    if (!copy_detections(&found->windows, &windows))
        return false;
    *copy = *found;
    copy->windows = windows;
    copy->groups = (struct shw_detections){0};
    view_picture_share(copy->picture);
    view_shared_cascade_share(copy->cascade);
    return true;
}
