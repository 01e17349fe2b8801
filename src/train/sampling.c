#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "shared/random.h"
#include "train/trainer.h"

uint32_t shw_draw_key(uint64_t seed, uint32_t tree, enum shw_draw draw)
{
    return shw_random(shw_random((uint32_t)seed, (uint32_t)(seed >> 32), tree), (uint32_t)draw, 0);
}

/* A keyed permutation of 0..size-1, so that drawing without replacement needs no memory: a Feistel network on the next even number of
 * bits, walked until it lands inside. */
static uint32_t permute(uint32_t key, uint32_t stream, uint32_t size, uint32_t index)
{
    uint32_t half = 1, mask;

    while (half < 16 && (1u << (2 * half)) < size)
        half++;
    mask = (1u << half) - 1;
    do {
        uint32_t left = index >> half, right = index & mask;
        for (uint32_t round = 0; round < 4; round++) {
            uint32_t mixed = left ^ (shw_random(key, stream, round << 16 | right) & mask);
            left = right;
            right = mixed;
        }
        index = left << half | right;
    } while (index >= size);
    return index;
}

static int ascending(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return left < right ? -1 : left > right;
}

/* Which images a tree sees, ascending; an image may appear more than once when drawn with replacement. */
static uint32_t *draw_images(const struct shw_trainer_params *params, uint32_t total, uint32_t tree, uint32_t *count)
{
    uint32_t key = shw_draw_key(params->seed, tree, SHW_DRAW_IMAGES);
    uint32_t *drawn;

    *count = (uint32_t)(((uint64_t)total * params->images_percent + 99) / 100);
    drawn = malloc(*count * sizeof *drawn);
    for (uint32_t i = 0; drawn != NULL && i < *count; i++)
        drawn[i] = params->replacement ? shw_random_below(shw_random(key, i, 0), total) : permute(key, 1, total, i);
    if (drawn != NULL)
        qsort(drawn, *count, sizeof *drawn, ascending);
    return drawn;
}

/* How many pixels of each class are drawn: the same for all while they last, then what is left over from the lowest class on. */
static void balance(const struct shw_train_image *image, uint32_t classes, uint32_t wanted, uint32_t *quotas)
{
    uint32_t left = wanted < image->labelled_count ? wanted : image->labelled_count;

    memset(quotas, 0, classes * sizeof *quotas);
    while (left > 0) {
        uint32_t able = 0, share;
        for (uint32_t c = 0; c < classes; c++)
            able += quotas[c] < image->class_ends[c] - (c > 0 ? image->class_ends[c - 1] : 0);
        share = left / able > 0 ? left / able : 1;
        for (uint32_t c = 0; c < classes && left > 0; c++) {
            uint32_t room = image->class_ends[c] - (c > 0 ? image->class_ends[c - 1] : 0) - quotas[c];
            uint32_t more = room < share ? room : share;
            more = more < left ? more : left;
            quotas[c] += more;
            left -= more;
        }
    }
}

static uint32_t draws_of(const struct shw_trainer_params *params, const struct shw_train_image *image)
{
    return params->pixels_per_image < image->labelled_count ? params->pixels_per_image : image->labelled_count;
}

/* Draws pixels of one image into `pixels`, ascending; returns how many. `occurrence` tells repeated images apart. */
static uint32_t draw_pixels(const struct shw_trainer_params *params, const struct shw_train_image *image, uint32_t classes,
                            uint32_t key, uint32_t occurrence, uint32_t *quotas, uint32_t *pixels)
{
    uint32_t count = draws_of(params, image);

    if (count == image->labelled_count) {
        memcpy(pixels, image->labelled, count * sizeof *pixels);
    } else if (params->sampling == SHW_SAMPLING_UNIFORM) {
        for (uint32_t i = 0; i < count; i++)
            pixels[i] = image->labelled[permute(key, occurrence, image->labelled_count, i)];
    } else {
        uint32_t *next = pixels;
        balance(image, classes, count, quotas);
        for (uint32_t c = 0; c < classes; c++) {
            uint32_t begin = c > 0 ? image->class_ends[c - 1] : 0;
            for (uint32_t i = 0; i < quotas[c]; i++)
                *next++ = image->labelled[begin + permute(key, occurrence, image->class_ends[c] - begin, i)];
        }
    }
    qsort(pixels, count, sizeof *pixels, ascending);
    return count;
}

void shw_samples_free(struct shw_samples *samples)
{
    free(samples->image);
    free(samples->x);
    free(samples->y);
    free(samples->label);
    *samples = (struct shw_samples){0};
}

static bool allocate(struct shw_samples *samples, size_t count)
{
    samples->image = malloc(count * sizeof *samples->image);
    samples->x = malloc(count * sizeof *samples->x);
    samples->y = malloc(count * sizeof *samples->y);
    samples->label = malloc(count * sizeof *samples->label);
    return samples->image != NULL && samples->x != NULL && samples->y != NULL && samples->label != NULL;
}

static void append(struct shw_samples *samples, const struct shw_train_images *images, uint32_t image, const uint32_t *pixels,
                   uint32_t count)
{
    const struct shw_train_image *from = &images->images[image];

    for (uint32_t i = 0; i < count; i++) {
        uint32_t s = samples->count++;
        samples->image[s] = image;
        samples->x[s] = (uint16_t)(pixels[i] % from->width);
        samples->y[s] = (uint16_t)(pixels[i] / from->width);
        samples->label[s] = from->labels[pixels[i]];
    }
}

enum shw_result shw_samples_draw(const struct shw_trainer_params *params, const struct shw_train_images *images,
                                 uint32_t class_count, uint32_t tree, struct shw_samples *samples)
{
    uint32_t key = shw_draw_key(params->seed, tree, SHW_DRAW_PIXELS), image_count, most = 1;
    uint32_t *drawn = draw_images(params, images->base_count, tree, &image_count), *pixels = NULL, *quotas = NULL;
    uint32_t mirrors = images->count / images->base_count;
    enum shw_result result = SHW_OK;
    uint64_t total = 0;

    *samples = (struct shw_samples){0};
    if (drawn == NULL)
        return shw_fail_memory(&params->log, "samples");
    for (uint32_t i = 0; i < image_count * mirrors; i++) {
        const struct shw_train_image *image = &images->images[drawn[i / mirrors] + i % mirrors * images->base_count];
        uint32_t draws = draws_of(params, image);
        total += draws;
        most = draws > most ? draws : most;
    }
    if (total == 0) {
        result = shw_fail(&params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "the images of tree %u have no labelled pixel", tree);
        goto fail;
    }
    if (total >= SHW_MASS_MAX) {
        result = shw_fail(&params->log, SHW_ERROR_LIMIT, SHW_LOG_TRAIN_PARAMETER,
                          "a tree of %llu samples is too large: draw fewer pixels an image, or fewer images",
                          (unsigned long long)total);
        goto fail;
    }
    pixels = malloc(most * sizeof *pixels);
    quotas = malloc(class_count * sizeof *quotas);
    if (pixels == NULL || quotas == NULL || !allocate(samples, total)) {
        result = shw_fail_memory(&params->log, "samples");
        goto fail;
    }
    for (uint32_t i = 0; i < image_count * mirrors; i++) {
        uint32_t image = drawn[i / mirrors] + i % mirrors * images->base_count;
        append(samples, images, image, pixels, draw_pixels(params, &images->images[image], class_count, key, i, quotas, pixels));
    }
    free(drawn);
    free(pixels);
    free(quotas);
    return SHW_OK;

fail:
    free(drawn);
    free(pixels);
    free(quotas);
    shw_samples_free(samples);
    return result;
}
