#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "cli/commands.h"
#include "cli/detecting.h"
#include "cli/option_rules.h"
#include "cli/outputs.h"
#include "files/formats/cascade_open.h"
#include "files/io/json_text.h"

/* The images and videos that are searched. */
struct inputs {
    struct cli_image_list images, videos;
};

static int open_detector(struct cli_detecting *detecting, const struct shw_cascade *cascade, struct shw_device **device)
{
    struct shw_detector_params *params = &detecting->options.params;
    const bool wanted = params->technique == SHW_TECHNIQUE_FRAGMENT || params->technique == SHW_TECHNIQUE_COMPUTE;

    params->cascade = cascade;
    params->log = cli_log(&detecting->report);
    if (params->technique != SHW_TECHNIQUE_CPU) {
        int code = cli_create_device(&detecting->report, detecting->options.device, wanted, device);
        if (code != SHW_CONTINUE)
            return code;
    }
    params->device = *device;
    return shw_exit_code(shw_detector_create(params, &detecting->detector));
}

/* Makes the output folder, and checks all that is going to be written. */
static int check_outputs(struct cli_detecting *detecting, const char *cascade, const struct inputs *inputs)
{
    int code = cli_make_folder(&detecting->report, detecting->output);

    detecting->outputs.log = cli_log(&detecting->report);
    shw_output_files_read(&detecting->outputs, cascade);
    shw_output_files_write(&detecting->outputs, detecting->survivors, &shw_file_cascade);
    if (code == SHW_CONTINUE && inputs->images.count > 0)
        code = cli_detect_add_images(detecting, &inputs->images);
    if (code == SHW_CONTINUE)
        code = cli_detect_add_videos(detecting, &inputs->videos);
    return code == SHW_CONTINUE ? cli_check_outputs(&detecting->report, &detecting->outputs) : code;
}

static void print_report(const struct cli_detecting *detecting, const struct inputs *inputs)
{
    if (inputs->images.count > 0)
        printf("%u %s, ", detecting->searched, detecting->searched == 1 ? "image" : "images");
    if (inputs->videos.count > 0)
        printf("%u %s with %llu %s, ", detecting->searched_videos, detecting->searched_videos == 1 ? "video" : "videos",
               (unsigned long long)detecting->frames, detecting->frames == 1 ? "frame" : "frames");
    printf("%llu %s, in %s\n", (unsigned long long)detecting->found, detecting->found == 1 ? "detection" : "detections",
           shw_printable(detecting->output).text);
}

/* What was found, and how well that agrees with the annotations. */
static int report_all(struct cli_detecting *detecting, const struct inputs *inputs)
{
    json_t *document = json_pack(
        "{s:O, s:O, s:I, s:i, s:s, s:o}", "images", detecting->images, "videos", detecting->videos, "detections",
        (json_int_t)detecting->found, "failed", (int)detecting->failed, "technique",
        cli_techniques[shw_detector_get_technique(detecting->detector)], "output", shw_json_text(detecting->output));
    int code = SHW_EXIT_SUCCESS;

    if (!detecting->report.json && !detecting->report.quiet && detecting->searched + detecting->searched_videos > 0)
        print_report(detecting, inputs);
    if (detecting->truth.path != NULL && detecting->searched > 0)
        code = cli_truth_finish(&detecting->report, &detecting->truth, &detecting->outputs, document);
    if (detecting->report.json)
        return code == SHW_EXIT_SUCCESS ? cli_print_json(&detecting->report, document) : (json_decref(document), code);
    json_decref(document);
    return code;
}

static enum shw_result begin_tables(struct cli_detecting *detecting)
{
    const struct shw_detection_columns columns = {.fraction_bits = detecting->info->fraction_bits};
    const struct shw_log log = cli_log(&detecting->report);
    enum shw_result result = cli_detect_tables_open(&detecting->tables, &columns, &log);

    return result == SHW_OK && detecting->truth.path != NULL
               ? cli_truth_begin(&detecting->truth, columns.fraction_bits, &log)
               : result;
}

static int search(struct cli_detecting *detecting, const struct inputs *inputs)
{
    const struct shw_log log = cli_log(&detecting->report);
    int code = SHW_EXIT_SUCCESS;

    detecting->images = json_array();
    detecting->videos = json_array();
    if (inputs->images.count > 0) {
        code = shw_exit_code(begin_tables(detecting));
        if (code != SHW_EXIT_SUCCESS)
            return code;
        cli_detect_images(detecting, &inputs->images);
        detecting->report.failed = false;
        if (detecting->searched > 0)
            code = shw_exit_code(cli_detect_tables_commit(&detecting->tables, &detecting->outputs, &log));
    }
    cli_detect_videos(detecting, &inputs->videos);
    detecting->report.failed = false;
    if (code == SHW_EXIT_SUCCESS && detecting->survivors != NULL)
        code = cli_survivors_save(detecting);
    if (code == SHW_EXIT_SUCCESS)
        code = report_all(detecting, inputs);
    if (detecting->failed == 0)
        return code;
    return inputs->images.count + inputs->videos.count > 1 && detecting->code != SHW_EXIT_NO_DEVICE ? SHW_EXIT_FAILURE
                                                                                                    : detecting->code;
}

static int detect(struct cli_detecting *detecting, char **arguments, int count)
{
    struct shw_cascade *cascade = NULL;
    struct shw_device *device = NULL;
    struct inputs inputs = {0};
    const struct shw_log log = cli_log(&detecting->report);
    int code = shw_exit_code(shw_cascade_open(arguments[0], &log, &cascade));

    if (code == SHW_EXIT_SUCCESS) {
        detecting->info = shw_cascade_get_info(cascade);
        code = cli_detect_take_cascade(&cli_detect, &detecting->options, detecting->info, &log);
    }
    if (code == SHW_CONTINUE && detecting->truth.path != NULL)
        code = cli_truth_read(&detecting->report, &detecting->truth, detecting->info->name);
    if (code == SHW_CONTINUE && count > 1)
        code = cli_detect_list(&cli_detect, detecting, arguments + 1, count - 1, &inputs.images, &inputs.videos);
    else if (code == SHW_CONTINUE)
        code = cli_truth_list_images(&detecting->report, &detecting->truth, &inputs.images);
    if (code == SHW_CONTINUE && detecting->truth.path != NULL && inputs.videos.count > 0)
        code = shw_usage_error(&cli_detect, "%s is a video: --evaluate is for images", inputs.videos.list[0].path);
    if (code == SHW_CONTINUE && detecting->truth.path != NULL)
        code = cli_truth_match_images(&detecting->report, &detecting->truth, &inputs.images);
    if (code == SHW_CONTINUE)
        code = check_outputs(detecting, arguments[0], &inputs);
    if (code == SHW_CONTINUE)
        code = open_detector(detecting, cascade, &device);
    if (code == SHW_EXIT_SUCCESS && detecting->detector != NULL)
        code = search(detecting, &inputs);
    shw_detector_destroy(&detecting->detector);
    shw_device_destroy(&device);
    shw_cascade_destroy(&cascade);
    cli_image_list_free(&inputs.images);
    cli_image_list_free(&inputs.videos);
    return code;
}

static int check_evaluation(const struct cli_detecting *detecting)
{
    const struct cli_truth *truth = &detecting->truth;

    if (!(truth->overlap > 0.0 && truth->overlap <= 1.0))
        return shw_usage_error(&cli_detect, "--match-overlap takes a number above 0 and at most 1, not %g",
                               truth->overlap);
    return SHW_CONTINUE;
}

static int run(int argc, char **argv)
{
    struct cli_detecting detecting = {.output = "detected", .options = {.format = "csv"}};
    struct shw_option_reals overlap = {.items = {SHW_MATCH_OVERLAP}};
    const struct shw_option options[] = {
        SHW_OPTION(SHW_VALUE_TEXT, "output", 'o', "DIR", &detecting.output,
                   "the output folder, created if missing (detected)"),
        CLI_OVERWRITE_OPTION(detecting.outputs),
        SHW_OPTION(SHW_VALUE_TEXT, "format", 0, "KIND,...", &detecting.options.format,
                   "tables of detections: csv, coco (results as JSON) or both\n(csv)"),
        SHW_OPTION_FLAG("raw", 0, &detecting.raw, "also write the windows as found, before they are grouped,\nas CSV"),
        SHW_OPTION_FLAG("no-pictures", 0, &detecting.no_pictures, "do not write images and videos with rectangles"),
        SHW_OPTION(SHW_VALUE_TEXT, "evaluate", 'e', "FILE", &detecting.truth.path,
                   "measure detections by annotations: rectangles in images, as\nCSV or COCO's JSON; without images, "
                   "search the annotated ones"),
        SHW_OPTION(SHW_VALUE_TEXT, "label", 0, "NAME", &detecting.truth.label,
                   "only annotations with this label count (the cascade's name,\nif they have several)"),
        SHW_OPTION_WITHIN(SHW_VALUE_REALS, "match-overlap", 0, "F", &overlap, 1, 1,
                          "intersection over union by which a detection and an object\nmatch (0.65)"),
        SHW_OPTION(SHW_VALUE_TEXT, "survivors", 0, "FILE", &detecting.survivors,
                   "write the cascade with a record of how many windows were\nleft after each stage, by which compute "
                   "chooses where to\nregroup; measured by cpu"),
        CLI_DETECT_OPTIONS(detecting.options),
        CLI_READING_OPTIONS(detecting.reading),
        SHW_OPTION_WITHIN(SHW_VALUE_COUNT, "page", 0, "N", &detecting.page, 1, SHW_IMAGE_PAGES_MAX,
                          "page of files with several, from 1, or 'all'; IMAGE#N\nnames one, too (the first)"),
        CLI_REPORT_OPTIONS(detecting.report),
    };
    int first, code = cli_parse(&cli_detect, options, sizeof options / sizeof *options, argc, argv, &first);

    if (code != SHW_CONTINUE)
        return code;
    detecting.truth.overlap = overlap.items[0];
    if (argc - first < (detecting.truth.path != NULL ? 1 : 2))
        return shw_usage_error(&cli_detect, detecting.truth.path != NULL
                                                ? "a cascade is needed"
                                                : "a cascade, and at least one image are needed");
    code = check_evaluation(&detecting);
    if (code == SHW_CONTINUE)
        code = cli_detect_take_options(&cli_detect, &detecting.options);
    cli_survivors_take_options(&detecting);
    detecting.params.choice = cli_image_choice(&detecting.reading, NULL);
    if (code == SHW_CONTINUE)
        code = detect(&detecting, argv + first, argc - first);
    json_decref(detecting.images);
    json_decref(detecting.videos);
    cli_detect_tables_free(&detecting.tables);
    cli_truth_free(&detecting.truth);
    shw_output_files_free(&detecting.outputs);
    return code;
}

const struct shw_command cli_detect = {
    .name = "detect",
    .summary = "find objects in images and videos with a cascade",
    .arguments = "[OPTION...] CASCADE {IMAGE | FOLDER | LIST | VIDEO}...",
    .text =
        "Finds objects with a cascade of trees. It writes detections.csv, a row per detection, and for IMAGE.png\n"
        "IMAGE_detections.png with rectangles and scores, to the folder detected or that of --output. A FOLDER stands "
        "for the\n"
        "images in it, except those that this command has written; a LIST, which ends with .txt, for those of the "
        "paths\n"
        "in it, one per line. For VIDEO.mp4 it writes VIDEO_detections.csv, with the frame of each detection, and\n"
        "VIDEO_detections.mp4. With --evaluate, it compares the detections with annotations: objects found and "
        "missed,\n"
        "false detections, curves of precision, recall and detection rate, as CSV and PNG.",
    .examples = "  shadewood detect face.ktx2 party.jpg\n"
                "  shadewood detect face.ktx2 photos -o faces --min-size 40 --min-score 0.5 --format csv,coco\n"
                "  shadewood detect face.ktx2 street.mp4 --min-size 60 -o street\n"
                "  shadewood detect face.ktx2 --evaluate faces.csv --match-overlap 0.5 -o measured",
    .run = run,
};
