#version 450
/* Then sums along columns, in place: 16 columns of a plane, each cut into 8 pieces that one invocation sums. */
layout(local_size_x = 16, local_size_y = 8) in;
layout(set = 0, binding = 0) buffer Integrals {
    uint integrals[];
};
layout(push_constant) uniform Push {
    uvec2 size; /* of the integral image */
    uint row_words, plane_words, first;
} push;

shared uint pieces[8][16];

void main()
{
    uint piece = gl_LocalInvocationID.y;
    uint column = push.first + gl_WorkGroupID.z * push.plane_words + gl_GlobalInvocationID.x;
    uint length = (push.size.y + 7u) / 8u;
    uint begin = min(piece * length, push.size.y);
    uint end = gl_GlobalInvocationID.x >= push.size.x ? begin : min(begin + length, push.size.y);
    uint sum = 0u;

    for (uint y = begin; y < end; y++)
        sum += integrals[column + y * push.row_words];
    pieces[piece][gl_LocalInvocationID.x] = sum;
    barrier();
    sum = 0u;
    for (uint i = 0u; i < piece; i++)
        sum += pieces[i][gl_LocalInvocationID.x];
    for (uint y = begin; y < end; y++) {
        sum += integrals[column + y * push.row_words];
        integrals[column + y * push.row_words] = sum;
    }
}
