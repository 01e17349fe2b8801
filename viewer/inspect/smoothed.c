#include "inspect/smoothed.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

void view_smoothed_forget(struct view_smoothed *smoothed)
{
    free(smoothed->distribution);
    smoothed->distribution = NULL;
    smoothed->wanted = false;
    smoothed->given_up = smoothed->running;
    view_shared_forest_release(&smoothed->forest);
    if (smoothed->running)
        view_label_worker_stop(smoothed->worker);
}

void view_smoothed_destroy(struct view_smoothed *smoothed)
{
    view_smoothed_forget(smoothed);
    view_label_worker_destroy(&smoothed->worker);
    *smoothed = (struct view_smoothed){.wanted = false};
}

void view_smoothed_want(struct view_smoothed *smoothed, const struct view_scene *scene, uint32_t x, uint32_t y)
{
    view_smoothed_forget(smoothed);
    smoothed->smoothing = view_shared_forest_smoothing(scene->forest);
    smoothed->wanted = true;
    smoothed->x = x;
    smoothed->y = y;
    smoothed->forest = view_shared_forest_share(scene->forest);
}

static enum shw_result begin(struct view_smoothed *smoothed, const struct view_scene *scene)
{
    const struct shw_forest_info *info = shw_forest_get_info(smoothed->forest->forest);
    const struct shw_part part = {.x = smoothed->x, .y = smoothed->y, .width = 1, .height = 1, .step = 1};
    struct shw_input inputs[SHW_INPUTS_MAX];
    struct view_label_job job = {.forest = smoothed->forest,
                                 .inputs = view_picture_inputs(scene->picture, info->channel_list, inputs),
                                 .parts = &part,
                                 .part_count = 1,
                                 .memory = view_parts_tile_memory(&scene->labelling, false),
                                 .planes = info->class_count};

    for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++)
        job.techniques[s] = SHW_TECHNIQUE_CPU;
    if (smoothed->worker == NULL)
        SHW_PROPAGATE(view_label_worker_create(&scene->log, &smoothed->worker));
    smoothed->classes = info->class_count;
    view_labelling_give(scene->picture, &job);
    SHW_PROPAGATE(view_label_worker_begin(smoothed->worker, &job));
    smoothed->running = true;
    return SHW_OK;
}

/* Takes what has been computed. */
static bool take(struct view_smoothed *smoothed, const struct view_scene *scene)
{
    const uint16_t *results;
    double milliseconds;
    const bool given_up = smoothed->given_up;
    const enum shw_result result = view_label_worker_take(smoothed->worker, &results, &milliseconds);

    smoothed->running = smoothed->given_up = false;
    if (result != SHW_OK || given_up)
        return false;
    smoothed->distribution = malloc(smoothed->classes * sizeof *smoothed->distribution);
    if (smoothed->distribution == NULL) {
        shw_fail_memory(&scene->log, "the explanation");
        return false;
    }
    smoothed->argmax = results[0];
    memcpy(smoothed->distribution, results + 1, smoothed->classes * sizeof *smoothed->distribution);
    return true;
}

bool view_smoothed_poll(struct view_smoothed *smoothed, const struct view_scene *scene, bool wait)
{
    bool news = false;

    do {
        if (smoothed->running && wait)
            view_label_worker_wait(smoothed->worker);
        if (smoothed->running && view_label_worker_done(smoothed->worker))
            news = take(smoothed, scene) || news;
        if (smoothed->wanted && !smoothed->running) {
            smoothed->wanted = false;
            if (scene->picture != NULL)
                begin(smoothed, scene);
        }
    } while (wait && smoothed->running);
    return news;
}

bool view_smoothed_is_running(const struct view_smoothed *smoothed)
{
    return smoothed->wanted || smoothed->running;
}

bool view_smoothed_is_ready(const struct view_smoothed *smoothed)
{
    return smoothed->running ? view_label_worker_done(smoothed->worker) : smoothed->wanted;
}
