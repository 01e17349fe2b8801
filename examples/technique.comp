#version 450
/* Walks all trees for two adjacent pixels per invocation and combines their leaves, as docs/forest-format.md describes.
 */
layout(local_size_x = 64) in;
layout(constant_id = 0) const bool MEAN = true; /* features are differences of means; false: of sums */

const uint TREES_MAX = 64u;
const uint TREE_LEAF = 1u, FOREST_LEAVES = 2u, DISTRIBUTION = 4u, ARGMAX = 8u;

layout(push_constant) uniform Push {
    int image_x0, image_y0, image_x1, image_y1; /* the whole image in the region's coordinates */
    int tile_x, tile_y;
    uint tile_width, tile_height;
    uint trees, classes, outputs;
    uint integral_stride, integral_pitch;
    uint leaf_stride, leaf_pitch;
    uint distribution_stride, distribution_pitch, argmax_stride;
};
layout(std430, set = 0, binding = 0) readonly buffer Forest {
    uvec4 forest[];
};
layout(std430, set = 0, binding = 1) readonly buffer Integrals {
    uint integrals[];
};
layout(std430, set = 0, binding = 2) writeonly buffer Leaves {
    uint leaves[];
};
layout(std430, set = 0, binding = 3) writeonly buffer Distribution {
    uint distribution[]; /* two pixels per word */
};
layout(std430, set = 0, binding = 4) writeonly buffer Argmax {
    uint argmax[]; /* two pixels per word */
};

ivec2 corner(uint word)
{
    return ivec2(bitfieldExtract(int(word), 0, 16), bitfieldExtract(int(word), 16, 16));
}

uint integral(uint channel, int x, int y)
{
    return integrals[channel * integral_pitch + uint(y) * integral_stride + uint(x)];
}

int value(uint channel, uint low, uint high, ivec2 pixel)
{
    ivec2 begin = clamp(pixel + corner(low), ivec2(image_x0, image_y0), ivec2(image_x1, image_y1) - 1);
    ivec2 end = clamp(pixel + corner(high), begin + 1, ivec2(image_x1, image_y1));
    int sum =
        int(integral(channel, end.x, end.y) - integral(channel, begin.x, end.y) - integral(channel, end.x, begin.y) +
                  integral(channel, begin.x, begin.y));
    uint area = uint(end.x - begin.x) * uint(end.y - begin.y), size = uint(abs(sum)) / area;
    return MEAN ? (sum < 0 ? -int(size) : int(size)) : sum;
}

uint leaf_of(uint tree, ivec2 pixel)
{
    uvec4 entry = forest[1u + tree];
    uint texel = entry.x;
    for (uint level = 0u; level < entry.z; ++level) {
        uvec4 node = forest[texel], rectangles = forest[texel + 1u];
        if ((node.y & 1u << 24) == 0u)
            break;
        int response = value(node.y & 0xfffu, rectangles.x, rectangles.y, pixel);
        if ((node.y & 1u << 25) != 0u)
            response -= value(node.y >> 12 & 0xfffu, rectangles.z, rectangles.w, pixel);
        bool right = int(node.z) <= response && response < int(node.w);
        texel = entry.x + 2u * (node.x + (right ? 1u : 0u));
    }
    return forest[texel].z;
}

void main()
{
    uint x = 2u * gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
    if (x >= tile_width)
        return;
    uint next = min(x + 1u, tile_width - 1u);
    uint rows[2][TREES_MAX]; /* positions of distributions */
    for (uint t = 0u; t < trees; ++t) {
        uint first = forest[1u + t].w;
        uint left = leaf_of(t, ivec2(x, y) + ivec2(tile_x, tile_y)), right =
            leaf_of(t, ivec2(next, y) + ivec2(tile_x, tile_y));
        if ((outputs & (TREE_LEAF | FOREST_LEAVES)) != 0u) {
            leaves[t * leaf_pitch + y * leaf_stride + x] = left;
            leaves[t * leaf_pitch + y * leaf_stride + next] = right;
        }
        rows[0][t] = first + left;
        rows[1][t] = first + right;
    }
    if ((outputs & (DISTRIBUTION | ARGMAX)) == 0u)
        return;

    uint first = forest[0].z, texels = (classes + 7u) / 8u;
    uint best[2] = uint[2](0u, 0u), most[2] = uint[2](0u, 0u);
    for (uint part = 0u; part < texels; ++part) {
        uint sums[2][8];
        for (uint p = 0u; p < 2u; ++p) {
            for (uint i = 0u; i < 8u; ++i)
                sums[p][i] = 0u;
            for (uint t = 0u; t < trees; ++t) {
                uvec4 words = forest[first + rows[p][t] * texels + part];
                for (uint i = 0u; i < 8u; ++i)
                    sums[p][i] += bitfieldExtract(words[i >> 1], int(16u * (i & 1u)), 16);
            }
            for (uint i = 0u; i < 8u; ++i)
                if (sums[p][i] > most[p]) {
                    most[p] = sums[p][i];
                    best[p] = 8u * part + i;
                }
        }
        if ((outputs & DISTRIBUTION) != 0u)
            for (uint i = 0u; i < min(8u, classes - 8u * part); ++i)
                distribution[((8u * part + i) * distribution_pitch + y * distribution_stride + x) >> 1] =
                    (2u * sums[0][i] + trees) / (2u * trees) | (2u * sums[1][i] + trees) / (2u * trees) << 16;
    }
    if ((outputs & ARGMAX) != 0u)
        argmax[(y * argmax_stride + x) >> 1] = best[0] | best[1] << 16;
}
