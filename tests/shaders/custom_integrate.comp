#version 450
/* One channel an invocation, value by value. */
layout(local_size_x = 1) in;
layout(push_constant) uniform Push {
    uint width, height, channel_stride, channel_pitch, integral_stride, integral_pitch;
};
layout(std430, set = 0, binding = 0) readonly buffer Channels {
    uint channels[]; /* two pixels a word */
};
layout(std430, set = 0, binding = 1) buffer Integrals {
    uint integrals[];
};

void main()
{
    uint from = gl_WorkGroupID.x * channel_pitch, to = gl_WorkGroupID.x * integral_pitch;
    for (uint y = 0u; y <= height; ++y) {
        uint row = 0u;
        for (uint x = 0u; x <= width; ++x) {
            uint above = 0u;
            if (x > 0u && y > 0u) {
                uint i = from + (y - 1u) * channel_stride + x - 1u;
                row += uint(bitfieldExtract(int(channels[i >> 1]), int(16u * (i & 1u)), 16));
            }
            if (y > 0u)
                above = integrals[to + (y - 1u) * integral_stride + x];
            integrals[to + y * integral_stride + x] = above + row;
        }
    }
}
