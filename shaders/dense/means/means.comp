#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
/* Mean planes from channels: a work group makes a tile of all planes of a channel, from the integral image of what their
 * rectangles cover, in shared memory. */
#include "means_push.h"
#include "rectangle.h"

layout(local_size_x = SHW_MEANS_THREADS) in;
layout(constant_id = 0) const uint margin = 0u;
layout(constant_id = 1) const uint tile_rows = 8u;
layout(push_constant) uniform Push {
    shw_means_push push;
};
layout(std430, set = 0, binding = SHW_MEANS_CHANNELS) readonly restrict buffer Channels {
    uint channels[]; /* pairs of pixels */
};
layout(std430, set = 0, binding = SHW_MEANS_TABLE) readonly restrict buffer Table {
    uvec4 table[]; /* channels, then planes */
};
layout(std430, set = 0, binding = SHW_MEANS_MEANS) writeonly restrict buffer Means {
    uint means[]; /* pairs of elements */
};

const uint pairs = SHW_MEANS_PAIRS(margin), half_row = SHW_MEANS_HALF(margin), pitch = SHW_MEANS_PITCH(margin);
const uint height = SHW_MEANS_HEIGHT(margin, tile_rows);
const uint left_out = margin & 1u; /* columns to the left of what the rectangles cover */
/* Columns are divided into parts of some rows, and rows into parts of some pairs of columns, one for each thread. */
const uint column_parts = SHW_MEANS_THREADS / pairs, rows_per_part = (height + column_parts - 1u) / column_parts;
const uint row_parts = SHW_MEANS_ROW_PARTS, pairs_per_part = (pairs + row_parts - 1u) / row_parts;
const uint rows_at_once = SHW_MEANS_THREADS / row_parts, rounds = (height + rows_at_once - 1u) / rows_at_once;
const uint pair_columns = SHW_MEANS_COLUMNS / 2u, rows_each = tile_rows * pair_columns / SHW_MEANS_THREADS;

shared uint sums[SHW_MEANS_SUMS(margin, tile_rows)]; /* of all pixels above and to the left */
shared uint column_sums[SHW_MEANS_COLUMN_SUMS];      /* of each part, then of the parts above it */
shared uint row_sums[SHW_MEANS_ROW_SUMS];            /* of each part */

/* Sums down the columns of each part. Pixels outside are never part of a clipped rectangle, so it does not matter what
 * is read in their place. */
void add_columns(uint thread, uint channel, ivec2 origin)
{
    uint pair = thread % pairs, part = thread / pairs, left = 0u, right = 0u;
    uint word = channel * push.channel_pitch + uint(clamp((origin.x >> 1) + int(pair), 0, int(push.channel_stride) - 1));

    if (thread < pitch)
        sums[thread] = 0u;
    if (part >= column_parts)
        return;
    [[unroll]] for (uint i = 0u; i < rows_per_part; ++i) {
        uint row = part * rows_per_part + i;
        int y = clamp(origin.y + int(row), push.held_y0, push.held_y1 - 1);
        int two = int(channels[word + uint(y) * push.channel_stride]);
        left += uint(bitfieldExtract(two, 0, 16));
        right += uint(two >> 16);
        if (row < height) {
            sums[(row + 1u) * pitch + pair] = left;
            sums[(row + 1u) * pitch + half_row + pair] = right;
        }
    }
    column_sums[part * 2u * pairs + pair] = left;
    column_sums[part * 2u * pairs + pairs + pair] = right;
}

void add_parts(uint thread)
{
    uint sum = 0u;

    if (thread >= 2u * pairs)
        return;
    [[unroll]] for (uint part = 0u; part < column_parts; ++part) {
        uint own = column_sums[part * 2u * pairs + thread];
        column_sums[part * 2u * pairs + thread] = sum;
        sum += own;
    }
}

/* Sums along rows, each by several threads, all of which have ended when it returns. */
void add_rows(uint thread)
{
    uint part = thread / rows_at_once, begin = part * pairs_per_part;

    [[unroll]] for (uint i = 0u; i < rounds; ++i) {
        uint own = i * rows_at_once + thread % rows_at_once, row = min(own, height - 1u);
        bool there = own < height;
        uint at = (row + 1u) * pitch, above = row / rows_per_part * 2u * pairs, sum = 0u;
        uint left[pairs_per_part], right[pairs_per_part];

        [[unroll]] for (uint k = 0u; k < pairs_per_part; ++k) {
            uint pair = min(begin + k, pairs - 1u);
            uint even = sums[at + pair] + column_sums[above + pair];
            uint odd = sums[at + half_row + pair] + column_sums[above + pairs + pair];
            left[k] = sum;
            right[k] = sum + even;
            sum += begin + k < pairs ? even + odd : 0u;
        }
        row_sums[thread] = sum;
        barrier();
        sum = 0u;
        [[unroll]] for (uint other = 0u; other + 1u < row_parts; ++other)
            sum += other < part ? row_sums[other * rows_at_once + thread % rows_at_once] : 0u;
        [[unroll]] for (uint k = 0u; k < pairs_per_part; ++k)
            if (there && begin + k < pairs) {
                sums[at + begin + k] = left[k] + sum;
                sums[at + half_row + begin + k] = right[k] + sum;
            }
        if (there && part == row_parts - 1u)
            sums[at + pairs] = sum + row_sums[thread];
        barrier();
    }
}

/* Where column `column` is in a row. */
uint place_of(uint column)
{
    return (column & 1u) * half_row + (column >> 1u);
}

uint sum_of(uint above, uint below, uint left, uint right)
{
    return sums[below + right] - sums[below + left] - sums[above + right] + sums[above + left];
}

int value_of(uint sum, uvec4 plane)
{
    return push.is_sum != 0u ? int(sum) : shw_mean_by(int(sum), plane.z, plane.w);
}

int clipped_value_of(uint sum, int area)
{
    return push.is_sum != 0u ? int(sum) : shw_mean(int(sum), uint(area));
}

uint word_of(int even, int odd)
{
    return uint(even) & 0xffffu | uint(odd) << 16u;
}

/* A thread makes pairs of elements in some rows. */
void make_plane(uint thread, uint number, ivec2 begin, ivec2 origin)
{
    uvec4 plane = table[push.channels + number];
    uint pair = thread % pair_columns, row = thread / pair_columns * rows_each;
    ivec2 element = begin + ivec2(2u * pair, row), low = element - int(margin), high = low + ivec2(plane.xy);
    uint to = push.means_first + number * push.means_pitch + uint(element.y) * push.means_stride + uint(element.x >> 1);
    bool inside = all(greaterThanEqual(low, ivec2(push.held_x0, push.held_y0))) &&
                  all(lessThanEqual(high + ivec2(1u, rows_each - 1u), ivec2(push.held_x1, push.held_y1)));

    if (inside) {
        uint above = row * pitch + pair, below = above + plane.y * pitch;
        uint left0 = place_of(left_out), left1 = place_of(left_out + 1u);
        uint right0 = place_of(left_out + plane.x), right1 = place_of(left_out + plane.x + 1u);
        [[unroll]] for (uint k = 0u; k < rows_each; ++k, above += pitch, below += pitch, to += push.means_stride)
            means[to] = word_of(value_of(sum_of(above, below, left0, right0), plane),
                                value_of(sum_of(above, below, left1, right1), plane));
        return;
    }
    if (element.x >= int(push.width))
        return;
    ivec2 x0 = clamp(low.xx + ivec2(0, 1), push.held_x0, push.held_x1 - 1);
    ivec2 x1 = clamp(high.xx + ivec2(0, 1), x0 + 1, ivec2(push.held_x1));
    uvec2 left = uvec2(place_of(uint(x0.x - origin.x)), place_of(uint(x0.y - origin.x)));
    uvec2 right = uvec2(place_of(uint(x1.x - origin.x)), place_of(uint(x1.y - origin.x)));
    for (uint k = 0u; k < rows_each && element.y + int(k) < int(push.height); ++k, to += push.means_stride) {
        int y0 = clamp(low.y + int(k), push.held_y0, push.held_y1 - 1);
        int y1 = clamp(high.y + int(k), y0 + 1, push.held_y1);
        uint above = uint(y0 - origin.y) * pitch, below = uint(y1 - origin.y) * pitch;
        means[to] = word_of(clipped_value_of(sum_of(above, below, left.x, right.x), (x1.x - x0.x) * (y1 - y0)),
                            clipped_value_of(sum_of(above, below, left.y, right.y), (x1.y - x0.y) * (y1 - y0)));
    }
}

void main()
{
    uint thread = gl_LocalInvocationIndex;
    uvec4 channel = table[gl_WorkGroupID.z];
    ivec2 begin = ivec2(gl_WorkGroupID.xy) * ivec2(SHW_MEANS_COLUMNS, tile_rows);
    ivec2 origin = begin - int(margin) - ivec2(left_out, 0u);

    add_columns(thread, channel.x, origin);
    barrier();
    add_parts(thread);
    barrier();
    add_rows(thread);
    for (uint number = channel.y; number < channel.z; ++number)
        make_plane(thread, number, begin, origin);
}
