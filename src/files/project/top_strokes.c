#include "files/project/top_strokes.h"

#include <stdlib.h>
#include <string.h>

#include "base/integers.h"

#define SIDE SHW_OWNERS_SIDE

struct shw_top_strokes shw_top_strokes_make(uint32_t width, uint32_t height)
{
    return (struct shw_top_strokes){width, height, (width + SIDE - 1) / SIDE, (height + SIDE - 1) / SIDE, NULL};
}

static size_t block_count(const struct shw_top_strokes *owners)
{
    return owners->blocks != NULL ? (size_t)owners->columns * owners->rows : 0;
}

static void release(struct shw_top_strokes_block **block)
{
    if (*block != NULL && atomic_fetch_sub(&(*block)->shares, 1) == 1)
        free(*block);
    *block = NULL;
}

void shw_top_strokes_free(struct shw_top_strokes *owners)
{
    for (size_t b = 0; b < block_count(owners); b++)
        release(&owners->blocks[b]);
    free(owners->blocks);
    owners->blocks = NULL;
}

bool shw_top_strokes_share(const struct shw_top_strokes *owners, struct shw_top_strokes *copy)
{
    size_t count = block_count(owners);

    *copy = *owners;
    copy->blocks = NULL;
    if (count == 0)
        return true;
    copy->blocks = malloc(count * sizeof(struct shw_top_strokes_block *));
    if (copy->blocks == NULL)
        return false;
    memcpy(copy->blocks, owners->blocks, count * sizeof(struct shw_top_strokes_block *));
    for (size_t b = 0; b < count; b++)
        if (copy->blocks[b] != NULL)
            atomic_fetch_add(&copy->blocks[b]->shares, 1);
    return true;
}

static size_t place_in_block(uint32_t x, uint32_t y)
{
    return (size_t)(y % SIDE) * SIDE + x % SIDE;
}

uint32_t shw_top_strokes_get(const struct shw_top_strokes *owners, uint32_t x, uint32_t y)
{
    const struct shw_top_strokes_block *block = shw_top_strokes_block(owners, x / SIDE, y / SIDE);

    return block != NULL ? block->owners[place_in_block(x, y)] : 0;
}

static struct shw_top_strokes_block *make_block(const struct shw_top_strokes_block *from)
{
    struct shw_top_strokes_block *block = from != NULL ? malloc(sizeof *block) : calloc(1, sizeof *block);

    if (block != NULL && from != NULL) {
        block->count = from->count;
        memcpy(block->owners, from->owners, sizeof block->owners);
    }
    if (block != NULL)
        atomic_init(&block->shares, 1);
    return block;
}

struct shw_top_strokes_block *shw_top_strokes_change(struct shw_top_strokes *owners, uint32_t x, uint32_t y)
{
    struct shw_top_strokes_block **place, *own;

    if (owners->blocks == NULL)
        owners->blocks = calloc((size_t)owners->columns * owners->rows, sizeof(struct shw_top_strokes_block *));
    if (owners->blocks == NULL)
        return NULL;
    place = &owners->blocks[(size_t)(y / SIDE) * owners->columns + x / SIDE];
    if (*place != NULL && atomic_load(&(*place)->shares) == 1)
        return *place;
    own = make_block(*place);
    if (own != NULL) {
        release(place);
        *place = own;
    }
    return own;
}

/* Grows from..to to whole blocks within 0..size. */
static void cover(int32_t *from, int32_t *to, uint32_t size)
{
    int64_t begin = shw_clamp_i64(*from, 0, size), end = shw_clamp_i64(*to, 0, size);

    *from = (int32_t)(begin / SIDE * SIDE);
    *to = begin < end ? (int32_t)shw_clamp_i64((end + SIDE - 1) / SIDE * SIDE, 0, size) : *from;
}

struct shw_rect shw_top_strokes_cover(const struct shw_top_strokes *owners, struct shw_rect rect)
{
    cover(&rect.x0, &rect.x1, owners->width);
    cover(&rect.y0, &rect.y1, owners->height);
    return rect.x0 < rect.x1 && rect.y0 < rect.y1 ? rect : (struct shw_rect){0};
}

void shw_top_strokes_clear(struct shw_top_strokes *owners, struct shw_rect rect)
{
    for (uint32_t y = (uint32_t)rect.y0; owners->blocks != NULL && y < (uint32_t)rect.y1; y += SIDE)
        for (uint32_t x = (uint32_t)rect.x0; x < (uint32_t)rect.x1; x += SIDE)
            release(&owners->blocks[(size_t)(y / SIDE) * owners->columns + x / SIDE]);
}

/* One row of the picture: the pixels x, x + step, ... */
static void copy_row(const struct shw_top_strokes *owners, int64_t x, uint32_t y, uint32_t width, uint32_t step,
                     const uint16_t *values, uint16_t *out)
{
    uint32_t i = x < 0 ? (uint32_t)shw_min_u64(((uint64_t)-x + step - 1) / step, width) : 0;

    for (uint32_t j = 0; j < i; j++)
        out[j] = values[0];
    while (i < width && x + (int64_t)i * step < owners->width) {
        uint32_t at = (uint32_t)(x + (int64_t)i * step), end = (at / SIDE + 1) * SIDE;
        const struct shw_top_strokes_block *block = shw_top_strokes_block(owners, at / SIDE, y / SIDE);

        end = end < owners->width ? end : owners->width;
        for (; at < end && i < width; at += step)
            out[i++] = block != NULL ? values[block->owners[place_in_block(at, y)]] : values[0];
    }
    for (; i < width; i++)
        out[i] = values[0];
}

void shw_top_strokes_copy(const struct shw_top_strokes *owners, int64_t x, int64_t y, uint32_t width, uint32_t height,
                          uint32_t step, const uint16_t *values, uint16_t *out)
{
    for (uint32_t j = 0; j < height; j++, out += width) {
        int64_t row = y + (int64_t)j * step;

        if (row >= 0 && row < owners->height)
            copy_row(owners, x, (uint32_t)row, width, step, values, out);
        else
            for (uint32_t i = 0; i < width; i++)
                out[i] = values[0];
    }
}
