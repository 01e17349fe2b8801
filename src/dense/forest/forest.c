#include "dense/forest/forest.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "dense/channels/fill.h"
#include "dense/channels/posterior.h"
#include "dense/feature/feature_code.h"
#include "dense/forest/ferns.h"
#include "dense/smooth/smooth.h"

/* The layout of the texture. */

#define WIDTH_MIN 16u

static uint64_t rows_of(uint64_t texels, uint32_t width)
{
    return (texels + width - 1) / width;
}

static uint64_t count_rows(const struct shw_forest_tree *trees, uint32_t tree_count, uint64_t distribution_texels,
                           uint32_t width)
{
    uint64_t rows = rows_of(1 + (uint64_t)tree_count, width) + rows_of(distribution_texels, width);

    for (uint32_t t = 0; t < tree_count; t++)
        rows += rows_of((uint64_t)SHW_NODE_TEXELS * trees[t].node_count, width);
    return rows;
}

bool shw_forest_place(struct shw_forest_tree *trees, uint32_t tree_count, uint32_t class_count,
                      struct shw_forest_layout *layout)
{
    uint64_t leaves = 0, distribution_texels, rows, row;
    uint32_t width = WIDTH_MIN;

    for (uint32_t t = 0; t < tree_count; t++)
        leaves += trees[t].leaf_count;
    distribution_texels = leaves * SHW_DISTRIBUTION_TEXELS(class_count);

    /* the narrowest texture that is not taller than wide: sampling stays local and small forests stay small */
    rows = count_rows(trees, tree_count, distribution_texels, width);
    while (rows > width && width < SHW_TEXTURE_SIZE_MAX) {
        width *= 2;
        rows = count_rows(trees, tree_count, distribution_texels, width);
    }
    if (rows > (uint64_t)SHW_TEXTURE_SIZE_MAX * SHW_TEXTURE_LAYERS_MAX)
        return false;

    layout->width = width;
    layout->height = rows < SHW_TEXTURE_SIZE_MAX ? (uint32_t)rows : SHW_TEXTURE_SIZE_MAX;
    layout->layers = (uint32_t)rows_of(rows, SHW_TEXTURE_SIZE_MAX);
    layout->leaf_count = (uint32_t)leaves;
    row = rows_of(1 + (uint64_t)tree_count, width);
    leaves = 0;
    for (uint32_t t = 0; t < tree_count; t++) {
        trees[t].first = (uint32_t)(row * width);
        trees[t].first_leaf = (uint32_t)leaves;
        row += rows_of((uint64_t)SHW_NODE_TEXELS * trees[t].node_count, width);
        leaves += trees[t].leaf_count;
    }
    layout->distributions = (uint32_t)(row * width);
    return true;
}

uint32_t shw_forest_texel_count(const struct shw_forest_layout *layout)
{
    return layout->width * layout->height * layout->layers;
}

/* From nodes to texels. */

static void pack_node(uint32_t *words, const struct shw_node *node)
{
    words[0] = node->left;
    words[1] = node->feature.words[0] | (uint32_t)node->is_split << SHW_NODE_SPLIT_SHIFT;
    words[2] = node->is_split ? (uint32_t)node->t0 : node->leaf;
    words[3] = (uint32_t)node->t1;
    memcpy(words + 4, node->feature.words + 1, 4 * sizeof *words);
}

static enum shw_result pack_tree(struct shw_forest *forest, uint32_t t, const struct shw_tree *tree,
                                 const struct shw_model_source *source)
{
    uint32_t *words = forest->texels + (size_t)4 * forest->trees[t].first;
    size_t leaf_words = (size_t)4 * SHW_DISTRIBUTION_TEXELS(forest->info.class_count);
    uint32_t *leaf =
        forest->texels + (size_t)4 * forest->layout.distributions + leaf_words * forest->trees[t].first_leaf;

    for (uint32_t n = 0; n < tree->node_count; n++) {
        const struct shw_node *node = &tree->nodes[n];
        if ((node->feature.words[0] >> SHW_NODE_SPLIT_SHIFT & 1) != 0)
            return shw_fail(source->log, SHW_ERROR_FORMAT, SHW_LOG_FOREST_FEATURE,
                            "%s: tree %u, node %u: bit %u of a feature is set", source->name, t, n,
                            SHW_NODE_SPLIT_SHIFT);
        if (node->is_split ? node->leaf != 0 : node->t0 != 0)
            return SHW_BAD_TREE(source, "tree %u, node %u: a %s is not zero", t, n,
                                node->is_split ? "split's leaf number" : "leaf's threshold");
        pack_node(words + (size_t)4 * SHW_NODE_TEXELS * n, node);
    }
    for (uint32_t l = 0; l < forest->trees[t].leaf_count; l++)
        memcpy(leaf + leaf_words * l, tree->distributions + (size_t)l * forest->info.class_count,
               sizeof(uint16_t) * forest->info.class_count);
    return SHW_OK;
}

/* Writes the trees into zeroed, placed texels. Refuses what the texture cannot represent. */
static enum shw_result pack(struct shw_forest *forest, const struct shw_tree *trees,
                            const struct shw_model_source *source)
{
    uint32_t *words = forest->texels;

    words[0] = forest->info.tree_count;
    words[1] = forest->info.class_count;
    words[2] = forest->layout.distributions;
    words[3] = forest->layout.leaf_count;
    for (uint32_t t = 0; t < forest->info.tree_count; t++) {
        SHW_PROPAGATE(pack_tree(forest, t, &trees[t], source));
        words = forest->texels + (size_t)4 * (1 + t);
        words[0] = forest->trees[t].first;
        words[1] = forest->trees[t].node_count;
        words[3] = forest->trees[t].first_leaf;
    }
    return SHW_OK;
}

/* Votes of trees. The votes take the place of the distributions in the texture, so that evaluation, which adds the
 * values of leaves, counts them. */

static size_t leaf_words(const struct shw_forest *forest)
{
    return (size_t)4 * SHW_DISTRIBUTION_TEXELS(forest->info.class_count);
}

static size_t distribution_words(const struct shw_forest *forest)
{
    return leaf_words(forest) * forest->layout.leaf_count;
}

static uint32_t *evaluated(const struct shw_forest *forest)
{
    return forest->texels + (size_t)4 * forest->layout.distributions;
}

static void vote(uint16_t *values, uint32_t classes)
{
    uint32_t best = 0;

    for (uint32_t c = 1; c < classes; c++)
        if (values[c] > values[best])
            best = c;
    memset(values, 0, classes * sizeof *values);
    values[best] = 65535;
}

bool shw_forest_set_votes(struct shw_forest *forest)
{
    size_t words = distribution_words(forest);

    if (forest->info.combine != SHW_COMBINE_VOTE)
        return true;
    forest->trained = malloc(words * sizeof *forest->trained);
    if (forest->trained == NULL)
        return false;
    memcpy(forest->trained, evaluated(forest), words * sizeof *forest->trained);
    for (uint32_t l = 0; l < forest->layout.leaf_count; l++)
        vote((uint16_t *)(void *)(evaluated(forest) + l * leaf_words(forest)), forest->info.class_count);
    return true;
}

uint32_t *shw_forest_copy_texels(const struct shw_forest *forest)
{
    size_t bytes = (size_t)16 * shw_forest_texel_count(&forest->layout);
    uint32_t *texels = malloc(bytes);

    if (texels == NULL)
        return NULL;
    memcpy(texels, forest->texels, bytes);
    if (forest->trained != NULL)
        memcpy(texels + (size_t)4 * forest->layout.distributions, forest->trained,
               distribution_words(forest) * sizeof *texels);
    return texels;
}

static const uint16_t *leaf_of(const struct shw_forest *forest, const uint32_t *leaves, uint32_t tree, uint32_t leaf)
{
    size_t number = (size_t)forest->trees[tree].first_leaf + leaf;

    return (const uint16_t *)(const void *)(leaves + leaf_words(forest) * number);
}

const uint16_t *shw_forest_get_values(const struct shw_forest *forest, uint32_t tree, uint32_t leaf)
{
    return leaf_of(forest, evaluated(forest), tree, leaf);
}

const uint16_t *shw_forest_get_distribution(const struct shw_forest *forest, uint32_t tree, uint32_t leaf)
{
    if (forest == NULL)
        return NULL;

    return leaf_of(forest, forest->trained != NULL ? forest->trained : evaluated(forest), tree, leaf);
}

/* The forest texture in reverse: from a texel to its meaning. */

/* The tree that contains texel, or leaf, number `index` of the whole forest; trees are in order of both. */
static uint32_t find_tree(const struct shw_forest *forest, uint32_t index, bool by_leaf)
{
    uint32_t low = 0, high = forest->info.tree_count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        uint32_t first = by_leaf ? forest->trees[middle].first_leaf : forest->trees[middle].first;
        if (first <= index)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static struct shw_texel find_node(const struct shw_forest *forest, uint32_t index)
{
    uint32_t tree = find_tree(forest, index, false), texel = index - forest->trees[tree].first;
    struct shw_texel found = {.kind = texel % SHW_NODE_TEXELS == 0 ? SHW_TEXEL_NODE : SHW_TEXEL_FEATURE,
                              .tree = tree,
                              .node = texel / SHW_NODE_TEXELS};

    if (found.node >= forest->trees[tree].node_count)
        return (struct shw_texel){0};
    found.leaf = shw_forest_get_node(forest, tree, found.node).leaf;
    return found;
}

struct shw_texel shw_forest_get_texel(const struct shw_forest *forest, uint32_t index)
{
    if (forest == NULL)
        return (struct shw_texel){.kind = SHW_TEXEL_HEADER};

    uint32_t texels = SHW_DISTRIBUTION_TEXELS(forest->info.class_count), leaf;
    struct shw_texel texel = {.kind = SHW_TEXEL_DISTRIBUTION};

    if (index == 0)
        return (struct shw_texel){.kind = SHW_TEXEL_HEADER};
    if (index <= forest->info.tree_count)
        return (struct shw_texel){.kind = SHW_TEXEL_TREE, .tree = index - 1};
    if (index < forest->trees[0].first)
        return (struct shw_texel){0};
    if (index < forest->layout.distributions)
        return find_node(forest, index);
    leaf = (index - forest->layout.distributions) / texels;
    if (leaf >= forest->layout.leaf_count)
        return (struct shw_texel){0};
    texel.tree = find_tree(forest, leaf, true);
    texel.leaf = leaf - forest->trees[texel.tree].first_leaf;
    texel.node = forest->leaf_nodes[leaf];
    texel.first_class = (index - forest->layout.distributions) % texels * SHW_CLASSES_PER_TEXEL;
    return texel;
}

/* The number of a named list, from 1; 0 for other lists. */
static uint32_t named_channels(const struct shw_forest_info *info)
{
    const char *name;

    for (uint32_t i = 0; (name = shw_channel_list_get_name(i)) != NULL; i++)
        if (strcmp(name, info->channels) == 0)
            return i + 1;
    return 0;
}

bool shw_forest_set_hash(struct shw_forest *forest)
{
    const struct shw_forest_info *info = &forest->info;
    uint32_t number = shw_feature_type_number(info->feature);
    uint32_t meaning[] = {named_channels(info), number, info->class_count};
    XXH3_state_t *state = XXH3_createState();

    if (state == NULL)
        return false;
    XXH3_64bits_reset(state);
    XXH3_64bits_update(state, meaning, sizeof meaning);
    if (meaning[0] == 0)
        XXH3_64bits_update(state, info->channels, strlen(info->channels) + 1);
    if (number == 0)
        XXH3_64bits_update(state, info->feature->name, strlen(info->feature->name) + 1);
    for (uint32_t c = 0; c < info->class_count; c++) {
        XXH3_64bits_update(state, info->classes[c].name, strlen(info->classes[c].name) + 1);
        XXH3_64bits_update(state, info->classes[c].colour, 3);
    }
    if (info->combine == SHW_COMBINE_VOTE)
        XXH3_64bits_update(state, "vote", sizeof "vote");
    if (info->fill != SHW_FILL_NONE) {
        XXH3_64bits_update(state, "fill ", strlen("fill "));
        XXH3_64bits_update(state, shw_fill_names[info->fill], strlen(shw_fill_names[info->fill]) + 1);
    }
    if (info->smoothing.radius > 0) {
        uint32_t smoothing[] = {info->smoothing.radius, info->smoothing.epsilon};
        XXH3_64bits_update(state, "smooth ", strlen("smooth "));
        XXH3_64bits_update(state, smoothing, sizeof smoothing);
    }
    if (info->below != NULL) {
        XXH3_64bits_update(state, "below", sizeof "below");
        XXH3_64bits_update(state, &info->below->hash, sizeof info->below->hash);
    }
    XXH3_64bits_update(state, forest->texels, (size_t)16 * shw_forest_texel_count(&forest->layout));
    forest->hash = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return true;
}

static enum shw_result set_sizes(struct shw_forest *forest, const struct shw_forest_params *params,
                                 const struct shw_model_source *source)
{
    forest->info.tree_count = params->info.tree_count;
    forest->trees = calloc(forest->info.tree_count, sizeof *forest->trees);
    if (forest->trees == NULL)
        return shw_fail_memory(source->log, "the trees of a forest");
    for (uint32_t t = 0; t < forest->info.tree_count; t++) {
        const struct shw_tree *tree = &params->trees[t];
        if (tree->nodes == NULL || tree->distributions == NULL)
            return shw_fail(source->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                            "%s: tree %u has no nodes or no distributions", source->name, t);
        if (tree->node_count > SHW_NODES_MAX)
            return shw_fail(source->log, SHW_ERROR_LIMIT, SHW_LOG_FOREST_STRUCTURE,
                            "%s: tree %u has %u nodes; at most %u are supported", source->name, t, tree->node_count,
                            SHW_NODES_MAX);
        if (tree->node_count % 2 != 1)
            return SHW_BAD_TREE(source,
                                "tree %u has %u nodes; the number must be odd, since every split has two children", t,
                                tree->node_count);
        if (tree->leaf_count > tree->node_count / 2 + 1)
            return SHW_BAD_TREE(source, "tree %u has %u leaf numbers, but only %u leaves", t, tree->leaf_count,
                                tree->node_count / 2 + 1);
        forest->trees[t].node_count = tree->node_count;
        forest->trees[t].leaf_count = tree->leaf_count > 0 ? tree->leaf_count : tree->node_count / 2 + 1;
    }
    if (!shw_forest_place(forest->trees, forest->info.tree_count, forest->info.class_count, &forest->layout))
        return shw_fail(source->log, SHW_ERROR_LIMIT, SHW_LOG_FOREST_STRUCTURE,
                        "%s: trees and leaves take more than %u layers of %u x %u texels; use fewer or smaller trees",
                        source->name, SHW_TEXTURE_LAYERS_MAX, SHW_TEXTURE_SIZE_MAX, SHW_TEXTURE_SIZE_MAX);
    return SHW_OK;
}

static enum shw_result set_texture(struct shw_forest *forest, const struct shw_forest_params *params,
                                   const struct shw_model_source *source)
{
    SHW_PROPAGATE(set_sizes(forest, params, source));
    forest->texels = calloc(shw_forest_texel_count(&forest->layout), 16);
    if (forest->texels == NULL)
        return shw_fail_memory(source->log, "a forest texture");
    SHW_PROPAGATE(pack(forest, params->trees, source));
    SHW_PROPAGATE(shw_forest_check(forest, source));
    for (uint32_t t = 0; t < forest->info.tree_count; t++)
        forest->texels[4 * (1 + (size_t)t) + 2] = forest->trees[t].depth;
    if (!shw_forest_set_hash(forest) || !shw_forest_set_votes(forest) || !shw_forest_find_ferns(forest))
        return shw_fail_memory(source->log, "a forest");
    return SHW_OK;
}

enum shw_result shw_forest_create_abi(uint32_t abi, const struct shw_forest_params *params, struct shw_forest **out)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(NULL, params);
    SHW_REFUSE_NULL(&params->log, out);

    struct shw_model_source source;
    struct shw_forest *forest;
    enum shw_result result;

    source = shw_model_source(&shw_forest_model, NULL, &params->log);
    if (params->trees == NULL || params->info.tree_count < 1)
        return shw_fail(source.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "a forest needs at least one tree");
    if (params->info.tree_count > SHW_TREES_MAX)
        return shw_fail(source.log, SHW_ERROR_LIMIT, SHW_LOG_FOREST_STRUCTURE,
                        "forest: %u trees; at most %u are supported", params->info.tree_count, SHW_TREES_MAX);
    forest = calloc(1, sizeof *forest);
    if (forest == NULL)
        return shw_fail_memory(source.log, "a forest");
    result = shw_forest_set_info(forest, &params->info, &source);
    if (result == SHW_OK)
        result = shw_forest_set_below(forest, params->info.below, &source);
    if (result == SHW_OK)
        result = set_texture(forest, params, &source);
    if (result == SHW_OK)
        *out = forest;
    else
        shw_forest_destroy(&forest);
    return result;
}

void shw_forest_destroy(struct shw_forest **handle)
{
    struct shw_forest *forest = handle != NULL ? *handle : NULL;

    if (forest == NULL)
        return;
    *handle = NULL;
    if (atomic_fetch_sub(&forest->references, 1) > 0)
        return;
    shw_forest_destroy(&forest->below);
    free(forest->ferns);
    free(forest->leaf_nodes);
    free(forest->texels);
    free(forest->trained);
    free(forest->trees);
    free(forest->training);
    free(forest->names);
    free(forest->classes);
    free(forest);
}

struct shw_forest *shw_forest_hold(const struct shw_forest *forest)
{
    struct shw_forest *held = (struct shw_forest *)(uintptr_t)forest;

    if (held != NULL)
        atomic_fetch_add(&held->references, 1);
    return held;
}

const struct shw_forest_info *shw_forest_get_info(const struct shw_forest *forest)
{
    return forest != NULL ? &forest->info : NULL;
}

struct shw_tree_info shw_forest_get_tree(const struct shw_forest *forest, uint32_t tree)
{
    if (forest == NULL)
        return (struct shw_tree_info){0};

    const struct shw_forest_tree *place = &forest->trees[tree];

    return (struct shw_tree_info){
        .node_count = place->node_count, .leaf_count = place->leaf_count, .depth = place->depth};
}

struct shw_node shw_forest_get_node(const struct shw_forest *forest, uint32_t tree, uint32_t node)
{
    if (forest == NULL)
        return (struct shw_node){0};

    const uint32_t *words = forest->texels + (size_t)4 * (forest->trees[tree].first + SHW_NODE_TEXELS * node);
    struct shw_node out = {.is_split = (words[1] >> SHW_NODE_SPLIT_SHIFT & 1u) != 0, .left = words[0]};

    if (!out.is_split) {
        out.leaf = words[2];
        return out;
    }
    out.t0 = (int32_t)words[2];
    out.t1 = (int32_t)words[3];
    out.feature = shw_feature_of_node(words);
    return out;
}

uint32_t shw_forest_get_reach(const struct shw_forest *forest)
{
    struct shw_smooth_windows windows;
    uint32_t reach;

    if (forest == NULL || forest->reach == SHW_REACH_ALL)
        return forest != NULL ? SHW_REACH_ALL : 0;
    windows = shw_smooth_windows_of(&forest->info.smoothing);
    reach = forest->reach + shw_smooth_reach(&windows);
    if (forest->below != NULL)
        reach += shw_forest_get_reach(forest->below) + forest->below->channels.radius;
    return reach < SHW_REACH_ALL ? reach : SHW_REACH_ALL;
}

struct shw_forest_texture shw_forest_get_texture(const struct shw_forest *forest)
{
    if (forest == NULL)
        return (struct shw_forest_texture){0};

    return (struct shw_forest_texture){forest->texels, forest->layout.width, forest->layout.height,
                                       forest->layout.layers};
}

uint64_t shw_forest_hash(const struct shw_forest *forest)
{
    return forest != NULL ? forest->hash : 0;
}

const char *shw_forest_get_input(const struct shw_forest *forest, uint32_t index)
{
    if (forest == NULL)
        return NULL;

    const struct shw_channel_list *list = shw_forest_get_info(forest)->channel_list;

    for (uint32_t i = 0; i < list->input_count; i++)
        if (!shw_posterior_is_name(list->inputs[i]) && index-- == 0)
            return list->inputs[i];
    return NULL;
}

void shw_tree_free(struct shw_tree *tree)
{
    free((void *)(uintptr_t)tree->nodes);
    free((void *)(uintptr_t)tree->distributions);
    *tree = (struct shw_tree){0};
}

bool shw_forest_copy_tree(const struct shw_forest *forest, uint32_t tree, struct shw_tree *copy)
{
    const struct shw_tree_info info = shw_forest_get_tree(forest, tree);
    const size_t classes = forest->info.class_count;
    struct shw_node *nodes = malloc(info.node_count * sizeof *nodes);
    uint16_t *distributions = malloc(info.leaf_count * classes * sizeof *distributions);

    *copy = (struct shw_tree){nodes, info.node_count, distributions, info.leaf_count};
    if (nodes == NULL || distributions == NULL)
        return false;
    for (uint32_t n = 0; n < info.node_count; n++)
        nodes[n] = shw_forest_get_node(forest, tree, n);
    for (uint32_t l = 0; l < info.leaf_count; l++)
        memcpy(distributions + l * classes, shw_forest_get_distribution(forest, tree, l),
               classes * sizeof *distributions);
    return true;
}

void shw_forest_free_trees(struct shw_tree *trees, uint32_t count)
{
    for (uint32_t t = 0; trees != NULL && t < count; t++)
        shw_tree_free(&trees[t]);
    free(trees);
}

struct shw_smoothing shw_forest_smoothing(const struct shw_forest_info *info, const struct shw_smoothing *given)
{
    struct shw_smoothing smoothing = given->radius == 0 ? info->smoothing : *given;

    if (smoothing.radius == 0 || smoothing.radius == SHW_SMOOTHING_NONE)
        return (struct shw_smoothing){0};
    if (smoothing.epsilon == 0)
        smoothing.epsilon = SHW_SMOOTHING_EPSILON_DEFAULT;
    return smoothing;
}

/* The provenance with other smoothing, to be freed with free(); NULL if memory is exhausted. */
static char *change_provenance(const char *training, const struct shw_smoothing *smoothing)
{
    json_t *provenance = json_loads(training, 0, NULL);
    char *text;

    if (smoothing->radius > 0)
        json_object_set_new(provenance, "smooth", json_pack("[i, i]", (int)smoothing->radius, (int)smoothing->epsilon));
    else
        json_object_del(provenance, "smooth");
    text = json_dumps(provenance, SHW_MODEL_JSON_FLAGS);
    json_decref(provenance);
    return text;
}

enum shw_result shw_forest_with_smoothing(const struct shw_forest *forest, struct shw_smoothing smoothing,
                                          const struct shw_log *log, struct shw_forest **made)
{
    const struct shw_forest_info none = {.smoothing = {0}};
    struct shw_forest_params params = {.info = forest->info};
    struct shw_tree *trees = calloc(forest->info.tree_count, sizeof *trees);
    char *training;
    bool fine = trees != NULL;
    enum shw_result result;

    if (log != NULL)
        params.log = *log;
    for (uint32_t t = 0; fine && t < forest->info.tree_count; t++)
        fine = shw_forest_copy_tree(forest, t, &trees[t]);
    params.info.smoothing = shw_forest_smoothing(&none, &smoothing);
    params.info.training = training = change_provenance(forest->info.training, &params.info.smoothing);
    params.trees = trees;
    result = fine && training != NULL ? shw_forest_create(&params, made) : shw_fail_memory(log, "a forest");
    shw_forest_free_trees(trees, forest->info.tree_count);
    free(training);
    return result;
}

bool shw_forest_is_checkpoint(const struct shw_forest *forest)
{
    json_t *training = json_loads(forest->info.training, 0, NULL);
    const bool is_checkpoint = json_object_get(training, SHW_CHECKPOINT_MEMBER) != NULL;

    json_decref(training);
    return is_checkpoint;
}
