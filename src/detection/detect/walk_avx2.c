#include "detection/detect/walk_functions.h"

#if SHW_SIMD_X86
#include <immintrin.h>

#define LANES  8
#define GROUPS 2
#define TARGET __attribute__((target("avx2")))
#define VECTOR __attribute__((target("avx2"), always_inline)) static inline

/* Eight nodes: where their points lie from the window's first or middle value on, and the rest. */
struct tests {
    __m256i one, two, threshold, left;
};

VECTOR __m256i load_nodes(const struct shw_walk_node *nodes, int32_t low, int32_t high)
{
    __m128i first = _mm_loadu_si128((const __m128i *)(const void *)&nodes[low]);
    __m128i second = _mm_loadu_si128((const __m128i *)(const void *)&nodes[high]);

    return _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);
}

/* Takes the even or the odd words of two vectors. */
#define EVEN(a, b) _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88))
#define ODD(a, b)  _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0xdd))

enum kind { PIXELS, SCALED, TURNED };

/* Of windows of the walk, in each lane. */
struct constants {
    __m256i size;         /* SCALED: 16 bits */
    __m256i strides;      /* 1 and the stride, 16 bits each; TURNED: the stride */
    __m256i cosine, sine; /* TURNED */
};

VECTOR struct constants constants_of(const struct shw_walk *walk, enum kind kind)
{
    uint32_t strides = (uint32_t)walk->stride << 16 | 1u;

    return (struct constants){_mm256_set1_epi16((int16_t)walk->size),
                              _mm256_set1_epi32(kind == TURNED ? walk->stride : (int32_t)strides),
                              _mm256_set1_epi32(walk->cosine), _mm256_set1_epi32(walk->sine)};
}

/* In 2^-16 pixels: a * x + b * y, rounded down to pixels. */
VECTOR __m256i turn(__m256i a, __m256i x, __m256i b, __m256i y)
{
    return _mm256_srai_epi32(_mm256_add_epi32(_mm256_mullo_epi32(a, x), _mm256_mullo_epi32(b, y)), 16);
}

VECTOR __m256i turned_offsets(__m256i points, const struct constants *constants)
{
    __m256i x = _mm256_srai_epi32(_mm256_slli_epi32(points, 16), 16), y = _mm256_srai_epi32(points, 16);
    __m256i minus = _mm256_sub_epi32(_mm256_setzero_si256(), constants->sine);
    __m256i across = turn(constants->cosine, x, constants->sine, y), down = turn(constants->cosine, y, minus, x);

    return _mm256_add_epi32(_mm256_mullo_epi32(down, constants->strides), across);
}

/* Eight points, x and y of 16 bits each, to offsets. For SCALED, floor(x * size / 256) is the high half of
 * 256 x * size. */
VECTOR __m256i offsets_of(__m256i points, const struct constants *constants, enum kind kind)
{
    if (kind == TURNED)
        return turned_offsets(points, constants);
    if (kind == SCALED)
        points = _mm256_mulhi_epi16(_mm256_slli_epi16(points, 8), constants->size);
    return _mm256_madd_epi16(points, constants->strides);
}

VECTOR struct tests load_tests(const struct shw_walk_node *nodes, __m256i places, const struct constants *constants,
                               enum kind kind)
{
    int32_t at[LANES];
    __m256i row[4], points[2], rest[2];

    _mm256_storeu_si256((__m256i *)(void *)at, places);
    for (int i = 0; i < 4; i++)
        row[i] = load_nodes(nodes, at[i], at[i + 4]);
    for (int i = 0; i < 2; i++) {
        points[i] = offsets_of(_mm256_unpacklo_epi64(row[2 * i], row[2 * i + 1]), constants, kind);
        rest[i] = _mm256_unpackhi_epi64(row[2 * i], row[2 * i + 1]);
    }
    return (struct tests){EVEN(points[0], points[1]), ODD(points[0], points[1]), EVEN(rest[0], rest[1]),
                          ODD(rest[0], rest[1])};
}

VECTOR __m256i pick32(const int32_t *from, const int32_t at[LANES])
{
    return _mm256_setr_epi32(from[at[0]], from[at[1]], from[at[2]], from[at[3]], from[at[4]], from[at[5]], from[at[6]],
                             from[at[7]]);
}

VECTOR __m256i pick16(const uint16_t *from, const int32_t at[LANES])
{
    return _mm256_setr_epi32(from[at[0]], from[at[1]], from[at[2]], from[at[3]], from[at[4]], from[at[5]], from[at[6]],
                             from[at[7]]);
}

VECTOR __m256i pick8(const uint8_t *from, const int32_t at[LANES])
{
    return _mm256_setr_epi32(from[at[0]], from[at[1]], from[at[2]], from[at[3]], from[at[4]], from[at[5]], from[at[6]],
                             from[at[7]]);
}

/* The processor's own gathering takes longer, or no less. */
VECTOR __m256i gather(const struct shw_walk *walk, __m256i places, enum kind kind)
{
    int32_t at[LANES];

    _mm256_storeu_si256((__m256i *)(void *)at, places);
    return kind == PIXELS ? pick16(walk->levels, at) : pick8(walk->grey, at);
}

/* Several times eight windows from `first` on, side by side, since each test waits for the one before. */
VECTOR void add_to(const struct shw_walk *walk, uint32_t tree, struct shw_walk_windows *windows, uint32_t first,
                   enum kind kind, int groups)
{
    const struct shw_walk_node *nodes = walk->nodes + walk->trees->info->trees[tree].first_node;
    const int32_t *values = walk->trees->values + walk->trees->info->trees[tree].first_node;
    const struct constants constants = constants_of(walk, kind);
    __m256i base[GROUPS], place[GROUPS];

    for (int g = 0; g < groups; g++) {
        base[g] = _mm256_loadu_si256((const __m256i *)(const void *)&windows->base[first + (uint32_t)g * LANES]);
        place[g] = _mm256_setzero_si256();
    }
    for (uint32_t d = 0; d < walk->trees->depths[tree]; d++)
        for (int g = 0; g < groups; g++) {
            struct tests tests = load_tests(nodes, place[g], &constants, kind);
            __m256i response = _mm256_sub_epi32(gather(walk, _mm256_add_epi32(base[g], tests.one), kind),
                                                gather(walk, _mm256_add_epi32(base[g], tests.two), kind));
            place[g] = _mm256_sub_epi32(tests.left, _mm256_cmpgt_epi32(response, tests.threshold));
        }
    for (int g = 0; g < groups; g++) {
        __m256i *score = (__m256i *)(void *)&windows->score[first + (uint32_t)g * LANES];
        int32_t at[LANES];
        _mm256_storeu_si256((__m256i *)(void *)at, place[g]);
        _mm256_storeu_si256(score, _mm256_add_epi32(_mm256_loadu_si256(score), pick32(values, at)));
    }
}

VECTOR void add_tree(const struct shw_walk *walk, uint32_t tree, struct shw_walk_windows *windows, enum kind kind)
{
    uint32_t w = 0;

    for (; w + (GROUPS - 1) * LANES < windows->count; w += GROUPS * LANES)
        add_to(walk, tree, windows, w, kind, GROUPS);
    for (; w < windows->count; w += LANES)
        add_to(walk, tree, windows, w, kind, 1);
}

TARGET void shw_walk_add_pixels_avx2(const struct shw_walk *walk, uint32_t tree, struct shw_walk_windows *windows)
{
    add_tree(walk, tree, windows, PIXELS);
}

TARGET void shw_walk_add_scaled_avx2(const struct shw_walk *walk, uint32_t tree, struct shw_walk_windows *windows)
{
    add_tree(walk, tree, windows, SCALED);
}

TARGET void shw_walk_add_turned_avx2(const struct shw_walk *walk, uint32_t tree, struct shw_walk_windows *windows)
{
    add_tree(walk, tree, windows, TURNED);
}

#endif
