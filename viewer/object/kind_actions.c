/* Actions for object classes. */
#include <stdlib.h>
#include <string.h>

#include "action/action.h"
#include "base/log.h"
#include "files/dataset/palette.h"
#include "files/project/project_objects.h"
#include "object/objects.h"

static const struct shw_log *log_of(const struct view_objects *objects)
{
    return &objects->scene->log;
}

static struct shw_project *project_of(const struct view_objects *objects)
{
    return objects->kinds.teaching->project.data;
}

static enum shw_result need_project(const struct view_objects *objects)
{
    return view_project_need(&objects->kinds.teaching->project, log_of(objects));
}

/* After a change: everything is drawn again, and what is taught is in the title. */
static enum shw_result changed(struct view_objects *objects, enum shw_result result)
{
    objects->scene->redraw = true;
    return result;
}

static enum shw_result find_kind(const struct view_objects *objects, const char *text, uint32_t *number)
{
    SHW_PROPAGATE(need_project(objects));
    return view_kinds_find(&objects->kinds, text, number)
               ? SHW_OK
               : view_action_refuse(log_of(objects), "an object class, by its name or as #NUMBER", text);
}

/* Takes the colour from the end of the text, if there is one. */
static bool cut_colour(char *text, uint8_t colour[3])
{
    char *blank = strrchr(text, ' ');

    if (blank == NULL || blank == text || !view_parse_colour(blank + 1, colour))
        return false;
    while (blank >= text && *blank == ' ')
        *blank-- = '\0';
    return true;
}

/* One that neither a class nor an object class has. */
static void choose_colour(const struct view_objects *objects, uint8_t colour[3])
{
    const struct shw_project *project = project_of(objects);
    bool taken = true;

    for (uint32_t i = 0; taken && i < SHW_OBJECT_CLASSES_MAX + SHW_PROJECT_CLASSES_MAX; i++) {
        taken = false;
        shw_palette_default_colour(i, colour);
        for (uint32_t c = 0; c < shw_project_get_class_count(project); c++)
            taken = taken || memcmp(shw_project_get_class(project, c)->colour, colour, 3) == 0;
        for (uint32_t k = 0; k < view_kinds_count(&objects->kinds); k++)
            taken = taken || memcmp(view_kinds_get(&objects->kinds, k)->colour, colour, 3) == 0;
    }
}

/* Clicks reach objects with Move in hand. */
static void take_in_hand(struct view_objects *objects, uint32_t hand)
{
    if (hand != VIEW_NO_KIND) {
        objects->on = true;
        view_teaching_take_in_hand(objects->kinds.teaching, VIEW_HAND_PAN);
    }
    objects->kinds.hand = hand;
    objects->scene->redraw = true;
}

static enum shw_result add(void *user, const char *argument)
{
    struct view_objects *objects = user;
    char name[512];
    uint8_t colour[3];

    SHW_PROPAGATE(need_project(objects));
    if (strlen(argument) >= sizeof name)
        return view_action_refuse(log_of(objects), "the name of an object class", argument);
    snprintf(name, sizeof name, "%s", argument);
    choose_colour(objects, colour);
    cut_colour(name, colour);
    SHW_PROPAGATE(shw_project_add_object_class(project_of(objects), name, colour));
    take_in_hand(objects, view_kinds_count(&objects->kinds) - 1);
    return SHW_OK;
}

static enum shw_result delete (void *user, const char *argument) {
    struct view_objects *objects = user; uint32_t number;

    SHW_PROPAGATE(find_kind(objects, argument, &number));
    objects->kinds.hand = VIEW_NO_KIND;
    return changed(objects, shw_project_delete_object_class(project_of(objects), number));
}

/* The object class at the beginning, by its name, of which the longest counts; *rest: what follows it. */
static enum shw_result split_kind(const struct view_objects *objects, const char *argument, uint32_t *number,
                                  const char **rest)
{
    char text[1024];

    SHW_PROPAGATE(need_project(objects));
    snprintf(text, sizeof text, "%s", argument);
    for (char *blank = strrchr(text, ' '); blank != NULL; blank = strrchr(text, ' ')) {
        *blank = '\0';
        if (view_kinds_find(&objects->kinds, text, number)) {
            *rest = argument + (blank - text) + 1;
            return SHW_OK;
        }
    }
    return view_action_refuse(log_of(objects), "an object class and its new name or colour", argument);
}

static enum shw_result rename_kind(void *user, const char *argument)
{
    struct view_objects *objects = user;
    const char *name;
    uint32_t number;
    uint8_t colour[3];

    SHW_PROPAGATE(split_kind(objects, argument, &number, &name));
    memcpy(colour, view_kinds_get(&objects->kinds, number)->colour, sizeof colour);
    return changed(objects, shw_project_change_object_class(project_of(objects), number, name, colour));
}

static enum shw_result set_colour(void *user, const char *argument)
{
    struct view_objects *objects = user;
    char text[512], name[512];
    uint8_t colour[3];
    uint32_t number;

    snprintf(text, sizeof text, "%s", argument);
    if (!cut_colour(text, colour))
        return view_action_refuse(log_of(objects), "an object class and a colour, as #40a0ff", argument);
    SHW_PROPAGATE(find_kind(objects, text, &number));
    snprintf(name, sizeof name, "%s", view_kinds_get(&objects->kinds, number)->name);
    return changed(objects, shw_project_change_object_class(project_of(objects), number, name, colour));
}

static enum shw_result choose_hand(void *user, const char *argument)
{
    struct view_objects *objects = user;
    uint32_t number = VIEW_NO_KIND;

    if (strcmp(argument, "forget") == 0) {
        SHW_PROPAGATE(need_project(objects));
        number = VIEW_FORGET_KIND;
    } else if (strcmp(argument, "none") != 0) {
        SHW_PROPAGATE(find_kind(objects, argument, &number));
    }
    take_in_hand(objects, number);
    return SHW_OK;
}

static enum shw_result teach(void *user, const char *argument)
{
    struct view_objects *objects = user;
    int64_t x, y;

    SHW_PROPAGATE(need_project(objects));
    if (!view_parse_pair(argument, 0, UINT32_MAX, &x, &y))
        return view_action_refuse(log_of(objects), "a column and a row of the picture", argument);
    SHW_PROPAGATE(view_kinds_need_hand(&objects->kinds));
    SHW_PROPAGATE(view_objects_need_labels(objects));
    if (!view_objects_are_current(objects)) /* in a script; clicks find what is shown */
        SHW_PROPAGATE(objects->found != NULL && objects->shown.picture == objects->scene->picture_count
                          ? SHW_OK
                          : shw_fail(log_of(objects), SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                                     "the objects of this picture are not found yet: `wait objects` waits for them"));
    return changed(objects, view_kinds_teach(&objects->kinds, objects->found, (uint32_t)x, (uint32_t)y));
}

static enum shw_result show_kind(void *user, const char *argument)
{
    struct view_objects *objects = user;
    char *name = NULL;
    uint32_t number;

    if (strcmp(argument, "all") != 0) {
        SHW_PROPAGATE(find_kind(objects, argument, &number));
        name = strdup(view_kinds_get(&objects->kinds, number)->name);
        if (name == NULL)
            return shw_fail_memory(log_of(objects), argument);
    }
    free(objects->kind_name);
    objects->kind_name = name;
    objects->settings_count++;
    return changed(objects, SHW_OK);
}

static enum shw_result save_forest(void *user, const char *argument)
{
    struct view_objects *objects = user;
    struct view_kinds *kinds = &objects->kinds;

    if (kinds->forest == NULL)
        return shw_fail(log_of(objects), SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "there is no forest of objects yet: teach objects of at least two object classes");
    SHW_PROPAGATE(view_teaching_check_output(kinds->teaching, argument, &shw_file_record_forest));
    SHW_PROPAGATE(shw_object_forest_save(kinds->forest, argument, log_of(objects)));
    snprintf(kinds->teaching->said, sizeof kinds->teaching->said, "wrote %s", argument);
    return SHW_OK;
}

static const struct view_action actions[] = {
    {"add-object-class", "NAME [#RRGGBB]", "add an object class and take it in hand", add},
    {"delete-object-class", "CLASS", "delete an object class; its objects are taught no longer", delete},
    {"rename-object-class", "CLASS NAME", "rename an object class", rename_kind},
    {"object-colour", "CLASS #RRGGBB", "set the colour of an object class", set_colour},
    {"object-hand", "CLASS|forget|none",
     "the object class that clicks teach objects; forget: they are taught no longer; none: clicks choose", choose_hand},
    {"object-teach", "X Y", "teach the object at a pixel of the picture the object class in hand", teach},
    {"objects-show", "CLASS|all", "show, list and write only objects of this object class", show_kind},
    {"object-forest", "FILE.ktx2", "write the forest that tells objects apart, for shadewood records", save_forest},
    {0}};

static const struct view_key keys[] = {{0}};

const struct view_action_group view_kinds_group = {"Object classes", actions, keys};
