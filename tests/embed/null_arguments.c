/* Null pointers: every public function with each of its pointers null in turn. What is public is read from the headers,
 * so that no function is forgotten. */
#include "null_arguments.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/shadewood.h>

#include "testing/cascades.h"
#include "testing/examples.h"
#include "testing/labelling.h"
#include "testing/random_forest.h"
#include "testing/training.h"

#define NAMES_MAX 512

static struct {
    char names[NAMES_MAX][64];
    uint32_t count;
} called;

void note(const char *call)
{
    size_t length = strcspn(call, "(");

    assert_true(called.count < NAMES_MAX && length < sizeof called.names[0]);
    memcpy(called.names[called.count], call, length);
    called.names[called.count++][length] = '\0';
}

void expect_refused(const char *call, enum shw_result result)
{
    note(call);
    if (result != SHW_ERROR_ARGUMENT)
        fail_msg("%s: %s", call, shw_result_string(result));
}

void expect(const char *call, bool as_expected)
{
    note(call);
    if (!as_expected)
        fail_msg("%s: not what is documented", call);
}

static const struct random_forest_params forest_params = {.seed = 1, .depth = 2, .channels = SHW_CHANNELS_RGB};

TESTING_CASE(of_devices)
{
    const struct shw_device_import_params import = {0};
    const struct shw_device_create_params create = {0};
    struct shw_device_description description = {.vendor_id = 1};
    struct shw_device *device = NULL;
    uint32_t count;

    NO_POINTERS(shw_requirements_get);
    REFUSED(shw_device_import(NULL, &device));
    REFUSED(shw_device_import(&import, NULL));
    REFUSED(shw_device_import(&import, &device)); /* no instance */
    REFUSED(shw_device_create(NULL, &device));
    REFUSED(shw_device_create(&create, NULL));
    REFUSED(shw_device_list(NULL, NULL, 0, NULL));
    REFUSED(shw_device_list(NULL, NULL, 1, &count));
    SURVIVES(shw_device_describe(NULL, &description));
    assert_int_equal(description.vendor_id, 0);
    SURVIVES(shw_device_describe(NULL, NULL));
    SURVIVES(shw_device_destroy(NULL));
    SURVIVES(shw_device_destroy(&device));
}

TESTING_CASE(of_submissions)
{
    const struct shw_submission submission = {0};

    REFUSED(shw_submit(NULL, &submission));
}

TESTING_CASE(of_external_memory)
{
    const struct shw_external_buffer_params buffer = {.size = 1};
    const struct shw_external_image_params image = {.layers = 1};
    const struct shw_external_memory memory = {.fd = -1};
    const struct shw_external_use use = {0};
    struct shw_external_memory exported;
    struct shw_external external = {0};

    REFUSED(shw_external_buffer_create(NULL, &buffer, SHW_EXTERNAL_OPAQUE_FD, &external));
    REFUSED(shw_external_image_create(NULL, &image, SHW_EXTERNAL_OPAQUE_FD, &external));
    REFUSED(shw_external_buffer_import(NULL, &buffer, &memory, &external));
    REFUSED(shw_external_image_import(NULL, &image, &memory, &external));
    REFUSED(shw_external_export(NULL, &external, &exported));
    REFUSED(shw_external_acquire(NULL, VK_NULL_HANDLE, &external, &use));
    REFUSED(shw_external_release(NULL, VK_NULL_HANDLE, &external, &use));
    SURVIVES(shw_external_destroy(NULL, &external));
}

TESTING_CASE(of_luma_and_chroma)
{
    const uint8_t sample = 0;
    const struct shw_ycbcr_image frame = {
        .width = 1, .height = 1, .chroma_width = 1, .chroma_height = 1, .luma = &sample, .cb = &sample, .cr = &sample};
    const struct shw_ycbcr_converter_params params = {.width = 1, .height = 1};
    const struct shw_ycbcr_planes planes = {0};
    const struct shw_image_use target = {0};
    struct shw_ycbcr_converter *converter = NULL;
    uint8_t pixels[3];

    REFUSED(shw_ycbcr_convert(NULL, SHW_PIXEL_RGB8, pixels, 0, NULL));
    REFUSED(shw_ycbcr_convert(&frame, SHW_PIXEL_RGB8, NULL, 0, NULL));
    REFUSED(shw_ycbcr_converter_create(NULL, &converter));
    REFUSED(shw_ycbcr_converter_create(&params, NULL));
    REFUSED(shw_ycbcr_converter_create(&params, &converter)); /* no device */
    REFUSED(shw_ycbcr_converter_record(NULL, VK_NULL_HANDLE, 0, &planes, &target));
    SURVIVES(shw_ycbcr_converter_destroy(NULL));
    SURVIVES(shw_ycbcr_converter_destroy(&converter));
}

TESTING_CASE(of_calibrations)
{
    struct shw_forest *forest = random_forest(&forest_params);
    const struct shw_calibrate_params params = {0};
    struct shw_calibration calibration = {0};
    const struct shw_device_description description = {0};
    const struct shw_calibration_work work = shw_calibration_work_of(forest, SHW_OUTPUT_ARGMAX);
    enum shw_technique techniques[SHW_STAGE_COUNT] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU};
    const uint32_t allowed[SHW_STAGE_COUNT] = {2, 2, 2};

    REFUSED(shw_calibrate(NULL, &calibration));
    REFUSED(shw_calibrate(&params, NULL));
    RETURNS(shw_calibration_fits(NULL, &description), == false);
    RETURNS(shw_calibration_fits(&calibration, NULL), == false);
    RETURNS(shw_calibration_work_of(NULL, SHW_OUTPUT_ARGMAX), .channel_count == 0);
    RETURNS(shw_calibration_predict(NULL, &work, techniques), == INFINITY);
    RETURNS(shw_calibration_predict(&calibration, NULL, techniques), == INFINITY);
    RETURNS(shw_calibration_predict(&calibration, &work, NULL), == INFINITY);
    RETURNS(shw_calibration_choose(NULL, &work, allowed, techniques), == false);
    RETURNS(shw_calibration_choose(&calibration, NULL, allowed, techniques), == false);
    RETURNS(shw_calibration_choose(&calibration, &work, NULL, techniques), == false);
    RETURNS(shw_calibration_choose(&calibration, &work, allowed, NULL), == false);
    RETURNS(shw_calibration_choose_training(NULL, 1), == SHW_TECHNIQUE_AUTO);
    shw_forest_destroy(&forest);
}

TESTING_CASE(of_forests)
{
    struct shw_forest *forest = random_forest(&forest_params), *other = NULL;
    const struct shw_forest_params params = {0};
    const char byte = 0;
    void *bytes = NULL;
    size_t size;

    REFUSED(shw_forest_create(NULL, &other));
    REFUSED(shw_forest_create(&params, NULL));
    REFUSED(shw_forest_create(&params, &other)); /* no trees */
    REFUSED(shw_forest_load(NULL, NULL, &other));
    REFUSED(shw_forest_load("none", NULL, NULL));
    REFUSED(shw_forest_load_memory(NULL, 1, NULL, NULL, &other));
    REFUSED(shw_forest_load_memory(&byte, 1, NULL, NULL, NULL));
    REFUSED(shw_forest_merge(NULL, 1, NULL, &other));
    REFUSED(shw_forest_merge(&(struct shw_forest_part){forest, "one"}, 1, NULL, NULL));
    REFUSED(shw_forest_merge(&(struct shw_forest_part){NULL, "none"}, 1, NULL, &other));
    REFUSED(shw_forest_save(NULL, "none", NULL));
    REFUSED(shw_forest_save(forest, NULL, NULL));
    REFUSED(shw_forest_save_memory(NULL, &bytes, &size));
    REFUSED(shw_forest_save_memory(forest, NULL, &size));
    REFUSED(shw_forest_save_memory(forest, &bytes, NULL));
    RETURNS(shw_forest_get_info(NULL), == NULL);
    RETURNS(shw_forest_get_tree(NULL, 0), .node_count == 0);
    RETURNS(shw_forest_get_node(NULL, 0, 0), .is_split == false);
    RETURNS(shw_forest_get_distribution(NULL, 0, 0), == NULL);
    RETURNS(shw_forest_get_reach(NULL), == 0);
    RETURNS(shw_forest_is_ferns(NULL), == false);
    RETURNS(shw_forest_get_input(NULL, 0), == NULL);
    RETURNS(shw_forest_get_texture(NULL), .texels == NULL);
    RETURNS(shw_forest_get_texel(NULL, 1), .kind == SHW_TEXEL_HEADER);
    RETURNS(shw_forest_hash(NULL), == 0);
    SURVIVES(shw_forest_destroy(NULL));
    SURVIVES(shw_forest_destroy(&other));
    shw_forest_destroy(&forest);
}

TESTING_CASE(of_cascades)
{
    struct shw_cascade *cascade = random_cascade(&(struct random_cascade_params){0}), *other = NULL;
    const struct shw_cascade_info info = {.stage_count = 1, .tree_count = 1, .node_count = 1};
    const char byte = 0;
    void *bytes = NULL;
    size_t size;

    NO_POINTERS(shw_cascade_kind_name);
    REFUSED(shw_cascade_create(NULL, NULL, &other));
    REFUSED(shw_cascade_create(shw_cascade_get_info(cascade), NULL, NULL));
    REFUSED(shw_cascade_create(&info, NULL, &other)); /* no stages */
    REFUSED(shw_cascade_load(NULL, NULL, &other));
    REFUSED(shw_cascade_load("none", NULL, NULL));
    REFUSED(shw_cascade_load_memory(NULL, 1, NULL, NULL, &other));
    REFUSED(shw_cascade_load_memory(&byte, 1, NULL, NULL, NULL));
    REFUSED(shw_cascade_save(NULL, "none", NULL));
    REFUSED(shw_cascade_save(cascade, NULL, NULL));
    REFUSED(shw_cascade_save_memory(NULL, &bytes, &size));
    REFUSED(shw_cascade_save_memory(cascade, NULL, &size));
    REFUSED(shw_cascade_save_memory(cascade, &bytes, NULL));
    RETURNS(shw_cascade_get_info(NULL), == NULL);
    RETURNS(shw_cascade_get_texture(NULL), .texels == NULL);
    RETURNS(shw_cascade_hash(NULL), == 0);
    SURVIVES(shw_cascade_destroy(NULL));
    SURVIVES(shw_cascade_destroy(&other));
    shw_cascade_destroy(&cascade);
}

static enum shw_result read_none(void *user, uint32_t index, struct shw_cascade_image *image)
{
    (void)user, (void)index, (void)image;
    return SHW_ERROR_IO;
}

static void release_none(void *user, struct shw_cascade_image *image)
{
    (void)user, (void)image;
}

TESTING_CASE(of_cascade_trainers)
{
    const struct shw_cascade_object object = {.width = 1, .height = 1};
    struct shw_cascade_dataset dataset = {
        .image_count = 1, .object_count = 1, .objects = &object, .read = read_none, .release = release_none};
    const struct shw_cascade_trainer_params params = {.threads = 1};
    struct shw_cascade_trainer *trainer = NULL;
    struct shw_cascade_progress progress = {.stages = 7};
    struct shw_cascade *cascade = NULL;
    bool finished;

    NO_POINTERS(shw_boosting_name);
    REFUSED(shw_cascade_trainer_create(NULL, &dataset, &trainer));
    REFUSED(shw_cascade_trainer_create(&params, NULL, &trainer));
    REFUSED(shw_cascade_trainer_create(&params, &dataset, NULL));
    dataset.read = NULL;
    REFUSED(shw_cascade_trainer_create(&params, &dataset, &trainer));
    dataset.read = read_none;
    assert_int_equal(shw_cascade_trainer_create(&params, &dataset, &trainer), SHW_OK);
    REFUSED(shw_cascade_trainer_step(NULL, &finished));
    REFUSED(shw_cascade_trainer_step(trainer, NULL));
    REFUSED(shw_cascade_trainer_save(NULL, "none"));
    REFUSED(shw_cascade_trainer_save(trainer, NULL));
    REFUSED(shw_cascade_trainer_load(NULL, "none"));
    REFUSED(shw_cascade_trainer_load(trainer, NULL));
    REFUSED(shw_cascade_trainer_get_cascade(NULL, &cascade));
    REFUSED(shw_cascade_trainer_get_cascade(trainer, NULL));
    RETURNS(shw_cascade_trainer_get_technique(NULL), == SHW_TECHNIQUE_AUTO);
    SURVIVES(shw_cascade_trainer_interrupt(NULL));
    SURVIVES(shw_cascade_trainer_get_progress(NULL, &progress));
    SURVIVES(shw_cascade_trainer_get_quality(NULL, &(struct shw_cascade_quality){0}));
    assert_int_equal(progress.stages, 7);
    SURVIVES(shw_cascade_trainer_get_progress(trainer, NULL));
    SURVIVES(shw_cascade_trainer_get_quality(trainer, NULL));
    shw_cascade_trainer_destroy(&trainer);
    SURVIVES(shw_cascade_trainer_destroy(NULL));
    SURVIVES(shw_cascade_trainer_destroy(&trainer));
}

TESTING_CASE(of_detectors)
{
    struct shw_cascade *cascade = random_cascade(&(struct random_cascade_params){0});
    const struct shw_detector_params params = {.cascade = cascade};
    const struct shw_image image = {.pixels = "", .width = 1, .height = 1, .format = SHW_PIXEL_GREY8};
    const struct shw_group_params group = {.method = SHW_GROUP_MEAN};
    const struct shw_image_use use = {0};
    const struct shw_detect_target target = {0};
    VkCommandBuffer commands = (VkCommandBuffer)(void *)&cascade; /* never used */
    struct shw_detections found = {0};
    struct shw_detector *detector = NULL;
    const struct shw_grouper_params grouper_params = {0};
    const struct shw_group_target groups = {0};
    struct shw_grouper *grouper = NULL;
    uint64_t survivors[64];

    NO_POINTERS(shw_detect_variant_name);
    NO_POINTERS(shw_group_method_default);
    REFUSED(shw_detector_create(NULL, &detector));
    REFUSED(shw_detector_create(&params, NULL));
    REFUSED(shw_detector_create(&(struct shw_detector_params){0}, &detector));
    assert_int_equal(shw_detector_create(&params, &detector), SHW_OK);
    RETURNS(shw_detector_get_technique(NULL), == SHW_TECHNIQUE_AUTO);
    RETURNS(shw_detector_count_windows(NULL, 1, 1), == 0);
    REFUSED(shw_detector_run(NULL, &image, &found));
    REFUSED(shw_detector_run(detector, NULL, &found));
    REFUSED(shw_detector_run(detector, &image, NULL));
    REFUSED(shw_detector_get_survivors(NULL, survivors, 1));
    REFUSED(shw_detector_get_survivors(detector, NULL, 1));
    REFUSED(shw_detector_record(NULL, commands, 0, &use, &target));
    REFUSED(shw_detector_record(detector, NULL, 0, &use, &target));
    REFUSED(shw_detector_record(detector, commands, 0, NULL, &target));
    REFUSED(shw_detector_record(detector, commands, 0, &use, NULL));
    REFUSED(shw_detections_group(NULL, SHW_CASCADE_PIXELS, &group, NULL));
    REFUSED(shw_detections_group(&found, SHW_CASCADE_PIXELS, NULL, NULL));
    REFUSED(shw_grouper_create(NULL, &grouper));
    REFUSED(shw_grouper_create(&grouper_params, NULL));
    REFUSED(shw_grouper_create(&grouper_params, &grouper));
    REFUSED(shw_grouper_record(NULL, commands, 0, &target, &groups));
    SURVIVES(shw_grouper_destroy(NULL));
    SURVIVES(shw_grouper_destroy(&grouper));
    SURVIVES(shw_detector_interrupt(NULL));
    SURVIVES(shw_detector_destroy(NULL));
    SURVIVES(shw_detector_destroy(&detector));
    SURVIVES(shw_detector_destroy(&detector));
    shw_cascade_destroy(&cascade);
}

TESTING_CASE(of_channels_and_features)
{
    const struct shw_stage_slot slot = {0};
    const struct shw_inputs inputs = {1, NULL};
    struct shw_channel_list list;
    struct shw_splitter splitter = {0};

    RETURNS(shw_channel_list_parse(NULL, NULL, NULL, &list), == SHW_OK);
    REFUSED(shw_channel_list_parse("rgb", NULL, NULL, NULL));
    NO_POINTERS(shw_channel_list_get_name);
    NO_POINTERS(shw_feature_type_get);
    RETURNS(shw_feature_type_by_name(NULL), == NULL);
    RETURNS(shw_rectangle_difference_pack(NULL), .words[0] == 0);
    RETURNS(shw_rectangle_difference_unpack(NULL), .single == true);
    RETURNS(shw_rectangle_difference_check(NULL, NULL, NULL), == false);
    RETURNS(shw_rectangle_difference_bound(NULL, NULL), == 0);
    RETURNS(shw_rectangle_difference_reach(NULL), .x1 == 0);
    RETURNS(shw_rectangle_difference_regions(NULL, NULL), == 0);
    RETURNS(shw_proposer_draw(NULL, 0, 0, NULL), == false);
    REFUSED(shw_splitter_id3(NULL, NULL));
    REFUSED(shw_splitter_c45(NULL, NULL));
    SURVIVES(shw_splitter_free(NULL));
    SURVIVES(shw_splitter_free(&splitter));
    REFUSED(shw_stage_technique_check(NULL, NULL));
    RETURNS(shw_stage_find(NULL, SHW_CHANNELS), != NULL);
    RETURNS(shw_stage_find(&slot, NULL), != NULL);
    RETURNS(shw_stage_step(NULL, 1), == false);
    RETURNS(shw_inputs_find(NULL, SHW_COLOUR), == NULL);
    RETURNS(shw_inputs_find(&inputs, SHW_COLOUR), == NULL);
    RETURNS(shw_inputs_find(&inputs, NULL), == NULL);
    NO_POINTERS(shw_pixel_size);
    NO_POINTERS(shw_source_format_get);
    NO_POINTERS(shw_source_format_find);
    NO_POINTERS(shw_target_format_get);
    NO_POINTERS(shw_result_string);
    NO_POINTERS(shw_technique_name);
    NO_POINTERS(shw_technique_needs_device);
    NO_POINTERS(shw_technique_is_host);
    NO_POINTERS(shw_stage_name);
    NO_POINTERS(shw_version);
    NO_POINTERS(shw_version_string);
    expect("shw_abi_fits", shw_abi_fits(SHW_ABI) && !shw_abi_fits(SHW_ABI ^ 1u) &&
                               !shw_abi_fits(SHW_ABI ^ 0x80000000u) && !shw_abi_fits(0));
}

TESTING_CASE(of_labellers)
{
    struct shw_forest *forest = random_forest(&forest_params);
    const struct shw_labeller_params params = {.forest = forest, .outputs = SHW_OUTPUT_ARGMAX, .threads = 1};
    const struct shw_labeller_params no_forest = {.outputs = SHW_OUTPUT_ARGMAX};
    struct shw_labeller *labeller = NULL, *none = NULL;
    struct shw_labeller_memory memory;
    const struct shw_part part = {.width = 1, .height = 1, .step = 1};
    enum shw_technique techniques[SHW_STAGE_COUNT];
    const struct shw_inputs inputs = {1, NULL};
    const struct shw_image image = {
        .pixels = (const uint8_t[]){1, 2, 3}, .width = 1, .height = 1, .format = SHW_PIXEL_RGB8};
    const struct shw_labelling labelling = {0};
    const struct shw_memory_targets wanted = {0};
    const struct shw_label_targets targets = {0};
    struct shw_labelling_progress progress = {0};
    uint64_t work[SHW_STAGE_COUNT];

    REFUSED(shw_labeller_create(NULL, &labeller));
    REFUSED(shw_labeller_create(&params, NULL));
    REFUSED(shw_labeller_create(&no_forest, &labeller));
    REFUSED(shw_labeller_get_memory(NULL, &memory));
    REFUSED(shw_labeller_get_memory(&params, NULL));
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    SURVIVES(shw_labeller_get_techniques(NULL, techniques));
    SURVIVES(shw_labeller_get_techniques(labeller, NULL));
    REFUSED(shw_labeller_set_forest(NULL, forest));
    REFUSED(shw_labeller_set_forest(labeller, NULL));
    RETURNS(shw_labeller_has_room(NULL, forest), == false);
    RETURNS(shw_labeller_has_room(labeller, NULL), == false);
    REFUSED(shw_labeller_run(NULL, &inputs, &labelling));
    REFUSED(shw_labeller_run(labeller, NULL, &labelling));
    REFUSED(shw_labeller_run(labeller, &inputs, NULL));
    REFUSED(shw_labeller_run(labeller, &inputs, &labelling));                 /* a count without inputs */
    REFUSED(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(image), &labelling)); /* no result is asked for */
    REFUSED(shw_labeller_run_part(NULL, &inputs, &part, &labelling));
    REFUSED(shw_labeller_run_part(labeller, NULL, &part, &labelling));
    REFUSED(shw_labeller_run_part(labeller, &inputs, NULL, &labelling));
    REFUSED(shw_labeller_run_part(labeller, &inputs, &part, NULL));
    REFUSED(shw_labeller_run_targets(NULL, &inputs, &wanted));
    REFUSED(shw_labeller_run_targets(labeller, NULL, &wanted));
    REFUSED(shw_labeller_run_targets(labeller, &inputs, NULL));
    REFUSED(shw_labeller_run_targets(labeller, SHW_COLOUR_IMAGE(image), &wanted)); /* none is wanted */
    REFUSED(shw_labeller_record(NULL, VK_NULL_HANDLE, 0, &inputs, &targets));
    REFUSED(shw_labeller_record(labeller, VK_NULL_HANDLE, 0, NULL, &targets));
    REFUSED(shw_labeller_record(labeller, VK_NULL_HANDLE, 0, &inputs, NULL));
    SURVIVES(shw_labeller_discard_recordings(NULL));
    REFUSED(shw_labeller_record_piece(NULL, VK_NULL_HANDLE, 0, &inputs, &targets, 0, &progress));
    REFUSED(shw_labeller_record_piece(labeller, VK_NULL_HANDLE, 0, NULL, &targets, 0, &progress));
    REFUSED(shw_labeller_record_piece(labeller, VK_NULL_HANDLE, 0, &inputs, NULL, 0, &progress));
    REFUSED(shw_labeller_record_piece(labeller, VK_NULL_HANDLE, 0, &inputs, &targets, 0, NULL));
    REFUSED(shw_labeller_get_work(NULL, 0, &inputs, &targets, work));
    REFUSED(shw_labeller_get_work(labeller, 0, NULL, &targets, work));
    REFUSED(shw_labeller_get_work(labeller, 0, &inputs, NULL, work));
    REFUSED(shw_labeller_get_work(labeller, 0, &inputs, &targets, NULL));
    SURVIVES(shw_labeller_interrupt(NULL));
    SURVIVES(shw_labeller_destroy(NULL));
    SURVIVES(shw_labeller_destroy(&none));
    shw_labeller_destroy(&labeller);
    shw_forest_destroy(&forest);
}

TESTING_CASE(of_explanations)
{
    struct shw_forest *forest = random_forest(&forest_params);
    struct testing_random random = {2};
    struct shw_image image = testing_image(&random, 9, 7, SHW_PIXEL_RGB8, 0);
    const struct shw_channel_reader_params no_inputs = {.channels = SHW_CHANNELS_RGB},
                                           params = {.channels = SHW_CHANNELS_RGB, .inputs = SHW_COLOUR_IMAGE(image)};
    struct shw_channel_reader *reader = NULL, *none = NULL;
    struct shw_explanation *explanation = NULL;
    const struct shw_image_rectangle rectangle = {0, 0, 1, 1};
    int16_t values[63];
    uint32_t sums[80];
    int32_t sum;

    REFUSED(shw_channel_reader_create(NULL, &reader));
    REFUSED(shw_channel_reader_create(&params, NULL));
    REFUSED(shw_channel_reader_create(&no_inputs, &none));
    assert_int_equal(shw_channel_reader_create(&params, &reader), SHW_OK);
    REFUSED(shw_channel_reader_set_inputs(NULL, SHW_COLOUR_IMAGE(image)));
    REFUSED(shw_channel_reader_set_inputs(reader, NULL));
    REFUSED(shw_channel_reader_sum(NULL, 0, &rectangle, &sum));
    REFUSED(shw_channel_reader_sum(reader, 0, NULL, &sum));
    REFUSED(shw_channel_reader_sum(reader, 0, &rectangle, NULL));
    REFUSED(shw_channel_reader_get_channel(NULL, 0, values));
    REFUSED(shw_channel_reader_get_channel(reader, 0, NULL));
    REFUSED(shw_channel_reader_get_part(NULL, 0, &rectangle, values));
    REFUSED(shw_channel_reader_get_part(reader, 0, NULL, values));
    REFUSED(shw_channel_reader_get_part(reader, 0, &rectangle, NULL));
    REFUSED(shw_channel_reader_get_integral(NULL, 0, sums));
    REFUSED(shw_channel_reader_get_integral(reader, 0, NULL));
    REFUSED(shw_explain(NULL, reader, 0, 0, &explanation));
    REFUSED(shw_explain(forest, NULL, 0, 0, &explanation));
    REFUSED(shw_explain(forest, reader, 0, 0, NULL));
    SURVIVES(shw_explanation_free(NULL));
    SURVIVES(shw_explanation_free(&explanation));
    SURVIVES(shw_channel_reader_destroy(NULL));
    SURVIVES(shw_channel_reader_destroy(&none));
    shw_channel_reader_destroy(&reader);
    shw_forest_destroy(&forest);
    free((void *)(uintptr_t)image.pixels);
}

TESTING_CASE(of_trainers)
{
    const struct testing_examples_params examples_params = {.seed = 3};
    struct shw_trainer_params params = testing_training;
    struct shw_train_progress progress = {.tree = 1};
    struct testing_examples examples;
    struct testing_log memory;
    struct shw_trainer *trainer = NULL, *none = NULL;
    struct shw_forest *forest = NULL;
    bool finished;

    testing_examples_make(&examples_params, &examples);
    examples.dataset.user = &examples;
    params.log = testing_log(&memory);
    RETURNS(shw_trainer_params_get_reach(NULL), == UINT32_MAX);
    REFUSED(shw_trainer_create(NULL, &examples.dataset, &trainer));
    REFUSED(shw_trainer_create(&params, NULL, &trainer));
    REFUSED(shw_trainer_create(&params, &examples.dataset, NULL));
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_OK);
    REFUSED(shw_trainer_renew(NULL, &params, &examples.dataset));
    REFUSED(shw_trainer_renew(trainer, NULL, &examples.dataset));
    REFUSED(shw_trainer_renew(trainer, &params, NULL));
    REFUSED(shw_trainer_prepare(NULL));
    REFUSED(shw_trainer_step(NULL, &finished));
    REFUSED(shw_trainer_step(trainer, NULL));
    REFUSED(shw_trainer_save(NULL, "none"));
    REFUSED(shw_trainer_save(trainer, NULL));
    REFUSED(shw_trainer_load(NULL, "none"));
    REFUSED(shw_trainer_load(trainer, NULL));
    REFUSED(shw_trainer_record(NULL, VK_NULL_HANDLE));
    REFUSED(shw_trainer_complete(NULL, &finished));
    REFUSED(shw_trainer_complete(trainer, NULL));
    SURVIVES(shw_trainer_get_progress(NULL, &progress));
    assert_int_equal(progress.tree, 0);
    SURVIVES(shw_trainer_get_progress(trainer, NULL));
    RETURNS(shw_trainer_get_technique(NULL), == SHW_TECHNIQUE_AUTO);
    RETURNS(shw_trainer_get_record(NULL), == NULL);
    REFUSED(shw_trainer_get_forest(NULL, &forest));
    REFUSED(shw_trainer_get_forest(trainer, NULL));
    SURVIVES(shw_trainer_interrupt(NULL));
    SURVIVES(shw_trainer_destroy(NULL));
    SURVIVES(shw_trainer_destroy(&none));
    REFUSED(shw_train(NULL, &examples.dataset, &forest));
    REFUSED(shw_train(&params, NULL, &forest));
    REFUSED(shw_train(&params, &examples.dataset, NULL));
    shw_trainer_destroy(&trainer);
    testing_examples_free(&examples);
}

/* The names of functions that are declared or defined in a header: shw_NAME( after SHW_API or static inline. */
static void check_header(const char *path)
{
    FILE *file = fopen(path, "r");
    char text[200000], *at = text, *end;
    size_t size;

    assert_non_null(file);
    size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_true(size < sizeof text - 1);
    text[size] = '\0';
    while ((at = strstr(at, "\nSHW_API ")) != NULL) {
        at = strstr(at, "shw_");
        end = strpbrk(at, "(;");
        assert_non_null(end);
        if (*end == ';') /* a variable */
            continue;
        while (at + 4 < end && strstr(at + 4, "shw_") != NULL && strstr(at + 4, "shw_") < end)
            at = strstr(at + 4, "shw_");
        if (strncmp(end - 4, "_abi", 4) == 0)
            end -= 4; /* what programs call is inline */
        for (uint32_t i = 0;; i++) {
            if (i == called.count)
                fail_msg("%.*s is not called with null pointers", (int)(end - at), at);
            if (strlen(called.names[i]) == (size_t)(end - at) && strncmp(called.names[i], at, (size_t)(end - at)) == 0)
                break;
        }
    }
}

TESTING_CASE(every_function_was_called)
{
    DIR *folder = opendir(HEADERS);
    char path[1000];

    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (strstr(entry->d_name, ".h") != NULL) {
            snprintf(path, sizeof path, "%s/%s", HEADERS, entry->d_name);
            check_header(path);
        }
    closedir(folder);
}
