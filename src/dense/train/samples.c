/* The samples of a tree: memory for them, moving and counting. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dense/train/labelled.h"
#include "dense/train/sampling.h"

bool shw_samples_allocate(struct shw_samples *samples, size_t count)
{
    samples->image = malloc(count * sizeof *samples->image);
    samples->x = malloc(count * sizeof *samples->x);
    samples->y = malloc(count * sizeof *samples->y);
    samples->label = malloc(count * sizeof *samples->label);
    return samples->image != NULL && samples->x != NULL && samples->y != NULL && samples->label != NULL;
}

void shw_samples_free(struct shw_samples *samples)
{
    free(samples->image);
    free(samples->x);
    free(samples->y);
    free(samples->label);
    *samples = (struct shw_samples){0};
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
