/* Evaluation of differences of rectangles with vector instructions: the body. The including file defines PATCH(kind)
 * (the functions' names) and includes one of lanes_*.h before.
 *
 * Patches descend by block_descent.h. The rectangle corners of a block's pixels are adjacent in the integral images, so
 * one load per corner serves them all. Where only every step-th pixel is evaluated, corners are a step apart and are
 * loaded one by one. */
#include "dense/feature/block_descent.h"
#include "dense/feature/feature_types.h"

/* Compensates for the rounding of a reciprocal and of its product with a sum below 2^30: large enough that no exact
 * integer quotient is truncated to the one below, small enough that none is lifted to the next. */
#define RECIPROCAL_LIFT (1.0 + 0x1p-40)

/* The corners of a rectangle for a block's first pixel; those of its other pixels follow to the right. */
struct corners {
    ptrdiff_t top;         /* offset of the upper left corner in the plane */
    ptrdiff_t width, drop; /* distance to the upper right and to the lower left corner */
    double reciprocal;     /* of the area */
};

/* A rectangle of a node, prepared for the patch. */
struct reading {
    const void *plane;
    struct shw_rect rect;    /* relative to the pixel */
    struct shw_rect inside;  /* blocks in this range are not clipped; relative to the patch, both ends inclusive */
    struct corners corners;  /* for the first block of the patch */
    double width_reciprocal; /* of the unclipped width */
    int is_inside;           /* the whole patch is in that range */
};

VECTOR const void *element_at(const void *plane, ptrdiff_t element, enum shw_side_kind kind)
{
    return kind == SHW_SIDES_PIXELS ? (const void *)((const int16_t *)plane + element)
                                    : (const void *)((const uint32_t *)plane + element);
}

VECTOR struct reading reading_of(const struct place *place, uint32_t channel, uint32_t low, uint32_t high,
                                 enum shw_side_kind kind)
{
    const struct shw_rect image = place->image,
                          rect = {shw_low16(low), shw_high16(low), shw_low16(high), shw_high16(high)};
    struct reading reading = {.plane = element_at(place->planes, (ptrdiff_t)channel * place->pitch, kind),
                              .rect = rect};

    reading.inside =
        (struct shw_rect){image.x0 - rect.x0 - place->x, image.y0 - rect.y0 - place->y,
                          image.x1 - rect.x1 - place->x - (LANES - 1) * place->step, image.y1 - rect.y1 - place->y};
    reading.is_inside = reading.inside.x0 <= 0 && reading.inside.x1 >= (place->width - LANES) * place->step &&
                        reading.inside.y0 <= 0 && reading.inside.y1 >= (place->height - 1) * place->step;
    reading.width_reciprocal = RECIPROCAL_LIFT / (rect.x1 - rect.x0);
    reading.corners = (struct corners){.top = (place->y + rect.y0) * place->stride + place->x + rect.x0,
                                       .width = rect.x1 - rect.x0,
                                       .drop = (rect.y1 - rect.y0) * place->stride,
                                       .reciprocal = reading.width_reciprocal / (rect.y1 - rect.y0)};
    return reading;
}

/* A block's pixels. */
VECTOR lanes fetch(const struct place *place, const uint32_t *from)
{
    return place->step == 1 ? load(from) : load_apart(from, place->step);
}

VECTOR lanes fetch_short(const struct place *place, const int16_t *from)
{
    return place->step == 1 ? load_short(from) : load_short_apart(from, place->step);
}

/* Sums over a rectangle that is not clipped in x, or their means. */
VECTOR lanes value_of(const struct place *place, const void *plane, const struct corners *corners, ptrdiff_t offset,
                      enum shw_side_kind kind)
{
    const uint32_t *top = element_at(plane, corners->top + offset, kind), *bottom = top + corners->drop;
    lanes sum;

    if (kind == SHW_SIDES_PIXELS)
        return fetch_short(place, (const void *)top);
    sum = subtract(subtract(fetch(place, bottom + corners->width), fetch(place, bottom)),
                   subtract(fetch(place, top + corners->width), fetch(place, top)));
    return kind == SHW_SIDES_MEANS ? multiply_down(sum, corners->reciprocal) : sum;
}

/* Clamps the columns start..start+LANES-1 of a block. Returns the first of LANES adjacent columns that contain all
 * results, and in `index` the position of each result there. */
VECTOR int32_t clamp_columns(int32_t start, int32_t low, int32_t high, lanes *index)
{
    int32_t base = shw_clamp(start, low, high - (LANES - 1));

    *index = clamp_lanes(start - base);
    return base;
}

/* value_of() for a rectangle that may be clipped in x. The image is at least as wide as a block. */
VECTOR lanes value_clipped(const struct reading *reading, const struct shw_rect *image, const uint32_t *top,
                           ptrdiff_t drop, int32_t x, int32_t height, enum shw_side_kind kind)
{
    lanes index0, index1, sum, area;
    int32_t base0 = clamp_columns(x + reading->rect.x0, image->x0, image->x1 - 1, &index0);
    int32_t base1 = clamp_columns(x + reading->rect.x1, image->x0 + 1, image->x1, &index1);
    lanes column0, column1;

    if (kind == SHW_SIDES_PIXELS)
        return permute(load_short((const int16_t *)(const void *)top + base0), index0);
    column0 = subtract(load(top + base0 + drop), load(top + base0));
    column1 = subtract(load(top + base1 + drop), load(top + base1));
    sum = subtract(permute(column1, index1), permute(column0, index0));
    if (kind != SHW_SIDES_MEANS)
        return sum;
    area = multiply(add(spread(base1 - base0), subtract(index1, index0)), spread(height));
    return divide(sum, area);
}

/* The same for pixels a step apart. */
VECTOR lanes gather_clipped(const struct reading *reading, const struct place *place, const uint32_t *top,
                            ptrdiff_t drop, int32_t x, int32_t height, enum shw_side_kind kind)
{
    const struct shw_rect *image = &place->image;
    lanes columns = add(multiply(count_lanes(), spread(place->step)), spread(x));
    lanes x0 = minimum(maximum(add(columns, spread(reading->rect.x0)), spread(image->x0)), spread(image->x1 - 1));
    lanes x1 = minimum(maximum(add(columns, spread(reading->rect.x1)), add(x0, spread(1))), spread(image->x1)), sum;

    if (kind == SHW_SIDES_PIXELS)
        return gather_short((const void *)top, x0);
    sum =
        subtract(subtract(gather(top + drop, x1), gather(top + drop, x0)), subtract(gather(top, x1), gather(top, x0)));
    return kind == SHW_SIDES_MEANS ? divide(sum, multiply(subtract(x1, x0), spread(height))) : sum;
}

/* As shw_rect_place() and the sum or mean, for a block anywhere in the image. */
VECTOR lanes value_anywhere(const struct reading *reading, const struct place *place, uint64_t block,
                            enum shw_side_kind kind)
{
    const struct shw_rect image = place->image, rect = reading->rect;
    int32_t column = (int32_t)BLOCK_X(block) * place->step, x = place->x + column;
    int32_t y = place->y + (int32_t)BLOCK_Y(block) * place->step;
    int32_t y0 = shw_clamp(y + rect.y0, image.y0, image.y1 - 1), y1 = shw_clamp(y + rect.y1, y0 + 1, image.y1);
    ptrdiff_t row = y0 * place->stride;
    struct corners corners = {row + x + rect.x0, rect.x1 - rect.x0, (y1 - y0) * place->stride, 0};

    if (column < reading->inside.x0 || column > reading->inside.x1)
        return place->step == 1 ? value_clipped(reading, &image, element_at(reading->plane, row, kind), corners.drop, x,
                                                y1 - y0, kind)
                                : gather_clipped(reading, place, element_at(reading->plane, row, kind), corners.drop, x,
                                                 y1 - y0, kind);
    corners.reciprocal = reading->width_reciprocal / (y1 - y0);
    return value_of(place, reading->plane, &corners, 0, kind);
}

VECTOR struct shw_rect intersection(struct shw_rect a, struct shw_rect b)
{
    return (struct shw_rect){shw_max(a.x0, b.x0), shw_max(a.y0, b.y0), shw_min(a.x1, b.x1), shw_min(a.y1, b.y1)};
}

/* The responses of a block's pixels. `second` may be NULL; `inside` is the range of blocks in which no rectangle is
 * clipped, is_inside 1 if it has all blocks of the patch. */
VECTOR lanes respond(const struct place *place, const struct reading *first, const struct reading *second,
                     uint64_t block, const struct shw_rect *inside, int is_inside, enum shw_side_kind kind)
{
    lanes response;

    if (is_inside || lies_within(inside, place, block)) {
        response = value_of(place, first->plane, &first->corners, BLOCK_OFFSET(block), kind);
        if (second != NULL)
            response = subtract(response, value_of(place, second->plane, &second->corners, BLOCK_OFFSET(block), kind));
    } else {
        response = value_anywhere(first, place, block, kind);
        if (second != NULL)
            response = subtract(response, value_anywhere(second, place, block, kind));
    }
    return response;
}

/* `second` may be NULL; is_inside is 1 if no rectangle is clipped for any block of the patch. */
VECTOR void test_blocks(struct blocks *blocks, const struct place *place, const struct reading *first,
                        const struct reading *second, const uint32_t *node, int is_inside, enum shw_side_kind kind)
{
    const lanes t0 = spread((int32_t)node[2]), t1 = spread((int32_t)node[3]);
    struct shw_rect inside = second != NULL ? intersection(first->inside, second->inside) : first->inside;
    uint64_t *left = blocks->list, *right = blocks->list + blocks->count;

    blocks->right = right;
    for (const uint64_t *from = blocks->list, *end = right; from < end; from++) {
        uint64_t block = *from, mask, rest;
        lanes response = respond(place, first, second, block, &inside, is_inside, kind);
        mask = (uint64_t)lies_between(response, t0, t1) << BLOCK_MASK_SHIFT;
        rest = block & ~mask;
        *right = block & (mask | BLOCK_PLACE);
        right += *right > BLOCK_PLACE;
        *left = rest;
        left += rest > BLOCK_PLACE;
    }
    blocks->left_count = (uint32_t)(left - blocks->list);
    blocks->right_count = (uint32_t)(right - blocks->right);
}

VECTOR void test_node(struct blocks *blocks, const struct place *place, const uint32_t *node, uint32_t sides)
{
    const enum shw_side_kind kind = (enum shw_side_kind)sides;
    struct reading first = reading_of(place, shw_node_channel(node[1], 0), node[4], node[5], kind);

    if ((node[1] >> SHW_NODE_SECOND_SHIFT & 1) != 0) {
        struct reading second = reading_of(place, shw_node_channel(node[1], 1), node[6], node[7], kind);
        if (first.is_inside && second.is_inside)
            test_blocks(blocks, place, &first, &second, node, 1, kind);
        else
            test_blocks(blocks, place, &first, &second, node, 0, kind);
    } else if (first.is_inside) {
        test_blocks(blocks, place, &first, NULL, node, 1, kind);
    } else {
        test_blocks(blocks, place, &first, NULL, node, 0, kind);
    }
}

VECTOR void store_leaf(const struct blocks *blocks, uint32_t leaf, uint32_t width, uint32_t *leaves)
{
    const lanes value = spread((int32_t)leaf);

    for (uint32_t i = 0; i < blocks->count; i++) {
        uint64_t block = blocks->list[i];
        store_some(leaves + BLOCK_Y(block) * width + BLOCK_X(block), (uint32_t)(block >> BLOCK_MASK_SHIFT), value);
    }
}

/* Ferns: all blocks of a patch take the test of each level,
 * whatever the results before, so there is no list of blocks per node. */
#define FERN_BLOCKS ((size_t)SHW_PATCH_HEIGHT * SHW_PATCH_WIDTH / LANES)

/* Appends a level's results to the places of the pixels among the leaves. */
VECTOR void test_level(const uint64_t *list, uint32_t count, const struct place *place, const struct reading *first,
                       const struct reading *second, const uint32_t *test, int is_inside, enum shw_side_kind kind,
                       uint32_t *places)
{
    const lanes t0 = spread((int32_t)test[2]), t1 = spread((int32_t)test[3]);
    const struct shw_rect inside = second != NULL ? intersection(first->inside, second->inside) : first->inside;

    for (uint32_t b = 0; b < count; b++, places += LANES) {
        lanes response = respond(place, first, second, list[b], &inside, is_inside, kind);
        lanes right = bits_and(is_greater(t1, response), bits_xor(is_greater(t0, response), spread(-1)));
        store(places, subtract(add(load(places), load(places)), right)); /* a mask is -1 */
    }
}

VECTOR void choose_level(const uint64_t *list, uint32_t count, const struct place *place, const uint32_t *test,
                         enum shw_side_kind kind, uint32_t *places)
{
    struct reading first = reading_of(place, shw_node_channel(test[1], 0), test[4], test[5], kind);

    if ((test[1] >> SHW_NODE_SECOND_SHIFT & 1) != 0) {
        struct reading second = reading_of(place, shw_node_channel(test[1], 1), test[6], test[7], kind);
        if (first.is_inside && second.is_inside)
            test_level(list, count, place, &first, &second, test, 1, kind, places);
        else
            test_level(list, count, place, &first, &second, test, 0, kind, places);
    } else if (first.is_inside) {
        test_level(list, count, place, &first, NULL, test, 1, kind, places);
    } else {
        test_level(list, count, place, &first, NULL, test, 0, kind, places);
    }
}

VECTOR void evaluate_fern(const struct place *place, const struct shw_fern *fern, const uint64_t *list, uint32_t count,
                          uint32_t *leaves, enum shw_side_kind kind)
{
    uint32_t places[FERN_BLOCKS * LANES];

    for (uint32_t i = 0; i < count * LANES; i++)
        places[i] = 0;
    for (uint32_t level = 0; level < fern->levels; level++)
        choose_level(list, count, place, fern->tests + (size_t)NODE_WORDS * level, kind, places);
    for (uint32_t b = 0; b < count; b++)
        store(leaves + BLOCK_Y(list[b]) * (uint32_t)place->width + BLOCK_X(list[b]),
              gather(fern->leaves, load(places + (size_t)b * LANES)));
}

VECTOR void evaluate(const struct shw_evaluate_patch *patch, int32_t step, uint32_t tree, uint64_t *list,
                     uint32_t *leaves, enum shw_side_kind kind)
{
    const struct shw_evaluate_tile *tile = patch->tile;
    ptrdiff_t more = kind != SHW_SIDES_PIXELS; /* integral images have one column and row more */
    const uint32_t *texels = tile->texels;
    const uint32_t *root = texels + 4 * (size_t)texels[4 * (1 + (size_t)tree)];
    struct place place = {.planes = tile->planes,
                          .stride = (ptrdiff_t)tile->width + more,
                          .pitch = ((ptrdiff_t)tile->width + more) * ((ptrdiff_t)tile->height + more),
                          .image = tile->image,
                          .x = (int32_t)patch->x,
                          .y = (int32_t)patch->y,
                          .width = (int32_t)patch->width,
                          .height = (int32_t)patch->height,
                          .step = step};

    if (tile->ferns != NULL) {
        evaluate_fern(&place, &tile->ferns[tree], list, list_blocks(&place, list), leaves, kind);
        return;
    }
    descend(&place, root, (struct blocks){.list = list, .count = list_blocks(&place, list)}, leaves, kind);
}

VECTOR void evaluate_patch(const struct shw_evaluate_patch *patch, uint32_t tree, uint64_t *list, uint32_t *leaves,
                           enum shw_side_kind kind)
{
    if (patch->tile->step == 1)
        evaluate(patch, 1, tree, list, leaves, kind);
    else
        evaluate(patch, (int32_t)patch->tile->step, tree, list, leaves, kind);
}

TARGET void PATCH(sum)(const struct shw_evaluate_patch *patch, uint32_t tree, uint64_t *blocks, uint32_t *leaves)
{
    evaluate_patch(patch, tree, blocks, leaves, SHW_SIDES_SUMS);
}

TARGET void PATCH(mean)(const struct shw_evaluate_patch *patch, uint32_t tree, uint64_t *blocks, uint32_t *leaves)
{
    evaluate_patch(patch, tree, blocks, leaves, SHW_SIDES_MEANS);
}

TARGET void PATCH(pixel)(const struct shw_evaluate_patch *patch, uint32_t tree, uint64_t *blocks, uint32_t *leaves)
{
    evaluate_patch(patch, tree, blocks, leaves, SHW_SIDES_PIXELS);
}
