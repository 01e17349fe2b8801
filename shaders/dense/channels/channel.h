/* The interface of channel kinds' headers, for C and GLSL: how they read their inputs.
 *
 * Before it includes this file, the header defines
 *   SHW_CHANNEL_COUNT    the number of channels that it makes, 1 to 4
 *   SHW_CHANNEL_RADIUS   the largest distance in x and y at which it reads inputs; default 0
 *   SHW_CHANNEL_TABLE    1: it reads shw_table()
 *   SHW_CHANNEL_GREY     1: instead of the colour image it may read a plane, as a grey image
 *   SHW_CHANNEL_SAMPLES  1 or 2: it reads no colour image but planes that lists name, SHW_INPUT_FIRST and, if there are
 *                        two, SHW_INPUT_SECOND
 * and, since a kind reads the colour image and at most one other input, either or none of
 *   SHW_CHANNEL_PREVIOUS 1: it reads SHW_INPUT_PREVIOUS, the previous frame, or the colour image if there is none
 *   SHW_CHANNEL_PLANE    1: it reads SHW_INPUT_PLANE, the plane that struct shw_channel_kind names, as depth
 * (headers that are made from texts also have passes: SHW_CHANNEL_PASSES is their number besides the one that makes the
 * channels, and shaders have SHW_CHANNEL_READS, the sum of 1 << number of those whose planes they read)
 * and then
 *   shw_int4 shw_channel_values(SHW_CHANNEL_PARAMETER shw_uint parameter)
 *       the values of its channels at the pixel, from component x on
 * which may call, with the arguments (SHW_CHANNEL ...),
 *   shw_int4 shw_input(uint role, int dx, int dy)   an input at an offset from the pixel, clamped to the border:
 *                                                   SHW_INPUT_COLOUR and SHW_INPUT_PREVIOUS as R, G, B and luma,
 *                                                   each 0 to 4080; SHW_INPUT_PLANE as stored, in component x: 0 to
 *                                                   255, or 0 to 65535 if it has 16 bits; or, if a range is stated,
 *                                                   its place there, 0 to 65535; or millimetres that a struct
 *                                                   shw_depth makes of what is stored; SHW_INPUT_FIRST and
 *                                                   SHW_INPUT_SECOND as samples of 16 bits, in component x: 0 to
 *                                                   65535, at the ends of the plane's range
 *   shw_uint shw_pixel(uint axis), shw_extent(uint axis)   the pixel's position in the whole image, and the image's
 *                                                          size: x (0) and y (1)
 *   shw_uint shw_table(uint index)                  a number of the kind's table */
#ifndef SHW_DENSE_CHANNELS_CHANNEL_H
#define SHW_DENSE_CHANNELS_CHANNEL_H

#include "shared/base_planes.h"
#include "shared/depth_code.h"
#include "shared/source_code.h"

#ifndef SHW_CHANNEL_RADIUS
#define SHW_CHANNEL_RADIUS 0
#endif
#ifndef SHW_CHANNEL_TABLE
#define SHW_CHANNEL_TABLE 0
#endif

#ifndef SHW_CHANNEL_PREVIOUS
#define SHW_CHANNEL_PREVIOUS 0
#endif
#ifndef SHW_CHANNEL_PLANE
#define SHW_CHANNEL_PLANE 0
#endif

#ifndef SHW_CHANNEL_GREY
#define SHW_CHANNEL_GREY 0
#endif
#ifndef SHW_CHANNEL_SAMPLES
#define SHW_CHANNEL_SAMPLES 0
#endif
#ifndef SHW_CHANNEL_PASSES
#define SHW_CHANNEL_PASSES 0
#endif
/* Whether a second input is read. */
#define SHW_CHANNEL_OTHER (SHW_CHANNEL_PREVIOUS || SHW_CHANNEL_PLANE || SHW_CHANNEL_SAMPLES > 1)

/* y of the scale of a plane that is read as stored: its texels have that in alpha (struct shw_channel_source). */
#define SHW_STORED_IN_ALPHA 1u

#define SHW_INPUT_COLOUR 0u /* roles */
#define SHW_INPUT_ROLES  2
#if SHW_CHANNEL_PREVIOUS && SHW_CHANNEL_PLANE
#error "a channel kind reads the previous frame or a plane, not both"
#elif SHW_CHANNEL_PREVIOUS
#define SHW_INPUT_PREVIOUS 1u
#elif SHW_CHANNEL_PLANE
#define SHW_INPUT_PLANE 1u
#endif
#if SHW_CHANNEL_SAMPLES > 0
#define SHW_INPUT_FIRST 0u
#endif
#if SHW_CHANNEL_SAMPLES > 1
#define SHW_INPUT_SECOND 1u
#endif

#ifdef SHW_GLSL

#define shw_int4              ivec4
#define SHW_INT4(x, y, z, w)  ivec4(x, y, z, w)
#define SHW_CHANNEL_PARAMETER ivec2 at,
#define SHW_CHANNEL           at,

layout(push_constant) uniform Push
{
    ivec2 size;                    /* of the region */
    ivec2 origin[SHW_INPUT_ROLES]; /* of the region in the sources */
    uvec2 place;                   /* of the region in the whole image */
    uvec2 extent;                  /* of the whole image */
    uint parameter;
    uint first_plane, row_words, plane_words;
    uint sources; /* byte `role`: SHW_SOURCE_UNORM8 and so on, and in bit 7 whether there is only one component */
    uint scale[SHW_INPUT_ROLES][4]; /* of planes; shw_depth_code() */
}
push;

#ifdef COLOUR_IS_UINT
layout(set = 0, binding = 0) uniform utexture2D source0;
#define CODES0(at, code) texelFetch(source0, at, 0).rgb
#else
layout(set = 0, binding = 0) uniform texture2D source0;
#define CODES0(at, code) shw_codes(texelFetch(source0, at, 0).rgb, code)
#endif
#if SHW_CHANNEL_OTHER
#ifdef OTHER_IS_UINT
layout(set = 0, binding = 3) uniform utexture2D source1;
#define CODES1(at, code) texelFetch(source1, at, 0).rgb
#else
layout(set = 0, binding = 3) uniform texture2D source1;
#define CODES1(at, code) shw_codes(texelFetch(source1, at, 0).rgb, code)
#endif
#endif
#if SHW_CHANNEL_TABLE
layout(set = 0, binding = 1) readonly buffer Table
{
    uint table[];
};
#endif

#include "dense/channels/source_codes.glsl"

#if SHW_CHANNEL_PLANE || SHW_CHANNEL_GREY || SHW_CHANNEL_SAMPLES > 0
uvec4 shw_scale(uint role)
{
    return uvec4(push.scale[role][0], push.scale[role][1], push.scale[role][2], push.scale[role][3]);
}

/* What a plane stores, of its first component: of floats that have a scale, their bits. */
uint shw_stored(float texel, uint code, uint kind)
{
    if (code == SHW_SOURCE_UNORM24) /* 2^24 - 1 times the texel */
        return uint(roundEven(texel * 16777216.0 - texel));
    if (code == SHW_SOURCE_FLOAT || (code == SHW_SOURCE_HALF && kind != SHW_SCALE_STORED))
        return floatBitsToUint(texel);
    return shw_codes(vec3(texel), code).r;
}

uint shw_stored(uint texel, uint code, uint kind)
{
    return texel;
}
#endif

#if SHW_CHANNEL_PLANE
uint shw_plane(ivec2 at, uint code)
{
    uvec4 scale = shw_scale(1u);

    if (scale.x == SHW_SCALE_STORED && scale.y == SHW_STORED_IN_ALPHA)
        return shw_stored(texelFetch(source1, at, 0).a, code, scale.x);
    uint stored = shw_stored(texelFetch(source1, at, 0).r, code, scale.x);
    if (scale.x == SHW_SCALE_STORED)
        return stored;
    return shw_depth_code(code, stored, scale);
}
#endif

#if SHW_CHANNEL_GREY || SHW_CHANNEL_SAMPLES > 0
/* A sample of 16 bits. */
uint shw_sample(uint stored, uint code, uvec4 scale)
{
    if (scale.x != SHW_SCALE_STORED)
        return shw_range_code(code, stored, scale);
    return code < SHW_SOURCE_UINT16 ? 257u * stored : stored;
}
#endif

uint shw_base_of(uint stored, uint code)
{
    return code < SHW_SOURCE_UINT16 ? shw_base_from_8(stored) : shw_base_from_16(stored);
}

/* An input at a pixel of the region. */
ivec4 shw_input_at(ivec2 at, uint role)
{
    uint source = push.sources >> 8u * role, code = source & 127u;
#if SHW_CHANNEL_PLANE
    if (role == SHW_INPUT_PLANE)
        return ivec4(shw_plane(push.origin[role] + at, code), 0, 0, 0);
#endif
#if SHW_CHANNEL_SAMPLES > 0
    uvec4 scale = shw_scale(role);
    at += push.origin[role];
#if SHW_CHANNEL_SAMPLES > 1
    if (role == SHW_INPUT_SECOND)
        return ivec4(shw_sample(shw_stored(texelFetch(source1, at, 0).r, code, scale.x), code, scale), 0, 0, 0);
#endif
    return ivec4(shw_sample(shw_stored(texelFetch(source0, at, 0).r, code, scale.x), code, scale), 0, 0, 0);
#else
#if SHW_CHANNEL_GREY
    uvec4 scale = shw_scale(role);
    if (scale.x != SHW_SCALE_STORED) {
        uint place =
            shw_range_code(code, shw_stored(texelFetch(source0, push.origin[role] + at, 0).r, code, scale.x), scale);
        return ivec4(shw_base_from_16(place));
    }
#endif
#if SHW_CHANNEL_PREVIOUS
    uvec3 stored =
        role == SHW_INPUT_COLOUR ? CODES0(push.origin[role] + at, code) : CODES1(push.origin[role] + at, code);
#else
    uvec3 stored = CODES0(push.origin[role] + at, code);
#endif
    uvec3 rgb = uvec3(shw_base_of(stored.r, code), shw_base_of(stored.g, code), shw_base_of(stored.b, code));
    if ((source & 128u) != 0u)
        rgb = rgb.rrr;
    return ivec4(rgb, shw_base_luma(rgb.r, rgb.g, rgb.b));
#endif
}

ivec4 shw_input(ivec2 at, uint role, int dx, int dy)
{
#if SHW_CHANNEL_RADIUS > 0
    at = clamp(at + ivec2(dx, dy), ivec2(0), push.size - 1);
#endif
    return shw_input_at(at, role);
}

/* Shaders compute two neighbouring pixels, from the left one of which positions are given: of the one on its right,
 * `dx` is one more. A number of a pass' plane at such a position of the region. */
#define SHW_CHANNEL_PAIRS 1
#if SHW_CHANNEL_PASSES > 0
int shw_passed_at(uint pass, ivec2 at, int dx, int dy);
#endif

uint shw_pixel(ivec2 at, uint axis)
{
    return push.place[axis] + uint(at[axis]);
}

uint shw_extent(ivec2 at, uint axis)
{
    return push.extent[axis];
}

#if SHW_CHANNEL_TABLE
uint shw_table(ivec2 at, uint index)
{
    return table[index];
}
#endif

#else

#include <assert.h>

typedef struct shw_int4 {
    shw_int x, y, z, w;
} shw_int4;

#define SHW_INT4(x, y, z, w)  ((shw_int4){x, y, z, w})
#define SHW_CHANNEL_PARAMETER const struct shw_channel_row *row, shw_int at,
#define SHW_CHANNEL           row, at,

/* `at` counts from pixel `begin` of the row. `lines` has R, G, B and luma of the rows from `radius` above to `radius`
 * below, role by role: each with `radius` more values on either side. Instead of R, planes and samples have their
 * values, modulo 2^16; their other lines are not used. `passed` has, pass by pass, the rows of its plane from
 * SHW_CHANNEL_REACH_MAX above to as many below, those that are read, each with more values on either side. */
struct shw_channel_row {
    const int16_t *const *lines;
    const int16_t *const *passed;
    const uint32_t *table;
    uint32_t width, begin;
    uint32_t place[2], extent[2]; /* of the row's first pixel in the whole image, and its size */
};

static inline shw_int4 shw_input(const struct shw_channel_row *row, shw_int at, shw_uint role, shw_int dx, shw_int dy)
{
    const int16_t *const *line =
        row->lines + 4 * ((shw_int)role * (2 * SHW_CHANNEL_RADIUS + 1) + SHW_CHANNEL_RADIUS + dy);

    assert(shw_max(dx, -dx) <= SHW_CHANNEL_RADIUS && shw_max(dy, -dy) <= SHW_CHANNEL_RADIUS);
#if SHW_CHANNEL_PLANE
    if (role == SHW_INPUT_PLANE)
        return (shw_int4){(uint16_t)(line[0] + row->begin)[at + dx], 0, 0, 0};
#endif
#if SHW_CHANNEL_SAMPLES > 0
    return (shw_int4){(uint16_t)(line[0] + row->begin)[at + dx], 0, 0, 0};
#endif
    return (shw_int4){(line[0] + row->begin)[at + dx], (line[1] + row->begin)[at + dx], (line[2] + row->begin)[at + dx],
                      (line[3] + row->begin)[at + dx]};
}

#define SHW_PASSED_ROWS   49 /* 2 * SHW_CHANNEL_REACH_MAX + 1 */
#define SHW_PASSED_CENTRE 24

static inline shw_int shw_passed(const struct shw_channel_row *row, shw_int at, shw_int pass, shw_int dx, shw_int dy)
{
    return (row->passed[pass * SHW_PASSED_ROWS + SHW_PASSED_CENTRE + dy] + row->begin)[at + dx];
}

static inline shw_uint shw_pixel(const struct shw_channel_row *row, shw_int at, shw_uint axis)
{
    return row->place[axis] + (axis == 0 ? row->begin + (shw_uint)at : 0);
}

static inline shw_uint shw_extent(const struct shw_channel_row *row, shw_int at, shw_uint axis)
{
    (void)at;
    return row->extent[axis];
}

static inline shw_uint shw_table(const struct shw_channel_row *row, shw_int at, shw_uint index)
{
    (void)at;
    return row->table[index];
}

#endif

#endif
