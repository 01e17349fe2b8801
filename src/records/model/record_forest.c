#include "records/model/record_forest.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/provenance.h"

static void hash_names(XXH3_state_t *state, const char *const *names, uint32_t count)
{
    for (uint32_t i = 0; names != NULL && i < count; i++)
        XXH3_64bits_update(state, names[i], strlen(names[i]) + 1);
}

/* Equal floating-point numbers have equal bits: the scale is above zero. */
static bool set_hash(struct shw_record_forest *forest)
{
    const struct shw_record_forest_info *info = &forest->info;
    uint32_t meaning[] = {(uint32_t)info->task,      (uint32_t)info->link,          info->mean,
                          info->class_count,         (uint32_t)info->fraction_bits, info->attribute_names != NULL,
                          info->output_names != NULL};
    XXH3_state_t *state = XXH3_createState();

    if (state == NULL)
        return false;
    XXH3_64bits_reset(state);
    XXH3_64bits_update(state, meaning, sizeof meaning);
    XXH3_64bits_update(state, &info->link_scale, sizeof info->link_scale);
    hash_names(state, info->attribute_names, info->attribute_count);
    hash_names(state, info->class_names, info->class_count);
    hash_names(state, info->output_names, info->output_count);
    XXH3_64bits_update(state, info->base, info->output_count * sizeof *info->base);
    XXH3_64bits_update(state, &info->cut, sizeof info->cut);
    XXH3_64bits_update(state, forest->texels, (size_t)16 * forest->width * forest->height * forest->layers);
    forest->hash = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return true;
}

static void *copy(const void *from, size_t count, size_t size)
{
    void *to = malloc(count * size);

    if (to != NULL)
        memcpy(to, from, count * size);
    return to;
}

/* What info does not give, where that has a meaning of its own. */
static void set_defaults(struct shw_record_forest_info *info)
{
    if (info->link_scale == 0)
        info->link_scale = 1;
}

/* False if out of memory. */
static bool copy_names(struct shw_record_forest *forest, const struct shw_record_forest_info *info)
{
    if (info->attribute_names != NULL)
        forest->info.attribute_names = forest->attribute_names =
            shw_record_names_copy(info->attribute_names, info->attribute_count);
    if (info->class_count > 0)
        forest->info.class_names = forest->class_names = shw_record_names_copy(info->class_names, info->class_count);
    if (info->output_names != NULL)
        forest->info.output_names = forest->output_names =
            shw_record_names_copy(info->output_names, info->output_count);
    return (info->attribute_names == NULL || forest->attribute_names != NULL) &&
           (info->class_count == 0 || forest->class_names != NULL) &&
           (info->output_names == NULL || forest->output_names != NULL);
}

/* Of counts that have been checked. False if out of memory. */
static bool copy_arrays(struct shw_record_forest *forest, const struct shw_record_forest_info *info)
{
    struct shw_record_forest_info *own = &forest->info;

    *own = *info;
    set_defaults(own);
    own->base = forest->base = info->base != NULL ? copy(info->base, info->output_count, sizeof *info->base)
                                                  : calloc(info->output_count, sizeof *info->base);
    own->trees = forest->trees = copy(info->trees, info->tree_count, sizeof *info->trees);
    own->nodes = forest->nodes = copy(info->nodes, info->node_count, sizeof *info->nodes);
    own->leaf_values = forest->leaf_values =
        copy(info->leaf_values, (size_t)info->leaf_count * info->values_per_leaf, sizeof *info->leaf_values);
    own->sets = forest->sets =
        info->set_word_count > 0 ? copy(info->sets, info->set_word_count, sizeof *info->sets) : NULL;
    return copy_names(forest, info) && forest->base != NULL && forest->trees != NULL && forest->nodes != NULL &&
           forest->leaf_values != NULL && (info->set_word_count == 0 || forest->sets != NULL);
}

static enum shw_result fill(struct shw_record_forest *forest, const struct shw_record_forest_info *info,
                            const struct shw_record_forest_source *source)
{
    if (!copy_arrays(forest, info))
        return shw_fail_memory(source->log, source->name);
    SHW_PROPAGATE(shw_record_forest_check(forest, source));
    SHW_PROPAGATE(shw_provenance_read(info->training != NULL ? info->training : "{}", source->name,
                                      SHW_LOG_RECORD_FOREST, source->log, &forest->training));
    forest->info.training = forest->training;
    if (!shw_record_forest_pack(forest) || !set_hash(forest))
        return shw_fail_memory(source->log, source->name);
    return SHW_OK;
}

enum shw_result shw_record_forest_make(const struct shw_record_forest_info *info,
                                       const struct shw_record_forest_source *source, struct shw_record_forest **out)
{
    struct shw_record_forest *forest;
    enum shw_result result;

    SHW_PROPAGATE(shw_record_forest_check_counts(info, source));
    forest = calloc(1, sizeof *forest);
    if (forest == NULL)
        return shw_fail_memory(source->log, source->name);
    result = fill(forest, info, source);
    if (result == SHW_OK)
        *out = forest;
    else
        shw_record_forest_destroy(&forest);
    return result;
}

enum shw_result shw_record_forest_create_abi(uint32_t abi, const struct shw_record_forest_info *info,
                                             const struct shw_log *log, struct shw_record_forest **forest)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(log, info);
    SHW_REFUSE_NULL(log, forest);

    return shw_record_forest_make(info, &(struct shw_record_forest_source){.name = "record forest", .log = log},
                                  forest);
}

void shw_record_forest_destroy(struct shw_record_forest **handle)
{
    struct shw_record_forest *forest = handle != NULL ? *handle : NULL;

    if (forest == NULL)
        return;
    free(forest->texels);
    free(forest->training);
    free(forest->limits);
    free(forest->sets);
    free(forest->leaf_values);
    free(forest->nodes);
    free(forest->trees);
    free(forest->base);
    free(forest->output_names);
    free(forest->class_names);
    free(forest->attribute_names);
    free(forest);
    *handle = NULL;
}

const struct shw_record_forest_info *shw_record_forest_get_info(const struct shw_record_forest *forest)
{
    return forest != NULL ? &forest->info : NULL;
}

struct shw_record_forest_texture shw_record_forest_get_texture(const struct shw_record_forest *forest)
{
    if (forest == NULL)
        return (struct shw_record_forest_texture){0};

    return (struct shw_record_forest_texture){forest->texels, forest->width, forest->height, forest->layers};
}

uint64_t shw_record_forest_hash(const struct shw_record_forest *forest)
{
    return forest != NULL ? forest->hash : 0;
}
