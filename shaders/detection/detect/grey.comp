#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
/* The first pass: from the source, for SCALED (KIND 1) the grey image, and for PIXELS the image as values of 12 bits,
 * blurred if BLUR, and its octaves. A work group makes a square of the image and what the octaves have of it. With
 * AGAIN, from the plane that is octave 4 of an earlier pass, its octaves. */
#include "detect.h"
#include "detect_push.h"

layout(local_size_x = SHW_DETECT_GROUP) in;
layout(push_constant) uniform Push {
    shw_detect_grey_push push;
};
layout(constant_id = 0) const bool BLUR = false;

layout(set = 0, binding = SHW_DETECT_PLANES) buffer Planes {
    uint planes[];
};
layout(set = 0, binding = SHW_DETECT_VALUES) writeonly buffer Values {
    uint values[];
};
layout(set = 0, binding = SHW_DETECT_COUNTERS) writeonly buffer Counters {
    uint counters[];
};
layout(set = 0, binding = SHW_DETECT_FOUND) writeonly buffer Found {
    uint found[];
};

#define TILE SHW_DETECT_IMAGE_TILE

#if !AGAIN
#include "source_code.h"
#if SOURCE_IS_UINT
layout(set = 0, binding = SHW_DETECT_SOURCE) uniform utexture2D source;
#define CODES(at, code) texelFetch(source, at, 0).rgb
#else
#include "dense/channels/source_codes.glsl"
layout(set = 0, binding = SHW_DETECT_SOURCE) uniform texture2D source;
#define CODES(at, code) shw_codes(texelFetch(source, at, 0).rgb, code)
#endif

uint grey_at(ivec2 at)
{
    uint code = push.source & 127u;
    uvec3 codes = CODES(clamp(at, ivec2(0), ivec2(push.width, push.height) - 1), code);

    if (code >= SHW_SOURCE_UINT16)
        codes >>= 8u;
    return (push.source & 128u) != 0u ? codes.r : shw_detect_grey(codes.r, codes.g, codes.b);
}

/* Of this recording: nothing is found yet, and lists are empty. */
void reset()
{
    uint first = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * SHW_DETECT_GROUP;

    for (uint i = first + gl_LocalInvocationIndex; i < push.counter_words;
         i += gl_NumWorkGroups.x * gl_NumWorkGroups.y * SHW_DETECT_GROUP)
        counters[i] = uint(i % SHW_DETECT_COUNTER_WORDS == 1u || i % SHW_DETECT_COUNTER_WORDS == 2u);
    if (first == 0u && gl_LocalInvocationIndex < SHW_DETECT_HEADER_WORDS)
        found[gl_LocalInvocationIndex] = 0u;
}
#endif

#if KIND == 1
/* Four pixels of each of some rows. */
void main()
{
    uint words = (push.width + 3u) / 4u, column = gl_WorkGroupID.x * TILE / 4u + gl_LocalInvocationIndex % (TILE / 4u);
    uint row = gl_WorkGroupID.y * TILE + gl_LocalInvocationIndex / (TILE / 4u);

    reset();
    if (column >= words || row >= push.height)
        return;
    uint word = 0u;
    for (uint i = 0u; i < 4u; i++)
        word |= grey_at(ivec2(4u * column + i, row)) << 8u * i;
    values[row * words + column] = word;
}
#else

/* The square, and behind it what each octave has of it. */
shared uint pixels[TILE * TILE + TILE * TILE / 4u + TILE * TILE / 16u + TILE * TILE / 64u + TILE * TILE / 256u];

#if AGAIN
void load()
{
    for (uint i = gl_LocalInvocationIndex; i < TILE * TILE; i += SHW_DETECT_GROUP) {
        uvec2 at = min(gl_WorkGroupID.xy * TILE + uvec2(i % TILE, i / TILE), uvec2(push.width, push.height) - 1u);
        uint word = planes[push.first + at.y * ((push.width + 1u) / 2u) + at.x / 2u];
        pixels[i] = (at.x & 1u) == 0u ? word & 0xffffu : word >> 16u;
    }
    barrier();
}
#else
#define EDGE (TILE + 2u)
shared uint greys[EDGE * EDGE];

void load()
{
    ivec2 first = ivec2(gl_WorkGroupID.xy * TILE) - 1;

    for (uint i = gl_LocalInvocationIndex; i < EDGE * EDGE; i += SHW_DETECT_GROUP)
        greys[i] = grey_at(first + ivec2(i % EDGE, i / EDGE));
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < TILE * TILE; i += SHW_DETECT_GROUP) {
        uint at = (i / TILE + 1u) * EDGE + i % TILE + 1u;
        if (BLUR)
            pixels[i] = shw_detect_blur3(shw_detect_blur3(greys[at - EDGE - 1u], greys[at - 1u], greys[at + EDGE - 1u]),
                                         shw_detect_blur3(greys[at - EDGE], greys[at], greys[at + EDGE]),
                                         shw_detect_blur3(greys[at - EDGE + 1u], greys[at + 1u], greys[at + EDGE + 1u]));
        else
            pixels[i] = 16u * greys[at];
    }
    barrier();
}
#endif

/* Writes the part of a plane that is in `pixels` from `from` on. */
void store(uint from, uint side, uint first, uint width, uint height)
{
    uint words = side / 2u, row_words = (width + 1u) / 2u;

    for (uint i = gl_LocalInvocationIndex; i < words * side; i += SHW_DETECT_GROUP) {
        uvec2 at = gl_WorkGroupID.xy * uvec2(words, side) + uvec2(i % words, i / words);
        if (at.x < row_words && at.y < height)
            planes[first + at.y * row_words + at.x] =
                pixels[from + i / words * side + 2u * (i % words)] |
                pixels[from + i / words * side + 2u * (i % words) + 1u] << 16u;
    }
}

void main()
{
    uint width = push.width, height = push.height, first = push.first, from = 0u, side = TILE;

#if !AGAIN
    reset();
#endif
    load();
#if !AGAIN
    store(from, side, first, width, height);
#endif
    for (uint octave = 0u; octave < push.octaves; octave++) {
        uint to = from + side * side;
        for (uint i = gl_LocalInvocationIndex; i < side * side / 4u; i += SHW_DETECT_GROUP) {
            uint at = from + i / (side / 2u) * 2u * side + i % (side / 2u) * 2u;
            pixels[to + i] =
                shw_detect_halved(pixels[at] + pixels[at + 1u] + pixels[at + side] + pixels[at + side + 1u]);
        }
        barrier();
        first += shw_detect_plane_words(width, height);
        width /= 2u;
        height /= 2u;
        from = to;
        side /= 2u;
        store(from, side, first, width, height);
    }
}
#endif
