/* Evaluation of the feature types that divide by the depth at the pixel with vector instructions: the body. The
 * including file defines PATCH(kind) (the functions' names) and includes one of lanes_*.h before.
 *
 * Regions of neighbouring pixels differ, so that corners are loaded one by one in any case, and pixels need not stay
 * together: those of a patch descend level by level, each lane with a pixel and a node of its own, and lanes whose
 * pixel has reached a leaf get another. What divides by the depths is computed once, before the descent. */
#include "dense/feature/feature_types.h"
#include "shared/curfil_region.h"
#include "shared/depth_region.h"

/* Responses: the arithmetic of shared/centre.h and of the types' headers, LANES pixels or features at a time. Masks of
 * lanes have all bits set or none. */

/* As struct shw_centre. */
struct centres {
    lanes x, y, depth, factor, shift;
};

struct responses {
    lanes value, undefined; /* a mask */
};

/* Planes, and the part of the image that they hold, in their coordinates. */
struct depth_source {
    const void *planes;
    lanes stride, pitch, x0, y0, x1, y1;
    int is_complete; /* as in struct shw_centre */
};

/* One side of a feature, which may differ from lane to lane. */
struct depth_side {
    lanes plane; /* where its channel begins */
    lanes offset, size;
    lanes is_counted; /* a mask */
    int any_counted;
};

struct regions {
    lanes x0, y0, x1, y1;
};

VECTOR lanes low_half(lanes words) /* with its sign, as of the next */
{
    return shift_down(shift_left(words, 16), 16);
}

VECTOR lanes high_half(lanes words)
{
    return shift_down(words, 16);
}

VECTOR lanes clamp(lanes values, lanes low, lanes high)
{
    return minimum(maximum(values, low), high);
}

VECTOR lanes choose(lanes mask, lanes chosen, lanes other)
{
    return bits_xor(other, bits_and(mask, bits_xor(chosen, other)));
}

/* shw_centre_with_depth(). Doubles hold the dividend exactly, a quotient that is no integer is at least 2^-16 below the
 * next one, and what is added rounds it up. */
VECTOR struct centres centres_with_depth(lanes x, lanes y, lanes depth)
{
    lanes divisor = maximum(depth, spread(1));
    lanes shift = highest_bit(subtract(add(divisor, divisor), spread(1)));
    lanes power = shift_right_each(spread(1 << 16), subtract(spread(16), shift));

    return (struct centres){x, y, depth, divide_scaled(power, 0x1p25, divisor, 1 - 0x1p-20), shift};
}

/* shw_centre_divide() */
VECTOR lanes divide_length(const struct centres *centres, lanes length)
{
    lanes scaled = multiply(length, spread((int32_t)SHW_METRE << 7));

    return shift_right_each(multiply_high(scaled, centres->factor), centres->shift);
}

VECTOR lanes with_sign(lanes magnitude, lanes negative)
{
    return subtract(bits_xor(magnitude, negative), negative);
}

/* shw_centre_offset() */
VECTOR lanes divide_offset(const struct centres *centres, lanes offset)
{
    lanes negative = shift_down(offset, 31);
    lanes quotient = divide_length(centres, with_sign(offset, negative));

    return with_sign(minimum(quotient, spread(SHW_OFFSET_MAX)), negative);
}

/* shw_centre_offset_down() */
VECTOR lanes divide_offset_down(const struct centres *centres, lanes offset)
{
    lanes negative = shift_down(offset, 31), length = with_sign(offset, negative);
    lanes quotient = divide_length(centres, length);
    lanes exact = is_equal(multiply(quotient, centres->depth), multiply(length, spread((int32_t)SHW_METRE)));

    quotient = subtract(quotient, bits_and(negative, bits_xor(exact, spread(-1))));
    return with_sign(minimum(quotient, spread(SHW_OFFSET_MAX)), negative);
}

VECTOR lanes sum_regions(const struct depth_source *source, lanes plane, const struct regions *at)
{
    const uint32_t *planes = source->planes;
    lanes top = add(plane, multiply(at->y0, source->stride)), bottom = add(plane, multiply(at->y1, source->stride));

    return subtract(subtract(gather(planes, add(bottom, at->x1)), gather(planes, add(bottom, at->x0))),
                    subtract(gather(planes, add(top, at->x1)), gather(planes, add(top, at->x0))));
}

VECTOR struct regions clamp_regions(const struct depth_source *source, const struct regions *at)
{
    return (struct regions){clamp(at->x0, source->x0, source->x1), clamp(at->y0, source->y0, source->y1),
                            clamp(at->x1, source->x0, source->x1), clamp(at->y1, source->y0, source->y1)};
}

/* The counts of those sides that are counted, and `other` of the rest. */
VECTOR lanes count_regions(const struct depth_source *source, const struct depth_side *side, const struct regions *at,
                           lanes other)
{
    lanes plane = add(side->plane, bits_and(source->pitch, side->is_counted));

    return choose(side->is_counted, sum_regions(source, plane, at), other);
}

/* shw_region_place(): one direction */
VECTOR lanes divide_side(const struct centres *centres, lanes length)
{
    lanes quotient = divide_length(centres, minimum(length, spread(32767)));

    return clamp(quotient, spread(1), spread(SHW_REGION_SIDE_MAX));
}

/* shw_region_mean() */
VECTOR struct responses mean_of_regions(const struct depth_source *source, const struct centres *centres,
                                        const struct depth_side *side)
{
    lanes width = divide_side(centres, bits_and(side->size, spread(0xffff)));
    lanes height = divide_side(centres, shift_right(side->size, 16));
    struct regions at = {
        subtract(add(centres->x, divide_offset(centres, low_half(side->offset))), shift_right(width, 1)),
        subtract(add(centres->y, divide_offset(centres, high_half(side->offset))), shift_right(height, 1)), spread(0),
        spread(0)};
    lanes number, undefined;

    at.x1 = add(at.x0, width);
    at.y1 = add(at.y0, height);
    at = clamp_regions(source, &at);
    number = multiply(subtract(at.x1, at.x0), subtract(at.y1, at.y0));
    if (side->any_counted)
        number = count_regions(source, side, &at, number);
    undefined = is_equal(number, spread(0));
    return (struct responses){divide(sum_regions(source, side->plane, &at), maximum(number, spread(1))), undefined};
}

/* shw_curfil_depth(): `ahead` is 0 or 1. */
VECTOR lanes depth_by_integrals(const struct depth_source *source, lanes x, lanes y, int ahead)
{
    struct regions at = {minimum(add(x, spread(ahead)), source->x1), minimum(add(y, spread(ahead)), source->y1),
                         spread(0), spread(0)};

    at.x1 = minimum(add(at.x0, spread(1)), source->x1);
    at.y1 = minimum(add(at.y0, spread(1)), source->y1);
    return sum_regions(source, spread(0), &at);
}

/* CURFIL's regions do not move where there is no depth, and are as small as they can be: the factor is zero there. */
VECTOR struct centres curfil_centres(lanes x, lanes y, lanes depth)
{
    struct centres centres = centres_with_depth(x, y, depth);

    centres.factor = choose(is_equal(depth, spread(0)), spread(0), centres.factor);
    return centres;
}

/* shw_curfil_place() */
VECTOR struct regions curfil_regions(const struct centres *centres, const struct depth_side *side)
{
    const lanes one = spread(1), most = spread(SHW_CURFIL_HALF_MAX);
    lanes half_width = clamp(divide_length(centres, bits_and(side->size, spread(0xffff))), one, most);
    lanes half_height = clamp(divide_length(centres, shift_right(side->size, 16)), one, most);
    lanes x = add(add(centres->x, divide_offset(centres, low_half(side->offset))), one);
    lanes y = add(add(centres->y, divide_offset(centres, high_half(side->offset))), one);

    return (struct regions){subtract(x, half_width), subtract(y, half_height), add(x, half_width), add(y, half_height)};
}

/* shw_curfil_side(). A counted sum is below 2^31 and its quotient in sixteenths below 2^19. */
VECTOR struct responses curfil_side(const struct depth_source *source, const struct centres *centres,
                                    const struct depth_side *side)
{
    struct regions region = curfil_regions(centres, side), at = clamp_regions(source, &region);
    lanes outside = bits_or(is_greater(region.x1, source->x1), is_greater(region.y1, source->y1));
    struct responses response;

    outside = bits_or(outside, is_greater(add(source->x0, spread(1)), region.x0));
    outside = bits_or(outside, is_greater(add(source->y0, spread(1)), region.y0));
    response = (struct responses){sum_regions(source, side->plane, &at), outside};
    if (side->any_counted) {
        lanes count = count_regions(source, side, &at, spread(1));
        lanes mean = divide_scaled(response.value, 1 << SHW_CURFIL_MEAN_BITS, maximum(count, spread(1)), 0);
        response.value = choose(side->is_counted, mean, response.value);
        response.undefined = bits_or(outside, is_equal(count, spread(0)));
    }
    return response;
}

/* shw_depth_look() of both types */
VECTOR struct responses look_at_depth(const struct depth_source *source, const struct centres *centres,
                                      const struct depth_side *side, enum shw_depth_feature kind)
{
    const lanes one = spread(1), low = low_half(side->offset), high = high_half(side->offset);
    const bool kinect = kind == SHW_DEPTH_FEATURE_KINECT;
    lanes x = add(centres->x, kinect ? divide_offset_down(centres, low) : divide_offset(centres, low));
    lanes y = add(centres->y, kinect ? divide_offset_down(centres, high) : divide_offset(centres, high));
    lanes inside_x = clamp(x, source->x0, subtract(source->x1, one));
    lanes inside_y = clamp(y, source->y0, subtract(source->y1, one)), depth, missing;

    depth = gather_short(source->planes, add(multiply(inside_y, source->stride), inside_x));
    missing = is_equal(depth, spread(0));
    if (kinect) /* SHW_BACKGROUND, the greatest of 16 bits */
        return (struct responses){bits_or(depth, bits_and(missing, spread(INT16_MAX))), spread(0)};
    missing = bits_or(missing, bits_xor(is_equal(x, inside_x), spread(-1)));
    return (struct responses){depth, bits_or(missing, bits_xor(is_equal(y, inside_y), spread(-1)))};
}

VECTOR struct responses depth_side_of(const struct depth_source *source, const struct centres *centres,
                                      const struct depth_side *side, enum shw_depth_feature kind)
{
    if (kind == SHW_DEPTH_FEATURE_MEANS)
        return mean_of_regions(source, centres, side);
    if (kind == SHW_DEPTH_FEATURE_CURFIL)
        return curfil_side(source, centres, side);
    return look_at_depth(source, centres, side, kind);
}

/* The difference of two sides; the second one counts where the mask `has_second` is set. */
VECTOR struct responses difference_of(const struct depth_source *source, const struct centres *centres,
                                      const struct depth_side *first, const struct depth_side *second, lanes has_second,
                                      enum shw_depth_feature kind)
{
    struct responses one = depth_side_of(source, centres, first, kind),
                     other = depth_side_of(source, centres, second, kind);

    return (struct responses){subtract(one.value, bits_and(other.value, has_second)),
                              bits_or(one.undefined, bits_and(other.undefined, has_second))};
}

/* All bits where bit `number` of `words` is set. */
VECTOR lanes mask_of_bit(lanes words, uint32_t number)
{
    return shift_down(shift_left(words, 31 - (int)number), 31);
}

/* Side `number` of features with these heads and these words. */
VECTOR struct depth_side side_of(const struct depth_source *source, uint32_t number, lanes head, lanes offset,
                                 lanes size)
{
    lanes channel =
        bits_and(shift_right(head, (int)(number * SHW_NODE_CHANNEL_BITS)), spread((int32_t)SHW_NODE_CHANNEL_MASK));
    lanes is_counted = mask_of_bit(head, SHW_NODE_COUNTED_SHIFT + number);

    if (source->is_complete)
        is_counted = bits_and(is_counted, bits_xor(is_equal(channel, spread(0)), spread(-1)));
    return (struct depth_side){multiply(source->pitch, channel), offset, size, is_counted, signs_of(is_counted) != 0};
}

/* Where CURFIL's responses are undefined for want of a depth. */
VECTOR lanes curfil_void(const struct centres *centres, lanes head)
{
    lanes here = bits_xor(mask_of_bit(head, SHW_CURFIL_AHEAD_SHIFT), spread(-1));

    return bits_and(is_equal(centres->depth, spread(0)), here);
}

/* Of 16-bit planes one at a time, and of integral images as they are where nothing follows them. */
VECTOR lanes depth_at(const struct depth_source *source, lanes x, lanes y, int ahead, enum shw_depth_feature kind)
{
    if (kind == SHW_DEPTH_FEATURE_PIXELS || kind == SHW_DEPTH_FEATURE_KINECT)
        return gather_short(source->planes, add(multiply(y, source->stride), x));
    return depth_by_integrals(source, x, y, ahead);
}

VECTOR struct centres centres_of(lanes x, lanes y, lanes depth, enum shw_depth_feature kind)
{
    return kind == SHW_DEPTH_FEATURE_CURFIL ? curfil_centres(x, y, depth) : centres_with_depth(x, y, depth);
}

/* Descent. */

#define NODE_WORDS (4u * SHW_NODE_TEXELS)
#define PLACES     (SHW_PATCH_WIDTH * SHW_PATCH_HEIGHT)

/* Place of a pixel in a patch: row * SHW_PATCH_WIDTH + column. */
#define PLACE_Y_SHIFT 6
_Static_assert(SHW_PATCH_WIDTH == 1u << PLACE_Y_SHIFT, "rows of places are shifted");
#define PLACE_X(place) ((place) % SHW_PATCH_WIDTH)
#define PLACE_Y(place) ((place) / SHW_PATCH_WIDTH)

/* What divides by the depths of a patch's pixels, by place; and the depths. */
struct depths {
    bool is_there;
    uint32_t depth[PLACES], factor[PLACES], shift[PLACES];
};

/* Pixels that are at splits, and their nodes; vectors read past the end. */
struct walkers {
    uint32_t count;
    uint32_t place[PLACES + LANES], node[PLACES + LANES];
};

struct descent {
    const struct shw_evaluate_patch *patch;
    struct depth_source source;
    const uint32_t *root;
    /* [1]: by the depths of the pixels to the right and below, if a test asks for that. */
    struct depths depths[2];
    struct walkers walkers;
};

/* Tests of these types may read the whole image, so that the planes of a tile hold it unless the forest has no tests;
 * what they do not hold is read by nothing. */
VECTOR struct depth_source source_of(const struct shw_evaluate_tile *tile, enum shw_depth_feature kind)
{
    const int32_t more = kind == SHW_DEPTH_FEATURE_MEANS || kind == SHW_DEPTH_FEATURE_CURFIL;
    const int32_t stride = (int32_t)tile->width + more, pitch = stride * ((int32_t)tile->height + more);
    const struct shw_rect held = shw_rect_held(tile->image, (int32_t)tile->width, (int32_t)tile->height);
    bool is_complete = false;

    if (kind == SHW_DEPTH_FEATURE_MEANS) {
        const uint32_t *counts = (const uint32_t *)tile->planes + pitch;
        const uint32_t *top = counts + held.y0 * stride, *bottom = counts + held.y1 * stride;
        is_complete = bottom[held.x1] - bottom[held.x0] - top[held.x1] + top[held.x0] == shw_rect_area(held);
    }
    return (struct depth_source){tile->planes,    spread(stride),  spread(pitch),   spread(held.x0),
                                 spread(held.y0), spread(held.x1), spread(held.y1), is_complete};
}

VECTOR lanes column_of(const struct shw_evaluate_patch *patch, lanes place)
{
    lanes column = bits_and(place, spread(SHW_PATCH_WIDTH - 1));

    return add(multiply(column, spread((int32_t)patch->tile->step)), spread((int32_t)patch->x));
}

VECTOR lanes row_of(const struct shw_evaluate_patch *patch, lanes place)
{
    lanes row = shift_right(place, PLACE_Y_SHIFT);

    return add(multiply(row, spread((int32_t)patch->tile->step)), spread((int32_t)patch->y));
}

/* For patches of any width: columns past the end are clamped into the image. */
VECTOR void divide_by_depths(struct descent *descent, int ahead, enum shw_depth_feature kind)
{
    struct depths *depths = &descent->depths[ahead];
    const struct depth_source *source = &descent->source;

    for (uint32_t place = 0; place < descent->patch->height * SHW_PATCH_WIDTH; place += LANES) {
        lanes places = add(spread((int32_t)place), count_lanes());
        lanes x = minimum(column_of(descent->patch, places), subtract(source->x1, spread(1)));
        lanes y = row_of(descent->patch, places);
        struct centres centres = centres_of(x, y, depth_at(source, x, y, ahead, kind), kind);
        store(depths->depth + place, centres.depth);
        store(depths->factor + place, centres.factor);
        store(depths->shift + place, centres.shift);
    }
    depths->is_there = true;
}

VECTOR struct centres centres_at(const struct descent *descent, lanes place, int ahead)
{
    const struct depths *depths = &descent->depths[ahead];

    return (struct centres){column_of(descent->patch, place), row_of(descent->patch, place),
                            gather(depths->depth, place), gather(depths->factor, place), gather(depths->shift, place)};
}

/* CURFIL's tests ask for one depth or the other, mostly all of them for the same one. */
VECTOR struct centres curfil_centres_at(struct descent *descent, lanes place, lanes head)
{
    const lanes ahead = mask_of_bit(head, SHW_CURFIL_AHEAD_SHIFT);
    const uint32_t all = (1u << LANES) - 1, which = signs_of(ahead) & all;
    struct centres centres, other;

    for (int i = 0; i < 2; i++)
        if (which != (i == 0 ? all : 0) && !descent->depths[i].is_there)
            divide_by_depths(descent, i, SHW_DEPTH_FEATURE_CURFIL);
    centres = centres_at(descent, place, which != 0);
    if (which == 0 || which == all)
        return centres;
    other = centres_at(descent, place, 0);
    centres.depth = choose(ahead, centres.depth, other.depth);
    centres.factor = choose(ahead, centres.factor, other.factor);
    centres.shift = choose(ahead, centres.shift, other.shift);
    return centres;
}

/* Adds a pixel that is now at `node` to the walkers. If the node is a leaf, its number stays in `leaves`, and the next
 * pixel takes the walker's place. */
VECTOR void arrive(struct descent *descent, uint32_t place, uint32_t node, uint32_t *leaves)
{
    const uint32_t *words = descent->root + (size_t)NODE_WORDS * node;
    struct walkers *walkers = &descent->walkers;

    leaves[PLACE_Y(place) * descent->patch->width + PLACE_X(place)] = words[2];
    walkers->place[walkers->count] = place;
    walkers->node[walkers->count] = node;
    walkers->count += words[1] >> SHW_NODE_SPLIT_SHIFT & 1;
}

/* Pixels without depth are void, except by CURFIL's rule. */
VECTOR bool is_void(const struct descent *descent, uint32_t place, enum shw_depth_feature kind)
{
    return kind != SHW_DEPTH_FEATURE_CURFIL && descent->depths[0].depth[place] == 0;
}

VECTOR void begin(struct descent *descent, uint32_t *leaves, enum shw_depth_feature kind)
{
    const struct shw_evaluate_patch *patch = descent->patch;

    if (kind != SHW_DEPTH_FEATURE_CURFIL)
        divide_by_depths(descent, 0, kind);
    for (uint32_t y = 0; y < patch->height; y++)
        for (uint32_t x = 0; x < patch->width; x++) {
            uint32_t place = y * SHW_PATCH_WIDTH + x;
            if (is_void(descent, place, kind))
                leaves[y * patch->width + x] = SHW_LEAF_NONE;
            else
                arrive(descent, place, 0, leaves);
        }
}

/* The nodes that the pixels at `place` go to from nodes with these words. */
VECTOR lanes test(struct descent *descent, lanes place, const lanes words[NODE_WORDS], enum shw_depth_feature kind)
{
    const bool is_curfil = kind == SHW_DEPTH_FEATURE_CURFIL;
    const lanes has_second = mask_of_bit(words[1], SHW_NODE_SECOND_SHIFT);
    const struct depth_side first = side_of(&descent->source, 0, words[1], words[4], words[5]),
                            second = side_of(&descent->source, 1, words[1], words[6], words[7]);
    struct centres centres = is_curfil ? curfil_centres_at(descent, place, words[1]) : centres_at(descent, place, 0);
    struct responses response = difference_of(&descent->source, &centres, &first, &second, has_second, kind);
    lanes right;

    if (is_curfil)
        response.undefined = bits_or(response.undefined, curfil_void(&centres, words[1]));
    right = bits_and(is_greater(words[3], response.value), bits_xor(is_greater(words[2], response.value), spread(-1)));
    return subtract(words[0], bits_or(right, response.undefined)); /* a mask is -1 */
}

/* One level. */
VECTOR void step_down(struct descent *descent, uint32_t *leaves, enum shw_depth_feature kind)
{
    struct walkers *walkers = &descent->walkers;
    const uint32_t count = walkers->count;

    store(walkers->place + count, spread(0));
    store(walkers->node + count, spread(0));
    walkers->count = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        uint32_t places[LANES], nodes[LANES], active = count - i < LANES ? count - i : LANES;
        lanes words[NODE_WORDS], place = load(walkers->place + i);
        load_rows(descent->root, load(walkers->node + i), words);
        store(nodes, test(descent, place, words, kind));
        store(places, place);
        for (uint32_t l = 0; l < active; l++)
            arrive(descent, places[l], nodes[l], leaves);
    }
}

/* A fern: the nodes that pixels would be at are the results of the tests so far. */
VECTOR void evaluate_fern(struct descent *descent, const struct shw_fern *fern, uint32_t *leaves,
                          enum shw_depth_feature kind)
{
    const uint32_t width = descent->patch->width;
    uint32_t *place = descent->walkers.place, *result = descent->walkers.node, count = 0;

    if (kind != SHW_DEPTH_FEATURE_CURFIL)
        divide_by_depths(descent, 0, kind);
    for (uint32_t y = 0; y < descent->patch->height; y++)
        for (uint32_t x = 0; x < width; x++) {
            place[count] = y * SHW_PATCH_WIDTH + x;
            leaves[y * width + x] = SHW_LEAF_NONE;
            count += !is_void(descent, place[count], kind);
        }
    store(place + count, spread((int32_t)place[0]));
    for (uint32_t i = 0; i < count; i += LANES) {
        lanes places = load(place + i), results = spread(0);
        for (uint32_t level = 0; level < fern->levels; level++) {
            lanes words[NODE_WORDS];
            for (uint32_t w = 0; w < NODE_WORDS; w++)
                words[w] = spread((int32_t)fern->tests[NODE_WORDS * level + w]);
            words[0] = add(results, results);
            results = test(descent, places, words, kind);
        }
        store(result + i, results);
    }
    for (uint32_t i = 0; i < count; i++)
        leaves[PLACE_Y(place[i]) * width + PLACE_X(place[i])] = fern->leaves[result[i]];
}

VECTOR void evaluate(const struct shw_evaluate_patch *patch, uint32_t tree, uint32_t *leaves,
                     enum shw_depth_feature kind)
{
    const uint32_t *texels = patch->tile->texels;
    struct descent descent;

    descent.patch = patch;
    descent.source = source_of(patch->tile, kind);
    descent.root = texels + 4 * (size_t)texels[4 * (1 + (size_t)tree)];
    descent.depths[0].is_there = descent.depths[1].is_there = false;
    descent.walkers.count = 0;
    if (patch->tile->ferns != NULL) {
        evaluate_fern(&descent, &patch->tile->ferns[tree], leaves, kind);
        return;
    }
    begin(&descent, leaves, kind);
    while (descent.walkers.count > 0)
        step_down(&descent, leaves, kind);
}

#define EVALUATE(name, kind)                                                                                           \
    TARGET void PATCH(name)(const struct shw_evaluate_patch *patch, uint32_t tree, uint64_t *blocks, uint32_t *leaves) \
    {                                                                                                                  \
        (void)blocks;                                                                                                  \
        evaluate(patch, tree, leaves, kind);                                                                           \
    }

EVALUATE(depth_mean, SHW_DEPTH_FEATURE_MEANS)
EVALUATE(curfil, SHW_DEPTH_FEATURE_CURFIL)
EVALUATE(depth_pixel, SHW_DEPTH_FEATURE_PIXELS)
EVALUATE(kinect, SHW_DEPTH_FEATURE_KINECT)
