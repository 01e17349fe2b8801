#version 450
/* Counts the pixels of each class. An invocation goes along a run of pixels in a column and adds to the counters only
 * where the class changes. */
#extension GL_GOOGLE_include_directive : require
#include "class_shares.h"

layout(local_size_x = VIEW_SHARES_WIDTH) in;
layout(push_constant) uniform Push {
    uint classes;
};
layout(set = 0, binding = 0) uniform usampler2D argmax;
layout(std430, set = 0, binding = 1) buffer Counts {
    uint counts[];
};

void main()
{
    ivec2 size = textureSize(argmax, 0), pixel = ivec2(gl_GlobalInvocationID.xy) * ivec2(1, VIEW_SHARES_RUN);
    int end = min(pixel.y + VIEW_SHARES_RUN, size.y);
    uint number = classes, count = 0u;

    if (pixel.x >= size.x)
        return;
    for (; pixel.y < end; pixel.y++) {
        uint next = texelFetch(argmax, pixel, 0).r;
        if (next != number) {
            if (number < classes)
                atomicAdd(counts[number], count);
            number = next;
            count = 0u;
        }
        count++;
    }
    if (number < classes)
        atomicAdd(counts[number], count);
}
