#include "random_training.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "dense/holes_type.h"
#include "dense/own_kinds.h"
#include "testing/cases.h"
#include "testing/random_forest.h"

enum { BINS_MAX = 255 }; /* of types whose responses may be undefined */

static void random_list(struct testing_random *random, char text[RANDOM_CHANNELS_SIZE])
{
    struct testing_kind kinds[TESTING_KINDS_MAX];
    uint32_t count = testing_channel_kinds(kinds), entries = random_size(random, 6);
    size_t length = 0;

    snprintf(kinds[count++].text, sizeof kinds[0].text, "before");
    snprintf(kinds[count++].text, sizeof kinds[0].text, "heat");
    snprintf(kinds[count++].text, sizeof kinds[0].text, "plane:" OWN_PLANE);
    snprintf(kinds[count++].text, sizeof kinds[0].text, "gauss:1@" OWN_PLANE);
    for (uint32_t e = 0; e < entries; e++) {
        uint32_t from = testing_random_below(random, count - e);
        struct testing_kind chosen = kinds[from];
        kinds[from] = kinds[count - e - 1]; /* no entry twice */
        length += (size_t)snprintf(text + length, RANDOM_CHANNELS_SIZE - length, "%s%s", e > 0 ? "," : "", chosen.text);
    }
    if (strstr(text, TESTING_FLOAT_PLANE) != NULL)
        snprintf(text + length, RANDOM_CHANNELS_SIZE - length, ",range:" TESTING_FLOAT_PLANE "=%s",
                 random_chance(random, 50) ? "-0.25..0.75" : "0.1..0.9");
}

static void random_any(struct testing_random *random, char text[RANDOM_CHANNELS_SIZE])
{
    uint32_t named = 0;

    while (shw_channel_list_get_name(named) != NULL)
        named++;
    if (random_chance(random, 40)) /* quick to make */
        snprintf(text, RANDOM_CHANNELS_SIZE, "%s", SHW_CHANNELS_RGB);
    else if (random_chance(random, 30))
        snprintf(text, RANDOM_CHANNELS_SIZE, "%s", shw_channel_list_get_name(testing_random_below(random, named)));
    else
        random_list(random, text);
}

/* Depth or, of types that compare other channels, too, a constant distance, and then a list. */
static void begin_with_depth(struct testing_random *random, const struct shw_feature_type *feature,
                             char text[RANDOM_CHANNELS_SIZE])
{
    char rest[RANDOM_CHANNELS_SIZE];
    bool is_named = false;

    snprintf(rest, sizeof rest, "%s", text);
    for (uint32_t i = 0; shw_channel_list_get_name(i) != NULL; i++)
        is_named = is_named || strcmp(shw_channel_list_get_name(i), text) == 0;
    if (is_named || strstr(rest, "depth") != NULL)
        snprintf(rest, sizeof rest, "%s", random_chance(random, 50) ? "lab,height" : "rgb");
    if (feature->reads != SHW_FEATURE_READS_CHANNELS && random_chance(random, 30))
        snprintf(text, RANDOM_CHANNELS_SIZE, "constant-depth:%u,%.400s", random_size(random, 32767), rest);
    else
        snprintf(text, RANDOM_CHANNELS_SIZE, "depth,%.400s", rest);
}

void random_channels(struct testing_random *random, const struct shw_feature_type *feature,
                     char text[RANDOM_CHANNELS_SIZE])
{
    random_any(random, text);
    if (feature->reads_depth)
        begin_with_depth(random, feature, text);
}

static void describe(const struct shw_trainer_params *params)
{
    testing_describe(
        " channels %s, feature %s, %u trees, depth %u, leaf_max %u, %u candidates, pool %d, thresholds %d, %u bins, "
        "score %d, offset_min %u, offset_max %u, size_max %u, %u shapes, %u %% single, pixels %u, sampling %d, %u %% "
        "images, "
        "replacement %d, "
        "samples_min %u, weighting %d, mirror %d, seed %" PRIu64 ", prior %d, bias %u %%, same samples %d, combine %d;",
        params->channels, params->feature->name, params->tree_count, params->depth, params->leaf_max,
        params->candidates, (int)params->pool, (int)params->thresholds, params->bins, (int)params->score,
        params->offset_min, params->offset_max, params->size_max, params->shapes, params->single_percent,
        params->pixels_per_image, (int)params->sampling, params->images_percent, params->replacement,
        params->samples_min, (int)params->weighting, (int)params->mirror, params->seed, (int)params->prior,
        params->bias_percent, params->same_samples, (int)params->combine);
}

static uint32_t random_bins(struct testing_random *random, enum shw_threshold_scheme *scheme)
{
    bool few = random_chance(random, 40);

    *scheme = few == random_chance(random, 90) ? SHW_THRESHOLDS_RANDOM : SHW_THRESHOLDS_BEST;
    return 1 + random_size(random, few ? 20 : BINS_MAX - 1);
}

void random_training_make(struct testing_random *random, uint32_t classes, struct random_training *training)
{
    struct shw_trainer_params *params = &training->params;
    struct testing_random of_reach; /* with numbers of its own */

    const struct shw_feature_type *feature = random_chance(random, 15) ? &holes : random_feature_type(random);

    random_channels(random, feature, training->channels);
    *params = (struct shw_trainer_params){
        .channels = training->channels,
        .kinds = own_kinds,
        .feature = feature,
        .tree_count = 1 + testing_random_below(random, 2),
        .depth = 1 + testing_random_below(random, 6),
        .leaf_max = random_chance(random, 30) ? random_size(random, 20) : 0,
        .candidates = random_size(random, 60),
        .pool = (enum shw_candidate_pool)testing_random_below(random, 2),
        .score = (enum shw_score)testing_random_below(random, 5),
        .offset_max = random_size(random, 40),
        .single_percent = random_chance(random, 50) ? testing_random_below(random, 101) : 0,
        .pixels_per_image = random_chance(random, 30) ? SHW_PIXELS_ALL : random_size(random, 400),
        .sampling = (enum shw_pixel_sampling)testing_random_below(random, 3),
        .images_percent = random_chance(random, 50) ? 1 + testing_random_below(random, 100) : 100,
        .replacement = random_chance(random, 30),
        .samples_min = random_size(random, 12),
        .weighting = (enum shw_class_weighting)testing_random_below(random, 4),
        .mirror = random_chance(random, 30)   ? SHW_MIRROR_IMAGES
                  : random_chance(random, 35) ? SHW_MIRROR_PAIRED
                                              : SHW_MIRROR_NONE,
        .seed = testing_random_next(random)};
    of_reach.state = params->seed;
    params->prior = (enum shw_leaf_prior)testing_random_below(random, 2);
    params->bias_percent = random_chance(random, 40) ? testing_random_below(random, 100) : 0;
    params->same_samples = random_chance(random, 20);
    params->combine = (enum shw_combine)testing_random_below(random, 3);
    params->bins = random_bins(random, &params->thresholds);
    if (random_chance(&of_reach, 30))
        params->offset_min = 1 + testing_random_below(&of_reach, params->offset_max);
    if (random_chance(&of_reach, 30))
        params->shapes = 1 + testing_random_below(&of_reach, random_chance(&of_reach, 80) ? 6 : SHW_SHAPES_MAX);
    params->size_max = random_size(random, params->offset_max < 15 ? 2 * params->offset_max + 1 : 31);
    for (uint32_t c = 0; c < classes; c++)
        training->weights[c] = 0.25 * random_size(random, 4000);
    if (params->weighting == SHW_WEIGHTING_GIVEN)
        params->class_weights = training->weights;
    describe(params);
}
