/* Responses of the feature types that divide by the depth at the pixel, with vector instructions: the arithmetic of
 * shared/centre.h and of the types' headers, LANES pixels or features at a time. The including file includes one of
 * lanes_*.h before. Masks of lanes have all bits set or none. */
#include "dense/feature/feature_types.h"
#include "shared/curfil_region.h"
#include "shared/depth_region.h"

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
