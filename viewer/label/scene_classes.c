/* The classes of what is shown: of the project, the forest or the ground truth. */
#include "label/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action/parse.h"
#include "base/log.h"
#include "files/dataset/palette.h"
#include "label/shown_colour.h"

struct view_classes view_scene_classes(const struct view_scene *scene)
{
    const struct shw_forest_info *info = scene->forest != NULL ? shw_forest_get_info(scene->forest->forest) : NULL;
    struct view_classes classes;

    if (scene->project.list != NULL)
        return scene->project;
    if (info != NULL)
        return (struct view_classes){info->classes, info->class_count};
    classes.list = view_player_classes(scene->player, &classes.count);
    if (classes.list != NULL)
        return classes;
    return (struct view_classes){NULL, scene->picture != NULL ? scene->truth_classes : 0};
}

bool view_scene_forest_has_project_classes(const struct view_scene *scene)
{
    const struct shw_forest_info *info = shw_forest_get_info(scene->forest->forest);
    bool same = info->class_count <= scene->project.count;

    if (scene->forest->path == NULL)
        return true;
    for (uint32_t c = 0; same && c < info->class_count; c++)
        same = strcmp(info->classes[c].name, scene->project.list[c].name) == 0;
    return same;
}

const char *view_scene_class_name(const struct view_scene *scene, uint32_t number, char buffer[32])
{
    const struct view_classes classes = view_scene_classes(scene);

    if (classes.list != NULL && number < classes.count)
        return classes.list[number].name;
    snprintf(buffer, 32, "class %u", number);
    return buffer;
}

void view_scene_class_colour(const struct view_scene *scene, uint32_t number, uint8_t colour[3])
{
    const struct view_classes classes = view_scene_classes(scene);
    uint8_t stored[3];

    if (classes.list != NULL && number < classes.count)
        memcpy(stored, classes.list[number].colour, 3);
    else
        shw_palette_default_colour(number, stored);
    view_shown_colour(scene->colour_blind, stored, colour);
}

void view_scene_colour_classes(struct view_scene *scene)
{
    for (uint32_t c = 0; c < scene->class_count; c++) {
        uint8_t colour[3];
        view_scene_class_colour(scene, c, colour);
        view_overlay_set_class(scene->overlay, c, colour, !scene->hidden[c]);
    }
}

static uint32_t count_planes(const struct view_scene *scene)
{
    return scene->forest != NULL ? shw_forest_get_info(scene->forest->forest)->class_count : 0;
}

uint32_t view_scene_class_total(const struct view_scene *scene)
{
    const struct view_classes classes = view_scene_classes(scene);
    const uint32_t planes = count_planes(scene), count = classes.count < planes ? planes : classes.count;

    return classes.list != NULL && count < scene->class_count ? count : scene->class_count;
}

enum shw_result view_scene_update_classes(struct view_scene *scene)
{
    const struct view_labelling_params *params = &scene->labelling.params;
    uint32_t count = view_scene_classes(scene).count, old = scene->class_count;
    uint32_t planes = count_planes(scene);
    bool *hidden;

    count = count < planes ? planes : count;
    if (scene->forest == NULL && count < old)
        count = old;
    if (count != old || planes != scene->planes) {
        hidden = calloc(count + 1, sizeof *hidden);
        if (hidden == NULL)
            return shw_fail_memory(&scene->log, "the classes");
        if (scene->hidden != NULL)
            memcpy(hidden, scene->hidden, (count < old ? count : old) * sizeof *hidden);
        free(scene->hidden);
        scene->hidden = hidden;
        scene->class_count = scene->planes = 0;
        SHW_PROPAGATE(view_overlay_set_classes(params->gpu, scene->overlay, count, planes));
        scene->class_count = count;
        scene->planes = planes;
    }
    view_scene_colour_classes(scene);
    return SHW_OK;
}

bool view_scene_find_class(const struct view_scene *scene, const char *text, uint32_t *number)
{
    const struct view_classes classes = view_scene_classes(scene);
    long last = (long)view_scene_class_total(scene) - 1, parsed = 0;
    bool found = text[0] == '#' && view_parse_number(text + 1, 0, last, &parsed);

    for (uint32_t c = 0; !found && classes.list != NULL && c < classes.count && c < scene->class_count; c++)
        if (strcmp(classes.list[c].name, text) == 0) {
            parsed = (long)c;
            found = true;
        }
    if (!found && !view_parse_number(text, 0, last, &parsed))
        return false;
    *number = (uint32_t)parsed;
    return true;
}
