#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/log.h"
#include "channels/channels.h"
#include "integrate/integral.h"
#include "train/trainer.h"

/* What the threads that load share. */
struct load {
    const struct shw_trainer_params *params;
    const struct shw_dataset *dataset;
    const struct shw_channel_set_info *set;
    struct shw_train_images *images;
    enum shw_result *results; /* an image */
};

void shw_train_images_free(struct shw_train_images *images)
{
    for (uint32_t i = 0; images->images != NULL && i < images->count; i++) {
        free(images->images[i].labels);
        free(images->images[i].labelled);
        free(images->images[i].class_ends);
    }
    free(images->images);
    free(images->integrals);
    free(images->class_pixels);
    *images = (struct shw_train_images){0};
}

static enum shw_result read_example(const struct load *load, uint32_t index, struct shw_labelled_image *example)
{
    enum shw_result result = load->dataset->read(load->dataset->user, index, example);
    size_t pixel;

    if (result != SHW_OK)
        return result;
    pixel = shw_pixel_size(example->image.format);
    if (example->labels == NULL)
        result = shw_fail(&load->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s has no labels to train on", example->name);
    else if (example->image.pixels == NULL || pixel == 0 || example->image.width == 0 || example->image.height == 0 ||
             example->image.width > SHW_IMAGE_SIZE_MAX || example->image.height > SHW_IMAGE_SIZE_MAX ||
             (example->image.stride != 0 && example->image.stride < pixel * example->image.width))
        result = shw_fail(&load->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s is not an image of 1 to %u pixels each way",
                          example->name, SHW_IMAGE_SIZE_MAX);
    if (result != SHW_OK)
        load->dataset->release(load->dataset->user, example);
    return result;
}

/* Lists the pixels that are not void, class by class or all in one. Returns false when memory is short. */
static bool list_labelled(const struct load *load, struct shw_train_image *image)
{
    uint32_t classes = load->dataset->class_count, pixels = image->width * image->height, count = 0;
    bool balanced = load->params->sampling == SHW_SAMPLING_BALANCED;

    for (uint32_t i = 0; i < pixels; i++)
        count += image->labels[i] != SHW_LABEL_VOID;
    image->labelled = malloc((count > 0 ? count : 1) * sizeof *image->labelled);
    image->class_ends = balanced ? calloc(classes, sizeof *image->class_ends) : NULL;
    if (image->labelled == NULL || (balanced && image->class_ends == NULL))
        return false;
    image->labelled_count = count;
    if (!balanced) {
        for (uint32_t i = 0, n = 0; i < pixels; i++)
            if (image->labels[i] != SHW_LABEL_VOID)
                image->labelled[n++] = i;
        return true;
    }
    for (uint32_t i = 0; i < pixels; i++)
        if (image->labels[i] != SHW_LABEL_VOID)
            image->class_ends[image->labels[i]]++;
    for (uint32_t c = 0, begin = 0; c < classes; c++) { /* becomes the begin of the class, then its end */
        uint32_t size = image->class_ends[c];
        image->class_ends[c] = begin;
        begin += size;
    }
    for (uint32_t i = 0; i < pixels; i++)
        if (image->labels[i] != SHW_LABEL_VOID)
            image->labelled[image->class_ends[image->labels[i]]++] = i;
    return true;
}

static enum shw_result check_labels(const struct load *load, const struct shw_labelled_image *example)
{
    size_t pixels = (size_t)example->image.width * example->image.height;

    for (size_t i = 0; i < pixels; i++)
        if (example->labels[i] != SHW_LABEL_VOID && example->labels[i] >= load->dataset->class_count)
            return shw_fail(&load->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                            "%s has label %u at pixel (%u, %u); there are %u classes", example->name, example->labels[i],
                            (unsigned)(i % example->image.width), (unsigned)(i / example->image.width),
                            load->dataset->class_count);
    return SHW_OK;
}

static void mirror_rows(void *rows, uint32_t width, uint32_t height, size_t element)
{
    char *row = rows, kept[8];

    for (uint32_t y = 0; y < height; y++, row += width * element)
        for (uint32_t a = 0, b = width - 1; a < b; a++, b--) {
            memcpy(kept, row + a * element, element);
            memcpy(row + a * element, row + b * element, element);
            memcpy(row + b * element, kept, element);
        }
}

/* A packed copy of the pixels, mirrored. */
static void *mirror_pixels(const struct shw_image *image)
{
    size_t pixel = shw_pixel_size(image->format), row = pixel * image->width;
    size_t stride = image->stride > 0 ? image->stride : row;
    char *copy = malloc(row * image->height);

    for (uint32_t y = 0; copy != NULL && y < image->height; y++)
        memcpy(copy + y * row, (const char *)image->pixels + y * stride, row);
    if (copy != NULL)
        mirror_rows(copy, image->width, image->height, pixel);
    return copy;
}

/* Labels, channels and integral images of one image or mirror image. */
static enum shw_result make_image(const struct load *load, const struct shw_labelled_image *example, bool mirrored,
                                  struct shw_train_image *image)
{
    uint32_t channels = load->set->channel_count;
    size_t pixels = (size_t)image->width * image->height;
    int16_t *planes = malloc(pixels * channels * sizeof *planes);
    struct shw_image view = example->image;
    void *copy = mirrored ? mirror_pixels(&view) : NULL;
    bool good = false;

    image->labels = malloc(pixels * sizeof *image->labels);
    if (planes == NULL || image->labels == NULL || (mirrored && copy == NULL))
        goto end;
    memcpy(image->labels, example->labels, pixels * sizeof *image->labels);
    if (mirrored) {
        mirror_rows(image->labels, image->width, image->height, sizeof *image->labels);
        view.pixels = copy;
        view.stride = 0;
    }
    if (!list_labelled(load, image) || shw_channels_cpu(load->params->channels, &view, NULL, planes, NULL) != SHW_OK)
        goto end;
    shw_integrate_cpu(planes, image->width, image->height, channels, load->images->integrals + image->integrals, NULL);
    good = true;

end:
    free(copy);
    free(planes);
    return good ? SHW_OK : shw_fail_memory(&load->params->log, "a training image");
}

static void load_one(void *user, uint32_t index, uint32_t thread)
{
    struct load *load = user;
    struct shw_train_images *images = load->images;
    struct shw_train_image *image = &images->images[index];
    struct shw_labelled_image example;
    enum shw_result result;

    (void)thread;
    result = read_example(load, index, &example);
    if (result == SHW_OK) {
        if (example.image.width != image->width || example.image.height != image->height)
            result = shw_fail(&load->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s changed its size while it was read",
                              example.name);
        if (result == SHW_OK)
            result = check_labels(load, &example);
        if (result == SHW_OK)
            result = make_image(load, &example, false, image);
        if (result == SHW_OK && images->count > images->base_count)
            result = make_image(load, &example, true, &images->images[images->base_count + index]);
        load->dataset->release(load->dataset->user, &example);
    }
    load->results[index] = result;
}

/* Sizes first, so that all integral images can lie in one piece of memory. */
static void measure_one(void *user, uint32_t index, uint32_t thread)
{
    struct load *load = user;
    struct shw_labelled_image example;

    (void)thread;
    load->results[index] = read_example(load, index, &example);
    if (load->results[index] != SHW_OK)
        return;
    load->images->images[index].width = example.image.width;
    load->images->images[index].height = example.image.height;
    load->dataset->release(load->dataset->user, &example);
}

static enum shw_result for_all(struct load *load, struct shw_thread_pool *pool, void (*work)(void *, uint32_t, uint32_t))
{
    shw_thread_pool_run(load->dataset->single_threaded ? NULL : pool, load->dataset->count, work, load);
    for (uint32_t i = 0; i < load->dataset->count; i++)
        if (load->results[i] != SHW_OK)
            return load->results[i];
    return SHW_OK;
}

/* Responses read all over gigabytes; with pages of this size most of the time spent on address translation goes. */
#define HUGE_PAGE ((size_t)2 << 20)

static enum shw_result place_integrals(const struct load *load)
{
    struct shw_train_images *images = load->images;
    size_t bytes;

    for (uint32_t i = 0; i < images->count; i++) {
        struct shw_train_image *image = &images->images[i];
        if (i >= images->base_count) {
            image->width = images->images[i - images->base_count].width;
            image->height = images->images[i - images->base_count].height;
        }
        image->integrals = images->integral_count;
        images->integral_count += load->set->channel_count * shw_integral_size(image->width, image->height);
    }
    bytes = (images->integral_count * sizeof *images->integrals + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    images->integrals = aligned_alloc(HUGE_PAGE, bytes);
    if (images->integrals != NULL)
        madvise(images->integrals, bytes, MADV_HUGEPAGE);
    else
        return shw_fail(&load->params->log, SHW_ERROR_MEMORY, SHW_LOG_OUT_OF_MEMORY,
                        "not enough memory for the integral images of %u images (%llu MiB): train on fewer or smaller ones",
                        images->count, (unsigned long long)(images->integral_count >> 18));
    return SHW_OK;
}

enum shw_result shw_train_images_load(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                      struct shw_thread_pool *pool, struct shw_train_images *images)
{
    struct load load = {params, dataset, shw_channel_set_get(params->channels), images, NULL};
    enum shw_result result = SHW_ERROR_MEMORY;

    *images = (struct shw_train_images){.base_count = dataset->count, .count = dataset->count * (params->mirror ? 2 : 1)};
    images->images = calloc(images->count, sizeof *images->images);
    images->class_pixels = calloc(dataset->class_count, sizeof *images->class_pixels);
    load.results = calloc(dataset->count, sizeof *load.results);
    if (images->images == NULL || images->class_pixels == NULL || load.results == NULL) {
        shw_fail_memory(&params->log, "the training set");
        goto fail;
    }
    SHW_TRY(for_all(&load, pool, measure_one));
    SHW_TRY(place_integrals(&load));
    SHW_TRY(for_all(&load, pool, load_one));
    for (uint32_t i = 0; i < images->count; i++)
        for (uint32_t p = 0; p < images->images[i].labelled_count; p++)
            images->class_pixels[images->images[i].labels[images->images[i].labelled[p]]]++;
    free(load.results);
    return SHW_OK;

fail:
    free(load.results);
    shw_train_images_free(images);
    return result;
}
