#include "train/sampling.h"

#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "shared/random.h"
#include "train/score.h"

uint32_t shw_draw_key(uint64_t seed, uint32_t tree, enum shw_draw draw)
{
    return shw_random(shw_random((uint32_t)seed, (uint32_t)(seed >> 32), tree), (uint32_t)draw, 0);
}

/* Moves `count` of `size` entries to the front, every choice of them equally likely: a partial Fisher-Yates shuffle, in
 * which entry i is exchanged with one of those from i on. Its draw has the counter (first + i, stream). */
static void shuffle(uint32_t key, uint32_t stream, uint32_t first, uint32_t *list, uint32_t size, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = i + shw_random_below(shw_random(key, first + i, stream), size - i), chosen = list[other];
        list[other] = list[i];
        list[i] = chosen;
    }
}

static int ascending(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return left < right ? -1 : left > right;
}

/* The images of a tree, ascending; drawing with replacement may repeat images. */
static uint32_t *draw_images(const struct shw_trainer_params *params, uint32_t total, uint32_t tree, uint32_t *count)
{
    uint32_t key = shw_draw_key(params->seed, tree, SHW_DRAW_IMAGES);
    uint32_t *drawn = malloc(total * sizeof *drawn);

    *count = (uint32_t)(((uint64_t)total * params->images_percent + 99) / 100);
    if (drawn == NULL)
        return NULL;
    for (uint32_t i = 0; i < total; i++)
        drawn[i] = params->replacement ? shw_random_below(shw_random(key, i, 0), total) : i;
    if (!params->replacement && *count < total)
        shuffle(key, 0, 0, drawn, total, *count);
    qsort(drawn, *count, sizeof *drawn, ascending);
    return drawn;
}

/* The classes of an image whose pixels are drawn. */
struct shares {
    const uint32_t *ends; /* where the pixels of each class end */
    uint32_t *quotas;     /* how many are drawn of each */
    uint32_t *able;       /* classes of which more could be drawn */
    uint32_t classes;
};

static uint32_t size_of(const struct shares *shares, uint32_t class)
{
    return shares->ends[class] - (class > 0 ? shares->ends[class - 1] : 0);
}

static uint32_t list_able(const struct shares *shares)
{
    uint32_t count = 0;

    for (uint32_t c = 0; c < shares->classes; c++)
        if (shares->quotas[c] < size_of(shares, c))
            shares->able[count++] = c;
    return count;
}

/* How many pixels of each class are drawn, `wanted` in all, which there are: equally many while the classes last. What
 * cannot be shared equally goes to classes that are drawn, one pixel each. */
static void share(const struct shares *shares, uint32_t wanted, uint32_t key, uint32_t stream)
{
    uint32_t left = wanted, count;

    memset(shares->quotas, 0, shares->classes * sizeof *shares->quotas);
    for (count = list_able(shares); left >= count && count > 0; count = list_able(shares)) {
        uint32_t each = left / count;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t class = shares->able[i], room = size_of(shares, class) - shares->quotas[class];
            shares->quotas[class] += room < each ? room : each;
            left -= room < each ? room : each;
        }
    }
    shuffle(key, stream, 0, shares->able, count, left);
    for (uint32_t i = 0; i < left; i++)
        shares->quotas[shares->able[i]]++;
}

static uint32_t draws_of(const struct shw_trainer_params *params, const struct shw_train_picture *picture)
{
    return params->pixels_per_image < picture->labelled_count ? params->pixels_per_image : picture->labelled_count;
}

static bool is_whole(const struct shw_train_picture *picture)
{
    return picture->end == picture->first + 1;
}

/* A labelled pixel of a picture in parts. */
struct spot {
    uint32_t pixel; /* of the picture */
    uint32_t image; /* the part */
    uint16_t x, y;  /* in the part */
    uint16_t label;
};

/* Where pixels are drawn from: an image or its mirror image, or the spots of a picture in parts, in their order. */
struct pixels {
    const struct shw_labelled_image *example; /* NULL: spots */
    bool mirrored;
    const struct spot *spots;
    uint32_t count;
};

/* What one thread needs to draw the pixels of a picture. */
struct scratch {
    struct spot *spots;
    uint32_t *pixels;     /* those that are not void, by class if sampling is balanced, otherwise ascending; then those
                             drawn */
    uint32_t *class_ends; /* where each class ends in `pixels` */
    uint32_t *quotas, *able;
};

/* Shared by the threads that draw. */
struct draw {
    const struct shw_trainer_params *params;
    const struct shw_dataset *dataset;
    const struct shw_train_images *images;
    const uint32_t *drawn;  /* pictures, ascending */
    const uint32_t *begins; /* the first sample of each */
    uint32_t key, class_key, mirrors;
    struct scratch *scratch;  /* one per thread */
    enum shw_result *results; /* per drawn picture */
    struct shw_samples *samples;
};

static uint16_t label_of(const struct pixels *pixels, uint32_t pixel)
{
    uint32_t width;

    if (pixels->example == NULL)
        return pixels->spots[pixel].label;
    width = pixels->example->image.width;
    return pixels->example->labels[pixels->mirrored ? pixel - pixel % width + width - 1 - pixel % width : pixel];
}

/* Lists the pixels that are not void. */
static void list_labelled(const struct draw *draw, const struct pixels *pixels, const struct scratch *scratch)
{
    uint32_t classes = draw->dataset->class_count, *ends = scratch->class_ends, *next = scratch->pixels;

    if (draw->params->sampling == SHW_SAMPLING_UNIFORM) {
        for (uint32_t i = 0; i < pixels->count; i++)
            if (label_of(pixels, i) != SHW_LABEL_VOID)
                *next++ = i;
        return;
    }
    memset(ends, 0, classes * sizeof *ends);
    for (uint32_t i = 0; i < pixels->count; i++) {
        uint16_t label = label_of(pixels, i);
        if (label != SHW_LABEL_VOID)
            ends[label]++;
    }
    for (uint32_t c = 0, begin = 0; c < classes; c++) { /* first where the class begins, then where it ends */
        uint32_t size = ends[c];
        ends[c] = begin;
        begin += size;
    }
    for (uint32_t i = 0; i < pixels->count; i++) {
        uint16_t label = label_of(pixels, i);
        if (label != SHW_LABEL_VOID)
            next[ends[label]++] = i;
    }
}

/* Keeps `count` of the pixels listed, ascending. `occurrence` distinguishes repetitions of a picture. */
static void draw_pixels(const struct draw *draw, uint32_t labelled_count, uint32_t count, uint32_t occurrence,
                        const struct scratch *scratch)
{
    const struct shares shares = {scratch->class_ends, scratch->quotas, scratch->able, draw->dataset->class_count};
    uint32_t *pixels = scratch->pixels, kept = 0;

    if (draw->params->sampling == SHW_SAMPLING_UNIFORM) {
        if (count < labelled_count)
            shuffle(draw->key, occurrence, 0, pixels, labelled_count, count);
    } else if (count < labelled_count) {
        share(&shares, count, draw->class_key, occurrence);
        for (uint32_t c = 0; c < shares.classes; c++) {
            uint32_t first = shares.ends[c] - size_of(&shares, c);
            shuffle(draw->key, occurrence, first, pixels + first, size_of(&shares, c), shares.quotas[c]);
            memmove(pixels + kept, pixels + first, shares.quotas[c] * sizeof *pixels);
            kept += shares.quotas[c];
        }
    }
    if (count < labelled_count || draw->params->sampling != SHW_SAMPLING_UNIFORM)
        qsort(pixels, count, sizeof *pixels, ascending);
}

/* Draws the samples of a picture, or of its mirror image. */
static void draw_from(const struct draw *draw, uint32_t index, const struct pixels *pixels,
                      const struct scratch *scratch)
{
    const struct shw_train_picture *picture = &draw->images->pictures[draw->drawn[index]];
    uint32_t count = draws_of(draw->params, picture), first = draw->begins[index] + (pixels->mirrored ? count : 0);
    uint32_t mirrored = pixels->mirrored ? draw->images->base_count : 0;
    struct shw_samples *samples = draw->samples;

    list_labelled(draw, pixels, scratch);
    draw_pixels(draw, picture->labelled_count, count, index * draw->mirrors + pixels->mirrored, scratch);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t s = first + i, pixel = scratch->pixels[i];
        uint32_t width = pixels->example != NULL ? pixels->example->image.width : 1;
        struct spot spot =
            pixels->example != NULL
                ? (struct spot){.image = picture->first, .x = (uint16_t)(pixel % width), .y = (uint16_t)(pixel / width)}
                : pixels->spots[pixel];
        samples->image[s] = spot.image + mirrored;
        samples->x[s] = spot.x;
        samples->y[s] = spot.y;
        samples->label[s] = label_of(pixels, pixel);
    }
}

static enum shw_result draw_whole(const struct draw *draw, uint32_t index, const struct shw_train_picture *picture,
                                  const struct scratch *scratch)
{
    struct shw_labelled_image example;

    SHW_PROPAGATE(shw_train_image_read(draw->params, draw->dataset, picture->first, &example));
    for (uint32_t m = 0; m < draw->mirrors; m++) {
        struct pixels pixels = {&example, m == 1, NULL, example.image.width * example.image.height};

        draw_from(draw, index, &pixels, scratch);
    }
    draw->dataset->release(draw->dataset->user, &example);
    return SHW_OK;
}

static int by_pixel(const void *a, const void *b)
{
    const struct spot *left = a, *right = b;

    return left->pixel < right->pixel ? -1 : left->pixel > right->pixel;
}

/* Lists the labelled pixels of a part, after the `count` of the parts before it. */
static enum shw_result add_spots(const struct draw *draw, uint32_t image, uint32_t most, const struct scratch *scratch,
                                 uint32_t *count)
{
    const struct shw_train_image *known = &draw->images->images[image];
    struct shw_labelled_image example;

    SHW_PROPAGATE(shw_train_image_read(draw->params, draw->dataset, image, &example));
    for (uint32_t i = 0; i < example.image.width * example.image.height && *count <= most; i++) {
        uint32_t x = i % example.image.width, y = i / example.image.width;

        if (example.labels[i] == SHW_LABEL_VOID)
            continue;
        if (*count < most)
            scratch->spots[*count] =
                (struct spot){(known->region.y + y) * known->region.full_width + known->region.x + x, image,
                              (uint16_t)x, (uint16_t)y, example.labels[i]};
        ++*count;
    }
    draw->dataset->release(draw->dataset->user, &example);
    return SHW_OK;
}

static void mirror_spots(const struct draw *draw, uint32_t count, struct spot *spots)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct shw_train_image *image = &draw->images->images[spots[i].image];
        uint32_t width = image->region.full_width, x = spots[i].pixel % width;

        spots[i].pixel += width - 1 - 2 * x;
        spots[i].x = (uint16_t)(image->width - 1 - spots[i].x);
    }
    qsort(spots, count, sizeof *spots, by_pixel);
}

static enum shw_result draw_parts(const struct draw *draw, uint32_t index, const struct shw_train_picture *picture,
                                  const struct scratch *scratch)
{
    uint32_t count = 0;
    bool fine;

    for (uint32_t i = picture->first; i < picture->end; i++)
        SHW_PROPAGATE(add_spots(draw, i, picture->labelled_count, scratch, &count));
    fine = count == picture->labelled_count;
    if (fine)
        qsort(scratch->spots, count, sizeof *scratch->spots, by_pixel);
    for (uint32_t i = 1; i < count && fine; i++)
        fine = scratch->spots[i].pixel != scratch->spots[i - 1].pixel;
    if (!fine)
        return shw_fail(&draw->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "parts of picture %u changed while they were read, or label a pixel twice", draw->drawn[index]);
    for (uint32_t m = 0; m < draw->mirrors; m++) {
        struct pixels pixels = {NULL, m == 1, scratch->spots, count};

        if (m == 1)
            mirror_spots(draw, count, scratch->spots);
        draw_from(draw, index, &pixels, scratch);
    }
    return SHW_OK;
}

static void draw_picture(void *user, uint32_t index, uint32_t thread)
{
    const struct draw *draw = user;
    const struct shw_train_picture *picture = &draw->images->pictures[draw->drawn[index]];

    draw->results[index] = (is_whole(picture) ? draw_whole : draw_parts)(draw, index, picture, &draw->scratch[thread]);
}

uint64_t shw_samples_most(const struct shw_trainer_params *params, const struct shw_train_images *images)
{
    uint64_t all = 0, most = 0, copies = images->count / images->base_count;
    uint64_t drawn = (copies * images->picture_count * params->images_percent + 99) / 100;

    for (uint32_t i = 0; i < images->picture_count; i++) {
        uint64_t count = draws_of(params, &images->pictures[i]);
        all += copies * count;
        most = shw_max_u64(most, count);
    }
    drawn = (drawn + 1) * most; /* images are drawn with their mirror images */
    return params->replacement ? drawn : shw_min_u64(all, drawn);
}

static void free_scratch(struct scratch *scratch, uint32_t threads)
{
    for (uint32_t t = 0; scratch != NULL && t < threads; t++) {
        free(scratch[t].spots);
        free(scratch[t].pixels);
        free(scratch[t].class_ends);
        free(scratch[t].quotas);
        free(scratch[t].able);
    }
    free(scratch);
}

/* Room for pictures of that many pixels and spots, per thread. NULL if out of memory. */
static struct scratch *make_scratch(uint32_t threads, size_t pixels, size_t spots, size_t classes)
{
    struct scratch *scratch = calloc(threads, sizeof *scratch);
    bool good = scratch != NULL;

    for (uint32_t t = 0; good && t < threads; t++) {
        scratch[t] = (struct scratch){.spots = malloc((spots + 1) * sizeof(struct spot)),
                                      .pixels = malloc(pixels * sizeof(uint32_t)),
                                      .class_ends = malloc(classes * sizeof(uint32_t)),
                                      .quotas = malloc(classes * sizeof(uint32_t)),
                                      .able = malloc(classes * sizeof(uint32_t))};
        good = scratch[t].spots != NULL && scratch[t].pixels != NULL && scratch[t].class_ends != NULL &&
               scratch[t].quotas != NULL && scratch[t].able != NULL;
    }
    if (good)
        return scratch;
    free_scratch(scratch, threads);
    return NULL;
}

enum shw_result shw_samples_draw(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                 struct shw_thread_pool *pool, const struct shw_train_images *images, uint32_t tree,
                                 struct shw_samples *samples)
{
    uint32_t image_count, threads = shw_thread_pool_size(pool);
    uint32_t *drawn = draw_images(params, images->picture_count, tree, &image_count);
    uint32_t *begins = malloc(((size_t)image_count + 1) * sizeof *begins);
    struct draw draw = {.params = params,
                        .dataset = dataset,
                        .images = images,
                        .drawn = drawn,
                        .begins = begins,
                        .key = shw_draw_key(params->seed, tree, SHW_DRAW_PIXELS),
                        .class_key = shw_draw_key(params->seed, tree, SHW_DRAW_CLASSES),
                        .mirrors = images->count / images->base_count,
                        .results = calloc(image_count, sizeof *draw.results),
                        .samples = samples};
    enum shw_result result = SHW_ERROR_MEMORY;
    uint64_t total = 0;
    size_t most = 1, spots = 0;

    *samples = (struct shw_samples){0};
    if (drawn == NULL || begins == NULL || draw.results == NULL) {
        shw_fail_memory(&params->log, "samples");
        goto fail;
    }
    for (uint32_t i = 0; i < image_count; i++) {
        const struct shw_train_picture *picture = &images->pictures[drawn[i]];
        const struct shw_train_image *image = &images->images[picture->first];
        size_t pixels = is_whole(picture) ? (size_t)image->width * image->height : picture->labelled_count;
        begins[i] = (uint32_t)total;
        total += (uint64_t)draw.mirrors * draws_of(params, picture);
        most = pixels > most ? pixels : most;
        spots = !is_whole(picture) && pixels > spots ? pixels : spots;
        if (total >= SHW_MASS_MAX) {
            result =
                shw_fail(&params->log, SHW_ERROR_LIMIT, SHW_LOG_TRAIN_PARAMETER,
                         "a tree of more than %llu samples is too large: draw fewer pixels per image, or fewer images",
                         (unsigned long long)SHW_MASS_MAX);
            goto fail;
        }
    }
    if (total == 0) {
        result = shw_fail(&params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                          "the images of tree %u have no labelled pixel", tree);
        goto fail;
    }
    draw.scratch = make_scratch(threads, most, spots, dataset->class_count);
    if (draw.scratch == NULL || !shw_samples_allocate(samples, total)) {
        shw_fail_memory(&params->log, "samples");
        goto fail;
    }
    samples->count = (uint32_t)total;
    shw_thread_pool_run(dataset->single_threaded ? NULL : pool, image_count, draw_picture, &draw);
    for (uint32_t i = 0; i < image_count; i++)
        if (draw.results[i] != SHW_OK) {
            result = draw.results[i];
            goto fail;
        }
    result = SHW_OK;

fail:
    free(drawn);
    free(begins);
    free(draw.results);
    free_scratch(draw.scratch, threads);
    if (result != SHW_OK)
        shw_samples_free(samples);
    return result;
}
