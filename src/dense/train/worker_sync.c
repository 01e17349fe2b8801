#include "dense/train/worker_sync.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"

/* What a worker sends: the round it is in, then the best split of each open node. */
struct head {
    uint32_t tree, depth, opens, candidate_begin;
    uint64_t task, counts; /* hashes: of parameters and training set, of the open nodes' class counts */
};

struct best {
    uint32_t found, candidate;
    int32_t t0, t1;
    struct shw_score_value score;
};

#define WORDS(type) (sizeof(struct type) / sizeof(uint32_t))

_Static_assert(sizeof(struct head) == 32 && sizeof(struct best) == 40, "what is exchanged has no padding");

static uint32_t share_begin(const struct shw_trainer_params *params, uint32_t worker)
{
    return (uint32_t)((uint64_t)params->candidates * worker / params->exchange->worker_count);
}

void shw_worker_sync_share(const struct shw_trainer_params *params, uint32_t *begin, uint32_t *count)
{
    *begin = params->exchange != NULL ? share_begin(params, params->exchange->worker) : 0;
    *count = params->exchange != NULL ? share_begin(params, params->exchange->worker + 1) - *begin : params->candidates;
}

static struct head head_of(const struct shw_trainer *trainer, uint64_t task, uint32_t worker)
{
    const struct shw_tree_builder *builder = &trainer->builder;
    size_t size = (size_t)builder->open_count * trainer->dataset->class_count * sizeof *builder->open_counts;
    uint64_t counts = XXH3_64bits(builder->open_counts, size);
    uint32_t begin = share_begin(&trainer->params, worker);

    return (struct head){trainer->tree_count, builder->depth, builder->open_count, begin, task, counts};
}

static void write_words(const struct shw_trainer *trainer, uint64_t task, uint32_t *words)
{
    const struct shw_tree_builder *builder = &trainer->builder;
    struct head head = head_of(trainer, task, trainer->params.exchange->worker);

    memcpy(words, &head, sizeof head);
    words += WORDS(head);
    for (uint32_t o = 0; o < builder->open_count; o++, words += WORDS(best)) {
        const struct shw_split *split = &builder->splits[o];
        struct best best = {0};
        if (split->found)
            best = (struct best){1, split->candidate, split->t0, split->t1, split->score};
        memcpy(words, &best, sizeof best);
    }
}

/* Called in the order of the workers' candidates, so that a later split needs a better score to win. */
static enum shw_result take_words(struct shw_trainer *trainer, uint64_t task, uint32_t worker, const uint32_t *words)
{
    const struct shw_tree_builder *builder = &trainer->builder;
    struct head head = head_of(trainer, task, worker);

    if (memcmp(words, &head, sizeof head) != 0)
        return shw_fail(&trainer->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "tree %u, round %u: worker %u trains another forest: give all workers the same parameters and "
                        "training set, and each its own number",
                        trainer->tree_count, builder->depth, worker);
    words += WORDS(head);
    for (uint32_t o = 0; o < builder->open_count; o++, words += WORDS(best)) {
        struct shw_split *split = &builder->splits[o];
        struct best best;
        memcpy(&best, words, sizeof best);
        if (best.found != 0 && (!split->found || shw_score_compare(&best.score, &split->score) > 0))
            *split = (struct shw_split){
                .found = true, .candidate = best.candidate, .t0 = best.t0, .t1 = best.t1, .score = best.score};
    }
    return SHW_OK;
}

enum shw_result shw_worker_sync_splits(struct shw_trainer *trainer)
{
    const struct shw_train_exchange *exchange = trainer->params.exchange;
    struct shw_tree_builder *builder = &trainer->builder;
    size_t count = WORDS(head) + builder->open_count * WORDS(best);
    uint32_t *words = malloc((exchange->worker_count + 1) * count * sizeof *words), *all;
    enum shw_result result;
    uint64_t task;

    if (words == NULL || !shw_trainer_hash_task(trainer, &task)) {
        result = shw_fail_memory(&trainer->params.log, "splits of all workers");
        goto fail;
    }
    all = words + count;
    write_words(trainer, task, words);
    SHW_TRY(exchange->gather(exchange->user, words, count, all));
    memset(builder->splits, 0, builder->open_count * sizeof *builder->splits);
    for (uint32_t w = 0; w < exchange->worker_count; w++)
        SHW_TRY(take_words(trainer, task, w, all + w * count));

fail:
    free(words);
    return result;
}
