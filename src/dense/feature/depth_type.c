#include "dense/feature/depth_type.h"

#include <stdio.h>

bool shw_depth_type_check_list(const struct shw_channel_list *channels, char why[SHW_WHY_SIZE])
{
    enum shw_channel_content content = channels->channels[0].content;

    if (content == SHW_CONTENT_DEPTH || content == SHW_CONTENT_DISTANCE)
        return true;
    snprintf(why, SHW_WHY_SIZE,
             "its features are divided by the depth at the pixel, so the channels must begin with depth or, for images "
             "without, constant-depth:1000; they are %.80s",
             channels->name);
    return false;
}

bool shw_depth_type_has_content(const struct shw_channel_list *channels, uint32_t contents, char why[SHW_WHY_SIZE])
{
    for (uint32_t c = 0; c < channels->channel_count; c++)
        if ((contents >> channels->channels[c].content & 1) != 0)
            return true;
    snprintf(why, SHW_WHY_SIZE, "%.80s has no channel to compare", channels->name);
    return false;
}

bool shw_depth_type_check_channel(const struct shw_feature *feature, uint32_t side,
                                  const struct shw_channel_list *channels, char why[SHW_WHY_SIZE])
{
    uint32_t channel = shw_node_channel(feature->words[0], side);
    uint32_t is_counted = shw_node_is_counted(feature->words[0], side);
    bool has_count =
        channel + 1 < channels->channel_count && channels->channels[channel + 1].content == SHW_CONTENT_COUNT;

    if (channel >= channels->channel_count) {
        snprintf(why, SHW_WHY_SIZE, "channel %u, but %.80s has only %u", channel, channels->name,
                 channels->channel_count);
        return false;
    }
    if (is_counted != has_count) {
        snprintf(why, SHW_WHY_SIZE, "region %u is%s a mean over counted pixels, but channel %u, %s, has %s count", side,
                 is_counted ? "" : " not", channel, channels->channels[channel].name, has_count ? "a" : "no");
        return false;
    }
    return true;
}

uint64_t shw_depth_type_greatest(const struct shw_feature *feature, const struct shw_channel_list *channels)
{
    uint64_t greatest = 0;

    for (uint32_t side = 0; side < shw_depth_type_sides(feature); side++) {
        uint64_t most = channels->channels[shw_node_channel(feature->words[0], side)].max_abs;
        greatest = most > greatest ? most : greatest;
    }
    return greatest;
}

struct shw_reach shw_depth_type_reach(const struct shw_feature *feature)
{
    (void)feature;
    return (struct shw_reach){-SHW_REACH_ALL, -SHW_REACH_ALL, SHW_REACH_ALL, SHW_REACH_ALL};
}

static int16_t narrow(int32_t value)
{
    return (int16_t)shw_clamp(value, INT16_MIN, INT16_MAX);
}

struct shw_rectangle shw_depth_type_rectangle(int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
    struct shw_rectangle rectangle = {narrow(x0), narrow(y0), narrow(x1), narrow(y1)};

    if (rectangle.x0 == rectangle.x1) /* clamped on the same side */
        rectangle.x0 = (int16_t)(x0 > 0 ? INT16_MAX - 1 : INT16_MIN), rectangle.x1 = (int16_t)(rectangle.x0 + 1);
    if (rectangle.y0 == rectangle.y1)
        rectangle.y0 = (int16_t)(y0 > 0 ? INT16_MAX - 1 : INT16_MIN), rectangle.y1 = (int16_t)(rectangle.y0 + 1);
    return rectangle;
}
