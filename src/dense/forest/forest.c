#include "dense/forest/forest.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "dense/feature/feature_code.h"
#include "dense/forest/ferns.h"

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
    if (info->fill == SHW_FILL_SIMPLE)
        XXH3_64bits_update(state, "fill simple", sizeof "fill simple");
    XXH3_64bits_update(state, forest->texels, (size_t)16 * shw_forest_texel_count(&forest->layout));
    forest->hash = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return true;
}

static enum shw_result set_sizes(struct shw_forest *forest, const struct shw_forest_params *params,
                                 const struct shw_forest_source *source)
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
            return shw_fail(source->log, SHW_ERROR_FORMAT, SHW_LOG_FOREST_STRUCTURE,
                            "%s: tree %u has %u nodes; the number must be odd, since every split has two children",
                            source->name, t, tree->node_count);
        if (tree->leaf_count > tree->node_count / 2 + 1)
            return shw_fail(source->log, SHW_ERROR_FORMAT, SHW_LOG_FOREST_STRUCTURE,
                            "%s: tree %u has %u leaf numbers, but only %u leaves", source->name, t, tree->leaf_count,
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
                                   const struct shw_forest_source *source)
{
    SHW_PROPAGATE(set_sizes(forest, params, source));
    forest->texels = calloc(shw_forest_texel_count(&forest->layout), 16);
    if (forest->texels == NULL)
        return shw_fail_memory(source->log, "a forest texture");
    SHW_PROPAGATE(shw_forest_pack(forest, params->trees, source));
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

    struct shw_forest_source source = {.name = "forest"};
    struct shw_forest *forest;
    enum shw_result result;

    source.log = &params->log;
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
    free(forest->ferns);
    free(forest->leaf_nodes);
    free(forest->texels);
    free(forest->trained);
    free(forest->trees);
    free(forest->training);
    free(forest->names);
    free(forest->classes);
    free(forest);
    *handle = NULL;
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
    return forest != NULL ? forest->reach : 0;
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

    return index < list->input_count ? list->inputs[index] : NULL;
}
