#version 450
#extension GL_GOOGLE_include_directive : require
/* Sums of the rows of each tile, and of the columns of each group of tiles. */
#include "integral_tile.glsl"

layout(std430, set = 0, binding = SHW_INTEGRAL_SUMS) writeonly buffer Sums {
    uint sums[];
};

shared uint row_parts[SHW_INTEGRAL_TILE_HEIGHT][segments + 1];
shared uint column_parts[half_height][SHW_INTEGRAL_TILE_WIDTH];
shared uint column_sums[SHW_INTEGRAL_TILE_WIDTH];

void main()
{
    uint thread = gl_LocalInvocationIndex, segment = thread % segments, row = thread / segments;
    uint plane = gl_WorkGroupID.z, first = plane * push.sums_pitch;
    uint columns[8];

    for (int i = 0; i < 8; i++)
        columns[i] = 0u;
    for (uint tile = 0u; tile < push.group_tiles; tile++) {
        uint top = (gl_WorkGroupID.y * push.group_tiles + tile) * SHW_INTEGRAL_TILE_HEIGHT;
        for (uint part = 0u; part < 2u; part++) {
            uint values[8], sum = 0u;
            read_pixels(plane, gl_WorkGroupID.x * segments + segment, top + row + part * half_height, values);
            for (int i = 0; i < 8; i++) {
                columns[i] += values[i];
                sum += values[i];
            }
            row_parts[row + part * half_height][segment] = sum;
        }
        barrier();
        if (thread < SHW_INTEGRAL_TILE_HEIGHT && top + thread < push.height) {
            uint sum = 0u;
            for (uint i = 0u; i < segments; i++)
                sum += row_parts[thread][i];
            sums[first + gl_WorkGroupID.x * push.rows_pitch + top + thread] = sum;
        }
        barrier();
    }
    for (int i = 0; i < 8; i++)
        column_parts[row][8u * segment + uint(i)] = columns[i];
    barrier();
    if (thread < SHW_INTEGRAL_TILE_WIDTH) {
        uint sum = 0u;
        for (uint i = 0u; i < half_height; i++)
            sum += column_parts[i][thread];
        sums[first + push.columns_first + gl_WorkGroupID.y * push.columns_pitch +
             gl_WorkGroupID.x * SHW_INTEGRAL_TILE_WIDTH + thread] = sum;
        column_sums[thread] = sum;
    }
    barrier();
    if (thread == 0u) {
        uint sum = 0u;
        for (uint i = 0u; i < SHW_INTEGRAL_TILE_WIDTH; i++)
            sum += column_sums[i];
        sums[first + push.totals_first + gl_WorkGroupID.y * push.tile_columns + gl_WorkGroupID.x] = sum;
    }
}
