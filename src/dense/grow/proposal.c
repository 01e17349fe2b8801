#include "dense/grow/proposal.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/integers.h"
#include "base/log.h"
#include "dense/feature/feature_code.h"
#include "dense/grow/trainer.h"
#include "dense/split/traits.h"

#define BAD_PROPOSAL(trainer, result, item, format, ...)                                                               \
    shw_fail(&(trainer)->params.log, result, item, "proposer %s, tree %u, round %u: " format,                          \
             (trainer)->params.proposer->name, shw_trainer_tree(trainer), (trainer)->builder.depth, __VA_ARGS__)

/* Of workers, relative to the fastest one's. */
#define RATE_MAX     ((uint64_t)1 << 20)
#define TIME_TO_TELL 2000u /* microseconds of the slowest worker below which a round says little */

uint32_t shw_candidates_share(const struct shw_trainer *trainer, uint32_t worker)
{
    const uint32_t workers = trainer->params.exchange->worker_count, candidates = trainer->round_candidates;
    uint64_t before = 0, all = 0;

    for (uint32_t w = 0; w < workers; w++) {
        const uint64_t rate = trainer->rates != NULL ? trainer->rates[w] : RATE_MAX;
        before += w < worker ? rate : 0;
        all += rate;
    }
    return worker + (uint32_t)((candidates - workers) * before / all);
}

/* In candidates per 2^20 microseconds, below 2^41. */
static uint64_t measured_rate(const struct shw_trainer *trainer, uint32_t worker, uint32_t microseconds)
{
    const uint64_t share = shw_candidates_share(trainer, worker + 1) - shw_candidates_share(trainer, worker);

    return (share << 20) / shw_max_u32(microseconds, 1);
}

bool shw_candidates_measure(struct shw_trainer *trainer, const uint32_t *microseconds)
{
    const uint32_t workers = trainer->params.exchange->worker_count;
    uint32_t slowest = 0, *rates;
    uint64_t fastest = 1;

    for (uint32_t w = 0; w < workers; w++) {
        slowest = shw_max_u32(slowest, microseconds[w]);
        fastest = shw_max_u64(fastest, measured_rate(trainer, w, microseconds[w]));
    }
    if (slowest < TIME_TO_TELL)
        return true;
    rates = malloc(workers * sizeof *rates);
    if (rates == NULL)
        return false;
    for (uint32_t w = 0; w < workers; w++) { /* half of what is said now, half of what was said before */
        const uint64_t before = trainer->rates != NULL ? trainer->rates[w] : RATE_MAX;
        const uint64_t now = measured_rate(trainer, w, microseconds[w]) * RATE_MAX / fastest;
        rates[w] = (uint32_t)shw_max_u64((before + now) / 2, 1);
    }
    free(trainer->rates);
    trainer->rates = rates;
    return true;
}

/* The share of a node's candidates that this worker counts; all of them if it is the only worker, or images are
 * divided. */
static void take_share(struct shw_trainer *trainer, uint32_t candidates)
{
    const struct shw_train_exchange *exchange = trainer->division == NULL ? trainer->params.exchange : NULL;

    trainer->round_candidates = candidates;
    trainer->candidate_begin = exchange != NULL ? shw_candidates_share(trainer, exchange->worker) : 0;
    trainer->candidate_count =
        exchange != NULL ? shw_candidates_share(trainer, exchange->worker + 1) - trainer->candidate_begin : candidates;
}

void shw_candidates_share_all(struct shw_trainer *trainer)
{
    take_share(trainer, trainer->params.candidates);
}

static const struct shw_candidate *proposed(const struct shw_trainer *trainer, uint32_t open, uint32_t candidate)
{
    const struct shw_proposed *all = &trainer->proposed;

    return &all->candidates[(all->set_count > 1 ? open : 0) * (size_t)all->pitch + candidate];
}

/* Draws a candidate of the pool `place` as without a proposer. */
static struct shw_feature draw(const struct shw_trainer *trainer, uint32_t open, uint32_t candidate)
{
    return shw_candidate_draw(
        &trainer->params, &trainer->channels, trainer->candidate_key,
        shw_pool_place(trainer->params.pool, trainer->builder.open[open].node, trainer->builder.depth), candidate);
}

struct shw_feature shw_candidate_feature(const struct shw_trainer *trainer, uint32_t open, uint32_t candidate)
{
    return trainer->proposed.candidates != NULL ? proposed(trainer, open, candidate)->feature
                                                : draw(trainer, open, candidate);
}

struct shw_interval shw_candidate_interval(const struct shw_trainer *trainer, uint32_t open, uint32_t candidate)
{
    if (trainer->proposed.candidates == NULL)
        return (struct shw_interval){0, 0};
    return (struct shw_interval){proposed(trainer, open, candidate)->low, proposed(trainer, open, candidate)->high};
}

bool shw_proposer_draw(const struct shw_proposer_round *round, uint32_t set, uint32_t number,
                       struct shw_feature *feature)
{
    if (round == NULL || feature == NULL || set >= round->set_count || number >= round->candidate_max)
        return false;
    *feature = draw(round->trainer, set, number);
    return true;
}

/* Asking the proposer. */

/* Whether the reach of features says what they read, so that it can be limited. */
static bool has_reach(const struct shw_feature_type *type)
{
    return !type->reads_depth && shw_feature_type_by_name(type->name) == type;
}

static enum shw_result check_candidate(const struct shw_trainer *trainer, uint32_t set, uint32_t number,
                                       const struct shw_candidate *candidate)
{
    const struct shw_feature_type *type = trainer->params.feature;
    enum shw_log_item item;
    char why[SHW_WHY_SIZE] = "";
    uint32_t reach;

    if (candidate->low > candidate->high || candidate->low == INT32_MIN)
        return BAD_PROPOSAL(trainer, SHW_ERROR_ARGUMENT, SHW_LOG_PROPOSER,
                            "candidate %u of set %u has the interval %d to %d, which must ascend and begin above %d",
                            number, set, candidate->low, candidate->high, INT32_MIN);
    if (!shw_feature_is_valid(type, &candidate->feature, &trainer->channels, &reach, &item, why))
        return BAD_PROPOSAL(trainer, SHW_ERROR_ARGUMENT, SHW_LOG_PROPOSER, "candidate %u of set %u: %s", number, set,
                            why);
    if (has_reach(type) && reach > trainer->params.offset_max)
        return BAD_PROPOSAL(trainer, SHW_ERROR_ARGUMENT, SHW_LOG_PROPOSER,
                            "candidate %u of set %u reads %u pixels away; offset_max is %u", number, set, reach,
                            trainer->params.offset_max);
    return SHW_OK;
}

static enum shw_result check(const struct shw_trainer *trainer, const struct shw_proposal *proposal)
{
    const struct shw_proposed *all = &trainer->proposed;
    const uint32_t least = trainer->params.exchange != NULL ? trainer->params.exchange->worker_count : 1;

    if (proposal->candidate_count < least || proposal->candidate_count > all->pitch)
        return BAD_PROPOSAL(trainer, SHW_ERROR_ARGUMENT, SHW_LOG_PROPOSER,
                            "%u candidates; there must be from %u to %u in a set", proposal->candidate_count, least,
                            all->pitch);
    if (proposal->bins < 2 || proposal->bins > trainer->bins)
        return BAD_PROPOSAL(trainer, SHW_ERROR_ARGUMENT, SHW_LOG_PROPOSER, "%u bins; there must be from 2 to %u",
                            proposal->bins, trainer->bins);
    for (uint32_t set = 0; set < all->set_count; set++)
        for (uint32_t c = 0; c < proposal->candidate_count; c++)
            SHW_PROPAGATE(check_candidate(trainer, set, c, &all->candidates[(size_t)set * all->pitch + c]));
    return SHW_OK;
}

/* Never 0. */
static uint64_t hash(const struct shw_proposed *all, const struct shw_proposal *proposal)
{
    const uint32_t head[] = {all->set_count, proposal->candidate_count, proposal->bins};
    uint64_t value = XXH3_64bits(head, sizeof head);

    for (size_t set = 0; set < all->set_count; set++)
        value = XXH3_64bits_withSeed(all->candidates + set * all->pitch,
                                     proposal->candidate_count * sizeof *all->candidates, value);
    return value != 0 ? value : 1;
}

/* Notes what was proposed in this round, or compares it with what is noted. */
static enum shw_result note(struct shw_trainer *trainer)
{
    struct shw_tree_builder *builder = &trainer->builder;
    uint64_t *noted = &builder->proposals[builder->depth];

    if (*noted != 0 && *noted != trainer->proposed.hash)
        return BAD_PROPOSAL(trainer, SHW_ERROR_ARGUMENT, SHW_LOG_CHECKPOINT, "%s",
                            "these are not the candidates that it proposed before: what it proposes must depend only "
                            "on the round");
    *noted = trainer->proposed.hash;
    return SHW_OK;
}

static enum shw_result ask(const struct shw_trainer *trainer, const struct shw_proposer_node *nodes,
                           struct shw_proposal *proposal)
{
    const struct shw_trainer_params *params = &trainer->params;
    const struct shw_tree_builder *builder = &trainer->builder;
    const struct shw_proposer_round round = {.tree = shw_trainer_tree(trainer),
                                             .depth = builder->depth,
                                             .seed = params->seed,
                                             .feature = params->feature,
                                             .channels = &trainer->channels,
                                             .class_count = trainer->dataset->class_count,
                                             .weights = builder->weights,
                                             .node_count = builder->open_count,
                                             .nodes = nodes,
                                             .split_count = builder->chosen_count,
                                             .splits = builder->chosen,
                                             .set_count = trainer->proposed.set_count,
                                             .candidate_max = trainer->proposed.pitch,
                                             .thresholds = params->thresholds,
                                             .trainer = trainer};
    const enum shw_result result = params->proposer->propose(params->proposer->user, &round, proposal);

    proposal->why[sizeof proposal->why - 1] = '\0';
    if (result == SHW_OK)
        return check(trainer, proposal);
    return BAD_PROPOSAL(trainer, result, SHW_LOG_PROPOSER, "%s",
                        proposal->why[0] != '\0' ? proposal->why : shw_result_string(result));
}

static enum shw_result propose(struct shw_trainer *trainer)
{
    const struct shw_tree_builder *builder = &trainer->builder;
    struct shw_proposed *all = &trainer->proposed;
    struct shw_proposer_node *nodes = malloc(builder->open_count * sizeof *nodes);
    struct shw_proposal proposal = {.bins = trainer->bins};
    enum shw_result result;

    all->set_count = shw_pool_is_shared(trainer->params.pool) ? 1 : builder->open_count;
    all->pitch = trainer->params.candidates;
    all->candidates = calloc((size_t)all->set_count * all->pitch, sizeof *all->candidates);
    proposal.candidates = all->candidates;
    if (nodes == NULL || all->candidates == NULL) {
        result = shw_fail_memory(&trainer->params.log, "the candidates of a round");
        goto fail;
    }
    for (uint32_t o = 0; o < builder->open_count; o++)
        nodes[o] =
            (struct shw_proposer_node){.number = builder->open[o].node,
                                       .samples = builder->open[o].all,
                                       .counts = builder->open_counts + (size_t)o * trainer->dataset->class_count};
    SHW_TRY(ask(trainer, nodes, &proposal));
    all->hash = hash(all, &proposal);
    SHW_TRY(note(trainer));
    trainer->params.bins = proposal.bins;
    take_share(trainer, proposal.candidate_count);

fail:
    free(nodes);
    if (result != SHW_OK)
        shw_candidates_end(trainer);
    return result;
}

enum shw_result shw_candidates_begin(struct shw_trainer *trainer)
{
    trainer->candidate_key = shw_draw_key(trainer->params.seed, shw_trainer_tree(trainer), SHW_DRAW_CANDIDATES);
    if (trainer->params.proposer != NULL)
        return propose(trainer);
    shw_candidates_share_all(trainer);
    return SHW_OK;
}

void shw_candidates_end(struct shw_trainer *trainer)
{
    if (trainer->proposed.candidates == NULL)
        return;
    free(trainer->proposed.candidates);
    trainer->proposed = (struct shw_proposed){0};
    trainer->params.bins = trainer->bins;
}
