#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/image.h"
#include "base/log.h"
#include "detection/boost/mine.h"
#include "detection/detect/grey.h"

#define KEPT_BYTES (UINT64_C(1) << 30)

/* Reads an image; *grey is to be freed. */
static enum shw_result read_image(const struct shw_grey_images *images, uint32_t index, uint8_t **grey, uint32_t *width,
                                  uint32_t *height)
{
    const struct shw_cascade_dataset *dataset = images->dataset;
    struct shw_cascade_image image;
    enum shw_result result = dataset->read(dataset->user, index, &image);

    if (result != SHW_OK)
        return result;
    SHW_TRY(shw_image_check(&image.image, &images->log));
    if (shw_pixel_is_deep(image.image.format)) {
        result = shw_fail(&images->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                          "image %u to train on has more than 16 bits per sample", index);
        goto fail;
    }
    *width = image.image.width;
    *height = image.image.height;
    *grey = malloc((size_t)*width * *height);
    if (*grey == NULL)
        result = shw_fail_memory(&images->log, "an image");
    else
        shw_grey_make(&image.image, *grey, NULL);

fail:
    dataset->release(dataset->user, &image);
    return result;
}

struct reading {
    struct shw_grey_images *images;
    struct shw_thread_pool *pool;
    const atomic_bool *stop;
    atomic_ullong kept;
    atomic_int result;
};

static void read_one(void *user, uint32_t index, uint32_t thread)
{
    struct reading *reading = user;
    struct shw_grey_image *image = &reading->images->images[index];
    uint8_t *grey = NULL;
    enum shw_result result = atomic_load(reading->stop)
                                 ? SHW_ERROR_CANCELLED
                                 : read_image(reading->images, index, &grey, &image->width, &image->height);
    size_t size = (size_t)image->width * image->height;

    (void)thread;
    if (result != SHW_OK) {
        int none = SHW_OK;
        atomic_compare_exchange_strong(&reading->result, &none, (int)result);
        shw_thread_pool_stop(reading->pool);
        return;
    }
    image->hash = XXH3_64bits_withSeed(grey, size, (uint64_t)image->width << 32 | image->height);
    if (atomic_fetch_add(&reading->kept, size) + size <= KEPT_BYTES)
        image->grey = grey;
    else
        free(grey);
}

enum shw_result shw_grey_images_read(const struct shw_cascade_dataset *dataset, struct shw_thread_pool *pool,
                                     const atomic_bool *stop, const struct shw_log *log, struct shw_grey_images *images)
{
    struct reading reading = {.images = images, .pool = pool, .stop = stop};

    *images = (struct shw_grey_images){dataset, calloc((size_t)dataset->image_count + 1, sizeof *images->images), *log};
    if (images->images == NULL)
        return shw_fail_memory(log, "images");
    for (uint32_t o = 0; o < dataset->object_count; o++) {
        struct shw_grey_image *image = &images->images[dataset->objects[o].image];
        if (image->object_count++ == 0)
            image->first_object = o;
    }
    shw_thread_pool_run(pool, dataset->image_count, read_one, &reading);
    return (enum shw_result)atomic_load(&reading.result);
}

void shw_grey_images_free(struct shw_grey_images *images)
{
    for (uint32_t i = 0; images->images != NULL && i < images->dataset->image_count; i++)
        free(images->images[i].grey);
    free(images->images);
    *images = (struct shw_grey_images){0};
}

enum shw_result shw_grey_images_get(const struct shw_grey_images *images, uint32_t index, const uint8_t **grey)
{
    const struct shw_grey_image *image = &images->images[index];
    uint32_t width, height;
    uint8_t *read = image->grey;

    if (read == NULL)
        SHW_PROPAGATE(read_image(images, index, &read, &width, &height));
    if (read != image->grey && (width != image->width || height != image->height)) {
        free(read);
        return shw_fail(&images->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "image %u has changed during training", index);
    }
    *grey = read;
    return SHW_OK;
}

void shw_grey_images_release(const struct shw_grey_images *images, uint32_t index, const uint8_t *grey)
{
    if (grey != images->images[index].grey)
        free((void *)(uintptr_t)grey);
}
