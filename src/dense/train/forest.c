#include "dense/train/forest.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/splitter.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/model.h"
#include "dense/channels/fill.h"
#include "dense/forest/forest.h"
#include "dense/grow/fern.h"
#include "dense/grow/splitting.h"
#include "dense/grow/trainer.h"
#include "dense/split/traits.h"
#include "dense/train/out_of_bag.h"

/* Provenance: how a forest was trained, as JSON. */

/* JSON integers are signed here; larger seeds are written as strings. */
static json_t *make_seed(uint64_t seed)
{
    return seed <= INT64_MAX ? json_integer((json_int_t)seed) : json_sprintf("%llu", (unsigned long long)seed);
}

/* Members that earlier versions did not have are written only if they are not the default, so that provenance and
 * checkpoints of earlier versions stay the same. */
static void add_later_members(const struct shw_trainer_params *params, json_t *provenance)
{
    if (params->bias_percent > 0)
        json_object_set_new(provenance, "bias_percent", json_integer(params->bias_percent));
    if (params->ferns)
        json_object_set_new(provenance, "ferns", json_true());
    if (params->combine == SHW_COMBINE_VOTE)
        json_object_set_new(provenance, "combine", json_string("vote"));
    if (params->first_tree > 0)
        json_object_set_new(provenance, "first_tree", json_integer(params->first_tree));
    if (params->fill > SHW_FILL_NONE)
        json_object_set_new(provenance, "fill", json_string(shw_fill_names[params->fill]));
    if (params->smoothing.radius > 0)
        json_object_set_new(provenance, "smooth",
                            json_pack("[i, i]", (int)params->smoothing.radius, (int)params->smoothing.epsilon));
    if (params->offset_min > 0)
        json_object_set_new(provenance, "offset_min", json_integer(params->offset_min));
    if (params->shapes > 0)
        json_object_set_new(provenance, "shapes", json_integer(params->shapes));
    if (params->prior != SHW_PRIOR_SAMPLES)
        json_object_set_new(provenance, "prior", json_string(shw_prior_names[params->prior]));
    if (params->same_samples)
        json_object_set_new(provenance, "same_samples", json_true());
    if (params->folds > 0)
        json_object_set_new(provenance, "folds", json_integer(params->folds));
    if (params->folds > 0 && params->fold_run > 1)
        json_object_set_new(provenance, "fold_run", json_integer(params->fold_run));
    if (params->below != NULL)
        json_object_set_new(provenance, "level", json_integer(shw_forest_get_info(params->below)->levels + 1));
}

static char *make_provenance(const struct shw_trainer *trainer, const char *added)
{
    const struct shw_trainer_params *params = &trainer->params;
    json_t *notes = added != NULL ? json_loads(added, 0, NULL) : json_object();
    json_t *provenance = json_object(), *classes = json_array();
    const uint32_t pictures =
        trainer->division != NULL ? trainer->division->set.part.whole : shw_train_picture_count(trainer->dataset);
    char *text = NULL;

    if (provenance == NULL || classes == NULL || json_object_update(provenance, notes) != 0)
        goto end;
    for (uint32_t c = 0; trainer->loaded && c < trainer->dataset->class_count; c++)
        json_array_append_new(classes, json_integer((json_int_t)shw_trainer_whole(trainer)->class_pixels[c]));
    json_object_set_new(provenance, "bins", json_integer(trainer->bins));
    json_object_set_new(provenance, "candidates", json_integer(params->candidates));
    json_object_set(provenance, "class_pixels", classes);
    json_object_set_new(provenance, "depth", json_integer(params->depth));
    json_object_set_new(provenance, "generator", json_integer(SHW_GENERATOR));
    json_object_set_new(provenance, "images", json_integer(pictures));
    json_object_set_new(provenance, "images_percent", json_integer(params->images_percent));
    if (params->splitter != NULL)
        json_object_set_new(provenance, "splitter", json_string(params->splitter->name));
    json_object_set_new(provenance, "leaf_max", json_integer(params->leaf_max));
    json_object_set_new(provenance, "mirror",
                        params->mirror == SHW_MIRROR_PAIRED ? json_string("paired")
                                                            : json_boolean(params->mirror == SHW_MIRROR_IMAGES));
    json_object_set_new(provenance, "offset_max", json_integer(params->offset_max));
    json_object_set_new(provenance, "pixels_per_image",
                        params->pixels_per_image == SHW_PIXELS_ALL ? json_string("all")
                                                                   : json_integer(params->pixels_per_image));
    json_object_set_new(provenance, "pool", json_string(shw_pool_names[params->pool]));
    if (params->proposer != NULL)
        json_object_set_new(provenance, "proposer", json_string(params->proposer->name));
    json_object_set_new(provenance, "replacement", json_boolean(params->replacement));
    json_object_set_new(provenance, "samples_min", json_integer(params->samples_min));
    json_object_set_new(provenance, "sampling", json_string(shw_sampling_names[params->sampling]));
    if (params->splitter == NULL)
        json_object_set_new(provenance, "score", json_string(shw_score_names[params->score]));
    json_object_set_new(provenance, "seed", make_seed(params->seed));
    json_object_set_new(provenance, "single_percent", json_integer(params->single_percent));
    json_object_set_new(provenance, "size_max", json_integer(params->size_max));
    json_object_set_new(provenance, "thresholds", json_string(shw_threshold_names[params->thresholds]));
    json_object_set_new(provenance, "trees", json_integer(params->tree_count));
    json_object_set_new(
        provenance, "weighting",
        json_string(params->weighting == SHW_WEIGHTING_GIVEN ? "given" : shw_weighting_names[params->weighting]));
    add_later_members(params, provenance);
    text = json_dumps(provenance, JSON_COMPACT | JSON_SORT_KEYS);

end:
    json_decref(notes);
    json_decref(classes);
    json_decref(provenance);
    return text;
}

char *shw_trainer_get_record(const struct shw_trainer *trainer)
{
    if (trainer == NULL)
        return NULL;

    return make_provenance(trainer, trainer->params.notes);
}

bool shw_trainer_hash_task(const struct shw_trainer *trainer, uint64_t *hash)
{
    const struct shw_trainer_params *params = &trainer->params;
    char *provenance = make_provenance(trainer, NULL);

    if (provenance == NULL)
        return false;
    *hash = XXH3_64bits_withSeed(provenance, strlen(provenance), shw_train_images_hash(shw_trainer_whole(trainer)));
    *hash = XXH3_64bits_withSeed(params->channels, strlen(params->channels), *hash);
    *hash = XXH3_64bits_withSeed(params->feature->name, strlen(params->feature->name), *hash);
    if (params->below != NULL) {
        const uint64_t below = shw_forest_hash(params->below);
        *hash = XXH3_64bits_withSeed(&below, sizeof below, *hash);
    }
    if (params->weighting == SHW_WEIGHTING_GIVEN)
        *hash = XXH3_64bits_withSeed(trainer->class_weights,
                                     trainer->dataset->class_count * sizeof *trainer->class_weights, *hash);
    free(provenance);
    return true;
}

/* Finished trees, and the forest made of them. */

void shw_trainer_clear(struct shw_trainer *trainer)
{
    while (trainer->tree_count > 0)
        shw_tree_free(&trainer->trees[--trainer->tree_count]);
    shw_tree_builder_free(&trainer->builder);
    shw_tree_samples_free(&trainer->samples);
    shw_gains_free(&trainer->gains);
    trainer->gains_unknown = false;
    shw_splitting_free(&trainer->splitting);
    shw_fern_level_free(&trainer->fern_level);
    shw_candidates_end(trainer);
}

struct shw_class shw_dataset_class(const struct shw_dataset *dataset, uint32_t index, char name[SHW_CLASS_NAME_SIZE])
{
    if (dataset->classes != NULL)
        return dataset->classes[index];
    snprintf(name, SHW_CLASS_NAME_SIZE, "class %u", index);
    /* not the colours of base/class.h: earlier checkpoints have these, and a checkpoint's data set must match in
     * colours, too */
    return (struct shw_class){.name = name,
                              .colour = {(uint8_t)(index * 67), (uint8_t)(index * 151), (uint8_t)(index * 29)}};
}

enum shw_result shw_trainer_make_forest(const struct shw_trainer *trainer, uint32_t tree_count, const char *provenance,
                                        struct shw_forest **forest)
{
    struct shw_forest_params params = {.info = {.channels = trainer->params.channels,
                                                .kinds = trainer->params.kinds,
                                                .feature = trainer->params.feature,
                                                .class_count = trainer->dataset->class_count,
                                                .tree_count = tree_count,
                                                .combine = trainer->params.combine,
                                                .fill = trainer->params.fill,
                                                .smoothing = trainer->params.smoothing,
                                                .training = provenance,
                                                .below = trainer->params.below},
                                       .trees = trainer->trees,
                                       .log = trainer->params.log};
    uint32_t class_count = params.info.class_count;
    struct shw_class *classes = calloc(class_count, sizeof *classes);
    char(*names)[SHW_CLASS_NAME_SIZE] = calloc(class_count, sizeof *names);
    enum shw_result result;

    if (classes == NULL || names == NULL) {
        result = shw_fail_memory(&trainer->params.log, "class names");
        goto fail;
    }
    for (uint32_t c = 0; c < class_count; c++)
        classes[c] = shw_dataset_class(trainer->dataset, c, names[c]);
    params.info.classes = classes;
    result = shw_forest_create(&params, forest);

fail:
    free(classes);
    free(names);
    return result;
}

/* What was found out about the trees, which does not belong to checkpoints. */
static char *add_findings(const struct shw_trainer *trainer, char *record)
{
    json_t *provenance = json_loads(record, 0, NULL);
    char *text = NULL;

    if (trainer->out_of_bag != NULL)
        json_object_set_new(provenance, SHW_OUT_OF_BAG_MEMBER, shw_out_of_bag_pack(trainer->out_of_bag));
    if (!trainer->gains_unknown)
        json_object_set_new(provenance, SHW_GAINS_MEMBER, shw_gains_pack(&trainer->gains));
    text = json_dumps(provenance, SHW_MODEL_JSON_FLAGS);
    if (text != NULL && strlen(text) > SHW_PROVENANCE_MAX) { /* because of long notes */
        json_object_del(provenance, SHW_GAINS_MEMBER);
        free(text);
        text = json_dumps(provenance, SHW_MODEL_JSON_FLAGS);
    }
    json_decref(provenance);
    free(record);
    return text;
}

enum shw_result shw_trainer_finish(struct shw_trainer *trainer)
{
    char *provenance = shw_trainer_get_record(trainer);
    enum shw_result result;

    if (provenance != NULL)
        provenance = add_findings(trainer, provenance);
    result = provenance != NULL ? shw_trainer_make_forest(trainer, trainer->tree_count, provenance, &trainer->forest)
                                : shw_fail_memory(&trainer->params.log, "the provenance");
    free(provenance);
    trainer->finished = result == SHW_OK;
    return result;
}
