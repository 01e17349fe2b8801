/* The interface of channel kinds' headers, for C and GLSL: how they read their inputs.
 *
 * Before it includes this file, the header defines
 *   SHW_CHANNEL_COUNT    the number of channels that it makes, 1 to 4
 *   SHW_CHANNEL_RADIUS   the largest distance in x and y at which it reads inputs; default 0
 *   SHW_CHANNEL_TABLE    1: it reads shw_table()
 * and, since a kind reads the colour image and at most one other input, either or none of
 *   SHW_CHANNEL_PREVIOUS 1: it reads SHW_INPUT_PREVIOUS, the previous frame, or the colour image if there is none
 *   SHW_CHANNEL_PLANE    1: it reads SHW_INPUT_PLANE, the plane that struct shw_channel_kind names, as depth
 * and then
 *   shw_int4 shw_channel_values(SHW_CHANNEL_PARAMETER shw_uint parameter)
 *       the values of its channels at the pixel, from component x on
 * which may call, with the arguments (SHW_CHANNEL ...),
 *   shw_int4 shw_input(uint role, int dx, int dy)   an input at an offset from the pixel, clamped to the border:
 *                                                   SHW_INPUT_COLOUR and SHW_INPUT_PREVIOUS as R, G, B and luma,
 *                                                   each 0 to 4080; SHW_INPUT_PLANE as stored, in component x: 0 to
 *                                                   255, or 0 to 65535 if it has 16 bits
 *   shw_uint shw_pixel(uint axis), shw_extent(uint axis)   the pixel's position in the whole image, and the image's
 *                                                          size: x (0) and y (1)
 *   shw_uint shw_table(uint index)                  a number of the kind's table */
#ifndef SHW_CHANNELS_CHANNEL_H
#define SHW_CHANNELS_CHANNEL_H

#include "shared/base_planes.h"

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

#define SHW_INPUT_COLOUR 0u /* roles */
#define SHW_INPUT_ROLES  2
#if SHW_CHANNEL_PREVIOUS && SHW_CHANNEL_PLANE
#error "a channel kind reads the previous frame or a plane, not both"
#elif SHW_CHANNEL_PREVIOUS
#define SHW_INPUT_PREVIOUS 1u
#elif SHW_CHANNEL_PLANE
#define SHW_INPUT_PLANE 1u
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
    uint is_grey; /* bit `role`: the input has only one component */
}
push;

#ifdef SOURCE_IS_UINT
#define SOURCE        utexture2D
#define STORED(texel) texel
#define BASE(stored)  shw_base_from_16(stored)
#else
#define SOURCE        texture2D
#define STORED(texel) uvec3(texel * 255.0 + 0.5)
#define BASE(stored)  shw_base_from_8(stored)
#endif
layout(set = 0, binding = 0) uniform SOURCE source0;
#if SHW_CHANNEL_PREVIOUS || SHW_CHANNEL_PLANE
layout(set = 0, binding = 3) uniform SOURCE source1;
#define FETCH(role, at) (role == SHW_INPUT_COLOUR ? texelFetch(source0, at, 0) : texelFetch(source1, at, 0)).rgb
#else
#define FETCH(role, at) texelFetch(source0, at, 0).rgb
#endif
#if SHW_CHANNEL_TABLE
layout(set = 0, binding = 1) readonly buffer Table
{
    uint table[];
};
#endif

ivec4 shw_input(ivec2 at, uint role, int dx, int dy)
{
#if SHW_CHANNEL_RADIUS > 0
    at = clamp(at + ivec2(dx, dy), ivec2(0), push.size - 1);
#endif
    uvec3 stored = STORED(FETCH(role, push.origin[role] + at));
#if SHW_CHANNEL_PLANE
    if (role == SHW_INPUT_PLANE)
        return ivec4(stored.r, 0, 0, 0);
#endif
    uvec3 rgb = uvec3(BASE(stored.r), BASE(stored.g), BASE(stored.b));
    if ((push.is_grey >> role & 1u) != 0u)
        rgb = rgb.rrr;
    return ivec4(rgb, shw_base_luma(rgb.r, rgb.g, rgb.b));
}

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

/* `lines` has R, G, B and luma of the rows from `radius` above to `radius` below, role by role: each with `radius` more
 * values on either side. Instead of R, planes have their values, modulo 2^16; their other lines are not used. */
struct shw_channel_row {
    const int16_t *const *lines;
    const uint32_t *table;
    uint32_t width;
    uint32_t place[2], extent[2]; /* of the row's first pixel in the whole image, and its size */
};

static inline shw_int4 shw_input(const struct shw_channel_row *row, shw_int at, shw_uint role, shw_int dx, shw_int dy)
{
    const int16_t *const *line =
        row->lines + 4 * ((shw_int)role * (2 * SHW_CHANNEL_RADIUS + 1) + SHW_CHANNEL_RADIUS + dy);

    assert(shw_max(dx, -dx) <= SHW_CHANNEL_RADIUS && shw_max(dy, -dy) <= SHW_CHANNEL_RADIUS);
#if SHW_CHANNEL_PLANE
    if (role == SHW_INPUT_PLANE)
        return (shw_int4){(uint16_t)line[0][at + dx], 0, 0, 0};
#endif
    return (shw_int4){line[0][at + dx], line[1][at + dx], line[2][at + dx], line[3][at + dx]};
}

static inline shw_uint shw_pixel(const struct shw_channel_row *row, shw_int at, shw_uint axis)
{
    return row->place[axis] + (axis == 0 ? (shw_uint)at : 0);
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
