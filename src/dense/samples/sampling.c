#include "dense/samples/sampling.h"

#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "dense/samples/images.h"
#include "dense/split/score.h"
#include "dense/split/traits.h"
#include "shared/random.h"

/* The samples of a tree: making room for them, moving, counting and drawing them. */

void shw_samples_free(struct shw_samples *samples)
{
    free(samples->image);
    free(samples->x);
    free(samples->y);
    free(samples->label);
    *samples = (struct shw_samples){0};
}

/* Makes room for `count` samples, in the memory that is there if it is enough. False if out of memory; the caller must
 * still free *samples. */
static bool samples_allocate(struct shw_samples *samples, uint32_t count)
{
    if (samples->image != NULL && count <= samples->capacity) {
        samples->count = count;
        return true;
    }
    shw_samples_free(samples);
    *samples = (struct shw_samples){.count = count,
                                    .capacity = count,
                                    .image = malloc(count * sizeof *samples->image),
                                    .x = malloc(count * sizeof *samples->x),
                                    .y = malloc(count * sizeof *samples->y),
                                    .label = malloc(count * sizeof *samples->label)};
    return samples->image != NULL && samples->x != NULL && samples->y != NULL && samples->label != NULL;
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
    const uint16_t *labels = count->samples->label;

    for (uint32_t s = index * BLOCK, next, end = block_end(count->samples, index); s < end; s = next) {
        next = shw_label_end(labels, s, end); /* samples are in the order of pixels, whose neighbours are alike */
        counts[labels[s]] += next - s;
    }
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

/* Drawing. */

static int ascending(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return left < right ? -1 : left > right;
}

uint32_t *shw_draw_pictures(const struct shw_trainer_params *params, uint32_t total, uint32_t tree, uint32_t *count)
{
    uint32_t key = shw_draw_key(params->seed, tree, SHW_DRAW_IMAGES);
    uint32_t *drawn = malloc(2 * (size_t)total * sizeof *drawn), *seen, seen_count = 0;

    *count = 0;
    if (drawn == NULL)
        return NULL;
    seen = drawn + total;
    for (uint32_t i = 0; i < total; i++)
        if (params->folds == 0 || shw_fold_of(i, params->fold_run, params->folds) != tree % params->folds)
            seen[seen_count++] = i;
    *count = (uint32_t)(((uint64_t)seen_count * params->images_percent + 99) / 100);
    for (uint32_t i = 0; i < seen_count; i++)
        drawn[i] = seen[params->replacement ? shw_random_below(shw_random(key, i, 0), seen_count) : i];
    if (!params->replacement && *count < seen_count)
        shw_draw_choice(key, 0, 0, drawn, seen_count, *count);
    qsort(drawn, *count, sizeof *drawn, ascending);
    return drawn;
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
    uint32_t *pixels;      /* those that are not void, as the sampling lists them; then those drawn */
    uint64_t *class_sizes; /* how many there are of each class */
    uint32_t *quotas, *able;
};

/* Shared by the threads that draw. */
struct draw {
    const struct shw_trainer_params *params;
    const struct shw_dataset *dataset;
    const struct shw_train_images *images; /* all */
    struct shw_image_part part;            /* those of the data set; others are not drawn from */
    const uint32_t *drawn;                 /* pictures, ascending */
    uint32_t *begins; /* [place]: its first pixel; then their number. A picture and its mirror image have places of
                         their own, one after the other, but one place if samples are paired */
    struct shw_class_plan plan; /* if the sampling is planned */
    uint32_t key, class_key, mirrors;
    uint32_t drawn_first, drawn_count; /* pictures of the part, in `drawn` */
    uint32_t twins;                    /* samples per pixel drawn */
    struct scratch *scratch;           /* one per thread */
    enum shw_result *results;          /* per drawn picture */
    struct shw_samples *samples;
};

struct shw_drawing {
    struct draw draw;
    struct shw_thread_pool *pool; /* NULL: one thread reads the data set */
    struct shw_samples samples;
    uint32_t *pictures, threads;
    uint32_t first, done; /* pictures: the first one of the step in progress; how many have been drawn from */
};

static uint16_t label_of(const struct pixels *pixels, uint32_t pixel)
{
    uint32_t width;

    if (pixels->example == NULL)
        return pixels->spots[pixel].label;
    width = pixels->example->image.width;
    return pixels->example->labels[pixels->mirrored ? pixel - pixel % width + width - 1 - pixel % width : pixel];
}

/* List the pixels that are not void: in their order, or class by class. */
static void list_in_order(const struct draw *draw, const struct pixels *pixels, const struct scratch *scratch)
{
    const uint16_t *labels = pixels->example != NULL ? pixels->example->labels : NULL;
    uint32_t *next = scratch->pixels;

    (void)draw;
    if (labels != NULL && !pixels->mirrored) {
        for (uint32_t i = 0; (i = shw_next_labelled(labels, i, pixels->count)) < pixels->count;)
            for (uint32_t end = shw_label_end(labels, i, pixels->count); i < end; i++)
                *next++ = i;
        return;
    }
    for (uint32_t begin = 0; labels != NULL && begin < pixels->count; begin += pixels->example->image.width)
        for (uint32_t x = 0, last = pixels->example->image.width - 1; x <= last; x++)
            if (labels[begin + last - x] != SHW_LABEL_VOID)
                *next++ = begin + x;
    for (uint32_t i = 0; labels == NULL && i < pixels->count; i++)
        if (pixels->spots[i].label != SHW_LABEL_VOID)
            *next++ = i;
}

static void list_by_class(const struct draw *draw, const struct pixels *pixels, const struct scratch *scratch)
{
    uint32_t classes = draw->dataset->class_count, *next = scratch->able, begin = 0;
    uint64_t *sizes = scratch->class_sizes;

    memset(sizes, 0, classes * sizeof *sizes);
    for (uint32_t i = 0; i < pixels->count; i++) {
        uint16_t label = label_of(pixels, i);
        if (label != SHW_LABEL_VOID)
            sizes[label]++;
    }
    for (uint32_t c = 0; c < classes; c++) {
        next[c] = begin;
        begin += (uint32_t)sizes[c];
    }
    for (uint32_t i = 0; i < pixels->count; i++) {
        uint16_t label = label_of(pixels, i);
        if (label != SHW_LABEL_VOID)
            scratch->pixels[next[label]++] = i;
    }
}

/* Fill in how many of the pixels listed are drawn of each class, `count` in all. */
static void balance(const struct draw *draw, uint32_t count, uint32_t place, const struct scratch *scratch)
{
    const struct shw_class_shares shares = {scratch->class_sizes, scratch->quotas, scratch->able,
                                            draw->dataset->class_count};

    shw_class_share(&shares, count, draw->class_key, place);
}

static void take_planned(const struct draw *draw, uint32_t count, uint32_t place, const struct scratch *scratch)
{
    (void)count;
    memset(scratch->quotas, 0, draw->dataset->class_count * sizeof *scratch->quotas);
    for (size_t e = place > 0 ? draw->plan.ends[place - 1] : 0; e < draw->plan.ends[place]; e++)
        scratch->quotas[draw->plan.entries[e].class] = draw->plan.entries[e].count;
}

static const struct sampling {
    void (*list)(const struct draw *draw, const struct pixels *pixels, const struct scratch *scratch);
    void (*set_quotas)(const struct draw *draw, uint32_t count, uint32_t place, const struct scratch *scratch);
} samplings[] = {
#define SAMPLING(value, name, help, list, quotas, planned) [value] = {list, quotas},
    SHW_SAMPLINGS(SAMPLING)};

/* Keeps `count` of the pixels listed, ascending. */
static void draw_pixels(const struct draw *draw, uint32_t labelled_count, uint32_t count, uint32_t place,
                        const struct scratch *scratch)
{
    const struct sampling *sampling = &samplings[draw->params->sampling];
    uint32_t *pixels = scratch->pixels, kept = 0, first = 0;

    if (sampling->set_quotas == NULL) {
        if (count < labelled_count)
            shw_draw_choice(draw->key, place, 0, pixels, labelled_count, count);
    } else if (count < labelled_count) {
        sampling->set_quotas(draw, count, place, scratch);
        for (uint32_t c = 0; c < draw->dataset->class_count; c++) {
            uint32_t size = (uint32_t)scratch->class_sizes[c], quota = scratch->quotas[c];
            shw_draw_choice(draw->key, place, first, pixels + first, size, quota);
            memmove(pixels + kept, pixels + first, quota * sizeof *pixels);
            first += size;
            kept += quota;
        }
    }
    if (count < labelled_count || sampling->set_quotas != NULL)
        qsort(pixels, count, sizeof *pixels, ascending);
}

static uint32_t row_of(const struct draw *draw, uint32_t sample)
{
    return draw->images->images[draw->part.first + draw->samples->image[sample]].region.y + draw->samples->y[sample];
}

/* Adds the twins of a picture's samples, in the order of the pixels of the mirror image. */
static void add_twins(const struct draw *draw, uint32_t first, uint32_t count)
{
    struct shw_samples *samples = draw->samples;
    uint32_t end, to = first + count;

    for (uint32_t row = first; row < first + count; row = end) {
        for (end = row; end < first + count && row_of(draw, end) == row_of(draw, row);)
            end++;
        for (uint32_t s = end; s-- > row; to++) {
            samples->image[to] = samples->image[s] + draw->part.count;
            samples->x[to] =
                (uint16_t)(draw->images->images[draw->part.first + samples->image[s]].width - 1 - samples->x[s]);
            samples->y[to] = samples->y[s];
            samples->label[to] = samples->label[s];
        }
    }
}

/* Makes samples of pixels of an image, which ascend. */
static void take_pixels(const struct pixels *pixels, const uint32_t *list, uint32_t count, uint32_t first,
                        struct shw_samples *samples)
{
    uint32_t width = pixels->example->image.width, begin = 0, y = 0;

    for (uint32_t i = 0; i < count; i++) {
        for (; list[i] - begin >= width; begin += width)
            y++;
        samples->x[first + i] = (uint16_t)(list[i] - begin);
        samples->y[first + i] = (uint16_t)y;
        samples->label[first + i] =
            pixels->example->labels[pixels->mirrored ? begin + (begin + width - 1 - list[i]) : list[i]];
    }
}

/* The same of all pixels that are not void, without a list. */
static void take_all(const struct pixels *pixels, uint32_t first, struct shw_samples *samples)
{
    const uint32_t width = pixels->example->image.width, height = pixels->example->image.height;
    const uint16_t *row = pixels->example->labels;
    uint32_t at = first;

    for (uint32_t y = 0; y < height; y++, row += width) {
        for (uint32_t x = 0; pixels->mirrored && x < width; x++)
            if (row[width - 1 - x] != SHW_LABEL_VOID) {
                samples->x[at] = (uint16_t)x;
                samples->label[at++] = row[width - 1 - x];
            }
        for (uint32_t x = 0; !pixels->mirrored && (x = shw_next_labelled(row, x, width)) < width;)
            for (uint32_t begin = x, end = shw_label_end(row, x, width); x < end; x++, at++) {
                samples->x[at] = (uint16_t)x;
                samples->label[at] = row[begin];
            }
        for (; first < at; first++)
            samples->y[first] = (uint16_t)y;
    }
}

/* Whether as many pixels are not void as when the picture was measured. */
static bool is_as_measured(const struct shw_labelled_image *example, const struct shw_train_image *image,
                           const struct shw_train_picture *picture)
{
    const uint32_t pixels = example->image.width * example->image.height;
    uint32_t count = 0;

    if (example->image.width != image->width || example->image.height != image->height)
        return false;
    for (uint32_t i = 0, end; (i = shw_next_labelled(example->labels, i, pixels)) < pixels; i = end) {
        end = shw_label_end(example->labels, i, pixels);
        count += end - i;
    }
    return count == picture->labelled_count;
}

static void take_spots(const struct pixels *pixels, const uint32_t *list, uint32_t count, uint32_t first,
                       struct shw_samples *samples)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct spot *spot = &pixels->spots[list[i]];

        samples->x[first + i] = spot->x;
        samples->y[first + i] = spot->y;
        samples->label[first + i] = spot->label;
    }
}

/* Draws the samples of a picture, or of its mirror image. */
static void draw_from(const struct draw *draw, uint32_t index, const struct pixels *pixels,
                      const struct scratch *scratch)
{
    const struct shw_train_picture *picture = &draw->images->pictures[draw->drawn[index]];
    uint32_t place = index * draw->mirrors + pixels->mirrored;
    uint32_t count = draw->begins[place + 1] - draw->begins[place];
    uint32_t first = draw->twins * (draw->begins[place] - draw->begins[draw->drawn_first * draw->mirrors]);
    uint32_t mirrored = pixels->mirrored ? draw->part.count : 0;
    const bool is_all = count == picture->labelled_count && pixels->example != NULL;
    struct shw_samples *samples = draw->samples;

    if (!is_all) {
        samplings[draw->params->sampling].list(draw, pixels, scratch);
        draw_pixels(draw, picture->labelled_count, count, place, scratch);
    }
    for (uint32_t i = 0; i < count; i++)
        samples->image[first + i] =
            (pixels->example != NULL ? picture->first : pixels->spots[scratch->pixels[i]].image) - draw->part.first +
            mirrored;
    if (is_all)
        take_all(pixels, first, samples);
    else if (pixels->example != NULL)
        take_pixels(pixels, scratch->pixels, count, first, samples);
    else
        take_spots(pixels, scratch->pixels, count, first, samples);
    if (draw->twins == 2)
        add_twins(draw, first, count);
}

static enum shw_result draw_whole(const struct draw *draw, uint32_t index, const struct shw_train_picture *picture,
                                  const struct scratch *scratch)
{
    struct shw_labelled_image example;
    enum shw_result result = SHW_OK;

    SHW_PROPAGATE(shw_train_image_read(draw->params, draw->dataset, picture->first - draw->part.first, &example));
    if (!is_as_measured(&example, &draw->images->images[picture->first], picture))
        result = shw_fail(&draw->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s changed while it was read",
                          example.name);
    for (uint32_t m = 0; m < draw->mirrors && result == SHW_OK; m++) {
        struct pixels pixels = {&example, m == 1, NULL, example.image.width * example.image.height};

        draw_from(draw, index, &pixels, scratch);
    }
    draw->dataset->release(draw->dataset->user, &example);
    return result;
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
    uint32_t pixels;

    SHW_PROPAGATE(shw_train_image_read(draw->params, draw->dataset, image - draw->part.first, &example));
    pixels = example.image.width * example.image.height;
    for (uint32_t i = 0; (i = shw_next_labelled(example.labels, i, pixels)) < pixels && *count <= most; i++) {
        uint32_t x = i % example.image.width, y = i / example.image.width;

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
    const struct shw_drawing *drawing = user;
    const struct draw *draw = &drawing->draw;
    const struct shw_train_picture *picture;

    index += drawing->first;
    picture = &draw->images->pictures[draw->drawn[index]];
    draw->results[index] = (is_whole(picture) ? draw_whole : draw_parts)(draw, index, picture, &draw->scratch[thread]);
}

/* The first of the pictures drawn that does not precede image `image`. */
static uint32_t find_drawn(const struct draw *draw, uint32_t count, uint32_t image)
{
    uint32_t index = 0;

    while (index < count && draw->images->pictures[draw->drawn[index]].first < image)
        index++;
    return index;
}

bool shw_samples_repeat(const struct shw_trainer_params *params)
{
    const bool of_all_pictures = params->folds == 0 && params->images_percent == 100 && !params->replacement;

    return params->same_samples || (of_all_pictures && params->pixels_per_image == SHW_PIXELS_ALL &&
                                    !shw_sampling_is_planned(params->sampling));
}

uint64_t shw_samples_most(const struct shw_trainer_params *params, const struct shw_train_images *images,
                          struct shw_image_part part)
{
    uint64_t all = 0, most = 0, labelled = 0, copies = images->count / images->base_count;
    uint64_t drawn = (copies * images->picture_count * params->images_percent + 99) / 100;
    /* Where the numbers depend on all images, those of the part may have most of the samples. */
    const bool anywhere = shw_sampling_is_planned(params->sampling);

    for (uint32_t i = 0; i < images->picture_count; i++) {
        const struct shw_train_picture *picture = &images->pictures[i];
        const bool within = picture->first >= part.first && picture->first - part.first < part.count;
        uint64_t count = draws_of(params, picture);

        labelled += within ? copies * picture->labelled_count : 0;
        if (!within && !anywhere)
            continue;
        all += copies * count;
        most = shw_max_u64(most, count);
    }
    drawn = (drawn + 1) * most; /* images are drawn with their mirror images */
    return params->replacement ? drawn : shw_min_u64(shw_min_u64(all, drawn), labelled);
}

static void free_scratch(struct scratch *scratch, uint32_t threads)
{
    for (uint32_t t = 0; scratch != NULL && t < threads; t++) {
        free(scratch[t].spots);
        free(scratch[t].pixels);
        free(scratch[t].class_sizes);
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
                                      .class_sizes = malloc(classes * sizeof(uint64_t)),
                                      .quotas = malloc(classes * sizeof(uint32_t)),
                                      .able = malloc(classes * sizeof(uint32_t))};
        good = scratch[t].spots != NULL && scratch[t].pixels != NULL && scratch[t].class_sizes != NULL &&
               scratch[t].quotas != NULL && scratch[t].able != NULL;
    }
    if (good)
        return scratch;
    free_scratch(scratch, threads);
    return NULL;
}

/* Decides how many samples each place gives, and computes their total. Errors: LIMIT, FORMAT, MEMORY. */
static enum shw_result count_samples(struct draw *draw, uint32_t picture_count, uint32_t tree, uint32_t drawn_of)
{
    const struct shw_trainer_params *params = draw->params;
    const struct shw_class_task task = {
        params, draw->images, draw->drawn, picture_count, draw->dataset->class_count, draw->mirrors, drawn_of};
    uint32_t places = picture_count * draw->mirrors;
    uint64_t total = 0;

    for (uint32_t p = 0; p < places; p++) {
        draw->begins[p] = (uint32_t)total;
        total += draws_of(params, &draw->images->pictures[draw->drawn[p / draw->mirrors]]);
        if (draw->twins * total >= SHW_MASS_MAX)
            return shw_fail(
                &params->log, SHW_ERROR_LIMIT, SHW_LOG_TRAIN_PARAMETER,
                "a tree of more than %llu samples is too large: draw fewer pixels per image, or fewer images",
                (unsigned long long)SHW_MASS_MAX);
    }
    draw->begins[places] = (uint32_t)total;
    if (total == 0)
        return shw_fail(&params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "the images of tree %u have no labelled pixel%s", tree,
                        params->feature->reads_depth ? " with depth" : "");
    if (!shw_sampling_is_planned(params->sampling))
        return SHW_OK;
    if (!shw_class_plan_make(&task, (uint32_t)total, &draw->plan))
        return shw_fail_memory(&params->log, "samples");
    total = 0;
    for (uint32_t p = 0; p < places; p++) {
        draw->begins[p] = (uint32_t)total;
        for (size_t e = p > 0 ? draw->plan.ends[p - 1] : 0; e < draw->plan.ends[p]; e++)
            total += draw->plan.entries[e].count;
    }
    return SHW_OK;
}

/* Room for the pixels and spots of the largest picture, per thread. */
static struct scratch *make_largest_scratch(const struct draw *draw, uint32_t threads)
{
    size_t most = 1, spots = 0;

    for (uint32_t i = 0; i < draw->drawn_count; i++) {
        const struct shw_train_picture *picture = &draw->images->pictures[draw->drawn[draw->drawn_first + i]];
        const struct shw_train_image *image = &draw->images->images[picture->first];
        size_t pixels = is_whole(picture) ? (size_t)image->width * image->height : picture->labelled_count;
        most = pixels > most ? pixels : most;
        spots = !is_whole(picture) && pixels > spots ? pixels : spots;
    }
    return make_scratch(threads, most, spots, draw->dataset->class_count);
}

void shw_drawing_free(struct shw_drawing **handle)
{
    struct shw_drawing *drawing = *handle;

    if (drawing == NULL)
        return;
    free(drawing->pictures);
    free(drawing->draw.begins);
    free(drawing->draw.results);
    shw_class_plan_free(&drawing->draw.plan);
    free_scratch(drawing->draw.scratch, drawing->threads);
    shw_samples_free(&drawing->samples);
    free(drawing);
    *handle = NULL;
}

enum shw_result shw_drawing_begin(const struct shw_drawing_task *task, struct shw_samples *memory,
                                  struct shw_drawing **out)
{
    const struct shw_trainer_params *params = task->params;
    const uint32_t drawn_of = params->same_samples ? 0 : task->tree;
    struct shw_drawing *drawing = calloc(1, sizeof *drawing);
    struct draw *draw;
    uint32_t image_count = 0;
    enum shw_result result = SHW_OK;

    if (drawing == NULL)
        return shw_fail_memory(&params->log, "samples");
    drawing->pool = task->dataset->single_threaded ? NULL : task->pool;
    drawing->pictures = shw_draw_pictures(params, task->images->picture_count, drawn_of, &image_count);
    drawing->threads = image_count > 1 ? shw_thread_pool_size(task->pool) : 1;
    drawing->samples = *memory;
    *memory = (struct shw_samples){0};
    draw = &drawing->draw;
    *draw = (struct draw){.params = params,
                          .dataset = task->dataset,
                          .images = task->images,
                          .part = task->part,
                          .drawn = drawing->pictures,
                          .key = shw_draw_key(params->seed, drawn_of, SHW_DRAW_PIXELS),
                          .class_key = shw_draw_key(params->seed, drawn_of, SHW_DRAW_CLASSES),
                          .mirrors = shw_train_images_copies(task->images),
                          .twins = task->images->paired ? 2 : 1,
                          .results = calloc(image_count + 1u, sizeof *draw->results),
                          .samples = &drawing->samples};
    draw->begins = malloc(((size_t)image_count * draw->mirrors + 1) * sizeof *draw->begins);
    if (drawing->pictures == NULL || draw->begins == NULL || draw->results == NULL)
        SHW_TRY(shw_fail_memory(&params->log, "samples"));
    SHW_TRY(count_samples(draw, image_count, task->tree, drawn_of));
    draw->drawn_first = find_drawn(draw, image_count, task->part.first);
    draw->drawn_count = find_drawn(draw, image_count, task->part.first + task->part.count) - draw->drawn_first;
    draw->scratch = make_largest_scratch(draw, drawing->threads);
    if (draw->scratch == NULL ||
        !samples_allocate(draw->samples,
                          draw->twins * (draw->begins[(draw->drawn_first + draw->drawn_count) * draw->mirrors] -
                                         draw->begins[draw->drawn_first * draw->mirrors])))
        SHW_TRY(shw_fail_memory(&params->log, "samples"));
    *out = drawing;
    return SHW_OK;

fail:
    shw_drawing_free(&drawing);
    return result;
}

bool shw_drawing_step(struct shw_drawing *drawing, uint32_t pictures)
{
    struct draw *draw = &drawing->draw;
    const uint32_t left = draw->drawn_count - drawing->done;

    drawing->first = draw->drawn_first + drawing->done;
    pictures = pictures < left ? pictures : left;
    shw_thread_pool_run(drawing->pool, pictures, draw_picture, drawing);
    drawing->done += pictures;
    return drawing->done < draw->drawn_count;
}

const struct shw_samples *shw_drawing_get(const struct shw_drawing *drawing)
{
    bool good = drawing->done == drawing->draw.drawn_count;

    for (uint32_t i = 0; i < drawing->draw.drawn_count && good; i++)
        good = drawing->draw.results[drawing->draw.drawn_first + i] == SHW_OK;
    return good ? &drawing->samples : NULL;
}

enum shw_result shw_drawing_end(struct shw_drawing **handle, struct shw_samples *samples)
{
    struct shw_drawing *drawing = *handle;
    struct draw *draw = &drawing->draw;
    enum shw_result result = SHW_OK;

    while (shw_drawing_step(drawing, UINT32_MAX))
        continue;
    for (uint32_t i = 0; i < draw->drawn_count; i++)
        SHW_TRY(draw->results[draw->drawn_first + i]);
    *samples = drawing->samples;
    drawing->samples = (struct shw_samples){0};

fail:
    shw_drawing_free(handle);
    return result;
}

enum shw_result shw_samples_draw(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                 struct shw_thread_pool *pool, const struct shw_train_images *images,
                                 struct shw_image_part part, uint32_t tree, struct shw_samples *samples)
{
    const struct shw_drawing_task task = {params, dataset, pool, images, part, tree};
    struct shw_drawing *drawing;

    *samples = (struct shw_samples){0};
    SHW_PROPAGATE(shw_drawing_begin(&task, samples, &drawing));
    return shw_drawing_end(&drawing, samples);
}
