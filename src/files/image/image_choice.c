#include "files/image/image_choice.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/log.h"

#define RANGE_KEY    "intensity_range"
#define CHANNELS_KEY "image_channels"

/* So that differences, and 131070 times them, are finite. */
#define VALUE_MAX 1e300

bool shw_intensity_range_is_set(const struct shw_intensity_range *range)
{
    return range->low != 0.0 || range->high != 0.0;
}

uint16_t shw_intensity_range_map(const struct shw_intensity_range *range, double value)
{
    double span = range->high - range->low;

    if (!(value > range->low))
        return 0;
    if (value >= range->high)
        return UINT16_MAX;
    return (uint16_t)floor((131070.0 * (value - range->low) + span) / (2.0 * span));
}

const char *shw_image_channels_fault(const struct shw_image_channels *channels)
{
    bool black = true;

    if (channels->count == 0)
        return NULL;
    if (channels->count != 1 && channels->count != 3)
        return "are neither one, for grey, nor three, for red, green and blue";
    for (uint32_t c = 0; c < channels->count; c++) {
        black = black && channels->numbers[c] == 0;
        if (channels->numbers[c] > UINT16_MAX)
            return "have numbers above 65535";
    }
    return black ? "have no number above 0" : NULL;
}

const char *shw_intensity_range_fault(const struct shw_intensity_range *range)
{
    if (!shw_intensity_range_is_set(range))
        return NULL;
    if (!(fabs(range->low) <= VALUE_MAX) || !(fabs(range->high) <= VALUE_MAX))
        return "has an end that is not a number, or one beyond 1e300";
    if (!(range->high > range->low))
        return "does not end above its start";
    return NULL;
}

enum shw_result shw_image_choice_check(const struct shw_image_choice *choice, const struct shw_log *log)
{
    const char *channels = shw_image_channels_fault(&choice->channels);
    const char *range = shw_intensity_range_fault(&choice->range);

    if (channels != NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the channels %s", channels);
    if (range != NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the range from %g to %g %s", choice->range.low,
                        choice->range.high, range);
    return SHW_OK;
}

bool shw_image_choice_is_default(const struct shw_image_choice *choice)
{
    return choice->channels.count == 0 && !shw_intensity_range_is_set(&choice->range);
}

bool shw_image_choice_equal(const struct shw_image_choice *a, const struct shw_image_choice *b)
{
    return a->channels.count == b->channels.count &&
           memcmp(a->channels.numbers, b->channels.numbers, a->channels.count * sizeof *a->channels.numbers) == 0 &&
           a->range.low == b->range.low && a->range.high == b->range.high;
}

/* Whole numbers are written as such. */
static json_t *pack_number(double value)
{
    return value == floor(value) && fabs(value) < 1e15 ? json_integer((json_int_t)value) : json_real(value);
}

json_t *shw_image_choice_pack(const struct shw_image_choice *choice)
{
    const struct shw_image_channels *channels = &choice->channels;
    json_t *object = json_object(), *list;
    int bad = object == NULL;

    if (shw_intensity_range_is_set(&choice->range))
        bad |= json_object_set_new(
            object, RANGE_KEY, json_pack("[o, o]", pack_number(choice->range.low), pack_number(choice->range.high)));
    if (channels->count > 0) {
        list = json_array();
        bad |= json_object_set_new(object, CHANNELS_KEY, list);
        for (uint32_t c = 0; c < channels->count && bad == 0; c++)
            bad |= json_array_append_new(list, json_integer(channels->numbers[c]));
    }
    if (bad == 0)
        return object;
    json_decref(object);
    return NULL;
}

static const char *unpack_range(const json_t *list, struct shw_intensity_range *range)
{
    const json_t *low = json_array_get(list, 0), *high = json_array_get(list, 1);
    struct shw_intensity_range read = {json_number_value(low), json_number_value(high)};

    if (!json_is_array(list) || json_array_size(list) != 2 || !json_is_number(low) || !json_is_number(high))
        return "\"" RANGE_KEY "\" is not a list of two numbers";
    if (!shw_intensity_range_is_set(&read) || shw_intensity_range_fault(&read) != NULL)
        return "\"" RANGE_KEY "\" does not end above its start";
    *range = read;
    return NULL;
}

static const char *unpack_channels(const json_t *list, struct shw_image_channels *channels)
{
    struct shw_image_channels read = {(uint32_t)json_array_size(list), {0}};

    if (!json_is_array(list) || (read.count != 1 && read.count != 3))
        return "\"" CHANNELS_KEY "\" is not a list of one or three numbers";
    for (uint32_t c = 0; c < read.count; c++) {
        const json_t *number = json_array_get(list, c);
        if (!json_is_integer(number) || json_integer_value(number) < 0 || json_integer_value(number) > UINT16_MAX)
            return "\"" CHANNELS_KEY "\" has something other than whole numbers from 0 to 65535";
        read.numbers[c] = (uint32_t)json_integer_value(number);
    }
    if (shw_image_channels_fault(&read) != NULL)
        return "\"" CHANNELS_KEY "\" has no number above 0";
    *channels = read;
    return NULL;
}

const char *shw_image_choice_unpack(const json_t *object, struct shw_image_choice *choice)
{
    const json_t *range = json_object_get(object, RANGE_KEY), *channels = json_object_get(object, CHANNELS_KEY);
    struct shw_image_choice read = {0};
    const char *wrong = range != NULL ? unpack_range(range, &read.range) : NULL;

    if (wrong == NULL && channels != NULL)
        wrong = unpack_channels(channels, &read.channels);
    if (wrong == NULL)
        *choice = read;
    return wrong;
}

char *shw_image_choice_format(const struct shw_image_choice *choice, bool *fine)
{
    json_t *object;
    char *text;

    *fine = true;
    if (shw_image_choice_is_default(choice))
        return NULL;
    object = shw_image_choice_pack(choice);
    text = object != NULL ? json_dumps(object, 0) : NULL;
    json_decref(object);
    *fine = text != NULL;
    return text;
}

void shw_image_choice_recall(const struct shw_forest_info *info, struct shw_image_choice *choice)
{
    json_t *record = json_loads(info->training, 0, NULL);
    struct shw_image_choice recorded = {0};

    (void)shw_image_choice_unpack(record, &recorded);
    json_decref(record);
    if (choice->channels.count == 0)
        choice->channels = recorded.channels;
    if (!shw_intensity_range_is_set(&choice->range))
        choice->range = recorded.range;
}
