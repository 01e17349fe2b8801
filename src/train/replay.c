/* Rebuilds an unfinished tree from its tests alone. Its samples are drawn again; labelling their images with the tree
 * gives the leaf of each sample, and so the samples of every node. */
#include <stdlib.h>
#include <string.h>

#include <shadewood/label.h>

#include "base/log.h"
#include "train/replay.h"

struct replay {
    struct shw_trainer *trainer;
    const struct shw_tree *tree;
    uint32_t *places; /* [sample]: leaf number, later node number, later place */
    uint32_t *counts; /* [node][class] */
};

static enum shw_result label_image(const struct replay *replay, struct shw_labeller *labeller, uint32_t index,
                                   uint32_t *leaves)
{
    const struct shw_trainer *trainer = replay->trainer;
    const struct shw_dataset *dataset = trainer->dataset;
    const struct shw_train_image *image = &trainer->images.images[index];
    struct shw_labelled_image example;
    const struct shw_labelling labelling = {.tree_leaf = leaves};
    struct shw_input inputs[SHW_INPUTS_MAX];
    struct shw_chosen_inputs chosen;
    struct shw_train_views views;
    uint32_t count = 0;
    enum shw_result result;

    SHW_PROPAGATE(shw_train_image_read(&trainer->params, dataset, index % trainer->images.base_count, &example));
    SHW_TRY(shw_inputs_choose_example(&example, &trainer->channels, &trainer->params.log, inputs, &chosen));
    if (example.image.width != image->width || example.image.height != image->height) {
        result = shw_fail(&trainer->params.log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                          "%s changed its size while it was read", example.name);
        goto fail;
    }
    SHW_TRY(shw_train_image_views(&chosen, index >= trainer->images.base_count, &trainer->params.log, &views));
    for (uint32_t i = 0; i < SHW_INPUTS_MAX; i++)
        if (views.chosen.of[i] != NULL) /* in the same order */
            inputs[count++] = *views.chosen.of[i];
    result = shw_labeller_run(labeller, &(struct shw_inputs){count, inputs}, &labelling);
    shw_train_image_views_free(&views);

fail:
    dataset->release(dataset->user, &example);
    return result;
}

/* Finds the leaf of every sample. Samples of one image are consecutive. */
static enum shw_result find_leaves(const struct replay *replay)
{
    const struct shw_trainer *trainer = replay->trainer;
    const struct shw_samples *samples = &trainer->builder.samples;
    uint32_t *leaves = NULL, last = UINT32_MAX;
    struct shw_forest_params of_tree = {.info = {.channels = trainer->params.channels,
                                                 .kinds = trainer->params.kinds,
                                                 .feature = trainer->params.feature,
                                                 .class_count = trainer->dataset->class_count,
                                                 .tree_count = 1},
                                        .trees = replay->tree,
                                        .log = trainer->params.log};
    struct shw_labeller_params params = {.outputs = SHW_OUTPUT_TREE_LEAF,
                                         .channels = SHW_TECHNIQUE_CPU,
                                         .integrate = SHW_TECHNIQUE_CPU,
                                         .evaluate = SHW_TECHNIQUE_CPU,
                                         .threads = trainer->params.threads,
                                         .log = trainer->params.log};
    struct shw_labeller *labeller = NULL;
    struct shw_forest *forest = NULL;
    enum shw_result result;

    SHW_TRY(shw_forest_create(&of_tree, &forest));
    params.forest = forest;
    SHW_TRY(shw_labeller_create(&params, &labeller));
    for (uint32_t s = 0; s < samples->count; s++) {
        const struct shw_train_image *image = &trainer->images.images[samples->image[s]];
        if (samples->image[s] != last) {
            last = samples->image[s];
            free(leaves);
            leaves = malloc((size_t)image->width * image->height * sizeof *leaves);
            if (leaves == NULL) {
                result = shw_fail_memory(&trainer->params.log, "a leaf image");
                goto fail;
            }
            SHW_TRY(label_image(replay, labeller, last, leaves));
        }
        replay->places[s] = leaves[(size_t)samples->y[s] * image->width + samples->x[s]];
    }

fail:
    free(leaves);
    shw_labeller_destroy(&labeller);
    shw_forest_destroy(&forest);
    return result;
}

/* Converts leaf numbers of samples to node numbers, and counts. Children follow their parents. */
static enum shw_result count_samples(const struct replay *replay)
{
    const struct shw_samples *samples = &replay->trainer->builder.samples;
    const struct shw_tree *tree = replay->tree;
    size_t classes = replay->trainer->dataset->class_count;
    uint32_t *node_of_leaf = malloc((tree->node_count / 2 + 1) * sizeof *node_of_leaf);

    if (node_of_leaf == NULL)
        return shw_fail_memory(&replay->trainer->params.log, "a tree");
    for (uint32_t n = 0; n < tree->node_count; n++)
        if (!tree->nodes[n].is_split)
            node_of_leaf[tree->nodes[n].leaf] = n;
    for (uint32_t s = 0; s < samples->count; s++) {
        replay->places[s] = node_of_leaf[replay->places[s]];
        replay->counts[replay->places[s] * classes + samples->label[s]]++;
    }
    for (uint32_t n = tree->node_count; n-- > 0;)
        for (size_t c = 0; tree->nodes[n].is_split && c < classes; c++)
            replay->counts[n * classes + c] = replay->counts[tree->nodes[n].left * classes + c] +
                                              replay->counts[(tree->nodes[n].left + 1) * classes + c];
    free(node_of_leaf);
    return SHW_OK;
}

static uint32_t samples_of(const struct replay *replay, uint32_t node)
{
    size_t classes = replay->trainer->dataset->class_count;
    uint32_t all = 0;

    for (size_t c = 0; c < classes; c++)
        all += replay->counts[node * classes + c];
    return all;
}

/* Makes the splits of a round. Sets *same to false if training would not have made them. */
static enum shw_result replay_round(const struct replay *replay, bool *same)
{
    struct shw_trainer *trainer = replay->trainer;
    const struct shw_tree_builder *builder = &trainer->builder;
    uint32_t open_count = builder->open_count, made;
    size_t classes = trainer->dataset->class_count;
    struct shw_split *splits = calloc(open_count, sizeof *splits);
    uint32_t *child_counts = calloc(2 * open_count * classes, sizeof *child_counts);
    enum shw_result result = SHW_ERROR_MEMORY;

    if (splits == NULL || child_counts == NULL) {
        shw_fail_memory(&trainer->params.log, "a training round");
        goto fail;
    }
    for (uint32_t o = 0; o < open_count && builder->open[o].node < replay->tree->node_count; o++) {
        const struct shw_node *node = &replay->tree->nodes[builder->open[o].node];
        splits[o] =
            (struct shw_split){.found = node->is_split, .t0 = node->t0, .t1 = node->t1, .feature = node->feature};
        if (!node->is_split)
            continue;
        memcpy(child_counts + 2 * o * classes, replay->counts + node->left * classes,
               2 * classes * sizeof *child_counts);
        if (samples_of(replay, node->left) < trainer->params.samples_min ||
            samples_of(replay, node->left + 1) < trainer->params.samples_min) {
            *same = false;
            result = SHW_OK;
            goto fail;
        }
    }
    SHW_TRY(shw_tree_builder_apply(trainer, splits, child_counts, &made));

fail:
    free(splits);
    free(child_counts);
    return result;
}

/* Whether the tree built is the given one. */
static bool compare(const struct replay *replay)
{
    const struct shw_tree_builder *builder = &replay->trainer->builder;
    size_t classes = replay->trainer->dataset->class_count;

    if (builder->node_count != replay->tree->node_count || builder->open_count == 0)
        return false;
    for (uint32_t n = 0; n < builder->node_count; n++) {
        const struct shw_node *node = &replay->tree->nodes[n];
        if (node->is_split != builder->nodes[n].is_split)
            return false;
        if (!node->is_split && memcmp(replay->tree->distributions + node->leaf * classes,
                                      builder->distributions + n * classes, classes * sizeof(uint16_t)) != 0)
            return false;
    }
    return true;
}

/* Sorts the samples by node. The samples of a split are those of its left child, then those of its right one. */
static enum shw_result sort_samples(const struct replay *replay)
{
    const struct shw_tree *tree = replay->tree;
    struct shw_samples *samples = &replay->trainer->builder.samples;
    uint32_t *next = calloc(tree->node_count, sizeof *next), *scratch = malloc(samples->count * sizeof *scratch);
    enum shw_result result = SHW_OK;

    if (next == NULL || scratch == NULL) {
        result = shw_fail_memory(&replay->trainer->params.log, "samples");
        goto end;
    }
    for (uint32_t n = 0; n < tree->node_count; n++)
        if (tree->nodes[n].is_split) {
            next[tree->nodes[n].left] = next[n];
            next[tree->nodes[n].left + 1] = next[n] + samples_of(replay, tree->nodes[n].left);
        }
    for (uint32_t s = 0; s < samples->count; s++)
        replay->places[s] = next[replay->places[s]]++;
    shw_samples_move(samples, replay->trainer->pool, replay->places, scratch);

end:
    free(next);
    free(scratch);
    return result;
}

enum shw_result shw_tree_builder_replay(struct shw_trainer *trainer, const struct shw_tree *tree, uint32_t depth,
                                        bool *same)
{
    struct replay replay = {.trainer = trainer, .tree = tree};
    enum shw_result result;

    *same = true;
    SHW_TRY(shw_tree_builder_begin(trainer));
    replay.places = malloc(trainer->builder.samples.count * sizeof *replay.places);
    replay.counts = calloc((size_t)tree->node_count * trainer->dataset->class_count, sizeof *replay.counts);
    if (replay.places == NULL || replay.counts == NULL) {
        result = shw_fail_memory(&trainer->params.log, "a tree");
        goto fail;
    }
    SHW_TRY(find_leaves(&replay));
    SHW_TRY(count_samples(&replay));
    while (*same && trainer->builder.depth < depth && trainer->builder.open_count > 0)
        SHW_TRY(replay_round(&replay, same));
    *same = *same && compare(&replay);
    if (!*same)
        goto fail;
    SHW_TRY(sort_samples(&replay));

fail:
    free(replay.places);
    free(replay.counts);
    return result;
}
