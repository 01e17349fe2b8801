/* Sums of leaf distributions over the trees. The including file must first define shw_forest_texel(), SUM_TREES (the
 * number of trees), SUM_PIXEL (a type) and uint row_at(uint tree, SUM_PIXEL pixel), the number of the pixel's leaf
 * among the leaves of all trees, and SUM_MAY_BE_VOID: whether that may be SHW_LEAF_NONE. All sums of such pixels are
 * zero. SUM_CLASSES and SUM_FOREST are the numbers of classes and of trees of the forest, unless `push` has them. */
#ifndef SUM_CLASSES
#define SUM_CLASSES push.classes
#define SUM_FOREST  push.trees
#endif

#define SHW_ARGMAX_VOID 0xffffu

/* The sums of the eight classes of distribution texel `part`: those with even and those with odd numbers. Returning a
 * struct made the whole evaluation slower by a tenth on an H200. */
void sum_part(uint part, SUM_PIXEL pixel, out uvec4 even, out uvec4 odd)
{
    uint first = shw_forest_texel(0u).z + part, texels = SHW_DISTRIBUTION_TEXELS(SUM_CLASSES);

    even = odd = uvec4(0u);
    for (uint tree = 0u; tree < SUM_TREES; ++tree) {
        uint row = row_at(tree, pixel);
#if SUM_MAY_BE_VOID
        uint there = uint(row != SHW_LEAF_NONE);
        uvec4 words = shw_forest_texel(first + row * there * texels) * there;
#else
        uvec4 words = shw_forest_texel(first + row * texels);
#endif
        even += words; /* the odd classes in the upper 16 bits are subtracted below, modulo 2^32 */
        odd += words >> 16u;
    }
    even -= odd << 16u;
}

uint sum_of(uvec4 even, uvec4 odd, uint i)
{
    return (i & 1u) == 0u ? even[i >> 1u] : odd[i >> 1u];
}

uint mean_of(uint sum)
{
    return (2u * sum + SUM_FOREST) / (2u * SUM_FOREST);
}

/* Updates the class with the largest sum (the lowest among equals) by those of this part. */
void find_largest(uvec4 even, uvec4 odd, uint part, inout uint best, inout uint best_sum)
{
    for (uint i = 0u; i < 8u; ++i) {
        uint sum = sum_of(even, odd, i);
        if (sum > best_sum) {
            best_sum = sum;
            best = 8u * part + i;
        }
    }
}
