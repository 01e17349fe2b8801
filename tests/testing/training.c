#include "testing/testing.h"

#include "testing/device.h"
#include "testing/training.h"

const struct shw_trainer_params testing_training = {.channels = SHW_CHANNELS_RGB,
                                                    .tree_count = 2,
                                                    .depth = 6,
                                                    .candidates = 16,
                                                    .bins = 8,
                                                    .offset_max = 12,
                                                    .size_max = 9,
                                                    .pixels_per_image = 90,
                                                    .samples_min = 2,
                                                    .seed = 3,
                                                    .threads = 2};

uint32_t testing_training_variants(struct shw_trainer_params *list)
{
    static const double weights[] = {1, 20, 400};
    uint32_t n = 0;

#define VARIANT(field, value)                                                                                          \
    list[n] = testing_training;                                                                                        \
    list[n++].field = (value)
    list[n++] = testing_training;
    VARIANT(channels, SHW_CHANNELS_WIDE);
    for (uint32_t i = 1; shw_feature_type_get(i) != NULL; i++) { /* the first is the default */
        VARIANT(feature, shw_feature_type_get(i));
        if (shw_feature_type_get(i)->reads_depth)
            list[n - 1].channels = "depth,rgb";
    }
    VARIANT(tree_count, 3);
    VARIANT(depth, 3);
    VARIANT(leaf_max, 7);
    VARIANT(candidates, 17);
    VARIANT(pool, SHW_POOL_ROUND);
    VARIANT(bins, 9);
    VARIANT(thresholds, SHW_THRESHOLDS_RANDOM);
    VARIANT(score, SHW_SCORE_GINI);
    VARIANT(score, SHW_SCORE_MISCLASSIFICATION);
    VARIANT(score, SHW_SCORE_NORMALISED_GAIN);
    VARIANT(score, SHW_SCORE_GAIN_RATIO);
    VARIANT(offset_max, 5);
    VARIANT(offset_min, 1);
    VARIANT(size_max, 3);
    VARIANT(shapes, 3);
    VARIANT(single_percent, 60);
    VARIANT(pixels_per_image, 60);
    VARIANT(pixels_per_image, SHW_PIXELS_ALL);
    VARIANT(sampling, SHW_SAMPLING_BALANCED);
    VARIANT(images_percent, 50);
    VARIANT(replacement, true);
    VARIANT(samples_min, 20);
    VARIANT(weighting, SHW_WEIGHTING_INVERSE_ROOT);
    VARIANT(weighting, SHW_WEIGHTING_INVERSE);
    VARIANT(mirror, true);
    VARIANT(seed, 4);
    VARIANT(sampling, SHW_SAMPLING_CLASS_UNIFORM);
    VARIANT(same_samples, true);
    VARIANT(prior, SHW_PRIOR_DATA);
    VARIANT(bias_percent, 15);
    VARIANT(folds, 2);
    VARIANT(combine, SHW_COMBINE_VOTE);
    VARIANT(ferns, true);
    VARIANT(mirror, SHW_MIRROR_PAIRED);
    list[n - 1].channels = "winn17,orient:2"; /* without x, for parts of pictures; with channels that are exchanged */
    VARIANT(weighting, SHW_WEIGHTING_GIVEN);
    list[n - 1].class_weights = weights;
    return n;
}

uint64_t testing_train(struct shw_trainer_params params, struct testing_examples *examples,
                       enum shw_technique technique)
{
    struct testing_log memory;
    struct shw_forest *forest = NULL;
    uint64_t hash;

    params.log = testing_log(&memory);
    params.technique = technique;
    params.device = technique != SHW_TECHNIQUE_CPU ? testing_device() : NULL;
    examples->dataset.user = examples;
    if (shw_train(&params, &examples->dataset, &forest) != SHW_OK)
        fail_msg("%s", memory.last);
    hash = shw_forest_hash(forest);
    shw_forest_destroy(&forest);
    return hash;
}

uint64_t testing_grow(struct shw_trainer *trainer)
{
    struct shw_forest *forest = NULL;
    bool finished = false;
    uint64_t hash;

    while (!finished)
        assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
    assert_int_equal(shw_trainer_get_forest(trainer, &forest), SHW_OK);
    hash = shw_forest_hash(forest);
    shw_forest_destroy(&forest);
    return hash;
}

uint64_t testing_finish(struct shw_trainer *trainer)
{
    uint64_t hash = testing_grow(trainer);

    shw_trainer_destroy(&trainer);
    return hash;
}
