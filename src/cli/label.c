#include <stdlib.h>
#include <string.h>

#include "cli/label.h"
#include "cli/label_plan.h"
#include "files/dataset/image_inputs.h"

static const char *const connectivities[] = {"8", "4", NULL};

#define OBJECT_OPTIONS(command)                                                                                        \
    SHW_OPTION_FLAG("objects", 0, &(command).job.each.objects.wanted,                                                  \
                    "also find objects: connected pixels of a class; one table\nof all images' objects, objects.csv"), \
        SHW_OPTION(SHW_VALUE_TEXT, "objects-format", 0, "LIST", &(command).objects_format,                             \
                   "csv, geojson (outlines for QuPath: NAME_objects.geojson),\ninstances (an image of objects' "       \
                   "numbers: NAME_instances.png),\nor several, as csv,geojson (csv)"),                                 \
        SHW_OPTION(SHW_VALUE_LIST, "objects-classes", 0, "LIST", &(command).objects_classes,                           \
                   "classes that have objects, by name or number, as\n'cell,nucleus'; may be repeated (all)"),         \
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "objects-area", 0, "N", &(command).job.each.objects.settings.area_min, 1,  \
                          1u << 28, "the smallest area of an object, in pixels (1)"),                                  \
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "objects-area-max", 0, "N", &(command).job.each.objects.settings.area_max, \
                          1, 1u << 28, "the largest area of an object, in pixels (any)"),                              \
        SHW_OPTION_WITHIN(SHW_VALUE_COUNT, "objects-holes", 0, "N", &(command).job.each.objects.settings.hole_max, 0,  \
                          1u << 28, "fill holes of up to N pixels, or 'all' (0)"),                                     \
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "objects-smooth", 0, "N", &(command).job.each.objects.settings.smooth, 0,  \
                          SHW_OBJECT_SMOOTH_MAX,                                                                       \
                          "first give each pixel the most frequent class within N\npixels around it (0)"),             \
        SHW_OPTION_CHOICE("objects-connectivity", 0, "N", &(command).connectivity, connectivities,                     \
                          "pixels are connected to their 8 neighbours, or to 4 (8)"),                                  \
        SHW_OPTION(SHW_VALUE_TEXT, "object-forest", 0, "FILE", &(command).taken.forest_path,                           \
                   "give objects the object classes that this forest predicts,\nwhich shadewood-viewer has written"),  \
        SHW_OPTION(SHW_VALUE_TEXT, "objects-show", 0, "CLASS", &(command).taken.show,                                  \
                   "only objects of this object class (all)"),                                                         \
        SHW_OPTION(SHW_VALUE_TEXT, "pixel-size", 0, "LENGTH", &(command).taken.pixel_size,                             \
                   "the size of pixels, as '0.65 um', or file, as each image\nstates it, or 'file or 0.65 um': areas " \
                   "and lengths of objects\nalso in units (none)")

/* The option of an output. */
static struct shw_option option_of(struct cli_labelling *command, enum shw_label_output output)
{
    const struct shw_label_output_traits *traits = shw_label_outputs[output];

    return traits->choices != NULL
               ? (struct shw_option)SHW_OPTION_CHOICE(traits->option, traits->letter, "KIND",
                                                      &command->outputs[output].choice, traits->choices, traits->help)
               : (struct shw_option)SHW_OPTION_FLAG(traits->option, traits->letter, &command->outputs[output].flag,
                                                    traits->help);
}
#define OPTION_OF(id_, name_) option_of(&command, SHW_LABEL_OUTPUT_##id_),

static int run(int argc, char **argv)
{
    struct cli_labelling command = {
        .job = {.output = "labelled", .content = {.opacity = 60}, .smoothing = {.radius = CLI_SMOOTH_UNSET}}};
    const struct shw_option options[] = {
        SHW_OPTION(SHW_VALUE_TEXT, "output", 'o', "DIR", &command.job.output,
                   "the output folder, created if missing (labelled)"),
        CLI_OVERWRITE_OPTION(command.job.outputs),
        CLI_RESUME_OPTION(
            command.parts,
            "label only what is missing, new or changed since the last\ncall with it, as a journal in the "
            "output folder says; one\ntable of the areas of classes, shares.csv"),
        CLI_SHARD_OPTION(command.parts,
                         "label the I-th of N parts of the images, each of which\nanother process may label, with "
                         "--resume; merge-shards makes\nthe tables"),
        CLI_PLAN_OPTION(command.plan),
        CLI_NAMES_OPTIONS(command.names),
        SHW_LABEL_OUTPUTS_OF_FORESTS(OPTION_OF) CLI_COMBINE_OPTION(command.combine),
        CLI_FILL_OPTION(command.fill),
        CLI_CODE_OPTIONS(command.code),
        CLI_SMOOTH_OPTIONS(command.job.smoothing, CLI_SMOOTH_STORED),
        SHW_OPTION_FLAG("calibrated", 0, &command.calibrated,
                        "raise probabilities to the power that calibrate has found for\nthe forest; labels stay"),
        CLI_FOCAL_OPTION(command.focal),
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "opacity", 0, "PERCENT", &command.job.content.opacity, 0, 100,
                          "opacity of the class colours in the overlay (60)"),
        OBJECT_OPTIONS(command),
        SHW_OPTION_FLAG("scale-bar", 0, &command.job.content.scale_bar,
                        "draw a scale bar into overlays, of images and of videos,\nwhere the size of pixels is known"),
        SHW_OPTION_WITHIN(
            SHW_VALUE_EXTENT, "max-tile", 0, "WxH", command.tile, 1, SHW_IMAGE_SIZE_MAX,
            "process larger images in tiles of at most this size,\nincluding the surroundings that tests read (the "
            "device's\nlimit)"),
        SHW_OPTION(SHW_VALUE_BYTES, "memory", 0, "SIZE", &command.job.memory,
                   "memory that images may take, such as 512M or 2G: larger TIFF\nimages are labelled in pieces (a "
                   "quarter of the machine's)"),
        SHW_INPUT_OPTION(command.inputs, "the files of another input; {} stands for the image's name:\n"
                                         "'depth=depth/{}.png'; may be repeated"),
        SHW_OPTION_FLAG("frames", 0, &command.job.frames,
                        "the images of a folder are frames of a video: each is\nlabelled with the previous one"),
        CLI_READING_OPTIONS(command.reading),
        SHW_OPTION_WITHIN(SHW_VALUE_COUNT, "page", 0, "N", &command.page, 1, SHW_IMAGE_PAGES_MAX,
                          "page of files with several, from 1, or 'all'; IMAGE#N\nalso names one (the first)"),
        SHW_OPTION_WITHIN(
            SHW_VALUE_NUMBER, "jobs", 0, "N", &command.jobs, 1, 1024,
            "images, or frames, to read, label and write at a time, each\nin a part of --memory (one per device)"),
        CLI_STAGE_OPTIONS(command.device),
        CLI_LABEL_DEVICE_OPTION(command.devices),
        CLI_REPORT_OPTIONS(command.report),
    };
    struct shw_image_list images = {.list = NULL};
    bool from_project;
    int first, code = cli_parse(&cli_label, options, sizeof options / sizeof *options, argc, argv, &first);

    if (code != SHW_CONTINUE)
        return code;
    if (argc - first < (command.names.path != NULL ? 1 : 2))
        return shw_usage_error(&cli_label, "a forest%s needed",
                               command.names.path != NULL ? " is"
                                                          : " or a project, and at least one image or video are");
    code = cli_labelling_check_outputs(&command);
    if (code == SHW_CONTINUE)
        code = cli_labelling_take_objects(&command);
    if (code == SHW_CONTINUE)
        code = shw_input_files_take(&cli_label, &command.inputs, command.job.inputs);
    command.job.input_count = command.inputs.count;
    if (code != SHW_CONTINUE)
        return code;
    for (uint32_t i = 0; command.job.frames && i < command.job.input_count; i++)
        if (strcmp(command.job.inputs[i].name, SHW_PREVIOUS) == 0)
            return shw_usage_error(&cli_label, "the previous frame is given twice: by --frames and by --input");
    code = cli_labelling_take_devices(&command);
    if (code == SHW_CONTINUE)
        code = cli_check_smoothing(&cli_label, &command.job.smoothing);
    if (code == SHW_CONTINUE)
        code = cli_take_parts(&cli_label, &command.parts, &command.job.resume.shard);
    if (code != SHW_CONTINUE)
        return code;
    from_project = cli_labelling_is_project(argv[first]);
    if (!from_project)
        code = cli_labelling_check_scale_bar(&command);
    if (code != SHW_CONTINUE)
        return code;
    if (from_project && command.focal.given != 0)
        return shw_usage_error(&cli_label, "--focal is for forests of Kinect's trees, not for projects");
    if (from_project && command.calibrated)
        return shw_usage_error(&cli_label, "--calibrated is for forests, not for projects");
    if (from_project && (command.combine != SHW_COMBINE_DEFAULT || command.fill != SHW_FILL_DEFAULT))
        return shw_usage_error(&cli_label, "%s is for forests: name that of the project, which is in the output folder",
                               command.combine != SHW_COMBINE_DEFAULT ? "--combine" : "--fill");
    command.videos.report = &command.report;
    command.videos.job = &command.job;
    if (command.names.path != NULL)
        code = cli_labelling_take_names(&command, from_project, argc - first - 1);
    else
        code = cli_labelling_list_inputs(&command, argv + first + 1, argc - first - 1, from_project, &images);
    if (code == SHW_CONTINUE)
        code = cli_labelling_run(&command, argv[first], from_project, &images);
    shw_image_list_free(&images);
    shw_image_list_free(&command.video_list);
    cli_close_parts(&command.parts, &command.job.resume);
    shw_label_job_free(&command.job);
    free(command.power);
    free(command.chosen);
    cli_label_objects_free(&command.taken);
    shw_project_files_free(&command.taught);
    shw_own_inputs_free(&command.own);
    shw_output_files_free(&command.job.outputs);
    return code;
}

const struct shw_command cli_label = {
    .name = "label",
    .summary = "label images and videos with a forest, or images with a project",
    .arguments = "[OPTION...] {FOREST | PROJECT} {IMAGE... | --files-from FILE}",
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
        "A video becomes VIDEO_overlay with its ending (or .mkv), and its frames VIDEO-000001_labels.png and so on.\n"
        "A PROJECT of shadewood-viewer is trained first; the next call with the same output folder labels what is new "
        "or changed.",
    .examples =
        "  shadewood label scenes.ktx2 photo.jpg\n"
        "  shadewood label scenes.ktx2 *.png -o results --probabilities png\n"
        "  shadewood label scenes.ktx2 photo.jpg --technique fragment --max-tile 512x512\n"
        "  shadewood label scenes.ktx2 photo.jpg -o counted --objects --objects-area 50 --objects-holes all \\\n"
        "      --objects-format csv,geojson\n"
        "  shadewood label scenes.ktx2 walk.mp4 --no-labels -o walked\n"
        "  find photos -name '*.jpg' -print0 | shadewood label scenes.ktx2 --files-from - --null\n"
        "  shadewood label meadow.json pairs -o meadow",
    .run = run,
};
