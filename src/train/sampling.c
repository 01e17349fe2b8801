#include "train/sampling.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "shared/random.h"
#include "train/score.h"

uint32_t shw_draw_key(uint64_t seed, uint32_t tree, enum shw_draw draw)
{
    return shw_random(shw_random((uint32_t)seed, (uint32_t)(seed >> 32), tree), (uint32_t)draw, 0);
}

/* A keyed permutation of 0..size-1, so that drawing without replacement needs no memory: a Feistel network on the next
 * even number of bits, repeated until the result is in range. */
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

/* The images of a tree, ascending; drawing with replacement may repeat images. */
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

/* How many pixels of each class are drawn: equally many while the classes last; the remainder is distributed from the
 * lowest class on. */
static void balance(const uint32_t *class_ends, uint32_t classes, uint32_t wanted, uint32_t *quotas)
{
    uint32_t left = wanted < class_ends[classes - 1] ? wanted : class_ends[classes - 1];

    memset(quotas, 0, classes * sizeof *quotas);
    while (left > 0) {
        uint32_t able = 0, share;
        for (uint32_t c = 0; c < classes; c++)
            able += quotas[c] < class_ends[c] - (c > 0 ? class_ends[c - 1] : 0);
        share = left / able > 0 ? left / able : 1;
        for (uint32_t c = 0; c < classes && left > 0; c++) {
            uint32_t room = class_ends[c] - (c > 0 ? class_ends[c - 1] : 0) - quotas[c];
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

/* What one thread needs to draw the pixels of an image. */
struct scratch {
    uint32_t *labelled;   /* pixels that are not void: by class if sampling is balanced, otherwise ascending */
    uint32_t *pixels;     /* those drawn */
    uint32_t *class_ends; /* where each class ends in `labelled` */
    uint32_t *quotas;
};

/* Shared by the threads that draw. */
struct draw {
    const struct shw_trainer_params *params;
    const struct shw_dataset *dataset;
    const struct shw_train_images *images;
    const uint32_t *drawn;  /* images, ascending */
    const uint32_t *begins; /* the first sample of each */
    uint32_t key, mirrors;
    struct scratch *scratch;  /* one per thread */
    enum shw_result *results; /* per drawn image */
    struct shw_samples *samples;
};

static uint16_t label_at(const struct shw_labelled_image *example, bool mirrored, uint32_t pixel)
{
    uint32_t width = example->image.width;

    return example->labels[mirrored ? pixel - pixel % width + width - 1 - pixel % width : pixel];
}

/* Lists the pixels of an image, or of its mirror image, that are not void. */
static void list_labelled(const struct draw *draw, const struct shw_labelled_image *example, bool mirrored,
                          const struct scratch *scratch)
{
    uint32_t classes = draw->dataset->class_count, pixels = example->image.width * example->image.height;
    uint32_t *ends = scratch->class_ends, *next = scratch->labelled;

    if (draw->params->sampling == SHW_SAMPLING_UNIFORM) {
        for (uint32_t i = 0; i < pixels; i++)
            if (label_at(example, mirrored, i) != SHW_LABEL_VOID)
                *next++ = i;
        return;
    }
    memset(ends, 0, classes * sizeof *ends);
    for (uint32_t i = 0; i < pixels; i++)
        if (example->labels[i] != SHW_LABEL_VOID)
            ends[example->labels[i]]++;
    for (uint32_t c = 0, begin = 0; c < classes; c++) { /* first where the class begins, then where it ends */
        uint32_t size = ends[c];
        ends[c] = begin;
        begin += size;
    }
    for (uint32_t i = 0; i < pixels; i++) {
        uint16_t label = label_at(example, mirrored, i);
        if (label != SHW_LABEL_VOID)
            next[ends[label]++] = i;
    }
}

/* Draws `count` pixels into scratch->pixels, ascending. `occurrence` distinguishes repetitions of an image. */
static void draw_pixels(const struct draw *draw, uint32_t labelled_count, uint32_t count, uint32_t occurrence,
                        const struct scratch *scratch)
{
    uint32_t classes = draw->dataset->class_count, *next = scratch->pixels;
    const uint32_t *class_ends = scratch->class_ends;

    if (count == labelled_count) {
        memcpy(next, scratch->labelled, count * sizeof *next);
    } else if (draw->params->sampling == SHW_SAMPLING_UNIFORM) {
        for (uint32_t i = 0; i < count; i++)
            next[i] = scratch->labelled[permute(draw->key, occurrence, labelled_count, i)];
    } else {
        balance(class_ends, classes, count, scratch->quotas);
        for (uint32_t c = 0; c < classes; c++) {
            uint32_t begin = c > 0 ? class_ends[c - 1] : 0;
            for (uint32_t i = 0; i < scratch->quotas[c]; i++)
                *next++ = scratch->labelled[begin + permute(draw->key, occurrence, class_ends[c] - begin, i)];
        }
    }
    if (count < labelled_count || draw->params->sampling != SHW_SAMPLING_UNIFORM)
        qsort(scratch->pixels, count, sizeof *next, ascending);
}

/* Draws the samples of one image and of its mirror image. */
static void draw_image(void *user, uint32_t index, uint32_t thread)
{
    const struct draw *draw = user;
    const struct shw_train_image *image = &draw->images->images[draw->drawn[index]];
    const struct scratch *scratch = &draw->scratch[thread];
    struct shw_samples *samples = draw->samples;
    struct shw_labelled_image example;
    uint32_t count = draws_of(draw->params, image), s = draw->begins[index];

    draw->results[index] = shw_train_image_read(draw->params, draw->dataset, draw->drawn[index], &example);
    if (draw->results[index] != SHW_OK)
        return;
    for (uint32_t m = 0; m < draw->mirrors; m++) {
        list_labelled(draw, &example, m == 1, scratch);
        draw_pixels(draw, image->labelled_count, count, index * draw->mirrors + m, scratch);
        for (uint32_t i = 0; i < count; i++, s++) {
            samples->image[s] = draw->drawn[index] + m * draw->images->base_count;
            samples->x[s] = (uint16_t)(scratch->pixels[i] % image->width);
            samples->y[s] = (uint16_t)(scratch->pixels[i] / image->width);
            samples->label[s] = label_at(&example, m == 1, scratch->pixels[i]);
        }
    }
    draw->dataset->release(draw->dataset->user, &example);
}

void shw_samples_free(struct shw_samples *samples)
{
    free(samples->image);
    free(samples->x);
    free(samples->y);
    free(samples->label);
    *samples = (struct shw_samples){0};
}

bool shw_samples_allocate(struct shw_samples *samples, size_t count)
{
    samples->image = malloc(count * sizeof *samples->image);
    samples->x = malloc(count * sizeof *samples->x);
    samples->y = malloc(count * sizeof *samples->y);
    samples->label = malloc(count * sizeof *samples->label);
    return samples->image != NULL && samples->x != NULL && samples->y != NULL && samples->label != NULL;
}

static void free_scratch(struct scratch *scratch, uint32_t threads)
{
    for (uint32_t t = 0; scratch != NULL && t < threads; t++) {
        free(scratch[t].labelled);
        free(scratch[t].pixels);
        free(scratch[t].class_ends);
        free(scratch[t].quotas);
    }
    free(scratch);
}

/* Room for images of that many pixels, per thread. NULL if out of memory. */
static struct scratch *make_scratch(uint32_t threads, size_t pixels, size_t classes)
{
    struct scratch *scratch = calloc(threads, sizeof *scratch);
    bool good = scratch != NULL;

    for (uint32_t t = 0; good && t < threads; t++) {
        scratch[t] = (struct scratch){.labelled = malloc(pixels * sizeof(uint32_t)),
                                      .pixels = malloc(pixels * sizeof(uint32_t)),
                                      .class_ends = malloc(classes * sizeof(uint32_t)),
                                      .quotas = malloc(classes * sizeof(uint32_t))};
        good = scratch[t].labelled != NULL && scratch[t].pixels != NULL && scratch[t].class_ends != NULL &&
               scratch[t].quotas != NULL;
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
    uint32_t *drawn = draw_images(params, images->base_count, tree, &image_count);
    uint32_t *begins = malloc(((size_t)image_count + 1) * sizeof *begins);
    struct draw draw = {.params = params,
                        .dataset = dataset,
                        .images = images,
                        .drawn = drawn,
                        .begins = begins,
                        .key = shw_draw_key(params->seed, tree, SHW_DRAW_PIXELS),
                        .mirrors = images->count / images->base_count,
                        .results = calloc(image_count, sizeof *draw.results),
                        .samples = samples};
    enum shw_result result = SHW_ERROR_MEMORY;
    uint64_t total = 0;
    size_t most = 1;

    *samples = (struct shw_samples){0};
    if (drawn == NULL || begins == NULL || draw.results == NULL) {
        shw_fail_memory(&params->log, "samples");
        goto fail;
    }
    for (uint32_t i = 0; i < image_count; i++) {
        const struct shw_train_image *image = &images->images[drawn[i]];
        size_t pixels = (size_t)image->width * image->height;
        begins[i] = (uint32_t)total;
        total += (uint64_t)draw.mirrors * draws_of(params, image);
        most = pixels > most ? pixels : most;
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
    draw.scratch = make_scratch(threads, most, dataset->class_count);
    if (draw.scratch == NULL || !shw_samples_allocate(samples, total)) {
        shw_fail_memory(&params->log, "samples");
        goto fail;
    }
    samples->count = (uint32_t)total;
    shw_thread_pool_run(dataset->single_threaded ? NULL : pool, image_count, draw_image, &draw);
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

#define BLOCK 65536u /* of samples, that one thread processes */

static uint32_t block_count(const struct shw_samples *samples)
{
    return (samples->count + BLOCK - 1) / BLOCK;
}

static uint32_t block_end(const struct shw_samples *samples, uint32_t index)
{
    uint32_t begin = index * BLOCK, left = samples->count - begin;

    return begin + (left < BLOCK ? left : BLOCK);
}

/* Shared by the threads that move samples. */
struct move {
    const struct shw_samples *samples;
    const uint32_t *to;
    uint32_t *scratch;
    uint16_t *halves; /* what is moved; NULL: the images */
};

static void scatter_block(void *user, uint32_t index, uint32_t thread)
{
    const struct move *move = user;

    (void)thread;
    for (uint32_t s = index * BLOCK; s < block_end(move->samples, index); s++)
        if (move->halves != NULL)
            ((uint16_t *)move->scratch)[move->to[s]] = move->halves[s];
        else
            move->scratch[move->to[s]] = move->samples->image[s];
}

static void copy_back_block(void *user, uint32_t index, uint32_t thread)
{
    const struct move *move = user;
    uint32_t begin = index * BLOCK, count = block_end(move->samples, index) - begin;

    (void)thread;
    if (move->halves != NULL)
        memcpy(move->halves + begin, (const uint16_t *)move->scratch + begin, count * sizeof *move->halves);
    else
        memcpy(move->samples->image + begin, move->scratch + begin, count * sizeof *move->scratch);
}

void shw_samples_move(struct shw_samples *samples, struct shw_thread_pool *pool, const uint32_t *to, uint32_t *scratch)
{
    uint16_t *const moved[] = {NULL, samples->x, samples->y, samples->label};

    for (size_t i = 0; i < sizeof moved / sizeof *moved; i++) {
        struct move move = {samples, to, scratch, moved[i]};
        shw_thread_pool_run(pool, block_count(samples), scatter_block, &move);
        shw_thread_pool_run(pool, block_count(samples), copy_back_block, &move);
    }
}

/* Shared by the threads that count. */
struct count {
    const struct shw_samples *samples;
    uint64_t *counts; /* [thread][class] */
    uint32_t classes;
};

static void count_block(void *user, uint32_t index, uint32_t thread)
{
    const struct count *count = user;
    uint64_t *counts = count->counts + (size_t)thread * count->classes;

    for (uint32_t s = index * BLOCK; s < block_end(count->samples, index); s++)
        counts[count->samples->label[s]]++;
}

enum shw_result shw_samples_count(const struct shw_log *log, struct shw_thread_pool *pool,
                                  const struct shw_samples *samples, uint32_t classes, uint64_t *counts)
{
    size_t threads = shw_thread_pool_size(pool);
    struct count count = {samples, calloc(threads * classes, sizeof *count.counts), classes};

    if (count.counts == NULL)
        return shw_fail_memory(log, "samples");
    shw_thread_pool_run(pool, block_count(samples), count_block, &count);
    memset(counts, 0, classes * sizeof *counts);
    for (size_t i = 0; i < threads * classes; i++)
        counts[i % classes] += count.counts[i];
    free(count.counts);
    return SHW_OK;
}
