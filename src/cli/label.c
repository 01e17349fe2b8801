#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cli/commands.h"
#include "cli/data_options.h"
#include "cli/folder.h"
#include "cli/image_list.h"
#include "cli/label_objects.h"
#include "cli/outputs.h"
#include "dataset/image_inputs.h"
#include "image/image_name.h"
#include "input/inputs.h"
#include "output/classes_file.h"
#include "output/label_files.h"

static const char *const probability_kinds[] = {"none", "png", "tiff", "npy", NULL};

struct command {
    struct cli_report report;
    struct cli_device device;
    const char *output;
    int probabilities; /* enum shw_probability_files */
    bool no_labels, no_overlay, leaves, masks;
    struct cli_objects objects;
    struct shw_object_table table;
    struct cli_list inputs;
    struct shw_input_file files[SHW_INPUTS_MAX];
    struct shw_output_files outputs;
    bool frames;
    const char *frame_path; /* the previous image, or NULL */
    struct shw_image_file frame;
    uint32_t opacity, tile[2], page; /* page: 0: the first; UINT32_MAX: all */
    struct cli_reading reading;
    struct shw_image_params params;
    const struct shw_forest *forest;
    const struct shw_forest_info *info;
    struct shw_labeller *labeller;
    struct shw_label_files written; /* for each image */
    char *classes;                  /* the path of that file */
    bool has_classes;               /* it is written, or cannot be */
    json_t *images;
};

/* The result for one image. */
struct result {
    struct shw_label_results images;
    struct shw_objects objects;
    double seconds;
};

static void free_result(struct result *result)
{
    shw_label_results_free(&result->images);
    shw_objects_free(&result->objects);
}

/* enum shw_output: for the files, and for objects. */
static uint32_t needed_outputs(const struct command *command)
{
    return shw_label_files_outputs(&command->written) | (command->objects.wanted ? SHW_OUTPUT_ARGMAX : 0u) |
           (command->objects.table || command->objects.outlines ? SHW_OUTPUT_DISTRIBUTION : 0u);
}

/* DIR/NAME. */
static void output_place(const struct command *command, const char *image, char *place, size_t size)
{
    char name[SHW_BASE_NAME_SIZE];

    snprintf(place, size, "%s/%s", command->output, shw_image_base_name(image, name));
}

/* Calls `call` for each file that is written for an image, until it fails. */
static enum shw_result list_outputs(struct command *command, const char *image,
                                    enum shw_result (*call)(struct shw_output_files *files, const char *path,
                                                            const struct shw_file_kind *kind))
{
    enum shw_result result = SHW_OK;
    char place[4096];

    output_place(command, image, place, sizeof place);
    for (uint32_t i = 0; i < command->written.count && result == SHW_OK; i++) {
        char *path = shw_label_file_path(&command->written.entries[i], place);
        result = path != NULL ? call(&command->outputs, path, command->written.entries[i].kind) : SHW_ERROR_MEMORY;
        free(path);
    }
    return result == SHW_OK ? cli_objects_list(&command->objects, place, &command->outputs, call) : result;
}

static enum shw_result write_result(const struct command *command, const char *image, const struct result *result,
                                    const struct shw_log *log)
{
    enum shw_result written = SHW_OK;
    char place[4096];

    output_place(command, image, place, sizeof place);
    for (uint32_t i = 0; i < command->written.count && written == SHW_OK; i++) {
        const struct shw_label_file_entry *entry = &command->written.entries[i];
        char *path = shw_label_file_path(entry, place);
        written = path != NULL ? shw_label_file_write(&command->written, entry, path, &result->images, log)
                               : SHW_ERROR_MEMORY;
        free(path);
    }
    return written == SHW_OK && command->objects.wanted
               ? cli_objects_write(&command->objects, place, &result->objects, log)
               : written;
}

static enum shw_result add_output(struct shw_output_files *files, const char *path, const struct shw_file_kind *kind)
{
    shw_output_files_write(files, path, kind);
    return SHW_OK;
}

static enum shw_result look_again(struct shw_output_files *files, const char *path, const struct shw_file_kind *kind)
{
    (void)kind;
    return shw_output_files_look_again(files, path);
}

/* Adds what is read and what is going to be written for an image. */
static enum shw_result add_image(struct command *command, const char *image)
{
    const struct shw_log log = cli_log(&command->report);

    SHW_PROPAGATE(
        shw_image_inputs_list(image, command->files, command->inputs.count, cli_add_input, &command->outputs, &log));
    return list_outputs(command, image, add_output);
}

static void table_path(const struct command *command, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", command->output, CLI_OBJECTS_TABLE);
}

/* Makes the folder, and checks what is going to be written there. */
static int check_outputs(struct command *command, const char *forest, const struct shw_image_paths *images)
{
    int code = cli_make_folder(&command->report, command->output);

    char table[4096];

    table_path(command, table, sizeof table);
    shw_output_files_read(&command->outputs, forest);
    shw_output_files_write(&command->outputs, command->classes, &shw_file_classes);
    if (command->objects.table)
        shw_output_files_write(&command->outputs, table, &shw_file_table);
    for (uint32_t i = 0; code == CLI_CONTINUE && i < images->count; i++)
        if (add_image(command, images->paths[i]) != SHW_OK)
            code = CLI_FAILURE;
    return code == CLI_CONTINUE ? cli_check_outputs(&command->report, &command->outputs) : code;
}

static void keep_frame(struct command *command, const char *path, struct shw_image_inputs *inputs)
{
    shw_image_file_free(&command->frame);
    command->frame = inputs->files[0];
    command->frame_path = path;
    inputs->files[0] = (struct shw_image_file){0};
}

/* Adds the previous frame, which must be as large as the image. */
static enum shw_result add_frame(struct command *command, const char *path, struct shw_image_inputs *inputs)
{
    const struct shw_image *image = &inputs->files[0].image, *frame = &command->frame.image;

    if (!command->frames || command->frame_path == NULL || !shw_names_same_folder(command->frame_path, path))
        return SHW_OK;
    if (frame->width != image->width || frame->height != image->height) {
        cli_fail(&command->report, "%s: the frame has %u x %u pixels, the previous one %u x %u", path, image->width,
                 image->height, frame->width, frame->height);
        return SHW_ERROR_FORMAT;
    }
    inputs->input[inputs->all.count++] = (struct shw_input){.name = SHW_PREVIOUS, .image = *frame};
    return SHW_OK;
}

/* Once there is a labelled image. */
static enum shw_result write_classes(struct command *command, const struct shw_log *log)
{
    const struct shw_classes_file file = {
        .classes = command->info->classes, .count = command->info->class_count, .forest = command->forest};

    if (command->has_classes)
        return SHW_OK;
    command->has_classes = true;
    SHW_PROPAGATE(shw_output_files_look_again(&command->outputs, command->classes));
    return shw_classes_file_write(command->classes, &file, log);
}

static enum shw_result find_objects(struct command *command, const struct shw_image *image, struct result *result)
{
    const struct shw_object_picture picture = {result->images.labelling.argmax, result->images.labelling.distribution,
                                               image->width, image->height, command->info->class_count};
    const struct shw_log log = cli_log(&command->report);

    return command->objects.wanted ? shw_objects_find(&picture, &command->objects.settings, &log, &result->objects)
                                   : SHW_OK;
}

/* Adds the image to the table and to the report. */
static void report_image(struct command *command, const char *path, const struct shw_image *image,
                         const struct result *result)
{
    json_t *entry = json_pack("{s:o, s:i, s:i, s:f}", "image", cli_json_text(path), "width", (int)image->width,
                              "height", (int)image->height, "seconds", result->seconds);

    if (command->objects.wanted)
        json_object_set_new(entry, "objects", cli_objects_json(&command->objects, &result->objects));
    json_array_append_new(command->images, entry);
    if (command->objects.table)
        shw_object_table_add(&command->table, path, &result->objects, command->info->classes);
}

static enum shw_result label_image(struct command *command, const char *path, const struct shw_image_inputs *inputs,
                                   struct result *result)
{
    const struct shw_log log = cli_log(&command->report);
    const struct shw_image *image = &inputs->files[0].image;
    double start = shw_clock();

    result->images.image = image;
    result->images.width = image->width;
    result->images.height = image->height;
    SHW_PROPAGATE(shw_label_results_make(&command->written, needed_outputs(command), path, &log, &result->images));
    SHW_PROPAGATE(shw_labeller_run(command->labeller, &inputs->all, &result->images.labelling));
    result->seconds = shw_clock() - start;
    SHW_PROPAGATE(find_objects(command, image, result));
    SHW_PROPAGATE(list_outputs(command, path, look_again));
    SHW_PROPAGATE(write_result(command, path, result, &log));
    return write_classes(command, &log);
}

static enum shw_result label_one(struct command *command, const char *path)
{
    struct shw_log log = cli_log(&command->report);
    struct shw_image_inputs inputs;
    struct result result = {0};
    enum shw_result done =
        shw_image_inputs_read(path, command->files, command->inputs.count, &command->params, &log, &inputs);

    if (done != SHW_OK) {
        shw_image_inputs_free(&inputs);
        command->frame_path = NULL; /* the next frame does not follow the one that is kept */
        return done;
    }
    done = add_frame(command, path, &inputs);
    if (done == SHW_OK)
        done = label_image(command, path, &inputs, &result);
    if (done == SHW_OK)
        report_image(command, path, &inputs.files[0].image, &result);
    free_result(&result);
    if (command->frames)
        keep_frame(command, path, &inputs);
    shw_image_inputs_free(&inputs);
    return done;
}

static enum shw_result open_table(struct command *command)
{
    const struct shw_log log = cli_log(&command->report);
    char path[4096];

    table_path(command, path, sizeof path);
    return command->objects.table ? shw_object_table_open(&command->table, path, &log) : SHW_OK;
}

static enum shw_result write_table(struct command *command)
{
    const struct shw_log log = cli_log(&command->report);
    char path[4096];

    table_path(command, path, sizeof path);
    command->report.failed = false;
    if (!command->objects.table)
        return SHW_OK;
    SHW_PROPAGATE(shw_output_files_look_again(&command->outputs, path));
    return shw_object_table_commit(&command->table, &log);
}

/* The images have one range: if none is chosen, that of the first one that can be read, if it wants one. */
static void settle_choice(struct command *command, const struct shw_image_paths *images)
{
    const struct shw_log log = cli_log(&command->report);

    command->report.failed = true; /* what is wrong with an image is told when it is read */
    for (uint32_t i = 0; i < images->count; i++)
        if (shw_image_choice_settle(&command->params.choice, images->paths[i], &log) == SHW_OK)
            break;
}

/* Tries every image; failures are reported at once and determine the exit code. */
static int label_all(struct command *command, const struct shw_image_paths *images)
{
    double start = shw_clock(), seconds;
    int count = (int)images->count;
    int failed = 0, code = cli_exit_code(open_table(command));

    if (code != CLI_SUCCESS)
        return code;
    command->images = json_array();
    settle_choice(command, images);
    for (int i = 0; i < count; i++) {
        char text[160];
        enum shw_result result;
        command->report.failed = false;
        result = label_one(command, images->paths[i]);
        if (result != SHW_OK) {
            failed++;
            code = cli_exit_code(result);
        }
        seconds = shw_clock() - start;
        snprintf(text, sizeof text, "image %d of %d, %.1f images/s", i + 1, count, (i + 1) / seconds);
        if (count > 1)
            cli_progress(&command->report, (double)(i + 1) / count, seconds, text);
    }
    cli_progress_end();
    if (failed < count) {
        int written = cli_exit_code(write_table(command));
        code = code != CLI_SUCCESS ? code : written;
    }
    if (command->report.json) {
        int printed =
            cli_print_json(&command->report, json_pack("{s:O, s:o, s:i, s:o}", "images", command->images, "output",
                                                       cli_json_text(command->output), "failed", failed, "techniques",
                                                       cli_techniques_json(command->labeller)));
        code = code != CLI_SUCCESS ? code : printed;
    } else if (!command->report.quiet && count > failed) {
        printf("%d %s labelled, in %s\n", count - failed, count - failed == 1 ? "image" : "images",
               cli_printable(command->output).text);
    }
    json_decref(command->images);
    return failed > 0 && count > 1 && code != CLI_NO_DEVICE ? CLI_FAILURE : code;
}

static enum shw_result choose_outputs(struct command *command, const struct shw_log *log)
{
    const struct shw_label_files_params params = {.labels = !command->no_labels,
                                                  .overlay = !command->no_overlay,
                                                  .leaves = command->leaves,
                                                  .masks = command->masks,
                                                  .probabilities = (enum shw_probability_files)command->probabilities,
                                                  .opacity = command->opacity,
                                                  .classes = command->info->classes,
                                                  .class_count = command->info->class_count,
                                                  .tree_count = command->info->tree_count};

    command->classes = shw_path_join(command->output, "/", SHW_CLASSES_FILE);
    return command->classes != NULL ? shw_label_files_make(&params, log, &command->written)
                                    : shw_fail_memory(log, "the names of files");
}

static int label(struct command *command, const char *forest_path, const struct shw_image_paths *images)
{
    struct shw_log log = cli_log(&command->report);
    struct shw_labeller_params params = {.log = log};
    struct shw_forest *forest = NULL;
    struct shw_device *device = NULL;
    int code = cli_exit_code(shw_forest_load(forest_path, &(struct shw_forest_load_params){.log = log}, &forest));

    if (code != CLI_SUCCESS)
        return code;
    command->info = shw_forest_get_info(forest);
    command->forest = params.forest = forest;
    code = cli_check_inputs(&command->report, command->info->channel_list, command->inputs.count, command->files,
                            command->frames ? NULL : "--frames");
    command->frames = command->frames && shw_channels_read(command->info->channel_list, SHW_PREVIOUS);
    command->params = (struct shw_image_params){.choice = cli_image_choice(&command->reading, command->info),
                                                .of_group = images->count > 1};
    params.width = command->tile[0];
    params.height = command->tile[1];
    if (code == CLI_CONTINUE && choose_outputs(command, &log) != SHW_OK)
        code = CLI_FAILURE;
    params.outputs = needed_outputs(command);
    if (code == CLI_CONTINUE)
        code =
            cli_objects_take_classes(&cli_label, &command->objects, command->info->classes, command->info->class_count);
    if (code == CLI_CONTINUE)
        code = cli_open_device(&command->report, &command->device, &params, &device);
    if (code == CLI_CONTINUE)
        code = check_outputs(command, forest_path, images);
    if (code == CLI_CONTINUE) {
        code = cli_exit_code(shw_labeller_create(&params, &command->labeller));
        if (code == CLI_SUCCESS)
            code = label_all(command, images);
    }
    shw_object_table_abandon(&command->table);
    shw_labeller_destroy(&command->labeller);
    shw_device_destroy(&device);
    shw_forest_destroy(&forest);
    return code;
}

static int run(int argc, char **argv)
{
    struct command command = {.output = "labelled", .opacity = 60};
    const struct cli_option options[] = {
        CLI_OPTION(CLI_TEXT, "output", 'o', "DIR", &command.output, "the output folder, created if missing (labelled)"),
        CLI_OVERWRITE_OPTION(command.outputs),
        CLI_OPTION_CHOICE(
            "probabilities", 'p', "KIND", &command.probabilities, probability_kinds,
            "class probabilities, 65535 for certainty, as png (a 16-bit\nfile per class), tiff (a page per class) "
            "or npy; none\n(none)"),
        CLI_OPTION_WITHIN(CLI_NUMBER, "opacity", 0, "PERCENT", &command.opacity, 0, 100,
                          "opacity of the class colours in the overlay (60)"),
        CLI_OPTION_FLAG("no-labels", 0, &command.no_labels, "do not write label images"),
        CLI_OPTION_FLAG("no-overlay", 0, &command.no_overlay, "do not write overlays"),
        CLI_OPTION_FLAG("masks", 0, &command.masks,
                        "also write a mask per class, 255 where an image has it, as\nIMAGE_CLASS.png"),
        CLI_OPTION_FLAG("leaves", 0, &command.leaves, "also write the leaf of each pixel in each tree, as npy"),
        CLI_OBJECT_OPTIONS(command.objects),
        CLI_OPTION_WITHIN(
            CLI_EXTENT, "max-tile", 0, "WxH", command.tile, 1, SHW_IMAGE_SIZE_MAX,
            "process larger images in tiles of at most this size,\nincluding the surroundings that tests read (the "
            "device's\nlimit)"),
        CLI_INPUT_OPTION(command.inputs, "the files of another input; {} stands for the image's name:\n"
                                         "'depth=depth/{}.png'; may be repeated"),
        CLI_OPTION_FLAG("frames", 0, &command.frames,
                        "the images of a folder are frames of a video: each is\nlabelled with the previous one"),
        CLI_READING_OPTIONS(command.reading),
        CLI_OPTION_WITHIN(CLI_COUNT, "page", 0, "N", &command.page, 1, SHW_IMAGE_PAGES_MAX,
                          "page of files with several, from 1, or 'all'; IMAGE#N\nnames one, too (the first)"),
        CLI_DEVICE_OPTIONS(command.device),
        CLI_REPORT_OPTIONS(command.report),
    };
    struct shw_image_paths images;
    int first, code = cli_parse(&cli_label, options, sizeof options / sizeof *options, argc, argv, &first);

    if (code != CLI_CONTINUE)
        return code;
    if (argc - first < 2)
        return cli_usage_error(&cli_label, "a forest and at least one image are needed");
    if (command.no_labels && command.no_overlay && !command.leaves && !command.masks &&
        command.probabilities == SHW_PROBABILITIES_NONE && !command.objects.wanted)
        return cli_usage_error(&cli_label, "nothing to write with --no-labels and --no-overlay: add --probabilities, "
                                           "--masks, --leaves or --objects");
    code = cli_objects_take_options(&cli_label, &command.objects);
    if (code == CLI_CONTINUE)
        code = cli_take_inputs(&cli_label, &command.inputs, command.files);
    if (code != CLI_CONTINUE)
        return code;
    for (uint32_t i = 0; command.frames && i < command.inputs.count; i++)
        if (strcmp(command.files[i].name, SHW_PREVIOUS) == 0)
            return cli_usage_error(&cli_label, "the previous frame is given twice: by --frames and by --input");
    code = cli_list_images(&cli_label, &command.report, argv + first + 1, argc - first - 1, command.page, &images);
    if (code == CLI_CONTINUE)
        code = label(&command, argv[first], &images);
    shw_image_paths_free(&images);
    cli_objects_free(&command.objects);
    shw_output_files_free(&command.outputs);
    shw_label_files_free(&command.written);
    free(command.classes);
    shw_image_file_free(&command.frame);
    return code;
}

const struct cli_command cli_label = {
    .name = "label",
    .summary = "label images with a forest",
    .arguments = "[OPTION...] FOREST IMAGE...",
    .text =
        "Labels every pixel of images. For IMAGE.png it writes IMAGE_labels.png (palette indices in the classes' "
        "colours) and\n"
        "IMAGE_overlay.png (the image overlaid with them); class probabilities, masks and leaves on request. They go "
        "to\n"
        "the folder labelled, or to that of --output, with classes.json, which names the classes. With --objects, it "
        "also\n"
        "finds connected pixels of a class. An IMAGE that is a folder stands for the images in it, except those that "
        "this\n"
        "command has written, or for its NAME_colors images if it has any. Reads PNG, JPEG, TIFF, WebP, BMP, PPM and "
        "PGM.",
    .examples =
        "  shadewood label scenes.ktx2 photo.jpg\n"
        "  shadewood label scenes.ktx2 *.png -o results --probabilities png\n"
        "  shadewood label scenes.ktx2 photo.jpg --technique fragment --max-tile 512x512\n"
        "  shadewood label scenes.ktx2 photo.jpg -o counted --objects --objects-area 50 --objects-holes all \\\n"
        "      --objects-format csv,geojson",
    .run = run,
};
