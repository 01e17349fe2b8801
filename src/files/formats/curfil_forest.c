#include "files/formats/curfil_forest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dense/channels/fill.h"
#include "shared/curfil_region.h"

#define CERTAIN 65535u

/* The channels of the list: depth, its count, and three of colour. */
#define COLOUR_CHANNEL 2u

struct making {
    const struct shw_curfil_tree *trees;
    const char *const *names;
    uint32_t count;
    bool ahead;
    double bias;
    struct shw_channel_list channels;
    const struct shw_log *log;
};

#define BAD_TREE(making, t, format, ...)                                                                               \
    shw_fail((making)->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s: " format, (making)->names[t], __VA_ARGS__)

static enum shw_result check_agreement(const struct making *making)
{
    const struct shw_curfil_tree *first = &making->trees[0];

    for (uint32_t t = 1; t < making->count; t++) {
        const struct shw_curfil_tree *tree = &making->trees[t];
        if (tree->uses_lab != first->uses_lab || tree->uses_depth != first->uses_depth ||
            tree->fills_depth != first->fills_depth || tree->bias != first->bias)
            return BAD_TREE(making, t, "useCIELab, useDepthImages, useDepthFilling or histogramBias is not as in %s",
                            making->names[0]);
        if (tree->class_count != first->class_count)
            return BAD_TREE(making, t, "%u classes instead of the %u of %s", tree->class_count, first->class_count,
                            making->names[0]);
        for (uint32_t c = 0; c < tree->class_count; c++) {
            const char *name = tree->classes[c].name, *other = first->classes[c].name;
            if (memcmp(tree->classes[c].colour, first->classes[c].colour, 3) != 0 ||
                (name == NULL) != (other == NULL) || (name != NULL && strcmp(name, other) != 0))
                return BAD_TREE(making, t, "label %u has another colour or name than in %s", c, making->names[0]);
        }
    }
    return SHW_OK;
}

/* The samples of a leaf that vote, class by class; returns their sum. */
static double subtract_bias(const double *counts, uint32_t classes, double bias, double *remaining)
{
    double samples = 0, most = 0, sum = 0, subtracted;

    for (uint32_t c = 0; c < classes; c++) {
        samples += counts[c];
        most = counts[c] > most ? counts[c] : most;
    }
    subtracted = most > bias * samples ? bias * samples : 0;
    for (uint32_t c = 0; c < classes; c++) {
        remaining[c] = counts[c] > subtracted ? counts[c] - subtracted : 0;
        sum += remaining[c];
    }
    return sum;
}

/* CURFIL adds up, over the trees, the shares of a leaf's samples times those of the classes in the training images. The
 * sum of these votes differs from leaf to leaf, and so the weight of trees. */
static void find_votes(const struct making *making, const struct shw_curfil_tree *tree, uint32_t node, double *votes)
{
    const double *counts = tree->histograms + (size_t)node * tree->class_count;
    double samples = subtract_bias(counts, tree->class_count, making->bias, votes), priors = 0;

    for (uint32_t c = 0; c < tree->class_count; c++)
        priors += tree->classes[c].prior;
    for (uint32_t c = 0; c < tree->class_count; c++)
        votes[c] = samples > 0 && priors > 0 ? votes[c] * (tree->classes[c].prior / priors) / samples : 0;
}

/* The largest sum of a leaf's votes in all trees; 1 if there are none. */
static double find_most(const struct making *making, double *votes)
{
    double most = 0;

    for (uint32_t t = 0; t < making->count; t++)
        for (uint32_t n = 0; n < making->trees[t].node_count; n++) {
            double sum = 0;
            if (making->trees[t].nodes[n].is_split)
                continue;
            find_votes(making, &making->trees[t], n, votes);
            for (uint32_t c = 0; c < making->trees[t].class_count; c++)
                sum += votes[c];
            most = sum > most ? sum : most;
        }
    return most > 0 ? most : 1;
}

/* The votes in units of the largest sum, rounded down but for what arithmetic may have lost. All classes get the same
 * part of what is left to 1, so that sums over trees are in the same order. */
static void make_distribution(const double *votes, double most, uint32_t classes, uint16_t *distribution)
{
    uint32_t rest = CERTAIN;

    for (uint32_t c = 0; c < classes; c++) {
        distribution[c] = (uint16_t)(votes[c] / most * CERTAIN + 1e-6);
        rest -= distribution[c];
    }
    for (uint32_t c = 0; c < classes; c++)
        distribution[c] = (uint16_t)(distribution[c] + rest / classes + (c < rest % classes));
}

/* A response that exceeds the threshold is at least the smallest integer above it. */
static int32_t make_threshold(double threshold, double scale)
{
    double above = floor(threshold * scale) + 1;

    return above < INT32_MIN ? INT32_MIN : above > INT32_MAX - 1 ? INT32_MAX - 1 : (int32_t)above;
}

static uint32_t pair_word(int32_t x, int32_t y)
{
    return ((uint32_t)x & 0xffff) | (uint32_t)y << 16;
}

static struct shw_node make_split(const struct making *making, const struct shw_curfil_node *node)
{
    const struct shw_curfil_test *test = &node->test;
    uint32_t head = 1u << SHW_NODE_SECOND_SHIFT | (uint32_t)making->ahead << SHW_CURFIL_AHEAD_SHIFT;
    double scale = SHW_CURFIL_DEPTH_SCALE;
    struct shw_node made = {.is_split = true, .left = node->left, .t1 = INT32_MAX};

    if (test->is_depth) {
        head |= 3u << SHW_NODE_COUNTED_SHIFT;
    } else {
        head |= (COLOUR_CHANNEL + test->channel[0]) | (COLOUR_CHANNEL + test->channel[1]) << SHW_NODE_CHANNEL_BITS;
        scale = (double)(1u << making->channels.channels[COLOUR_CHANNEL].fraction_bits);
    }
    made.feature.words[0] = head;
    for (uint32_t i = 0; i < 2; i++) {
        made.feature.words[1 + 2 * i] = pair_word(test->offset[i][0], test->offset[i][1]);
        made.feature.words[2 + 2 * i] = pair_word(test->region[i][0], test->region[i][1]);
    }
    made.t0 = make_threshold(test->threshold, scale);
    return made;
}

static enum shw_result make_tree(const struct making *making, uint32_t t, double most, double *votes,
                                 struct shw_tree *made)
{
    const struct shw_curfil_tree *tree = &making->trees[t];
    struct shw_node *nodes = calloc(tree->node_count, sizeof *nodes);
    uint16_t *distributions = calloc((size_t)(tree->node_count / 2 + 1) * tree->class_count, sizeof *distributions);
    uint32_t leaves = 0;

    *made = (struct shw_tree){.nodes = nodes, .node_count = tree->node_count, .distributions = distributions};
    if (nodes == NULL || distributions == NULL)
        return shw_fail_memory(making->log, "a tree");
    for (uint32_t n = 0; n < tree->node_count; n++) {
        if (tree->nodes[n].is_split) {
            nodes[n] = make_split(making, &tree->nodes[n]);
            continue;
        }
        find_votes(making, tree, n, votes);
        make_distribution(votes, most, tree->class_count, distributions + (size_t)leaves * tree->class_count);
        nodes[n] = (struct shw_node){.left = n, .leaf = leaves++};
    }
    return SHW_OK;
}

/* Classes without names are called after their colours, as those of label images without a palette. */
static void name_classes(const struct shw_curfil_tree *tree, struct shw_class *classes, char (*names)[8])
{
    for (uint32_t c = 0; c < tree->class_count; c++) {
        const struct shw_curfil_class *class = &tree->classes[c];
        snprintf(names[c], sizeof names[c], "#%02x%02x%02x", class->colour[0], class->colour[1], class->colour[2]);
        classes[c].name = class->name != NULL ? class->name : names[c];
        memcpy(classes[c].colour, class->colour, 3);
    }
}

static enum shw_result create(const struct making *making, const struct shw_tree *made, const char *training,
                              struct shw_forest **forest)
{
    const struct shw_curfil_tree *first = &making->trees[0];
    struct shw_class *classes = calloc(first->class_count, sizeof *classes);
    char(*names)[8] = calloc(first->class_count, sizeof *names);
    enum shw_result result = SHW_ERROR_MEMORY;

    if (classes != NULL && names != NULL) {
        struct shw_forest_params params = {
            .info = {.channels = making->channels.name,
                     .feature = &shw_feature_curfil_difference,
                     .class_count = first->class_count,
                     .classes = classes,
                     .tree_count = making->count,
                     .fill = shw_fill_by_curfil(first->uses_depth && first->fills_depth ? "true" : "false"),
                     .training = training},
            .trees = made};
        if (making->log != NULL)
            params.log = *making->log;
        name_classes(first, classes, names);
        result = shw_forest_create(&params, forest);
    } else {
        shw_fail_memory(making->log, "the classes of a forest");
    }
    free(classes);
    free(names);
    return result;
}

static const char *channels_of(const struct shw_curfil_tree *tree)
{
    if (tree->uses_depth)
        return tree->uses_lab ? "depth,lab-linear" : "depth,rgb";
    return tree->uses_lab ? "constant-depth:1000,lab-linear" : "constant-depth:1000,rgb";
}

enum shw_result shw_curfil_forest_make(const struct shw_curfil_tree *trees, const char *const *names, uint32_t count,
                                       const struct shw_curfil_settings *settings, const char *training,
                                       const struct shw_log *log, struct shw_forest **forest)
{
    struct making making = {.trees = trees, .names = names, .count = count, .log = log};
    struct shw_tree *made = calloc(count, sizeof *made);
    double *votes = calloc(trees[0].class_count, sizeof *votes), most;
    enum shw_result result = SHW_OK;

    making.ahead =
        settings->prediction == SHW_CURFIL_GPU || (settings->prediction == SHW_CURFIL_AS_TRAINED && trees[0].on_gpu);
    making.bias = settings->has_bias ? settings->bias : trees[0].bias;
    if (made == NULL || votes == NULL) {
        result = shw_fail_memory(log, "a forest");
        goto fail;
    }
    SHW_TRY(check_agreement(&making));
    SHW_TRY(shw_channel_list_parse(channels_of(&trees[0]), NULL, log, &making.channels));
    most = find_most(&making, votes);
    for (uint32_t t = 0; t < count; t++)
        SHW_TRY(make_tree(&making, t, most, votes, &made[t]));
    result = create(&making, made, training, forest);

fail:
    for (uint32_t t = 0; made != NULL && t < count; t++) {
        free((void *)(uintptr_t)made[t].nodes);
        free((void *)(uintptr_t)made[t].distributions);
    }
    free(made);
    free(votes);
    return result;
}
