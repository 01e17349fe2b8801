#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/label_images.h"
#include "cli/label_project.h"
#include "cli/option_rules.h"
#include "cli/report.h"
#include "dense/input/inputs.h"
#include "files/dataset/pattern.h"

static const char *const probability_kinds[] = {"none", "png", "tiff", "npy", NULL};

/* Labels with a forest, which is that of the file `model` or was made from it. */
static int label_with(struct cli_labelling *labelling, const struct shw_forest *forest, const char *model,
                      const struct cli_image_list *images)
{
    struct shw_labeller_params params = {.forest = forest, .log = cli_log(&labelling->report)};
    struct shw_device *device = NULL;
    int code;

    labelling->forest = forest;
    labelling->info = shw_forest_get_info(forest);
    shw_input_files_add_beside(labelling->info->channel_list, &labelling->inputs.count, labelling->files);
    code = cli_check_inputs(&labelling->report, labelling->info->channel_list, labelling->inputs.count,
                            labelling->files, labelling->frames ? NULL : "--frames");
    if (code == SHW_CONTINUE && labelling->frames && !shw_channels_read(labelling->info->channel_list, SHW_PREVIOUS))
        code = cli_fail(&labelling->report, "--frames: the previous frame is not read by the forest");
    labelling->params = (struct shw_image_params){.choice = cli_image_choice(&labelling->reading, labelling->info),
                                                  .of_group = images->count > 1};
    params.width = labelling->tile[0];
    params.height = labelling->tile[1];
    if (code == SHW_CONTINUE)
        code = cli_labelling_choose(&cli_label, labelling, labelling->info->classes, labelling->info->class_count,
                                    labelling->info->tree_count);
    params.outputs = cli_labelling_outputs(labelling);
    if (code == SHW_CONTINUE)
        code = cli_open_device(&labelling->report, &labelling->device, &params, &device);
    if (code == SHW_CONTINUE)
        code = cli_labelling_check(labelling, model, images);
    if (code == SHW_CONTINUE) {
        code = shw_exit_code(shw_labeller_create(&params, &labelling->labeller));
        if (code == SHW_EXIT_SUCCESS)
            code = cli_labelling_run(labelling, images);
    }
    shw_object_table_abandon(&labelling->table);
    shw_labeller_destroy(&labelling->labeller);
    shw_device_destroy(&device);
    return code;
}

static int label(struct cli_labelling *labelling, const char *model, bool is_project,
                 const struct cli_image_list *images)
{
    const struct shw_log log = cli_log(&labelling->report);
    struct shw_forest *forest = NULL;
    int code;

    if (is_project) {
        code = cli_label_project(&cli_label, labelling, model, images, &forest);
    } else {
        code = shw_exit_code(shw_forest_load(
            model,
            &(struct shw_forest_load_params){
                .combine = (enum shw_combine)labelling->combine, .fill = (enum shw_fill)labelling->fill, .log = log},
            &forest));
        if (code == SHW_EXIT_SUCCESS)
            code = shw_exit_code(cli_focus(&labelling->focal, model, &log, &forest));
        code = code == SHW_EXIT_SUCCESS ? SHW_CONTINUE : code;
    }
    if (code == SHW_CONTINUE)
        code = label_with(labelling, forest, model, images);
    cli_label_journal_close(&labelling->record);
    shw_forest_destroy(&forest);
    return code;
}

/* Of several images, each needs files of its own. */
static int check_patterns(const struct cli_labelling *labelling, const struct cli_image_list *images)
{
    for (uint32_t i = 0; i < labelling->inputs.count && images->count > 1; i++)
        if (shw_pattern_places(labelling->files[i].path) == 0)
            return shw_usage_error(
                &cli_label, "--input %s=%s would be the %s of all %u images: write {} for the image's name",
                labelling->files[i].name, labelling->files[i].path, labelling->files[i].name, images->count);
    return SHW_CONTINUE;
}

static int run(int argc, char **argv)
{
    struct cli_labelling labelling = {.output = "labelled", .opacity = 60};
    const struct shw_option options[] = {
        SHW_OPTION(SHW_VALUE_TEXT, "output", 'o', "DIR", &labelling.output,
                   "the output folder, created if missing (labelled)"),
        CLI_OVERWRITE_OPTION(labelling.outputs),
        SHW_OPTION_CHOICE(
            "probabilities", 'p', "KIND", &labelling.probabilities, probability_kinds,
            "class probabilities, 65535 for certainty, as png (a 16-bit\nfile per class), tiff (a page per class) "
            "or npy; none\n(none)"),
        CLI_COMBINE_OPTION(labelling.combine),
        CLI_FILL_OPTION(labelling.fill),
        CLI_FOCAL_OPTION(labelling.focal),
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "opacity", 0, "PERCENT", &labelling.opacity, 0, 100,
                          "opacity of the class colours in the overlay (60)"),
        SHW_OPTION_FLAG("no-labels", 0, &labelling.no_labels, "do not write label images"),
        SHW_OPTION_FLAG("no-overlay", 0, &labelling.no_overlay, "do not write overlays"),
        SHW_OPTION_FLAG("masks", 0, &labelling.masks,
                        "also write a mask per class, 255 where an image has it, as\nIMAGE_CLASS.png"),
        SHW_OPTION_FLAG("leaves", 0, &labelling.leaves, "also write the leaf of each pixel in each tree, as npy"),
        CLI_OBJECT_OPTIONS(labelling.objects),
        SHW_OPTION_WITHIN(
            SHW_VALUE_EXTENT, "max-tile", 0, "WxH", labelling.tile, 1, SHW_IMAGE_SIZE_MAX,
            "process larger images in tiles of at most this size,\nincluding the surroundings that tests read (the "
            "device's\nlimit)"),
        SHW_INPUT_OPTION(labelling.inputs, "the files of another input; {} stands for the image's name:\n"
                                           "'depth=depth/{}.png'; may be repeated"),
        SHW_OPTION_FLAG("frames", 0, &labelling.frames,
                        "the images of a folder are frames of a video: each is\nlabelled with the previous one"),
        CLI_READING_OPTIONS(labelling.reading),
        SHW_OPTION_WITHIN(SHW_VALUE_COUNT, "page", 0, "N", &labelling.page, 1, SHW_IMAGE_PAGES_MAX,
                          "page of files with several, from 1, or 'all'; IMAGE#N\nnames one, too (the first)"),
        CLI_DEVICE_OPTIONS(labelling.device),
        CLI_REPORT_OPTIONS(labelling.report),
    };
    struct cli_image_list images;
    bool is_project;
    int first, code = cli_parse(&cli_label, options, sizeof options / sizeof *options, argc, argv, &first);

    if (code != SHW_CONTINUE)
        return code;
    if (argc - first < 2)
        return shw_usage_error(&cli_label, "a forest or a project, and at least one image are needed");
    if (labelling.no_labels && labelling.no_overlay && !labelling.leaves && !labelling.masks &&
        labelling.probabilities == SHW_PROBABILITIES_NONE && !labelling.objects.wanted)
        return shw_usage_error(&cli_label, "nothing to write with --no-labels and --no-overlay: add --probabilities, "
                                           "--masks, --leaves or --objects");
    code = cli_objects_take_options(&cli_label, &labelling.objects);
    if (code == SHW_CONTINUE)
        code = shw_input_files_take(&cli_label, &labelling.inputs, labelling.files);
    if (code != SHW_CONTINUE)
        return code;
    for (uint32_t i = 0; labelling.frames && i < labelling.inputs.count; i++)
        if (strcmp(labelling.files[i].name, SHW_PREVIOUS) == 0)
            return shw_usage_error(&cli_label, "the previous frame is given twice: by --frames and by --input");
    is_project = cli_is_project(argv[first]);
    if (is_project && labelling.focal.given != 0)
        return shw_usage_error(&cli_label, "--focal is for forests of Kinect's trees, not for projects");
    if (is_project && (labelling.combine != SHW_COMBINE_DEFAULT || labelling.fill != SHW_FILL_DEFAULT))
        return shw_usage_error(&cli_label, "%s is for forests: name that of the project, which is in the output folder",
                               labelling.combine != SHW_COMBINE_DEFAULT ? "--combine" : "--fill");
    code = cli_list_images(&cli_label, &labelling.report, argv + first + 1, argc - first - 1, labelling.page,
                           is_project, &images);
    if (code == SHW_CONTINUE)
        code = check_patterns(&labelling, &images);
    if (code == SHW_CONTINUE)
        code = label(&labelling, argv[first], is_project, &images);
    cli_image_list_free(&images);
    cli_labelling_free(&labelling);
    shw_output_files_free(&labelling.outputs);
    shw_image_file_free(&labelling.frame);
    return code;
}

const struct shw_command cli_label = {
    .name = "label",
    .summary = "label images with a forest or a project",
    .arguments = "[OPTION...] {FOREST | PROJECT} IMAGE...",
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
        "PGM.\n"
        "A PROJECT of shadewood-viewer is trained first; the next call with the same output folder labels what is new "
        "or changed.",
    .examples =
        "  shadewood label scenes.ktx2 photo.jpg\n"
        "  shadewood label scenes.ktx2 *.png -o results --probabilities png\n"
        "  shadewood label scenes.ktx2 photo.jpg --technique fragment --max-tile 512x512\n"
        "  shadewood label scenes.ktx2 photo.jpg -o counted --objects --objects-area 50 --objects-holes all \\\n"
        "      --objects-format csv,geojson\n"
        "  shadewood label meadow.json pairs -o meadow",
    .run = run,
};
