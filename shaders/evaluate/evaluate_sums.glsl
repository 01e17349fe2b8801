/* Sums of leaf distributions over the trees. The including file defines shw_forest_texel() and
 * uint leaf_at(uint tree, ivec2 pixel) before. */

/* The sums for the eight classes of distribution texel `part`. */
void sum_part(uint part, ivec2 pixel, out uint sums[8])
{
    uint first = shw_forest_texel(0u).z;
    uint texels = SHW_DISTRIBUTION_TEXELS(push.classes);

    for (uint i = 0u; i < 8u; ++i)
        sums[i] = 0u;
    for (uint tree = 0u; tree < push.trees; ++tree) {
        uint row = shw_forest_texel(1u + tree).w + leaf_at(tree, pixel);
        uvec4 words = shw_forest_texel(first + row * texels + part);
        for (uint i = 0u; i < 4u; ++i) {
            sums[2u * i] += words[i] & 0xffffu;
            sums[2u * i + 1u] += words[i] >> 16;
        }
    }
}

uint mean_of(uint sum)
{
    return (2u * sum + push.trees) / (2u * push.trees);
}

/* The class with the largest sum, the lowest among equals. */
uint largest(ivec2 pixel)
{
    uint best = 0u, best_sum = 0u;
    uint sums[8];

    for (uint part = 0u; part < SHW_DISTRIBUTION_TEXELS(push.classes); ++part) {
        sum_part(part, pixel, sums);
        for (uint i = 0u; i < 8u; ++i)
            if (sums[i] > best_sum) {
                best_sum = sums[i];
                best = 8u * part + i;
            }
    }
    return best;
}
