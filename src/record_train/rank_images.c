#include "record_train/rank_images.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/integers.h"
#include "base/log.h"
#include "record_train/attribute_feature.h"

#define COLUMNS_MAX 16384u     /* what devices take */
#define PIXELS_MAX  (1u << 24) /* of one image, unless it has one column */

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
    struct shw_input planes[SHW_ATTRIBUTE_CHANNELS_MAX];
    uint16_t labels[];
};

static const char *const plane_names[SHW_ATTRIBUTE_CHANNELS_MAX] = {"ranks-0", "ranks-1", "ranks-2", "ranks-3"};

static enum shw_result read(void *user, uint32_t index, struct shw_labelled_image *example)
{
    const struct shw_rank_images *images = user;
    const struct shw_ranks *ranks = images->ranks;
    uint32_t begin = shw_rank_images_begin(images, index), width = shw_rank_images_begin(images, index + 1) - begin;
    size_t plane = (size_t)ranks->rows * ranks->count, pixels = (size_t)width * ranks->rows;
    struct block *block = malloc(sizeof *block + pixels * sizeof *block->labels);
    struct shw_image image = {.width = width, .height = ranks->rows, .stride = ranks->count * sizeof *ranks->stored};

    if (block == NULL)
        return shw_fail_memory(images->log, "the labels of examples");
    snprintf(block->name, sizeof block->name, "examples %u to %u", begin, begin + width - 1);
    memset(block->labels, 0xff, pixels * sizeof *block->labels); /* SHW_LABEL_VOID */
    memcpy(block->labels, ranks->labels + begin, width * sizeof *block->labels);
    for (uint32_t c = 0; c < ranks->channels; c++) {
        image.pixels = ranks->stored + c * plane + begin;
        image.format = SHW_PIXEL_GREY16;
        block->planes[c] = (struct shw_input){.name = plane_names[c], .image = image};
    }
    /* No channel reads the colours, so any bytes will do. */
    image.pixels = ranks->stored;
    image.format = SHW_PIXEL_GREY8;
    *example = (struct shw_labelled_image){.name = block->name,
                                           .image = image,
                                           .inputs = {ranks->channels, block->planes},
                                           .labels = block->labels,
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
    uint32_t columns = shw_max_u32(shw_min_u32(COLUMNS_MAX, PIXELS_MAX / ranks->rows), 1);

    *images = (struct shw_rank_images){.dataset = {.count = (ranks->count + columns - 1) / columns,
                                                   .class_count = class_count,
                                                   .user = images,
                                                   .read = read,
                                                   .release = release,
                                                   .in_memory = true},
                                       .ranks = ranks,
                                       .log = log};
}
