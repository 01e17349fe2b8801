#include "dense/grow/tree_builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "dense/grow/trainer.h"
#include "dense/split/score.h"
#include "dense/split/split.h"
#include "dense/split/traits.h"

#define PRIOR_BITS 32u /* fraction bits of the pixels that a sample stands for */

typedef unsigned __int128 wide;

/* What the samples of a class count: `weight` is that in scores, `pixels` the labelled ones of the training set. */
static wide count_samples(uint64_t weight, uint64_t pixels, uint64_t samples)
{
    (void)pixels;
    (void)samples;
    return weight;
}

static wide count_data(uint64_t weight, uint64_t pixels, uint64_t samples)
{
    (void)weight;
    return samples > 0 ? ((wide)pixels << PRIOR_BITS) / samples : 0;
}

#pragma GCC diagnostic error "-Wswitch" /* a prior without a line */
static wide weigh(enum shw_leaf_prior prior, uint64_t weight, uint64_t pixels, uint64_t samples)
{
#define WEIGH(value, name, help, count)                                                                                \
    case value: return count(weight, pixels, samples);
    switch (prior) {
        SHW_PRIORS(WEIGH)
    }
    return weight;
}

bool shw_leaf_rule_make(const struct shw_trainer_params *params, uint32_t classes, const uint32_t *weights,
                        const uint64_t *class_pixels, const uint64_t *samples, struct shw_leaf_rule *rule)
{
    *rule = (struct shw_leaf_rule){
        .classes = classes, .bias_percent = params->bias_percent, .weights = malloc(classes * sizeof *rule->weights)};
    for (uint32_t c = 0; rule->weights != NULL && c < classes; c++)
        rule->weights[c] = weigh(params->prior, weights[c], class_pixels[c], samples[c]);
    return rule->weights != NULL;
}

void shw_leaf_rule_free(struct shw_leaf_rule *rule)
{
    free(rule->weights);
    *rule = (struct shw_leaf_rule){0};
}

/* A leaf's samples, and what is subtracted from those of each class, in hundredths. */
struct biased {
    const struct shw_leaf_rule *rule;
    const uint32_t *counts;
    uint64_t subtracted;
};

/* A class's part of the leaf. Below 2^96: a class has fewer than 2^56 pixels in the training set. */
static wide mass_of(const struct biased *leaf, uint32_t class)
{
    uint64_t count = (uint64_t)100 * leaf->counts[class];

    return count > leaf->subtracted ? (count - leaf->subtracted) * leaf->rule->weights[class] : 0;
}

/* Nothing is subtracted if nothing would remain. */
static struct biased subtract(const struct shw_leaf_rule *rule, const uint32_t *counts)
{
    struct biased leaf = {rule, counts, 0};
    uint64_t all = 0, most = 0;

    for (uint32_t c = 0; c < rule->classes; c++) {
        all += counts[c];
        most = counts[c] > most ? counts[c] : most;
    }
    if (100 * most > rule->bias_percent * all)
        leaf.subtracted = rule->bias_percent * all;
    return leaf;
}

void shw_leaf_distribute(const struct shw_leaf_rule *rule, const uint32_t *counts, uint16_t *distribution)
{
    struct biased leaf = subtract(rule, counts);
    wide mass = 0;
    uint32_t given = 0;

    for (uint32_t c = 0; c < rule->classes; c++)
        mass += mass_of(&leaf, c);
    for (uint32_t c = 0; c < rule->classes; c++) {
        distribution[c] = (uint16_t)(mass_of(&leaf, c) * 65535 / mass);
        given += distribution[c];
    }
    for (; given < 65535; given++) {
        uint32_t best = 0;
        wide best_remainder = 0;
        for (uint32_t c = 0; c < rule->classes; c++) {
            /* The remainder of the exact share, in units of 1 / mass; never above the first round's remainder. */
            wide exact = mass_of(&leaf, c) * 65535, got = distribution[c] * mass;
            wide remainder = exact > got ? exact - got : 0;
            if (remainder > best_remainder) {
                best_remainder = remainder;
                best = c;
            }
        }
        distribution[best]++;
    }
}

/* One tree under construction: its samples, rounds and leaves. */

void shw_tree_builder_free(struct shw_tree_builder *builder)
{
    shw_samples_free(&builder->samples);
    free(builder->nodes);
    free(builder->open);
    free(builder->open_counts);
    free(builder->own_counts);
    free(builder->splits);
    free(builder->child_counts);
    free(builder->distributions);
    free(builder->weights);
    free(builder->chosen);
    shw_leaf_rule_free(&builder->leaf_rule);
    shw_gains_free(&builder->gains);
    *builder = (struct shw_tree_builder){0};
}

static enum shw_result reserve_nodes(struct shw_trainer *trainer, uint32_t more)
{
    struct shw_tree_builder *builder = &trainer->builder;
    uint32_t capacity = builder->node_capacity; /* of both arrays */
    size_t count = (size_t)builder->node_count + more;

    if (count > SHW_NODES_MAX)
        return shw_fail(&trainer->params.log, SHW_ERROR_LIMIT, SHW_LOG_TRAIN_PARAMETER,
                        "a tree has more than %u nodes: lower depth or leaf_max, or raise samples_min", SHW_NODES_MAX);
    if (!SHW_RESERVE(builder->nodes, capacity, count) ||
        !shw_array_reserve(&builder->distributions, &builder->node_capacity, count,
                           trainer->dataset->class_count * sizeof *builder->distributions))
        return shw_fail_memory(&trainer->params.log, "a tree");
    return SHW_OK;
}

/* Appends a leaf; `counts`: its samples by class. */
static enum shw_result add_node(struct shw_trainer *trainer, const uint32_t *counts)
{
    struct shw_tree_builder *builder = &trainer->builder;
    uint32_t classes = trainer->dataset->class_count;

    SHW_PROPAGATE(reserve_nodes(trainer, 1));
    builder->nodes[builder->node_count] = (struct shw_node){.left = builder->node_count};
    shw_leaf_distribute(&builder->leaf_rule, counts, builder->distributions + (size_t)builder->node_count++ * classes);
    return SHW_OK;
}

/* The root's samples: its class counts become those of all workers. */
static enum shw_result open_root(struct shw_trainer *trainer, uint64_t *counts)
{
    struct shw_tree_builder *builder = &trainer->builder;
    const size_t classes = trainer->dataset->class_count;
    struct shw_open_node root = {.count = builder->samples.count, .all = builder->samples.count};
    uint32_t *before;
    enum shw_result result = SHW_OK;

    for (size_t c = 0; c < classes; c++)
        builder->open_counts[c] = (uint32_t)counts[c];
    builder->open_count = 1;
    builder->open[0] = root;
    if (trainer->division == NULL)
        return SHW_OK;
    builder->own_counts = malloc(classes * sizeof *builder->own_counts);
    before = malloc(classes * sizeof *before);
    if (builder->own_counts == NULL || before == NULL) {
        result = shw_fail_memory(&trainer->params.log, "a tree");
        goto fail;
    }
    memcpy(builder->own_counts, builder->open_counts, classes * sizeof *builder->own_counts);
    SHW_TRY(shw_division_sum(trainer, builder->own_counts, classes, builder->open_counts, before));
    builder->open[0].all = 0;
    for (size_t c = 0; c < classes; c++) {
        counts[c] = builder->open_counts[c];
        builder->open[0].all += builder->open_counts[c];
        builder->open[0].before += before[c];
    }

fail:
    free(before);
    return result;
}

enum shw_result shw_tree_builder_begin(struct shw_trainer *trainer)
{
    struct shw_tree_builder *builder = &trainer->builder;
    uint32_t classes = trainer->dataset->class_count;
    uint64_t *counts = calloc(classes, sizeof *counts);
    enum shw_result result = SHW_ERROR_MEMORY;

    builder->weights = malloc(classes * sizeof *builder->weights);
    builder->open = malloc(sizeof *builder->open);
    builder->open_counts = malloc(classes * sizeof *builder->open_counts);
    if (counts == NULL || builder->weights == NULL || builder->open == NULL || builder->open_counts == NULL ||
        !shw_gains_make(trainer->channels.channel_count, &builder->gains) ||
        (trainer->gains.levels == NULL && !shw_gains_make(trainer->channels.channel_count, &trainer->gains))) {
        shw_fail_memory(&trainer->params.log, "a tree");
        goto fail;
    }
    SHW_TRY(shw_tree_samples_take(trainer, &builder->samples, &builder->origin));
    SHW_TRY(shw_samples_count(&trainer->params.log, trainer->pool, &builder->samples, classes, counts));
    SHW_TRY(open_root(trainer, counts));
    builder->whole_samples = builder->open[0].all;
    shw_weights_scale(trainer->class_weights, counts, classes, builder->weights);
    if (!shw_leaf_rule_make(&trainer->params, classes, builder->weights, shw_trainer_whole(trainer)->class_pixels,
                            counts, &builder->leaf_rule)) {
        result = shw_fail_memory(&trainer->params.log, "a tree");
        goto fail;
    }
    for (uint32_t c = 0; c < classes; c++)
        builder->mass += counts[c] * builder->weights[c];
    SHW_TRY(add_node(trainer, builder->open_counts));
    builder->leaf_count = 1;

fail:
    if (result != SHW_OK)
        shw_tree_builder_free(builder);
    free(counts);
    return result;
}

/* Whether samples with these counts could still be split. */
static bool can_split(const struct shw_trainer *trainer, const uint32_t *counts, uint32_t all)
{
    uint32_t classes = 0;

    for (uint32_t c = 0; c < trainer->dataset->class_count; c++)
        classes += counts[c] > 0;
    return all / 2 >= trainer->params.samples_min && classes >= 2;
}

enum shw_result shw_tree_builder_lost(const struct shw_trainer *trainer, uint32_t open)
{
    return shw_fail(&trainer->params.log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                    "the technique %s does not count correctly here: a histogram of node %u does not hold its %u "
                    "samples; use another technique",
                    shw_technique_name(trainer->params.technique), trainer->builder.open[open].node,
                    trainer->builder.open[open].all);
}

/* Fails if the children do not have the samples of the node, class by class, or one has fewer than a split must leave
 * on each side, unless it is a level of a fern that is split. `counts`: of the left child, then of the right one. */
static enum shw_result check_children(const struct shw_trainer *trainer, uint32_t open, const uint32_t *counts)
{
    const struct shw_tree_builder *builder = &trainer->builder;
    size_t classes = trainer->dataset->class_count;
    uint64_t sides[2] = {0, 0};
    bool equal = true;

    for (size_t c = 0; c < classes; c++) {
        equal = equal && (uint64_t)counts[c] + counts[classes + c] == builder->open_counts[open * classes + c];
        sides[0] += counts[c];
        sides[1] += counts[classes + c];
    }
    if (equal && sides[0] + sides[1] == builder->open[open].all &&
        (trainer->params.ferns || (sides[0] >= trainer->params.samples_min && sides[1] >= trainer->params.samples_min)))
        return SHW_OK;
    return shw_fail(&trainer->params.log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                    "the technique %s does not count correctly here: the children of node %u have %llu and %llu of its "
                    "%u samples; use another technique",
                    shw_technique_name(trainer->params.technique), builder->open[open].node,
                    (unsigned long long)sides[0], (unsigned long long)sides[1], builder->open[open].all);
}

/* The side with these samples by class, for information gain. */
static struct shw_score_side side_of(const struct shw_tree_builder *builder, const uint32_t *counts, size_t classes)
{
    struct shw_score_side side = {0};

    for (size_t c = 0; c < classes; c++)
        if (counts[c] > 0) {
            side.mass += counts[c] * builder->weights[c];
            side.measure += shw_score_times_log2(counts[c] * builder->weights[c]);
        }
    return side;
}

/* Counts what a split gains and returns it: always information, whatever the score of the training. Logarithms are
 * rounded down, so that the difference may be just below zero. */
static uint64_t count_gain(const struct shw_trainer *trainer, struct shw_tree_builder *builder, uint32_t open,
                           const struct shw_feature *feature, const uint32_t *child_counts)
{
    size_t classes = trainer->dataset->class_count;
    const struct shw_score_side none = {0}, all = side_of(builder, builder->open_counts + open * classes, classes),
                                left = side_of(builder, child_counts, classes),
                                right = side_of(builder, child_counts + classes, classes);
    struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX];
    const uint32_t count = trainer->params.feature->get_regions(feature, regions);
    const int64_t gain = shw_score_of(SHW_SCORE_INFORMATION_GAIN, &all, &left, &right).whole -
                         shw_score_of(SHW_SCORE_INFORMATION_GAIN, &all, &all, &none).whole;

    shw_gains_count(&builder->gains, builder->depth, regions, count, gain > 0 ? (uint64_t)gain : 0);
    return gain > 0 ? (uint64_t)gain : 0;
}

/* Notes a split for the proposer of the next rounds. */
static enum shw_result note_split(const struct shw_trainer *trainer, struct shw_tree_builder *builder, uint32_t node,
                                  uint64_t gain)
{
    const struct shw_node *split = &builder->nodes[node];

    if (trainer->params.proposer == NULL)
        return SHW_OK;
    if (!SHW_RESERVE(builder->chosen, builder->chosen_capacity, builder->chosen_count + 1u))
        return shw_fail_memory(&trainer->params.log, "a tree");
    builder->chosen[builder->chosen_count++] = (struct shw_proposer_split){.node = node,
                                                                           .depth = builder->depth,
                                                                           .left = split->left,
                                                                           .feature = split->feature,
                                                                           .t0 = split->t0,
                                                                           .t1 = split->t1,
                                                                           .gain = gain};
    return SHW_OK;
}

/* The samples of the children of a round, per open node those of the left child, then of the right one; class by class:
 * of all workers that divide the images, of this one, and of those before it. */
struct children {
    const uint32_t *all, *own, *before; /* `before`: NULL if images are not divided */
    uint32_t *added;                    /* the memory of sums */
    size_t classes;
};

static enum shw_result add_children(const struct shw_trainer *trainer, const uint32_t *child_counts,
                                    struct children *children)
{
    const size_t words = 2 * trainer->builder.open_count * (size_t)trainer->dataset->class_count;

    *children = (struct children){child_counts, child_counts, NULL, NULL, trainer->dataset->class_count};
    if (trainer->division == NULL)
        return SHW_OK;
    children->added = malloc(2 * words * sizeof *children->added);
    if (children->added == NULL)
        return shw_fail_memory(&trainer->params.log, "open nodes");
    children->all = children->added;
    children->before = children->added + words;
    return shw_division_sum(trainer, child_counts, words, children->added, children->added + words);
}

static uint32_t sum_of(const uint32_t *counts, size_t classes)
{
    uint32_t all = 0;

    for (size_t c = 0; counts != NULL && c < classes; c++)
        all += counts[c];
    return all;
}

/* Makes a child of open node `open` a leaf, and opens it if it may be split further. `begin`: its first sample; becomes
 * the end. */
static enum shw_result add_child(struct shw_trainer *trainer, const struct children *children, size_t child,
                                 uint32_t *begin, struct shw_tree_builder *next)
{
    const struct shw_tree_builder *builder = &trainer->builder;
    const size_t classes = children->classes;
    const uint32_t *counts = children->all + child * classes, *own = children->own + child * classes;
    const struct shw_open_node open = {
        .node = builder->node_count,
        .first = *begin,
        .count = sum_of(own, classes),
        .all = sum_of(counts, classes),
        .before = children->before != NULL ? sum_of(children->before + child * classes, classes) : 0};

    *begin += open.count;
    /* In a fern, children with too few samples keep the distribution of the node. */
    SHW_PROPAGATE(add_node(trainer, trainer->params.ferns && open.all < trainer->params.samples_min
                                        ? builder->open_counts + child / 2 * classes
                                        : counts));
    if (builder->depth + 1 >= trainer->params.depth || !can_split(trainer, counts, open.all))
        return SHW_OK;
    memcpy(next->open_counts + next->open_count * classes, counts, classes * sizeof *counts);
    if (next->own_counts != NULL)
        memcpy(next->own_counts + next->open_count * classes, own, classes * sizeof *own);
    next->open[next->open_count++] = open;
    return SHW_OK;
}

/* Room for the children; false if out of memory. Only what concerns open nodes is used of a tree builder. */
static bool make_next(const struct shw_trainer *trainer, struct shw_tree_builder *next)
{
    const size_t nodes = 2 * (size_t)trainer->builder.open_count, words = nodes * trainer->dataset->class_count;

    *next = (struct shw_tree_builder){.open = malloc(nodes * sizeof *next->open),
                                      .open_counts = malloc(words * sizeof *next->open_counts)};
    if (trainer->division != NULL)
        next->own_counts = malloc(words * sizeof *next->own_counts);
    return next->open != NULL && next->open_counts != NULL && (trainer->division == NULL || next->own_counts != NULL);
}

static void take_next(struct shw_tree_builder *builder, const struct shw_tree_builder *next)
{
    free(builder->open);
    free(builder->open_counts);
    free(builder->own_counts);
    builder->open = next->open;
    builder->open_counts = next->open_counts;
    builder->own_counts = next->own_counts;
    builder->open_count = next->open_count;
    builder->depth++;
}

enum shw_result shw_tree_builder_apply(struct shw_trainer *trainer, const struct shw_split *splits,
                                       const uint32_t *child_counts, uint32_t *made)
{
    struct shw_tree_builder *builder = &trainer->builder, next;
    struct children children = {0};
    enum shw_result result = SHW_OK;

    if (!make_next(trainer, &next)) {
        result = shw_fail_memory(&trainer->params.log, "open nodes");
        goto fail;
    }
    SHW_TRY(add_children(trainer, child_counts, &children));
    *made = 0;
    for (uint32_t o = 0; o < builder->open_count; o++) {
        const struct shw_split *split = &splits[o];
        const uint32_t *counts = children.all + 2 * (size_t)o * children.classes;
        const struct shw_open_node open = builder->open[o];
        uint32_t begin = open.first;
        uint64_t gain;
        if (!split->found)
            continue;
        SHW_TRY(check_children(trainer, o, counts));
        gain = count_gain(trainer, builder, o, &split->feature, counts);
        builder->nodes[open.node] = (struct shw_node){
            .is_split = true, .left = builder->node_count, .feature = split->feature, .t0 = split->t0, .t1 = split->t1};
        SHW_TRY(note_split(trainer, builder, open.node, gain));
        for (uint32_t side = 0; side < 2; side++)
            SHW_TRY(add_child(trainer, &children, 2 * (size_t)o + side, &begin, &next));
        builder->leaf_count++;
        ++*made;
    }
    take_next(builder, &next);
    free(children.added);
    return SHW_OK;

fail:
    free(children.added);
    free(next.open);
    free(next.open_counts);
    free(next.own_counts);
    return result;
}

uint32_t shw_tree_builder_list_classes(const struct shw_trainer *trainer, uint32_t open, uint32_t *weights,
                                       uint32_t *counts)
{
    const struct shw_tree_builder *builder = &trainer->builder;
    const size_t classes = trainer->dataset->class_count;
    const uint32_t *all = builder->open_counts + open * classes;
    uint32_t present = 0;

    for (size_t c = 0; c < classes; c++)
        if (all[c] > 0) {
            weights[present] = builder->weights[c];
            counts[present++] = all[c];
        }
    return present;
}

void shw_tree_builder_recall_features(struct shw_trainer *trainer)
{
    const struct shw_tree_builder *builder = &trainer->builder;

    for (uint32_t o = 0; o < builder->open_count; o++)
        if (builder->splits[o].found)
            builder->splits[o].feature = shw_candidate_feature(trainer, o, builder->splits[o].candidate);
}

void shw_tree_builder_limit(struct shw_trainer *trainer)
{
    struct shw_tree_builder *builder = &trainer->builder;
    uint32_t leaves = builder->leaf_count;

    for (uint32_t o = 0; o < builder->open_count && trainer->params.leaf_max > 0; o++)
        if (builder->splits[o].found && leaves++ >= trainer->params.leaf_max)
            builder->splits[o].found = false;
}

enum shw_result shw_tree_builder_round_begin(struct shw_trainer *trainer)
{
    struct shw_tree_builder *builder = &trainer->builder;

    builder->splits = malloc(builder->open_count * sizeof *builder->splits);
    builder->child_counts =
        calloc((size_t)2 * builder->open_count * trainer->dataset->class_count, sizeof *builder->child_counts);
    return builder->splits != NULL && builder->child_counts != NULL
               ? SHW_OK
               : shw_fail_memory(&trainer->params.log, "a training round");
}

enum shw_result shw_tree_builder_round_end(struct shw_trainer *trainer, uint32_t *splits_made)
{
    struct shw_tree_builder *builder = &trainer->builder;
    enum shw_result result;

    for (uint32_t o = 0; o < builder->open_count; o++)
        trainer->responses += (uint64_t)builder->open[o].count *
                              (trainer->division != NULL ? trainer->round_candidates : trainer->candidate_count);
    result = shw_tree_builder_apply(trainer, builder->splits, builder->child_counts, splits_made);
    free(builder->splits);
    free(builder->child_counts);
    builder->splits = NULL;
    builder->child_counts = NULL;
    return result;
}

enum shw_result shw_tree_builder_tree(struct shw_trainer *trainer, struct shw_tree *tree)
{
    struct shw_tree_builder *builder = &trainer->builder;
    uint32_t classes = trainer->dataset->class_count, leaves = 0;
    uint16_t *distributions = malloc((size_t)builder->leaf_count * classes * sizeof *distributions);

    if (distributions == NULL)
        return shw_fail_memory(&trainer->params.log, "a tree");
    for (uint32_t n = 0; n < builder->node_count; n++) {
        struct shw_node *node = &builder->nodes[n];
        if (node->is_split)
            continue;
        node->leaf = leaves++;
        memcpy(distributions + (size_t)node->leaf * classes, builder->distributions + (size_t)n * classes,
               classes * sizeof *distributions);
    }
    *tree =
        (struct shw_tree){.nodes = builder->nodes, .node_count = builder->node_count, .distributions = distributions};
    return SHW_OK;
}

enum shw_result shw_tree_builder_finish(struct shw_trainer *trainer)
{
    SHW_PROPAGATE(shw_tree_builder_tree(trainer, &trainer->trees[trainer->tree_count]));
    trainer->builder.nodes = NULL;
    trainer->tree_count++;
    shw_gains_add(&trainer->gains, &trainer->builder.gains, trainer->builder.mass);
    shw_tree_samples_keep(trainer, &trainer->builder.samples);
    shw_tree_builder_free(&trainer->builder);
    return SHW_OK;
}
