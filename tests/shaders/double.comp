#version 450
/* Doubles the first `count` numbers. */
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Numbers {
    uint numbers[];
};
layout(push_constant) uniform Push {
    uint count;
};

void main()
{
    if (gl_GlobalInvocationID.x < count)
        numbers[gl_GlobalInvocationID.x] *= 2u;
}
