/* From the top down: a rectangle around all labels is cut in two, along the line between blocks that saves most, as
 * long as two rectangles with their margins have fewer pixels than one. Strokes that are far apart are separated by it,
 * and a long oblique one is cut into pieces; where a picture's tiles are depends little on strokes elsewhere in it. */
#include "project/cut.h"

#include <stdlib.h>
#include <string.h>

#include "base/integers.h"

#define TILE_PIXELS 4096u /* what a tile costs beside its pixels, in pixels */

struct cutting {
    const struct shw_picture_labels *labels;
    uint32_t margin;
    struct shw_cut *cut;
    struct shw_rect *before, *after; /* per block: around those up to it, and from it on */
};

static struct shw_rect join(struct shw_rect a, struct shw_rect b)
{
    return (struct shw_rect){a.x0 < b.x0 ? a.x0 : b.x0, a.y0 < b.y0 ? a.y0 : b.y0, a.x1 > b.x1 ? a.x1 : b.x1,
                             a.y1 > b.y1 ? a.y1 : b.y1};
}

static int32_t clip(int64_t place, uint32_t size)
{
    return (int32_t)shw_clamp_i64(place, 0, size);
}

static struct shw_rect grow(const struct cutting *cutting, struct shw_rect rect)
{
    uint32_t width = cutting->labels->width, height = cutting->labels->height;
    int64_t margin = cutting->margin;

    return (struct shw_rect){clip(rect.x0 - margin, width), clip(rect.y0 - margin, height),
                             clip(rect.x1 + margin, width), clip(rect.y1 + margin, height)};
}

static uint64_t cost(const struct cutting *cutting, struct shw_rect rect)
{
    struct shw_rect grown = grow(cutting, rect);

    return (uint64_t)(grown.x1 - grown.x0) * (uint64_t)(grown.y1 - grown.y0) + TILE_PIXELS;
}

static int by_column(const void *a, const void *b)
{
    const struct shw_cut_block *left = a, *right = b;

    return left->column != right->column ? (left->column < right->column ? -1 : 1)
                                         : (left->row > right->row) - (left->row < right->row);
}

static int by_row(const void *a, const void *b)
{
    const struct shw_cut_block *left = a, *right = b;

    return left->row != right->row ? (left->row < right->row ? -1 : 1)
                                   : (left->column > right->column) - (left->column < right->column);
}

/* The best cut along columns or rows, by which the blocks get sorted: how many blocks are before it; 0: none. */
static uint32_t find_cut(const struct cutting *cutting, struct shw_cut_block *blocks, uint32_t count, bool rows,
                         uint64_t *least)
{
    uint32_t best = 0;

    qsort(blocks, count, sizeof *blocks, rows ? by_row : by_column);
    cutting->before[0] = blocks[0].labels;
    cutting->after[count - 1] = blocks[count - 1].labels;
    for (uint32_t i = 1; i < count; i++) {
        cutting->before[i] = join(cutting->before[i - 1], blocks[i].labels);
        cutting->after[count - 1 - i] = join(cutting->after[count - i], blocks[count - 1 - i].labels);
    }
    for (uint32_t i = 1; i < count; i++) {
        uint64_t both;

        if (rows ? blocks[i].row == blocks[i - 1].row : blocks[i].column == blocks[i - 1].column)
            continue;
        both = cost(cutting, cutting->before[i - 1]) + cost(cutting, cutting->after[i]);
        if (both < *least) {
            *least = both;
            best = i;
        }
    }
    return best;
}

static void cut_blocks(const struct cutting *cutting, uint32_t first, uint32_t count)
{
    struct shw_cut *cut = cutting->cut;

    while (count > 0) {
        struct shw_cut_block *blocks = cut->blocks + first;
        struct shw_rect all = blocks[0].labels;
        uint64_t least;
        uint32_t by_rows, by_columns;

        for (uint32_t i = 1; i < count; i++)
            all = join(all, blocks[i].labels);
        least = cost(cutting, all);
        by_columns = find_cut(cutting, blocks, count, false, &least);
        by_rows = find_cut(cutting, blocks, count, true, &least); /* also the order of the blocks of a tile */
        if (by_rows == 0 && by_columns == 0) {
            cut->tiles[cut->tile_count++] = (struct shw_cut_tile){grow(cutting, all), first, count};
            return;
        }
        if (by_rows == 0) {
            qsort(blocks, count, sizeof *blocks, by_column);
            by_rows = by_columns;
        }
        /* the smaller half first, so that calls are not nested deeply */
        if (by_rows <= count - by_rows) {
            cut_blocks(cutting, first, by_rows);
            first += by_rows;
            count -= by_rows;
        } else {
            cut_blocks(cutting, first + by_rows, count - by_rows);
            count = by_rows;
        }
    }
}

/* Around the labelled pixels of a block. */
static struct shw_rect surround(const struct shw_owners_block *block, uint32_t column, uint32_t row)
{
    const int32_t side = SHW_OWNERS_SIDE, x = (int32_t)column * side, y = (int32_t)row * side;
    struct shw_rect rect = {x + side, y + side, x, y};

    for (int32_t i = 0; i < side * side; i++)
        if (block->owners[i] > 0)
            rect = join(rect, (struct shw_rect){x + i % side, y + i / side, x + i % side + 1, y + i / side + 1});
    return rect;
}

static bool list_blocks(const struct shw_picture_labels *labels, struct shw_cut *cut)
{
    const struct shw_owners *owners = &labels->owners;

    for (int pass = 0; pass < 2; pass++) {
        cut->block_count = 0;
        for (uint32_t row = 0; row < owners->rows; row++)
            for (uint32_t column = 0; column < owners->columns; column++) {
                const struct shw_owners_block *block = shw_owners_block(owners, column, row);

                if (block == NULL || block->count == 0)
                    continue;
                if (pass == 1)
                    cut->blocks[cut->block_count] = (struct shw_cut_block){column, row, surround(block, column, row)};
                cut->block_count++;
            }
        if (pass == 0)
            cut->blocks = malloc((cut->block_count + 1u) * sizeof *cut->blocks);
        if (cut->blocks == NULL)
            return false;
    }
    return true;
}

static bool is_sparse(const struct shw_picture_labels *labels, const struct shw_cut *cut)
{
    return cut->block_count <= (uint64_t)labels->owners.columns * labels->owners.rows / 2;
}

static uint64_t area(const struct shw_cut *cut)
{
    uint64_t pixels = 0;

    for (uint32_t t = 0; t < cut->tile_count; t++)
        pixels += (uint64_t)(cut->tiles[t].rect.x1 - cut->tiles[t].rect.x0) *
                  (uint64_t)(cut->tiles[t].rect.y1 - cut->tiles[t].rect.y0);
    return pixels;
}

static int by_first(const void *a, const void *b)
{
    const struct shw_cut_tile *left = a, *right = b;

    return left->first < right->first ? -1 : left->first > right->first;
}

bool shw_cut_make(const struct shw_picture_labels *labels, uint32_t margin, struct shw_cut *cut)
{
    struct cutting cutting = {.labels = labels, .margin = margin, .cut = cut};
    uint64_t pixels = (uint64_t)labels->width * labels->height;
    bool good;

    *cut = (struct shw_cut){0};
    good = list_blocks(labels, cut);
    cut->tiles = malloc((cut->block_count + 1u) * sizeof *cut->tiles);
    cutting.before = malloc((cut->block_count + 1u) * sizeof *cutting.before);
    cutting.after = malloc((cut->block_count + 1u) * sizeof *cutting.after);
    good = good && cut->tiles != NULL && cutting.before != NULL && cutting.after != NULL;
    if (good && margin != UINT32_MAX && is_sparse(labels, cut))
        cut_blocks(&cutting, 0, cut->block_count);
    free(cutting.before);
    free(cutting.after);
    if (!good) {
        shw_cut_free(cut);
        return false;
    }
    qsort(cut->tiles, cut->tile_count, sizeof *cut->tiles, by_first);
    if (cut->tile_count == 0 || area(cut) > pixels / 4 * 3) {
        cut->tile_count = 1;
        cut->tiles[0] =
            (struct shw_cut_tile){{0, 0, (int32_t)labels->width, (int32_t)labels->height}, 0, cut->block_count};
    }
    return true;
}

void shw_cut_free(struct shw_cut *cut)
{
    free(cut->blocks);
    free(cut->tiles);
    *cut = (struct shw_cut){0};
}
