#include <stdio.h>

#include "dense/feature/feature_types.h"
#include "shared/centre.h"
#include "shared/curfil_region.h"
#include "shared/depth_region.h"

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

/* Whether the list, which shw_depth_type_check_list() accepts, has a channel with one of these contents, of bits
 * 1 << enum shw_channel_content, for candidates to compare; if not, writes the reason. */
static bool has_content(const struct shw_channel_list *channels, uint32_t contents, char why[SHW_WHY_SIZE])
{
    for (uint32_t c = 0; c < channels->channel_count; c++)
        if ((contents >> channels->channels[c].content & 1) != 0)
            return true;
    snprintf(why, SHW_WHY_SIZE, "%.80s has no channel to compare", channels->name);
    return false;
}

/* Whether the channel of region `side` is in the list, and the region is a mean over counted pixels if and only if that
 * channel has a count. */
static bool check_channel(const struct shw_feature *feature, uint32_t side, const struct shw_channel_list *channels,
                          char why[SHW_WHY_SIZE])
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

/* The greatest magnitude of the channels of the regions that count. */
static uint64_t greatest(const struct shw_feature *feature, const struct shw_channel_list *channels)
{
    uint64_t greatest = 0;

    for (uint32_t side = 0; side < shw_depth_type_sides(feature); side++) {
        uint64_t most = channels->channels[shw_node_channel(feature->words[0], side)].max_abs;
        greatest = most > greatest ? most : greatest;
    }
    return greatest;
}

/* The whole image: at small depths, any pixel is read. */
static struct shw_reach get_reach(const struct shw_feature *feature)
{
    (void)feature;
    return (struct shw_reach){-SHW_REACH_ALL, -SHW_REACH_ALL, SHW_REACH_ALL, SHW_REACH_ALL};
}

static int16_t narrow(int32_t value)
{
    return (int16_t)shw_clamp(value, INT16_MIN, INT16_MAX);
}

/* Rectangles for display: 16-bit coordinates, at least one pixel. */
static struct shw_rectangle make_rectangle(int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
    struct shw_rectangle rectangle = {narrow(x0), narrow(y0), narrow(x1), narrow(y1)};

    if (rectangle.x0 == rectangle.x1) /* clamped on the same side */
        rectangle.x0 = (int16_t)(x0 > 0 ? INT16_MAX - 1 : INT16_MIN), rectangle.x1 = (int16_t)(rectangle.x0 + 1);
    if (rectangle.y0 == rectangle.y1)
        rectangle.y0 = (int16_t)(y0 > 0 ? INT16_MAX - 1 : INT16_MIN), rectangle.y1 = (int16_t)(rectangle.y0 + 1);
    return rectangle;
}

/* Region `side` of a feature, which covers `rect`; alone it is a feature with these flags. */
static struct shw_feature_region make_region(const struct shw_feature *feature, uint32_t side, uint32_t flags,
                                             struct shw_rect rect)
{
    uint32_t channel = shw_node_channel(feature->words[0], side);
    uint32_t offset = feature->words[1 + 2 * side], size = feature->words[2 + 2 * side];

    flags |= shw_node_is_counted(feature->words[0], side) * (3u << SHW_NODE_COUNTED_SHIFT);
    return (struct shw_feature_region){
        .channel = channel,
        .rectangle = make_rectangle(rect.x0, rect.y0, rect.x1, rect.y1),
        .subtracted = side == 1,
        .alone = {{channel | channel << SHW_NODE_CHANNEL_BITS | flags, offset, size, offset, size}}};
}

/* A type whose functions begin with `prefix`. */
#define DEPTH_TYPE(prefix, name_, label_, reads_, ...)                                                                 \
    {                                                                                                                  \
        .version = SHW_FEATURE_TYPE_VERSION, .name = name_, .label = label_, .reads = SHW_FEATURE_READS_##reads_,      \
        .reads_depth = true, .check = prefix##_check, .can_draw = prefix##_can_draw, .get_bound = prefix##_get_bound,  \
        .get_reach = get_reach, .get_regions = prefix##_get_regions, __VA_ARGS__                                       \
    }

/* The types that compare the depths at two positions, with offsets divided by the depth at the pixel. */

extern const struct shw_feature_code shw_feature_code_depth_pixel_difference, shw_feature_code_kinect_difference;

static bool pixels_check(const struct shw_feature *feature, const struct shw_channel_list *channels,
                         char why[SHW_WHY_SIZE])
{
    uint32_t unknown = feature->words[0] & ~(1u << SHW_NODE_SECOND_SHIFT);

    if (!shw_depth_type_check_list(channels, why))
        return false;
    if (unknown == 0 && feature->words[2] == 0 && feature->words[4] == 0)
        return true;
    snprintf(why, SHW_WHY_SIZE, "0x%08x, 0x%08x and 0x%08x must be zero but for bit %u of the first", feature->words[0],
             feature->words[2], feature->words[4], SHW_NODE_SECOND_SHIFT);
    return false;
}

/* Depths are those of channel 0; a constant one always differs by 0. */
static bool pixels_can_draw(const struct shw_channel_list *channels, const struct shw_draw_limits *limits,
                            char why[SHW_WHY_SIZE])
{
    (void)limits;
    if (channels->channels[0].content == SHW_CONTENT_DEPTH)
        return true;
    snprintf(why, SHW_WHY_SIZE, "it compares depths alone, so the channels must begin with depth; they are %.80s",
             channels->name);
    return false;
}

static uint64_t pixels_get_bound(const struct shw_feature *feature, const struct shw_channel_list *channels)
{
    (void)feature;
    return channels->channels[0].max_abs;
}

static uint32_t list_regions(const struct shw_feature *feature, uint32_t depth,
                             int32_t (*divide)(struct shw_centre centre, int32_t offset),
                             struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX])
{
    struct shw_centre centre = shw_centre_with_depth(0, 0, depth);

    for (uint32_t i = 0; i < shw_depth_type_sides(feature); i++) {
        uint32_t offset = feature->words[1 + 2 * i];
        int32_t x = divide(centre, shw_low16(offset)), y = divide(centre, shw_high16(offset));
        regions[i] = (struct shw_feature_region){.rectangle = make_rectangle(x, y, x + 1, y + 1),
                                                 .subtracted = i == 1,
                                                 .alone = {{0, offset, 0, offset, 0}}};
    }
    return shw_depth_type_sides(feature);
}

static uint32_t pixels_get_regions_at(const struct shw_feature *feature, uint32_t depth,
                                      struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX])
{
    return list_regions(feature, depth, shw_centre_offset, regions);
}

static uint32_t get_kinect_regions_at(const struct shw_feature *feature, uint32_t depth,
                                      struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX])
{
    return list_regions(feature, depth, shw_centre_offset_down, regions);
}

/* At one metre both round alike. */
static uint32_t pixels_get_regions(const struct shw_feature *feature,
                                   struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX])
{
    return pixels_get_regions_at(feature, SHW_METRE, regions);
}

static const struct shw_feature_vectors depth_pixel_vectors = {SHW_VECTORS(depth_pixel)},
                                        kinect_vectors = {SHW_VECTORS(kinect)};

const struct shw_feature_type shw_feature_depth_pixel_difference =
    DEPTH_TYPE(pixels, "depth-pixel-difference", "depth-normalised pixel difference", CHANNELS,
               .may_be_undefined = true, .get_regions_at = pixels_get_regions_at,
               .code = &shw_feature_code_depth_pixel_difference, .fast = &depth_pixel_vectors);
const struct shw_feature_type shw_feature_kinect_difference = DEPTH_TYPE(
    pixels, "kinect-difference", "Kinect's pixel difference", CHANNELS, .get_regions_at = get_kinect_regions_at,
    .code = &shw_feature_code_kinect_difference, .fast = &kinect_vectors);

/* The mean of a region minus the mean of another, scaled by the depth at the pixel. */

extern const struct shw_feature_code shw_feature_code_depth_mean_difference;

static bool means_check_side(const struct shw_feature *feature, uint32_t side, const struct shw_channel_list *channels,
                             char why[SHW_WHY_SIZE])
{
    uint32_t size = feature->words[2 + 2 * side];

    if (!check_channel(feature, side, channels, why))
        return false;
    if ((size & 0xffff) == 0 || size >> 16 == 0) {
        snprintf(why, SHW_WHY_SIZE, "region %u is empty: %u x %u", side, size & 0xffff, size >> 16);
        return false;
    }
    return true;
}

static bool means_check(const struct shw_feature *feature, const struct shw_channel_list *channels,
                        char why[SHW_WHY_SIZE])
{
    if (!shw_depth_type_check_list(channels, why))
        return false;
    if (feature->words[0] >> (SHW_NODE_COUNTED_SHIFT + 2) != 0) {
        snprintf(why, SHW_WHY_SIZE, "unknown flags in 0x%08x", feature->words[0]);
        return false;
    }
    return means_check_side(feature, 0, channels, why) && means_check_side(feature, 1, channels, why);
}

static uint64_t means_get_bound(const struct shw_feature *feature, const struct shw_channel_list *channels)
{
    return greatest(feature, channels) * SHW_REGION_SIDE_MAX * SHW_REGION_SIDE_MAX;
}

static uint32_t means_get_regions_at(const struct shw_feature *feature, uint32_t depth,
                                     struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX])
{
    struct shw_centre centre = shw_centre_with_depth(0, 0, depth);

    for (uint32_t side = 0; side < shw_depth_type_sides(feature); side++)
        regions[side] = make_region(
            feature, side, 0, shw_region_place(centre, feature->words[1 + 2 * side], feature->words[2 + 2 * side]));
    return shw_depth_type_sides(feature);
}

static uint32_t means_get_regions(const struct shw_feature *feature,
                                  struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX])
{
    return means_get_regions_at(feature, SHW_METRE, regions);
}

static bool means_can_draw(const struct shw_channel_list *channels, const struct shw_draw_limits *limits,
                           char why[SHW_WHY_SIZE])
{
    (void)limits;
    return has_content(channels, 1u << SHW_CONTENT_PLAIN | 1u << SHW_CONTENT_DEPTH | 1u << SHW_CONTENT_HEIGHT, why);
}

static const struct shw_feature_vectors means_vectors = {SHW_VECTORS(depth_mean)};

const struct shw_feature_type shw_feature_depth_mean_difference = DEPTH_TYPE(
    means, "depth-mean-difference", "depth-normalised mean difference", INTEGRALS, .may_be_undefined = true,
    .get_regions_at = means_get_regions_at, .code = &shw_feature_code_depth_mean_difference, .fast = &means_vectors);

/* The features of CURFIL's forests, as its programs compute them. */

extern const struct shw_feature_code shw_feature_code_curfil_difference;

static bool curfil_check_side(const struct shw_feature *feature, uint32_t side, const struct shw_channel_list *channels,
                              char why[SHW_WHY_SIZE])
{
    uint32_t half = feature->words[2 + 2 * side];

    if (!check_channel(feature, side, channels, why))
        return false;
    if ((half & 0xffff) > SHW_CURFIL_HALF_MAX || half >> 16 > SHW_CURFIL_HALF_MAX) {
        snprintf(why, SHW_WHY_SIZE, "half the size of region %u is %u x %u; at most %d is possible", side,
                 half & 0xffff, half >> 16, SHW_CURFIL_HALF_MAX);
        return false;
    }
    return true;
}

static bool curfil_check(const struct shw_feature *feature, const struct shw_channel_list *channels,
                         char why[SHW_WHY_SIZE])
{
    uint32_t head = feature->words[0];

    if (!shw_depth_type_check_list(channels, why))
        return false;
    if (head >> (SHW_CURFIL_AHEAD_SHIFT + 1) != 0) {
        snprintf(why, SHW_WHY_SIZE, "unknown flags in 0x%08x", head);
        return false;
    }
    if (shw_node_is_counted(head, 0) != shw_node_is_counted(head, 1)) {
        snprintf(why, SHW_WHY_SIZE, "a mean is compared with a sum");
        return false;
    }
    return curfil_check_side(feature, 0, channels, why) && curfil_check_side(feature, 1, channels, why);
}

/* Sums of counted channels, which are not negative, are exact up to 2^32, as those of the largest regions are; their
 * responses are means. */
static uint64_t curfil_get_bound(const struct shw_feature *feature, const struct shw_channel_list *channels)
{
    uint64_t bound = greatest(feature, channels), side = 2 * SHW_CURFIL_HALF_MAX;

    return shw_node_is_counted(feature->words[0], 0) ? bound << SHW_CURFIL_MEAN_BITS : bound * side * side;
}

static uint32_t curfil_get_regions_at(const struct shw_feature *feature, uint32_t depth,
                                      struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX])
{
    struct shw_centre centre = shw_centre_with_depth(0, 0, depth);

    for (uint32_t side = 0; side < shw_depth_type_sides(feature); side++)
        regions[side] =
            make_region(feature, side, feature->words[0] & 1u << SHW_CURFIL_AHEAD_SHIFT,
                        shw_curfil_place(centre, feature->words[1 + 2 * side], feature->words[2 + 2 * side]));
    return shw_depth_type_sides(feature);
}

static uint32_t curfil_get_regions(const struct shw_feature *feature,
                                   struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX])
{
    return curfil_get_regions_at(feature, SHW_METRE, regions);
}

/* Heights are never drawn. */
static bool curfil_can_draw(const struct shw_channel_list *channels, const struct shw_draw_limits *limits,
                            char why[SHW_WHY_SIZE])
{
    (void)limits;
    return has_content(channels, 1u << SHW_CONTENT_PLAIN | 1u << SHW_CONTENT_DEPTH, why);
}

static const struct shw_feature_vectors curfil_vectors = {SHW_VECTORS(curfil)};

const struct shw_feature_type shw_feature_curfil_difference = DEPTH_TYPE(
    curfil, "curfil-difference", "CURFIL's difference", INTEGRALS, .may_be_undefined = true, .labels_all = true,
    .get_regions_at = curfil_get_regions_at, .code = &shw_feature_code_curfil_difference, .fast = &curfil_vectors);
