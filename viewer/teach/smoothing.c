/* Smoothing of the shown labels; with a project, the radius is the project's, too. */
#include <shadewood/forest.h>

#include "action/action.h"
#include "base/log.h"
#include "teach/teaching.h"

/* 0: none. */
static enum shw_result set_radius(struct view_teaching *teaching, uint32_t radius)
{
    const uint32_t smooth = radius > 0 ? radius : SHW_SMOOTHING_NONE;
    struct shw_project *project = teaching->project.data;
    struct shw_project_training training;

    if (project != NULL) {
        training = shw_project_get_training(project);
        if (training.smooth != smooth) {
            training.smooth = smooth;
            SHW_PROPAGATE(shw_project_set_training(project, &training));
        }
    }
    return view_scene_smooth(teaching->scene, false, smooth);
}

/* on, off, toggle, or a radius. */
static enum shw_result smooth(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    struct view_scene *scene = teaching->scene;
    bool on = !scene->smoothing.off && view_scene_radius(scene) > 0;
    int64_t radius;

    if (view_parse_number(argument, 0, SHW_SMOOTHING_RADIUS_MAX, &radius) && argument[0] != '+')
        return set_radius(teaching, (uint32_t)radius);
    if (view_parse_switch(NULL, argument, &on) != SHW_OK)
        return view_action_refuse(&scene->log, "on, off, toggle or a radius up to 120", argument);
    if (on && view_scene_radius(scene) == 0 && scene->forest != NULL) /* to look at; a project keeps its own */
        return view_scene_smooth(scene, false, SHW_PROJECT_SMOOTH);
    return view_scene_smooth(scene, !on, scene->smoothing.radius);
}

static enum shw_result compare(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    struct view_scene *scene = teaching->scene;

    SHW_PROPAGATE(view_parse_switch(&scene->log, argument, &scene->comparison.on));
    view_scene_open_wipe(scene, scene->comparison.on);
    return SHW_OK;
}

static const struct view_action actions[] = {
    {"smoothing", "on|off|toggle|RADIUS",
     "smooth labels up to the edges that the picture's colours have, or show them as the forest says them; RADIUS: of "
     "the windows, in pixels, which an open project keeps and forests trained on it; 0: none",
     smooth},
    {"compare-smoothing", "on|off|toggle",
     "show the labels before smoothing left of the wipe's line, in place of the picture without overlay", compare},
    {0}};

static const struct view_key keys[] = {{"U", "smoothing toggle", "labels smoothed or not"},
                                       {"Ctrl+U", "compare-smoothing toggle", "both, on either side of the wipe"},
                                       {0}};

const struct view_action_group view_smoothing_group = {"Smoothing", actions, keys};
