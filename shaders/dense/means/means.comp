#version 450
#extension GL_GOOGLE_include_directive : require
/* Mean planes from integral images. An invocation makes two neighbouring elements, which share a word, in each of some
 * rows. Most work groups have no rectangle that is clipped. */
#include "means_push.h"
#include "rectangle.h"

layout(local_size_x = SHW_MEANS_COLUMNS, local_size_y = SHW_MEANS_ROWS) in;
layout(push_constant) uniform Push {
    shw_means_push push;
};
layout(std430, set = 0, binding = SHW_MEANS_INTEGRALS) readonly buffer Integrals {
    uint integrals[];
};
layout(std430, set = 0, binding = SHW_MEANS_PLANES) readonly buffer Planes {
    uvec4 planes[];
};
layout(std430, set = 0, binding = SHW_MEANS_MEANS) writeonly buffer Means {
    uint means[];
};

int sum_of(uint first, shw_rect rect)
{
    uint above = first + uint(rect.y0) * push.integral_stride, below = first + uint(rect.y1) * push.integral_stride;

    return int(integrals[below + uint(rect.x1)] - integrals[below + uint(rect.x0)] - integrals[above + uint(rect.x1)] +
               integrals[above + uint(rect.x0)]);
}

int value_of(uvec4 plane, uint first, ivec2 place)
{
    shw_rect held = shw_rect(push.held_x0, push.held_y0, push.held_x1, push.held_y1);
    shw_rect whole = shw_rect(place.x, place.y, place.x + int(plane.y & 0xffffu), place.y + int(plane.y >> 16u));
    shw_rect rect = shw_rect_move(whole, 0, 0, held);
    int sum = sum_of(first, rect);

    if (push.is_sum != 0u)
        return sum;
    return shw_mean(sum, shw_rect_area(rect));
}

/* The values of two neighbouring rectangles that are not clipped, the first of which begins at word `upper`. */
uint pair_of(uvec4 plane, uint upper)
{
    uint right = upper + (plane.y & 0xffffu), drop = (plane.y >> 16u) * push.integral_stride;
    int even = int(integrals[right + drop] - integrals[upper + drop] - integrals[right] + integrals[upper]);
    int odd = int(integrals[right + drop + 1u] - integrals[upper + drop + 1u] - integrals[right + 1u] +
                  integrals[upper + 1u]);

    if (push.is_sum == 0u) {
        even = shw_mean_by(even, plane.z, plane.w);
        odd = shw_mean_by(odd, plane.z, plane.w);
    }
    return (uint(even) & 0xffffu) | uint(odd) << 16u;
}

void main()
{
    uvec4 plane = planes[gl_WorkGroupID.z];
    ivec2 begin = ivec2(gl_WorkGroupID.xy) * ivec2(2 * SHW_MEANS_COLUMNS, SHW_MEANS_ROWS * SHW_MEANS_ROUNDS);
    ivec2 end = begin + ivec2(2 * SHW_MEANS_COLUMNS, SHW_MEANS_ROWS * SHW_MEANS_ROUNDS);
    ivec2 margin = ivec2(push.margin), size = ivec2(plane.y & 0xffffu, plane.y >> 16u);
    bool inside = all(greaterThanEqual(begin - margin, ivec2(push.held_x0, push.held_y0))) &&
                  all(lessThanEqual(end - 1 - margin + size, ivec2(push.held_x1, push.held_y1)));
    ivec2 element = begin + ivec2(2u * gl_LocalInvocationID.x, gl_LocalInvocationID.y);
    uint first = plane.x * push.integral_pitch;
    uint upper = first + uint(element.y - margin.y) * push.integral_stride + uint(element.x - margin.x);
    uint to = gl_WorkGroupID.z * push.means_pitch + uint(element.y) * push.means_stride + (uint(element.x) >> 1u);

    if (inside) {
        for (uint k = 0u; k < SHW_MEANS_ROUNDS; ++k)
            means[to + k * SHW_MEANS_ROWS * push.means_stride] =
                pair_of(plane, upper + k * SHW_MEANS_ROWS * push.integral_stride);
        return;
    }
    for (uint k = 0u; k < SHW_MEANS_ROUNDS; ++k, element.y += SHW_MEANS_ROWS)
        if (element.x < int(push.width) && element.y < int(push.height))
            means[to + k * SHW_MEANS_ROWS * push.means_stride] =
                (uint(value_of(plane, first, element - margin)) & 0xffffu) |
                uint(value_of(plane, first, element - margin + ivec2(1, 0))) << 16u;
}
