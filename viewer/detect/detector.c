#include "detect/detector.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"

/* Colour-blind people can distinguish them, too, and from right and wrong ones (Okabe and Ito). */
static const uint8_t colours[][3] = {{86, 180, 233}, {204, 121, 167}, {230, 159, 0}, {0, 114, 178}};

void view_detector_init(uint32_t i, struct view_detector *detector)
{
    *detector = (struct view_detector){.on = true};
    memcpy(detector->colour, colours[i % (sizeof colours / sizeof *colours)], sizeof detector->colour);
}

static void forget_found(struct view_detector *detector)
{
    for (uint32_t r = 0; r < VIEW_DETECT_RECENT; r++)
        view_found_windows_free(&detector->recent[r]);
}

void view_detector_destroy(struct view_detector *detector)
{
    view_detect_worker_destroy(&detector->worker);
    forget_found(detector);
    shw_learned_free(&detector->learned);
    view_shared_cascade_release(&detector->cascade);
    *detector = (struct view_detector){0};
}

bool view_detector_is_unsaved(const struct view_detector *detector)
{
    return detector->cascade != NULL && detector->cascade->path[0] == '\0';
}

const struct shw_cascade_info *view_detector_info(const struct view_detector *detector)
{
    return shw_cascade_get_info(detector->cascade->cascade);
}

void view_detector_reset_score(struct view_detector *detector)
{
    const struct shw_cascade_info *info = detector->cascade != NULL ? view_detector_info(detector) : NULL;

    detector->settings.group.has_min_score = info != NULL && info->has_min_score;
    detector->settings.group.min_score = info != NULL ? info->min_score : 0;
}

void view_detector_change(struct view_detector *detector, struct view_shared_cascade *cascade)
{
    view_detect_worker_cancel(detector->worker);
    view_shared_cascade_release(&detector->cascade);
    shw_learned_free(&detector->learned);
    detector->cascade = cascade;
    detector->settings = (struct view_detect_settings){.technique = detector->settings.technique};
    view_detector_reset_score(detector);
    snprintf(detector->label, sizeof detector->label, "%s", cascade != NULL ? view_detector_info(detector)->name : "");
    detector->on = true;
    detector->failed = false;
    forget_found(detector);
}

const struct view_found_windows *view_detector_found(const struct view_detector *detector,
                                                     const struct view_picture *picture)
{
    for (uint32_t r = 0; r < VIEW_DETECT_RECENT && picture != NULL; r++)
        if (detector->recent[r].picture == picture)
            return &detector->recent[r];
    return NULL;
}

bool view_detector_is_current(const struct view_detector *detector, const struct view_picture *picture)
{
    const struct view_found_windows *found = view_detector_found(detector, picture);

    return found != NULL && found->cascade == detector->cascade &&
           view_detect_same_scan(&found->settings, &detector->settings) &&
           view_detect_same_groups(&found->settings, &detector->settings);
}

bool view_detector_has_failed(struct view_detector *detector, const struct view_picture *picture)
{
    detector->failed = detector->failed && detector->begun_picture == picture &&
                       detector->begun_cascade == detector->cascade &&
                       view_detect_same_scan(&detector->begun, &detector->settings) &&
                       view_detect_same_groups(&detector->begun, &detector->settings);
    return detector->failed;
}

enum shw_result view_detector_begin(struct view_detector *detector, const struct view_scene *scene,
                                    struct view_picture *picture)
{
    const struct view_labelling_params *labelling = &scene->labelling.params;
    const struct view_found_windows *known = view_detector_found(detector, picture);
    struct view_found_windows job = {0};
    bool scans = known == NULL || known->cascade != detector->cascade ||
                 !view_detect_same_scan(&known->settings, &detector->settings);

    if (detector->worker == NULL)
        SHW_PROPAGATE(view_detect_worker_create(labelling->device,
                                                labelling->gpu->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU,
                                                &scene->log, &detector->worker));
    if (!scans && !view_found_windows_copy(known, &job))
        return shw_fail_memory(&scene->log, "detections");
    if (scans)
        job = (struct view_found_windows){.picture = view_picture_share(picture),
                                          .cascade = view_shared_cascade_share(detector->cascade)};
    job.settings = detector->begun = detector->settings;
    detector->begun_picture = picture;
    detector->begun_cascade = detector->cascade;
    SHW_PROPAGATE(view_detect_worker_begin(detector->worker, &job, scans));
    detector->running = true;
    return SHW_OK;
}

/* Puts a result before the others, of which the oldest goes. */
static void keep(struct view_detector *detector, const struct view_found_windows *found)
{
    uint32_t place = 0;

    while (place < VIEW_DETECT_RECENT - 1 && detector->recent[place].picture != found->picture)
        place++;
    view_found_windows_free(&detector->recent[place]);
    memmove(detector->recent + 1, detector->recent, place * sizeof *detector->recent);
    detector->recent[0] = *found;
}

enum shw_result view_detector_take(struct view_detector *detector, bool waits, bool *taken)
{
    struct view_found_windows found;
    enum shw_result result;

    *taken = false;
    if (!detector->running || !view_detect_worker_done(detector->worker, waits))
        return SHW_OK;
    result = view_detect_worker_take(detector->worker, &found);
    detector->running = false;
    detector->failed = result != SHW_OK && result != SHW_ERROR_CANCELLED;
    if (result != SHW_OK)
        return detector->failed ? result : SHW_OK;
    if (found.cascade != detector->cascade) { /* another one is open now */
        view_found_windows_free(&found);
        return SHW_OK;
    }
    keep(detector, &found);
    *taken = true;
    return SHW_OK;
}
