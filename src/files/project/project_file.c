#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/atomic_file.h"
#include "base/class.h"
#include "base/file_bytes.h"
#include "base/log.h"
#include "dense/channels/channels.h"
#include "files/image/image_file.h"
#include "files/project/state.h"
#include "files/project/stroke.h"

#define RUNS_MIN     256u /* shorter areas are lists of points, which every version reads */
#define DIGIT_BITS   5u
#define MORE         (1u << DIGIT_BITS) /* another digit follows */
#define NUMBER_BYTES 4u                 /* of numbers up to SHW_STROKE_PLACE_MAX */
#define WRONG_DIGIT  UINT32_MAX

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Where a run begins and ends, from the one before. */
struct position {
    int32_t end, y; /* the pixel after the last run, and its row */
};

/* Whether an area is stored so: it has many runs, which are in order and do not overlap, as those of imported labels
 * and filled regions. */
static bool runs_are_text(const struct shw_stroke *area)
{
    struct position at = {0, 0};

    if (!area->area || area->radius != 0 || area->point_count < 2 * RUNS_MIN)
        return false;
    for (uint32_t p = 0; p < area->point_count; p += 2) {
        const struct shw_point first = area->points[p], last = area->points[p + 1];

        if (first.y != last.y || first.y < at.y || first.x > last.x || first.x < (first.y > at.y ? 0 : at.end) ||
            last.x > SHW_STROKE_PLACE_MAX || first.y > SHW_STROKE_PLACE_MAX)
            return false;
        at = (struct position){last.x + 1, first.y};
    }
    return true;
}

/* Groups of five bits, the lowest first. */
static char *put(char *to, int32_t number)
{
    uint32_t rest = (uint32_t)number;

    for (; rest >= MORE; rest >>= DIGIT_BITS)
        *to++ = digits[MORE | (rest & (MORE - 1))];
    *to++ = digits[rest];
    return to;
}

/* The text, to be freed with free(); NULL if memory is exhausted. */
static char *runs_write(const struct shw_stroke *area)
{
    char *text = malloc((size_t)area->point_count / 2 * 3 * NUMBER_BYTES + 1), *to = text, *shrunk;
    struct position at = {0, 0};

    if (text == NULL)
        return NULL;
    for (uint32_t p = 0; p < area->point_count; p += 2) {
        const struct shw_point first = area->points[p], last = area->points[p + 1];

        to = put(to, first.y - at.y);
        to = put(to, first.x - (first.y > at.y ? 0 : at.end));
        to = put(to, last.x - first.x);
        at = (struct position){last.x + 1, first.y};
    }
    *to = '\0';
    shrunk = realloc(text, (size_t)(to - text) + 1);
    return shrunk != NULL ? shrunk : text;
}

static uint32_t value_of(char digit)
{
    const char *found = digit != '\0' ? strchr(digits, digit) : NULL;

    return found != NULL ? (uint32_t)(found - digits) : WRONG_DIGIT;
}

/* Reads a number up to SHW_STROKE_PLACE_MAX. */
static bool get(const char **text, int32_t *number)
{
    uint32_t value = 0, digit = MORE;

    for (unsigned shift = 0; (digit & MORE) != 0; shift += DIGIT_BITS) {
        digit = value_of(**text);
        if (digit == WRONG_DIGIT || shift == NUMBER_BYTES * DIGIT_BITS)
            return false;
        value |= (digit & (MORE - 1)) << shift;
        ++*text;
    }
    *number = (int32_t)value;
    return value <= SHW_STROKE_PLACE_MAX;
}

/* Appends the runs of a text. Returns what is wrong with it, or NULL; *memory: memory is exhausted. */
static const char *runs_read(const char *text, struct shw_stroke *area, bool *memory)
{
    struct position at = {0, 0};

    *memory = false;
    if (*text == '\0')
        return "\"runs\" is empty";
    while (*text != '\0') {
        int32_t down, right, length;
        struct shw_point first, last;

        if (!get(&text, &down) || !get(&text, &right) || !get(&text, &length))
            return "\"runs\" has a number that is cut off or too large, or another character";
        first = (struct shw_point){(down > 0 ? 0 : at.end) + right, at.y + down};
        last = (struct shw_point){first.x + length, first.y};
        if (last.x > SHW_STROKE_PLACE_MAX || first.y > SHW_STROKE_PLACE_MAX)
            return "\"runs\" has a coordinate above 131071";
        if (area->point_count == SHW_STROKE_POINTS_MAX)
            return "\"runs\" has more than 524288 runs";
        *memory = !shw_stroke_append_raw(area, first) || !shw_stroke_append_raw(area, last);
        if (*memory)
            return "";
        at = (struct position){last.x + 1, first.y};
    }
    return NULL;
}

static bool is_project(const char *path, const char *name)
{
    return shw_json_has_format(path, SHW_PROJECT_FILE_MAX, name);
}

const struct shw_file_kind shw_file_project = {SHW_PROJECT_FORMAT, "a project", is_project, false};

/* The reader's position, for messages; -1: not in one. */
struct place {
    const char *file;
    const struct shw_log *log;
    long picture, stroke;
};

static enum shw_result fault(const struct place *place, const char *what)
{
    if (place->stroke >= 0)
        return shw_fail(place->log, SHW_ERROR_FORMAT, SHW_LOG_PROJECT, "%s: stroke %ld of picture %ld: %s", place->file,
                        place->stroke, place->picture, what);
    if (place->picture >= 0)
        return shw_fail(place->log, SHW_ERROR_FORMAT, SHW_LOG_PROJECT, "%s: picture %ld: %s", place->file,
                        place->picture, what);
    return shw_fail(place->log, SHW_ERROR_FORMAT, SHW_LOG_PROJECT, "%s: %s", place->file, what);
}

/* Whether the value is an integer within the bounds. */
static bool take_integer(const json_t *value, json_int_t low, json_int_t high, json_int_t *number)
{
    if (!json_is_integer(value) || json_integer_value(value) < low || json_integer_value(value) > high)
        return false;
    *number = json_integer_value(value);
    return true;
}

/* The same for an optional member, which is 0 if missing. */
static bool take_member(const json_t *object, const char *name, json_int_t low, json_int_t high, uint32_t *number)
{
    const json_t *value = json_object_get(object, name);
    json_int_t taken = 0;

    if (value != NULL && !take_integer(value, low, high, &taken))
        return false;
    *number = (uint32_t)taken;
    return true;
}

static enum shw_result read_class(const json_t *value, const struct place *place, struct shw_project *project)
{
    const json_t *name = json_object_get(value, "name"), *colour = json_object_get(value, "colour");
    const json_t *locked = json_object_get(value, "locked");
    struct shw_class_state state = {.exists = true};

    if (!json_is_string(name) || !shw_class_name_is_valid(json_string_value(name)))
        return fault(place, "a class has no \"name\", a string of 1 to 255 bytes without control characters");
    if (!json_is_array(colour) || json_array_size(colour) != 3)
        return fault(place, "a class has no \"colour\", a list of three numbers: red, green, blue");
    for (size_t c = 0; c < 3; c++) {
        json_int_t sample;

        if (!take_integer(json_array_get(colour, c), 0, 255, &sample))
            return fault(place, "a class has a \"colour\" with values other than integers from 0 to 255");
        state.shown.colour[c] = (uint8_t)sample;
    }
    if (locked != NULL && !json_is_boolean(locked))
        return fault(place, "a class has a \"locked\" that is neither true nor false");
    state.shown.locked = json_is_true(locked);
    for (uint32_t id = 0; id < project->class_count; id++)
        if (strcmp(project->classes[id].shown.name, json_string_value(name)) == 0)
            return fault(place, "two classes have the same name");
    state.shown.name = strdup(json_string_value(name));
    if (state.shown.name == NULL ||
        !SHW_RESERVE(project->classes, project->class_capacity, project->class_count + 1u)) {
        free(state.shown.name);
        return shw_fail_memory(place->log, place->file);
    }
    project->classes[project->class_count++] = state;
    return SHW_OK;
}

static enum shw_result read_classes(const json_t *list, const struct place *place, struct shw_project *project)
{
    enum shw_result result = SHW_OK;

    if (!json_is_array(list))
        return fault(place, "there is no list \"classes\"");
    if (json_array_size(list) > SHW_PROJECT_CLASSES_MAX)
        return shw_fail(place->log, SHW_ERROR_LIMIT, SHW_LOG_PROJECT, "%s: %zu classes; at most %u are possible",
                        place->file, json_array_size(list), SHW_PROJECT_CLASSES_MAX);
    for (size_t i = 0; i < json_array_size(list) && result == SHW_OK; i++)
        result = read_class(json_array_get(list, i), place, project);
    return result;
}

/* A file may be of a later version, so that they are no error. */
static void report_unknown(const json_t *training, const struct place *place)
{
    static const char *const known[] = {"channels", "trees",  "depth",  "candidates",
                                        "offset",   "smooth", "levels", "seed"};
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)training, key, value)
    {
        size_t k = 0;

        while (k < sizeof known / sizeof *known && strcmp(key, known[k]) != 0)
            k++;
        if (k == sizeof known / sizeof *known)
            shw_log_message(place->log, SHW_LOG_WARNING, SHW_LOG_PROJECT,
                            "%s: \"training\": \"%.60s\" is unknown and ignored: there are \"channels\", \"trees\", "
                            "\"depth\", \"candidates\", \"offset\", \"smooth\", \"levels\" and \"seed\"",
                            place->file, key);
    }
}

static enum shw_result read_training(const json_t *value, const struct place *place, struct shw_project *project)
{
    struct shw_project_training *training = &project->training;
    const json_t *channels = json_object_get(value, "channels"), *seed = json_object_get(value, "seed");
    struct shw_channel_list list;
    char why[SHW_CHANNEL_WHY_SIZE];
    const char *wrong;

    if (value == NULL)
        return SHW_OK;
    if (!json_is_object(value))
        return fault(place, "\"training\" is not an object");
    report_unknown(value, place);
    if (channels != NULL) {
        if (!json_is_string(channels))
            return fault(place, "\"training\": \"channels\" is not a text");
        if (!shw_channel_list_read(json_string_value(channels), &project->texts.kinds, &list, why))
            return shw_fail(place->log, SHW_ERROR_FORMAT, SHW_LOG_PROJECT, "%s: \"training\": \"channels\": %s",
                            place->file, why);
        memcpy(training->channels, list.name, sizeof list.name);
    }
    if (!take_member(value, "trees", 1, UINT32_MAX, &training->tree_count) ||
        !take_member(value, "depth", 1, UINT32_MAX, &training->depth) ||
        !take_member(value, "candidates", 1, UINT32_MAX, &training->candidates) ||
        !take_member(value, "offset", 1, UINT32_MAX, &training->offset) ||
        !take_member(value, "levels", 1, UINT32_MAX, &training->levels))
        return fault(place, "\"training\": \"trees\", \"depth\", \"candidates\", \"offset\" or \"levels\" is not a "
                            "positive integer");
    if (!take_member(value, "smooth", 0, SHW_SMOOTHING_RADIUS_MAX, &training->smooth))
        return fault(place, "\"training\": \"smooth\" is not an integer from 0 to 120");
    if (training->smooth == 0 && json_object_get(value, "smooth") != NULL)
        training->smooth = SHW_SMOOTHING_NONE;
    wrong = shw_project_training_fault(training, &project->texts.kinds);
    if (wrong != NULL)
        return fault(place, wrong);
    if (seed != NULL) {
        const char *text = json_is_string(seed) ? json_string_value(seed) : "";
        char *end = NULL;

        errno = 0;
        training->seed = strtoull(text, &end, 10);
        if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0)
            return fault(place, "\"training\": \"seed\" is not a string of digits of a number below 2^64");
    }
    return SHW_OK;
}

static enum shw_result read_choice(const json_t *value, const struct place *place, struct shw_project *project)
{
    const char *wrong;
    char text[128];

    if (value == NULL)
        return SHW_OK;
    if (!json_is_object(value))
        return fault(place, "\"reading\" is not an object");
    wrong = shw_image_choice_unpack(value, &project->choice);
    if (wrong == NULL)
        return SHW_OK;
    snprintf(text, sizeof text, "\"reading\": %s", wrong);
    return fault(place, text);
}

static enum shw_result read_shown_planes(const json_t *value, const struct place *place, struct shw_project *project)
{
    const char *wrong = shw_shown_planes_unpack(value, &project->shown_planes);
    char text[160];

    if (wrong == NULL)
        return SHW_OK;
    snprintf(text, sizeof text, "\"shown_planes\": %s", wrong);
    return fault(place, text);
}

static enum shw_result read_locked(const json_t *list, const struct place *place, uint32_t classes,
                                   struct shw_stroke *stroke)
{
    size_t count = json_array_size(list);

    if (list == NULL || (json_is_array(list) && count == 0))
        return SHW_OK;
    if (!json_is_array(list) || count > classes)
        return fault(place, "\"locked\" is not a list of classes");
    stroke->locked = malloc(count * sizeof *stroke->locked);
    if (stroke->locked == NULL)
        return shw_fail_memory(place->log, place->file);
    for (size_t i = 0; i < count; i++) {
        json_int_t number;

        if (!take_integer(json_array_get(list, i), 0, (json_int_t)classes - 1, &number))
            return fault(place, "\"locked\" has a class that does not exist");
        stroke->locked[stroke->locked_count++] = (uint32_t)number;
    }
    return SHW_OK;
}

static enum shw_result read_points(const json_t *list, const struct place *place, struct shw_stroke *stroke)
{
    size_t count = json_array_size(list);

    if (!json_is_array(list) || count < 2 || count % 2 != 0 || count / 2 > SHW_STROKE_POINTS_MAX)
        return fault(place, "\"points\" is not a list x, y, x, y, ... of at least one point");
    if (stroke->area && count % 4 != 0)
        return fault(place, "\"points\" of an area is not a list of pairs of points");
    for (size_t i = 0; i < count; i += 2) {
        json_int_t x, y;

        if (!take_integer(json_array_get(list, i), -SHW_STROKE_PLACE_MAX, SHW_STROKE_PLACE_MAX, &x) ||
            !take_integer(json_array_get(list, i + 1), -SHW_STROKE_PLACE_MAX, SHW_STROKE_PLACE_MAX, &y))
            return fault(place, "\"points\" has a coordinate that is not an integer from -131071 to 131071");
        if (!(stroke->area ? shw_stroke_append_raw : shw_stroke_append)(stroke,
                                                                        (struct shw_point){(int32_t)x, (int32_t)y}))
            return shw_fail_memory(place->log, place->file);
    }
    return SHW_OK;
}

static enum shw_result read_runs(const json_t *text, const struct place *place, struct shw_stroke *stroke)
{
    const char *wrong;
    bool memory;

    if (!json_is_string(text) || !stroke->area || stroke->radius != 0)
        return fault(place, "\"runs\" is not a text, or not of an area of radius 0");
    wrong = runs_read(json_string_value(text), stroke, &memory);
    if (memory)
        return shw_fail_memory(place->log, place->file);
    return wrong == NULL ? SHW_OK : fault(place, wrong);
}

static enum shw_result read_stroke(const json_t *value, const struct place *place, const struct shw_project *project,
                                   struct shw_picture_state *picture)
{
    const json_t *of = json_object_get(value, "class"), *area = json_object_get(value, "area");
    const json_t *runs = json_object_get(value, "runs");
    struct shw_stroke stroke = {.class_id = SHW_STROKE_ERASER};
    json_int_t number;
    enum shw_result result;

    if (!json_is_null(of) || of == NULL) {
        if (!take_integer(of, 0, (json_int_t)project->class_count - 1, &number))
            return fault(place, "\"class\" is neither an existing class nor null, the eraser");
        stroke.class_id = (uint32_t)number;
    }
    if (!take_integer(json_object_get(value, "radius"), 0, SHW_STROKE_RADIUS_MAX, &number))
        return fault(place, "\"radius\" is not an integer from 0 to 1024");
    stroke.radius = (uint32_t)number;
    if (area != NULL && !json_is_boolean(area))
        return fault(place, "\"area\" is neither true nor false");
    stroke.area = json_is_true(area);
    SHW_TRY(read_locked(json_object_get(value, "locked"), place, project->class_count, &stroke));
    SHW_TRY(runs != NULL ? read_runs(runs, place, &stroke)
                         : read_points(json_object_get(value, "points"), place, &stroke));
    if (!shw_project_push_stroke(picture, &stroke))
        SHW_TRY(shw_fail_memory(place->log, place->file));
    return SHW_OK;

fail:
    shw_stroke_free(&stroke);
    return result;
}

/* An object of texts, names of inputs; `picture`: UINT32_MAX: patterns of the project. */
static enum shw_result read_inputs(const json_t *value, const struct place *place, struct shw_project *project,
                                   uint32_t picture)
{
    const bool of_all = picture == UINT32_MAX;
    const char *name;
    json_t *path;

    if (value == NULL)
        return SHW_OK;
    if (!json_is_object(value))
        return fault(place, "\"inputs\" is not an object");
    json_object_foreach((json_t *)(uintptr_t)value, name, path)
    {
        if (!shw_project_may_have_input(name) || (of_all && strcmp(name, SHW_PREVIOUS) == 0))
            return fault(place, of_all ? "\"inputs\" has another member than \"depth\", \"height\" and names of planes"
                                       : "\"inputs\" has another member than \"depth\", \"height\", \"previous\" and "
                                         "names of planes");
        if (!json_is_string(path) || json_string_length(path) == 0)
            return fault(place, "\"inputs\" has a path that is not a non-empty string");
        SHW_PROPAGATE(of_all ? shw_project_set_input(project, name, json_string_value(path))
                             : shw_project_set_picture_input(project, picture, name, json_string_value(path)));
    }
    return SHW_OK;
}

static enum shw_result read_picture(const json_t *value, struct place *place, struct shw_project *project)
{
    const json_t *name = json_object_get(value, "name"), *strokes = json_object_get(value, "strokes");
    const json_t *test = json_object_get(value, "test");
    json_int_t width, height;
    uint32_t picture;
    enum shw_result result;

    if (!json_is_string(name) || json_string_length(name) == 0)
        return fault(place, "it has no \"name\", a non-empty string");
    if (!take_integer(json_object_get(value, "width"), 1, SHW_IMAGE_SIZE_MAX, &width) ||
        !take_integer(json_object_get(value, "height"), 1, SHW_IMAGE_SIZE_MAX, &height) ||
        width * height > (json_int_t)SHW_IMAGE_PIXELS_MAX)
        return fault(place, "\"width\" and \"height\" are not integers from 1 to 65535, or exceed 2^28 pixels");
    if (!json_is_array(strokes))
        return fault(place, "it has no list \"strokes\"");
    if (test != NULL && !json_is_boolean(test))
        return fault(place, "\"test\" is neither true nor false");
    if (shw_project_seek_picture(project, json_string_value(name)) < project->picture_count)
        return fault(place, "an earlier picture has the same name");
    result = shw_project_find_picture(project, json_string_value(name), (uint32_t)width, (uint32_t)height, &picture);
    if (result == SHW_OK)
        result = read_inputs(json_object_get(value, "inputs"), place, project, picture);
    for (size_t s = 0; s < json_array_size(strokes) && result == SHW_OK; s++) {
        place->stroke = (long)s;
        result = read_stroke(json_array_get(strokes, s), place, project, &project->pictures[picture]);
    }
    place->stroke = -1;
    if (result == SHW_OK) {
        shw_project_keep_for_test(project, picture, json_is_true(test));
        shw_project_repaint_picture(project, picture);
    }
    return result;
}

static enum shw_result read_objects(const json_t *value, const struct place *place, struct shw_project *project)
{
    struct shw_objects_fault found;
    char text[240];

    if (value == NULL)
        return SHW_OK;
    found = shw_project_unpack_objects(value, project);
    if (found.memory)
        return shw_fail_memory(place->log, place->file);
    if (found.wrong == NULL)
        return SHW_OK;
    if (found.list != NULL)
        snprintf(text, sizeof text, "\"objects\", \"%s\" %zu: %s", found.list, found.number, found.wrong);
    else
        snprintf(text, sizeof text, "\"objects\": %s", found.wrong);
    return fault(place, text);
}

static enum shw_result read_texts(const json_t *value, const struct place *place, struct shw_project *project)
{
    if (value != NULL && !json_is_array(value))
        return fault(place, "\"code\" is not a list");
    return shw_project_unpack_texts(value, place->file, place->log, project);
}

static enum shw_result read_root(const json_t *root, struct place *place, struct shw_project *project)
{
    const json_t *format = json_object_get(root, "format"), *version = json_object_get(root, "version");
    const json_t *pictures = json_object_get(root, "pictures"), *shown = json_object_get(root, "shown");

    if (!json_is_string(format) || strcmp(json_string_value(format), SHW_PROJECT_FORMAT) != 0)
        return fault(place, "it is not a project: \"format\" is not \"shadewood-project\"");
    if (!json_is_integer(version) || json_integer_value(version) < 1)
        return fault(place, "\"version\" is not a positive integer");
    if (json_integer_value(version) > SHW_PROJECT_VERSION)
        return shw_fail(
            place->log, SHW_ERROR_VERSION, SHW_LOG_PROJECT,
            "%s has version %lld of the format, but this program supports up to %d: a newer program is needed",
            place->file, (long long)json_integer_value(version), SHW_PROJECT_VERSION);
    SHW_PROPAGATE(read_classes(json_object_get(root, "classes"), place, project));
    SHW_PROPAGATE(read_texts(json_object_get(root, "code"), place, project));
    SHW_PROPAGATE(read_training(json_object_get(root, "training"), place, project));
    SHW_PROPAGATE(read_choice(json_object_get(root, "reading"), place, project));
    SHW_PROPAGATE(read_inputs(json_object_get(root, "inputs"), place, project, UINT32_MAX));
    SHW_PROPAGATE(read_shown_planes(json_object_get(root, "shown_planes"), place, project));
    if (shown != NULL && !json_is_string(shown))
        SHW_PROPAGATE(fault(place, "\"shown\" is not a text"));
    SHW_PROPAGATE(shw_project_set_shown(project, json_string_value(shown)));
    if (!json_is_array(pictures))
        SHW_PROPAGATE(fault(place, "there is no list \"pictures\""));
    for (size_t i = 0; i < json_array_size(pictures); i++) {
        place->picture = (long)i;
        SHW_PROPAGATE(read_picture(json_array_get(pictures, i), place, project));
    }
    place->picture = -1;
    return read_objects(json_object_get(root, "objects"), place, project);
}

enum shw_result shw_project_decode(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                                   struct shw_project **project)
{
    struct place place = {name, log, -1, -1};
    struct shw_project *made = NULL;
    json_error_t error;
    const char *text = shw_skip_byte_order_mark(bytes, &size);
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    enum shw_result result;

    if (root == NULL)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_PROJECT, "%s is not JSON: line %d, column %d: %s", name,
                        error.line, error.column, error.text);
    result = shw_project_create(log, &made);
    if (result == SHW_OK)
        result = read_root(root, &place, made);
    json_decref(root);
    if (result == SHW_OK)
        *project = made;
    else
        shw_project_destroy(&made);
    return result;
}

enum shw_result shw_project_read(const char *path, const struct shw_log *log, struct shw_project **project)
{
    const char *slash = strrchr(path, '/');
    struct shw_project *made = NULL;
    struct shw_file_bytes bytes = {0};
    char *folder = NULL;
    enum shw_result result;

    SHW_TRY(shw_file_bytes_read(path, SHW_PROJECT_FILE_MAX, log, &bytes));
    SHW_TRY(shw_project_decode(bytes.bytes, bytes.size, path, log, &made));
    folder = slash != NULL ? strndup(path, (size_t)(slash - path) + 1) : strdup("");
    result = folder != NULL ? shw_project_set_folder(made, folder) : shw_fail_memory(log, path);
    if (result == SHW_OK)
        *project = made;
    else
        shw_project_destroy(&made);

fail:
    free(folder);
    shw_file_bytes_free(&bytes);
    return result;
}

/* These return NULL if memory is exhausted, and take ownership of what is appended. */
static json_t *append(json_t *list, json_t *item)
{
    if (list != NULL && json_array_append_new(list, item) == 0)
        return list;
    if (list == NULL)
        json_decref(item);
    json_decref(list);
    return NULL;
}

static json_t *pack_classes(const struct shw_project *project)
{
    json_t *list = json_array();

    for (uint32_t id = 0; id < project->class_count && list != NULL; id++) {
        const struct shw_project_class *shown = &project->classes[id].shown;

        if (project->classes[id].exists)
            list = append(list, json_pack("{s:s, s:[i,i,i], s:b}", "name", shown->name, "colour", shown->colour[0],
                                          shown->colour[1], shown->colour[2], "locked", (int)shown->locked));
    }
    return list;
}

static json_t *pack_points(const struct shw_stroke *stroke)
{
    json_t *list = json_array();

    for (uint32_t p = 0; p < stroke->point_count && list != NULL; p++)
        list = append(append(list, json_integer(stroke->points[p].x)), json_integer(stroke->points[p].y));
    return list;
}

static json_t *pack_runs(const struct shw_stroke *stroke)
{
    char *text = runs_write(stroke);
    json_t *packed = text != NULL ? json_string(text) : NULL;

    free(text);
    return packed;
}

static json_t *pack_locked(const struct shw_project *project, const struct shw_stroke *stroke)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < stroke->locked_count && list != NULL; i++) {
        uint16_t number = shw_project_class_number(project, stroke->locked[i]);

        if (number != SHW_LABEL_VOID)
            list = append(list, json_integer(number));
    }
    return list;
}

static json_t *pack_stroke(const struct shw_project *project, const struct shw_stroke *stroke)
{
    uint16_t number = shw_project_class_number(project, stroke->class_id);
    json_t *value = number != SHW_LABEL_VOID ? json_integer(number) : json_null();
    bool text = runs_are_text(stroke);
    json_t *locked = pack_locked(project, stroke), *points = text ? pack_runs(stroke) : pack_points(stroke);
    json_t *packed = json_pack("{s:o, s:i, s:o, s:o}", "class", value, "radius", (int)stroke->radius, "locked", locked,
                               text ? "runs" : "points", points);

    if (packed != NULL && stroke->area && json_object_set_new(packed, "area", json_true()) != 0) {
        json_decref(packed);
        return NULL;
    }
    return packed;
}

/* Adds a member for them, if there are any. False if memory is exhausted. */
static bool set_inputs(json_t *object, const struct shw_named_paths *inputs)
{
    json_t *packed = json_object();
    int bad = packed == NULL;

    for (uint32_t i = 0; i < inputs->count; i++)
        bad |= json_object_set_new(packed, inputs->list[i].name, json_string(inputs->list[i].path));
    if (json_object_size(packed) > 0)
        bad |= json_object_set(object, "inputs", packed);
    json_decref(packed);
    return bad == 0;
}

static json_t *pack_picture(const struct shw_project *project, const struct shw_picture_state *picture)
{
    json_t *list = json_array(), *packed;

    for (uint32_t s = 0; s < picture->stroke_count && list != NULL; s++)
        if (picture->strokes[s].class_id == SHW_STROKE_ERASER ||
            shw_project_class_number(project, picture->strokes[s].class_id) != SHW_LABEL_VOID)
            list = append(list, pack_stroke(project, &picture->strokes[s]));
    packed = json_pack("{s:s, s:I, s:I, s:o}", "name", picture->name, "width", (json_int_t)picture->width, "height",
                       (json_int_t)picture->height, "strokes", list);
    if (packed != NULL && ((picture->kept && json_object_set_new(packed, "test", json_true()) != 0) ||
                           !set_inputs(packed, &picture->inputs))) {
        json_decref(packed);
        return NULL;
    }
    return packed;
}

static json_t *pack_pictures(const struct shw_project *project)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < project->picture_count && list != NULL; i++)
        if (shw_picture_is_stored(&project->pictures[i]))
            list = append(list, pack_picture(project, &project->pictures[i]));
    return list;
}

static json_t *pack_training(const struct shw_project_training *training)
{
    json_t *packed = json_object();

    /* a seed has 64 bits, JSON integers only 53 */
    char seed[24];
    int bad = snprintf(seed, sizeof seed, "%llu", (unsigned long long)training->seed) < 0;

    if (training->channels[0] != '\0')
        bad |= json_object_set_new(packed, "channels", json_string(training->channels));
    if (training->tree_count > 0)
        bad |= json_object_set_new(packed, "trees", json_integer(training->tree_count));
    if (training->depth > 0)
        bad |= json_object_set_new(packed, "depth", json_integer(training->depth));
    if (training->candidates > 0)
        bad |= json_object_set_new(packed, "candidates", json_integer(training->candidates));
    if (training->offset > 0)
        bad |= json_object_set_new(packed, "offset", json_integer(training->offset));
    if (training->smooth > 0)
        bad |= json_object_set_new(packed, "smooth",
                                   json_integer(training->smooth == SHW_SMOOTHING_NONE ? 0 : training->smooth));
    if (training->levels > 0)
        bad |= json_object_set_new(packed, "levels", json_integer(training->levels));
    bad |= json_object_set_new(packed, "seed", json_string(seed));
    if (bad == 0)
        return packed;
    json_decref(packed);
    return NULL;
}

/* Whether training reads more than colours, or there are files for that, or it has several levels. */
static bool learns_more(const struct shw_project *project)
{
    bool any = project->inputs.count > 0 || project->training.levels > 1;

    for (uint32_t i = 0; i < SHW_PROJECT_INPUTS; i++)
        any = any || shw_project_reads(project, shw_project_input_names[i]);
    for (uint32_t i = 0; i < project->picture_count; i++)
        any = any || (shw_picture_is_stored(&project->pictures[i]) && project->pictures[i].inputs.count > 0);
    return any;
}

static bool has_runs(const struct shw_picture_state *picture)
{
    for (uint32_t s = 0; s < picture->stroke_count; s++)
        if (runs_are_text(&picture->strokes[s]))
            return true;
    return false;
}

/* Programs that know version 1 only would read images otherwise; those that know version 2 only would train on pictures
 * that are kept for testing; those that know version 3 only cannot read runs; those that know version 4 only neither
 * depth, previous frames and levels, nor what is taught of objects; those that know version 5 only know neither texts
 * nor planes. */
static int version_of(const struct shw_project *project, const json_t *objects)
{
    int version = shw_image_choice_is_default(&project->choice) ? 1 : 2;

    if (project->texts.count > 0 || shw_project_has_planes(project))
        return 6;
    if (learns_more(project))
        return 5;
    for (uint32_t i = 0; i < project->picture_count && version < 4; i++) {
        version = project->pictures[i].kept ? 3 : version;
        version = has_runs(&project->pictures[i]) ? 4 : version;
    }
    return objects != NULL ? 5 : version;
}

char *shw_project_encode(const struct shw_project *project)
{
    json_t *classes = pack_classes(project), *training = pack_training(&project->training),
           *pictures = pack_pictures(project);
    bool chosen = !shw_image_choice_is_default(&project->choice);
    json_t *objects = NULL, *code = NULL;
    int bad = shw_project_pack_objects(project, &objects) && shw_project_pack_texts(project, &code) ? 0 : 1;
    json_t *root = json_pack("{s:s, s:i, s:o, s:o}", "format", SHW_PROJECT_FORMAT, "version",
                             version_of(project, objects), "classes", classes, "training", training);
    json_t *shown = project->shown != NULL ? json_string(project->shown) : NULL; /* NULL, too, unless it is UTF-8 */
    char *text;

    bad |= root == NULL;
    if (code != NULL)
        bad |= json_object_set_new(root, "code", code);
    if (chosen)
        bad |= json_object_set_new(root, "reading", shw_image_choice_pack(&project->choice));
    bad |= root == NULL || !set_inputs(root, &project->inputs);
    if (project->shown_planes.count + project->shown_planes.range_count > 0)
        bad |= json_object_set_new(root, "shown_planes", shw_shown_planes_pack(&project->shown_planes));
    bad |= json_object_set_new(root, "pictures", pictures);
    if (objects != NULL)
        bad |= json_object_set_new(root, "objects", objects);
    if (shown != NULL)
        bad |= json_object_set(root, "shown", shown);
    text = bad == 0 ? json_dumps(root, 0) : NULL;

    json_decref(shown);
    json_decref(root);
    return text;
}

enum shw_result shw_project_write(const struct shw_project *project, const char *path)
{
    char *text = shw_project_encode(project);
    size_t size = text != NULL ? strlen(text) : 0;
    enum shw_result result;

    if (text == NULL)
        result = shw_fail_memory(&project->log, path);
    else if (size > SHW_PROJECT_FILE_MAX)
        result = shw_fail(&project->log, SHW_ERROR_LIMIT, SHW_LOG_PROJECT,
                          "cannot write %s: it would have %zu MiB, and projects of more than %u MiB are not read", path,
                          size >> 20, (unsigned)(SHW_PROJECT_FILE_MAX >> 20));
    else
        result = shw_atomic_file_write(path, text, size, &project->log);
    free(text);
    return result;
}
