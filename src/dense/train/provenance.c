/* The training record: how a forest was made, as JSON. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/splitter.h>

#include "base/hash.h"
#include "dense/channels/fill.h"
#include "dense/train/score.h"
#include "dense/train/trainer.h"
#include "dense/train/weights.h"

static const char *const schemes[] = {"best", "random"};
static const char *const pools[] = {"node", "round"};
static const char *const samplings[] = {"uniform", "balanced", "class-uniform"};
static const char *const priors[] = {"samples", "data"};

/* JSON integers are signed here; larger seeds are written as strings. */
static json_t *make_seed(uint64_t seed)
{
    return seed <= INT64_MAX ? json_integer((json_int_t)seed) : json_sprintf("%llu", (unsigned long long)seed);
}

/* Those that earlier versions did not have: written if they are not the default, so that records and checkpoints of
 * earlier versions stay what they were. */
static void add_later_members(const struct shw_trainer_params *params, json_t *record)
{
    if (params->bias_percent > 0)
        json_object_set_new(record, "bias_percent", json_integer(params->bias_percent));
    if (params->ferns)
        json_object_set_new(record, "ferns", json_true());
    if (params->combine == SHW_COMBINE_VOTE)
        json_object_set_new(record, "combine", json_string("vote"));
    if (params->fill > SHW_FILL_NONE)
        json_object_set_new(record, "fill", json_string(shw_fill_names[params->fill]));
    if (params->prior != SHW_PRIOR_SAMPLES)
        json_object_set_new(record, "prior", json_string(priors[params->prior]));
    if (params->same_samples)
        json_object_set_new(record, "same_samples", json_true());
}

static char *make_record(const struct shw_trainer *trainer, const char *added)
{
    const struct shw_trainer_params *params = &trainer->params;
    json_t *notes = added != NULL ? json_loads(added, 0, NULL) : json_object();
    json_t *record = json_object(), *classes = json_array();
    char *text = NULL;

    if (record == NULL || classes == NULL || json_object_update(record, notes) != 0)
        goto end;
    for (uint32_t c = 0; trainer->loaded && c < trainer->dataset->class_count; c++)
        json_array_append_new(classes, json_integer((json_int_t)trainer->images.class_pixels[c]));
    json_object_set_new(record, "bins", json_integer(params->bins));
    json_object_set_new(record, "candidates", json_integer(params->candidates));
    json_object_set(record, "class_pixels", classes);
    json_object_set_new(record, "depth", json_integer(params->depth));
    json_object_set_new(record, "generator", json_integer(SHW_GENERATOR));
    json_object_set_new(record, "images", json_integer(shw_train_picture_count(trainer->dataset)));
    json_object_set_new(record, "images_percent", json_integer(params->images_percent));
    if (params->splitter != NULL)
        json_object_set_new(record, "splitter", json_string(params->splitter->name));
    json_object_set_new(record, "leaf_max", json_integer(params->leaf_max));
    json_object_set_new(record, "mirror",
                        params->mirror == SHW_MIRROR_PAIRED ? json_string("paired")
                                                            : json_boolean(params->mirror == SHW_MIRROR_IMAGES));
    json_object_set_new(record, "offset_max", json_integer(params->offset_max));
    json_object_set_new(record, "pixels_per_image",
                        params->pixels_per_image == SHW_PIXELS_ALL ? json_string("all")
                                                                   : json_integer(params->pixels_per_image));
    json_object_set_new(record, "pool", json_string(pools[params->pool]));
    json_object_set_new(record, "replacement", json_boolean(params->replacement));
    json_object_set_new(record, "samples_min", json_integer(params->samples_min));
    json_object_set_new(record, "sampling", json_string(samplings[params->sampling]));
    if (params->splitter == NULL)
        json_object_set_new(record, "score", json_string(shw_score_names[params->score]));
    json_object_set_new(record, "seed", make_seed(params->seed));
    json_object_set_new(record, "single_percent", json_integer(params->single_percent));
    json_object_set_new(record, "size_max", json_integer(params->size_max));
    json_object_set_new(record, "thresholds", json_string(schemes[params->thresholds]));
    json_object_set_new(record, "trees", json_integer(params->tree_count));
    json_object_set_new(
        record, "weighting",
        json_string(params->weighting == SHW_WEIGHTING_GIVEN ? "given" : shw_weighting_names[params->weighting]));
    add_later_members(params, record);
    text = json_dumps(record, JSON_COMPACT | JSON_SORT_KEYS);

end:
    json_decref(notes);
    json_decref(classes);
    json_decref(record);
    return text;
}

char *shw_trainer_get_record(const struct shw_trainer *trainer)
{
    if (trainer == NULL)
        return NULL;

    return make_record(trainer, trainer->params.notes);
}

bool shw_trainer_hash_task(const struct shw_trainer *trainer, uint64_t *hash)
{
    const struct shw_trainer_params *params = &trainer->params;
    char *record = make_record(trainer, NULL);

    if (record == NULL)
        return false;
    *hash = XXH3_64bits_withSeed(record, strlen(record), shw_train_images_hash(&trainer->images));
    *hash = XXH3_64bits_withSeed(params->channels, strlen(params->channels), *hash);
    *hash = XXH3_64bits_withSeed(params->feature->name, strlen(params->feature->name), *hash);
    if (params->weighting == SHW_WEIGHTING_GIVEN)
        *hash = XXH3_64bits_withSeed(trainer->class_weights,
                                     trainer->dataset->class_count * sizeof *trainer->class_weights, *hash);
    free(record);
    return true;
}
