#include "dense/grow/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "dense/grow/trainer.h"

const struct shw_train_words shw_image_train_words = {
    .members = &(const struct shw_train_word){0},
    .other_feature = "this training was begun with another feature type",
    .other_data = "other images or labels: their pixels differ",
    .samples = "samples of a tree",
    .has_images = true,
    .fewer_samples = "draw fewer pixels per image",
};

const struct shw_train_word *shw_train_word_find(const struct shw_train_words *words, const char *member)
{
    for (const struct shw_train_word *word = words->members; word->member != NULL; word++)
        if (strcmp(word->member, member) == 0)
            return word;
    return NULL;
}

struct shw_train_need_text shw_train_need_text(const struct shw_train_words *words, uint64_t samples, uint32_t width,
                                               uint32_t height)
{
    struct shw_train_need_text need;

    if (words->has_images)
        snprintf(need.text, sizeof need.text, "%" PRIu64 " %s and images of %" PRIu32 " x %" PRIu32 " pixels", samples,
                 words->samples, width, height);
    else
        snprintf(need.text, sizeof need.text, "%" PRIu64 " %s", samples, words->samples);
    return need;
}

/* Progress of training and the estimated time left. */

#define LEAST_SHARE 1e-9 /* of the work, so that the fraction increases with every round */

double shw_trainer_clock(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double sum(const double *seconds, uint32_t begin)
{
    double all = 0;

    for (uint32_t d = begin; d < SHW_DEPTH_MAX; d++)
        all += seconds[d];
    return all;
}

/* Rounds that the tree in progress may still take. */
static uint32_t rounds_left(const struct shw_trainer *trainer)
{
    uint32_t rounds = trainer->params.depth - trainer->builder.depth, doublings = 0;
    uint64_t leaves = trainer->builder.leaf_count;

    for (; trainer->params.leaf_max > 0 && leaves < trainer->params.leaf_max; leaves *= 2)
        doublings++;
    return trainer->params.leaf_max > 0 && doublings < rounds ? doublings : rounds;
}

/* Estimated seconds until the tree in progress is finished. From finished trees; for the first, as if each round kept
 * the same share of the previous round's samples. */
static double tree_left(const struct shw_trainer *trainer, const struct shw_round *round)
{
    const struct shw_tree_builder *builder = &trainer->builder;
    uint64_t samples = 0;
    double share, next, left = 0;

    if (builder->nodes == NULL)
        return 0;
    for (uint32_t o = 0; o < builder->open_count; o++)
        samples += builder->open[o].all;
    share = (double)samples / (double)round->samples;
    next = round->seconds * share;
    if (trainer->tree_count > 0) {
        left = sum(trainer->pace.trees, round->depth + 1) / trainer->tree_count;
        return left > next ? left : next;
    }
    for (uint32_t rounds = rounds_left(trainer); rounds > 0; rounds--) {
        left += next;
        next *= share;
    }
    return left;
}

static double time_left(const struct shw_trainer *trainer, const struct shw_round *round)
{
    const struct shw_pace *pace = &trainer->pace;
    double left = tree_left(trainer, round), tree = sum(pace->tree, 0) + left;
    uint32_t begun = trainer->tree_count + (trainer->builder.nodes != NULL);

    if (trainer->tree_count > 0)
        tree = sum(pace->trees, 0) / trainer->tree_count;
    return left + (trainer->params.tree_count - begun) * tree;
}

/* After the second round: subtracts one-off work from the first. */
static void count_once(struct shw_trainer *trainer, const struct shw_round *round)
{
    struct shw_pace *pace = &trainer->pace;
    const double usual = round->seconds * (double)pace->first_samples / (double)round->samples;
    double *first = pace->first_tree == round->tree ? &pace->tree[pace->first_depth] : &pace->trees[pace->first_depth];

    if (usual >= pace->first)
        return;
    pace->once = pace->first - usual;
    *first -= pace->once;
}

/* Adds the round. Returns the estimated seconds left. */
static double count_round(struct shw_trainer *trainer, const struct shw_round *round)
{
    struct shw_pace *pace = &trainer->pace;
    double left, spent, fraction, share;

    if (pace->rounds == 0) {
        pace->first = round->seconds;
        pace->first_tree = round->tree;
        pace->first_depth = round->depth;
        pace->first_samples = round->samples;
    } else if (pace->rounds == 1) {
        count_once(trainer, round);
    }
    pace->rounds++;
    pace->tree[round->depth] = round->seconds;
    if (trainer->builder.nodes == NULL) {
        for (uint32_t d = 0; d < SHW_DEPTH_MAX; d++)
            pace->trees[d] += pace->tree[d];
        memset(pace->tree, 0, sizeof pace->tree);
    }
    left = time_left(trainer, round);
    spent = pace->once + sum(pace->trees, 0) + sum(pace->tree, 0);
    fraction = spent + left > 0 ? spent / (spent + left) : 0;
    if (trainer->tree_count == trainer->params.tree_count)
        fraction = 1;
    else if (fraction > 0.999)
        fraction = 0.999;
    /* If the last fraction reported was too large, it still increases, but at half the speed that would be right. */
    share = left > 0 ? round->seconds / (round->seconds + left) : 0;
    share = share > LEAST_SHARE ? share : LEAST_SHARE;
    pace->fraction = fraction > pace->fraction ? fraction : pace->fraction + (1 - pace->fraction) * share / 2;
    return left;
}

static void log_passes(const struct shw_log *log, const struct shw_train_progress *progress)
{
    char text[512];
    size_t length = 0;

    for (uint32_t p = 0; p < progress->pass_count && length < sizeof text; p++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s %s %.3f", p > 0 ? "," : "",
                                   progress->pass_names[p], 1e3 * progress->pass_seconds[p]);
    shw_log_message(log, SHW_LOG_DEBUG, SHW_LOG_TRAIN_ROUND, "on the device, ms:%s", text);
}

bool shw_progress_report(struct shw_trainer *trainer, const struct shw_round *round)
{
    const struct shw_trainer_params *params = &trainer->params;
    struct shw_train_progress progress = {.tree = round->tree,
                                          .tree_count = params->tree_count,
                                          .depth = round->depth,
                                          .open_nodes = round->open_nodes,
                                          .splits = round->splits,
                                          .samples = round->tree_samples,
                                          .round_samples = round->samples,
                                          .responses = trainer->responses,
                                          .round_seconds = round->seconds,
                                          .seconds = shw_trainer_clock() - trainer->start,
                                          .seconds_left = count_round(trainer, round)};

    progress.open_classes = round->classes;
    progress.fraction = trainer->pace.fraction;
    progress.out_of_bag_pixels = trainer->out_of_bag_pixels;
    progress.out_of_bag_correct = trainer->out_of_bag_correct;
    shw_log_message(&params->log, SHW_LOG_DEBUG, SHW_LOG_TRAIN_ROUND, "tree %u, round %u: %u of %u nodes split",
                    round->tree, round->depth, round->splits, round->open_nodes);
    if (trainer->backend->get_passes != NULL)
        trainer->backend->get_passes(trainer->state, &progress);
    if (progress.pass_count > 0)
        log_passes(&params->log, &progress);
    if (trainer->builder.nodes == NULL)
        shw_log_message(&params->log, SHW_LOG_INFO, SHW_LOG_TRAIN_TREE, "tree %u of %u: %u nodes", round->tree + 1,
                        params->tree_count, trainer->trees[round->tree].node_count);
    return params->progress == NULL || params->progress(params->progress_user, &progress);
}

void shw_trainer_get_progress(const struct shw_trainer *trainer, struct shw_train_progress *progress)
{
    if (trainer == NULL && progress != NULL)
        *progress = (struct shw_train_progress){0};
    if (trainer == NULL || progress == NULL)
        return;

    const struct shw_tree_builder *builder = &trainer->builder;

    *progress = (struct shw_train_progress){.tree = trainer->tree_count,
                                            .tree_count = trainer->params.tree_count,
                                            .depth = builder->depth,
                                            .open_nodes = builder->open_count,
                                            .samples = builder->whole_samples,
                                            .responses = trainer->responses,
                                            .seconds = shw_trainer_clock() - trainer->start,
                                            .fraction = trainer->pace.fraction,
                                            .out_of_bag_pixels = trainer->out_of_bag_pixels,
                                            .out_of_bag_correct = trainer->out_of_bag_correct};
    for (uint32_t o = 0; o < builder->open_count; o++)
        progress->round_samples += builder->open[o].all;
}
