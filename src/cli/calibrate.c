#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/json_text.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/data_options.h"
#include "cli/report.h"
#include "dense/forest/forest.h"
#include "dense/input/inputs.h"
#include "files/output/calibrated.h"

/* Pixels of all images and of each, about; and their probabilities. */
#define PIXELS_MAX        (1u << 17)
#define OF_IMAGE_MAX      400u
#define OF_IMAGE_MIN      16u
#define PROBABILITIES_MAX (1u << 27)

struct command {
    struct cli_report report;
    struct cli_device device;
    struct cli_data data;
    struct cli_code code;
    struct cli_focal focal;
    struct shw_output_files files;
    const char *path, *output;

    struct shw_forest *forest;
    const struct shw_forest_info *info;
    uint32_t images;
    struct shw_smoothing smoothing; /* as struct shw_labeller_params has it */

    uint32_t count;
    uint16_t *distributions, *labels; /* [pixel][class], [pixel] */
    uint32_t distribution_room, label_room;
    uint32_t power; /* in sixteenths */
    double brier[2];
};

/* The pixels of an image form a grid. */
static struct shw_part grid_of(const struct shw_image *image, uint32_t most)
{
    uint32_t least = image->width < image->height ? image->width : image->height, step = 1;

    while (step < least && (uint64_t)(image->width / step) * (image->height / step) > most)
        step++;
    return (struct shw_part){.x = step / 2,
                             .y = step / 2,
                             .width = (image->width - step / 2 - 1) / step + 1,
                             .height = (image->height - step / 2 - 1) / step + 1,
                             .step = step};
}

static uint32_t most_of_image(const struct command *command)
{
    uint64_t all = PIXELS_MAX;
    uint32_t most;

    if (all * command->info->class_count > PROBABILITIES_MAX)
        all = PROBABILITIES_MAX / command->info->class_count;
    most = (uint32_t)(all / command->images);
    return most > OF_IMAGE_MAX ? OF_IMAGE_MAX : most < OF_IMAGE_MIN ? OF_IMAGE_MIN : most;
}

/* Keeps the labelled pixels that have probabilities. */
static bool keep(struct command *command, const struct shw_labelled_image *example, const struct shw_part *grid,
                 const struct shw_labelling *found)
{
    const size_t classes = command->info->class_count, count = (size_t)grid->width * grid->height;
    const size_t most = command->count + count;

    if (!SHW_RESERVE(command->labels, command->label_room, most) ||
        !SHW_RESERVE(command->distributions, command->distribution_room, most * classes))
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t x = grid->x + i % grid->width * grid->step, y = grid->y + i / grid->width * grid->step;
        uint16_t label = example->labels[y * example->image.width + x];

        if (label == SHW_LABEL_VOID || found->argmax[i] == SHW_LABEL_VOID)
            continue;
        for (size_t c = 0; c < classes; c++)
            command->distributions[command->count * classes + c] = found->distribution[c * count + i];
        command->labels[command->count++] = label;
    }
    return true;
}

static enum shw_result label_image(struct command *command, struct shw_labeller *labeller,
                                   const struct shw_dataset *dataset, uint32_t index)
{
    const struct shw_log log = cli_log(&command->report);
    struct shw_labelled_image example;
    struct shw_input inputs[SHW_INPUTS_MAX];
    struct shw_labelling out = {0};
    struct shw_part grid;
    size_t pixels;
    enum shw_result result;

    SHW_PROPAGATE(dataset->read(dataset->user, index, &example));
    grid = grid_of(&example.image, most_of_image(command));
    pixels = (size_t)grid.width * grid.height;
    out.argmax = malloc(pixels * sizeof *out.argmax);
    out.distribution = malloc(command->info->class_count * pixels * sizeof *out.distribution);
    if (out.argmax != NULL && out.distribution != NULL) {
        struct shw_inputs read = shw_example_inputs(&example, command->info->channel_list, inputs);

        cli_check_focal(&command->focal, command->info, example.name, example.image.width, &log);
        result = shw_labeller_run_part(labeller, &read, &grid, &out);
    } else {
        result = shw_fail_memory(&log, example.name);
    }
    if (result == SHW_OK && !keep(command, &example, &grid, &out))
        result = shw_fail_memory(&log, example.name);
    free(out.argmax);
    free(out.distribution);
    dataset->release(dataset->user, &example);
    return result;
}

static int label_images(struct command *command, struct shw_labeller *labeller, const struct shw_dataset *dataset)
{
    double start = shw_clock();

    for (uint32_t i = 0; i < dataset->count; i++) {
        enum shw_result result = label_image(command, labeller, dataset, i);
        char text[160];

        if (result != SHW_OK)
            return shw_exit_code(result);
        snprintf(text, sizeof text, "image %u of %u, %.1f images/s", i + 1, dataset->count,
                 (i + 1) / (shw_clock() - start));
        cli_progress(&command->report, (double)(i + 1) / dataset->count, text);
    }
    cli_progress_end();
    return SHW_CONTINUE;
}

/* The provenance of the forest, with the calibration. */
static char *make_provenance(const struct command *command)
{
    const struct shw_smoothing smoothing = shw_forest_smoothing(command->info, &command->smoothing);
    json_t *training = json_loads(command->info->training, 0, NULL);
    char *text;

    json_object_set_new(
        training, SHW_CALIBRATION_MEMBER,
        shw_calibration_pack(command->info, command->images, command->count, command->power, &smoothing));
    text = json_dumps(training, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(training);
    return text;
}

/* The same forest with another provenance. */
static enum shw_result make_forest(struct command *command, struct shw_forest **forest)
{
    const struct shw_log log = cli_log(&command->report);
    struct shw_forest_params params = {.info = *command->info, .log = log};
    struct shw_tree *trees = calloc(command->info->tree_count, sizeof *trees);
    char *provenance = make_provenance(command);
    enum shw_result result = trees != NULL && provenance != NULL ? SHW_OK : SHW_ERROR_MEMORY;

    for (uint32_t t = 0; result == SHW_OK && t < command->info->tree_count; t++)
        result = shw_forest_copy_tree(command->forest, t, &trees[t]) ? SHW_OK : SHW_ERROR_MEMORY;
    params.info.training = provenance;
    params.trees = trees;
    result = result == SHW_OK ? shw_forest_create(&params, forest) : shw_fail_memory(&log, "a forest");
    shw_forest_free_trees(trees, command->info->tree_count);
    free(provenance);
    return result;
}

static int report_forest(struct command *command, const struct shw_forest *forest)
{
    char hash[20];

    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)shw_forest_hash(forest));
    if (command->report.json)
        return cli_print_json(&command->report,
                              json_pack("{s:o, s:s, s:i, s:i, s:f, s:f, s:f}", "forest", shw_json_text(command->output),
                                        "hash", hash, "images", (int)command->images, "pixels", (int)command->count,
                                        "power", command->power / (double)SHW_POWER_ONE, "brier_before",
                                        command->brier[0], "brier_after", command->brier[1]));
    if (!command->report.quiet)
        printf("%s: power %g by %s of %s, Brier score * 100 %.1f, before %.1f (hash %s)\n",
               shw_printable(command->output).text, command->power / (double)SHW_POWER_ONE,
               shw_counted(command->count, "pixel", "pixels").text,
               shw_counted(command->images, "image", "images").text, 100 * command->brier[1], 100 * command->brier[0],
               hash);
    return SHW_EXIT_SUCCESS;
}

static int fit(struct command *command)
{
    const struct shw_log log = cli_log(&command->report);
    const struct shw_power_pixels pixels = {command->count, command->info->class_count, command->distributions,
                                            command->labels};
    struct shw_thread_pool *pool = NULL;
    struct shw_forest *forest = NULL;
    enum shw_result result;
    int code;

    if (command->count == 0)
        return cli_fail(&command->report, "the images have no labelled pixels");
    result = shw_thread_pool_create(command->device.threads, &pool);
    if (result == SHW_OK)
        command->power = shw_power_choose(&pixels, pool, command->brier);
    if (result == SHW_OK && command->power == 0)
        result = shw_fail_memory(&log, "a calibration");
    if (result == SHW_OK)
        result = make_forest(command, &forest);
    if (result == SHW_OK)
        result = shw_output_files_look_again(&command->files, command->output);
    if (result == SHW_OK)
        result = shw_forest_save(forest, command->output, &log);
    code = result == SHW_OK ? report_forest(command, forest) : shw_exit_code(result);
    shw_forest_destroy(&forest);
    shw_thread_pool_destroy(&pool);
    return code;
}

static int label_and_fit(struct command *command, const struct shw_dataset *dataset)
{
    struct shw_labeller_params params = {.forest = command->forest,
                                         .outputs = SHW_OUTPUT_ARGMAX | SHW_OUTPUT_DISTRIBUTION,
                                         .smoothing = command->smoothing,
                                         .log = cli_log(&command->report)};
    struct shw_device *device = NULL;
    struct shw_labeller *labeller = NULL;
    int code = cli_open_device(&command->report, &command->device, &params, &device);

    if (code == SHW_CONTINUE) {
        enum shw_result result = shw_labeller_create(&params, &labeller);

        code = result == SHW_OK ? label_images(command, labeller, dataset) : shw_exit_code(result);
    }
    shw_labeller_destroy(&labeller);
    shw_device_destroy(&device);
    return code == SHW_CONTINUE ? fit(command) : code;
}

static int calibrate(struct command *command)
{
    struct shw_dataset dataset = {0};
    int code;

    command->data.info = command->info;
    command->data.with_previous = shw_channels_read(command->info->channel_list, SHW_PREVIOUS);
    command->data.with_height = shw_channels_read(command->info->channel_list, SHW_HEIGHT);
    cli_need_planes(&command->data, command->info->channel_list);
    code = cli_check_data_inputs(&cli_calibrate, &command->report, &command->data, &command->info->channel_list, 1,
                                 "the forest", "");
    if (code == SHW_CONTINUE)
        code = cli_open_data(&cli_calibrate, &command->report, &command->data, &dataset);
    if (code == SHW_CONTINUE)
        code = cli_check_classes(&command->report, command->info, &dataset);
    if (code == SHW_CONTINUE) {
        cli_read_data(&command->data, &dataset, &command->files);
        code = cli_check_outputs(&command->report, &command->files);
    }
    command->images = dataset.count;
    if (code == SHW_CONTINUE)
        code = label_and_fit(command, &dataset);
    shw_dataset_close(&dataset);
    return code;
}

static int load(struct command *command)
{
    const struct shw_log log = cli_log(&command->report);
    int code = cli_load_plugins(&command->report, &command->code);
    enum shw_result result;

    if (code != SHW_CONTINUE)
        return code;
    result =
        cli_load_forest(&command->code, command->path, &(struct shw_forest_load_params){.log = log}, &command->forest);
    if (result != SHW_OK)
        return shw_exit_code(result);
    command->info = shw_forest_get_info(command->forest);
    return shw_forest_is_checkpoint(command->forest)
               ? cli_fail(&command->report, "%s is a checkpoint: finish its training first", command->path)
               : SHW_CONTINUE;
}

static int run(int argc, char **argv)
{
    struct command command = {.smoothing = {.radius = CLI_SMOOTH_UNSET}};
    const struct shw_option options[] = {
        SHW_OPTION(SHW_VALUE_TEXT, "output", 'o', "FILE", &command.output, "the forest to write (.ktx2)"),
        CLI_OVERWRITE_OPTION(command.files),
        CLI_DATA_OPTIONS(command.data),
        CLI_SMOOTH_OPTIONS(command.smoothing, CLI_SMOOTH_STORED),
        CLI_CODE_OPTIONS(command.code),
        CLI_DEVICE_OPTIONS(command.device),
        CLI_REPORT_OPTIONS(command.report),
    };
    int first, code = cli_parse(&cli_calibrate, options, sizeof options / sizeof *options, argc, argv, &first);

    if (code == SHW_CONTINUE)
        code = cli_check_smoothing(&cli_calibrate, &command.smoothing);
    if (code != SHW_CONTINUE)
        return code;
    if (command.output == NULL)
        return shw_usage_error(&cli_calibrate, "an output file is needed: --output FILE");
    if (argc - first != 1)
        return shw_usage_error(&cli_calibrate, "one forest is needed");
    command.path = argv[first];
    command.report.data = command.data.root;
    shw_output_files_read(&command.files, command.path);
    shw_output_files_write(&command.files, command.output, &shw_file_forest);
    code = load(&command);
    if (code == SHW_CONTINUE)
        code = calibrate(&command);
    shw_forest_destroy(&command.forest);
    free(command.distributions);
    free(command.labels);
    shw_output_files_free(&command.files);
    return code;
}

const struct shw_command cli_calibrate = {
    .name = "calibrate",
    .summary = "fit a forest's probabilities to images that it was not trained on",
    .arguments = "--data DIR --output FILE [OPTION...] FOREST",
    .text =
        "Finds the power to which a forest's probabilities are to be raised, and then divided by their sum, so that "
        "they agree\nbest with the labels of images on which it was not trained. The forest stays the same, with the "
        "power in its\nprovenance; label and evaluate apply it with --calibrated. Smoothing comes first: the power is "
        "for probabilities\nthat are smoothed as the forest or --smooth says.",
    .examples = "  shadewood calibrate scenes.ktx2 --data scenes -o calibrated.ktx2\n"
                "  shadewood evaluate calibrated.ktx2 --data scenes --reliability --calibrated",
    .run = run,
};
