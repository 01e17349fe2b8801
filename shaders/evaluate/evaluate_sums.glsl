/* Sums of leaf distributions over the trees. The including file defines before: shw_forest_texel(), SUM_TREES (how many), SUM_PIXEL (a type)
 * and uint row_at(uint tree, SUM_PIXEL pixel), the number of the pixel's leaf among the leaves of all trees. */

/* Of the eight classes of a distribution texel, the even ones and the odd. */
struct shw_sums {
    uvec4 even, odd;
};

shw_sums sum_part(uint part, SUM_PIXEL pixel)
{
    uint first = shw_forest_texel(0u).z + part, texels = SHW_DISTRIBUTION_TEXELS(push.classes);
    shw_sums sums = shw_sums(uvec4(0u), uvec4(0u));

    for (uint tree = 0u; tree < SUM_TREES; ++tree) {
        uvec4 words = shw_forest_texel(first + row_at(tree, pixel) * texels);
        sums.even += words; /* and, above 16 bits, the odd ones, which are taken out at the end, modulo 2^32 */
        sums.odd += words >> 16u;
    }
    sums.even -= sums.odd << 16u;
    return sums;
}

uint sum_of(shw_sums sums, uint i)
{
    return (i & 1u) == 0u ? sums.even[i >> 1u] : sums.odd[i >> 1u];
}

uint mean_of(uint sum)
{
    return (2u * sum + push.trees) / (2u * push.trees);
}

/* The class with the largest sum, the lowest among equals: of this part's, or what was found before. */
void find_largest(shw_sums sums, uint part, inout uint best, inout uint best_sum)
{
    for (uint i = 0u; i < 8u; ++i)
        if (sum_of(sums, i) > best_sum) {
            best_sum = sum_of(sums, i);
            best = 8u * part + i;
        }
}
