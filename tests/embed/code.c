/* The feature of docs/shader-features.md in an engine's frame: trained and labelled there, as by the technique `cpu`.
 */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files/code/code.h"
#include "scene.h"
#include "testing/doc_example.h"
#include "testing/examples.h"
#include "testing/training.h"

enum { TREES = 2 };

static struct shw_forest *train(const struct shw_feature_type *feature, uint32_t *classes)
{
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;
    struct shw_forest *forest = NULL;

    testing_examples_make(&(struct testing_examples_params){.seed = 3}, &examples);
    params.feature = feature;
    params.channels = "rgb";
    params.tree_count = TREES;
    params.technique = SHW_TECHNIQUE_CPU;
    assert_int_equal(shw_train(&params, &examples.dataset, &forest), SHW_OK);
    testing_examples_free(&examples);
    *classes = shw_forest_get_info(forest)->class_count;
    return forest;
}

static void check(const struct shw_feature_type *feature, enum shw_technique technique)
{
    const struct random_forest_params any = {
        .seed = 1, .channels = SHW_CHANNELS_RGB, .depth = 2, .split_percent = 75, .trees = 1, .classes = 2};
    struct testing_random random = {5};
    struct shw_labeller *labeller = NULL;
    struct label_forests {
        struct shw_forest *own, *opened;
    } forests;
    struct shw_label_targets targets;
    struct scene scene;
    struct frame frame;
    uint32_t classes;

    open_scene(&scene, &any);
    forests.opened = scene.forest;
    forests.own = scene.forest = train(feature, &classes);
    assert_int_equal(shw_labeller_create(&(struct shw_labeller_params){.forest = scene.forest,
                                                                       .device = scene.device,
                                                                       .outputs = TESTING_ALL_OUTPUTS,
                                                                       .channels = technique,
                                                                       .integrate = technique,
                                                                       .evaluate = technique,
                                                                       .width = 40,
                                                                       .height = 30,
                                                                       .slots = 1,
                                                                       .log = testing_log(&scene.memory)},
                                         &labeller),
                     SHW_OK);
    open_frame(&scene, &kinds[0], testing_image(&random, 40, 30, kinds[0].pixel, 0), TREES, classes, &frame);
    targets = target_uses(&frame, true);
    engine_begin(&scene.engine, &frame.work);
    record_upload(&scene, &frame);
    assert_int_equal(
        shw_labeller_record(labeller, frame.work.commands, 0, SHW_COLOUR_USE(source_use(&frame)), &targets), SHW_OK);
    record_readback(&scene, &frame, targets.argmax.after.layout);
    engine_submit(&scene.engine, &frame.work);
    check_frame(&scene, scene.forest, &frame);
    close_frame(&scene, &frame);
    shw_labeller_destroy(&labeller);
    shw_forest_destroy(&forests.own);
    scene.forest = forests.opened;
    assert_int_equal(scene.memory.errors, 0);
    close_scene(&scene);
}

TESTING_CASE(the_documents_feature_labels_a_frame)
{
    char *text = testing_doc_example();
    struct shw_code_made made;

    assert_int_equal(setenv("XDG_CACHE_HOME", testing_path("cache"), 1), 0);
    assert_int_equal(mkdir(testing_path("cache"), 0700), 0);
    assert_int_equal(shw_code_make("ring.glsl", text, strlen(text), SHW_CODE_RUN, NULL, &made), SHW_OK);
    check(made.feature, SHW_TECHNIQUE_FRAGMENT);
    check(made.feature, SHW_TECHNIQUE_COMPUTE);
    free(text);
}
