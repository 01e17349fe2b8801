#include "files/tune/space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/train.h>

#include "base/options.h"
#include "files/tune/setting.h"

#define LIGHTEST 100.0 /* candidates, pixels */

/* Where a dimension is left out. */
enum { ALWAYS = 0, NOT_OF_STROKES = 1, WITH_DEPTH = 2 };

#define WITH_WIDE_CHANNELS                                                                                             \
    "gauss:1,gauss:2,gauss:4,log:1,log:2,log:4,dx:2,dy:2,dx:4,dy:4,log:8,abs-log:1,abs-log:2,abs-log:4,abs-dx:2,"      \
    "abs-dy:2,abs-dx:4,abs-dy:4,abs-log:8,position"

/* The defaults are those of `train`. The ranges are those of Table 5.1, except for the depth, of which 20 is the last
 * there, and for `single` and `offset-min`, which the thesis does not have. */
static const struct {
    const char *name;
    int when;
    uint32_t low, high, usual;
    bool logarithmic;
    const char *choices; /* separated by |, the first is the default */
} table[] = {
    {"channels", ALWAYS, 0, 0, 0, false, "winn16|winn17|wide|lab|rgb"},
    {"feature", WITH_DEPTH, 0, 0, 0, false, "mean-difference|depth-mean-difference"},
    {"fill", WITH_DEPTH, 0, 0, 0, false, "none|simple"},
    {"depth", ALWAYS, 5, 24, 12, false, NULL},
    {"candidates", ALWAYS, 10, 7500, 300, true, NULL},
    {"thresholds", ALWAYS, 0, 0, 0, false, "best|random"},
    {"bins", ALWAYS, 10, 60, 32, false, NULL},
    {"score", ALWAYS, 0, 0, 0, false, "information-gain|gini|normalised-gain"},
    {"offset", ALWAYS, 1, 127, 95, true, NULL},
    {"offset-min", NOT_OF_STROKES, 0, 0, 0, false, "0|1"},
    {"size", ALWAYS, 1, 127, 31, true, NULL},
    {"single", ALWAYS, 0, 50, 0, false, NULL},
    {"pixels", NOT_OF_STROKES, 10, 7500, 1000, true, NULL},
    {"sampling", NOT_OF_STROKES, 0, 0, 0, false, "uniform|balanced|class-uniform"},
    {"min-samples", ALWAYS, 1, 1000, 8, true, NULL},
    {"weights", NOT_OF_STROKES, 0, 0, 0, false, "none|inverse-root|inverse"},
    {"prior", NOT_OF_STROKES, 0, 0, 0, false, "samples|data"},
    {"flip", ALWAYS, 0, 0, 0, false, "none|images|paired"},
};

#define TABLE_COUNT (sizeof table / sizeof *table)

/* Adds choices separated by |. False if there are too many, or one is empty or too long. */
static bool add_choices(struct shw_space_dimension *dimension, const char *text)
{
    while (*text != '\0') {
        const size_t length = strcspn(text, "|");
        char *choice = dimension->choices[dimension->range.choices];

        if (length == 0 || length >= SHW_SPACE_TEXT_SIZE || dimension->range.choices == SHW_SPACE_CHOICES_MAX)
            return false;
        memcpy(choice, text, length);
        choice[length] = '\0';
        dimension->range.choices++;
        text += length + (text[length] == '|');
    }
    return dimension->range.choices > 0;
}

void shw_space_make(bool of_strokes, bool has_depth, bool has_height, struct shw_space *space)
{
    *space = (struct shw_space){.of_strokes = of_strokes};
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        struct shw_space_dimension *dimension = &space->dimensions[space->count];

        if ((table[i].when == NOT_OF_STROKES && of_strokes) || (table[i].when == WITH_DEPTH && !has_depth))
            continue;
        *dimension = (struct shw_space_dimension){
            table[i].name, {table[i].low, table[i].high, table[i].logarithmic, true, 0}, {{0}}, false};
        if (table[i].choices != NULL)
            add_choices(dimension, table[i].choices);
        if (i == 0 && has_depth)
            add_choices(dimension, "depth,lab|depth," WITH_WIDE_CHANNELS);
        if (i == 0 && has_height)
            add_choices(dimension, "height,lab");
        if (i == 0 && has_depth && has_height)
            add_choices(dimension, "depth,height,lab");
        space->count++;
    }
}

static struct shw_space_dimension *find(struct shw_space *space, const char *name, size_t length)
{
    for (uint32_t d = 0; d < space->count; d++)
        if (strlen(space->dimensions[d].name) == length && memcmp(space->dimensions[d].name, name, length) == 0)
            return &space->dimensions[d];
    return NULL;
}

/* The JSON of a choice: a number where it is one. */
static json_t *choice_value(const char *choice)
{
    uint64_t number;

    return shw_parse_number(choice, 0, UINT32_MAX, &number) ? json_integer((json_int_t)number) : json_string(choice);
}

/* Whether the setting takes all choices, or both ends of the range. */
static bool is_taken(const struct shw_space *space, const struct shw_space_dimension *dimension,
                     char why[SHW_SETTING_WHY_SIZE])
{
    struct shw_trainer_params params = {.kinds = space->kinds, .feature = space->feature};
    const uint32_t count = dimension->range.choices;
    bool taken = true;

    for (uint32_t c = 0; c < (count > 0 ? count : 2) && taken; c++) {
        json_t *value = count > 0 ? choice_value(dimension->choices[c])
                                  : json_integer((json_int_t)(c == 0 ? dimension->range.low : dimension->range.high));
        taken = value != NULL && shw_setting_take(dimension->name, value, &params, why);
        json_decref(value);
    }
    return taken;
}

static bool change_range(struct shw_space_dimension *dimension, const char *text)
{
    const char *colon = strchr(text, ':');
    char low[16];
    uint64_t numbers[2];

    if (colon == NULL || (size_t)(colon - text) >= sizeof low)
        return false;
    snprintf(low, sizeof low, "%.*s", (int)(colon - text), text);
    if (!shw_parse_number(low, 0, UINT32_MAX, &numbers[0]) ||
        !shw_parse_number(colon + 1, numbers[0] + 1, UINT32_MAX, &numbers[1]))
        return false;
    dimension->range.low = (double)numbers[0];
    dimension->range.high = (double)numbers[1];
    dimension->range.logarithmic = dimension->range.logarithmic && numbers[0] > 0;
    dimension->range.choices = 0;
    return true;
}

bool shw_space_change(struct shw_space *space, const char *text, char *why, size_t size)
{
    const char *equals = strchr(text, '=');
    struct shw_space_dimension *dimension = equals != NULL ? find(space, text, (size_t)(equals - text)) : NULL;
    const bool has_range = dimension != NULL && dimension->range.choices == 0;
    char reason[SHW_SETTING_WHY_SIZE] = "";

    if (equals == NULL) {
        snprintf(why, size, "write NAME=LOW:HIGH, NAME=VALUE or NAME=VALUE|VALUE");
        return false;
    }
    if (dimension == NULL) {
        size_t used = (size_t)snprintf(why, size, "it is none of the settings that are searched:");
        for (uint32_t d = 0; d < space->count && used < size; d++)
            used += (size_t)snprintf(why + used, size - used, "%s %s", d > 0 ? "," : "", space->dimensions[d].name);
        return false;
    }
    if (!(has_range && change_range(dimension, equals + 1))) {
        dimension->range.choices = 0;
        if (!add_choices(dimension, equals + 1)) {
            snprintf(why, size, "it takes 1 to %u values, separated by |%s", SHW_SPACE_CHOICES_MAX,
                     has_range ? ", or LOW:HIGH with LOW below HIGH" : "");
            return false;
        }
    }
    dimension->is_given = true;
    if (is_taken(space, dimension, reason))
        return true;
    snprintf(why, size, "%s", reason);
    return false;
}

static json_t *value_of(const struct shw_space_dimension *dimension, double value)
{
    return dimension->range.choices > 0 ? choice_value(dimension->choices[(uint32_t)value])
                                        : json_integer((json_int_t)value);
}

/* Sets what has no effect, or cannot be, with other members. */
static void settle(json_t *setting)
{
    const char *channels = json_string_value(json_object_get(setting, "channels"));
    const json_int_t offset = json_integer_value(json_object_get(setting, "offset"));
    const json_int_t size = json_integer_value(json_object_get(setting, "size"));

    if (json_object_get(setting, "feature") != NULL && !shw_channels_begin_with_depth(channels)) {
        json_object_set_new(setting, "feature", json_string("mean-difference"));
        json_object_set_new(setting, "fill", json_string("none"));
    }
    if (offset > 0 && size > 2 * offset + 1)
        json_object_set_new(setting, "size", json_integer(2 * offset + 1));
}

json_t *shw_space_setting(const struct shw_space *space, const double *values)
{
    json_t *setting = json_object();

    for (uint32_t d = 0; d < space->count && setting != NULL; d++)
        if (json_object_set_new(setting, space->dimensions[d].name, value_of(&space->dimensions[d], values[d])) != 0) {
            json_decref(setting);
            setting = NULL;
        }
    if (setting != NULL)
        settle(setting);
    return setting;
}

/* The trainer's default of a dimension; NULL if memory is exhausted. */
static json_t *usual_value(const char *name)
{
    for (size_t i = 0; i < TABLE_COUNT; i++)
        if (strcmp(table[i].name, name) == 0) {
            char first[SHW_SPACE_TEXT_SIZE];
            if (table[i].choices == NULL)
                return json_integer(table[i].usual);
            snprintf(first, sizeof first, "%.*s", (int)strcspn(table[i].choices, "|"), table[i].choices);
            return choice_value(first);
        }
    return NULL;
}

static bool place_of(const struct shw_space_dimension *dimension, const json_t *value, double *place)
{
    if (dimension->range.choices == 0) {
        *place = fmin(fmax((double)json_integer_value(value), dimension->range.low), dimension->range.high);
        return json_is_integer(value);
    }
    for (uint32_t c = 0; c < dimension->range.choices; c++) {
        json_t *choice = choice_value(dimension->choices[c]);
        const bool equal = json_equal(choice, value);

        json_decref(choice);
        *place = c;
        if (equal)
            return true;
    }
    *place = 0;
    return false;
}

bool shw_space_point(const struct shw_space *space, const json_t *setting, double *values)
{
    bool inside = true;

    for (uint32_t d = 0; d < space->count; d++) {
        json_t *value = json_incref(json_object_get(setting, space->dimensions[d].name));

        if (value == NULL)
            value = usual_value(space->dimensions[d].name);
        inside = place_of(&space->dimensions[d], value, &values[d]) && inside;
        json_decref(value);
    }
    return inside;
}

static void add_choice(struct shw_space_dimension *dimension, const json_t *value)
{
    const char *text = json_string_value(value);
    double place;

    if (text != NULL && !place_of(dimension, value, &place) && strchr(text, '|') == NULL &&
        strlen(text) < SHW_SPACE_TEXT_SIZE)
        add_choices(dimension, text);
}

void shw_space_widen(struct shw_space *space, const json_t *setting)
{
    for (uint32_t d = 0; d < space->count; d++) {
        struct shw_space_dimension *dimension = &space->dimensions[d];
        const json_t *value = json_object_get(setting, dimension->name);

        if (dimension->is_given || value == NULL)
            continue;
        if (dimension->range.choices > 0)
            add_choice(dimension, value);
        else {
            dimension->range.low = fmin(dimension->range.low, json_number_value(value));
            dimension->range.high = fmax(dimension->range.high, json_number_value(value));
        }
    }
}

static bool lighten(const struct shw_space *space, json_t *setting, const char *name, double work)
{
    const json_t *value = json_object_get(setting, name);
    double values[SHW_DIMENSIONS_MAX], ratio;

    (void)shw_space_point(space, setting, values);
    ratio = work / shw_space_work(space, values);
    return !json_is_integer(value) || ratio >= 1 || json_number_value(value) <= LIGHTEST ||
           json_object_set_new(setting, name,
                               json_integer((json_int_t)fmax(json_number_value(value) * ratio, LIGHTEST))) == 0;
}

bool shw_space_lighten(const struct shw_space *space, json_t *setting, double work)
{
    return lighten(space, setting, "candidates", work) && lighten(space, setting, "pixels", work);
}

json_t *shw_space_nearest(const struct shw_space *space, const json_t *setting)
{
    double values[SHW_DIMENSIONS_MAX];
    json_t *nearest, *copy = json_copy((json_t *)(uintptr_t)setting);

    (void)shw_space_point(space, setting, values);
    nearest = shw_space_setting(space, values);
    if (nearest == NULL || copy == NULL || json_object_update(copy, nearest) != 0) {
        json_decref(copy);
        copy = NULL;
    }
    json_decref(nearest);
    return copy;
}

double shw_space_work(const struct shw_space *space, const double *values)
{
    double work = 1;

    for (uint32_t d = 0; d < space->count; d++) {
        const struct shw_space_dimension *dimension = &space->dimensions[d];
        const bool counts = strcmp(dimension->name, "candidates") == 0 || strcmp(dimension->name, "pixels") == 0 ||
                            strcmp(dimension->name, "depth") == 0;
        json_t *value = value_of(dimension, values[d]), *usual = usual_value(dimension->name);

        if (counts && json_is_integer(value))
            work *= json_number_value(value) / json_number_value(usual);
        else if (strcmp(dimension->name, "flip") == 0 && !json_equal(value, usual))
            work *= 2;
        json_decref(value);
        json_decref(usual);
    }
    return work;
}
