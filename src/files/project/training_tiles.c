#include "files/project/training_tiles.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

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
static void write_block(const struct shw_top_strokes *owners, const struct shw_cut_block *block, const uint16_t *values,
                        struct shw_rect rect, uint16_t *labels)
{
    const uint32_t *from = shw_top_strokes_block(owners, block->column, block->row)->owners;
    int32_t left = (int32_t)(block->column * SHW_OWNERS_SIDE), top = (int32_t)(block->row * SHW_OWNERS_SIDE);

    for (int32_t y = block->labels.y0; y < block->labels.y1; y++)
        for (int32_t x = block->labels.x0; x < block->labels.x1; x++)
            labels[(size_t)(y - rect.y0) * width_of(rect) + (size_t)(x - rect.x0)] =
                values[from[(size_t)(y - top) * SHW_OWNERS_SIDE + (size_t)(x - left)]];
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
        write_block(&picture->labels->owners, &tile->blocks[b], values_of(choice, tile->picture), tile->rect, labels);
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

static enum shw_result add_pictures(struct shw_training_tiles *tiles, uint32_t margin, bool (*go_on)(void *user),
                                    void *user)
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
    result = tiles->cuts != NULL ? add_pictures(tiles, margin, go_on, user) : shw_fail_memory(&set->log, "strokes");
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
