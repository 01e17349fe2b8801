#include "teach/teaching.h"

#include <string.h>

#include "base/log.h"
#include "dense/smooth/smooth.h"
#include "teach/uncertain.h"

#define MARK_SECONDS 4.0

void view_search_destroy(struct view_search *search)
{
    view_label_worker_destroy(&search->worker);
    shw_picture_labels_release(&search->labels);
    memset(search, 0, sizeof *search);
}

enum shw_result view_search_begin(struct view_search *search, const struct view_scene *scene)
{
    if (scene->picture == NULL)
        return shw_fail(&scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no picture");
    SHW_PROPAGATE(view_scene_need_forest(scene));
    if (!view_search_is_running(search))
        search->wanted = true;
    return SHW_OK;
}

void view_search_give_up(struct view_search *search)
{
    search->wanted = false;
    search->marked = 0.0;
    search->given_up = search->running;
}

bool view_search_is_running(const struct view_search *search)
{
    return search->wanted || (search->running && !search->given_up);
}

static void find(void *user, const uint16_t *results)
{
    struct view_search *search = user;
    const struct view_distributions of = {results + (size_t)search->part.width * search->part.height,
                                          search->class_count, search->part, search->labels};

    search->found = view_find_uncertain(&of, search->margin, &search->x, &search->y);
}

static enum shw_result start(struct view_search *search, const struct view_scene *scene,
                             struct shw_picture_labels *labels)
{
    struct view_label_job job = {.forest = scene->forest, .then = find, .user = search};
    const struct shw_forest_info *info;
    struct shw_smooth_windows windows;
    struct shw_input inputs[SHW_INPUTS_MAX];

    search->wanted = false;
    if (scene->forest == NULL || scene->picture == NULL)
        return SHW_OK;
    info = shw_forest_get_info(scene->forest->forest);
    job.inputs = view_picture_inputs(scene->picture, info->channel_list, inputs);
    job.planes = search->class_count = info->class_count;
    windows = shw_smooth_windows_of(&info->smoothing);
    search->margin = shw_forest_get_reach(scene->forest->forest) - shw_smooth_reach(&windows);
    search->part = view_scene_part(scene, VIEW_OVERVIEW);
    job.parts = &search->part;
    job.part_count = 1;
    job.memory = view_parts_tile_memory(&scene->labelling, false);
    for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++)
        job.techniques[s] = SHW_TECHNIQUE_CPU;
    if (search->worker == NULL)
        SHW_PROPAGATE(view_label_worker_create(&scene->log, &search->worker));
    shw_picture_labels_release(&search->labels);
    search->labels = labels != NULL ? shw_picture_labels_share(labels) : NULL; /* painting continues meanwhile */
    view_labelling_give(scene->picture, &job);
    SHW_PROPAGATE(view_label_worker_begin(search->worker, &job));
    search->running = true;
    return SHW_OK;
}

static enum shw_result take(struct view_search *search, struct view_scene *scene)
{
    const uint16_t *results;
    double milliseconds;
    bool given_up = search->given_up;
    enum shw_result result = view_label_worker_take(search->worker, &results, &milliseconds);

    search->running = search->given_up = false;
    if (result != SHW_OK || given_up)
        return result;
    if (!search->found)
        return shw_fail(&scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "every pixel of this picture has a label");
    view_scene_centre(scene, search->x, search->y);
    search->marked = view_clock() + MARK_SECONDS;
    scene->redraw = true;
    return SHW_OK;
}

enum shw_result view_search_poll(struct view_search *search, struct view_scene *scene,
                                 struct shw_picture_labels *labels)
{
    if (search->marked > 0.0 && view_clock() > search->marked) {
        search->marked = 0.0;
        scene->redraw = true;
    }
    if (search->running && view_label_worker_done(search->worker))
        SHW_PROPAGATE(take(search, scene));
    return search->wanted && !search->running ? start(search, scene, labels) : SHW_OK;
}
