/* From the top down: a rectangle around all labels is cut in two, along the line between blocks that saves most, as
 * long as two rectangles with their margins have fewer pixels than one. Strokes that are far apart are separated by it,
 * and a long oblique one is cut into pieces; where a picture's tiles are depends little on strokes elsewhere in it. */
#include "files/project/cut.h"

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

static uint64_t area_of(struct shw_rect rect)
{
    return (uint64_t)(rect.x1 - rect.x0) * (uint64_t)(rect.y1 - rect.y0);
}

static bool is_too_large(const struct cutting *cutting, struct shw_rect rect)
{
    return area_of(rect) > SHW_CUT_PIXELS_MAX && cutting->margin <= SHW_CUT_MARGIN_MAX;
}

/* Where the longer side of a rectangle around the blocks is halved, along which they get sorted. */
static uint32_t halve(struct shw_cut_block *blocks, uint32_t count, struct shw_rect all)
{
    bool rows = all.y1 - all.y0 > all.x1 - all.x0;
    uint32_t middle = (uint32_t)(rows ? all.y0 + all.y1 : all.x0 + all.x1) / 2 / SHW_OWNERS_SIDE, i = 0;

    qsort(blocks, count, sizeof *blocks, rows ? by_row : by_column);
    while (i < count && (rows ? blocks[i].row : blocks[i].column) < middle)
        i++;
    return i;
}

static void cut_blocks(const struct cutting *cutting, uint32_t first, uint32_t count)
{
    struct shw_cut *cut = cutting->cut;

    while (count > 0) {
        struct shw_cut_block *blocks = cut->blocks + first;
        struct shw_rect all = blocks[0].labels;
        uint64_t least;
        uint32_t place, by_columns;

        for (uint32_t i = 1; i < count; i++)
            all = join(all, blocks[i].labels);
        least = cost(cutting, all);
        by_columns = find_cut(cutting, blocks, count, false, &least);
        place = find_cut(cutting, blocks, count, true, &least); /* also the order of the blocks of a tile */
        if (place == 0 && by_columns == 0 && is_too_large(cutting, all))
            place = halve(blocks, count, all);
        else if (place == 0 && by_columns > 0) {
            qsort(blocks, count, sizeof *blocks, by_column);
            place = by_columns;
        }
        if (place == 0) {
            cut->tiles[cut->tile_count++] = (struct shw_cut_tile){grow(cutting, all), first, count};
            return;
        }
        /* the smaller half first, so that calls are not nested deeply */
        if (place <= count - place) {
            cut_blocks(cutting, first, place);
            first += place;
            count -= place;
        } else {
            cut_blocks(cutting, first + place, count - place);
            count = place;
        }
    }
}

/* Around the labelled pixels of a block. Rows are looked at from their ends: most of a brush's are full. */
static struct shw_rect surround(const struct shw_top_strokes_block *block, uint32_t column, uint32_t row)
{
    const int32_t side = SHW_OWNERS_SIDE, x = (int32_t)column * side, y = (int32_t)row * side;
    int32_t left = side, right = 0, top = side, bottom = 0;

    for (int32_t j = 0; j < side; j++) {
        const uint32_t *owners = block->owners + (size_t)j * SHW_OWNERS_SIDE;
        int32_t begin = 0, end = side;

        while (begin < side && owners[begin] == 0)
            begin++;
        if (begin == side)
            continue;
        while (end > right && owners[end - 1] == 0)
            end--;
        left = begin < left ? begin : left;
        right = end > right ? end : right;
        top = j < top ? j : top;
        bottom = j + 1;
    }
    return (struct shw_rect){x + left, y + top, x + right, y + bottom};
}

static bool list_blocks(const struct shw_picture_labels *labels, struct shw_cut *cut)
{
    const struct shw_top_strokes *owners = &labels->owners;

    for (int pass = 0; pass < 2; pass++) {
        cut->block_count = 0;
        for (uint32_t row = 0; row < owners->rows; row++)
            for (uint32_t column = 0; column < owners->columns; column++) {
                const struct shw_top_strokes_block *block = shw_top_strokes_block(owners, column, row);

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

static uint64_t area(const struct shw_cut *cut)
{
    uint64_t pixels = 0;

    for (uint32_t t = 0; t < cut->tile_count; t++)
        pixels += area_of(cut->tiles[t].rect);
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
    struct shw_rect whole = {0, 0, (int32_t)labels->width, (int32_t)labels->height};
    bool good;

    *cut = (struct shw_cut){0};
    good = list_blocks(labels, cut);
    cut->tiles = malloc((cut->block_count + 1u) * sizeof *cut->tiles);
    cutting.before = malloc((cut->block_count + 1u) * sizeof *cutting.before);
    cutting.after = malloc((cut->block_count + 1u) * sizeof *cutting.after);
    good = good && cut->tiles != NULL && cutting.before != NULL && cutting.after != NULL;
    if (good && margin != UINT32_MAX)
        cut_blocks(&cutting, 0, cut->block_count);
    free(cutting.before);
    free(cutting.after);
    if (!good) {
        shw_cut_free(cut);
        return false;
    }
    qsort(cut->tiles, cut->tile_count, sizeof *cut->tiles, by_first);
    if (cut->tile_count == 0 || (area(cut) > area_of(whole) / 4 * 3 && !is_too_large(&cutting, whole))) {
        cut->tile_count = 1;
        cut->tiles[0] = (struct shw_cut_tile){whole, 0, cut->block_count};
    }
    return true;
}

void shw_cut_free(struct shw_cut *cut)
{
    free(cut->blocks);
    free(cut->tiles);
    *cut = (struct shw_cut){0};
}
