/* The integral images of the training set on the device, in chunks as large as a storage buffer may be. */
#include <stdlib.h>

#include "base/log.h"
#include "train/on_device.h"

static size_t words_of(const struct shw_trainer *trainer, uint32_t image)
{
    const struct shw_train_image *from = &trainer->images.images[image];

    return trainer->set->channel_count * ((size_t)from->width + 1) * ((size_t)from->height + 1);
}

/* Assigns images to chunks in order; returns the number of chunks, and the words of each if `sizes` is there. */
static uint32_t place_images(const struct shw_device_training *training, const struct shw_trainer *trainer, uint32_t *table,
                             size_t *sizes)
{
    size_t limit = training->range / sizeof(uint32_t), used = 0;
    uint32_t chunk = 0;

    for (uint32_t i = 0; i < trainer->images.count; i++) {
        size_t words = words_of(trainer, i);
        if (used + words > limit) {
            chunk++;
            used = 0;
        }
        table[i * SHW_IMAGE_WORDS] = (uint32_t)used;
        table[i * SHW_IMAGE_WORDS + 1] = trainer->images.images[i].width | trainer->images.images[i].height << 16;
        table[i * SHW_IMAGE_WORDS + 2] = chunk;
        used += words;
        if (sizes != NULL)
            sizes[chunk] = used;
    }
    return chunk + 1;
}

enum shw_result shw_device_images_load(struct shw_device_training *training, const struct shw_trainer *trainer)
{
    uint32_t count = trainer->images.count;
    uint32_t *table = malloc((size_t)count * SHW_IMAGE_WORDS * sizeof *table);
    size_t *sizes = NULL;
    enum shw_result result = SHW_ERROR_MEMORY;

    if (table == NULL) {
        shw_fail_memory(&trainer->params.log, "training images");
        goto fail;
    }
    for (uint32_t i = 0; i < count; i++)
        if (words_of(trainer, i) > training->range / sizeof(uint32_t)) {
            result =
                shw_fail(&trainer->params.log, SHW_ERROR_LIMIT, SHW_LOG_REQUIREMENT,
                         "the integral images of an image of %u x %u pixels are too large for a storage buffer of the device",
                         trainer->images.images[i].width, trainer->images.images[i].height);
            goto fail;
        }
    training->chunk_count = place_images(training, trainer, table, NULL);
    training->chunks = calloc(training->chunk_count, sizeof *training->chunks);
    sizes = calloc(training->chunk_count, sizeof *sizes);
    if (training->chunks == NULL || sizes == NULL) {
        shw_fail_memory(&trainer->params.log, "training images");
        goto fail;
    }
    place_images(training, trainer, table, sizes);
    SHW_TRY(shw_device_need(training, &training->images, (size_t)count * SHW_IMAGE_WORDS * sizeof *table, SHW_MEMORY_DEVICE,
                            "image table"));
    SHW_TRY(shw_device_send(training, &training->images, 0, table, (size_t)count * SHW_IMAGE_WORDS * sizeof *table));
    for (uint32_t c = 0; c < training->chunk_count; c++)
        SHW_TRY(
            shw_device_need(training, &training->chunks[c], sizes[c] * sizeof(uint32_t), SHW_MEMORY_DEVICE, "integral images"));
    for (uint32_t i = 0; i < count; i++)
        SHW_TRY(shw_device_send(training, &training->chunks[table[i * SHW_IMAGE_WORDS + 2]],
                                (VkDeviceSize)table[i * SHW_IMAGE_WORDS] * sizeof(uint32_t),
                                trainer->images.integrals + trainer->images.images[i].integrals,
                                words_of(trainer, i) * sizeof(uint32_t)));

fail:
    free(table);
    free(sizes);
    return result;
}
