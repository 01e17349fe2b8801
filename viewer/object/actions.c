#include <stdlib.h>
#include <string.h>

#include "action/action.h"
#include "base/log.h"
#include "object/objects.h"

static enum shw_result switch_on(void *user, const char *argument)
{
    struct view_objects *objects = user;

    SHW_PROPAGATE(view_parse_switch(&objects->scene->log, argument, &objects->on));
    objects->wants_panel = objects->on && strcmp(argument, "toggle") == 0;
    return SHW_OK;
}

static enum shw_result choose_class(void *user, const char *argument)
{
    struct view_objects *objects = user;
    const struct view_classes classes = view_scene_classes(objects->scene);
    uint32_t number;
    char *name = NULL;

    if (strcmp(argument, "all") != 0) {
        if (!view_scene_find_class(objects->scene, argument, &number) || classes.list == NULL ||
            number >= classes.count)
            return view_action_refuse(&objects->scene->log, "a class, or all", argument);
        name = strdup(classes.list[number].name);
        if (name == NULL)
            return shw_fail_memory(&objects->scene->log, argument);
    }
    free(objects->class_name);
    objects->class_name = name;
    objects->settings_count++;
    return SHW_OK;
}

static enum shw_result set_number(struct view_objects *objects, const char *argument, int64_t high, const char *what,
                                  uint32_t *setting)
{
    int64_t number;

    if (!view_parse_number(argument, 0, high, &number))
        return view_action_refuse(&objects->scene->log, what, argument);
    *setting = (uint32_t)number;
    objects->settings_count++;
    return SHW_OK;
}

static enum shw_result set_area(void *user, const char *argument)
{
    struct view_objects *objects = user;

    SHW_PROPAGATE(
        set_number(objects, argument, VIEW_OBJECTS_AREA_MAX, "a number of pixels", &objects->settings.area_min));
    if (objects->settings.area_max > 0 && objects->settings.area_max < objects->settings.area_min)
        objects->settings.area_max = objects->settings.area_min;
    return SHW_OK;
}

static enum shw_result set_area_max(void *user, const char *argument)
{
    struct view_objects *objects = user;

    if (strcmp(argument, "all") == 0) {
        objects->settings.area_max = 0;
        objects->settings_count++;
        return SHW_OK;
    }
    SHW_PROPAGATE(set_number(objects, argument, VIEW_OBJECTS_AREA_MAX, "a number of pixels, or all",
                             &objects->settings.area_max));
    if (objects->settings.area_max > 0 && objects->settings.area_max < objects->settings.area_min)
        objects->settings.area_min = objects->settings.area_max;
    return SHW_OK;
}

static enum shw_result set_pixel_size(void *user, const char *argument)
{
    struct view_objects *objects = user;
    struct shw_pixel_size size;

    if (!shw_pixel_size_read(argument, &size))
        return view_action_refuse(&objects->scene->log,
                                  "a length with its unit, as 0.65 um, or file, or file or LENGTH, or none", argument);
    objects->pixel_size = size;
    objects->settings_count++; /* a part of what the project keeps */
    objects->scene->redraw = true;
    return SHW_OK;
}

static enum shw_result show_scale_bar(void *user, const char *argument)
{
    struct view_objects *objects = user;

    objects->scene->redraw = true;
    return view_parse_switch(&objects->scene->log, argument, &objects->scale_bar);
}

static enum shw_result set_holes(void *user, const char *argument)
{
    struct view_objects *objects = user;

    if (strcmp(argument, "all") != 0)
        return set_number(objects, argument, VIEW_OBJECTS_AREA_MAX, "a number of pixels, or all",
                          &objects->settings.hole_max);
    objects->settings.hole_max = SHW_OBJECT_HOLES_ALL;
    objects->settings_count++;
    return SHW_OK;
}

static enum shw_result set_smooth(void *user, const char *argument)
{
    struct view_objects *objects = user;

    return set_number(objects, argument, SHW_OBJECT_SMOOTH_MAX, "a radius from 0 to 64 pixels",
                      &objects->settings.smooth);
}

static enum shw_result set_corners(void *user, const char *argument)
{
    struct view_objects *objects = user;
    bool corners = !objects->settings.four;

    SHW_PROPAGATE(view_parse_switch(&objects->scene->log, argument, &corners));
    objects->settings.four = !corners;
    objects->settings_count++;
    return SHW_OK;
}

static enum shw_result choose(void *user, const char *argument)
{
    struct view_objects *objects = user;
    int64_t last = objects->found != NULL ? (int64_t)objects->found->objects.count : 0, number;
    struct shw_object_centre centre;

    if (strcmp(argument, "none") == 0) {
        objects->chosen = 0;
        return SHW_OK;
    }
    if (!view_parse_number(argument, 1, last, &number))
        return view_action_refuse(&objects->scene->log, "the number of an object of this picture, or none", argument);
    objects->chosen = (uint32_t)number;
    centre = shw_object_get_centre(&objects->found->objects.list[number - 1]);
    view_scene_centre(objects->scene, (uint32_t)(centre.x / 1000), (uint32_t)(centre.y / 1000));
    return SHW_OK;
}

static enum shw_result choose_at(void *user, const char *argument)
{
    struct view_objects *objects = user;
    int64_t x, y;

    if (!view_parse_pair(argument, 0, UINT32_MAX, &x, &y))
        return view_action_refuse(&objects->scene->log, "a column and a row of the picture", argument);
    objects->chosen = objects->found != NULL ? view_found_at(objects->found, (uint32_t)x, (uint32_t)y) : 0;
    return SHW_OK;
}

enum shw_result view_objects_need_labels(const struct view_objects *objects)
{
    if (objects->scene->picture == NULL)
        return shw_fail(&objects->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no picture");
    if (view_player_info(objects->scene->player).playing)
        return shw_fail(&objects->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "pictures are being played: objects are found in one that stays");
    return view_scene_need_forest(objects->scene);
}

enum shw_result view_objects_await(struct view_objects *objects)
{
    SHW_PROPAGATE(view_objects_need_labels(objects));
    objects->awaited = true;
    return SHW_OK;
}

static enum shw_result list(void *user, const char *argument)
{
    struct view_objects *objects = user;

    (void)argument;
    SHW_PROPAGATE(view_objects_need_labels(objects));
    objects->list_wanted = true;
    return SHW_OK;
}

static enum shw_result save(void *user, const char *argument)
{
    struct view_objects *objects = user;
    struct view_objects_saving *saving = &objects->saving;
    char *folder;

    SHW_PROPAGATE(view_objects_need_labels(objects));
    if (saving->running)
        return shw_fail(&objects->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "objects are being saved to %s: wait until that has ended", saving->folder);
    folder = strdup(argument);
    if (folder == NULL)
        return shw_fail_memory(&objects->scene->log, argument);
    free(saving->folder);
    saving->folder = folder;
    saving->written = false;
    saving->wanted = true;
    return SHW_OK;
}

static const struct view_action actions[] = {
    {"objects", "on|off|toggle",
     "find objects, the connected pixels of a class, and draw their outlines; toggle shows the panel, too", switch_on},
    {"objects-class", "CLASS|all", "the class whose objects are found", choose_class},
    {"objects-area", "PIXELS", "the smallest area of an object; the largest is at least that", set_area},
    {"objects-area-max", "PIXELS|all", "the largest area of an object; the smallest is at most that", set_area_max},
    {"objects-holes", "PIXELS|all", "fill holes of objects up to this area", set_holes},
    {"objects-smooth", "RADIUS", "first give pixels the most frequent class around them", set_smooth},
    {"objects-corners", "on|off|toggle", "pixels that touch at corners are connected", set_corners},
    {"object", "NUMBER|none", "choose an object of the picture, and centre the view on it", choose},
    {"object-at", "X Y", "choose the object at a pixel of the picture", choose_at},
    {"pixel-size", "LENGTH|file [or LENGTH]|none",
     "the size of a pixel: of all pictures alike, as 0.65 um or 2 mm; as each picture's file states it, and else the "
     "given one; or lengths in pixels only",
     set_pixel_size},
    {"scale-bar", "on|off|toggle",
     "show a scale bar over the picture, and draw it in the overlays, videos and snapshots that are written, if the "
     "size of pixels is known",
     show_scale_bar},
    {"objects-list", NULL, "print the number of objects of each class, and the largest ones", list},
    {"objects-save", "FOLDER", "write the picture's objects: a table, outlines for QuPath, and an image of numbers",
     save},
    {0}};

static const struct view_key keys[] = {{"Ctrl+J", "objects toggle", "objects"}, {0}};

const struct view_action_group view_objects_group = {"Objects", actions, keys};
