#include "detect/found_windows.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "gpu/times.h"

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
