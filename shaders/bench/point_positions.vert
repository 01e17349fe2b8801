#version 450
/* Draws points at given positions: the upper limit of a device's blending. */
layout(std430, set = 0, binding = 0) readonly buffer Positions {
    vec2 positions[];
};

void main()
{
    gl_Position = vec4(positions[gl_VertexIndex], 0.0, 1.0);
    gl_PointSize = 1.0;
}
