#version 450
#extension GL_GOOGLE_include_directive : require
/* A pass of smoothing: an invocation makes one element, of windows SHW_SMOOTH_RUN neighbouring ones, of 16-bit planes two that
 * share a word. */
#include "smooth_push.h"

layout(local_size_x = 32, local_size_y = 4) in;
layout(push_constant) uniform Push {
    shw_smooth_push push;
};
layout(set = 0, binding = 0) readonly buffer A {
    uint a[];
};
layout(set = 0, binding = 1) readonly buffer B {
    uint b[];
};
layout(set = 0, binding = 2) readonly buffer C {
    uint c[];
};
layout(set = 0, binding = SHW_SMOOTH_OUTPUT) writeonly buffer Made {
    uint results[];
};

/* Element `x` of a row of 16-bit values. */
#define HALF(words, row, x) (words[(row) + (uint(x) >> 1u)] >> 16u * (uint(x) & 1u) & 0xffffu)

uint a_at(uint plane, ivec2 at)
{
    uint row = plane * push.a_plane + uint(at.y) * push.a_row;

#if PASS == SHW_SMOOTH_GUIDE || PASS == SHW_SMOOTH_NEAR || PASS == SHW_SMOOTH_SHARES || PASS == SHW_SMOOTH_TOTALS || \
    PASS == SHW_SMOOTH_DISTRIBUTION
    return HALF(a, row, at.x);
#else
    return a[row + uint(at.x)];
#endif
}

uint b_at(uint plane, ivec2 at)
{
    uint row = plane * push.b_plane + uint(at.y) * push.b_row;

#if PASS == SHW_SMOOTH_TOTALS || PASS == SHW_SMOOTH_DISTRIBUTION
    return HALF(b, row, at.x);
#else
    return b[row + uint(at.x)];
#endif
}

uint c_at(uint plane, ivec2 at)
{
    return c[plane * push.c_plane + uint(at.y) * push.c_row + uint(at.x)];
}

#include "smooth.glsl"

#if PASS == SHW_SMOOTH_GUIDE || PASS == SHW_SMOOTH_GUIDE_ROWS || PASS == SHW_SMOOTH_GUIDE_SUMS
#define RESULTS 3u
#elif PASS == SHW_SMOOTH_NEAR || PASS == SHW_SMOOTH_SHARES
#define RESULTS 1u
#else
#define RESULTS 4u
#endif

void write(ivec2 at, uint item, uvec4 values)
{
    uint to = RESULTS * item * push.out_plane + uint(at.y) * push.out_row + uint(at.x);

    for (uint i = 0u; i < RESULTS; i++)
        results[to + i * push.out_plane] = values[i];
}

void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy), count = made().zw;
    uint item = gl_GlobalInvocationID.z;

#ifdef WINDOW
    const ivec2 step = ivec2(WINDOW == 0, WINDOW == 1);
    ivec2 first = made().xy, all = ALL, before;

    at *= 1 + (SHW_SMOOTH_RUN - 1) * step;
    if (at.x >= count.x || at.y >= count.y)
        return;
    clear();
    for (int i = 0; i < SHW_SMOOTH_RUN && at[WINDOW] < count[WINDOW]; i++, at += step) {
        ivec2 cell = first + at, now = window(cell[WINDOW], all[WINDOW]);

        if (i == 0)
            before = now.xx;
        for (cell[WINDOW] = before.y; cell[WINDOW] < now.y; cell += step)
            add(cell, item, 1);
        for (cell[WINDOW] = before.x; cell[WINDOW] < now.x; cell += step)
            add(cell, item, -1);
        before = now;
        write(at, item, values_of(at, item));
    }
#elif PASS == SHW_SMOOTH_VALUES || PASS == SHW_SMOOTH_DISTRIBUTION || PASS == SHW_SMOOTH_LABELS
    at.x *= 2;
    if (at.x >= count.x || at.y >= count.y)
        return;
    uint plane = item;
#if PASS == SHW_SMOOTH_VALUES
    plane += push.first_class;
#endif
    uint left = values_at(at, item).x, right = values_at(ivec2(min(at.x + 1, count.x - 1), at.y), item).x;
    results[plane * push.out_plane + uint(at.y) * push.out_row + gl_GlobalInvocationID.x] = left | right << 16u;
#else
    if (at.x < count.x && at.y < count.y)
        write(at, item, values_at(at, item));
#endif
}
