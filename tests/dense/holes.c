#include "dense/holes_type.h"

#include <stdio.h>

extern const struct shw_feature_code shw_feature_code_holes, shw_feature_code_liar;

struct shw_rectangle holes_rectangle(const struct shw_feature *feature)
{
    const uint32_t *words = feature->words;

    return (struct shw_rectangle){(int16_t)(words[1] & 0xffff), (int16_t)(words[1] >> 16), (int16_t)(words[2] & 0xffff),
                                  (int16_t)(words[2] >> 16)};
}

static bool check(const struct shw_feature *feature, const struct shw_channel_list *channels, char why[SHW_WHY_SIZE])
{
    struct shw_rectangle rect = holes_rectangle(feature);

    if (feature->words[0] < channels->channel_count && rect.x0 < rect.x1 && rect.y0 < rect.y1 &&
        (feature->words[3] | feature->words[4]) == 0)
        return true;
    snprintf(why, SHW_WHY_SIZE, "no rectangle of channel %u", feature->words[0]);
    return false;
}

static uint64_t get_bound(const struct shw_feature *feature, const struct shw_channel_list *channels)
{
    struct shw_rectangle rect = holes_rectangle(feature);

    return (uint64_t)(rect.x1 - rect.x0) * (uint64_t)(rect.y1 - rect.y0) *
           channels->channels[feature->words[0]].max_abs;
}

static struct shw_reach get_reach(const struct shw_feature *feature)
{
    struct shw_rectangle rect = holes_rectangle(feature);

    return (struct shw_reach){rect.x0 < 0 ? rect.x0 : 0, rect.y0 < 0 ? rect.y0 : 0, rect.x1 > 0 ? rect.x1 : 0,
                              rect.y1 > 0 ? rect.y1 : 0};
}

static struct shw_reach get_whole_reach(const struct shw_feature *feature)
{
    (void)feature;
    return (struct shw_reach){-SHW_REACH_ALL, -SHW_REACH_ALL, SHW_REACH_ALL, SHW_REACH_ALL};
}

static uint32_t get_regions(const struct shw_feature *feature,
                            struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX])
{
    regions[0] = (struct shw_feature_region){
        .channel = feature->words[0], .rectangle = holes_rectangle(feature), .alone = *feature};
    return 1;
}

#define HOLES(name_, undefined, reach)                                                                                 \
    {                                                                                                                  \
        .version = SHW_FEATURE_TYPE_VERSION, .name = #name_, .label = #name_, .reads = SHW_FEATURE_READS_INTEGRALS,    \
        .may_be_undefined = undefined, .check = check, .get_bound = get_bound, .get_reach = reach,                     \
        .get_regions = get_regions, .code = &shw_feature_code_##name_                                                  \
    }

const struct shw_feature_type holes = HOLES(holes, true, get_reach);
const struct shw_feature_type holes_whole = HOLES(holes, true, get_whole_reach);
const struct shw_feature_type liar = HOLES(liar, false, get_reach);
