#include "files/serve/squares.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

struct shw_square_digest shw_square_digest_of(const void *bytes, size_t size)
{
    const XXH128_hash_t hash = XXH3_128bits(bytes, size);

    return (struct shw_square_digest){hash.low64, hash.high64};
}

static int32_t least(uint64_t a, uint32_t b)
{
    return (int32_t)(a < b ? a : b);
}

struct shw_rect shw_square_rect(uint32_t square, uint32_t width, uint32_t height)
{
    const uint32_t columns = shw_squares_across(width), rows = shw_squares_across(height);
    const uint64_t x = columns > 0 ? (uint64_t)(square % columns) * SHW_SQUARE_SIDE : 0;
    const uint64_t y = columns > 0 ? (uint64_t)(square / columns) * SHW_SQUARE_SIDE : 0;

    if (columns == 0 || square / columns >= rows)
        return (struct shw_rect){0, 0, 0, 0};
    return (struct shw_rect){(int32_t)x, (int32_t)y, least(x + SHW_SQUARE_SIDE, width),
                             least(y + SHW_SQUARE_SIDE, height)};
}

static struct shw_square **place_of(const struct shw_squares *squares, struct shw_square_digest digest)
{
    return &squares->table[digest.low & (squares->capacity - 1)];
}

static void unlink_use(struct shw_squares *squares, struct shw_square *square)
{
    *(square->newer != NULL ? &square->newer->older : &squares->newest) = square->older;
    *(square->older != NULL ? &square->older->newer : &squares->oldest) = square->newer;
}

static void link_newest(struct shw_squares *squares, struct shw_square *square)
{
    square->newer = NULL;
    square->older = squares->newest;
    *(squares->newest != NULL ? &squares->newest->newer : &squares->oldest) = square;
    squares->newest = square;
}

const struct shw_square *shw_squares_find(struct shw_squares *squares, struct shw_square_digest digest)
{
    struct shw_square *square = squares->capacity > 0 ? *place_of(squares, digest) : NULL;

    while (square != NULL && !shw_square_digest_is_same(square->digest, digest))
        square = square->next;
    if (square != NULL) {
        unlink_use(squares, square);
        link_newest(squares, square);
    }
    return square;
}

static void remove_oldest(struct shw_squares *squares)
{
    struct shw_square *gone = squares->oldest, **place = place_of(squares, gone->digest);

    while (*place != gone)
        place = &(*place)->next;
    *place = gone->next;
    unlink_use(squares, gone);
    squares->bytes -= gone->size;
    squares->count--;
    free(gone);
}

/* A table of twice the size. */
static bool grow(struct shw_squares *squares)
{
    const uint32_t capacity = squares->capacity > 0 ? 2 * squares->capacity : 64;
    struct shw_square **table = calloc(capacity, sizeof(struct shw_square *));

    if (table == NULL)
        return false;
    free(squares->table);
    squares->table = table;
    squares->capacity = capacity;
    for (struct shw_square *square = squares->newest; square != NULL; square = square->older) {
        struct shw_square **place = place_of(squares, square->digest);
        square->next = *place;
        *place = square;
    }
    return true;
}

bool shw_squares_add(struct shw_squares *squares, struct shw_square_digest digest, const void *pixels, size_t size)
{
    struct shw_square *made, **place;

    if (squares->count == squares->capacity && !grow(squares))
        return false;
    made = malloc(sizeof *made + size);
    if (made == NULL)
        return false;
    made->digest = digest;
    made->size = size;
    if (size > 0)
        memcpy(made->pixels, pixels, size);
    place = place_of(squares, digest);
    made->next = *place;
    *place = made;
    link_newest(squares, made);
    squares->count++;
    squares->bytes += size;
    while (squares->limit > 0 && squares->bytes > squares->limit)
        remove_oldest(squares);
    return true;
}

void shw_squares_free(struct shw_squares *squares)
{
    while (squares->oldest != NULL)
        remove_oldest(squares);
    free(squares->table);
    *squares = (struct shw_squares){.limit = squares->limit};
}
