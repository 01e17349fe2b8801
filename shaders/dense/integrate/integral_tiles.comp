#version 450
#extension GL_GOOGLE_include_directive : require
/* The integral image, tile by tile from the top of a group to its bottom. The sums of everything above a group are
 * added to its first row, and the sums of everything to the left to the beginning of each row; what remains are sums
 * along rows and columns of the tile. */
#include "integral_tile.glsl"

layout(std430, set = 0, binding = SHW_INTEGRAL_SUMS) readonly buffer Sums {
    uint sums[];
};
layout(std430, set = 0, binding = SHW_INTEGRAL_INTEGRALS) writeonly buffer Integrals {
    uint integrals[];
};

#ifdef WINDOWS
#include "windows.h"
#if SHW_WINDOWS != 8
#error "the windows below are 8"
#endif
layout(constant_id = 0) const uint window_shift = 31u;
#define WINDOW(number)                                                                                \
    layout(std430, set = 0, binding = SHW_INTEGRAL_MORE + number - 1u) writeonly buffer Integrals##number { \
        uint integrals##number[];                                                                     \
    }
WINDOW(1);
WINDOW(2);
WINDOW(3);
WINDOW(4);
WINDOW(5);
WINDOW(6);
WINDOW(7);

void put(uint place, uint value)
{
    uint window = place >> window_shift, at = place & ((1u << window_shift) - 1u);

    if (window == 0u)
        integrals[at] = value;
    else if (window == 1u)
        integrals1[at] = value;
    else if (window == 2u)
        integrals2[at] = value;
    else if (window == 3u)
        integrals3[at] = value;
    else if (window == 4u)
        integrals4[at] = value;
    else if (window == 5u)
        integrals5[at] = value;
    else if (window == 6u)
        integrals6[at] = value;
    else
        integrals7[at] = value;
}
#else
void put(uint place, uint value)
{
    integrals[place] = value;
}
#endif

shared uint above[2][SHW_INTEGRAL_TILE_WIDTH];
shared uint corners[128];
shared uint row_parts[SHW_INTEGRAL_TILE_HEIGHT][segments + 1], left_parts[SHW_INTEGRAL_TILE_HEIGHT][segments + 1];
shared uint values_of[SHW_INTEGRAL_TILE_HEIGHT][SHW_INTEGRAL_TILE_WIDTH + 2];
shared uint column_halves[2][SHW_INTEGRAL_TILE_WIDTH];

/* Sums over the groups above: per column, and over everything above and to the left of these columns. */
void look_above(uint first, uint thread)
{
    uint column = thread % SHW_INTEGRAL_TILE_WIDTH, part = thread / SHW_INTEGRAL_TILE_WIDTH, sum = 0u;

    for (uint group = part; group < gl_WorkGroupID.y; group += 2u)
        sum += sums[first + push.columns_first + group * push.columns_pitch +
                    gl_WorkGroupID.x * SHW_INTEGRAL_TILE_WIDTH + column];
    above[part][column] = sum;
    sum = 0u;
    for (uint i = thread % 16u; i < gl_WorkGroupID.x; i += 16u)
        for (uint group = thread / 16u; group < gl_WorkGroupID.y; group += 8u)
            sum += sums[first + push.totals_first + group * push.tile_columns + i];
    corners[thread] = sum;
    barrier();
}

void main()
{
    uint thread = gl_LocalInvocationIndex, segment = thread % segments, row = thread / segments;
    uint column = thread % SHW_INTEGRAL_TILE_WIDTH, part = thread / SHW_INTEGRAL_TILE_WIDTH;
    uint plane = gl_WorkGroupID.z, first = plane * push.sums_pitch;
    uint x = gl_WorkGroupID.x * SHW_INTEGRAL_TILE_WIDTH + column;
    uint out_plane = push.integral_first + plane * push.integral_pitch;
    uint carried = 0u;

    look_above(first, thread);
    if (gl_WorkGroupID.y == 0u && part == 0u && x < push.width)
        put(out_plane + x + 1u, 0u);
    if (gl_WorkGroupID.x == 0u && gl_WorkGroupID.y == 0u && thread == 0u)
        put(out_plane, 0u);
    for (uint tile = 0u; tile < push.group_tiles; tile++) {
        uint top = (gl_WorkGroupID.y * push.group_tiles + tile) * SHW_INTEGRAL_TILE_HEIGHT;
        uint values[2][8];
        for (uint i = 0u; i < 2u; i++) {
            uint y = row + i * half_height, left = 0u;
            read_pixels(plane, gl_WorkGroupID.x * segments + segment, top + y, values[i]);
            if (tile == 0u && y == 0u)
                for (uint c = 0u; c < 8u; c++) {
                    values[i][c] += above[0][8u * segment + c] + above[1][8u * segment + c];
                    left += corners[16u * segment + 2u * c] + corners[16u * segment + 2u * c + 1u];
                }
            if (top + y < push.height)
                for (uint t = segment; t < gl_WorkGroupID.x; t += segments)
                    left += sums[first + t * push.rows_pitch + top + y];
            for (uint c = 1u; c < 8u; c++)
                values[i][c] += values[i][c - 1u];
            row_parts[y][segment] = values[i][7];
            left_parts[y][segment] = left;
        }
        barrier();
        for (uint i = 0u; i < 2u; i++) {
            uint y = row + i * half_height, sum = 0u;
            for (uint s = 0u; s < segments; s++)
                sum += left_parts[y][s] + (s < segment ? row_parts[y][s] : 0u);
            for (uint c = 0u; c < 8u; c++)
                values_of[y][8u * segment + c] = values[i][c] + sum;
        }
        barrier();
        uint sum = 0u;
        for (uint y = 0u; y < half_height; y++)
            sum += values_of[part * half_height + y][column];
        column_halves[part][column] = sum;
        barrier();
        sum = carried + (part == 1u ? column_halves[0][column] : 0u);
        carried += column_halves[0][column] + column_halves[1][column];
        for (uint i = 0u; i < half_height; i++) {
            uint y = part * half_height + i;
            uint to = out_plane + (top + y + 1u) * push.integral_stride + x + 1u;
            sum += values_of[y][column];
            if (x < push.width && top + y < push.height) {
                put(to, sum);
                if (x == 0u)
                    put(to - 1u, 0u);
            }
        }
        barrier();
    }
}
