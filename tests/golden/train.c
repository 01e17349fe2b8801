/* Hashes of trained forests: any change of sampling, candidates, responses, scores or the order of anything is seen
 * here. */
#include "testing/testing.h"

#include "testing/examples.h"

static const struct {
    struct shw_trainer_params params;
    uint64_t forest_hash;
} golden[] = {
    {{.tree_count = 2, .depth = 7, .candidates = 40, .pixels_per_image = 150}, 0x5b9a2a04f38c7e85},
    {{.channels = SHW_CHANNELS_WIDE,
      .tree_count = 3,
      .depth = 9,
      .candidates = 60,
      .size_max = 40,
      .single_percent = 30,
      .pixels_per_image = 200,
      .sampling = SHW_SAMPLING_BALANCED,
      .images_percent = 70,
      .replacement = true,
      .samples_min = 3,
      .weighting = SHW_WEIGHTING_INVERSE_ROOT,
      .mirror = true,
      .seed = 0x123456789abcdef},
     0xb2b9d6be1f7d1664},
    {{.channels = SHW_CHANNELS_LAB,
      .feature = &shw_feature_sum_difference,
      .tree_count = 2,
      .depth = 12,
      .leaf_max = 90,
      .candidates = 450,
      .pool = SHW_POOL_ROUND,
      .thresholds = SHW_THRESHOLDS_RANDOM,
      .score = SHW_SCORE_GINI,
      .pixels_per_image = SHW_PIXELS_ALL,
      .weighting = SHW_WEIGHTING_INVERSE},
     0xe4ecfadcd65a8579},
    {{.channels = SHW_CHANNELS_WINN17,
      .tree_count = 1,
      .depth = 6,
      .bins = 256,
      .score = SHW_SCORE_MISCLASSIFICATION,
      .pixels_per_image = SHW_PIXELS_ALL},
     0xb03b88af09366d58},
    {{.tree_count = 2,
      .depth = 9,
      .score = SHW_SCORE_NORMALISED_GAIN,
      .pixels_per_image = SHW_PIXELS_ALL,
      .weighting = SHW_WEIGHTING_INVERSE_ROOT},
     0x95a928d1f75356c9},
    {{.tree_count = 2,
      .depth = 9,
      .thresholds = SHW_THRESHOLDS_RANDOM,
      .score = SHW_SCORE_GAIN_RATIO,
      .pixels_per_image = SHW_PIXELS_ALL,
      .samples_min = 30},
     0xd48a701f50c06264},
};

TESTING_CASE(forests_are_the_same)
{
    struct testing_examples_params params = {
        .seed = 51, .count = 5, .classes = 5, .width = 64, .height = 48, .void_percent = 10};
    struct testing_examples examples;

    testing_examples_make(&params, &examples);
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        struct shw_forest *forest = NULL;
        assert_int_equal(shw_train(&golden[i].params, &examples.dataset, &forest), SHW_OK);
        if (shw_forest_hash(forest) != golden[i].forest_hash)
            fail_msg("forest %zu is 0x%016llx", i, (unsigned long long)shw_forest_hash(forest));
        shw_forest_destroy(&forest);
    }
    testing_examples_free(&examples);
}
