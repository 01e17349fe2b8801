/* The back end `cpu`. Samples are in blocks whose patches lie point by point, so that responses are computed by
 * vectors. A thread has some candidates and goes through all blocks, so that nothing needs to be merged. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "base/simd.h"
#include "base/thread_pool.h"
#include "detection/boost/backend.h"

#define BLOCK      256u /* samples */
#define THRESHOLDS 31u

/* Binary search in thresholds of which those that are missing exceed every response. */
static void search_bins(const uint16_t *first, const uint16_t *second, const int32_t *thresholds, uint32_t count,
                        uint8_t *bins)
{
    int32_t all[THRESHOLDS];

    for (uint32_t t = 0; t < THRESHOLDS; t++)
        all[t] = t < count ? thresholds[t] : INT32_MAX;
    for (uint32_t i = 0; i < BLOCK; i++) {
        int32_t response = first[i] - second[i];
        uint32_t bin = 0;
        for (uint32_t step = (THRESHOLDS + 1) / 2; step > 0; step /= 2)
            bin += step & (0u - (uint32_t)(response > all[bin + step - 1])); /* without branches */
        bins[i] = (uint8_t)bin;
    }
}

#if SHW_SIMD_VECTORS
/* Responses have 17 bits. Saturated to 16, they compare with these thresholds as before. */
static bool is_narrow(const int32_t *thresholds, uint32_t count)
{
    return thresholds[0] >= INT16_MIN && thresholds[count - 1] < INT16_MAX;
}

#define COUNT(name) name##_portable
#define WIDTH       16
#define TARGET
#include "detection/boost/bins_vectors.h"
#endif

#if SHW_SIMD_X86
#define COUNT(name) name##_avx2
#define WIDTH       32
#define TARGET      __attribute__((target("avx2")))
#include "detection/boost/bins_vectors.h"
#endif

/* The number of thresholds, `count` in order and at most 31, that are less than first[i] - second[i], for each sample
 * of a block. The values of a block are aligned to 32 bytes. Vectors do not change the result. */
static void find_bins(const uint16_t *first, const uint16_t *second, const int32_t *thresholds, uint32_t count,
                      enum shw_simd simd, uint8_t *bins)
{
#if SHW_SIMD_X86
    if (simd >= SHW_SIMD_AVX2 && is_narrow(thresholds, count)) {
        count_avx2(first, second, thresholds, count, bins);
        return;
    }
#endif
#if SHW_SIMD_VECTORS
    if (simd >= SHW_SIMD_PORTABLE && is_narrow(thresholds, count)) {
        count_portable(first, second, thresholds, count, bins);
        return;
    }
#endif
    (void)simd;
    search_bins(first, second, thresholds, count, bins);
}

#define CANDIDATES      32u /* of a thread at a time */
#define PATCHES         64u /* of a thread at a time */
#define BLOCK_ALIGNMENT 64u

/* The samples of a block that are counted. */
struct active {
    uint32_t count;
    uint32_t cells[BLOCK]; /* class, and words before the node's histograms */
    uint32_t weights[BLOCK];
    uint8_t numbers[BLOCK]; /* in the block */
};

struct boost_cpu {
    const struct shw_boost *boost;
    enum shw_simd simd;
    uint16_t **blocks; /* patches: point by point BLOCK values */
    uint32_t block_count, capacity;
    uint32_t *weights;
    uint8_t *classes;
    uint16_t *nodes; /* these three for sample_capacity samples */
    struct active *active;
    uint32_t sample_capacity;
};

static uint32_t count_blocks(uint32_t samples)
{
    return (samples + BLOCK - 1) / BLOCK;
}

static void destroy(void **state)
{
    struct boost_cpu *cpu = *state;

    for (uint32_t b = 0; b < cpu->block_count; b++)
        shw_free_aligned(cpu->blocks[b]);
    free(cpu->blocks);
    free(cpu->weights);
    free(cpu->classes);
    free(cpu->nodes);
    free(cpu->active);
    free(cpu);
    *state = NULL;
}

static enum shw_result create(struct shw_boost *boost, void **state)
{
    struct boost_cpu *cpu = calloc(1, sizeof *cpu);

    if (cpu == NULL)
        return shw_fail_memory(&boost->params.log, "boosting");
    cpu->boost = boost;
    cpu->simd = shw_simd_level();
    *state = cpu;
    return SHW_OK;
}

static enum shw_result add_blocks(struct boost_cpu *cpu, uint32_t count)
{
    size_t bytes = (size_t)cpu->boost->point_count * BLOCK * sizeof(uint16_t);

    if (!SHW_RESERVE(cpu->blocks, cpu->capacity, count))
        return shw_fail_memory(&cpu->boost->params.log, "the patches of boosting");
    while (cpu->block_count < count) {
        uint16_t *block = shw_aligned(BLOCK_ALIGNMENT, bytes);
        if (block == NULL)
            return shw_fail_memory(&cpu->boost->params.log, "the patches of boosting");
        memset(block, 0, bytes);
        cpu->blocks[cpu->block_count++] = block;
    }
    return SHW_OK;
}

struct put {
    const struct boost_cpu *cpu;
    const uint32_t *places;
    uint32_t count;
    const uint16_t *patches;
};

static void put_some(void *user, uint32_t index, uint32_t thread)
{
    const struct put *put = user;
    uint32_t points = put->cpu->boost->point_count, first = index * PATCHES;
    uint32_t end = put->count - first < PATCHES ? put->count : first + PATCHES;

    (void)thread;
    for (uint32_t i = first; i < end; i++) {
        const uint16_t *patch = put->patches + (size_t)i * points;
        uint16_t *to = put->cpu->blocks[put->places[i] / BLOCK] + put->places[i] % BLOCK;
        for (uint32_t p = 0; p < points; p++)
            to[(size_t)p * BLOCK] = patch[p];
    }
}

static enum shw_result put(void *state, const uint32_t *places, uint32_t count, const uint16_t *patches)
{
    struct boost_cpu *cpu = state;
    struct put work = {cpu, places, count, patches};

    SHW_PROPAGATE(add_blocks(cpu, count_blocks(cpu->boost->sample_count)));
    shw_thread_pool_run(cpu->boost->params.pool, (count + PATCHES - 1) / PATCHES, put_some, &work);
    return SHW_OK;
}

static enum shw_result need_samples(struct boost_cpu *cpu, uint32_t count)
{
    uint32_t blocks = count_blocks(count);
    size_t room = (size_t)blocks * BLOCK;

    if (count <= cpu->sample_capacity)
        return SHW_OK;
    free(cpu->weights);
    free(cpu->classes);
    free(cpu->nodes);
    free(cpu->active);
    cpu->weights = malloc(room * sizeof *cpu->weights);
    cpu->classes = malloc(room * sizeof *cpu->classes);
    cpu->nodes = malloc(room * sizeof *cpu->nodes);
    cpu->active = malloc(blocks * sizeof *cpu->active);
    cpu->sample_capacity = (uint32_t)room;
    if (cpu->weights != NULL && cpu->classes != NULL && cpu->nodes != NULL && cpu->active != NULL)
        return SHW_OK;
    cpu->sample_capacity = 0;
    return shw_fail_memory(&cpu->boost->params.log, "the samples of boosting");
}

static enum shw_result begin(void *state, const uint32_t *weights, const uint8_t *classes)
{
    struct boost_cpu *cpu = state;
    uint32_t count = cpu->boost->tree_samples;

    if (count == 0)
        return SHW_OK;
    SHW_PROPAGATE(need_samples(cpu, count));
    memcpy(cpu->weights, weights, count * sizeof *weights);
    memcpy(cpu->classes, classes, count * sizeof *classes);
    memset(cpu->nodes, 0, count * sizeof *cpu->nodes);
    return SHW_OK;
}

struct counting {
    struct boost_cpu *cpu;
    const struct shw_boost_candidates *candidates;
    uint32_t node_words; /* of the histograms of a node */
    uint32_t *histograms;
};

static void find_active(void *user, uint32_t block, uint32_t thread)
{
    const struct counting *counting = user;
    struct boost_cpu *cpu = counting->cpu;
    struct active *active = &cpu->active[block];
    uint32_t first = block * BLOCK, left = cpu->boost->tree_samples - first;
    uint32_t end = first + (left < BLOCK ? left : BLOCK), count = 0;

    (void)thread;
    for (uint32_t i = first; i < end; i++) {
        uint32_t index = cpu->boost->index[cpu->nodes[i]];
        if (index == SHW_BOOST_NONE || cpu->weights[i] == 0)
            continue;
        active->cells[count] = index * counting->node_words + cpu->classes[i];
        active->weights[count] = cpu->weights[i];
        active->numbers[count++] = (uint8_t)(i - first);
    }
    active->count = count;
}

static void add_block(const struct active *active, const uint8_t *bins, uint32_t *histogram)
{
    for (uint32_t k = 0; k < active->count; k++)
        histogram[active->cells[k] + SHW_BOOST_CLASSES * bins[active->numbers[k]]] += active->weights[k];
}

static const uint16_t *values_at(const struct boost_cpu *cpu, uint32_t block, uint32_t x, uint32_t y)
{
    return cpu->blocks[block] + ((size_t)y * cpu->boost->params.width + x) * BLOCK;
}

static void count_some(void *user, uint32_t index, uint32_t thread)
{
    const struct counting *counting = user;
    const struct boost_cpu *cpu = counting->cpu;
    const struct shw_boost_candidates *candidates = counting->candidates;
    uint32_t count = candidates->threshold_count, words = (count + 1) * SHW_BOOST_CLASSES;
    uint32_t first = index * CANDIDATES, left = candidates->count - first;
    uint32_t end = first + (left < CANDIDATES ? left : CANDIDATES);
    _Alignas(32) uint8_t bins[BLOCK];

    (void)thread;
    for (uint32_t block = 0; block < count_blocks(cpu->boost->tree_samples); block++)
        for (uint32_t c = first; c < end && cpu->active[block].count > 0; c++) {
            struct shw_boost_pair pair = candidates->pairs[c];
            find_bins(values_at(cpu, block, pair.x1, pair.y1), values_at(cpu, block, pair.x2, pair.y2),
                      candidates->thresholds + (size_t)c * count, count, cpu->simd, bins);
            add_block(&cpu->active[block], bins, counting->histograms + (size_t)c * words);
        }
}

static enum shw_result count(void *state, const struct shw_boost_candidates *candidates, uint32_t node_count,
                             uint32_t *histograms)
{
    struct boost_cpu *cpu = state;
    struct shw_thread_pool *pool = cpu->boost->params.pool;
    struct counting counting = {.cpu = cpu,
                                .candidates = candidates,
                                .node_words = (uint32_t)shw_boost_histogram_words(candidates),
                                .histograms = histograms};

    (void)node_count;
    shw_thread_pool_run(pool, count_blocks(cpu->boost->tree_samples), find_active, &counting);
    shw_thread_pool_run(pool, (candidates->count + CANDIDATES - 1) / CANDIDATES, count_some, &counting);
    return SHW_OK;
}

struct moving {
    struct boost_cpu *cpu;
    const struct shw_boost_split *splits;
};

static void move_block(void *user, uint32_t block, uint32_t thread)
{
    const struct moving *moving = user;
    struct boost_cpu *cpu = moving->cpu;
    uint32_t first = block * BLOCK, left = cpu->boost->tree_samples - first, count = left < BLOCK ? left : BLOCK;

    (void)thread;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = cpu->boost->index[cpu->nodes[first + i]];
        const struct shw_boost_split *split;
        int32_t response;
        if (index == SHW_BOOST_NONE)
            continue;
        split = &moving->splits[index];
        response = values_at(cpu, block, split->pair.x1, split->pair.y1)[i] -
                   values_at(cpu, block, split->pair.x2, split->pair.y2)[i];
        cpu->nodes[first + i] = (uint16_t)(split->left + (response > split->threshold));
    }
}

static enum shw_result move(void *state, const struct shw_boost_split *splits, uint32_t split_count)
{
    struct boost_cpu *cpu = state;
    struct moving moving = {cpu, splits};

    (void)split_count;
    shw_thread_pool_run(cpu->boost->params.pool, count_blocks(cpu->boost->tree_samples), move_block, &moving);
    return SHW_OK;
}

static enum shw_result get_nodes(void *state, uint16_t *nodes)
{
    const struct boost_cpu *cpu = state;

    memcpy(nodes, cpu->nodes, cpu->boost->tree_samples * sizeof *nodes);
    return SHW_OK;
}

const struct shw_boost_backend shw_boost_backend_cpu = {
    .technique = SHW_TECHNIQUE_CPU,
    .create = create,
    .put = put,
    .begin = begin,
    .count = count,
    .move = move,
    .get_nodes = get_nodes,
    .destroy = destroy,
};
