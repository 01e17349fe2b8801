#include "records/train/attribute_feature.h"

#include <stdio.h>

#include "dense/feature/feature_code.h"
#include "shared/attribute_ranks.h"

extern const struct shw_feature_code shw_feature_code_attribute;
extern const struct shw_channel_code shw_channel_code_ranks;

static const struct shw_channel_info channel[] = {
    {SHW_ATTRIBUTE_CHANNEL, -SHW_ATTRIBUTE_MISSING, 0, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME}};
static const struct shw_channel_kind kind = {.version = SHW_CHANNEL_KIND_VERSION,
                                             .name = SHW_ATTRIBUTE_CHANNEL,
                                             .channel_count = 1,
                                             .channels = channel,
                                             .input = SHW_ATTRIBUTE_CHANNEL,
                                             .code = &shw_channel_code_ranks};

const struct shw_channel_kinds shw_attribute_channels = {{&kind}};

static bool check(const struct shw_feature *feature, const struct shw_channel_list *channels, char why[SHW_WHY_SIZE])
{
    const uint32_t *words = feature->words;

    (void)channels;
    if (words[0] == 0 && words[1] < SHW_ATTRIBUTE_ROWS_MAX && words[2] < SHW_ATTRIBUTE_ASKED &&
        words[4] <= SHW_ATTRIBUTE_BLOCKS_SHIFT_MAX && words[3] >> words[4] == 0)
        return true;
    snprintf(why, SHW_WHY_SIZE, "0x%08x 0x%08x 0x%08x 0x%08x 0x%08x is no attribute", words[0], words[1], words[2],
             words[3], words[4]);
    return false;
}

static uint64_t get_bound(const struct shw_feature *feature, const struct shw_channel_list *channels)
{
    (void)feature;
    return channels->channels[0].max_abs;
}

/* Where another block is depends on the width. */
static struct shw_reach get_reach(const struct shw_feature *feature)
{
    (void)feature;
    return (struct shw_reach){-SHW_REACH_ALL, -SHW_REACH_ALL, SHW_REACH_ALL, SHW_REACH_ALL};
}

static uint32_t get_regions(const struct shw_feature *feature,
                            struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX])
{
    int16_t row = (int16_t)feature->words[1];

    regions[0] = (struct shw_feature_region){.rectangle = {0, row, 1, (int16_t)(row + 1)}, .alone = *feature};
    return 1;
}

const struct shw_feature_type shw_feature_attribute = {.version = SHW_FEATURE_TYPE_VERSION,
                                                       .name = "attribute",
                                                       .label = "attribute of a record",
                                                       .reads = SHW_FEATURE_READS_CHANNELS,
                                                       .may_be_undefined = true,
                                                       .check = check,
                                                       .get_bound = get_bound,
                                                       .get_reach = get_reach,
                                                       .get_regions = get_regions,
                                                       .code = &shw_feature_code_attribute};
