#include "records/train/rank_images.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/integers.h"
#include "base/log.h"
#include "records/train/attribute_feature.h"

#define COLUMNS_MAX 16384u     /* of all blocks: what devices take */
#define PIXELS_MAX  (1u << 24) /* of one image */

uint32_t shw_rank_images_begin(const struct shw_rank_images *images, uint32_t index)
{
    return (uint32_t)((uint64_t)images->ranks->count * index / images->dataset.count);
}

uint32_t shw_rank_images_share(const struct shw_rank_images *images, uint32_t percent)
{
    uint32_t least = images->ranks->count / images->dataset.count;

    return percent == 100 ? SHW_PIXELS_ALL : (uint32_t)shw_max_u64(((uint64_t)least * percent + 50) / 100, 1);
}

/* What an example points to. */
struct block {
    char name[48];
    struct shw_input input;
    uint16_t values[]; /* stored ranks, then labels */
};

static void copy_ranks(const struct shw_rank_images *images, uint32_t begin, uint32_t width, uint16_t *pixels)
{
    const struct shw_ranks *ranks = images->ranks;

    for (uint32_t a = 0; a < images->rows << images->blocks_shift; a++) {
        uint16_t *to = pixels + ((size_t)(a % images->rows << images->blocks_shift) + a / images->rows) * width;
        if (a < ranks->attributes)
            memcpy(to, ranks->stored + (size_t)a * ranks->count + begin, width * sizeof *to);
        else
            memset(to, 0, width * sizeof *to);
    }
}

static enum shw_result read(void *user, uint32_t index, struct shw_labelled_image *example)
{
    const struct shw_rank_images *images = user;
    uint32_t begin = shw_rank_images_begin(images, index), width = shw_rank_images_begin(images, index + 1) - begin;
    struct shw_image image = {.width = width << images->blocks_shift, .height = images->rows};
    size_t pixels = (size_t)image.width * image.height;
    struct block *block = malloc(sizeof *block + 2 * pixels * sizeof *block->values);

    if (block == NULL)
        return shw_fail_memory(images->log, "an image of ranks");
    snprintf(block->name, sizeof block->name, "examples %u to %u", begin, begin + width - 1);
    copy_ranks(images, begin, width, block->values);
    memset(block->values + pixels, 0xff, pixels * sizeof *block->values); /* SHW_LABEL_VOID */
    memcpy(block->values + pixels, images->ranks->labels + begin, width * sizeof *block->values);
    image.pixels = block->values;
    image.format = SHW_PIXEL_GREY16;
    block->input = (struct shw_input){.name = SHW_ATTRIBUTE_CHANNEL, .image = image};
    image.format = SHW_PIXEL_GREY8; /* the colours, which no channel reads: any bytes will do */
    *example = (struct shw_labelled_image){.name = block->name,
                                           .image = image,
                                           .inputs = {1, &block->input},
                                           .labels = block->values + pixels,
                                           .handle = block};
    return SHW_OK;
}

static void release(void *user, struct shw_labelled_image *example)
{
    (void)user;
    free(example->handle);
}

void shw_rank_images_make(const struct shw_ranks *ranks, uint32_t class_count, const struct shw_log *log,
                          struct shw_rank_images *images)
{
    uint32_t shift = 0, rows, columns;

    while ((ranks->attributes - 1) >> shift >= SHW_ATTRIBUTE_ROWS_MAX)
        shift++;
    rows = ((ranks->attributes - 1) >> shift) + 1;
    columns = shw_min_u32(COLUMNS_MAX >> shift, shw_max_u32(PIXELS_MAX / (rows << shift), 1));
    *images = (struct shw_rank_images){.dataset = {.count = (ranks->count + columns - 1) / columns,
                                                   .class_count = class_count,
                                                   .user = images,
                                                   .read = read,
                                                   .release = release,
                                                   .in_memory = true},
                                       .ranks = ranks,
                                       .log = log,
                                       .rows = rows,
                                       .blocks_shift = shift};
}
