/* The features of CURFIL's forests, as its programs compute them. */
#include <stdio.h>

#include "dense/feature/depth_type.h"
#include "shared/curfil_region.h"

extern const struct shw_feature_code shw_feature_code_curfil_difference;

static bool check_side(const struct shw_feature *feature, uint32_t side, const struct shw_channel_list *channels,
                       char why[SHW_WHY_SIZE])
{
    uint32_t half = feature->words[2 + 2 * side];

    if (!shw_depth_type_check_channel(feature, side, channels, why))
        return false;
    if ((half & 0xffff) > SHW_CURFIL_HALF_MAX || half >> 16 > SHW_CURFIL_HALF_MAX) {
        snprintf(why, SHW_WHY_SIZE, "half the size of region %u is %u x %u; at most %d is possible", side,
                 half & 0xffff, half >> 16, SHW_CURFIL_HALF_MAX);
        return false;
    }
    return true;
}

static bool check(const struct shw_feature *feature, const struct shw_channel_list *channels, char why[SHW_WHY_SIZE])
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
    return check_side(feature, 0, channels, why) && check_side(feature, 1, channels, why);
}

/* Sums of counted channels, which are not negative, are exact up to 2^32, as those of the largest regions are; their
 * responses are means. */
static uint64_t get_bound(const struct shw_feature *feature, const struct shw_channel_list *channels)
{
    uint64_t bound = shw_depth_type_greatest(feature, channels), side = 2 * SHW_CURFIL_HALF_MAX;

    return shw_node_is_counted(feature->words[0], 0) ? bound << SHW_CURFIL_MEAN_BITS : bound * side * side;
}

static uint32_t get_regions_at(const struct shw_feature *feature, uint32_t depth,
                               struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX])
{
    struct shw_centre centre = shw_centre_with_depth(0, 0, depth);

    for (uint32_t side = 0; side < shw_depth_type_sides(feature); side++) {
        uint32_t channel = shw_node_channel(feature->words[0], side);
        uint32_t offset = feature->words[1 + 2 * side], half = feature->words[2 + 2 * side];
        uint32_t flags = shw_node_is_counted(feature->words[0], side) * (3u << SHW_NODE_COUNTED_SHIFT) |
                         (feature->words[0] & 1u << SHW_CURFIL_AHEAD_SHIFT);
        struct shw_rect rect = shw_curfil_place(centre, offset, half);
        regions[side] = (struct shw_feature_region){
            .channel = channel,
            .rectangle = shw_depth_type_rectangle(rect.x0, rect.y0, rect.x1, rect.y1),
            .subtracted = side == 1,
            .alone = {{channel | channel << SHW_NODE_CHANNEL_BITS | flags, offset, half, offset, half}}};
    }
    return shw_depth_type_sides(feature);
}

static uint32_t get_regions(const struct shw_feature *feature,
                            struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX])
{
    return get_regions_at(feature, SHW_METRE, regions);
}

/* Heights are never drawn. */
static bool can_draw(const struct shw_channel_list *channels, char why[SHW_WHY_SIZE])
{
    return shw_depth_type_has_content(channels, 1u << SHW_CONTENT_PLAIN | 1u << SHW_CONTENT_DEPTH, why);
}

static const struct shw_feature_vectors vectors = {SHW_VECTORS(curfil)};

const struct shw_feature_type shw_feature_curfil_difference = {.version = SHW_FEATURE_TYPE_VERSION,
                                                               .name = "curfil-difference",
                                                               .label = "CURFIL's difference",
                                                               .reads = SHW_FEATURE_READS_INTEGRALS,
                                                               .may_be_undefined = true,
                                                               .reads_depth = true,
                                                               .labels_all = true,
                                                               .check = check,
                                                               .can_draw = can_draw,
                                                               .get_bound = get_bound,
                                                               .get_reach = shw_depth_type_reach,
                                                               .get_regions = get_regions,
                                                               .get_regions_at = get_regions_at,
                                                               .code = &shw_feature_code_curfil_difference,
                                                               .fast = &vectors};
