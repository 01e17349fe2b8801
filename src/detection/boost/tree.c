#include "detection/boost/trainer.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/integers.h"
#include "base/log.h"
#include "dense/samples/draws.h"
#include "shared/random.h"

#define PROBES          4u /* samples per threshold whose responses give the quantiles */
#define PROBES_MAX      (PROBES * (SHW_BOOST_THRESHOLDS_MAX + 1))
#define HISTOGRAM_WORDS (1u << 24) /* at a time */
#define PER_TASK        64u        /* candidates */

int32_t shw_boosted_tree_value(const struct shw_cascade_node *nodes, const uint16_t *patch, uint32_t width)
{
    const struct shw_cascade_node *node = nodes;

    while (node->is_split) {
        int32_t response = (int32_t)patch[(uint32_t)node->y1 * width + (uint32_t)node->x1] -
                           (int32_t)patch[(uint32_t)node->y2 * width + (uint32_t)node->x2];
        node = nodes + node->left + (response > node->threshold);
    }
    return node->value;
}

/* The best test of a node so far. */
struct best {
    uint64_t loss;
    uint32_t candidate; /* SHW_BOOST_NONE: none */
    struct shw_boost_pair pair;
    int32_t threshold;
};

/* The level of the tree that is grown. */
struct level {
    const struct shw_boosting_choice *choice;
    const struct shw_boosting_samples *samples;
    const struct shw_boost_workers *workers;
    uint32_t tree, pair_key, level;
    uint32_t probes[PROBES_MAX]; /* samples */
    uint32_t probe_count;
    uint32_t begin, end; /* of this worker's candidates */
    uint32_t first;      /* candidates before those of `candidates` */
    struct shw_boost_candidates candidates;
    struct shw_boost_pair *pairs;
    int32_t *thresholds;
    uint32_t *histograms;
    uint32_t nodes[SHW_BOOSTED_NODES_MAX]; /* open ones */
    uint32_t node_count;
    struct best best[SHW_BOOSTED_NODES_MAX]; /* of the open nodes */
};

/* Samples by their weights, which count as much for both classes. */
static void draw_probes(struct level *level, uint32_t key)
{
    const struct shw_boosting_samples *samples = level->samples;
    uint64_t sum = 0, before = 0;
    uint32_t drawn = 0, count = PROBES * (level->choice->thresholds + 1);

    for (uint32_t i = 0; i < samples->count; i++)
        sum += samples->weights[i];
    level->probe_count = sum > 0 ? count : 0;
    /* one draw from each of as many equal parts of the sum */
    for (uint32_t i = 0; i < samples->count && drawn < level->probe_count; i++) {
        before += samples->weights[i];
        while (drawn < count) {
            uint64_t part = sum * drawn / count, size = sum * (drawn + 1) / count - part;
            uint64_t at =
                part + (size > 0 ? shw_random_below(shw_random(key, drawn, level->level), (uint32_t)size) : 0);
            if (at >= before)
                break;
            level->probes[drawn++] = i;
        }
    }
}

static struct shw_boost_pair draw_pair(const struct level *level, uint32_t candidate)
{
    uint32_t border = level->choice->border;
    uint32_t width = level->choice->width - 2 * border, height = level->choice->height - 2 * border;
    struct shw_uint2 first = shw_random2(level->pair_key, candidate, 2 * level->level);
    struct shw_uint2 second = shw_random2(level->pair_key, candidate, 2 * level->level + 1);
    uint32_t x1 = shw_random_below(first.x, width), y1 = shw_random_below(first.y, height);
    uint32_t x2 = shw_random_below(second.x, width), y2 = shw_random_below(second.y, height);

    if (x1 == x2 && y1 == y2)
        x2 = (x2 + 1) % width;
    return (struct shw_boost_pair){(uint8_t)(border + x1), (uint8_t)(border + y1), (uint8_t)(border + x2),
                                   (uint8_t)(border + y2)};
}

static int compare_responses(const void *a, const void *b)
{
    int32_t first = *(const int32_t *)a, second = *(const int32_t *)b;

    return (first > second) - (first < second);
}

static void make_candidates(void *user, uint32_t index, uint32_t thread)
{
    struct level *level = user;
    uint32_t count = level->choice->thresholds, width = level->choice->width;
    size_t points = (size_t)width * level->choice->height;
    uint32_t end = shw_min_u32((index + 1) * PER_TASK, level->candidates.count);
    int32_t responses[PROBES_MAX];

    (void)thread;
    for (uint32_t c = index * PER_TASK; c < end; c++) {
        struct shw_boost_pair pair = draw_pair(level, level->first + c);
        level->pairs[c] = pair;
        for (uint32_t p = 0; p < level->probe_count; p++) {
            const uint16_t *patch = level->samples->patches + level->probes[p] * points;
            responses[p] = (int32_t)patch[pair.y1 * width + pair.x1] - (int32_t)patch[pair.y2 * width + pair.x2];
        }
        qsort(responses, level->probe_count, sizeof *responses, compare_responses);
        for (uint32_t t = 0; t < count; t++)
            level->thresholds[(size_t)c * count + t] = level->probe_count > 0 ? responses[PROBES * (t + 1)] : 0;
    }
}

static void choose_test(void *user, uint32_t n, uint32_t thread)
{
    struct level *level = user;
    uint32_t bins = level->choice->thresholds + 1;
    size_t words = shw_boost_histogram_words(&level->candidates);
    struct best *best = &level->best[n];

    (void)thread;
    for (uint32_t c = 0; c < level->candidates.count; c++) {
        const uint32_t *bin = level->histograms + n * words + (size_t)c * bins * SHW_BOOST_CLASSES;
        uint32_t all[SHW_BOOST_CLASSES] = {0}, left[SHW_BOOST_CLASSES] = {0};
        for (uint32_t b = 0; b < bins * SHW_BOOST_CLASSES; b++)
            all[b % SHW_BOOST_CLASSES] += bin[b];
        for (uint32_t t = 0; t < level->choice->thresholds; t++) {
            uint64_t loss;
            left[SHW_BOOST_BACKGROUND] += bin[t * SHW_BOOST_CLASSES + SHW_BOOST_BACKGROUND];
            left[SHW_BOOST_OBJECT] += bin[t * SHW_BOOST_CLASSES + SHW_BOOST_OBJECT];
            loss = shw_boosting_loss(level->choice->boosting, left[SHW_BOOST_OBJECT], left[SHW_BOOST_BACKGROUND]) +
                   shw_boosting_loss(level->choice->boosting, all[SHW_BOOST_OBJECT] - left[SHW_BOOST_OBJECT],
                                     all[SHW_BOOST_BACKGROUND] - left[SHW_BOOST_BACKGROUND]);
            if (level->first + c == level->begin && t == 0) /* a test must be better than none */
                best->loss =
                    shw_boosting_loss(level->choice->boosting, all[SHW_BOOST_OBJECT], all[SHW_BOOST_BACKGROUND]);
            if (loss < best->loss)
                *best = (struct best){loss, level->first + c, level->pairs[c],
                                      level->thresholds[(size_t)c * level->choice->thresholds + t]};
        }
    }
}

/* Tries all candidates on the open nodes, as many at a time as histograms have room. */
static enum shw_result find_tests(struct level *level, struct shw_boost *boost, struct shw_thread_pool *pool)
{
    uint32_t node_words = level->node_count * (level->choice->thresholds + 1) * SHW_BOOST_CLASSES;
    uint32_t room = shw_max_u32(HISTOGRAM_WORDS / node_words, 1);

    for (uint32_t n = 0; n < level->node_count; n++)
        level->best[n] = (struct best){.candidate = SHW_BOOST_NONE};
    shw_boost_share(level->workers, level->choice->candidates, &level->begin, &level->end);
    for (level->first = level->begin; level->first < level->end; level->first += level->candidates.count) {
        level->candidates = (struct shw_boost_candidates){
            .count = shw_min_u32(level->end - level->first, room),
            .threshold_count = level->choice->thresholds,
            .pairs = level->pairs,
            .thresholds = level->thresholds,
        };
        shw_thread_pool_run(pool, (level->candidates.count + PER_TASK - 1) / PER_TASK, make_candidates, level);
        SHW_PROPAGATE(shw_boost_count(boost, &level->candidates, level->nodes, level->node_count, level->histograms));
        shw_thread_pool_run(pool, level->node_count, choose_test, level);
    }
    return SHW_OK;
}

/* What a worker sends for each level: which one it is, then the best test of each open node among its candidates. */
struct sent_level {
    uint32_t tree, level, node_count, weights[2]; /* weights: a hash of all */
};

struct sent_test {
    uint32_t loss[2], candidate, pair;
    int32_t threshold;
};

#define LEVEL_WORDS (sizeof(struct sent_level) / sizeof(uint32_t))
#define TEST_WORDS  (sizeof(struct sent_test) / sizeof(uint32_t))

static void write_tests(const struct level *level, uint32_t *words)
{
    const struct shw_boosting_samples *samples = level->samples;
    const uint64_t hash = XXH3_64bits(samples->weights, samples->count * sizeof *samples->weights);
    const struct sent_level sent = {
        level->tree, level->level, level->node_count, {(uint32_t)hash, (uint32_t)(hash >> 32)}};

    memcpy(words, &sent, sizeof sent);
    words += LEVEL_WORDS;
    for (uint32_t n = 0; n < level->node_count; n++, words += TEST_WORDS) {
        const struct best *best = &level->best[n];
        const struct shw_boost_pair pair = best->pair;
        const struct sent_test test = {{(uint32_t)best->loss, (uint32_t)(best->loss >> 32)},
                                       best->candidate,
                                       (uint32_t)pair.x1 << 24 | (uint32_t)pair.y1 << 16 | (uint32_t)pair.x2 << 8 |
                                           pair.y2,
                                       best->threshold};

        memcpy(words, &test, sizeof test);
    }
}

/* Takes the tests of a worker that are better than those of the workers before, whose candidates are before its own. */
static void take_tests(struct level *level, const uint32_t *words)
{
    for (uint32_t n = 0; n < level->node_count; n++, words += TEST_WORDS) {
        struct sent_test test;
        uint64_t loss;

        memcpy(&test, words, sizeof test);
        loss = (uint64_t)test.loss[1] << 32 | test.loss[0];
        if (test.candidate != SHW_BOOST_NONE &&
            (level->best[n].candidate == SHW_BOOST_NONE || loss < level->best[n].loss))
            level->best[n] = (struct best){
                loss,
                test.candidate,
                {(uint8_t)(test.pair >> 24), (uint8_t)(test.pair >> 16), (uint8_t)(test.pair >> 8), (uint8_t)test.pair},
                test.threshold};
    }
}

/* Replaces the best tests among this worker's candidates by those among all. */
static enum shw_result share_tests(struct level *level)
{
    const struct shw_boost_workers *workers = level->workers;
    const size_t count = LEVEL_WORDS + level->node_count * TEST_WORDS;
    uint32_t *words, *all;
    enum shw_result result = SHW_OK;

    if (workers->exchange == NULL)
        return SHW_OK;
    words = malloc((shw_boost_workers_count(workers) + 1) * count * sizeof *words);
    if (words == NULL)
        return shw_fail_memory(&workers->log, "tests of all workers");
    all = words + count;
    write_tests(level, words);
    SHW_TRY(shw_boost_gather(workers, words, count, all));
    for (uint32_t n = 0; n < level->node_count; n++)
        level->best[n].candidate = SHW_BOOST_NONE;
    for (uint32_t w = 0; w < shw_boost_workers_count(workers); w++, all += count) {
        if (memcmp(all, words, sizeof(struct sent_level)) != 0) {
            result = shw_fail(&workers->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                              "tree %u, level %u: worker %u trains another cascade", level->tree, level->level, w);
            goto fail;
        }
        take_tests(level, all + LEVEL_WORDS);
    }

fail:
    free(words);
    return result;
}

/* Splits the open nodes that have a test; their children become the open ones. */
static enum shw_result split_nodes(struct level *level, struct shw_boost *boost, struct shw_boosted_tree *tree)
{
    struct shw_boost_split splits[SHW_BOOSTED_NODES_MAX];
    uint32_t count = 0, open = level->node_count;

    for (uint32_t n = 0; n < open; n++) {
        const struct best *best = &level->best[n];
        struct shw_cascade_node *node = &tree->nodes[level->nodes[n]];
        if (best->candidate == SHW_BOOST_NONE)
            continue;
        splits[count++] = (struct shw_boost_split){level->nodes[n], tree->node_count, best->pair, best->threshold};
        *node = (struct shw_cascade_node){.is_split = true,
                                          .left = tree->node_count,
                                          .x1 = best->pair.x1,
                                          .y1 = best->pair.y1,
                                          .x2 = best->pair.x2,
                                          .y2 = best->pair.y2,
                                          .threshold = best->threshold};
        for (uint32_t child = 0; child < 2; child++)
            tree->nodes[tree->node_count++] = (struct shw_cascade_node){0};
    }
    level->node_count = 2 * count;
    for (uint32_t n = 0; n < level->node_count; n++)
        level->nodes[n] = tree->node_count - level->node_count + n;
    return shw_boost_move(boost, splits, count);
}

static void set_leaves(const struct shw_boosting_choice *choice, const struct shw_boosting_samples *samples,
                       const uint16_t *leaves, struct shw_boosted_tree *tree)
{
    uint32_t sums[SHW_BOOSTED_NODES_MAX][SHW_BOOST_CLASSES] = {{0}};

    for (uint32_t i = 0; i < samples->count; i++)
        sums[leaves[i]][samples->classes[i]] += samples->weights[i];
    for (uint32_t n = 0; n < tree->node_count; n++)
        if (!tree->nodes[n].is_split)
            tree->nodes[n] =
                (struct shw_cascade_node){.left = n,
                                          .value = shw_boosting_value(choice->boosting, sums[n][SHW_BOOST_OBJECT],
                                                                      sums[n][SHW_BOOST_BACKGROUND])};
}

enum shw_result shw_boosting_grow(const struct shw_boosting_choice *choice, struct shw_boost *boost,
                                  struct shw_thread_pool *pool, const struct shw_boost_workers *workers, uint32_t tree,
                                  const struct shw_boosting_samples *samples, struct shw_boosted_tree *out,
                                  uint16_t *leaves)
{
    size_t words = ((size_t)1 << (choice->depth - 1)) * SHW_BOOST_CLASSES * (choice->thresholds + 1);
    size_t room = shw_max_u64(words, shw_min_u64(HISTOGRAM_WORDS, words * choice->candidates));
    struct level *level = calloc(1, sizeof *level);
    enum shw_result result = SHW_OK;

    if (level != NULL) {
        level->choice = choice;
        level->samples = samples;
        level->workers = workers;
        level->tree = tree;
        level->pair_key = shw_draw_key(choice->seed, tree, SHW_DRAW_PAIRS);
        level->pairs = malloc(choice->candidates * sizeof *level->pairs);
        level->thresholds = malloc((size_t)choice->candidates * choice->thresholds * sizeof *level->thresholds);
        level->histograms = malloc(room * sizeof *level->histograms);
    }
    if (level == NULL || level->pairs == NULL || level->thresholds == NULL || level->histograms == NULL) {
        result = shw_fail_memory(&workers->log, "the histograms of boosting");
        goto fail;
    }
    SHW_TRY(shw_boost_begin(boost, samples->weights, samples->classes, samples->count));
    out->node_count = level->node_count = 1;
    out->nodes[0] = (struct shw_cascade_node){0};
    for (level->level = 0; level->level < choice->depth && level->node_count > 0; level->level++) {
        draw_probes(level, shw_draw_key(choice->seed, tree, SHW_DRAW_PROBES));
        SHW_TRY(find_tests(level, boost, pool));
        SHW_TRY(share_tests(level));
        SHW_TRY(split_nodes(level, boost, out));
    }
    SHW_TRY(shw_boost_get_nodes(boost, leaves));
    set_leaves(choice, samples, leaves, out);

fail:
    if (level != NULL) {
        free(level->pairs);
        free(level->thresholds);
        free(level->histograms);
    }
    free(level);
    return result;
}
