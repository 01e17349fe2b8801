/* What project files have of objects (docs/project-format.md). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/class.h"
#include "files/objects/objects.h"
#include "files/project/state.h"

static json_t *pack_pixel_size(const struct shw_pixel_size *size)
{
    char text[64];

    if (size->source == SHW_PIXEL_SIZE_GIVEN)
        return json_real(size->micrometres);
    if (size->source != SHW_PIXEL_SIZE_FILE || !(size->micrometres > 0.0))
        return json_string(size->source == SHW_PIXEL_SIZE_FILE ? "file" : "none");
    snprintf(text, sizeof text, "file or %.17g um", size->micrometres);
    return json_string(text);
}

static json_t *pack_settings(const struct shw_project_objects *settings)
{
    json_t *packed = json_pack("{s:i, s:i, s:i, s:b}", "smooth", (int)settings->smooth, "area", (int)settings->area_min,
                               "area_max", (int)settings->area_max, "corners", (int)!settings->four);
    int bad = packed == NULL;

    bad |= json_object_set_new(packed, "holes",
                               settings->hole_max == SHW_OBJECT_HOLES_ALL ? json_string("all")
                                                                          : json_integer(settings->hole_max));
    if (settings->class_name != NULL)
        bad |= json_object_set_new(packed, "class", json_string(settings->class_name));
    if (settings->kind_name != NULL)
        bad |= json_object_set_new(packed, "show", json_string(settings->kind_name));
    if (settings->pixel_size.source != SHW_PIXEL_SIZE_UNSET)
        bad |= json_object_set_new(packed, "pixel_size", pack_pixel_size(&settings->pixel_size));
    if (bad == 0)
        return packed;
    json_decref(packed);
    return NULL;
}

/* False: out of memory; the item is taken in any case. */
static bool append(json_t *list, json_t *item)
{
    return list != NULL && item != NULL ? json_array_append_new(list, item) == 0 : (json_decref(item), false);
}

static bool pack_classes(const struct shw_project *project, json_t *list)
{
    for (uint32_t number = 0; number < shw_project_get_object_class_count(project); number++) {
        const struct shw_project_class *shown = shw_project_get_object_class(project, number);

        if (!append(list, json_pack("{s:s, s:[i,i,i]}", "name", shown->name, "colour", shown->colour[0],
                                    shown->colour[1], shown->colour[2])))
            return false;
    }
    return true;
}

/* Numbers of float32 are written with as many digits as they need in double precision; unknown ones are null. */
static bool pack_values(const float *values, json_t *list)
{
    for (uint32_t a = 0; a < SHW_OBJECT_ATTRIBUTES; a++)
        if (!append(list, isfinite(values[a]) ? json_real((double)values[a]) : json_null()))
            return false;
    return true;
}

static bool pack_examples(const struct shw_project *project, json_t *list)
{
    for (uint32_t e = 0; e < project->objects.example_count; e++) {
        const struct shw_example_state *state = &project->objects.examples[e];
        const struct shw_object_example example = shw_project_get_example(project, e);
        json_t *packed, *values;

        if (!example.counts || example.number == UINT32_MAX)
            continue;
        packed = json_pack("{s:s, s:i, s:i, s:i, s:[]}", "picture", project->pictures[state->picture].name, "x",
                           (int)state->x, "y", (int)state->y, "class", (int)example.number, "values");
        values = json_object_get(packed, "values");
        if ((state->measured && !pack_values(state->values, values)) || !append(list, packed))
            return false;
    }
    return true;
}

static bool pack_attributes(json_t *list)
{
    for (uint32_t a = 0; a < SHW_OBJECT_ATTRIBUTES; a++)
        if (!append(list, json_string(shw_object_attribute_names[a])))
            return false;
    return true;
}

bool shw_project_pack_objects(const struct shw_project *project, json_t **packed)
{
    const struct shw_project_objects settings = shw_project_get_objects(project);
    json_t *root, *classes, *attributes, *examples;
    bool fine;

    *packed = NULL;
    if (!settings.set && shw_project_get_object_class_count(project) == 0)
        return true;
    root = json_pack("{s:[], s:[], s:[]}", "classes", "attributes", "examples");
    classes = json_object_get(root, "classes");
    attributes = json_object_get(root, "attributes");
    examples = json_object_get(root, "examples");
    fine = root != NULL && pack_classes(project, classes) && pack_attributes(attributes) &&
           pack_examples(project, examples);
    if (fine && settings.set)
        fine = json_object_set_new(root, "settings", pack_settings(&settings)) == 0;
    if (fine)
        *packed = root;
    else
        json_decref(root);
    return fine;
}

static bool take_integer(const json_t *value, json_int_t high, uint32_t *number)
{
    if (value == NULL)
        return true;
    if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > high)
        return false;
    *number = (uint32_t)json_integer_value(value);
    return true;
}

static bool take_pixel_size(const json_t *value, struct shw_pixel_size *size)
{
    if (value == NULL)
        return true;
    if (json_is_string(value))
        return shw_pixel_size_read(json_string_value(value), size) && size->source != SHW_PIXEL_SIZE_GIVEN;
    *size = (struct shw_pixel_size){SHW_PIXEL_SIZE_GIVEN, json_number_value(value)};
    return json_is_number(value) && size->micrometres >= SHW_PIXEL_SIZE_LEAST &&
           size->micrometres <= SHW_PIXEL_SIZE_MOST;
}

static const char *unpack_settings(const json_t *packed, struct shw_project_objects *settings, bool *memory)
{
    const json_t *class = json_object_get(packed, "class"), *holes = json_object_get(packed, "holes");
    const json_t *corners = json_object_get(packed, "corners"), *show = json_object_get(packed, "show");
    const json_int_t most = INT32_MAX;

    if (packed == NULL)
        return NULL;
    if (!json_is_object(packed))
        return "\"settings\" is not an object";
    settings->set = true;
    settings->four = json_is_false(corners);
    if (json_is_string(holes) && strcmp(json_string_value(holes), "all") == 0)
        settings->hole_max = SHW_OBJECT_HOLES_ALL;
    else if (!take_integer(holes, most, &settings->hole_max))
        return "\"settings\": \"holes\" is neither a number of pixels nor \"all\"";
    if (!take_integer(json_object_get(packed, "smooth"), SHW_OBJECT_SMOOTH_MAX, &settings->smooth) ||
        !take_integer(json_object_get(packed, "area"), most, &settings->area_min) ||
        !take_integer(json_object_get(packed, "area_max"), most, &settings->area_max) ||
        (corners != NULL && !json_is_boolean(corners)))
        return "\"settings\": \"smooth\", \"area\", \"area_max\" or \"corners\" is out of range";
    if (!take_pixel_size(json_object_get(packed, "pixel_size"), &settings->pixel_size))
        return "\"settings\": \"pixel_size\" is not a number of micrometres, \"file\", \"file or LENGTH\" or \"none\"";
    if ((class != NULL && !json_is_string(class)) || (show != NULL && !json_is_string(show)))
        return "\"settings\": \"class\" or \"show\" is not a text";
    settings->class_name = class != NULL ? strdup(json_string_value(class)) : NULL;
    settings->kind_name = show != NULL ? strdup(json_string_value(show)) : NULL;
    *memory = (class != NULL && settings->class_name == NULL) || (show != NULL && settings->kind_name == NULL);
    return NULL;
}

static const char *unpack_class(const json_t *packed, struct shw_project *project, bool *memory)
{
    struct shw_taught_objects *objects = &project->objects;
    const json_t *name = json_object_get(packed, "name"), *colour = json_object_get(packed, "colour");
    struct shw_class_state state = {.exists = true};

    if (!json_is_string(name) || !shw_class_name_is_valid(json_string_value(name)))
        return "it has no \"name\", a string of 1 to 255 bytes without control characters";
    for (size_t c = 0; c < 3; c++) {
        uint32_t sample = 256;

        if (json_array_size(colour) != 3 || !take_integer(json_array_get(colour, c), 255, &sample) || sample > 255)
            return "it has no \"colour\", a list of three numbers: red, green, blue";
        state.shown.colour[c] = (uint8_t)sample;
    }
    for (uint32_t id = 0; id < objects->class_count; id++)
        if (strcmp(objects->classes[id].shown.name, json_string_value(name)) == 0)
            return "an earlier class has the same name";
    state.shown.name = strdup(json_string_value(name));
    *memory =
        state.shown.name == NULL || !SHW_RESERVE(objects->classes, objects->class_capacity, objects->class_count + 1u);
    if (*memory)
        free(state.shown.name);
    else
        objects->classes[objects->class_count++] = state;
    return NULL;
}

/* The attribute of each value; SHW_OBJECT_ATTRIBUTES: one of another version. */
static const char *find_attributes(const json_t *names, uint32_t *attributes)
{
    if (!json_is_array(names) || json_array_size(names) > 256)
        return "there is no list \"attributes\" of at most 256 names";
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));

        if (name == NULL)
            return "\"attributes\" has something that is not a name";
        attributes[i] = 0;
        while (attributes[i] < SHW_OBJECT_ATTRIBUTES && strcmp(name, shw_object_attribute_names[attributes[i]]) != 0)
            attributes[i]++;
    }
    return NULL;
}

static bool unpack_values(const json_t *values, const json_t *names, const uint32_t *attributes,
                          struct shw_example_state *example)
{
    for (uint32_t a = 0; a < SHW_OBJECT_ATTRIBUTES; a++)
        example->values[a] = NAN;
    example->measured = json_array_size(values) > 0;
    if (!json_is_array(values) || (example->measured && json_array_size(values) != json_array_size(names)))
        return false;
    for (size_t i = 0; i < json_array_size(values); i++) {
        const json_t *value = json_array_get(values, i);

        if (!json_is_number(value) && !json_is_null(value))
            return false;
        if (attributes[i] < SHW_OBJECT_ATTRIBUTES && json_is_number(value))
            example->values[attributes[i]] = (float)json_number_value(value);
    }
    return true;
}

static const char *unpack_example(const json_t *packed, const json_t *names, const uint32_t *attributes,
                                  struct shw_project *project, bool *memory)
{
    const char *name = json_string_value(json_object_get(packed, "picture"));
    struct shw_example_state example = {.x = UINT32_MAX, .y = UINT32_MAX, .class_id = UINT32_MAX};

    example.picture = name != NULL ? shw_project_seek_picture(project, name) : UINT32_MAX;
    if (example.picture >= project->picture_count)
        return "it has no \"picture\", the name of one of \"pictures\"";
    if (!take_integer(json_object_get(packed, "x"), project->pictures[example.picture].width - (json_int_t)1,
                      &example.x) ||
        !take_integer(json_object_get(packed, "y"), project->pictures[example.picture].height - (json_int_t)1,
                      &example.y) ||
        example.x == UINT32_MAX || example.y == UINT32_MAX)
        return "it has no \"x\" and \"y\", a pixel of its picture";
    if (!take_integer(json_object_get(packed, "class"), project->objects.class_count - (json_int_t)1,
                      &example.class_id) ||
        example.class_id == UINT32_MAX)
        return "it has no \"class\", the number of one of \"classes\"";
    if (!unpack_values(json_object_get(packed, "values"), names, attributes, &example))
        return "it has no \"values\", a number or null for each of \"attributes\"";
    *memory = !shw_project_push_example(project, &example);
    return NULL;
}

static bool is_fine(const struct shw_objects_fault *fault)
{
    return fault->wrong == NULL && !fault->memory;
}

struct shw_objects_fault shw_project_unpack_objects(const json_t *packed, struct shw_project *project)
{
    struct shw_objects_fault fault = {.number = SIZE_MAX};
    const json_t *classes = json_object_get(packed, "classes"), *examples = json_object_get(packed, "examples");
    const json_t *names = json_object_get(packed, "attributes");
    uint32_t attributes[256];

    if (!json_is_object(packed) || !json_is_array(classes) || !json_is_array(examples))
        fault.wrong = "it is not an object with lists \"classes\" and \"examples\"";
    else if (json_array_size(classes) > SHW_OBJECT_CLASSES_MAX || json_array_size(examples) > SHW_OBJECT_EXAMPLES_MAX)
        fault.wrong = "more than 1024 classes or 65536 examples";
    if (fault.wrong == NULL)
        fault.wrong = unpack_settings(json_object_get(packed, "settings"), &project->objects.settings, &fault.memory);
    if (is_fine(&fault))
        fault.wrong = find_attributes(names, attributes);
    for (size_t i = 0; i < json_array_size(classes) && is_fine(&fault); i++) {
        fault.list = "classes";
        fault.number = i;
        fault.wrong = unpack_class(json_array_get(classes, i), project, &fault.memory);
    }
    for (size_t i = 0; i < json_array_size(examples) && is_fine(&fault); i++) {
        fault.list = "examples";
        fault.number = i;
        fault.wrong = unpack_example(json_array_get(examples, i), names, attributes, project, &fault.memory);
    }
    shw_project_find_named(project);
    return fault;
}
