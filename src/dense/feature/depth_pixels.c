/* The types that compare the depths at two positions, with offsets divided by the depth at the pixel. */
#include <stdio.h>

#include "dense/feature/depth_type.h"
#include "shared/centre.h"

extern const struct shw_feature_code shw_feature_code_depth_pixel_difference, shw_feature_code_kinect_difference;

static bool check(const struct shw_feature *feature, const struct shw_channel_list *channels, char why[SHW_WHY_SIZE])
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
static bool can_draw(const struct shw_channel_list *channels, char why[SHW_WHY_SIZE])
{
    if (channels->channels[0].content == SHW_CONTENT_DEPTH)
        return true;
    snprintf(why, SHW_WHY_SIZE, "it compares depths alone, so the channels must begin with depth; they are %.80s",
             channels->name);
    return false;
}

static uint64_t get_bound(const struct shw_feature *feature, const struct shw_channel_list *channels)
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
        regions[i] = (struct shw_feature_region){.rectangle = shw_depth_type_rectangle(x, y, x + 1, y + 1),
                                                 .subtracted = i == 1,
                                                 .alone = {{0, offset, 0, offset, 0}}};
    }
    return shw_depth_type_sides(feature);
}

static uint32_t get_regions_at(const struct shw_feature *feature, uint32_t depth,
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
static uint32_t get_regions(const struct shw_feature *feature,
                            struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX])
{
    return get_regions_at(feature, SHW_METRE, regions);
}

static const struct shw_feature_vectors depth_pixel_vectors = {SHW_VECTORS(depth_pixel)},
                                        kinect_vectors = {SHW_VECTORS(kinect)};

const struct shw_feature_type shw_feature_depth_pixel_difference = {.version = SHW_FEATURE_TYPE_VERSION,
                                                                    .name = "depth-pixel-difference",
                                                                    .label = "depth-normalised pixel difference",
                                                                    .reads = SHW_FEATURE_READS_CHANNELS,
                                                                    .may_be_undefined = true,
                                                                    .reads_depth = true,
                                                                    .check = check,
                                                                    .can_draw = can_draw,
                                                                    .get_bound = get_bound,
                                                                    .get_reach = shw_depth_type_reach,
                                                                    .get_regions = get_regions,
                                                                    .get_regions_at = get_regions_at,
                                                                    .code = &shw_feature_code_depth_pixel_difference,
                                                                    .fast = &depth_pixel_vectors};
const struct shw_feature_type shw_feature_kinect_difference = {.version = SHW_FEATURE_TYPE_VERSION,
                                                               .name = "kinect-difference",
                                                               .label = "Kinect's pixel difference",
                                                               .reads = SHW_FEATURE_READS_CHANNELS,
                                                               .reads_depth = true,
                                                               .check = check,
                                                               .can_draw = can_draw,
                                                               .get_bound = get_bound,
                                                               .get_reach = shw_depth_type_reach,
                                                               .get_regions = get_regions,
                                                               .get_regions_at = get_kinect_regions_at,
                                                               .code = &shw_feature_code_kinect_difference,
                                                               .fast = &kinect_vectors};
