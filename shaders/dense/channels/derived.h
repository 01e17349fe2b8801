/* The interface of headers of derived kinds, for C and GLSL: how they read the planes that the filter bank makes for
 * them.
 *
 * Before it includes this file, the header defines
 *   SHW_DERIVED_COUNT   the number of channels that it makes
 *   SHW_DERIVED_PASSES  1 or 2, in which as many channels each are made: at most four
 * and then
 *   shw_int4 shw_derived_values(SHW_DERIVED_PARAMETER shw_uint parameter, shw_uint pass)
 *       the values of the pass' channels at the pixel, from component x on
 * which may call
 *   shw_int shw_filtered(SHW_DERIVED uint plane, int dx, int dy)
 *       a filtered plane (0 to SHW_DERIVED_INPUTS - 1, in the order that the kind names them) at an offset from the
 *       pixel, clamped to the border */
#ifndef SHW_DENSE_CHANNELS_DERIVED_H
#define SHW_DENSE_CHANNELS_DERIVED_H

#include "shared/types.h"

#define SHW_DERIVED_INPUTS 3

#ifdef SHW_GLSL

#define shw_int4              ivec4
#define SHW_INT4(x, y, z, w)  ivec4(x, y, z, w)
#define SHW_DERIVED_PARAMETER ivec2 at,
#define SHW_DERIVED           at,

layout(push_constant) uniform Push
{
    ivec2 last; /* last pixel of the region, to which coordinates are clamped */
    uint parameter, pass;
    uint inputs[SHW_DERIVED_INPUTS];
    uint first_plane, row_words, plane_words; /* of what a compute shader writes and reads */
}
push;

int shw_filtered_at(ivec2 at, uint plane);

int shw_filtered(ivec2 at, uint plane, int dx, int dy)
{
    return shw_filtered_at(clamp(at + ivec2(dx, dy), ivec2(0), push.last), push.inputs[plane]);
}

#else

#include "dense/channels/channel.h"

#define SHW_DERIVED_PARAMETER const struct shw_derived_row *row, shw_int x,
#define SHW_DERIVED           row, x,

/* A row of pixels on the CPU. */
struct shw_derived_row {
    const int16_t *inputs[SHW_DERIVED_INPUTS]; /* whole planes */
    shw_int width, height, y;
};

static inline shw_int shw_filtered(const struct shw_derived_row *row, shw_int x, shw_uint plane, shw_int dx, shw_int dy)
{
    shw_int line = shw_clamp(row->y + dy, 0, row->height - 1), column = shw_clamp(x + dx, 0, row->width - 1);

    return row->inputs[plane][(size_t)line * (size_t)row->width + (size_t)column];
}

#endif

#endif
