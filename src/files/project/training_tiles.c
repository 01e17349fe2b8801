/* Cuts pictures into tiles, from the top down: a rectangle around all labels is cut in two, along the line between
 * blocks that saves most, as long as two rectangles with their margins have fewer pixels than one. Strokes that are far
 * apart are separated by it, and a long oblique one is cut into pieces; where a picture's tiles are depends little on
 * strokes elsewhere in it. Then makes tiles of a training set. */
#include "files/project/training_tiles.h"

#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"

#define TILE_PIXELS 4096u /* what a tile costs besides its pixels, in pixels */

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
    uint32_t middle = (uint32_t)(rows ? all.y0 + all.y1 : all.x0 + all.x1) / 2 / SHW_TOP_STROKES_SIDE, i = 0;

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
    const int32_t side = SHW_TOP_STROKES_SIDE, x = (int32_t)column * side, y = (int32_t)row * side;
    int32_t left = side, right = 0, top = side, bottom = 0;

    for (int32_t j = 0; j < side; j++) {
        const uint32_t *strokes = block->strokes + (size_t)j * SHW_TOP_STROKES_SIDE;
        int32_t begin = 0, end = side;

        while (begin < side && strokes[begin] == 0)
            begin++;
        if (begin == side)
            continue;
        while (end > right && strokes[end - 1] == 0)
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
    const struct shw_top_strokes *top = &labels->top;

    for (int pass = 0; pass < 2; pass++) {
        cut->block_count = 0;
        for (uint32_t row = 0; row < top->rows; row++)
            for (uint32_t column = 0; column < top->columns; column++) {
                const struct shw_top_strokes_block *block = shw_top_strokes_block(top, column, row);

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

static uint32_t width_of(struct shw_rect rect)
{
    return (uint32_t)(rect.x1 - rect.x0);
}

static uint32_t height_of(struct shw_rect rect)
{
    return (uint32_t)(rect.y1 - rect.y0);
}

/* The values of a picture's strokes. */
static uint16_t *values_of(const struct shw_training_choice *choice, uint32_t picture)
{
    const struct shw_taught_picture *taught = &choice->tiles->pictures[picture];

    return choice->values + taught->first_stroke + (taught - choice->tiles->set->pictures);
}

/* Writes the labels of a block into those of its tile. */
static void write_block(const struct shw_top_strokes *strokes, const struct shw_cut_block *block,
                        const uint16_t *values, struct shw_rect rect, uint16_t *labels)
{
    const uint32_t *from = shw_top_strokes_block(strokes, block->column, block->row)->strokes;
    int32_t left = (int32_t)(block->column * SHW_TOP_STROKES_SIDE), top = (int32_t)(block->row * SHW_TOP_STROKES_SIDE);

    for (int32_t y = block->labels.y0; y < block->labels.y1; y++)
        for (int32_t x = block->labels.x0; x < block->labels.x1; x++)
            labels[(size_t)(y - rect.y0) * width_of(rect) + (size_t)(x - rect.x0)] =
                values[from[(size_t)(y - top) * SHW_TOP_STROKES_SIDE + (size_t)(x - left)]];
}

static enum shw_result read_example(void *user, uint32_t index, struct shw_labelled_image *example)
{
    const struct shw_training_choice *choice = user;
    const struct shw_training_tile *tile = &choice->tiles->tiles[index];
    const struct shw_training_set *set = choice->tiles->set;
    const struct shw_taught_picture *picture = &choice->tiles->pictures[tile->picture];
    size_t bytes = (size_t)width_of(tile->rect) * height_of(tile->rect) * sizeof(uint16_t);
    uint16_t *labels = malloc(bytes);

    if (labels == NULL)
        return shw_fail_memory(&set->log, picture->name);
    memset(labels, 0xff, bytes); /* SHW_LABEL_VOID */
    for (uint32_t b = 0; b < tile->block_count; b++)
        write_block(&picture->labels->top, &tile->blocks[b], values_of(choice, tile->picture), tile->rect, labels);
    *example = (struct shw_labelled_image){.name = picture->name,
                                           .image = tile->pixels->input[0].image,
                                           .inputs = {tile->pixels->inputs.count - 1, tile->pixels->input + 1},
                                           .labels = labels,
                                           .handle = labels};
    if (tile->is_part)
        example->part = (struct shw_picture_part){tile->picture, (uint32_t)tile->rect.x0, (uint32_t)tile->rect.y0,
                                                  picture->width, picture->height};
    return SHW_OK;
}

static void release_example(void *user, struct shw_labelled_image *example)
{
    (void)user;
    free(example->handle);
}

enum shw_result shw_training_choice_make(const struct shw_training_tiles *tiles, const bool *strokes,
                                         struct shw_training_choice *choice)
{
    const struct shw_training_set *set = tiles->set;

    *choice = (struct shw_training_choice){
        .tiles = tiles,
        .values = malloc(((size_t)set->stroke_count + set->picture_count + set->kept_count) * sizeof *choice->values)};
    if (choice->values == NULL)
        return shw_fail_memory(&set->log, "strokes");
    for (uint32_t p = 0; p < tiles->picture_count; p++) {
        const struct shw_taught_picture *picture = &tiles->pictures[p];
        uint16_t *values = values_of(choice, p);

        values[0] = SHW_LABEL_VOID;
        for (uint32_t s = 0; s < picture->labels->stroke_count; s++)
            values[s + 1] = strokes == NULL || strokes[picture->first_stroke + s]
                                ? set->stroke_labels[picture->first_stroke + s]
                                : SHW_LABEL_VOID;
    }
    choice->dataset = (struct shw_dataset){.count = tiles->count,
                                           .class_count = set->class_count,
                                           .classes = set->classes,
                                           .user = choice,
                                           .read = read_example,
                                           .release = release_example,
                                           .picture_count = tiles->picture_count,
                                           .in_memory = true};
    return SHW_OK;
}

void shw_training_choice_free(struct shw_training_choice *choice)
{
    free(choice->values);
    *choice = (struct shw_training_choice){0};
}

/* Adds the tiles of a picture. *fresh: some were not there before. */
static enum shw_result add_tiles(struct shw_training_tiles *tiles, uint32_t number, uint32_t margin, bool *fresh)
{
    const struct shw_training_set *set = tiles->set;
    const struct shw_taught_picture *picture = &tiles->pictures[number];
    struct shw_cut *cut = &tiles->cuts[number];
    struct shw_pixels_part **parts = NULL;
    struct shw_rect *rects = NULL;
    struct shw_training_tile *grown;
    enum shw_result result = SHW_ERROR_MEMORY;

    if (!shw_cut_make(picture->labels, margin, cut))
        goto fail;
    grown = realloc(tiles->tiles, (tiles->count + (size_t)cut->tile_count) * sizeof *grown);
    if (grown == NULL)
        goto fail;
    tiles->tiles = grown;
    rects = malloc(cut->tile_count * sizeof *rects);
    parts = calloc(cut->tile_count, sizeof(struct shw_pixels_part *));
    if (rects == NULL || parts == NULL)
        goto fail;
    for (uint32_t t = 0; t < cut->tile_count; t++)
        rects[t] = cut->tiles[t].rect;
    result = shw_pixels_take_parts(picture->pixels, picture->width, picture->height, rects, cut->tile_count,
                                   picture->name, &set->log, parts, fresh);
    for (uint32_t t = 0; t < cut->tile_count && result == SHW_OK; t++)
        tiles->tiles[tiles->count++] = (struct shw_training_tile){.picture = number,
                                                                  .rect = rects[t],
                                                                  .is_part = width_of(rects[t]) < picture->width ||
                                                                             height_of(rects[t]) < picture->height,
                                                                  .blocks = cut->blocks + cut->tiles[t].first,
                                                                  .block_count = cut->tiles[t].count,
                                                                  .pixels = parts[t]};
    free(rects);
    free(parts);
    return result;

fail:
    free(rects);
    free(parts);
    return shw_fail_memory(&set->log, picture->name);
}

static enum shw_result add_tiles_of_pictures(struct shw_training_tiles *tiles, uint32_t margin,
                                             bool (*go_on)(void *user), void *user)
{
    struct shw_pixels *last = NULL; /* the last picture with new tiles: it may be being painted on */
    size_t kept = 0;

    for (uint32_t p = 0; p < tiles->picture_count; p++) {
        struct shw_pixels *pixels = tiles->pictures[p].pixels, *finished = pixels;
        bool fresh;

        if (go_on != NULL && !go_on(user))
            return SHW_ERROR_CANCELLED;
        SHW_PROPAGATE(add_tiles(tiles, p, margin, &fresh));
        if (fresh) {
            finished = last;
            last = pixels;
        }
        if (finished != NULL && kept + shw_pixels_spare(finished) > SHW_TILES_SPARE_BYTES)
            shw_pixels_forget(finished);
        kept += finished != NULL ? shw_pixels_spare(finished) : 0;
    }
    return SHW_OK;
}

static enum shw_result make(struct shw_training_set *set, uint32_t first, uint32_t count, uint32_t margin,
                            bool (*go_on)(void *user), void *user, struct shw_training_tiles **made)
{
    struct shw_training_tiles *tiles = calloc(1, sizeof *tiles);
    enum shw_result result;

    if (tiles == NULL)
        return shw_fail_memory(&set->log, "strokes");
    atomic_init(&tiles->shares, 1);
    tiles->set = shw_training_set_share(set);
    tiles->pictures = set->pictures + first;
    tiles->picture_count = count;
    tiles->cuts = calloc(count, sizeof *tiles->cuts);
    result =
        tiles->cuts != NULL ? add_tiles_of_pictures(tiles, margin, go_on, user) : shw_fail_memory(&set->log, "strokes");
    if (result == SHW_OK)
        *made = tiles;
    else
        shw_training_tiles_release(&tiles);
    return result;
}

enum shw_result shw_training_tiles_make(struct shw_training_set *set, uint32_t margin, bool (*go_on)(void *user),
                                        void *user, struct shw_training_tiles **tiles)
{
    return make(set, 0, set->picture_count, margin, go_on, user, tiles);
}

enum shw_result shw_training_tiles_make_kept(struct shw_training_set *set, uint32_t margin, bool (*go_on)(void *user),
                                             void *user, struct shw_training_tiles **tiles)
{
    return make(set, set->picture_count, set->kept_count, margin, go_on, user, tiles);
}

struct shw_training_tiles *shw_training_tiles_share(struct shw_training_tiles *tiles)
{
    atomic_fetch_add(&tiles->shares, 1);
    return tiles;
}

void shw_training_tiles_release(struct shw_training_tiles **tiles)
{
    struct shw_training_tiles *gone = *tiles;

    *tiles = NULL;
    if (gone == NULL || atomic_fetch_sub(&gone->shares, 1) > 1)
        return;
    for (uint32_t t = 0; t < gone->count; t++)
        shw_pixels_part_release(&gone->tiles[t].pixels);
    for (uint32_t p = 0; gone->cuts != NULL && p < gone->picture_count; p++)
        shw_cut_free(&gone->cuts[p]);
    free(gone->tiles);
    free(gone->cuts);
    shw_training_set_destroy(&gone->set);
    free(gone);
}
