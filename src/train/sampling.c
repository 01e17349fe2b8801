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

static uint32_t draws_of(const struct shw_trainer_params *params, const struct shw_train_image *image)
{
    return params->pixels_per_image < image->labelled_count ? params->pixels_per_image : image->labelled_count;
}

/* What one thread needs to draw the pixels of an image. */
struct scratch {
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
    const uint32_t *drawn;  /* images, ascending */
    const uint32_t *begins; /* the first sample of each */
    uint32_t key, class_key, mirrors;
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
    uint32_t *ends = scratch->class_ends, *next = scratch->pixels;

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

/* Keeps `count` of the pixels listed, ascending. `occurrence` distinguishes repetitions of an image. */
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

uint64_t shw_samples_most(const struct shw_trainer_params *params, const struct shw_train_images *images)
{
    uint64_t all = 0, most = 0, drawn = ((uint64_t)images->count * params->images_percent + 99) / 100;

    for (uint32_t i = 0; i < images->count; i++) {
        uint64_t count = shw_min_u64(params->pixels_per_image, images->images[i].labelled_count);
        all += count;
        most = shw_max_u64(most, count);
    }
    drawn = (drawn + 1) * most; /* images are drawn with their mirror images */
    return params->replacement ? drawn : shw_min_u64(all, drawn);
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
        free(scratch[t].pixels);
        free(scratch[t].class_ends);
        free(scratch[t].quotas);
        free(scratch[t].able);
    }
    free(scratch);
}

/* Room for images of that many pixels, per thread. NULL if out of memory. */
static struct scratch *make_scratch(uint32_t threads, size_t pixels, size_t classes)
{
    struct scratch *scratch = calloc(threads, sizeof *scratch);
    bool good = scratch != NULL;

    for (uint32_t t = 0; good && t < threads; t++) {
        scratch[t] = (struct scratch){.pixels = malloc(pixels * sizeof(uint32_t)),
                                      .class_ends = malloc(classes * sizeof(uint32_t)),
                                      .quotas = malloc(classes * sizeof(uint32_t)),
                                      .able = malloc(classes * sizeof(uint32_t))};
        good = scratch[t].pixels != NULL && scratch[t].class_ends != NULL && scratch[t].quotas != NULL &&
               scratch[t].able != NULL;
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
                        .class_key = shw_draw_key(params->seed, tree, SHW_DRAW_CLASSES),
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
