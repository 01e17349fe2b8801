/* Rebuilds an unfinished tree from its tests alone. Its samples are drawn again; evaluating the tree around them gives
 * the leaf of each sample, and so the samples of every node. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dense/feature/evaluate_cpu.h"
#include "dense/train/replay.h"

struct replay {
    struct shw_trainer *trainer;
    const struct shw_tree *tree;
    uint32_t *places; /* [sample]: leaf number, later node number, later place */
    uint32_t *counts; /* [node][class] */
};

/* The samples of an image lie in it. */
static struct shw_rect surround(const struct shw_samples *samples, const uint32_t *listed, uint32_t count)
{
    struct shw_rect rect = {INT32_MAX, INT32_MAX, 0, 0};

    for (uint32_t i = 0; i < count; i++) {
        int32_t x = samples->x[listed[i]], y = samples->y[listed[i]];

        rect.x0 = x < rect.x0 ? x : rect.x0;
        rect.y0 = y < rect.y0 ? y : rect.y0;
        rect.x1 = x >= rect.x1 ? x + 1 : rect.x1;
        rect.y1 = y >= rect.y1 ? y + 1 : rect.y1;
    }
    return rect;
}

/* Finds the leaves of the samples listed, which are those of one image. `planes` are the image's. */
static enum shw_result find_leaves_of(const struct replay *replay, const struct shw_forest *forest, const void *planes,
                                      const uint32_t *listed, uint32_t count)
{
    const struct shw_trainer *trainer = replay->trainer;
    const struct shw_samples *samples = &trainer->builder.samples;
    const struct shw_train_image *image = &trainer->images.images[samples->image[listed[0]]];
    struct shw_rect rect = surround(samples, listed, count);
    uint32_t width = (uint32_t)(rect.x1 - rect.x0), height = (uint32_t)(rect.y1 - rect.y0);
    struct shw_evaluate_tile tile = {.forest = forest,
                                     .planes = planes,
                                     .width = image->width,
                                     .height = image->height,
                                     .image = {0, 0, (int32_t)image->width, (int32_t)image->height},
                                     .x = (uint32_t)rect.x0,
                                     .y = (uint32_t)rect.y0,
                                     .tile_width = width,
                                     .tile_height = height,
                                     .step = 1,
                                     .out_width = width,
                                     .out_height = height};
    uint32_t *leaves = malloc((size_t)width * height * sizeof *leaves);
    enum shw_result result = SHW_ERROR_MEMORY;

    tile.out.tree_leaf = leaves;
    if (leaves != NULL)
        result = shw_evaluate_cpu(&tile, trainer->pool);
    for (uint32_t i = 0; result == SHW_OK && i < count; i++)
        replay->places[listed[i]] = leaves[(size_t)(samples->y[listed[i]] - (uint32_t)rect.y0) * width +
                                           (samples->x[listed[i]] - (uint32_t)rect.x0)];
    free(leaves);
    return result == SHW_OK ? SHW_OK : shw_fail_memory(&trainer->params.log, "a leaf image");
}

/* Finds the leaf of every sample, image by image. `ends`: where the samples of each image end in `listed`. */
static enum shw_result go_through_images(const struct replay *replay, const struct shw_forest *forest,
                                         const uint32_t *listed, const uint32_t *ends)
{
    const struct shw_trainer *trainer = replay->trainer;
    const struct shw_train_images *images = &trainer->images;
    enum shw_result result = SHW_OK;

    for (uint32_t i = 0, first = 0; i < images->count && result == SHW_OK; first = ends[i++]) {
        void *planes = ends[i] > first ? malloc(shw_train_image_bytes(images, i)) : NULL;

        if (ends[i] == first)
            continue;
        if (planes == NULL)
            return shw_fail_memory(&trainer->params.log, "a training image");
        result = shw_train_image_make_planes(&trainer->params, trainer->dataset, images, i, trainer->pool, planes);
        if (result == SHW_OK && shw_train_image_of_planes(images, i) != i)
            shw_train_image_flip_planes(images, i, planes);
        if (result == SHW_OK)
            result = find_leaves_of(replay, forest, planes, listed + first, ends[i] - first);
        free(planes);
    }
    return result;
}

/* Lists the samples by image. */
static void list_by_image(const struct shw_samples *samples, uint32_t image_count, uint32_t *listed, uint32_t *ends)
{
    uint32_t begin = 0;

    memset(ends, 0, image_count * sizeof *ends);
    for (uint32_t s = 0; s < samples->count; s++)
        ends[samples->image[s]]++;
    for (uint32_t i = 0; i < image_count; i++) {
        uint32_t count = ends[i];

        ends[i] = begin;
        begin += count;
    }
    for (uint32_t s = 0; s < samples->count; s++)
        listed[ends[samples->image[s]]++] = s;
}

static enum shw_result find_leaves(const struct replay *replay)
{
    const struct shw_trainer *trainer = replay->trainer;
    const struct shw_samples *samples = &trainer->builder.samples;
    struct shw_forest_params of_tree = {.info = {.channels = trainer->params.channels,
                                                 .kinds = trainer->params.kinds,
                                                 .feature = trainer->params.feature,
                                                 .class_count = trainer->dataset->class_count,
                                                 .tree_count = 1},
                                        .trees = replay->tree,
                                        .log = trainer->params.log};
    uint32_t *listed = malloc(samples->count * sizeof *listed), *ends = malloc(trainer->images.count * sizeof *ends);
    struct shw_forest *forest = NULL;
    enum shw_result result;

    SHW_TRY(listed != NULL && ends != NULL ? SHW_OK : shw_fail_memory(&trainer->params.log, "samples"));
    SHW_TRY(shw_forest_create(&of_tree, &forest));
    list_by_image(samples, trainer->images.count, listed, ends);
    SHW_TRY(go_through_images(replay, forest, listed, ends));

fail:
    shw_forest_destroy(&forest);
    free(listed);
    free(ends);
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
        if (!trainer->params.ferns && (samples_of(replay, node->left) < trainer->params.samples_min ||
                                       samples_of(replay, node->left + 1) < trainer->params.samples_min)) {
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
