/* Feature types as text with the vector instructions of a processor, which the compiler makes of loops over pixels: for
 * texts whose response follows from the values of rectangles. It is included after dense/feature/portable.h where
 * SHW_VECTORS is the number of 32-bit lanes: 8 (AVX2) or 16 (AVX-512). */
#include <string.h>

#define LANES SHW_VECTORS
#if SHW_VECTORS == 16
#define TARGET __attribute__((target("avx512f,avx512dq,avx512vl"), flatten))
#define VECTOR __attribute__((target("avx512f,avx512dq,avx512vl"), always_inline)) static inline
#else
#define TARGET __attribute__((target("avx2"), flatten))
#define VECTOR __attribute__((target("avx2"), always_inline)) static inline
#endif

#ifdef SHW_REGIONS

/* What regions of some pixels say. The values have loops of their own, because a text that chooses between them would
 * make branches of the reading. */
#define PIXELS 64u
struct values {
    int32_t sums[PIXELS], means[PIXELS], corners[PIXELS];
};

/* Of a region at a pixel, clipped to the image, by shw_rect_place(). Planes have less than 2^31 values, from one
 * channel to the next `pitch`. */
VECTOR void read_clipped(const element *planes, int32_t stride, int32_t pitch, struct shw_region region, int32_t x,
                         int32_t y, struct shw_rect image, struct values *values, uint32_t i)
{
    const struct shw_rect rect = shw_rect_place(region.low, region.high, x, y, image);
    const int32_t top = (int32_t)region.channel * pitch + rect.y0 * stride;

#if SHW_FEATURE_READS == SHW_READS_INTEGRALS
    const int32_t bottom = (int32_t)region.channel * pitch + rect.y1 * stride;
    const int32_t sum =
        (int32_t)(planes[bottom + rect.x1] - planes[bottom + rect.x0] - planes[top + rect.x1] + planes[top + rect.x0]);

    values->sums[i] = sum;
    values->means[i] = (int32_t)((double)sum / ((rect.x1 - rect.x0) * (rect.y1 - rect.y0)));
#else
    values->corners[i] = planes[top + rect.x0];
#endif
}

VECTOR struct shw_region_values values_of(const struct values *values, uint32_t i)
{
#if SHW_FEATURE_READS == SHW_READS_INTEGRALS
    return (struct shw_region_values){values->sums[i], values->means[i], 0};
#else
    return (struct shw_region_values){0, 0, values->corners[i]};
#endif
}

VECTOR struct shw_response respond_of(struct shw_feature_words feature, const struct values values[2], uint32_t i)
{
    return shw_values_respond(NULL, feature, values_of(&values[0], i), values_of(&values[SHW_REGIONS - 1], i));
}

VECTOR struct shw_region region_of(struct shw_feature_words feature, int number)
{
    struct shw_region regions[2];

    shw_values_regions(feature, regions);
    return regions[number];
}

/* --- Training --- */

TARGET static void features_of_lanes(const void *planes, const struct shw_image_block *block, uint32_t sample,
                                     const struct shw_feature_lanes *features, uint32_t count, int32_t *responses)
{
    const struct shw_rect image = {0, 0, block->width, block->height};
    const int32_t x = block->x[sample], y = block->y[sample], stride = block->stride, pitch = block->pitch;
    int32_t stored[PIXELS];
    struct values values[2];

    for (uint32_t first = 0; first < count; first += PIXELS) {
        const uint32_t some = count - first < PIXELS ? count - first : PIXELS;
        const uint32_t *words[5];

        for (int w = 0; w < 5; w++)
            words[w] = features->words[w] + first;
#define FEATURE(i) ((struct shw_feature_words){words[0][i], {words[1][i], words[2][i], words[3][i], words[4][i]}})
        for (uint32_t i = 0; i < some; i++)
            read_clipped(planes, stride, pitch, region_of(FEATURE(i), 0), x, y, image, &values[0], i);
        for (uint32_t i = 0; i < some && SHW_REGIONS > 1; i++)
            read_clipped(planes, stride, pitch, region_of(FEATURE(i), 1), x, y, image, &values[1], i);
        for (uint32_t i = 0; i < some; i++)
            stored[i] = shw_stored(respond_of(FEATURE(i), values, i));
        for (uint32_t i = 0; i < some; i++)
            responses[first + i] = stored[i];
#undef FEATURE
    }
}

TARGET static void run_of_lanes(const void *planes, const struct shw_image_block *block, uint32_t place, uint32_t count,
                                const struct shw_feature *feature, int32_t *responses)
{
    const struct shw_feature_words words = shw_feature_get_words(feature);
    const struct shw_rect image = {0, 0, block->width, block->height};
    const int32_t stride = block->stride, pitch = block->pitch;
    struct values values[2];

    for (uint32_t first = 0; first < count; first += PIXELS) {
        const uint32_t some = count - first < PIXELS ? count - first : PIXELS;
        const int32_t *x = block->x + place + first, *y = block->y + place + first;

        for (uint32_t i = 0; i < some; i++)
            read_clipped(planes, stride, pitch, region_of(words, 0), x[i], y[i], image, &values[0], i);
        for (uint32_t i = 0; i < some && SHW_REGIONS > 1; i++)
            read_clipped(planes, stride, pitch, region_of(words, 1), x[i], y[i], image, &values[1], i);
        for (uint32_t i = 0; i < some; i++)
            responses[first + i] = shw_stored(respond_of(words, values, i));
    }
}

/* Images that are mirrored are for the portable functions. */
static const struct shw_respond respond_lanes = {.features = features_of_lanes, .run = run_of_lanes};

/* --- Labelling --- */

#define RECIPROCAL_LIFT (1.0 + 0x1p-40) /* no exact quotient of a sum below 2^30 is truncated to the one below */

#include "dense/feature/block_descent.h"

/* A region of a node's feature, and its corners for a block that is not clipped in x. */
struct reading {
    const element *plane;
    struct shw_rect rect;    /* relative to the pixel */
    double width_reciprocal; /* of its width */
    const element *top;      /* its first corner for the first block of the patch */
    ptrdiff_t drop;          /* to the row below it */
    double reciprocal;       /* of its area */
};

struct test {
    struct shw_feature_words feature;
    struct reading readings[2];
    struct shw_rect inside; /* blocks in this range are not clipped; relative to the patch, both ends inclusive */
    int32_t t0, t1;
};

VECTOR void read_test(const struct place *place, const uint32_t *node, struct test *test)
{
    struct shw_region regions[2] = {{0, 0, 0}, {0, 0, 0}};
    struct shw_rect reach = {0, 0, 1, 1};

    test->feature = shw_feature_of(node[1], (shw_uint4){node[4], node[5], node[6], node[7]});
    test->t0 = (int32_t)node[2];
    test->t1 = (int32_t)node[3];
    shw_values_regions(test->feature, regions);
    for (int r = 0; r < SHW_REGIONS; r++) {
        struct reading *reading = &test->readings[r];
        const struct shw_rect rect = {shw_low16(regions[r].low), shw_high16(regions[r].low), shw_low16(regions[r].high),
                                      shw_high16(regions[r].high)};

        reading->plane = (const element *)place->planes + (ptrdiff_t)regions[r].channel * place->pitch;
        reading->rect = rect;
        reading->width_reciprocal = RECIPROCAL_LIFT / (rect.x1 - rect.x0);
        reading->top = reading->plane + (place->y + rect.y0) * place->stride + place->x + rect.x0;
        reading->drop = (rect.y1 - rect.y0) * place->stride;
        reading->reciprocal = reading->width_reciprocal / (rect.y1 - rect.y0);
        reach = (struct shw_rect){shw_min(reach.x0, rect.x0), shw_min(reach.y0, rect.y0), shw_max(reach.x1, rect.x1),
                                  shw_max(reach.y1, rect.y1)};
    }
    test->inside =
        (struct shw_rect){place->image.x0 - reach.x0 - place->x, place->image.y0 - reach.y0 - place->y,
                          place->image.x1 - reach.x1 - place->x - (LANES - 1), place->image.y1 - reach.y1 - place->y};
}

VECTOR struct shw_region_values values_at(const struct reading *reading, ptrdiff_t offset)
{
    struct shw_region_values values = {0, 0, 0};
    const element *top = reading->top + offset;

#if SHW_FEATURE_READS == SHW_READS_INTEGRALS
    const ptrdiff_t width = reading->rect.x1 - reading->rect.x0;

    values.sum = (int32_t)(top[reading->drop + width] - top[reading->drop] - top[width] + top[0]);
    values.mean = (int32_t)(values.sum * reading->reciprocal);
#else
    values.corner = top[0];
#endif
    return values;
}

/* Bit i: whether pixel i goes right, which `sides` say by all bits. Intrinsics have headers of the compiler's, which
 * are not read here. */
VECTOR uint32_t mask_of(const uint32_t sides[LANES])
{
    typedef int32_t vector __attribute__((vector_size(4 * LANES)));
    vector all;

    memcpy(&all, sides, sizeof all);
#if LANES == 16
    return __builtin_ia32_cvtd2mask512(all);
#else
    typedef float floats __attribute__((vector_size(32)));
    return (uint32_t)__builtin_ia32_movmskps256((floats)all);
#endif
}

/* Of a block whose regions are not clipped in x. */
VECTOR uint32_t test_rows(const struct test *test, const struct reading readings[2], ptrdiff_t offset)
{
    uint32_t sides[LANES];

    for (int i = 0; i < LANES; i++)
        sides[i] = 0u - shw_goes_right(shw_values_respond(NULL, test->feature, values_at(&readings[0], offset + i),
                                                          values_at(&readings[SHW_REGIONS - 1], offset + i)),
                                       test->t0, test->t1);
    return mask_of(sides);
}

/* The reading of a row of pixels, from the block's first pixel, as shw_rect_place() clips it in y. */
VECTOR struct reading clip_rows(const struct reading *reading, const struct place *place, int32_t x, int32_t y)
{
    const struct shw_rect image = place->image, rect = reading->rect;
    const int32_t y0 = shw_clamp(y + rect.y0, image.y0, image.y1 - 1), y1 = shw_clamp(y + rect.y1, y0 + 1, image.y1);
    struct reading clipped = *reading;

    clipped.top = reading->plane + y0 * place->stride + x + rect.x0;
    clipped.drop = (y1 - y0) * place->stride;
    clipped.reciprocal = reading->width_reciprocal / (y1 - y0);
    return clipped;
}

/* Of any block. */
VECTOR uint32_t test_anywhere(const struct test *test, const struct place *place, uint64_t block)
{
    const int32_t column = (int32_t)BLOCK_X(block), x = place->x + column, y = place->y + (int32_t)BLOCK_Y(block);
    const int32_t stride = (int32_t)place->stride;
    struct shw_region regions[2] = {{0, 0, 0}, {0, 0, 0}};
    struct values values[2];
    uint32_t sides[LANES];

    if (column >= test->inside.x0 && column <= test->inside.x1) {
        const struct reading readings[2] = {clip_rows(&test->readings[0], place, x, y),
                                            clip_rows(&test->readings[SHW_REGIONS - 1], place, x, y)};
        return test_rows(test, readings, 0);
    }
    shw_values_regions(test->feature, regions);
#define READ(r)                                                                                                        \
    _Pragma("GCC unroll 1") for (int i = 0; i < LANES; i++)                                                            \
        read_clipped(test->readings[r].plane, stride, 0, regions[r], x + i, y, place->image, &values[r], (uint32_t)i)
    READ(0);
#if SHW_REGIONS > 1
    READ(1);
#endif
#undef READ
    _Pragma("GCC unroll 1") for (int i = 0; i < LANES; i++) sides[i] =
        0u - shw_goes_right(respond_of(test->feature, values, (uint32_t)i), test->t0, test->t1);
    return mask_of(sides);
}

VECTOR void test_node(struct blocks *blocks, const struct place *place, const uint32_t *node, uint32_t kind)
{
    uint64_t *left = blocks->list, *right = blocks->list + blocks->count;
    struct test test;

    (void)kind;
    read_test(place, node, &test);
    blocks->right = right;
    for (const uint64_t *from = blocks->list, *end = right; from < end; from++) {
        const uint64_t block = *from;
        const uint64_t mask =
            (uint64_t)(lies_within(&test.inside, place, block) ? test_rows(&test, test.readings, BLOCK_OFFSET(block))
                                                               : test_anywhere(&test, place, block))
            << BLOCK_MASK_SHIFT;
        const uint64_t rest = block & ~mask;

        *right = block & (mask | BLOCK_PLACE);
        right += *right > BLOCK_PLACE;
        *left = rest;
        left += rest > BLOCK_PLACE;
    }
    blocks->left_count = (uint32_t)(left - blocks->list);
    blocks->right_count = (uint32_t)(right - blocks->right);
}

VECTOR void store_leaf(const struct blocks *blocks, uint32_t leaf, uint32_t width, uint32_t *leaves)
{
    for (uint32_t i = 0; i < blocks->count; i++) {
        const uint64_t block = blocks->list[i];
        uint32_t *to = leaves + BLOCK_Y(block) * width + BLOCK_X(block);

        for (int lane = 0; lane < LANES; lane++)
            to[lane] = (block >> (BLOCK_MASK_SHIFT + lane) & 1) != 0 ? leaf : to[lane];
    }
}

TARGET static void evaluate_lanes(const struct shw_evaluate_patch *patch, uint32_t tree, uint64_t *list,
                                  uint32_t *leaves)
{
    const struct shw_evaluate_tile *tile = patch->tile;
    const struct place place = {.planes = tile->planes,
                                .stride = (ptrdiff_t)(tile->width + MORE),
                                .pitch = (ptrdiff_t)(tile->width + MORE) * (ptrdiff_t)(tile->height + MORE),
                                .image = tile->image,
                                .x = (int32_t)patch->x,
                                .y = (int32_t)patch->y,
                                .width = (int32_t)patch->width,
                                .height = (int32_t)patch->height,
                                .step = 1};
    const uint32_t *root = tile->texels + 4 * (size_t)tile->texels[4 * (1 + (size_t)tree)];

    if (tile->step == 1 && tile->ferns == NULL) {
        descend(&place, root, (struct blocks){.list = list, .count = list_blocks(&place, list)}, leaves, 0);
        return;
    }
    for (uint32_t row = 0; row < patch->height; row++)
        evaluate_row(tile, tree, patch->x, patch->y + row * tile->step, patch->width, leaves + row * patch->width);
}

extern const struct shw_feature_vectors PASTED(shw_feature_vectors_, SHW_FEATURE_NAME);
const struct shw_feature_vectors PASTED(shw_feature_vectors_, SHW_FEATURE_NAME) = {
    .patch[SHW_VECTORS == 16 ? SHW_SIMD_AVX512 : SHW_SIMD_AVX2] = evaluate_lanes,
    .respond = &respond_lanes,
};
#endif
