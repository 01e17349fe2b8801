/* The walk of windows through trees that compare two values, with and without vectors. */
#include "detection/detect/walk.h"

#include <stdlib.h>

#include "base/integers.h"
#include "base/log.h"
#include "detection/cascade/cascade.h"
#include "shared/detect.h"

#define WINDOWS 2048u
#define SPARE   16u /* windows after the last that may be read and written */

struct windows {
    uint32_t count;
    int32_t base[WINDOWS + SPARE];  /* index of the window's first or middle value */
    int32_t score[WINDOWS + SPARE]; /* so far */
    uint32_t number[WINDOWS];       /* row * columns + column in the band */
};

/* Adds the values of the leaves that the windows reach in a tree. */
typedef void walk_add_tree(const struct shw_walk *walk, uint32_t tree, struct windows *windows);
#define STRIDE_MAX 32767

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
VECTOR void add_to(const struct shw_walk *walk, uint32_t tree, struct windows *windows, uint32_t first, enum kind kind,
                   int groups)
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

VECTOR void add_tree_avx2(const struct shw_walk *walk, uint32_t tree, struct windows *windows, enum kind kind)
{
    uint32_t w = 0;

    for (; w + (GROUPS - 1) * LANES < windows->count; w += GROUPS * LANES)
        add_to(walk, tree, windows, w, kind, GROUPS);
    for (; w < windows->count; w += LANES)
        add_to(walk, tree, windows, w, kind, 1);
}

TARGET static void walk_add_pixels_avx2(const struct shw_walk *walk, uint32_t tree, struct windows *windows)
{
    add_tree_avx2(walk, tree, windows, PIXELS);
}

TARGET static void walk_add_scaled_avx2(const struct shw_walk *walk, uint32_t tree, struct windows *windows)
{
    add_tree_avx2(walk, tree, windows, SCALED);
}

TARGET static void walk_add_turned_avx2(const struct shw_walk *walk, uint32_t tree, struct windows *windows)
{
    add_tree_avx2(walk, tree, windows, TURNED);
}

#endif

static void set_node(const struct shw_cascade_node *node, uint32_t number, struct shw_walk_node *out)
{
    out->x1 = node->x1;
    out->y1 = node->y1;
    out->x2 = node->x2;
    out->y2 = node->y2;
    out->threshold = node->is_split ? node->threshold : INT32_MAX;
    out->left = (int32_t)(node->is_split ? node->left : number);
}

void shw_walk_trees_free(struct shw_walk_trees *trees)
{
    free(trees->nodes);
    free(trees->values);
    *trees = (struct shw_walk_trees){0};
}

enum shw_result shw_walk_trees_make(const struct shw_cascade *cascade, const struct shw_log *log,
                                    struct shw_walk_trees *trees)
{
    const struct shw_cascade_info *info = shw_cascade_get_info(cascade);

    trees->info = info;
    trees->depths = cascade->depths;
    trees->nodes = calloc(info->node_count, sizeof *trees->nodes);
    trees->values = malloc(info->node_count * sizeof *trees->values);
    if (trees->nodes == NULL || trees->values == NULL) {
        shw_walk_trees_free(trees);
        return shw_fail_memory(log, "the trees of a cascade");
    }
    for (uint32_t t = 0; t < info->tree_count; t++) {
        const struct shw_cascade_node *nodes = info->nodes + info->trees[t].first_node;
        for (uint32_t n = 0; n < info->trees[t].node_count; n++) {
            set_node(&nodes[n], n, &trees->nodes[info->trees[t].first_node + n]);
            trees->values[info->trees[t].first_node + n] = nodes[n].value;
        }
    }
    return SHW_OK;
}

/* Where a point lies from the window's first or middle value on. */
static int32_t pixels_offset(const struct shw_walk *walk, int32_t x, int32_t y)
{
    return y * walk->stride + x;
}

static int32_t scaled_offset(const struct shw_walk *walk, int32_t x, int32_t y)
{
    int32_t size = walk->size;

    return (shw_detect_scaled(size, y, size) - size) * walk->stride + shw_detect_scaled(size, x, size) - size;
}

/* Rounded down; row or column -1 repeats the first. */
static int32_t turned_offset(const struct shw_walk *walk, int32_t x, int32_t y)
{
    const int32_t far = 1 << 16;

    return (shw_detect_turned(far, walk->cosine * y - walk->sine * x) - far) * walk->stride +
           shw_detect_turned(far, walk->cosine * x + walk->sine * y) - far;
}

#define ADD_TREE(name, plane, offset)                                                                                  \
    static void name(const struct shw_walk *walk, uint32_t tree, struct windows *windows)                              \
    {                                                                                                                  \
        const struct shw_walk_node *nodes = walk->nodes + walk->trees->info->trees[tree].first_node;                   \
        const int32_t *values = walk->trees->values + walk->trees->info->trees[tree].first_node;                       \
                                                                                                                       \
        for (uint32_t w = 0; w < windows->count; w++) {                                                                \
            int32_t node = 0;                                                                                          \
            for (uint32_t d = 0; d < walk->trees->depths[tree]; d++) {                                                 \
                const struct shw_walk_node *at = &nodes[node];                                                         \
                int32_t response = (int32_t)plane[windows->base[w] + offset(walk, at->x1, at->y1)] -                   \
                                   (int32_t)plane[windows->base[w] + offset(walk, at->x2, at->y2)];                    \
                node = at->left + (response > at->threshold);                                                          \
            }                                                                                                          \
            windows->score[w] += values[node];                                                                         \
        }                                                                                                              \
    }

ADD_TREE(add_pixels, walk->levels, pixels_offset)
ADD_TREE(add_scaled, walk->grey, scaled_offset)
ADD_TREE(add_turned, walk->grey, turned_offset)

/* Removes windows with a lower score. */
static void keep(struct windows *windows, int32_t threshold)
{
    uint32_t kept = 0;

    for (uint32_t w = 0; w < windows->count; w++) {
        windows->base[kept] = windows->base[w];
        windows->number[kept] = windows->number[w];
        windows->score[kept] = windows->score[w];
        kept += windows->score[w] >= threshold;
    }
    windows->count = kept;
}

static walk_add_tree *choose(const struct shw_walk *walk, enum shw_simd simd)
{
#if SHW_SIMD_X86
    if (simd >= SHW_SIMD_AVX2 && walk->turned)
        return walk_add_turned_avx2;
    if (simd >= SHW_SIMD_AVX2 && walk->stride <= STRIDE_MAX)
        return walk->levels != NULL ? walk_add_pixels_avx2 : walk_add_scaled_avx2;
#endif
    (void)simd;
    return walk->levels != NULL ? add_pixels : walk->turned ? add_turned : add_scaled;
}

/* The windows of the band from number `first` on, and copies of the last one. */
static void begin_windows(const struct shw_walk *walk, const struct shw_detect_band *band,
                          const struct shw_detect_tally *tally, uint32_t first, struct windows *windows)
{
    struct shw_detect_range range = shw_detect_level_columns(band->level, band->angle);
    const struct shw_detect_position *columns = tally->plan->positions + band->level->first_column + range.first;
    const struct shw_detect_position *rows = tally->plan->positions + band->level->first_row + band->first_row;
    uint32_t row = first / range.count, column = first % range.count;

    windows->count = (uint32_t)shw_min_u64(WINDOWS, (uint64_t)band->rows * range.count - first);
    for (uint32_t w = 0; w < windows->count; w++) {
        windows->base[w] = walk->first + rows[row].at * walk->stride + columns[column].at;
        windows->number[w] = first + w;
        windows->score[w] = 0;
        if (++column == range.count) {
            column = 0;
            row++;
        }
    }
    for (uint32_t w = windows->count; w < windows->count + SPARE; w++) {
        windows->base[w] = windows->base[windows->count - 1];
        windows->score[w] = 0;
    }
}

static void run_stages(const struct shw_walk *walk, walk_add_tree *add_tree, struct windows *windows,
                       uint64_t *survivors)
{
    const struct shw_cascade_info *info = walk->trees->info;

    survivors[0] += windows->count;
    for (uint32_t s = 0; s < info->stage_count && windows->count > 0; s++) {
        const struct shw_cascade_stage *stage = &info->stages[s];
        for (uint32_t w = 0; info->restarts && w < windows->count; w++)
            windows->score[w] = 0;
        for (uint32_t t = 0; t < stage->tree_count; t++)
            add_tree(walk, stage->first_tree + t, windows);
        keep(windows, stage->threshold);
        survivors[s + 1] += windows->count;
    }
}

void shw_walk_band(const struct shw_walk *walk, enum shw_simd simd, const struct shw_detect_band *band,
                   struct shw_detect_tally *tally)
{
    walk_add_tree *add_tree = choose(walk, simd);
    struct shw_detect_range columns = shw_detect_level_columns(band->level, band->angle);
    uint64_t count = (uint64_t)band->rows * columns.count;
    struct windows windows;

    for (uint64_t first = 0; first < count; first += WINDOWS) {
        begin_windows(walk, band, tally, (uint32_t)first, &windows);
        run_stages(walk, add_tree, &windows, tally->survivors);
        for (uint32_t w = 0; w < windows.count; w++)
            shw_detect_tally_add(tally, band, columns.first + windows.number[w] % columns.count,
                                 band->first_row + windows.number[w] / columns.count, windows.score[w]);
    }
}
