#include "dense/feature/rectangle_difference.h"

#include <stdio.h>

static uint32_t pair(int16_t low, int16_t high)
{
    return (uint32_t)(uint16_t)low | (uint32_t)(uint16_t)high << 16;
}

struct shw_feature shw_rectangle_difference_pack(const struct shw_rectangle_difference *difference)
{
    if (difference == NULL)
        return (struct shw_feature){{0}};

    const struct shw_rectangle *rectangles = difference->rectangle;
    struct shw_feature feature = {{(uint32_t)difference->channel[0] |
                                   (uint32_t)difference->channel[1] << SHW_NODE_CHANNEL_BITS |
                                   (uint32_t)!difference->single << SHW_NODE_SECOND_SHIFT}};

    for (int i = 0; i < 2; i++) {
        feature.words[1 + 2 * i] = pair(rectangles[i].x0, rectangles[i].y0);
        feature.words[2 + 2 * i] = pair(rectangles[i].x1, rectangles[i].y1);
    }
    return feature;
}

struct shw_rectangle_difference shw_rectangle_difference_unpack(const struct shw_feature *feature)
{
    if (feature == NULL)
        return (struct shw_rectangle_difference){.single = true};

    const uint32_t *words = feature->words;
    struct shw_rectangle_difference difference = {.single = (words[0] >> SHW_NODE_SECOND_SHIFT & 1) == 0};

    for (uint32_t i = 0; i < 2; i++) {
        uint32_t low = words[1 + 2 * i], high = words[2 + 2 * i];
        difference.channel[i] = (uint16_t)shw_node_channel(words[0], i);
        difference.rectangle[i] = (struct shw_rectangle){(int16_t)shw_low16(low), (int16_t)shw_high16(low),
                                                         (int16_t)shw_low16(high), (int16_t)shw_high16(high)};
    }
    return difference;
}

bool shw_rectangle_difference_check(const struct shw_feature *feature, const struct shw_channel_list *channels,
                                    char why[SHW_WHY_SIZE])
{
    struct shw_rectangle_difference difference = shw_rectangle_difference_unpack(feature);

    if (feature->words[0] >> (SHW_NODE_SECOND_SHIFT + 1) != 0) {
        snprintf(why, SHW_WHY_SIZE, "unknown flags in 0x%08x", feature->words[0]);
        return false;
    }
    for (int i = 0; i < 2; i++) {
        struct shw_rectangle rect = difference.rectangle[i];
        if (rect.x0 >= rect.x1 || rect.y0 >= rect.y1) {
            snprintf(why, SHW_WHY_SIZE, "rectangle %d is empty: x %d to %d, y %d to %d", i, rect.x0, rect.x1, rect.y0,
                     rect.y1);
            return false;
        }
        if (difference.channel[i] >= channels->channel_count) {
            snprintf(why, SHW_WHY_SIZE, "channel %u, but %.80s has only %u", difference.channel[i], channels->name,
                     channels->channel_count);
            return false;
        }
    }
    return true;
}

uint64_t shw_rectangle_difference_bound(const struct shw_feature *feature, const struct shw_channel_list *channels)
{
    struct shw_rectangle_difference difference = shw_rectangle_difference_unpack(feature);
    uint64_t bound = 0;

    for (int i = 0; i < (difference.single ? 1 : 2); i++) {
        struct shw_rectangle rect = difference.rectangle[i];
        uint64_t sum = (uint64_t)(rect.x1 - rect.x0) * (uint64_t)(rect.y1 - rect.y0) *
                       channels->channels[difference.channel[i]].max_abs;
        bound = sum > bound ? sum : bound;
    }
    return bound;
}

/* Responses of a single side read the second one, too, whose value they mask. */
struct shw_reach shw_rectangle_difference_reach(const struct shw_feature *feature)
{
    struct shw_rectangle_difference difference = shw_rectangle_difference_unpack(feature);
    struct shw_reach reach = {0};

    for (int i = 0; i < 2; i++) {
        struct shw_rectangle rect = difference.rectangle[i];
        reach = (struct shw_reach){shw_min(reach.x0, rect.x0), shw_min(reach.y0, rect.y0), shw_max(reach.x1, rect.x1),
                                   shw_max(reach.y1, rect.y1)};
    }
    return reach;
}

uint32_t shw_rectangle_difference_regions(const struct shw_feature *feature,
                                          struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX])
{
    struct shw_rectangle_difference difference = shw_rectangle_difference_unpack(feature);
    uint32_t count = difference.single ? 1 : 2;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t low = feature->words[1 + 2 * i], high = feature->words[2 + 2 * i];
        regions[i] = (struct shw_feature_region){.channel = difference.channel[i],
                                                 .rectangle = difference.rectangle[i],
                                                 .subtracted = i == 1,
                                                 .alone = {{difference.channel[i], low, high, low, high}}};
    }
    return count;
}
