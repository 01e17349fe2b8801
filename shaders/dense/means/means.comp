#version 450
#extension GL_GOOGLE_include_directive : require
/* Mean planes from integral images: two neighbouring elements of a plane per invocation, which share a word. */
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
    if (rect.x0 == whole.x0 && rect.y0 == whole.y0 && rect.x1 == whole.x1 && rect.y1 == whole.y1)
        return shw_mean_by(sum, plane.z, plane.w);
    return shw_mean(sum, shw_rect_area(rect));
}

void main()
{
    ivec2 element = ivec2(2u * gl_GlobalInvocationID.x, gl_GlobalInvocationID.y), place = element - int(push.margin);
    uvec4 plane = planes[gl_GlobalInvocationID.z];
    uint first = plane.x * push.integral_pitch;

    if (element.x >= int(push.width) || element.y >= int(push.height))
        return;
    means[gl_GlobalInvocationID.z * push.means_pitch + gl_GlobalInvocationID.y * push.means_stride +
          gl_GlobalInvocationID.x] = (uint(value_of(plane, first, place)) & 0xffffu) |
                                     uint(value_of(plane, first, place + ivec2(1, 0))) << 16u;
}
