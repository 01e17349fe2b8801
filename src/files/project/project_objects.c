#include "files/project/project_objects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/class.h"
#include "base/log.h"
#include "base/text.h"
#include "files/project/state.h"

/* The name that a class has now: NULL if it is deleted. */
static char *current_name(const struct shw_class_state *classes, uint32_t id, char *name)
{
    if (id == UINT32_MAX)
        return name;
    return classes[id].exists ? classes[id].shown.name : NULL;
}

struct shw_project_objects shw_project_get_objects(const struct shw_project *project)
{
    const struct shw_taught_objects *objects = &project->objects;
    struct shw_project_objects settings = objects->settings;

    settings.class_name = current_name(project->classes, objects->class_of, settings.class_name);
    settings.kind_name = current_name(objects->classes, objects->kind_of, settings.kind_name);
    return settings;
}

/* The class of that name; UINT32_MAX: there is none. */
static uint32_t find_named(const struct shw_class_state *classes, uint32_t count, const char *name)
{
    for (uint32_t id = 0; name != NULL && id < count; id++)
        if (classes[id].exists && strcmp(classes[id].shown.name, name) == 0)
            return id;
    return UINT32_MAX;
}

void shw_project_find_named(struct shw_project *project)
{
    struct shw_taught_objects *objects = &project->objects;

    objects->class_of = find_named(project->classes, project->class_count, objects->settings.class_name);
    objects->kind_of = find_named(objects->classes, objects->class_count, objects->settings.kind_name);
}

static bool are_equal(const struct shw_project_objects *a, const struct shw_project_objects *b)
{
    return a->set == b->set && shw_text_is_same(a->class_name, b->class_name) &&
           shw_text_is_same(a->kind_name, b->kind_name) && a->smooth == b->smooth && a->hole_max == b->hole_max &&
           a->area_min == b->area_min && a->area_max == b->area_max && a->four == b->four &&
           a->pixel_size.source == b->pixel_size.source && !(a->pixel_size.micrometres < b->pixel_size.micrometres) &&
           !(a->pixel_size.micrometres > b->pixel_size.micrometres);
}

/* Into settings that are zero; false: out of memory. */
static bool copy_settings(const struct shw_project_objects *settings, struct shw_project_objects *copy)
{
    *copy = *settings;
    copy->kind_name = NULL;
    return shw_text_copy(settings->class_name, &copy->class_name) &&
           shw_text_copy(settings->kind_name, &copy->kind_name);
}

static void free_settings(struct shw_project_objects *settings)
{
    free(settings->class_name);
    free(settings->kind_name);
    *settings = (struct shw_project_objects){0};
}

enum shw_result shw_project_set_objects(struct shw_project *project, const struct shw_project_objects *objects)
{
    const struct shw_project_objects current = shw_project_get_objects(project);
    const uint32_t class_of = project->objects.class_of, kind_of = project->objects.kind_of;
    struct shw_project_objects copy;
    bool class_stays, kind_stays;

    if (are_equal(&current, objects))
        return SHW_OK;
    if (!copy_settings(objects, &copy)) {
        free_settings(&copy);
        return shw_fail_memory(&project->log, "settings");
    }
    class_stays = shw_text_is_same(current.class_name, copy.class_name);
    kind_stays = shw_text_is_same(current.kind_name, copy.kind_name);
    free_settings(&project->objects.settings);
    project->objects.settings = copy;
    shw_project_find_named(project);
    if (class_stays) /* also if it is deleted, which may be undone */
        project->objects.class_of = class_of;
    if (kind_stays)
        project->objects.kind_of = kind_of;
    project->objects.revision++;
    return SHW_OK;
}

uint64_t shw_project_get_objects_revision(const struct shw_project *project)
{
    return project->objects.revision;
}

/* Ids of object classes that exist, from 0. */
static uint32_t class_id(const struct shw_project *project, uint32_t number)
{
    for (uint32_t id = 0; id < project->objects.class_count; id++)
        if (project->objects.classes[id].exists && number-- == 0)
            return id;
    return UINT32_MAX;
}

uint32_t shw_project_object_class_number(const struct shw_project *project, uint32_t id)
{
    uint32_t number = 0;

    if (id >= project->objects.class_count || !project->objects.classes[id].exists)
        return UINT32_MAX;
    for (uint32_t i = 0; i < id; i++)
        number += project->objects.classes[i].exists;
    return number;
}

uint32_t shw_project_get_object_class_count(const struct shw_project *project)
{
    uint32_t count = 0;

    for (uint32_t id = 0; id < project->objects.class_count; id++)
        count += project->objects.classes[id].exists;
    return count;
}

const struct shw_project_class *shw_project_get_object_class(const struct shw_project *project, uint32_t number)
{
    uint32_t id = class_id(project, number);

    return id != UINT32_MAX ? &project->objects.classes[id].shown : NULL;
}

/* Whether an object class other than `id` has the name. */
static enum shw_result check_name(const struct shw_project *project, const char *name, uint32_t id)
{
    const struct shw_taught_objects *objects = &project->objects;

    if (!shw_class_name_is_valid(name))
        return shw_fail(&project->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "an object class must have a name: 1 to %u bytes of UTF-8 without control characters",
                        SHW_CLASS_NAME_MAX);
    for (uint32_t i = 0; i < objects->class_count; i++)
        if (i != id && objects->classes[i].exists && strcmp(objects->classes[i].shown.name, name) == 0)
            return shw_fail(&project->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is already an object class %s",
                            name);
    return SHW_OK;
}

/* Changes an object class, as a step of the history. */
static enum shw_result change(struct shw_project *project, uint32_t id, const struct shw_class_state *state)
{
    struct shw_edit edit = {.of_objects = true, .is_class = true, .which = id, .other = project->objects.classes[id]};

    SHW_PROPAGATE(shw_project_record(project, &edit));
    project->objects.classes[id] = *state;
    return SHW_OK;
}

static enum shw_result make_state(struct shw_project *project, const char *name, const uint8_t colour[3],
                                  struct shw_class_state *state)
{
    *state = (struct shw_class_state){.shown = {.name = strdup(name)}, .exists = true};
    memcpy(state->shown.colour, colour, 3);
    return state->shown.name != NULL ? SHW_OK : shw_fail_memory(&project->log, name);
}

enum shw_result shw_project_add_object_class(struct shw_project *project, const char *name, const uint8_t colour[3])
{
    struct shw_taught_objects *objects = &project->objects;
    struct shw_class_state state;
    enum shw_result result;

    SHW_PROPAGATE(check_name(project, name, UINT32_MAX));
    if (objects->class_count == SHW_OBJECT_CLASSES_MAX)
        return shw_fail(&project->log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT,
                        "a project has at most %u object classes, including deleted ones", SHW_OBJECT_CLASSES_MAX);
    if (!SHW_RESERVE(objects->classes, objects->class_capacity, objects->class_count + 1u))
        return shw_fail_memory(&project->log, name);
    SHW_PROPAGATE(make_state(project, name, colour, &state));
    objects->classes[objects->class_count] = (struct shw_class_state){0};
    result = change(project, objects->class_count, &state);
    if (result == SHW_OK)
        objects->class_count++;
    else
        free(state.shown.name);
    return result;
}

enum shw_result shw_project_change_object_class(struct shw_project *project, uint32_t number, const char *name,
                                                const uint8_t colour[3])
{
    uint32_t id = class_id(project, number);
    struct shw_class_state state;
    enum shw_result result;

    if (id == UINT32_MAX)
        return shw_fail(&project->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no object class %u", number);
    SHW_PROPAGATE(check_name(project, name, id));
    SHW_PROPAGATE(make_state(project, name, colour, &state));
    result = change(project, id, &state);
    if (result != SHW_OK)
        free(state.shown.name);
    return result;
}

enum shw_result shw_project_delete_object_class(struct shw_project *project, uint32_t number)
{
    uint32_t id = class_id(project, number);

    if (id == UINT32_MAX)
        return shw_fail(&project->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no object class %u", number);
    return change(project, id, &(struct shw_class_state){0});
}

static bool is_same_pixel(const struct shw_example_state *a, const struct shw_example_state *b)
{
    return a->picture == b->picture && a->x == b->x && a->y == b->y;
}

uint32_t shw_project_get_example_count(const struct shw_project *project)
{
    return project->objects.example_count;
}

struct shw_object_example shw_project_get_example(const struct shw_project *project, uint32_t example)
{
    const struct shw_taught_objects *objects = &project->objects;
    const struct shw_example_state *state = &objects->examples[example];

    return (struct shw_object_example){state->picture, state->x, state->y,
                                       shw_project_object_class_number(project, state->class_id), !state->superseded};
}

/* Appends it where there is room. */
static void append(struct shw_project *project, const struct shw_example_state *example)
{
    struct shw_taught_objects *objects = &project->objects;
    struct shw_example_state *added = &objects->examples[objects->example_count];
    uint32_t before = objects->example_count;

    *added = *example;
    while (before > 0 && !is_same_pixel(&objects->examples[before - 1], example))
        before--;
    added->superseded = false;
    added->before = before > 0 ? before - 1 : UINT32_MAX;
    if (before > 0)
        objects->examples[before - 1].superseded = true;
    objects->example_count++;
    project->pictures[example->picture].example_count++;
}

void shw_project_pop_example(struct shw_project *project)
{
    struct shw_taught_objects *objects = &project->objects;
    const struct shw_example_state *last = &objects->examples[--objects->example_count];

    if (last->before != UINT32_MAX)
        objects->examples[last->before].superseded = false;
    project->pictures[last->picture].example_count--;
}

bool shw_project_push_example(struct shw_project *project, const struct shw_example_state *example)
{
    struct shw_taught_objects *objects = &project->objects;

    if (!SHW_RESERVE(objects->examples, objects->example_capacity, objects->example_count + 1u))
        return false;
    append(project, example);
    return true;
}

enum shw_result shw_project_teach_object(struct shw_project *project, uint32_t picture, uint32_t x, uint32_t y,
                                         uint32_t number, const float values[SHW_OBJECT_ATTRIBUTES])
{
    struct shw_example_state example = {.picture = picture,
                                        .x = x,
                                        .y = y,
                                        .class_id = number != UINT32_MAX ? class_id(project, number) : UINT32_MAX,
                                        .measured = true};
    const struct shw_edit edit = {.of_objects = true, .which = picture};
    enum shw_result result;

    if (picture >= project->picture_count || x >= project->pictures[picture].width ||
        y >= project->pictures[picture].height || (number != UINT32_MAX && example.class_id == UINT32_MAX))
        return shw_fail(&project->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "an object is taught by a pixel of a picture and an existing object class");
    if (project->objects.example_count == SHW_OBJECT_EXAMPLES_MAX)
        return shw_fail(&project->log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT, "a project has at most %u taught objects",
                        SHW_OBJECT_EXAMPLES_MAX);
    memcpy(example.values, values, sizeof example.values);
    project->open = false;
    if (!shw_project_push_example(project, &example))
        return shw_fail_memory(&project->log, "taught objects");
    result = shw_project_record(project, &edit);
    if (result != SHW_OK)
        shw_project_pop_example(project);
    return result;
}

void shw_project_measure_example(struct shw_project *project, uint32_t example,
                                 const float values[SHW_OBJECT_ATTRIBUTES])
{
    struct shw_example_state *state = &project->objects.examples[example];

    if (state->measured && memcmp(state->values, values, sizeof state->values) == 0)
        return;
    memcpy(state->values, values, sizeof state->values);
    state->measured = true;
    project->objects.revision++;
}

void shw_project_swap_objects(struct shw_project *project, struct shw_edit *edit, bool redo)
{
    struct shw_taught_objects *objects = &project->objects;

    if (edit->is_class) {
        struct shw_class_state shown = objects->classes[edit->which];

        objects->classes[edit->which] = edit->other;
        edit->other = shown;
    } else if (redo) { /* cannot fail: it was there before */
        append(project, &edit->example);
    } else {
        edit->example = objects->examples[objects->example_count - 1];
        shw_project_pop_example(project);
    }
}

void shw_project_free_objects(struct shw_taught_objects *objects)
{
    for (uint32_t id = 0; id < objects->class_count; id++)
        free(objects->classes[id].shown.name);
    free(objects->classes);
    free(objects->examples);
    free_settings(&objects->settings);
    *objects = SHW_TAUGHT_NOTHING;
}

bool shw_project_copy_objects(const struct shw_taught_objects *objects, const uint32_t *numbers,
                              struct shw_taught_objects *copy)
{
    *copy = (struct shw_taught_objects){
        .revision = objects->revision, .class_of = objects->class_of, .kind_of = objects->kind_of};
    if (!copy_settings(&objects->settings, &copy->settings))
        return false;
    copy->classes = calloc(objects->class_count + (size_t)1, sizeof *copy->classes);
    copy->examples = malloc((objects->example_count + (size_t)1) * sizeof *copy->examples);
    if (copy->classes == NULL || copy->examples == NULL)
        return false;
    copy->class_capacity = objects->class_count + 1;
    copy->example_capacity = objects->example_count + 1;
    for (; copy->class_count < objects->class_count; copy->class_count++) {
        struct shw_class_state *class = &copy->classes[copy->class_count];

        *class = objects->classes[copy->class_count];
        class->shown.name = class->shown.name != NULL ? strdup(class->shown.name) : NULL;
        if (class->shown.name == NULL && class->exists)
            return false;
    }
    for (; copy->example_count < objects->example_count; copy->example_count++) {
        copy->examples[copy->example_count] = objects->examples[copy->example_count];
        copy->examples[copy->example_count].picture = numbers[objects->examples[copy->example_count].picture];
    }
    return true;
}

static enum shw_result make_classes(const struct shw_project *project, struct shw_object_lessons *lessons)
{
    const uint32_t count = shw_project_get_object_class_count(project);

    lessons->classes = calloc(count + (size_t)1, sizeof *lessons->classes);
    if (lessons->classes == NULL)
        return shw_fail_memory(&project->log, "object classes");
    for (; lessons->class_count < count; lessons->class_count++) {
        const struct shw_project_class *shown = shw_project_get_object_class(project, lessons->class_count);
        struct shw_class *class = &lessons->classes[lessons->class_count];

        class->name = strdup(shown->name);
        if (class->name == NULL)
            return shw_fail_memory(&project->log, "object classes");
        memcpy(class->colour, shown->colour, sizeof class->colour);
    }
    return SHW_OK;
}

/* By the names of pictures, then by place, so that the order of teaching does not matter. */
struct lesson {
    const char *picture;
    const struct shw_example_state *state;
    uint32_t number;
};

static int compare(const void *one, const void *two)
{
    const struct lesson *a = one, *b = two;
    int names = strcmp(a->picture, b->picture);

    if (names != 0)
        return names;
    if (a->state->y != b->state->y)
        return a->state->y < b->state->y ? -1 : 1;
    return (a->state->x > b->state->x) - (a->state->x < b->state->x);
}

enum shw_result shw_project_make_lessons(const struct shw_project *project, struct shw_object_lessons *lessons)
{
    const struct shw_taught_objects *objects = &project->objects;
    struct lesson *list = malloc((objects->example_count + (size_t)1) * sizeof *list);
    enum shw_result result;

    *lessons = (struct shw_object_lessons){0};
    result = list != NULL ? make_classes(project, lessons) : shw_fail_memory(&project->log, "taught objects");
    lessons->values = malloc((objects->example_count + (size_t)1) * SHW_OBJECT_ATTRIBUTES * sizeof *lessons->values);
    lessons->numbers = malloc((objects->example_count + (size_t)1) * sizeof *lessons->numbers);
    if (result == SHW_OK && (lessons->values == NULL || lessons->numbers == NULL))
        result = shw_fail_memory(&project->log, "taught objects");
    for (uint32_t e = 0; result == SHW_OK && e < objects->example_count; e++) {
        const struct shw_object_example example = shw_project_get_example(project, e);

        if (example.counts && example.number != UINT32_MAX && objects->examples[e].measured)
            list[lessons->count++] =
                (struct lesson){project->pictures[example.picture].name, &objects->examples[e], example.number};
    }
    if (result == SHW_OK)
        qsort(list, lessons->count, sizeof *list, compare);
    for (uint32_t i = 0; result == SHW_OK && i < lessons->count; i++) {
        memcpy(lessons->values + (size_t)i * SHW_OBJECT_ATTRIBUTES, list[i].state->values,
               sizeof list[i].state->values);
        lessons->numbers[i] = list[i].number;
    }
    free(list);
    return result;
}
