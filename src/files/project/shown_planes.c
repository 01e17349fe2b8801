#include "files/project/shown_planes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dense/channels/channels.h"

bool shw_shown_range_is_valid(float low, float high)
{
    return isfinite(low) && isfinite(high) && low < high;
}

static uint32_t place_of(const struct shw_shown_planes *shown, const char *name)
{
    uint32_t place = 0;

    while (place < shown->range_count && strcmp(shown->ranges[place].name, name) < 0)
        place++;
    return place;
}

const struct shw_shown_range *shw_shown_planes_range(const struct shw_shown_planes *shown, const char *name)
{
    const uint32_t place = place_of(shown, name);

    return place < shown->range_count && strcmp(shown->ranges[place].name, name) == 0 ? &shown->ranges[place] : NULL;
}

bool shw_shown_planes_set_range(struct shw_shown_planes *shown, const char *name, const float range[2])
{
    const uint32_t place = place_of(shown, name);
    struct shw_shown_range *at = &shown->ranges[place];
    const bool found = shw_shown_planes_range(shown, name) != NULL;

    if (range == NULL) {
        if (found) {
            memmove(at, at + 1, (--shown->range_count - place) * sizeof *at);
            memset(&shown->ranges[shown->range_count], 0, sizeof *at);
        }
        return true;
    }
    if (!found) {
        if (shown->range_count == SHW_SHOWN_RANGES_MAX)
            return false;
        memmove(at + 1, at, (shown->range_count++ - place) * sizeof *at);
        *at = (struct shw_shown_range){.low = 0};
        snprintf(at->name, sizeof at->name, "%s", name);
    }
    at->low = range[0];
    at->high = range[1];
    return true;
}

json_t *shw_shown_planes_pack(const struct shw_shown_planes *shown)
{
    json_t *planes = json_array(), *ranges = json_object();
    int bad = 0;

    for (uint32_t i = 0; i < shown->count; i++)
        bad |= json_array_append_new(planes, json_string(shown->names[i]));
    for (uint32_t i = 0; i < shown->range_count; i++)
        bad |= json_object_set_new(ranges, shown->ranges[i].name,
                                   json_pack("[f, f]", (double)shown->ranges[i].low, (double)shown->ranges[i].high));
    if (bad == 0)
        return json_pack("{s:o, s:o}", "planes", planes, "ranges", ranges);
    json_decref(planes);
    json_decref(ranges);
    return NULL;
}

static const char *unpack_ranges(const json_t *packed, struct shw_shown_planes *shown)
{
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)packed, name, value)
    {
        const json_t *low = json_array_get(value, 0), *high = json_array_get(value, 1);
        const float range[2] = {(float)json_number_value(low), (float)json_number_value(high)};

        if (!shw_plane_name_is_valid(name) || json_array_size(value) != 2 || !json_is_number(low) ||
            !json_is_number(high) || !shw_shown_range_is_valid(range[0], range[1]))
            return "\"ranges\" has a member that is not the name of a plane with two numbers, the second above the "
                   "first";
        if (!shw_shown_planes_set_range(shown, name, range))
            return "\"ranges\" has more than 64 members";
    }
    return NULL;
}

const char *shw_shown_planes_unpack(const json_t *packed, struct shw_shown_planes *shown)
{
    const json_t *planes = json_object_get(packed, "planes"), *ranges = json_object_get(packed, "ranges");
    const size_t count = json_array_size(planes);

    *shown = (struct shw_shown_planes){.count = 0};
    if (packed == NULL)
        return NULL;
    if (!json_is_object(packed))
        return "it is not an object";
    if ((planes != NULL && !json_is_array(planes)) || (count != 0 && count != 1 && count != 3))
        return "\"planes\" is not a list of no, one or three planes";
    for (size_t i = 0; i < count; i++) {
        const char *name = json_string_value(json_array_get(planes, i));

        if (!shw_plane_name_is_valid(name))
            return "\"planes\" has something else than the name of a plane";
        snprintf(shown->names[i], sizeof shown->names[i], "%s", name);
    }
    shown->count = (uint32_t)count;
    if (ranges != NULL && !json_is_object(ranges))
        return "\"ranges\" is not an object";
    return unpack_ranges(ranges, shown);
}
