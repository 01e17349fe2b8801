#version 450
#extension GL_GOOGLE_include_directive : require
/* Scatters samples over the histogram (Sharp 2008, 4.4 and Fig. 7): vertices are samples, instances candidates. */
#include "blend.glsl"
#include "blend_cell.glsl"
#include "blend_point.glsl"

void main()
{
    gl_Position = point_of(cell_of(uint(gl_VertexIndex), uint(gl_InstanceIndex)));
    gl_PointSize = 1.0;
}
