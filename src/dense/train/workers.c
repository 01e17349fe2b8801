#include "dense/train/workers.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "dense/grow/trainer.h"
#include "dense/train/forest.h"

_Static_assert(sizeof(struct shw_worker_head) == 40 && sizeof(struct shw_worker_split) == 40,
               "what is exchanged has no padding");

static struct shw_worker_head head_of(const struct shw_trainer *trainer, uint64_t task, uint32_t worker)
{
    const struct shw_tree_builder *builder = &trainer->builder;
    size_t size = (size_t)builder->open_count * trainer->dataset->class_count * sizeof *builder->open_counts;
    uint64_t counts = XXH3_64bits(builder->open_counts, size);
    const enum shw_train_division divide = trainer->params.exchange->divide;
    uint32_t begin = divide == SHW_DIVIDE_CANDIDATES ? shw_candidates_share(trainer, worker) : 0;

    return (struct shw_worker_head){trainer->tree_count, builder->depth, builder->open_count, begin, task, counts, 0,
                                    (uint32_t)divide};
}

static uint32_t microseconds_since(double begin)
{
    const double taken = (shw_trainer_clock() - begin) * 1e6;

    return taken < 0 ? 0 : taken < UINT32_MAX ? (uint32_t)taken : UINT32_MAX;
}

static void write_words(const struct shw_trainer *trainer, uint64_t task, uint32_t *words)
{
    const struct shw_tree_builder *builder = &trainer->builder;
    struct shw_worker_head head = head_of(trainer, task, trainer->params.exchange->worker);

    head.microseconds = microseconds_since(trainer->round.begin);
    memcpy(words, &head, sizeof head);
    words += SHW_WORKER_HEAD_WORDS;
    for (uint32_t o = 0; o < builder->open_count; o++, words += SHW_WORKER_SPLIT_WORDS) {
        const struct shw_split *split = &builder->splits[o];
        struct shw_worker_split best = {0};
        if (split->found)
            best = (struct shw_worker_split){1, split->candidate, split->t0, split->t1, split->score};
        memcpy(words, &best, sizeof best);
    }
}

/* Whether a split that a worker has found is better than that of the workers before: of equally good ones, the first
 * candidate's. */
static bool is_better(const struct shw_worker_split *best, const struct shw_split *split)
{
    int compared;

    if (best->found == 0 || !split->found)
        return best->found != 0;
    compared = shw_score_compare(&best->score, &split->score);
    return compared > 0 || (compared == 0 && best->candidate < split->candidate);
}

static enum shw_result take_words(struct shw_trainer *trainer, uint64_t task, uint32_t worker, const uint32_t *words,
                                  uint32_t *microseconds)
{
    const struct shw_tree_builder *builder = &trainer->builder;
    struct shw_worker_head head = head_of(trainer, task, worker), sent;

    memcpy(&sent, words, sizeof sent);
    *microseconds = head.microseconds = sent.microseconds;
    if (memcmp(&sent, &head, sizeof head) != 0)
        return shw_fail(&trainer->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "tree %u, round %u: worker %u trains another forest: give all workers the same parameters and "
                        "training set, and each its own number",
                        trainer->tree_count, builder->depth, worker);
    words += SHW_WORKER_HEAD_WORDS;
    for (uint32_t o = 0; o < builder->open_count; o++, words += SHW_WORKER_SPLIT_WORDS) {
        struct shw_split *split = &builder->splits[o];
        struct shw_worker_split best;
        memcpy(&best, words, sizeof best);
        if (is_better(&best, split))
            *split = (struct shw_split){
                .found = true, .candidate = best.candidate, .t0 = best.t0, .t1 = best.t1, .score = best.score};
    }
    return SHW_OK;
}

enum shw_result shw_workers_share_splits(struct shw_trainer *trainer)
{
    const struct shw_train_exchange *exchange = trainer->params.exchange;
    struct shw_tree_builder *builder = &trainer->builder;
    size_t count = SHW_WORKER_HEAD_WORDS + builder->open_count * SHW_WORKER_SPLIT_WORDS;
    uint32_t *words = malloc((exchange->worker_count + 1) * count * sizeof *words), *all;
    uint32_t *microseconds = malloc(exchange->worker_count * sizeof *microseconds);
    enum shw_result result;
    uint64_t task;

    if (words == NULL || microseconds == NULL || !shw_trainer_hash_task(trainer, &task)) {
        result = shw_fail_memory(&trainer->params.log, "splits of all workers");
        goto fail;
    }
    if (trainer->proposed.candidates != NULL)
        task = XXH3_64bits_withSeed(&trainer->proposed.hash, sizeof trainer->proposed.hash, task);
    all = words + count;
    write_words(trainer, task, words);
    SHW_TRY(exchange->gather(exchange->user, words, count, all));
    memset(builder->splits, 0, builder->open_count * sizeof *builder->splits);
    for (uint32_t w = 0; w < exchange->worker_count; w++)
        SHW_TRY(take_words(trainer, task, w, all + w * count, &microseconds[w]));
    if (exchange->divide == SHW_DIVIDE_CANDIDATES && !shw_candidates_measure(trainer, microseconds))
        result = shw_fail_memory(&trainer->params.log, "the workers' rates");

fail:
    free(microseconds);
    free(words);
    return result;
}
