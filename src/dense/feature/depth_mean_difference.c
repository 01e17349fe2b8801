/* The mean of a region minus the mean of another, scaled by the depth at the pixel. */
#include <stdio.h>

#include "dense/feature/depth_type.h"
#include "shared/depth_region.h"

extern const struct shw_feature_code shw_feature_code_depth_mean_difference;

static bool check_side(const struct shw_feature *feature, uint32_t side, const struct shw_channel_list *channels,
                       char why[SHW_WHY_SIZE])
{
    uint32_t size = feature->words[2 + 2 * side];

    if (!shw_depth_type_check_channel(feature, side, channels, why))
        return false;
    if ((size & 0xffff) == 0 || size >> 16 == 0) {
        snprintf(why, SHW_WHY_SIZE, "region %u is empty: %u x %u", side, size & 0xffff, size >> 16);
        return false;
    }
    return true;
}

static bool check(const struct shw_feature *feature, const struct shw_channel_list *channels, char why[SHW_WHY_SIZE])
{
    if (!shw_depth_type_check_list(channels, why))
        return false;
    if (feature->words[0] >> (SHW_NODE_COUNTED_SHIFT + 2) != 0) {
        snprintf(why, SHW_WHY_SIZE, "unknown flags in 0x%08x", feature->words[0]);
        return false;
    }
    return check_side(feature, 0, channels, why) && check_side(feature, 1, channels, why);
}

static uint64_t get_bound(const struct shw_feature *feature, const struct shw_channel_list *channels)
{
    return shw_depth_type_greatest(feature, channels) * SHW_REGION_SIDE_MAX * SHW_REGION_SIDE_MAX;
}

static uint32_t get_regions_at(const struct shw_feature *feature, uint32_t depth,
                               struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX])
{
    struct shw_centre centre = shw_centre_with_depth(0, 0, depth);

    for (uint32_t side = 0; side < shw_depth_type_sides(feature); side++) {
        uint32_t channel = shw_node_channel(feature->words[0], side);
        uint32_t offset = feature->words[1 + 2 * side], size = feature->words[2 + 2 * side];
        uint32_t flags = shw_node_is_counted(feature->words[0], side) * 3;
        struct shw_rect rect = shw_region_place(centre, offset, size);
        regions[side] = (struct shw_feature_region){
            .channel = channel,
            .rectangle = shw_depth_type_rectangle(rect.x0, rect.y0, rect.x1, rect.y1),
            .subtracted = side == 1,
            .alone = {{channel | channel << SHW_NODE_CHANNEL_BITS | flags << SHW_NODE_COUNTED_SHIFT, offset, size,
                       offset, size}}};
    }
    return shw_depth_type_sides(feature);
}

static uint32_t get_regions(const struct shw_feature *feature,
                            struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX])
{
    return get_regions_at(feature, SHW_METRE, regions);
}

static bool can_draw(const struct shw_channel_list *channels, char why[SHW_WHY_SIZE])
{
    return shw_depth_type_has_content(
        channels, 1u << SHW_CONTENT_PLAIN | 1u << SHW_CONTENT_DEPTH | 1u << SHW_CONTENT_HEIGHT, why);
}

static const struct shw_feature_vectors vectors = {SHW_VECTORS(depth_mean)};

const struct shw_feature_type shw_feature_depth_mean_difference = {.version = SHW_FEATURE_TYPE_VERSION,
                                                                   .name = "depth-mean-difference",
                                                                   .label = "depth-normalised mean difference",
                                                                   .reads = SHW_FEATURE_READS_INTEGRALS,
                                                                   .may_be_undefined = true,
                                                                   .reads_depth = true,
                                                                   .check = check,
                                                                   .can_draw = can_draw,
                                                                   .get_bound = get_bound,
                                                                   .get_reach = shw_depth_type_reach,
                                                                   .get_regions = get_regions,
                                                                   .get_regions_at = get_regions_at,
                                                                   .code = &shw_feature_code_depth_mean_difference,
                                                                   .fast = &vectors};
