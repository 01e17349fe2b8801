#include "forest/forest.h"
#include "shared/forest_texture.h"
#include "shared/random.h"
#include "train/trainer.h"

#define RECTANGLE_SUM_MAX ((1u << 30) - 1)
#define REACHES           4u /* offset_max and its halvings */

/* Numbered draws of one candidate. */
struct draws {
    uint32_t key, place, candidate, next;
};

static uint32_t draw_below(struct draws *draws, uint32_t bound)
{
    return shw_random_below(shw_random(draws->key, draws->place, draws->candidate << 5 | draws->next++), bound);
}

/* One side of a rectangle: 1..size_max, all powers of two alike and evenly between them, so that small ones are as common as large. */
static uint32_t draw_size(struct draws *draws, uint32_t size_max)
{
    uint32_t doublings = 0, low, high;

    while (doublings < 16 && (2u << doublings) <= size_max)
        doublings++;
    low = 1u << draw_below(draws, doublings + 1);
    high = 2 * low - 1 < size_max ? 2 * low - 1 : size_max;
    return low + draw_below(draws, high - low + 1);
}

/* How far from the pixel a rectangle may lie: near places get as many rectangles as the far ones, which are so many more. */
static uint32_t draw_reach(struct draws *draws, uint32_t offset_max, uint32_t width, uint32_t height)
{
    uint32_t reach = offset_max >> draw_below(draws, REACHES);
    uint32_t least = (width > height ? width : height) / 2;

    return reach > least ? reach : least;
}

/* Where a side of that length begins, evenly over all places within `reach` of the pixel. */
static int32_t draw_begin(struct draws *draws, uint32_t reach, uint32_t size)
{
    return (int32_t)draw_below(draws, 2 * reach + 2 - size) - (int32_t)reach;
}

static struct shw_rectangle draw_rectangle(struct draws *draws, const struct shw_trainer_params *params, uint32_t max_abs)
{
    uint32_t width = draw_size(draws, params->size_max), height = draw_size(draws, params->size_max);
    uint32_t reach;
    int32_t x, y;

    while ((uint64_t)width * height * max_abs > RECTANGLE_SUM_MAX) {
        if (width > height)
            width = (width + 1) / 2;
        else
            height = (height + 1) / 2;
    }
    reach = draw_reach(draws, params->offset_max, width, height);
    x = draw_begin(draws, reach, width);
    y = draw_begin(draws, reach, height);
    return (struct shw_rectangle){(int16_t)x, (int16_t)y, (int16_t)(x + (int32_t)width), (int16_t)(y + (int32_t)height)};
}

struct shw_feature shw_candidate_draw(const struct shw_trainer_params *params, const struct shw_channel_set_info *set,
                                      uint32_t key, uint32_t place, uint32_t candidate)
{
    struct draws draws = {key, place, candidate, 0};
    struct shw_feature feature = {0};

    feature.single = draw_below(&draws, 100) < params->single_percent;
    for (int i = 0; i < 2; i++) {
        feature.channel[i] = (uint16_t)draw_below(&draws, set->channel_count);
        feature.rectangle[i] = draw_rectangle(&draws, params, set->channels[feature.channel[i]].max_abs);
    }
    return feature;
}

static uint32_t pair(int16_t low, int16_t high)
{
    return (uint32_t)(uint16_t)low | (uint32_t)(uint16_t)high << 16;
}

struct shw_packed_feature shw_feature_pack(const struct shw_feature *feature)
{
    struct shw_packed_feature packed = {.channels = feature->channel[0] | (uint32_t)feature->channel[1] << SHW_NODE_CHANNEL_BITS |
                                                    (uint32_t)!feature->single << SHW_NODE_SECOND_SHIFT};

    for (int i = 0; i < 2; i++) {
        packed.rectangles[2 * i] = pair(feature->rectangle[i].x0, feature->rectangle[i].y0);
        packed.rectangles[2 * i + 1] = pair(feature->rectangle[i].x1, feature->rectangle[i].y1);
    }
    return packed;
}

uint32_t shw_feature_sides(const struct shw_packed_feature *feature, struct shw_feature_side sides[2])
{
    sides[0] =
        (struct shw_feature_side){feature->channels & SHW_NODE_CHANNEL_MASK, 0, feature->rectangles[0], feature->rectangles[1]};
    sides[1] = (struct shw_feature_side){feature->channels >> SHW_NODE_CHANNEL_BITS & SHW_NODE_CHANNEL_MASK, 1,
                                         feature->rectangles[2], feature->rectangles[3]};
    return 1 + (feature->channels >> SHW_NODE_SECOND_SHIFT & 1);
}
