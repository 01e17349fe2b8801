/* Feature types: one from outside the library, whose responses may be undefined, by every technique; and types that
 * lack something. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>

#include "dense/channels/channels.h"
#include "dense/feature/feature_code.h"
#include "dense/holes_type.h"
#include "testing/device.h"
#include "testing/labelling.h"
#include "testing/splitter.h"
#include "testing/training.h"

static void make_examples(struct testing_examples *examples)
{
    const struct testing_examples_params params = {.seed = 12, .count = 5, .width = 40, .height = 33};

    testing_examples_make(&params, examples);
}

static struct shw_forest *train(struct shw_trainer_params params, struct testing_examples *examples)
{
    struct shw_forest *forest = NULL;

    examples->dataset.user = examples;
    assert_int_equal(shw_train(&params, &examples->dataset, &forest), SHW_OK);
    return forest;
}

static struct shw_trainer_params with_holes(void)
{
    struct shw_trainer_params params = testing_training;

    params.feature = &holes;
    params.tree_count = 1;
    params.depth = 4;
    params.pixels_per_image = 160;
    return params;
}

static void same_forest(struct shw_trainer_params params, struct testing_examples *examples)
{
    uint64_t cpu = testing_train(params, examples, SHW_TECHNIQUE_CPU);

    assert_int_equal(testing_train(params, examples, SHW_TECHNIQUE_COMPUTE), cpu);
    assert_int_equal(testing_train(params, examples, SHW_TECHNIQUE_BLEND), cpu);
    testing_device_check();
}

/* Small and large nodes, both schemes, all scores. */
TESTING_CASE(training_is_the_same_by_all_techniques)
{
    struct testing_examples examples, large;
    const struct testing_examples_params large_params = {.seed = 5, .count = 8, .width = 37, .height = 28};

    make_examples(&examples);
    testing_examples_make(&large_params, &large);
    for (int scheme = 0; scheme < 2; scheme++)
        for (int score = 0; score <= (int)SHW_SCORE_GAIN_RATIO; score++) {
            struct shw_trainer_params params = with_holes();
            params.thresholds = (enum shw_threshold_scheme)scheme;
            params.score = (enum shw_score)score;
            same_forest(params, &examples);
            if (score != 0)
                continue;
            params.bins = 2; /* one probe of the scheme `random`, which is undefined at a third of the nodes */
            same_forest(params, &examples);
            params.bins = 255;
            params.candidates = 6;
            params.depth = 3;
            params.pixels_per_image = SHW_PIXELS_ALL;
            same_forest(params, &large);
        }
    testing_examples_free(&examples);
    testing_examples_free(&large);
}

static uint64_t train_by_splitter(struct testing_examples *examples, enum shw_technique technique,
                                  enum shw_threshold_scheme scheme, struct testing_watcher *watcher)
{
    struct shw_trainer_params params = with_holes();
    struct shw_splitter id3;
    uint64_t hash;

    assert_int_equal(shw_splitter_id3(NULL, &id3), SHW_OK);
    testing_watch(watcher, id3);
    params.thresholds = scheme;
    params.splitter = &watcher->splitter;
    hash = testing_train(params, examples, technique);
    shw_splitter_free(&id3);
    return hash;
}

/* A splitter is handed the bin of undefined samples, and comes to what the trainer's own score comes to. */
TESTING_CASE(splitters_get_the_bin_of_undefined_samples)
{
    static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_BLEND};
    struct testing_examples examples;

    make_examples(&examples);
    for (int scheme = 0; scheme < 2; scheme++) {
        struct shw_trainer_params params = with_holes();
        struct testing_watcher watchers[3];
        uint64_t hash;
        params.thresholds = (enum shw_threshold_scheme)scheme;
        hash = testing_train(params, &examples, SHW_TECHNIQUE_CPU);
        for (int t = 0; t < 3; t++) {
            assert_int_equal(train_by_splitter(&examples, techniques[t], params.thresholds, &watchers[t]), hash);
            assert_int_equal(watchers[t].hash, watchers[0].hash);
        }
        assert_true(watchers[0].undefined > 0 && (scheme == 0 || watchers[0].unusable > 0));
    }
    testing_device_check();
    testing_examples_free(&examples);
}

/* The leaf of a pixel by definition, from the channels of the whole image. */
static uint32_t plain_leaf(const struct shw_forest *forest, uint32_t tree, const int16_t *planes, int32_t width,
                           int32_t height, int32_t x, int32_t y, uint32_t *undefined)
{
    struct shw_node node = shw_forest_get_node(forest, tree, 0);

    while (node.is_split) {
        struct shw_rectangle rect = holes_rectangle(&node.feature);
        uint32_t channel = node.feature.words[0];
        int64_t sum = 0;
        bool right;
        int32_t x0 = x + rect.x0 < 0 ? 0 : x + rect.x0 > width - 1 ? width - 1 : x + rect.x0;
        int32_t y0 = y + rect.y0 < 0 ? 0 : y + rect.y0 > height - 1 ? height - 1 : y + rect.y0;
        int32_t x1 = x + rect.x1 < x0 + 1 ? x0 + 1 : x + rect.x1 > width ? width : x + rect.x1;
        int32_t y1 = y + rect.y1 < y0 + 1 ? y0 + 1 : y + rect.y1 > height ? height : y + rect.y1;
        for (int32_t v = y0; v < y1; v++)
            for (int32_t u = x0; u < x1; u++)
                sum += planes[((size_t)channel * (size_t)height + (size_t)v) * (size_t)width + (size_t)u];
        right = node.t0 <= sum && sum < node.t1;
        if (((uint32_t)x + 2 * (uint32_t)y + channel) % 3 == 0) {
            (*undefined)++;
            right = true;
        }
        node = shw_forest_get_node(forest, tree, node.left + right);
    }
    return node.leaf;
}

static void check_leaves(const struct shw_forest *forest, const struct shw_image *image,
                         const struct testing_labelling *got)
{
    const struct shw_channel_list *list = shw_forest_get_info(forest)->channel_list;
    const struct shw_channel_images images = {.of = {image}};
    uint32_t undefined = 0;
    size_t pixels = (size_t)image->width * image->height;
    int16_t *planes = malloc(pixels * list->channel_count * sizeof *planes);

    assert_non_null(planes);
    assert_int_equal(shw_channels_cpu(list, &images, NULL, planes, NULL), SHW_OK);
    for (uint32_t t = 0; t < got->trees; t++)
        for (uint32_t y = 0; y < image->height; y++)
            for (uint32_t x = 0; x < image->width; x++)
                assert_int_equal(got->out.forest_leaves[t * pixels + y * image->width + x],
                                 plain_leaf(forest, t, planes, (int32_t)image->width, (int32_t)image->height,
                                            (int32_t)x, (int32_t)y, &undefined));
    assert_true(undefined > pixels / 4);
    free(planes);
}

/* Whole and in tiles, against a descent by definition. */
TESTING_CASE(labels_are_the_same_by_all_techniques)
{
    static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE};
    static const struct shw_feature_type *const types[] = {&holes, &holes_whole};
    struct testing_random random = {4};
    struct shw_image image = testing_image(&random, 173, 121, SHW_PIXEL_RGB8, 0);
    struct testing_examples examples;

    make_examples(&examples);
    for (int which = 0; which < 2; which++) {
        struct shw_trainer_params params = with_holes();
        struct shw_forest *forest;
        struct testing_labelling results[3];
        params.feature = types[which];
        forest = train(params, &examples);
        if (which == 1)
            assert_int_equal(shw_forest_get_reach(forest), SHW_REACH_ALL);
        for (int t = 0; t < 3; t++) {
            const struct shw_labeller_params labeller = {.forest = forest,
                                                         .device = testing_device(),
                                                         .channels = techniques[t],
                                                         .integrate = techniques[t],
                                                         .evaluate = techniques[t],
                                                         .width = which == 0 ? 90 : 0,
                                                         .height = which == 0 ? 70 : 0,
                                                         .threads = 2};
            results[t] = testing_label(&labeller, &image);
            testing_labelling_same(shw_technique_name(techniques[t]), TESTING_ALL_OUTPUTS, &results[t], &results[0]);
        }
        check_leaves(forest, &image, &results[0]);
        for (int t = 0; t < 3; t++)
            testing_labelling_free(&results[t]);
        shw_forest_destroy(&forest);
    }
    testing_device_check();
    free((void *)(uintptr_t)image.pixels);
    testing_examples_free(&examples);
}

/* explain tells undefined responses, if the type has any, and comes to the leaves of labelling. */
static void explain(const struct shw_feature_type *type)
{
    struct shw_trainer_params params = with_holes();
    struct testing_random random = {4};
    struct shw_image image = testing_image(&random, 30, 21, SHW_PIXEL_RGB8, 0);
    struct shw_channel_reader *reader = NULL;
    struct testing_examples examples;
    struct testing_labelling labels;
    struct shw_labeller_params labeller = {.channels = SHW_TECHNIQUE_CPU};
    uint32_t undefined = 0, defined = 0;
    struct shw_forest *forest;

    make_examples(&examples);
    params.feature = type;
    forest = train(params, &examples);
    labeller.forest = forest;
    labels = testing_label(&labeller, &image);
    assert_int_equal(shw_channel_reader_create(
                         &(struct shw_channel_reader_params){.inputs = SHW_COLOUR_IMAGE(image),
                                                             .channels = shw_forest_get_info(forest)->channels},
                         &reader),
                     SHW_OK);
    for (uint32_t i = 0; i < image.width * image.height; i++) {
        struct shw_explanation *explanation = NULL;
        assert_int_equal(shw_explain(forest, reader, i % image.width, i / image.width, &explanation), SHW_OK);
        for (uint32_t t = 0; t < labels.trees; t++) {
            assert_int_equal(explanation->trees[t].leaf, labels.out.forest_leaves[t * image.width * image.height + i]);
            for (uint32_t n = 0; n < explanation->trees[t].test_count; n++) {
                const struct shw_explained_test *test = &explanation->trees[t].tests[n];
                uint32_t place = explanation->x + 2 * explanation->y + test->split.feature.words[0];
                assert_int_equal(test->undefined, type->may_be_undefined && place % 3 == 0);
                assert_int_equal(test->region_count, 1);
                assert_int_equal(test->regions[0].undefined, test->undefined);
                assert_int_equal(test->regions[0].value, test->undefined ? 0 : test->regions[0].sum);
                assert_int_equal(test->right, test->undefined || (test->split.t0 <= test->regions[0].sum &&
                                                                  test->regions[0].sum < test->split.t1));
                *(test->undefined ? &undefined : &defined) += 1;
            }
        }
        shw_explanation_free(&explanation);
    }
    assert_true((undefined > 0) == type->may_be_undefined && defined > 0);
    shw_channel_reader_destroy(&reader);
    testing_labelling_free(&labels);
    shw_forest_destroy(&forest);
    testing_examples_free(&examples);
    free((void *)(uintptr_t)image.pixels);
}

TESTING_CASE(explain_shows_undefined)
{
    explain(&holes);
}

TESTING_CASE(explain_ignores_what_cannot_be_undefined)
{
    explain(&liar);
}

/* A file is read with the types that the caller brings, and refused by name without. */
TESTING_CASE(files_name_their_type)
{
    static const struct shw_feature_type *const types[] = {&holes}, *const twice[] = {&holes, &holes_whole};
    struct shw_feature_type renamed = holes;
    const struct shw_feature_type *taken[] = {&renamed};
    const char *path = testing_path("holes.ktx2"), *checkpoint = testing_path("checkpoint.ktx2");
    struct shw_trainer_params params = with_holes();
    struct testing_log memory;
    struct shw_forest_load_params load = {.log = testing_log(&memory)};
    struct shw_forest *forest, *again = NULL;
    struct testing_examples examples;
    struct shw_trainer *trainer;
    bool finished = false;

    make_examples(&examples);
    forest = train(params, &examples);
    assert_int_equal(shw_forest_save(forest, path, NULL), SHW_OK);
    assert_int_equal(shw_forest_load(path, &load, &again), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "there is no feature type 'holes'"));
    load.features = types;
    load.feature_count = 1;
    assert_int_equal(shw_forest_load(path, &load, &again), SHW_OK);
    assert_ptr_equal(shw_forest_get_info(again)->feature, &holes);
    assert_int_equal(shw_forest_hash(again), shw_forest_hash(forest));
    shw_forest_destroy(&again);
    load.features = twice;
    load.feature_count = 2;
    assert_int_equal(shw_forest_load(path, &load, &again), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "two of the feature types"));
    assert_non_null(strstr(memory.last, "have the name holes"));
    renamed.name = "mean-difference";
    load.features = taken;
    load.feature_count = 1;
    assert_int_equal(shw_forest_load(path, &load, &again), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "there is already a feature type mean-difference"));

    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_OK);
    for (int round = 0; round < 3; round++)
        assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
    assert_int_equal(shw_trainer_save(trainer, checkpoint), SHW_OK);
    shw_trainer_destroy(&trainer);
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_OK);
    assert_int_equal(shw_trainer_load(trainer, checkpoint), SHW_OK);
    while (!finished)
        assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
    assert_int_equal(shw_trainer_get_forest(trainer, &again), SHW_OK);
    assert_int_equal(shw_forest_hash(again), shw_forest_hash(forest));
    shw_forest_destroy(&again);
    shw_trainer_destroy(&trainer);
    shw_forest_destroy(&forest);
    testing_examples_free(&examples);
}

static void refuse(const struct shw_feature_type *type, const char *message, bool for_forests)
{
    struct shw_trainer_params params = with_holes();
    struct shw_node leaf = {0};
    const uint16_t distribution[] = {65535};
    const struct shw_tree tree = {.nodes = &leaf, .node_count = 1, .distributions = distribution};
    struct shw_forest_params forest_params = {.info = {.feature = type, .class_count = 1, .tree_count = 1},
                                              .trees = &tree};
    struct shw_forest *forest = NULL;
    struct testing_examples examples;
    struct shw_trainer *trainer = NULL;
    struct testing_log memory;

    make_examples(&examples);
    params.feature = type;
    params.log = forest_params.log = testing_log(&memory);
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_ERROR_ARGUMENT);
    assert_int_equal(memory.last_item, SHW_LOG_FEATURE_TYPE);
    assert_non_null(strstr(memory.last, message));
    if (for_forests) {
        memory.last[0] = '\0';
        assert_int_equal(shw_forest_create(&forest_params, &forest), SHW_ERROR_ARGUMENT);
        assert_non_null(strstr(memory.last, message));
    } else {
        assert_int_equal(shw_forest_create(&forest_params, &forest), SHW_OK);
        shw_forest_destroy(&forest);
    }
    testing_examples_free(&examples);
}

TESTING_CASE(incomplete_types_are_refused)
{
    struct shw_feature_code code = *holes.code;
    struct shw_feature_type type;

#define REFUSE(change, message, for_forests)                                                                           \
    type = holes;                                                                                                      \
    code = *holes.code;                                                                                                \
    change;                                                                                                            \
    refuse(&type, message, for_forests)
    REFUSE(type.name = NULL, "the name of a feature type, ''", true);
    REFUSE(type.name = "two holes", "the name of a feature type, 'two holes'", true);
    REFUSE(type.name = "holes-of-more-than-thirty-one-bytes", "is not 1 to 31 lower-case letters", true);
    REFUSE(type.name = "sum-difference", "there is already a feature type sum-difference", true);
    REFUSE(type.version = SHW_FEATURE_TYPE_VERSION + 1, "; this version of Shadewood takes", true);
    REFUSE(type.check = NULL, "holes: check is missing", true);
    REFUSE(type.get_bound = NULL, "holes: get_bound is missing", true);
    REFUSE(type.get_reach = NULL, "holes: get_reach is missing", true);
    REFUSE(type.get_regions = NULL, "holes: get_regions is missing", true);
    REFUSE(type.code = NULL, "holes: code is missing", true);
    REFUSE(type.code = &code; code.evaluate_row = NULL, "holes: code is missing", true);
    REFUSE(type.code = &code; code.draw = NULL, "holes: code for training is missing", false);
    REFUSE(type.code = &code; code.shaders[SHW_ROLE_EVALUATE_LEAVES4].words = NULL, "holes: a shader is missing", true);
    REFUSE(type.code = &code; code.shaders[SHW_ROLE_BLEND_RESPOND].words = NULL, "holes: a shader is missing", false);
    REFUSE(type.may_be_undefined = false, "holes: what it reads", true);
    REFUSE(type.reads_depth = true, "holes: what it reads", true);
    REFUSE(type.reads = 0, "holes: what it reads", true);
}

static struct shw_reach bad_reach;

static struct shw_reach get_bad_reach(const struct shw_feature *feature)
{
    (void)feature;
    return bad_reach;
}

static struct shw_feature_region bad_region;
static uint32_t bad_region_count;

static uint32_t get_bad_regions(const struct shw_feature *feature,
                                struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX])
{
    (void)feature;
    for (uint32_t i = 0; i < SHW_FEATURE_REGIONS_MAX; i++)
        regions[i] = bad_region;
    return bad_region_count;
}

static enum shw_result make_split(const struct shw_feature_type *type, struct testing_log *memory)
{
    const struct shw_node nodes[] = {
        {.is_split = true, .left = 1, .feature = bad_region.alone, .t1 = 5}, {.left = 1}, {.left = 2, .leaf = 1}};
    const uint16_t distributions[] = {65535, 65535};
    const struct shw_tree tree = {.nodes = nodes, .node_count = 3, .distributions = distributions};
    const struct shw_forest_params params = {
        .info = {.feature = type, .class_count = 1, .tree_count = 1}, .trees = &tree, .log = testing_log(memory)};
    struct shw_forest *forest = NULL;
    enum shw_result result = shw_forest_create(&params, &forest);

    shw_forest_destroy(&forest);
    return result;
}

TESTING_CASE(what_functions_return_is_checked)
{
    static const struct shw_reach bad[] = {{5, 5, -5, -5},
                                           {1, 0, 2, 1},
                                           {0, 0, 1, -1},
                                           {INT32_MIN, 0, 1, 1},
                                           {0, -SHW_REACH_ALL - 1, 1, 1},
                                           {0, 0, INT32_MAX, 1}},
                                  good[] = {{0, 0, 0, 0}, {-SHW_REACH_ALL, -2, 3, SHW_REACH_ALL}};
    struct shw_feature_type type = holes;
    struct testing_log memory;

    bad_region = (struct shw_feature_region){.rectangle = {0, 0, 1, 1}, .alone = {{0, 0, 0x10001}}};
    bad_region_count = SHW_FEATURE_REGIONS_MAX;
    type.get_reach = get_bad_reach;
    type.get_regions = get_bad_regions;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        bad_reach = good[i];
        assert_int_equal(make_split(&type, &memory), SHW_OK);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bad_reach = bad[i];
        assert_int_equal(make_split(&type, &memory), SHW_ERROR_FORMAT);
        assert_non_null(strstr(memory.last, "tree 0, node 0: holes gives it a reach of ("));
    }
    bad_reach = good[0];
    bad_region_count++;
    assert_int_equal(make_split(&type, &memory), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "node 0: holes gives it 5 regions; at most 4 are supported"));
    bad_region_count--;
    bad_region.channel = 16;
    assert_int_equal(make_split(&type, &memory), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "node 0: holes gives it an impossible region 0"));
}

TESTING_CASE(library_types_are_found_by_name)
{
    uint32_t count = 0;

    assert_ptr_equal(shw_feature_type_get(0), &shw_feature_mean_difference);
    while (shw_feature_type_get(count) != NULL) {
        const struct shw_feature_type *type = shw_feature_type_get(count++);
        assert_ptr_equal(shw_feature_type_by_name(type->name), type);
    }
    assert_true(count >= 2);
    assert_null(shw_feature_type_by_name("holes"));
}

TESTING_FIXTURE(NULL, testing_device_teardown)
