#version 450
#extension GL_GOOGLE_include_directive : require
/* Scatters samples over histograms (Sharp 2008, 4.4): vertices are samples, instances candidates. Blending adds their
 * weights. */
#include "boost.glsl"
#include "samples.glsl"
#include "../../dense/train/blend_point.glsl"

#define THRESHOLD(index) int(tables[index])
#include "bin.glsl"

layout(location = 0) flat out float weight;

void main()
{
    uint number = uint(gl_VertexIndex), candidate = push.candidate_begin + uint(gl_InstanceIndex);
    uint row = push.list + candidate * SHW_BOOST_CANDIDATE_WORDS;
    uvec2 cell = cell_of(number);
    uint place = SHW_BOOST_NO_ROW;
    if (cell.x != SHW_BOOST_NO_ROW) {
        int response = respond(tables[row + SHW_BOOST_CANDIDATE_WORDS - 1u], number / 2u)[number & 1u];
        place = candidate * push.row_count * push.bins * 2u + cell.x + 2u * bin_of(row, response);
    }
    weight = float(cell.y);
    gl_Position = point_of(place);
    gl_PointSize = 1.0;
}
