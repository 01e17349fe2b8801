#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/data_options.h"
#include "cli/report.h"
#include "dense/input/inputs.h"
#include "files/dataset/forest_classes.h"
#include "files/image/draw.h"
#include "files/image/image_write.h"
#include "files/output/accuracy_shards.h"
#include "files/output/calibrated.h"

struct command {
    struct cli_report report;
    struct cli_device device;
    struct cli_data data;
    struct cli_focal focal;
    const char *overlays, *background;
    struct shw_output_files files;
    bool calibrated;
    struct cli_code code;
    struct shw_power *power; /* of the forest that is measured, with --calibrated */
    int combine;             /* enum shw_combine */
    struct shw_smoothing smoothing;
    int fill; /* enum shw_fill */
    uint32_t opacity;
    const char *shard_text, *output; /* of one part of the images; NULL: all are measured */
    struct shw_accuracy_part part;

    struct shw_forest **forests;
    struct shw_measured *measured; /* of each forest */
    struct shw_accuracy_report result;
};

/* One forest, while it is measured. */
struct measuring {
    struct command *command;
    const struct shw_forest_info *info;
    struct shw_measured *measured;
    uint32_t number; /* of the forest */
};

static void overlay_path(const struct command *command, const char *example, char *path, size_t size)
{
    char name[1024];

    snprintf(name, sizeof name, "%s", example);
    for (char *c = name; *c != '\0'; c++)
        if (*c == '/')
            *c = '_';
    snprintf(path, size, "%s/%s_overlay.png", command->overlays, name);
}

static bool is_measured(const struct command *command, const struct shw_dataset *dataset, uint32_t i)
{
    return shw_shard_has(&command->part.shard, shw_dataset_name(dataset, i));
}

/* Makes the folder of the overlays and checks what is going to be written there. */
static int check_overlays(struct command *command, const struct shw_dataset *dataset)
{
    char path[4096];
    int code;

    if (command->overlays == NULL)
        return SHW_CONTINUE;
    code = cli_make_folder(&command->report, command->overlays);
    if (code != SHW_CONTINUE)
        return code;
    shw_output_files_read(&command->files, command->measured->path);
    cli_read_data(&command->data, dataset, &command->files);
    for (uint32_t i = 0; i < dataset->count; i++) {
        if (!is_measured(command, dataset, i))
            continue;
        overlay_path(command, shw_dataset_name(dataset, i), path, sizeof path);
        shw_output_files_write(&command->files, path, &shw_file_overlay);
    }
    return cli_check_outputs(&command->report, &command->files);
}

static enum shw_result write_overlay(const struct measuring *measuring, const struct shw_labelled_image *example,
                                     const uint16_t *classes)
{
    struct command *command = measuring->command;
    struct shw_log log = cli_log(&command->report);
    uint8_t *pixels = shw_overlay_image(&example->image, classes, measuring->info->classes, command->opacity);
    struct shw_image overlay = {
        .pixels = pixels, .width = example->image.width, .height = example->image.height, .format = SHW_PIXEL_RGB8};
    enum shw_result result;
    char path[4096];

    if (pixels == NULL)
        return SHW_ERROR_MEMORY;
    overlay_path(command, example->name, path, sizeof path);
    result = shw_output_files_look_again(&command->files, path);
    if (result == SHW_OK)
        result = shw_png_write_marked(path, shw_file_overlay.name, &overlay, &log);
    free(pixels);
    return result;
}

static enum shw_result evaluate_image(const struct measuring *measuring, struct shw_labeller *labeller,
                                      const struct shw_dataset *dataset, uint32_t index)
{
    struct shw_measured *measured = measuring->measured;
    struct shw_labelled_image example;
    struct shw_input inputs[SHW_INPUTS_MAX];
    size_t pixels;
    struct shw_labelling out = {0};
    double start;
    enum shw_result result = SHW_OK;

    SHW_PROPAGATE(dataset->read(dataset->user, index, &example));
    pixels = (size_t)example.image.width * example.image.height;
    out.argmax = malloc(pixels * sizeof *out.argmax);
    if (measuring->command->result.reliability)
        out.distribution = malloc(measuring->info->class_count * pixels * sizeof *out.distribution);
    if (out.argmax == NULL || (measuring->command->result.reliability && out.distribution == NULL)) {
        cli_fail(&measuring->command->report, "not enough memory for the result of %s", example.name);
        result = SHW_ERROR_MEMORY;
    } else {
        const struct shw_log log = cli_log(&measuring->command->report);
        struct shw_inputs read = shw_example_inputs(&example, measuring->info->channel_list, inputs);
        cli_check_focal(&measuring->command->focal, measuring->info, example.name, example.image.width, &log);
        start = shw_clock();
        result = shw_labeller_run(labeller, &read, &out);
        measured->seconds += shw_clock() - start;
    }
    if (result == SHW_OK)
        shw_accuracy_add(&measured->accuracy, example.labels, out.argmax, pixels);
    if (result == SHW_OK && measuring->command->power != NULL)
        shw_power_apply(measuring->command->power, out.distribution, measuring->info->class_count, pixels);
    if (result == SHW_OK && measuring->command->result.reliability)
        shw_reliability_add(&measured->reliability, example.labels, out.argmax, out.distribution,
                            measuring->info->class_count, pixels);
    if (result == SHW_OK && measuring->command->overlays != NULL)
        result = write_overlay(measuring, &example, out.argmax);
    free(out.distribution);
    free(out.argmax);
    dataset->release(dataset->user, &example);
    return result;
}

static int evaluate_images(const struct measuring *measuring, struct shw_labeller *labeller,
                           const struct shw_dataset *dataset)
{
    struct command *command = measuring->command;
    const uint32_t count = command->result.count;
    double start = shw_clock();

    command->result.images = 0;
    for (uint32_t i = 0; i < dataset->count; i++) {
        enum shw_result result;
        if (!is_measured(command, dataset, i))
            continue;
        result = evaluate_image(measuring, labeller, dataset, i);
        command->result.images++;
        double seconds = shw_clock() - start;
        char text[160], of_forest[64] = "";
        if (result != SHW_OK)
            return shw_exit_code(result);
        if (count > 1)
            snprintf(of_forest, sizeof of_forest, "forest %u of %u, ", measuring->number + 1, count);
        snprintf(text, sizeof text, "%simage %u of %u, %.1f images/s", of_forest, i + 1, dataset->count,
                 command->result.images / seconds);
        cli_progress(&command->report, (double)(i + 1) / dataset->count, text);
    }
    cli_progress_end();
    return SHW_CONTINUE;
}

/* Finds the class that the user calls background. */
static int take_background(struct command *command, const struct shw_dataset *dataset)
{
    char existing[768];

    if (command->background == NULL)
        return SHW_CONTINUE;
    command->result.background = shw_class_find(dataset->classes, dataset->class_count, command->background);
    if (command->result.background != SHW_NO_BACKGROUND)
        return SHW_CONTINUE;
    shw_class_list(dataset->classes, dataset->class_count, existing, sizeof existing);
    return cli_fail(&command->report, "the background '%s' is neither the name nor the colour of a class: there are %s",
                    command->background, existing);
}

static int label_and_compare(const struct measuring *measuring, const struct shw_dataset *dataset,
                             struct shw_labeller_params *params)
{
    struct command *command = measuring->command;
    struct shw_device *device = NULL;
    struct shw_labeller *labeller = NULL;
    enum shw_result result = SHW_OK;
    int code = cli_open_device(&command->report, &command->device, params, &device);

    if (code == SHW_CONTINUE) {
        result = shw_labeller_create(params, &labeller);
        if (result == SHW_OK)
            result = shw_accuracy_create(&measuring->measured->accuracy, measuring->info->class_count, &params->log);
        code = result == SHW_OK ? evaluate_images(measuring, labeller, dataset) : shw_exit_code(result);
    }
    shw_labeller_destroy(&labeller);
    shw_device_destroy(&device);
    return code;
}

/* The power of the forest that is measured next. */
static int take_power(struct command *command, const struct measuring *measuring)
{
    const struct shw_log log = cli_log(&command->report);
    enum shw_result result;

    free(command->power);
    command->power = NULL;
    result =
        shw_forest_power_make(measuring->info, &command->smoothing, measuring->measured->path, &log, &command->power);
    return result == SHW_OK ? SHW_CONTINUE : shw_exit_code(result);
}

static struct shw_digest digest_names(const struct shw_dataset *dataset)
{
    struct shw_digester *digester = shw_digester_create();

    for (uint32_t i = 0; i < dataset->count && digester != NULL; i++)
        shw_digester_add_text(digester, shw_dataset_name(dataset, i));
    return shw_digester_end(&digester);
}

/* Opens the data set as the forest needs it, labels it and counts. Returns SHW_CONTINUE or the exit code. */
static int measure_forest(struct command *command, uint32_t number)
{
    struct measuring measuring = {.command = command,
                                  .info = shw_forest_get_info(command->forests[number]),
                                  .measured = &command->measured[number],
                                  .number = number};
    struct shw_labeller_params params = {.forest = command->forests[number],
                                         .outputs = SHW_OUTPUT_ARGMAX |
                                                    (command->result.reliability ? SHW_OUTPUT_DISTRIBUTION : 0u),
                                         .smoothing = command->smoothing,
                                         .log = cli_log(&command->report)};
    struct shw_dataset dataset = {0};
    int code;

    command->data.info = measuring.info;
    command->data.with_previous = shw_channels_read(measuring.info->channel_list, SHW_PREVIOUS);
    command->data.with_height = shw_channels_read(measuring.info->channel_list, SHW_HEIGHT);
    cli_need_planes(&command->data, measuring.info->channel_list);
    code = cli_open_data(&cli_evaluate, &command->report, &command->data, &dataset);
    if (code == SHW_CONTINUE)
        code = cli_check_classes(&command->report, measuring.info, &dataset);
    if (code == SHW_CONTINUE)
        code = take_background(command, &dataset);
    if (code == SHW_CONTINUE)
        code = check_overlays(command, &dataset);
    if (code == SHW_CONTINUE && command->calibrated)
        code = take_power(command, &measuring);
    if (code == SHW_CONTINUE)
        code = label_and_compare(&measuring, &dataset, &params);
    if (code == SHW_CONTINUE)
        command->part.list = digest_names(&dataset);
    shw_dataset_close(&dataset);
    return code;
}

/* All forests are loaded before any is measured, so that a wrong one is found at once. */
static int load_forests(struct command *command, char **paths)
{
    struct shw_log log = cli_log(&command->report);
    int code = cli_load_plugins(&command->report, &command->code);

    if (code != SHW_CONTINUE)
        return code;
    for (uint32_t f = 0; f < command->result.count; f++) {
        const struct shw_forest_load_params params = {
            .combine = (enum shw_combine)command->combine, .fill = (enum shw_fill)command->fill, .log = log};
        enum shw_result result = cli_load_forest(&command->code, paths[f], &params, &command->forests[f]);
        if (result == SHW_OK)
            result = cli_focus(&command->focal, paths[f], &log, &command->forests[f]);
        const struct shw_forest_info *info, *first;

        if (result != SHW_OK)
            return shw_exit_code(result);
        command->measured[f] = (struct shw_measured){.path = paths[f], .hash = shw_forest_hash(command->forests[f])};
        info = shw_forest_get_info(command->forests[f]);
        first = shw_forest_get_info(command->forests[0]);
        if (info->class_count != first->class_count ||
            cli_find_lacking(info->classes, info->class_count, first->classes, first->class_count) != NULL)
            return cli_fail(&command->report, "%s has other classes than %s: they cannot be measured together",
                            paths[f], paths[0]);
        for (uint32_t c = 0; c < info->class_count; c++)
            if (strcmp(info->classes[c].name, first->classes[c].name) != 0)
                return cli_fail(&command->report,
                                "%s has the classes of %s in another order: they cannot be measured together", paths[f],
                                paths[0]);
    }
    command->result.classes = shw_forest_get_info(command->forests[0])->classes;
    command->result.class_count = shw_forest_get_info(command->forests[0])->class_count;
    command->result.measured = command->measured;
    return SHW_CONTINUE;
}

/* Several forests may read different inputs. */
static int check_inputs(struct command *command)
{
    const uint32_t count = command->result.count;
    const struct shw_channel_list **lists = calloc(count, sizeof *lists);
    int code = lists != NULL ? SHW_CONTINUE : cli_fail(&command->report, "not enough memory for the forests");

    for (uint32_t f = 0; f < count && code == SHW_CONTINUE; f++)
        lists[f] = shw_forest_get_info(command->forests[f])->channel_list;
    if (code == SHW_CONTINUE)
        code = cli_check_data_inputs(&cli_evaluate, &command->report, &command->data, lists, count,
                                     count > 1 ? "any of the forests" : "the forest", "");
    free(lists);
    return code;
}

static int check_part(struct command *command, char **paths)
{
    if (command->output == NULL)
        return SHW_CONTINUE;
    for (uint32_t f = 0; f < command->result.count; f++)
        shw_output_files_read(&command->files, paths[f]);
    shw_output_files_write(&command->files, command->output, &shw_file_evaluation);
    return cli_check_outputs(&command->report, &command->files);
}

static int write_part(struct command *command)
{
    const struct shw_log log = cli_log(&command->report);
    enum shw_result result = shw_output_files_look_again(&command->files, command->output);

    if (result == SHW_OK)
        result = shw_accuracy_part_write(command->output, &command->part, &command->result, &log);
    if (result != SHW_OK)
        return shw_exit_code(result);
    if (command->report.json)
        return cli_print_json(&command->report, json_pack("{s:i, s:o}", "images", (int)command->result.images, "output",
                                                          shw_json_text(command->output)));
    if (!command->report.quiet)
        printf("%s measured, in %s\n", shw_counted(command->result.images, "image", "images").text,
               shw_printable(command->output).text);
    return SHW_EXIT_SUCCESS;
}

/* Of the options that counts depend on, besides the forests and the place of the data. */
static struct shw_digest digest_options(const struct shw_option *options, uint32_t count, const char *const *texts)
{
    static const char idle[] = " data shard output overwrite overlays opacity counts technique device threads max-tile "
                               "memory json quiet verbose ";
    struct shw_digester *digester = shw_digester_create();

    for (uint32_t i = 0; i < count && digester != NULL; i++) {
        const struct shw_option_list *list = options[i].kind == SHW_VALUE_LIST ? options[i].value : NULL;
        char word[64];

        snprintf(word, sizeof word, " %s ", options[i].name);
        if (texts[i] == NULL || strstr(idle, word) != NULL)
            continue;
        shw_digester_add_text(digester, options[i].name);
        for (uint32_t k = 0; list != NULL && k < list->count; k++)
            shw_digester_add_text(digester, list->items[k]);
        if (list == NULL)
            shw_digester_add_text(digester, texts[i]);
    }
    return shw_digester_end(&digester);
}

static int take_shard(struct command *command)
{
    if ((command->shard_text != NULL) != (command->output != NULL))
        return shw_usage_error(&cli_evaluate,
                               "--shard and --output go together: the file of what the shard has counted");
    return command->shard_text != NULL ? cli_take_shard(&cli_evaluate, command->shard_text, &command->part.shard)
                                       : SHW_CONTINUE;
}

static int evaluate(struct command *command, char **paths)
{
    int code = load_forests(command, paths);

    if (code == SHW_CONTINUE)
        code = check_inputs(command);
    if (code == SHW_CONTINUE)
        code = check_part(command, paths);
    for (uint32_t f = 0; f < command->result.count && code == SHW_CONTINUE; f++)
        code = measure_forest(command, f);
    if (code != SHW_CONTINUE)
        return code;
    if (command->output != NULL)
        return write_part(command);
    if (command->report.json)
        return cli_print_json(&command->report, shw_pack_accuracy(&command->result));
    return shw_print_accuracy(&command->result) ? SHW_EXIT_SUCCESS
                                                : cli_fail(&command->report, "not enough memory for the report");
}

static int run(int argc, char **argv)
{
    struct command command = {
        .opacity = 60, .result = {.background = SHW_NO_BACKGROUND}, .smoothing = {.radius = CLI_SMOOTH_UNSET}};
    const struct shw_option options[] = {
        CLI_DATA_OPTIONS(command.data),
        SHW_OPTION(
            SHW_VALUE_TEXT, "background", 0, "CLASS", &command.background,
            "name or colour of the background: also report accuracy\nof all pixels, without background and without "
            "void"),
        SHW_OPTION(SHW_VALUE_TEXT, "overlays", 0, "DIR", &command.overlays,
                   "write every image, overlaid with class colours, to DIR"),
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "opacity", 0, "PERCENT", &command.opacity, 0, 100,
                          "opacity of the class colours in the overlays (60)"),
        SHW_OPTION(SHW_VALUE_TEXT, "shard", 0, "I/N", &command.shard_text,
                   "measure the I-th of N parts of the images, and write what\nwas counted to --output: merge-shards "
                   "adds the parts"),
        SHW_OPTION(SHW_VALUE_TEXT, "output", 'o', "FILE", &command.output, "the file of a shard"),
        CLI_OVERWRITE_OPTION(command.files),
        CLI_COMBINE_OPTION(command.combine),
        CLI_FILL_OPTION(command.fill),
        CLI_CODE_OPTIONS(command.code),
        CLI_SMOOTH_OPTIONS(command.smoothing, CLI_SMOOTH_STORED),
        CLI_FOCAL_OPTION(command.focal),
        SHW_OPTION_FLAG("counts", 0, &command.result.counts, "print the confusion matrix in pixels, not in percent"),
        SHW_OPTION_FLAG("reliability", 0, &command.result.reliability,
                        "also measure whether probabilities mean what they say: the\nexpected calibration error, and "
                        "the accuracy of pixels by the\nprobability of their class"),
        SHW_OPTION_FLAG(
            "calibrated", 0, &command.calibrated,
            "with --reliability: raise probabilities to the power that\ncalibrate has found for the forest"),
        CLI_DEVICE_OPTIONS(command.device),
        CLI_REPORT_OPTIONS(command.report),
    };
    const char *texts[SHW_OPTIONS_MAX];
    const uint32_t option_count = sizeof options / sizeof *options;
    int first, code = cli_parse_texts(&cli_evaluate, options, option_count, argc, argv, &first, texts);

    if (code != SHW_CONTINUE)
        return code;
    if (first == argc)
        return shw_usage_error(&cli_evaluate, "a forest is needed");
    if (command.overlays != NULL && argc - first > 1)
        return shw_usage_error(&cli_evaluate, "--overlays writes the images of one forest, not of %d", argc - first);
    code = cli_check_smoothing(&cli_evaluate, &command.smoothing);
    if (code == SHW_CONTINUE)
        code = take_shard(&command);
    command.part.settings = digest_options(options, option_count, texts);
    if (code != SHW_CONTINUE)
        return code;
    command.report.data = command.data.root;
    command.result.count = (uint32_t)(argc - first);
    command.forests = calloc(command.result.count, sizeof *command.forests);
    command.measured = calloc(command.result.count, sizeof *command.measured);
    code = command.forests != NULL && command.measured != NULL
               ? evaluate(&command, argv + first)
               : cli_fail(&command.report, "not enough memory for the forests");
    for (uint32_t f = 0; f < command.result.count; f++) {
        if (command.measured != NULL)
            shw_accuracy_destroy(&command.measured[f].accuracy);
        if (command.forests != NULL)
            shw_forest_destroy(&command.forests[f]);
    }
    free(command.power);
    free(command.measured);
    free(command.forests);
    shw_output_files_free(&command.files);
    return code;
}

const struct shw_command cli_evaluate = {
    .name = "evaluate",
    .summary = "measure forests on labelled images",
    .arguments = "--data DIR [OPTION...] FOREST...",
    .text =
        "Labels the images of a data set and compares the result with its labels: confusion matrix, accuracy and IoU "
        "of each\n"
        "class, pixel accuracy, mean class accuracy, mean IoU. Pixels labelled void do not count. Of several forests, "
        "trained\n"
        "with different seeds for instance, it reports means and sample standard deviations.",
    .examples = "  shadewood evaluate --data scenes scenes.ktx2\n"
                "  shadewood evaluate --data scenes scenes.ktx2 --overlays pictures --technique fragment\n"
                "  shadewood evaluate --data scenes scenes.ktx2 --background wall --json\n"
                "  shadewood train --data scenes --seed 1 -o seed1.ktx2\n"
                "  shadewood evaluate --data scenes scenes.ktx2 seed1.ktx2",
    .run = run,
};
