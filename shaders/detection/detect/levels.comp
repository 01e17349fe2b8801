#version 450
#extension GL_GOOGLE_include_directive : require
/* The levels of the pyramid: a work group resamples a part of one from its octave, shrinks it and, if BLUR, blurs it. */
#include "detect.h"
#include "detect_push.h"

layout(local_size_x = SHW_DETECT_GROUP) in;
layout(push_constant) uniform Push {
    shw_detect_levels_push push;
};
layout(constant_id = 0) const bool BLUR = false;
layout(constant_id = 1) const uint SHRINK = 1u;

layout(set = 0, binding = SHW_DETECT_LEVELS) readonly buffer Levels {
    shw_detect_level_entry levels[];
};
layout(set = 0, binding = SHW_DETECT_TABLES) readonly buffer Tables {
    uvec2 tables[];
};
layout(set = 0, binding = SHW_DETECT_PLANES) readonly buffer Planes {
    uint planes[];
};
layout(set = 0, binding = SHW_DETECT_VALUES) writeonly buffer Values {
    uint values[];
};

#define EDGE   (BLUR ? 1u : 0u) /* pixels around the part */
#define WIDTH  (SHW_DETECT_LEVEL_TILE_WIDTH + 2u * EDGE)
#define HEIGHT (SHW_DETECT_LEVEL_TILE_HEIGHT + 2u * EDGE)

/* Of columns and rows before shrinking: the pixel of the octave, and from bit 0 on the weight of the next one, 0..256 */
#define WEIGHT_BITS 9u
shared uint columns[(SHW_DETECT_LEVEL_TILE_WIDTH + 2u) * SHRINK];
shared uint rows[(SHW_DETECT_LEVEL_TILE_HEIGHT + 2u) * SHRINK];
shared uint pixels[(SHW_DETECT_LEVEL_TILE_WIDTH + 2u) * (SHW_DETECT_LEVEL_TILE_HEIGHT + 2u)];

uint sample_of(uint i, uint first, uint size, uint scaled, uint full)
{
    uint pixel = min(uint(max(int(first + i / SHRINK) - int(EDGE), 0)), size - 1u);
    shw_uint2 place = shw_detect_sample(pixel * SHRINK + i % SHRINK, scaled, full);

    return place.x << WEIGHT_BITS | place.y;
}

/* Two neighbours in a row of the octave, of which the second may be beyond its end. */
uvec2 pair_at(uint row, uint x, uint last)
{
    uint word = planes[row + (x >> 1u)], next = min(x + 1u, last);

    return uvec2((x & 1u) == 0u ? word & 0xffffu : word >> 16u,
                 (next & 1u) != 0u ? word >> 16u : planes[row + (next >> 1u)] & 0xffffu);
}

uint shrunk_at(uint x, uint y, shw_detect_level_entry level)
{
    uint sum = 0u, words = (level.octave_width + 1u) / 2u;

    for (uint i = 0u; i < SHRINK; i++) {
        uint row = rows[y * SHRINK + i], weight = row & ((1u << WEIGHT_BITS) - 1u);
        uint upper = level.octave_first + (row >> WEIGHT_BITS) * words;
        uint lower = level.octave_first + min((row >> WEIGHT_BITS) + 1u, level.octave_height - 1u) * words;
        for (uint j = 0u; j < SHRINK; j++) {
            uint column = columns[x * SHRINK + j];
            uvec2 above = pair_at(upper, column >> WEIGHT_BITS, level.octave_width - 1u);
            uvec2 below = pair_at(lower, column >> WEIGHT_BITS, level.octave_width - 1u);
            sum += shw_detect_between(above.x, above.y, below.x, below.y,
                                      shw_uint2(column & ((1u << WEIGHT_BITS) - 1u), weight));
        }
    }
    return shw_detect_shrunk(sum, SHRINK);
}

uint pixel_at(uint x, uint y)
{
    if (!BLUR)
        return pixels[y * WIDTH + x];
    uint sum = 0u;
    for (uint i = 0u; i < 3u; i++)
        sum += (i == 1u ? 2u : 1u) * shw_detect_blur3(pixels[(y + i) * WIDTH + x], pixels[(y + i) * WIDTH + x + 1u],
                                                      pixels[(y + i) * WIDTH + x + 2u]);
    return shw_detect_blurred(sum);
}

void main()
{
    uvec2 tile = tables[push.first_tile + gl_WorkGroupID.x];
    uvec2 first = uvec2(tile.y & 0xffffu, tile.y >> 16u);
    shw_detect_level_entry level = levels[tile.x];

    for (uint i = gl_LocalInvocationIndex; i < WIDTH * SHRINK; i += SHW_DETECT_GROUP)
        columns[i] = sample_of(i, first.x, level.width, level.scaled_width, level.octave_width);
    for (uint i = gl_LocalInvocationIndex; i < HEIGHT * SHRINK; i += SHW_DETECT_GROUP)
        rows[i] = sample_of(i, first.y, level.height, level.scaled_height, level.octave_height);
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < WIDTH * HEIGHT; i += SHW_DETECT_GROUP)
        pixels[i] = shrunk_at(i % WIDTH, i / WIDTH, level);
    barrier();
    uint x = 2u * (gl_LocalInvocationIndex % (SHW_DETECT_LEVEL_TILE_WIDTH / 2u));
    uint y = gl_LocalInvocationIndex / (SHW_DETECT_LEVEL_TILE_WIDTH / 2u);
    if (first.x + x < level.width && first.y + y < level.height)
        values[(level.first + (first.y + y) * level.stride + first.x + x) >> 1u] =
            pixel_at(x, y) | pixel_at(x + 1u, y) << 16u;
}
