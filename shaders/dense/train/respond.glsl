/* Samples and their responses. Include after train.glsl. */
#include "centre.h"
#include "mirror.h"

/* With paired flipping, planes are read for mirror images, too (shared/mirror.h). Without it, PAIRED is 0, and nothing
 * remains of that. */
layout(constant_id = 1) const uint PAIRED = 0u;
layout(constant_id = 2) const uint TURNED_LOW = 0u;
layout(constant_id = 3) const uint TURNED_HIGH = 0u;
layout(constant_id = 4) const uint NEGATED_LOW = 0u;
layout(constant_id = 5) const uint NEGATED_HIGH = 0u;
layout(constant_id = 7) const uint EXCHANGES = 0u; /* 1: some channels have partners, four in a word */
#define PARTNERS_AT(word) layout(constant_id = SHW_TRAIN_ID_PARTNERS + word) const uint PARTNERS_##word = 0u;
PARTNERS_AT(0)
PARTNERS_AT(1)
PARTNERS_AT(2)
PARTNERS_AT(3)
PARTNERS_AT(4)
PARTNERS_AT(5)
PARTNERS_AT(6)
PARTNERS_AT(7)
PARTNERS_AT(8)
PARTNERS_AT(9)
PARTNERS_AT(10)
PARTNERS_AT(11)
PARTNERS_AT(12)
PARTNERS_AT(13)
PARTNERS_AT(14)
PARTNERS_AT(15)
layout(constant_id = SHW_TRAIN_ID_HAS_CHANNELS) const uint HAS_CHANNELS = 0u; /* 1: images may have channels beside integral images */

/* Images have mean planes instead of integral images (dense/grow_device/shapes.h): the number of sides, four of them in a
 * word; the shapes' number of heights, or 0 for squares; the planes' margin. */
layout(constant_id = SHW_TRAIN_ID_MEAN_SIDES) const uint MEAN_SIDES = 0u; /* 0: they have not */
layout(constant_id = SHW_TRAIN_ID_MEAN_HEIGHTS) const uint MEAN_HEIGHTS = 0u;
layout(constant_id = SHW_TRAIN_ID_MEAN_MARGIN) const uint MEAN_MARGIN = 0u;
layout(constant_id = SHW_TRAIN_ID_SIDES + 0) const uint MEAN_SIDES_0 = 0u;
layout(constant_id = SHW_TRAIN_ID_SIDES + 1) const uint MEAN_SIDES_1 = 0u;
layout(constant_id = SHW_TRAIN_ID_SIDES + 2) const uint MEAN_SIDES_2 = 0u;

#define PLANES_BINDING SHW_TRAIN_INTEGRALS
#define PLANES_MORE SHW_TRAIN_INTEGRALS_MORE
#define WINDOW_SHIFT_CONSTANT 6
layout(std430, set = 0, binding = SHW_TRAIN_IMAGES) readonly buffer Images {
    uint images[];
};

/* The sample whose response is computed. */
struct sample_place {
    uint first;         /* word of its image's planes */
    uint channels;      /* word of its channels beside integral images, or 0 */
    ivec2 size;
    uint mirrored; /* 1 if the planes are those of the image, but the sample is in its mirror image; otherwise 0 */
    shw_centre centre;
};
sample_place here;

#include "feature_type.h"
#include "planes.glsl"
#include "traverse.h"

uint is_turned(uint channel)
{
    return PAIRED & here.mirrored & shw_mirror_bit(TURNED_LOW, TURNED_HIGH, channel);
}

uint is_negated(uint channel)
{
    return PAIRED & here.mirrored & shw_mirror_bit(NEGATED_LOW, NEGATED_HIGH, channel);
}

/* The channel whose plane is read. */
uint partner_of(uint channel)
{
    const uint words[16] = uint[16](PARTNERS_0, PARTNERS_1, PARTNERS_2, PARTNERS_3, PARTNERS_4, PARTNERS_5, PARTNERS_6,
                                    PARTNERS_7, PARTNERS_8, PARTNERS_9, PARTNERS_10, PARTNERS_11, PARTNERS_12,
                                    PARTNERS_13, PARTNERS_14, PARTNERS_15);

    if ((PAIRED & EXCHANGES & here.mirrored) == 0u)
        return channel;
    return words[channel >> 2u] >> ((channel & 3u) * 8u) & 0xffu;
}

uint shw_integral(uint channel, int x, int y)
{
    uint stride = uint(here.size.x) + 1u;
    uint row = here.first + (partner_of(channel) * (uint(here.size.y) + 1u) + uint(y)) * stride, turned = is_turned(channel);
    uint value = shw_integral_at(row + uint(shw_mirror_column(x, here.size.x, turned)));
    return shw_mirror_value(value, turned ^ is_negated(channel));
}

int shw_channel(uint channel, int x, int y)
{
    uint stride = SHW_CHANNEL_STRIDE(uint(here.size.x));
    uint first = SHW_FEATURE_READS == SHW_READS_CHANNELS ? here.first : here.channels;
    uint row = 2u * first + (partner_of(channel) * uint(here.size.y) + uint(y)) * stride;
    int value = shw_channel_at(row + uint(shw_mirror_column(x, here.size.x - 1, is_turned(channel))));
    return int(shw_mirror_value(uint(value), is_negated(channel)));
}

bool shw_has_pixels()
{
    return HAS_CHANNELS != 0u && here.channels != 0u;
}

/* Whether the sample's image is in the bound chunk. */
bool find_sample(uint position, uint image, out sample_place place)
{
    uint entry = image * SHW_IMAGE_WORDS, size = images[entry + 1u];
    int x = int(position & 0xffffu), y = int(position >> 16u);
    place.first = images[entry];
    place.channels = images[entry + 3u];
    place.size = ivec2(size & 0xffffu, size >> 16u);
    place.mirrored = images[entry + 4u];
    if (images[entry + 2u] != push.chunk)
        return false;
    here = place;
    place.centre = shw_centre_at(x, y, shw_rect(0, 0, place.size.x, place.size.y));
    return true;
}

uint chunk_of(uint image)
{
    return images[image * SHW_IMAGE_WORDS + 2u];
}

#if SHW_FEATURE_HAS_MEANS
/* How many sides are shorter. */
uint side_number(uint side)
{
    const uint words[3] = uint[3](MEAN_SIDES_0, MEAN_SIDES_1, MEAN_SIDES_2);
    uint number = 0u;

    for (uint i = 0u; i < MEAN_SIDES; ++i)
        number += uint(side > (words[i >> 2u] >> (i & 3u) * 8u & 0xffu));
    return number;
}

/* The value of a rectangle, which is x0 | y0 << 16, x1 | y1 << 16, around pixel (x, y): that of its shape's plane. */
int mean_at(uint channel, uint low, uint high, int x, int y)
{
    ivec2 first = ivec2(shw_low16(low), shw_high16(low)), sides = ivec2(shw_low16(high), shw_high16(high)) - first;
    ivec2 size = here.size + int(MEAN_MARGIN), at = ivec2(x, y) + first;
    uint shapes = MEAN_SIDES * max(MEAN_HEIGHTS, 1u);
    uint shape = side_number(uint(sides.x)) + MEAN_HEIGHTS * side_number(uint(sides.y));
    uint row = (partner_of(channel) * shapes + shape) * uint(size.y);

    at.x = shw_mirror_column(at.x, here.size.x - sides.x, is_turned(channel));
    at = clamp(at + int(MEAN_MARGIN), ivec2(0), size - 1);
    int value = shw_channel_at(2u * here.first + (row + uint(at.y)) * SHW_CHANNEL_STRIDE(uint(size.x)) + uint(at.x));
    return int(shw_mirror_value(uint(value), is_negated(channel)));
}

/* Both sides of a test as shw_feature_respond() has them. */
shw_response respond_by_means(shw_feature_words feature, int x, int y)
{
    int value = mean_at(shw_node_channel(feature.head, 0u), feature.words.x, feature.words.y, x, y);
    if ((feature.head >> SHW_NODE_SECOND_SHIFT & 1u) != 0u)
        value -= mean_at(shw_node_channel(feature.head, 1u), feature.words.z, feature.words.w, x, y);
    return shw_defined(value);
}
#endif

shw_response respond(sample_place place, shw_feature_words feature)
{
    here = place;
#if SHW_FEATURE_HAS_MEANS
    if (MEAN_SIDES != 0u)
        return respond_by_means(feature, place.centre.x, place.centre.y);
#endif
    return shw_respond(feature, place.centre, shw_rect(0, 0, place.size.x, place.size.y));
}
