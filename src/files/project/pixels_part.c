#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "files/project/pixels.h"

static struct shw_pixels_part *make(const struct shw_inputs *inputs, void *owner, void (*release)(void *owner))
{
    struct shw_pixels_part *part = calloc(1, sizeof *part);

    if (part == NULL)
        return NULL;
    atomic_init(&part->shares, 1);
    part->rect =
        (struct shw_rect){0, 0, (int32_t)inputs->inputs[0].image.width, (int32_t)inputs->inputs[0].image.height};
    memcpy(part->input, inputs->inputs, inputs->count * sizeof *part->input);
    part->inputs = (struct shw_inputs){inputs->count, part->input};
    part->owner = owner;
    part->release = release;
    return part;
}

struct shw_pixels_part *shw_pixels_part_lend(const struct shw_inputs *inputs, void *owner, void (*release)(void *owner))
{
    struct shw_pixels_part *part = make(inputs, owner, release);

    if (part == NULL)
        release(owner);
    return part;
}

static size_t row_bytes(const struct shw_image *image)
{
    return image->width * shw_pixel_size(image->format);
}

struct shw_pixels_part *shw_pixels_part_copy(const struct shw_inputs *inputs)
{
    struct shw_input copies[SHW_INPUTS_MAX + 1];
    size_t size = 0;
    uint8_t *memory, *next;

    for (uint32_t i = 0; i < inputs->count; i++)
        size += row_bytes(&inputs->inputs[i].image) * inputs->inputs[i].image.height + 16;
    next = memory = malloc(size);
    for (uint32_t i = 0; memory != NULL && i < inputs->count; i++) {
        const struct shw_image *from = &inputs->inputs[i].image;
        size_t row = row_bytes(from), stride = from->stride != 0 ? from->stride : row;

        copies[i] = inputs->inputs[i];
        copies[i].image.pixels = next;
        copies[i].image.stride = 0;
        for (uint32_t y = 0; y < from->height; y++)
            memcpy(next + y * row, (const uint8_t *)from->pixels + y * stride, row);
        next += (row * from->height + 15) / 16 * 16;
    }
    return memory != NULL ? shw_pixels_part_lend(&(struct shw_inputs){inputs->count, copies}, memory, free) : NULL;
}

struct shw_pixels_part *shw_pixels_part_share(struct shw_pixels_part *part)
{
    atomic_fetch_add(&part->shares, 1);
    return part;
}

void shw_pixels_part_release(struct shw_pixels_part **part)
{
    struct shw_pixels_part *gone = *part;

    *part = NULL;
    if (gone == NULL || atomic_fetch_sub(&gone->shares, 1) > 1)
        return;
    gone->release(gone->owner);
    free(gone);
}
