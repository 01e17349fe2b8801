#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cli/commands.h"
#include "cli/data_options.h"
#include "cli/folder.h"
#include "cli/outputs.h"
#include "image/image_write.h"
#include "image/overlay.h"
#include "input/inputs.h"
#include "measure/accuracy.h"

#define SAME_CLASSES                                                                                                   \
    "labels must be of the classes that the forest was trained on; if they are, pass the palette of its training "     \
    "with "                                                                                                            \
    "--palette"

struct command {
    struct cli_report report;
    struct cli_device device;
    struct cli_data data;
    const char *overlays;
    struct shw_output_files files;
    bool counts;
    uint32_t opacity;
    const struct shw_forest_info *info;
    struct shw_accuracy accuracy;
    double labelling_seconds;
};

/* The first name among `names` that is not among `others`, or NULL. */
static const char *find_lacking(const struct shw_class *names, uint32_t count, const struct shw_class *others,
                                uint32_t other_count)
{
    for (uint32_t i = 0; i < count; i++) {
        bool found = false;

        for (uint32_t k = 0; k < other_count && !found; k++)
            found = strcmp(names[i].name, others[k].name) == 0;
        if (!found)
            return names[i].name;
    }
    return NULL;
}

static int fail_count(struct command *command, const struct shw_dataset *dataset)
{
    const struct shw_forest_info *info = command->info;
    const bool more = info->class_count > dataset->class_count; /* which has a class that the other lacks */
    const char *lacking = NULL;

    if (dataset->classes != NULL)
        lacking = more ? find_lacking(info->classes, info->class_count, dataset->classes, dataset->class_count)
                       : find_lacking(dataset->classes, dataset->class_count, info->classes, info->class_count);
    if (lacking == NULL)
        return cli_fail(&command->report, "the forest has %u classes and the data set %u: " SAME_CLASSES,
                        info->class_count, dataset->class_count);
    return cli_fail(&command->report,
                    "the forest has %u classes and the data set %u, and only the %s has '%s': " SAME_CLASSES,
                    info->class_count, dataset->class_count, more ? "forest" : "data set", lacking);
}

/* The forest and the data set must have the same class names in the same order. */
static int check_classes(struct command *command, const struct shw_dataset *dataset)
{
    const struct shw_forest_info *info = command->info;

    if (info->class_count != dataset->class_count)
        return fail_count(command, dataset);
    for (uint32_t c = 0; dataset->classes != NULL && c < info->class_count; c++)
        if (strcmp(info->classes[c].name, dataset->classes[c].name) != 0)
            return cli_fail(&command->report, "class %u is '%s' in the forest and '%s' in the data set: " SAME_CLASSES,
                            c, info->classes[c].name, dataset->classes[c].name);
    return CLI_CONTINUE;
}

static void overlay_path(const struct command *command, const char *example, char *path, size_t size)
{
    char name[1024];

    snprintf(name, sizeof name, "%s", example);
    for (char *c = name; *c != '\0'; c++)
        if (*c == '/')
            *c = '_';
    snprintf(path, size, "%s/%s_overlay.png", command->overlays, name);
}

/* Makes the folder of the overlays and checks what is going to be written there. */
static int check_overlays(struct command *command, const char *forest, const struct shw_dataset *dataset)
{
    char path[4096];
    int code;

    if (command->overlays == NULL)
        return CLI_CONTINUE;
    code = cli_make_folder(&command->report, command->overlays);
    if (code != CLI_CONTINUE)
        return code;
    shw_output_files_read(&command->files, forest);
    cli_read_data(&command->data, dataset, &command->files);
    for (uint32_t i = 0; i < dataset->count; i++) {
        overlay_path(command, shw_dataset_name(dataset, i), path, sizeof path);
        shw_output_files_write(&command->files, path, &shw_file_overlay);
    }
    return cli_check_outputs(&command->report, &command->files);
}

static enum shw_result write_overlay(struct command *command, const struct shw_labelled_image *example,
                                     const uint16_t *classes)
{
    struct shw_log log = cli_log(&command->report);
    uint8_t *pixels = shw_overlay_image(&example->image, classes, command->info->classes, command->opacity);
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

static enum shw_result evaluate_one(struct command *command, struct shw_labeller *labeller,
                                    const struct shw_dataset *dataset, uint32_t index)
{
    struct shw_labelled_image example;
    struct shw_input inputs[SHW_INPUTS_MAX];
    size_t pixels;
    struct shw_labelling out = {0};
    double start;
    enum shw_result result = SHW_OK;

    SHW_PROPAGATE(dataset->read(dataset->user, index, &example));
    pixels = (size_t)example.image.width * example.image.height;
    out.argmax = malloc(pixels * sizeof *out.argmax);
    if (out.argmax == NULL) {
        cli_fail(&command->report, "not enough memory for the result of %s", example.name);
        result = SHW_ERROR_MEMORY;
    } else {
        struct shw_inputs read = shw_example_inputs(&example, command->info->channel_list, inputs);
        start = shw_clock();
        result = shw_labeller_run(labeller, &read, &out);
        command->labelling_seconds += shw_clock() - start;
    }
    if (result == SHW_OK)
        shw_accuracy_add(&command->accuracy, example.labels, out.argmax, pixels);
    if (result == SHW_OK && command->overlays != NULL)
        result = write_overlay(command, &example, out.argmax);
    free(out.argmax);
    dataset->release(dataset->user, &example);
    return result;
}

static void print_percent(double fraction, int width)
{
    if (isnan(fraction))
        printf("%*s", width, "-");
    else
        printf("%*.1f", width, 100 * fraction);
}

static void print_matrix(const struct command *command)
{
    uint32_t classes = command->info->class_count;
    const uint64_t *confusion = command->accuracy.confusion;
    int width = command->counts ? 10 : 6;

    printf("confusion matrix, %s; rows are labelled classes, columns predicted classes\n\n%20s",
           command->counts ? "pixels" : "percent of the row", "");
    for (uint32_t c = 0; c < classes; c++)
        printf(" %*.*s", width - 1, width - 1, command->info->classes[c].name);
    printf("\n");
    for (uint32_t r = 0; r < classes; r++) {
        uint64_t row = 0;
        printf("%-20.20s", command->info->classes[r].name);
        for (uint32_t c = 0; c < classes; c++)
            row += confusion[(size_t)r * classes + c];
        for (uint32_t c = 0; c < classes; c++) {
            uint64_t count = confusion[(size_t)r * classes + c];
            if (command->counts)
                printf("%*llu", width, (unsigned long long)count);
            else
                print_percent(row > 0 ? (double)count / (double)row : NAN, width);
        }
        printf("\n");
    }
}

static void print_report(const struct command *command, uint32_t images)
{
    struct shw_accuracy_summary summary = shw_accuracy_summarise(&command->accuracy);

    print_matrix(command);
    printf("\n%-20s%12s%10s%10s%10s\n", "class", "pixels", "accuracy", "precision", "IoU");
    for (uint32_t c = 0; c < command->info->class_count; c++) {
        struct shw_class_accuracy one = shw_accuracy_of_class(&command->accuracy, c);
        printf("%-20.20s%12llu", command->info->classes[c].name, (unsigned long long)one.labelled);
        print_percent(one.recall, 10);
        print_percent(one.precision, 10);
        print_percent(one.iou, 10);
        printf("\n");
    }
    printf("\nimages               %u, %.1f/s\npixels               %llu, and %llu void\npixel accuracy       ", images,
           images / command->labelling_seconds, (unsigned long long)summary.pixels,
           (unsigned long long)command->accuracy.void_pixels);
    print_percent(summary.pixel, 0);
    printf(" %%\nmean class accuracy  ");
    print_percent(summary.mean_class, 0);
    printf(" %%\nmean IoU             ");
    print_percent(summary.mean_iou, 0);
    printf(" %%\n");
}

static json_t *number(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *describe(const struct command *command, uint32_t images)
{
    struct shw_accuracy_summary summary = shw_accuracy_summarise(&command->accuracy);
    uint32_t classes = command->info->class_count;
    json_t *list = json_array(), *matrix = json_array();

    for (uint32_t c = 0; c < classes; c++) {
        struct shw_class_accuracy one = shw_accuracy_of_class(&command->accuracy, c);
        json_t *row = json_array();
        json_array_append_new(list, json_pack("{s:s, s:I, s:o, s:o, s:o}", "name", command->info->classes[c].name,
                                              "pixels", (json_int_t)one.labelled, "accuracy", number(one.recall),
                                              "precision", number(one.precision), "iou", number(one.iou)));
        for (uint32_t p = 0; p < classes; p++)
            json_array_append_new(row, json_integer((json_int_t)command->accuracy.confusion[(size_t)c * classes + p]));
        json_array_append_new(matrix, row);
    }
    return json_pack("{s:i, s:I, s:I, s:o, s:o, s:o, s:f, s:o, s:o}", "images", (int)images, "pixels",
                     (json_int_t)summary.pixels, "void_pixels", (json_int_t)command->accuracy.void_pixels,
                     "pixel_accuracy", number(summary.pixel), "mean_class_accuracy", number(summary.mean_class),
                     "mean_iou", number(summary.mean_iou), "labelling_seconds", command->labelling_seconds, "classes",
                     list, "confusion", matrix);
}

static int evaluate_all(struct command *command, struct shw_labeller *labeller, const struct shw_dataset *dataset)
{
    double start = shw_clock();

    for (uint32_t i = 0; i < dataset->count; i++) {
        enum shw_result result = evaluate_one(command, labeller, dataset, i);
        double seconds = shw_clock() - start;
        char text[160];
        if (result != SHW_OK)
            return cli_exit_code(result);
        snprintf(text, sizeof text, "image %u of %u, %.1f images/s", i + 1, dataset->count, (i + 1) / seconds);
        cli_progress(&command->report, (double)(i + 1) / dataset->count, seconds, text);
    }
    cli_progress_end();
    if (command->report.json)
        return cli_print_json(&command->report, describe(command, dataset->count));
    print_report(command, dataset->count);
    return CLI_SUCCESS;
}

static int evaluate(struct command *command, const char *forest_path)
{
    struct shw_log log = cli_log(&command->report);
    struct shw_labeller_params params = {.outputs = SHW_OUTPUT_ARGMAX, .log = log};
    struct shw_dataset dataset = {0};
    struct shw_forest *forest = NULL;
    struct shw_device *device = NULL;
    struct shw_labeller *labeller = NULL;
    int code = cli_exit_code(shw_forest_load(forest_path, &(struct shw_forest_load_params){.log = log}, &forest));

    if (code != CLI_SUCCESS)
        return code;
    command->info = shw_forest_get_info(forest);
    command->data.with_previous = shw_channels_read(command->info->channel_list, SHW_PREVIOUS);
    params.forest = forest;
    command->data.info = command->info;
    code = cli_open_data(&cli_evaluate, &command->report, &command->data, &dataset);
    if (code == CLI_CONTINUE)
        code = check_classes(command, &dataset);
    if (code == CLI_CONTINUE)
        code = check_overlays(command, forest_path, &dataset);
    if (code == CLI_CONTINUE)
        code = cli_open_device(&command->report, &command->device, &params, &device);
    if (code == CLI_CONTINUE) {
        code = cli_exit_code(shw_labeller_create(&params, &labeller));
        if (code == CLI_SUCCESS)
            code = cli_exit_code(shw_accuracy_create(&command->accuracy, command->info->class_count, &log));
        if (code == CLI_SUCCESS)
            code = evaluate_all(command, labeller, &dataset);
    }
    shw_accuracy_destroy(&command->accuracy);
    shw_labeller_destroy(&labeller);
    shw_device_destroy(&device);
    shw_dataset_close(&dataset);
    shw_forest_destroy(&forest);
    return code;
}

static int run(int argc, char **argv)
{
    struct command command = {.opacity = 60};
    const struct cli_option options[] = {
        CLI_DATA_OPTIONS(command.data),
        CLI_OPTION(CLI_TEXT, "overlays", 0, "DIR", &command.overlays,
                   "write every image, overlaid with class colours, to DIR"),
        CLI_OPTION_WITHIN(CLI_NUMBER, "opacity", 0, "PERCENT", &command.opacity, 0, 100,
                          "opacity of the class colours in the overlays (60)"),
        CLI_OVERWRITE_OPTION(command.files),
        CLI_OPTION_FLAG("counts", 0, &command.counts, "print the confusion matrix in pixels, not in percent"),
        CLI_DEVICE_OPTIONS(command.device),
        CLI_REPORT_OPTIONS(command.report),
    };
    int first, code = cli_parse(&cli_evaluate, options, sizeof options / sizeof *options, argc, argv, &first);

    if (code != CLI_CONTINUE)
        return code;
    if (argc - first != 1)
        return cli_usage_error(&cli_evaluate, "one forest is needed");
    command.report.data = command.data.root;
    code = evaluate(&command, argv[first]);
    shw_output_files_free(&command.files);
    return code;
}

const struct cli_command cli_evaluate = {
    .name = "evaluate",
    .summary = "measure a forest on labelled images",
    .arguments = "--data DIR [OPTION...] FOREST",
    .text =
        "Labels the images of a data set and compares the result with its labels: confusion matrix, accuracy and IoU "
        "of each\n"
        "class, pixel accuracy, mean class accuracy, mean IoU. Void pixels do not count.",
    .examples = "  shadewood evaluate --data scenes scenes.ktx2\n"
                "  shadewood evaluate --data scenes scenes.ktx2 --overlays pictures --technique fragment\n"
                "  shadewood evaluate --data scenes scenes.ktx2 --json",
    .run = run,
};
