#include "dense/samples/images.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/image.h"
#include "base/integers.h"
#include "base/log.h"
#include "dense/channels/channels.h"
#include "dense/channels/pixels.h"
#include "dense/feature/feature_code.h"
#include "dense/integrate/integral.h"
#include "dense/split/traits.h"
#include "shared/mirror.h"

static enum shw_result check_labels(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                    const struct shw_labelled_image *example)
{
    size_t pixels = (size_t)example->image.width * example->image.height;
    uint16_t most = 0; /* label + 1, which is 0 for void pixels */

    for (size_t i = 0; i < pixels; i++) { /* without a branch: this runs before every tree */
        uint16_t next = (uint16_t)(example->labels[i] + 1u);

        most = next > most ? next : most;
    }
    for (size_t i = 0; most > dataset->class_count && i < pixels; i++)
        if (example->labels[i] != SHW_LABEL_VOID && example->labels[i] >= dataset->class_count)
            return shw_fail(&params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                            "%s has label %u at pixel (%u, %u); there are %u classes", example->name,
                            example->labels[i], (unsigned)(i % example->image.width),
                            (unsigned)(i / example->image.width), dataset->class_count);
    return SHW_OK;
}

static bool fits_picture(const struct shw_labelled_image *example)
{
    const struct shw_picture_part *part = &example->part;

    if (part->full_width == 0)
        return true;
    return part->full_width <= SHW_IMAGE_SIZE_MAX && part->full_height <= SHW_IMAGE_SIZE_MAX &&
           (uint64_t)part->x + example->image.width <= part->full_width &&
           (uint64_t)part->y + example->image.height <= part->full_height;
}

enum shw_result shw_train_image_read(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                     uint32_t index, struct shw_labelled_image *example)
{
    size_t pixel;
    enum shw_result result = SHW_OK;

    SHW_PROPAGATE(dataset->read(dataset->user, index, example));
    pixel = shw_pixel_size(example->image.format);
    if (example->labels == NULL)
        result =
            shw_fail(&params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s has no labels to train on", example->name);
    else if (example->image.pixels == NULL || pixel == 0 || example->image.width == 0 || example->image.height == 0 ||
             example->image.width > SHW_IMAGE_SIZE_MAX || example->image.height > SHW_IMAGE_SIZE_MAX ||
             (example->image.stride != 0 && example->image.stride < pixel * example->image.width))
        result = shw_fail(&params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s does not have 1 to %u pixels a side",
                          example->name, SHW_IMAGE_SIZE_MAX);
    else if (!fits_picture(example))
        result = shw_fail(&params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                          "%s is not a part of a picture of up to %u pixels a side", example->name, SHW_IMAGE_SIZE_MAX);
    else
        result = check_labels(params, dataset, example);
    if (result != SHW_OK)
        dataset->release(dataset->user, example);
    return result;
}

/* A packed copy of the pixels, mirrored left to right, to be freed with free(). NULL if out of memory. */
static void *train_image_mirror(const struct shw_image *image)
{
    size_t pixel = shw_pixel_size(image->format);
    char *copy = malloc(pixel * image->width * image->height), *to = copy;

    for (uint32_t y = 0; copy != NULL && y < image->height; y++) {
        const char *from = shw_image_part(image, image->width, y, 0, 0).pixels;
        for (uint32_t x = 0; x < image->width; x++, to += pixel)
            memcpy(to, from -= pixel, pixel);
    }
    return copy;
}

/* The inputs of an image, or mirrored copies of them. */
struct views {
    struct shw_chosen_inputs chosen;
    struct shw_input inputs[SHW_INPUTS_MAX];
    void *copies[SHW_INPUTS_MAX];
};

static void free_views(struct views *views)
{
    for (uint32_t i = 0; i < SHW_INPUTS_MAX; i++)
        free(views->copies[i]);
}

/* Errors: MEMORY. */
static enum shw_result make_views(const struct shw_chosen_inputs *chosen, bool mirrored, const struct shw_log *log,
                                  struct views *views)
{
    *views = (struct views){.chosen = *chosen};
    for (uint32_t i = 0; mirrored && i < SHW_INPUTS_MAX; i++) {
        if (chosen->of[i] == NULL)
            continue;
        views->inputs[i] = *chosen->of[i];
        views->copies[i] = train_image_mirror(&chosen->of[i]->image);
        views->inputs[i].image.pixels = views->copies[i];
        views->inputs[i].image.stride = 0;
        views->chosen.of[i] = &views->inputs[i];
        if (views->copies[i] == NULL) {
            free_views(views);
            return shw_fail_memory(log, "a training image");
        }
    }
    return SHW_OK;
}

/* Planes as they are read for mirror images, with paired flipping. */

/* Of the row of an integral image; `count` is one more than the image's width. */
static void flip_sums(uint32_t *row, uint32_t count, bool is_negated)
{
    for (uint32_t x = 0; x < count - 1 - x; x++) {
        uint32_t sum = row[x];
        row[x] = row[count - 1 - x];
        row[count - 1 - x] = sum;
    }
    for (uint32_t x = 0; x < count; x++)
        row[x] = shw_mirror_value(row[x], !is_negated);
}

static void flip_values(int16_t *row, uint32_t count, bool is_negated)
{
    for (uint32_t x = 0; x < count - 1 - x; x++) {
        int16_t value = row[x];
        row[x] = row[count - 1 - x];
        row[count - 1 - x] = value;
    }
    for (uint32_t x = 0; x < count && is_negated; x++)
        row[x] = (int16_t)-row[x];
}

/* Partners name each other, so that each pair is exchanged once. */
static void exchange_planes(const struct shw_train_images *images, size_t elements, void *planes)
{
    const size_t bytes = elements * (images->reads == SHW_FEATURE_READS_INTEGRALS ? sizeof(uint32_t) : sizeof(int16_t));

    for (uint32_t c = 0; c < images->channels.channel_count; c++) {
        char *plane = (char *)planes + c * bytes, *other;

        if (images->mirror.partners[c] <= c)
            continue;
        other = (char *)planes + images->mirror.partners[c] * bytes;
        for (size_t i = 0; i < bytes; i++) {
            char byte = plane[i];
            plane[i] = other[i];
            other[i] = byte;
        }
    }
}

void shw_train_image_flip_planes(const struct shw_train_images *images, uint32_t index, void *planes)
{
    const struct shw_train_image *image = &images->images[index];
    uint32_t stride = image->width + image->more, height = image->height + image->more;

    for (uint32_t row = 0; row < images->channels.channel_count * height; row++) {
        enum shw_channel_mirror mirrored = images->channels.channels[row / height].mirrored;
        bool is_negated = mirrored == SHW_MIRRORED_NEGATED;

        if (mirrored == SHW_MIRRORED_FIXED)
            continue;
        if (images->reads == SHW_FEATURE_READS_INTEGRALS)
            flip_sums((uint32_t *)planes + (size_t)row * stride, stride, is_negated);
        else
            flip_values((int16_t *)planes + (size_t)row * stride, stride, is_negated);
    }
    exchange_planes(images, (size_t)stride * height, planes);
}

/* Properties of the images, and their planes on the host. */

/* Shared by the threads that read. */
struct load {
    const struct shw_trainer_params *params;
    const struct shw_dataset *dataset;
    struct shw_train_images *images;
    const struct shw_train_images *before; /* with planes that can be copied; or NULL */
    struct shw_thread_pool *pool;          /* for the planes of one image; or NULL */
    uint64_t *class_pixels;                /* per thread */
    enum shw_result *results;              /* per image */
};

void shw_train_images_drop_planes(struct shw_train_images *images)
{
    shw_free_aligned(images->planes);
    images->planes = NULL;
    images->resident = 0;
}

void shw_train_images_free(struct shw_train_images *images)
{
    for (uint32_t i = 0; images->class_lists != NULL && i < images->base_count; i++)
        free(images->class_lists[i].entries);
    free(images->class_lists);
    free(images->images);
    free(images->pictures);
    shw_free_aligned(images->planes);
    free(images->class_pixels);
    *images = (struct shw_train_images){0};
}

/* Reads an example again, and checks that its size is still the same. */
static enum shw_result read_again(const struct load *load, uint32_t index, struct shw_labelled_image *example)
{
    const struct shw_train_image *image = &load->images->images[index];
    enum shw_result result = shw_train_image_read(load->params, load->dataset, index, example);

    if (result == SHW_OK && (example->image.width != image->width || example->image.height != image->height)) {
        result = shw_fail(&load->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                          "%s changed its size while it was read", example->name);
        load->dataset->release(load->dataset->user, example);
    }
    return result;
}

/* Makes the planes of one image or mirror image. */
static enum shw_result make_image(const struct load *load, const struct shw_chosen_inputs *chosen, bool mirrored,
                                  const struct shw_train_image *image, void *planes)
{
    const struct shw_feature_type *feature = load->params->feature;
    bool integrates = feature->reads == SHW_FEATURE_READS_INTEGRALS;
    uint32_t count = load->images->channels.channel_count;
    size_t pixels = (size_t)image->width * image->height;
    int16_t *channels = integrates ? malloc(pixels * count * sizeof *channels) : planes;
    struct shw_region region = mirrored ? shw_train_region_mirror(&image->region) : image->region;
    struct shw_channel_images inputs;
    struct views views;
    enum shw_result result;

    if (channels == NULL)
        return shw_fail_memory(&load->params->log, "a training image");
    SHW_TRY(make_views(chosen, mirrored, &load->params->log, &views));
    inputs = shw_inputs_images(&load->images->channels, &views.chosen);
    if (shw_channels_cpu(&load->images->channels, &inputs, &region, channels, load->pool) != SHW_OK)
        result = shw_fail_memory(&load->params->log, "a training image");
    else if (integrates)
        shw_integrate_cpu(channels, image->width, image->height, count, planes, load->pool);
    free_views(&views);

fail:
    if (integrates)
        free(channels);
    return result;
}

/* Makes the planes of an example, of its mirror image, or of both; those that are NULL are not made. */
static enum shw_result make_example(const struct load *load, uint32_t index, void *planes, void *mirrored)
{
    const struct shw_train_images *images = load->images;
    struct shw_labelled_image example;
    struct shw_chosen_inputs chosen;
    struct shw_input inputs[SHW_INPUTS_MAX];
    enum shw_result result = read_again(load, index, &example);

    if (result != SHW_OK)
        return result;
    result = shw_inputs_choose_example(&example, &images->channels, &load->params->log, inputs, &chosen);
    if (result == SHW_OK && planes != NULL)
        result = make_image(load, &chosen, false, &images->images[index], planes);
    if (result == SHW_OK && mirrored != NULL)
        result = make_image(load, &chosen, true, &images->images[index], mirrored);
    load->dataset->release(load->dataset->user, &example);
    return result;
}

static void *resident_planes(const struct shw_train_images *images, uint32_t index, size_t element)
{
    return (char *)images->planes + images->images[index].planes * element;
}

/* Depends on the pixels but not on the padding between rows. */
static uint64_t hash_pixels(const struct shw_image *image, uint64_t hash)
{
    size_t row = shw_pixel_size(image->format) * image->width, stride = image->stride > 0 ? image->stride : row;

    for (uint32_t y = 0; y < image->height; y++)
        hash = XXH3_64bits_withSeed((const char *)image->pixels + y * stride, row, hash);
    return hash;
}

/* How pixels become millimetres, unless these are stored. */
static uint64_t hash_depth(const struct shw_depth *depth, uint64_t hash)
{
    const shw_uint4 scale = shw_depth_scale(depth);

    return depth->kind != SHW_DEPTH_MILLIMETRES ? XXH3_64bits_withSeed(&scale, sizeof scale, hash) : hash;
}

/* Hashes all inputs that are read. */
static uint64_t hash_inputs(const struct shw_channel_list *list, const struct shw_chosen_inputs *chosen, uint64_t hash)
{
    for (uint32_t i = 0; i < list->input_count; i++) {
        struct shw_depth scaling;
        if (chosen->of[i] == NULL)
            continue;
        scaling = shw_input_scaling(list, i, chosen->of[i]);
        hash = hash_depth(&scaling, hash_pixels(&chosen->of[i]->image, hash));
    }
    return hash;
}

/* Of its place and size. */
static uint64_t hash_place(const struct shw_train_image *image)
{
    const struct shw_region *region = &image->region;
    uint64_t size = (uint64_t)image->width << 32 | image->height;

    if (region->full_width == image->width && region->full_height == image->height)
        return size;
    return XXH3_64bits_withSeed(region, sizeof *region, size);
}

static void hash_example(const struct shw_channel_list *list, const struct shw_labelled_image *example,
                         const struct shw_chosen_inputs *chosen, struct shw_train_image *image)
{
    uint64_t size = hash_place(image);
    size_t label_bytes = (size_t)image->width * image->height * sizeof *example->labels;

    image->pixels_hash = hash_inputs(list, chosen, size);
    image->hash = hash_inputs(list, chosen, XXH3_64bits_withSeed(example->labels, label_bytes, size));
}

uint64_t shw_train_images_hash(const struct shw_train_images *images)
{
    uint64_t hash = images->base_count;

    for (uint32_t i = 0; i < images->base_count; i++)
        hash = XXH3_64bits_withSeed(&images->images[i].hash, sizeof hash, hash);
    return hash;
}

static bool have_same_pixels(const struct shw_train_image *a, const struct shw_train_image *b)
{
    return a->pixels_hash == b->pixels_hash && memcmp(&a->region, &b->region, sizeof a->region) == 0 &&
           a->format == b->format;
}

bool shw_train_images_alike(const struct shw_train_images *a, const struct shw_train_images *b)
{
    return shw_channel_lists_equal(&a->channels, &b->channels) && a->reads == b->reads &&
           (a->count > a->base_count) == (b->count > b->base_count) && a->paired == b->paired;
}

bool shw_train_images_equal(const struct shw_train_images *a, const struct shw_train_images *b)
{
    bool equal = shw_train_images_alike(a, b) && a->base_count == b->base_count;

    for (uint32_t i = 0; equal && i < a->count; i++)
        equal = have_same_pixels(&a->images[i], &b->images[i]);
    return equal;
}

/* Copies the planes of an image and of its mirror image from the previous training; false if it has none. */
static bool copy_planes(const struct load *load, uint32_t index)
{
    const struct shw_train_images *images = load->images, *before = load->before;
    size_t element = shw_feature_element(load->params->feature), bytes;
    uint32_t from = 0;

    if (before == NULL || before->planes == NULL)
        return false;
    while (from < before->resident && !have_same_pixels(&before->images[from], &images->images[index]))
        from++;
    if (from == before->resident)
        return false;
    bytes = shw_train_image_elements(images, index) * element;
    for (uint32_t copy = 0; copy < shw_train_images_copies(images); copy++)
        memcpy(resident_planes(images, index + copy * images->base_count, element),
               resident_planes(before, from + copy * before->base_count, element), bytes);
    return true;
}

static void make_one(void *user, uint32_t index, uint32_t thread)
{
    struct load *load = user;
    struct shw_train_images *images = load->images;
    size_t element = shw_feature_element(load->params->feature);
    void *mirrored =
        shw_train_images_copies(images) > 1 ? resident_planes(images, images->base_count + index, element) : NULL;

    (void)thread;
    load->results[index] = copy_planes(load, index)
                               ? SHW_OK
                               : make_example(load, index, resident_planes(images, index, element), mirrored);
}

static struct shw_region region_of(const struct shw_labelled_image *example)
{
    const struct shw_picture_part *part = &example->part;
    uint32_t width = example->image.width, height = example->image.height;

    return part->full_width > 0
               ? (struct shw_region){width, height, part->x, part->y, part->full_width, part->full_height}
               : (struct shw_region){width, height, 0, 0, width, height};
}

uint32_t shw_trainer_params_get_reach(const struct shw_trainer_params *params)
{
    struct shw_channel_list list;
    char why[SHW_CHANNEL_WHY_SIZE];

    if (params == NULL || params->below != NULL || params->levels > 1 ||
        !shw_channel_list_read(params->channels, &params->kinds, &list, why) ||
        (params->feature != NULL &&
         (params->feature->reads_depth || shw_feature_type_by_name(params->feature->name) != params->feature)))
        return UINT32_MAX;
    return shw_offset_max(params) + list.radius;
}

/* Checks that labels are far enough from the sides of a part. */
static enum shw_result check_margins(const struct shw_trainer_params *params, const struct shw_labelled_image *example,
                                     const struct shw_train_image *image)
{
    const struct shw_region *region = &image->region;
    uint64_t reach = shw_trainer_params_get_reach(params);
    uint64_t left = region->x > 0 ? reach : 0, top = region->y > 0 ? reach : 0;
    uint64_t right = region->x + region->width < region->full_width ? reach : 0;
    uint64_t bottom = region->y + region->height < region->full_height ? reach : 0;

    for (uint32_t y = 0; (left | top | right | bottom) > 0 && y < image->height; y++)
        for (uint32_t x = 0; x < image->width; x++)
            if (example->labels[(size_t)y * image->width + x] != SHW_LABEL_VOID &&
                (x < left || y < top || x + right >= image->width || y + bottom >= image->height))
                return shw_fail(
                    &params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                    "%s, a part of a picture, has a label at pixel (%u, %u), but training looks %llu pixels "
                    "around labels",
                    example->name, x, y, (unsigned long long)reach);
    return SHW_OK;
}

/* A channel that depends on the position in the picture differs in the mirrored part. */
static enum shw_result check_pairs(const struct load *load, const struct shw_labelled_image *example,
                                   const struct shw_train_image *image)
{
    const struct shw_channel_list *list = &load->images->channels;

    if (!load->images->paired || image->region.full_width == image->width)
        return SHW_OK;
    for (uint32_t c = 0; c < list->channel_count; c++)
        if (list->channels[c].mirrored == SHW_MIRRORED_FIXED)
            return shw_fail(&load->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                            "%s is a part of a picture, whose mirror image has a different channel %s: paired flipping "
                            "needs whole pictures, or channels without it",
                            example->name, list->channels[c].name);
    return SHW_OK;
}

/* Groups the parts of pictures, and numbers the pictures. False if out of memory. */
static bool find_pictures(struct shw_train_images *images)
{
    uint32_t before = 0;

    images->pictures = calloc(images->base_count, sizeof *images->pictures);
    for (uint32_t i = 0; images->pictures != NULL && i < images->base_count; i++) {
        struct shw_train_image *image = &images->images[i];
        bool joins = i > 0 && image->is_part && image[-1].is_part && image->picture == before &&
                     image->region.full_width == image[-1].region.full_width &&
                     image->region.full_height == image[-1].region.full_height;

        if (!joins)
            images->pictures[images->picture_count++].first = i;
        images->pictures[images->picture_count - 1].end = i + 1;
        images->pictures[images->picture_count - 1].labelled_count += image->labelled_count;
        before = image->picture;
        image->picture = images->picture_count - 1;
    }
    return images->pictures != NULL;
}

/* The labelled pixels by class. False if out of memory. */
static bool list_classes(const uint16_t *labels, size_t pixels, uint32_t classes, struct shw_class_list *list)
{
    uint32_t *counts = calloc(classes, sizeof *counts), found = 0;

    *list = (struct shw_class_list){0};
    if (counts == NULL)
        return false;
    for (size_t i = 0; i < pixels; i++)
        if (labels[i] != SHW_LABEL_VOID)
            found += counts[labels[i]]++ == 0;
    list->entries = malloc((found + 1) * sizeof *list->entries);
    for (uint32_t c = 0; list->entries != NULL && c < classes; c++)
        if (counts[c] > 0)
            list->entries[list->count++] = (struct shw_class_count){c, counts[c]};
    free(counts);
    return list->entries != NULL;
}

static void measure_one(void *user, uint32_t index, uint32_t thread)
{
    struct load *load = user;
    struct shw_train_image *image = &load->images->images[index];
    uint64_t *counts = load->class_pixels + (size_t)thread * load->dataset->class_count;
    const struct shw_channel_list *list = &load->images->channels;
    struct shw_labelled_image example;
    struct shw_chosen_inputs chosen;
    struct shw_input inputs[SHW_INPUTS_MAX];
    uint32_t pixels;
    enum shw_result result;

    SHW_TRY(shw_train_image_read(load->params, load->dataset, index, &example));
    result = shw_inputs_choose_example(&example, list, &load->params->log, inputs, &chosen);
    if (result != SHW_OK) {
        load->dataset->release(load->dataset->user, &example);
        goto fail;
    }
    *image = (struct shw_train_image){.width = example.image.width,
                                      .height = example.image.height,
                                      .region = region_of(&example),
                                      .is_part = example.part.full_width > 0,
                                      .picture = example.part.picture,
                                      .format = example.image.format,
                                      .planes = SHW_NO_PLANES,
                                      .more = shw_feature_more(load->params->feature),
                                      .wide = shw_inputs_are_wide(list, &chosen)};
    hash_example(list, &example, &chosen, image);
    pixels = image->width * image->height;
    for (uint32_t i = 0, end; (i = shw_next_labelled(example.labels, i, pixels)) < pixels; i = end) {
        end = shw_label_end(example.labels, i, pixels);
        counts[example.labels[i]] += end - i;
        image->labelled_count += end - i;
    }
    result = check_margins(load->params, &example, image);
    if (result == SHW_OK)
        result = check_pairs(load, &example, image);
    if (result == SHW_OK && load->images->class_lists != NULL &&
        !list_classes(example.labels, (size_t)image->width * image->height, load->dataset->class_count,
                      &load->images->class_lists[index]))
        result = shw_fail_memory(&load->params->log, "the training set");
    load->dataset->release(load->dataset->user, &example);

fail:
    load->results[index] = result;
}

static enum shw_result for_first(struct load *load, struct shw_thread_pool *pool, uint32_t count,
                                 void (*work)(void *, uint32_t, uint32_t))
{
    shw_thread_pool_run(load->dataset->single_threaded ? NULL : pool, count, work, load);
    for (uint32_t i = 0; i < count; i++)
        if (load->results[i] != SHW_OK)
            return load->results[i];
    return SHW_OK;
}

/* Vectors read 16-bit values as halves of words. */
#define PLANES_PADDING sizeof(uint32_t)

size_t shw_train_image_bytes(const struct shw_train_images *images, uint32_t index)
{
    size_t element = images->reads == SHW_FEATURE_READS_INTEGRALS ? sizeof(uint32_t) : sizeof(int16_t);

    return shw_train_image_elements(images, index) * element + PLANES_PADDING;
}

/* Responses read gigabytes at random; pages of this size avoid most of the time for address translation. */
#define HUGE_PAGE ((size_t)2 << 20)

static enum shw_result place_planes(const struct load *load, uint32_t count)
{
    struct shw_train_images *images = load->images;
    size_t elements = 0, bytes;

    for (uint32_t i = 0; i < images->count; i++) {
        uint32_t of = shw_train_image_of_planes(images, i);
        if (i % images->base_count >= count)
            continue;
        images->images[i].planes = of == i ? elements : images->images[of].planes;
        elements += of == i ? shw_train_image_elements(images, i) : 0;
    }
    bytes = elements * shw_feature_element(load->params->feature) + PLANES_PADDING;
    bytes = shw_align_up(bytes, HUGE_PAGE);
    images->planes = shw_aligned(HUGE_PAGE, bytes);
    if (images->planes == NULL)
        return shw_fail(&load->params->log, SHW_ERROR_MEMORY, SHW_LOG_OUT_OF_MEMORY,
                        "not enough memory for the %s of %u images (%llu MiB): allow training less memory",
                        load->params->feature->reads == SHW_FEATURE_READS_INTEGRALS ? "integral images" : "channels",
                        count * shw_train_images_copies(images), (unsigned long long)(bytes >> 20));
    madvise(images->planes, bytes, MADV_HUGEPAGE);
    images->resident = count;
    return SHW_OK;
}

enum shw_result shw_train_images_measure(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                         struct shw_thread_pool *pool, struct shw_train_images *images)
{
    struct load load = {.params = params, .dataset = dataset, .images = images};
    size_t classes = dataset->class_count, threads = shw_thread_pool_size(pool);
    uint32_t copies = params->mirror != SHW_MIRROR_NONE ? 2 : 1;
    enum shw_result result = SHW_ERROR_MEMORY;

    *images = (struct shw_train_images){
        .base_count = dataset->count, .count = dataset->count * copies, .reads = params->feature->reads};
    SHW_PROPAGATE(shw_channel_list_parse(params->channels, &params->kinds, &params->log, &images->channels));
    images->paired = params->mirror == SHW_MIRROR_PAIRED;
    images->mirror = shw_mirror_of(&images->channels);
    images->images = calloc(images->count, sizeof *images->images);
    images->class_pixels = calloc(classes, sizeof *images->class_pixels);
    load.class_pixels = calloc(threads * classes, sizeof *load.class_pixels);
    load.results = calloc(dataset->count, sizeof *load.results);
    if (shw_sampling_is_planned(params->sampling))
        images->class_lists = calloc(images->base_count, sizeof *images->class_lists);
    if (images->images == NULL || images->class_pixels == NULL || load.class_pixels == NULL || load.results == NULL ||
        (shw_sampling_is_planned(params->sampling) && images->class_lists == NULL)) {
        shw_fail_memory(&params->log, "the training set");
        goto fail;
    }
    SHW_TRY(for_first(&load, pool, dataset->count, measure_one));
    if (!find_pictures(images))
        SHW_TRY(shw_fail_memory(&params->log, "the training set"));
    if (images->picture_count != shw_train_picture_count(dataset))
        SHW_TRY(shw_fail(&params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                         "the examples are parts of %u pictures, but the data set has %u", images->picture_count,
                         shw_train_picture_count(dataset)));
    for (uint32_t i = images->base_count; i < images->count; i++)
        images->images[i] = images->images[i - images->base_count];
    for (size_t i = 0; i < threads * classes; i++)
        images->class_pixels[i % classes] += copies * load.class_pixels[i];
    free(load.class_pixels);
    free(load.results);
    return SHW_OK;

fail:
    free(load.class_pixels);
    free(load.results);
    shw_train_images_free(images);
    return result;
}

enum shw_result shw_train_images_make_planes(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                             struct shw_thread_pool *pool, uint32_t count,
                                             const struct shw_train_images *before, struct shw_train_images *images)
{
    struct load load = {.params = params, .dataset = dataset, .images = images, .before = before};
    enum shw_result result;

    if (count == 0)
        return SHW_OK;
    load.results = calloc(count, sizeof *load.results);
    if (load.results == NULL)
        return shw_fail_memory(&params->log, "the training set");
    SHW_TRY(place_planes(&load, count));
    SHW_TRY(for_first(&load, pool, count, make_one));
    free(load.results);
    return SHW_OK;

fail:
    free(load.results);
    shw_train_images_drop_planes(images);
    return result;
}

enum shw_result shw_train_image_make_planes(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                            const struct shw_train_images *images, uint32_t index,
                                            struct shw_thread_pool *pool, void *planes)
{
    struct shw_train_images borrowed = *images;
    struct load load = {.params = params, .dataset = dataset, .images = &borrowed, .pool = pool};
    uint32_t of = shw_train_image_of_planes(images, index);
    bool mirrored = of >= images->base_count;

    return make_example(&load, of % images->base_count, mirrored ? NULL : planes, mirrored ? planes : NULL);
}
