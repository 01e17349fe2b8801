#include <string.h>

#include "forest/forest.h"
#include "shared/forest_texture.h"
#include "shared/types.h"
#include "train/trainer.h"

#define SHW_CANDIDATE_PARAMETER const struct shw_channel_list *set,
#define SHW_CANDIDATE           set,

static inline shw_uint shw_channel_max(const struct shw_channel_list *set, shw_uint channel)
{
    return set->channels[channel].max_abs;
}

#include "shared/candidate.h"

static struct shw_rectangle unpack(uint32_t low, uint32_t high)
{
    return (struct shw_rectangle){(int16_t)shw_low16(low), (int16_t)shw_high16(low), (int16_t)shw_low16(high),
                                  (int16_t)shw_high16(high)};
}

struct shw_feature shw_feature_unpack(const struct shw_packed_feature *packed)
{
    const uint32_t *rectangles = packed->rectangles;
    struct shw_feature feature;

    memset(&feature, 0, sizeof feature); /* padding, too: features are compared byte by byte */
    feature.single = (packed->channels >> SHW_NODE_SECOND_SHIFT & 1) == 0;
    feature.channel[0] = (uint16_t)(packed->channels & SHW_NODE_CHANNEL_MASK);
    feature.channel[1] = (uint16_t)(packed->channels >> SHW_NODE_CHANNEL_BITS & SHW_NODE_CHANNEL_MASK);
    for (int i = 0; i < 2; i++)
        feature.rectangle[i] = unpack(rectangles[2 * i], rectangles[2 * i + 1]);
    return feature;
}

struct shw_feature shw_candidate_draw(const struct shw_trainer_params *params, const struct shw_channel_list *set,
                                      uint32_t key, uint32_t place, uint32_t candidate)
{
    const struct shw_candidate_space space = {key, set->channel_count, params->size_max, params->offset_max,
                                              params->single_percent};
    struct shw_candidate_words words = shw_candidate(set, space, place, candidate);
    struct shw_packed_feature packed = {words.channels, {words.rects.x, words.rects.y, words.rects.z, words.rects.w}};

    return shw_feature_unpack(&packed);
}

static uint32_t pair(int16_t low, int16_t high)
{
    return (uint32_t)(uint16_t)low | (uint32_t)(uint16_t)high << 16;
}

struct shw_packed_feature shw_feature_pack(const struct shw_feature *feature)
{
    struct shw_packed_feature packed = {.channels = feature->channel[0] |
                                                    (uint32_t)feature->channel[1] << SHW_NODE_CHANNEL_BITS |
                                                    (uint32_t)!feature->single << SHW_NODE_SECOND_SHIFT};

    for (int i = 0; i < 2; i++) {
        packed.rectangles[2 * i] = pair(feature->rectangle[i].x0, feature->rectangle[i].y0);
        packed.rectangles[2 * i + 1] = pair(feature->rectangle[i].x1, feature->rectangle[i].y1);
    }
    return packed;
}

uint32_t shw_feature_sides(const struct shw_packed_feature *feature, struct shw_feature_side sides[2])
{
    sides[0] = (struct shw_feature_side){feature->channels & SHW_NODE_CHANNEL_MASK, 0, feature->rectangles[0],
                                         feature->rectangles[1]};
    sides[1] = (struct shw_feature_side){feature->channels >> SHW_NODE_CHANNEL_BITS & SHW_NODE_CHANNEL_MASK, 1,
                                         feature->rectangles[2], feature->rectangles[3]};
    return 1 + (feature->channels >> SHW_NODE_SECOND_SHIFT & 1);
}
