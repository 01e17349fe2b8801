#include "record_train/attribute_feature.h"

#include <stdio.h>

#include "feature/feature_code.h"
#include "shared/attribute_ranks.h"

extern const struct shw_feature_code shw_feature_code_attribute;
extern const struct shw_channel_code shw_channel_code_ranks;

static const struct shw_channel_info channel[] = {
    {"ranks", -SHW_ATTRIBUTE_MISSING, 0, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME}};

/* The channels differ in the plane that they read. */
#define KIND(name_)                                                                                                    \
    {                                                                                                                  \
        .version = SHW_CHANNEL_KIND_VERSION, .name = name_, .channel_count = 1, .channels = channel, .input = name_,   \
        .code = &shw_channel_code_ranks                                                                                \
    }
static const struct shw_channel_kind kinds[SHW_ATTRIBUTE_CHANNELS_MAX] = {KIND("ranks-0"), KIND("ranks-1"),
                                                                          KIND("ranks-2"), KIND("ranks-3")};

const struct shw_channel_kinds shw_attribute_channels = {{&kinds[0], &kinds[1], &kinds[2], &kinds[3]}};

const char *shw_attribute_channel_list(uint32_t count)
{
    static const char *const lists[SHW_ATTRIBUTE_CHANNELS_MAX] = {
        "ranks-0", "ranks-0,ranks-1", "ranks-0,ranks-1,ranks-2", "ranks-0,ranks-1,ranks-2,ranks-3"};

    return lists[count - 1];
}

static bool check(const struct shw_feature *feature, const struct shw_channel_list *channels, char why[SHW_WHY_SIZE])
{
    const uint32_t *words = feature->words;

    if (words[0] < channels->channel_count && words[1] < SHW_ATTRIBUTE_ROWS_MAX && words[2] < SHW_ATTRIBUTE_ASKED &&
        (words[3] | words[4]) == 0)
        return true;
    snprintf(why, SHW_WHY_SIZE, "0x%08x 0x%08x 0x%08x 0x%08x 0x%08x is no attribute", words[0], words[1], words[2],
             words[3], words[4]);
    return false;
}

static uint64_t get_bound(const struct shw_feature *feature, const struct shw_channel_list *channels)
{
    return channels->channels[feature->words[0]].max_abs;
}

static struct shw_reach get_reach(const struct shw_feature *feature)
{
    return (struct shw_reach){0, 0, 1, (int32_t)feature->words[1] + 1};
}

static uint32_t get_regions(const struct shw_feature *feature,
                            struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX])
{
    int16_t row = (int16_t)feature->words[1];

    regions[0] = (struct shw_feature_region){
        .channel = feature->words[0], .rectangle = {0, row, 1, (int16_t)(row + 1)}, .alone = *feature};
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
