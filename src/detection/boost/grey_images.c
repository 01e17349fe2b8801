/* The grey images of a training, each of which one worker has. */
#include "detection/boost/trainer.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/image.h"
#include "base/log.h"
#include "detection/detect/levels.h"

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
    const struct shw_boost_workers *workers;
    struct shw_thread_pool *pool;
    const atomic_bool *stop;
    atomic_ullong kept;
    atomic_int result;
};

static uint64_t hash_image(const uint8_t *grey, uint32_t width, uint32_t height)
{
    return XXH3_64bits_withSeed(grey, (size_t)width * height, (uint64_t)width << 32 | height);
}

static void read_one(void *user, uint32_t index, uint32_t thread)
{
    struct reading *reading = user;
    struct shw_grey_image *image = &reading->images->images[index];
    uint8_t *grey = NULL;
    enum shw_result result;
    size_t size;

    (void)thread;
    if (!shw_boost_owns_image(reading->workers, index))
        return;
    result = atomic_load(reading->stop) ? SHW_ERROR_CANCELLED
                                        : read_image(reading->images, index, &grey, &image->width, &image->height);
    size = (size_t)image->width * image->height;
    if (result != SHW_OK) {
        int none = SHW_OK;
        atomic_compare_exchange_strong(&reading->result, &none, (int)result);
        shw_thread_pool_stop(reading->pool);
        return;
    }
    image->hash = hash_image(grey, image->width, image->height);
    if (atomic_fetch_add(&reading->kept, size) + size <= KEPT_BYTES)
        image->grey = grey;
    else
        free(grey);
}

/* Sizes and hashes of all images, of which each worker has read its own. */
static enum shw_result share_images(const struct shw_grey_images *images, const struct shw_boost_workers *workers)
{
    const uint32_t count = images->dataset->image_count;
    struct facts {
        uint64_t hash;
        uint32_t width, height;
    } *facts = calloc(count, sizeof *facts);
    uint32_t *owners = malloc(count * sizeof *owners);
    enum shw_result result = facts != NULL && owners != NULL ? SHW_OK : shw_fail_memory(&images->log, "images");

    for (uint32_t i = 0; result == SHW_OK && i < count; i++) {
        const struct shw_grey_image *image = &images->images[i];

        owners[i] = shw_boost_image_owner(workers, i);
        facts[i] = (struct facts){image->hash, image->width, image->height};
    }
    if (result == SHW_OK)
        result = shw_boost_share_rows(workers, owners, count, sizeof *facts, facts);
    for (uint32_t i = 0; result == SHW_OK && i < count; i++) {
        images->images[i].hash = facts[i].hash;
        images->images[i].width = facts[i].width;
        images->images[i].height = facts[i].height;
    }
    free(facts);
    free(owners);
    return result;
}

/* Each worker reads an image of the next one, too, which shows whether they have the same ones. */
static enum shw_result check_image(const struct shw_grey_images *images, const struct shw_boost_workers *workers)
{
    const struct shw_train_exchange *exchange = workers->exchange;
    const uint32_t index = exchange != NULL ? (exchange->worker + 1) % exchange->worker_count : 0;
    uint32_t width, height;
    uint8_t *grey;
    bool same;

    if (exchange == NULL || index >= images->dataset->image_count)
        return SHW_OK;
    SHW_PROPAGATE(read_image(images, index, &grey, &width, &height));
    same = hash_image(grey, width, height) == images->images[index].hash;
    free(grey);
    return same ? SHW_OK
                : shw_fail(&images->log, SHW_ERROR_ARGUMENT, SHW_LOG_DATASET,
                           "image %u is not the same as that of worker %u: give all workers the same images", index,
                           index);
}

enum shw_result shw_grey_images_read(const struct shw_cascade_dataset *dataset, const struct shw_boost_workers *workers,
                                     struct shw_thread_pool *pool, const atomic_bool *stop, const struct shw_log *log,
                                     struct shw_grey_images *images)
{
    struct reading reading = {.images = images, .workers = workers, .pool = pool, .stop = stop};

    *images = (struct shw_grey_images){dataset, calloc((size_t)dataset->image_count + 1, sizeof *images->images), *log};
    if (images->images == NULL)
        return shw_fail_memory(log, "images");
    for (uint32_t o = 0; o < dataset->object_count; o++) {
        struct shw_grey_image *image = &images->images[dataset->objects[o].image];
        if (image->object_count++ == 0)
            image->first_object = o;
    }
    shw_thread_pool_run(pool, dataset->image_count, read_one, &reading);
    SHW_PROPAGATE((enum shw_result)atomic_load(&reading.result));
    SHW_PROPAGATE(share_images(images, workers));
    return check_image(images, workers);
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
