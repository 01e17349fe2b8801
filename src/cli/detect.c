#include "cli/detect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/import.h>

#include "base/json_text.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "detection/cascade/cascade.h"
#include "files/io/image_paths.h"
#include "files/output/cascade_text.h"

#define DEGREES_PER_ANGLE 11.25
#define ANGLES            32

/* A number of degrees as the number of an angle; false: it is no multiple. */
static bool read_angle(const char *text, size_t length, uint32_t *angle)
{
    char part[32], *end;
    double turns;

    if (length == 0 || length >= sizeof part || strspn(text, "+-.0123456789") < length)
        return false;
    memcpy(part, text, length);
    part[length] = '\0';
    turns = strtod(part, &end) / DEGREES_PER_ANGLE;
    if (*end != '\0' || turns != floor(turns) || fabs(turns) > ANGLES)
        return false;
    *angle = (uint32_t)((int)turns + ANGLES) % ANGLES;
    return true;
}

static int take_angles(const struct shw_command *command, struct cli_detect_options *options)
{
    const bool all = options->angles != NULL && strcmp(options->angles, "all") == 0;
    struct shw_scan *scan = &options->params.scan;
    bool given[ANGLES] = {false};

    scan->angles = options->angle_numbers;
    for (uint32_t angle = 0; all && angle < ANGLES; angle++)
        options->angle_numbers[scan->angle_count++] = angle;
    for (const char *text = all ? NULL : options->angles; text != NULL;) {
        size_t length = strcspn(text, ",");
        uint32_t angle;

        if (!read_angle(text, length, &angle))
            return shw_usage_error(command, "--angles: '%.*s' is not a multiple of 11.25 from -360 to 360", (int)length,
                                   text);
        if (given[angle])
            return shw_usage_error(command, "--angles has the angle of %.*s degrees twice", (int)length, text);
        given[angle] = true;
        options->angle_numbers[scan->angle_count++] = angle;
        text = text[length] != '\0' ? text + length + 1 : NULL;
    }
    return SHW_CONTINUE;
}

static int take_regrouping(const struct shw_command *command, struct cli_detect_options *options)
{
    struct shw_detector_params *params = &options->params;

    for (const char *text = options->regroup; text != NULL;) {
        size_t length = strcspn(text, ",");
        uint32_t before = params->regroup_count > 0 ? options->regroup_stages[params->regroup_count - 1] : 0;
        char part[16] = "";
        uint64_t stage;

        if (length < sizeof part)
            memcpy(part, text, length);
        if (!shw_parse_number(part, before + 1, SHW_CASCADE_STAGES_MAX, &stage))
            return shw_usage_error(command, "--regroup takes increasing numbers of stages, such as 8,32,128, not '%s'",
                                   options->regroup);
        if (params->regroup_count == SHW_DETECT_REGROUP_MAX)
            return shw_usage_error(command, "--regroup has more than %u stages", SHW_DETECT_REGROUP_MAX);
        options->regroup_stages[params->regroup_count++] = (uint32_t)stage;
        text = text[length] != '\0' ? text + length + 1 : NULL;
    }
    params->regroup = params->regroup_count > 0 ? options->regroup_stages : NULL;
    return SHW_CONTINUE;
}

static int take_format(const struct shw_command *command, struct cli_detect_options *options)
{
    for (const char *text = options->format;;) {
        size_t length = strcspn(text, ",");

        if (length == 3 && strncmp(text, "csv", length) == 0)
            options->csv = true;
        else if (length == 4 && strncmp(text, "coco", length) == 0)
            options->coco = true;
        else
            return shw_usage_error(command, "--format takes csv and coco, not '%.*s'", (int)length, text);
        if (text[length] == '\0')
            return SHW_CONTINUE;
        text += length + 1;
    }
}

/* A fraction: above 0 and at most 1. */
static int check_part(const struct shw_command *command, const char *name, const struct shw_option_reals *part)
{
    if (part->count == 0 || (part->items[0] > 0.0 && part->items[0] <= 1.0))
        return SHW_CONTINUE;
    return shw_usage_error(command, "--%s takes a number above 0 and at most 1, not %g", name, part->items[0]);
}

static int check_numbers(const struct shw_command *command, const struct cli_detect_options *options)
{
    const double factor = options->scale_factor.items[0];
    int code = check_part(command, "overlap", &options->overlap);

    if (code == SHW_CONTINUE)
        code = check_part(command, "epsilon", &options->epsilon);
    if (code == SHW_CONTINUE)
        code = check_part(command, "stride", &options->stride);
    if (code == SHW_CONTINUE && options->scale_factor.count > 0 && !(factor > 1.01 && factor <= 10.0))
        code = shw_usage_error(command, "--scale-factor takes a number above 1.01 and at most 10, not %g", factor);
    if (code == SHW_CONTINUE && options->max_size > 0 && options->max_size < options->min_size)
        code =
            shw_usage_error(command, "--max-size %u is less than --min-size %u", options->max_size, options->min_size);
    return code;
}

/* Checks the options and fills in the rest. Returns SHW_CONTINUE or the exit code. */
static int detect_take_options(const struct shw_command *command, struct cli_detect_options *options)
{
    struct shw_detector_params *params = &options->params;
    int code = check_numbers(command, options);

    params->technique = (enum shw_technique)options->technique;
    params->variant = (enum shw_detect_variant)options->variant;
    params->threads = options->threads;
    params->scan = (struct shw_scan){.min_size = options->min_size,
                                     .max_size = options->max_size,
                                     .levels_per_octave = options->levels_per_octave,
                                     .scale_factor = options->scale_factor.items[0],
                                     .stride = options->stride.items[0],
                                     .step = options->step};
    options->grouping = (struct shw_group_params){.method = (enum shw_group_method)options->group,
                                                  .min_neighbours = options->min_neighbours,
                                                  .epsilon = options->epsilon.items[0],
                                                  .overlap = options->overlap.items[0]};
    if (code == SHW_CONTINUE)
        code = take_angles(command, options);
    if (code == SHW_CONTINUE)
        code = take_regrouping(command, options);
    if (code == SHW_CONTINUE)
        code = take_format(command, options);
    return code;
}

/* Options that apply only to some kinds of cascades and some grouping methods. */
static int check_meaning(const struct shw_command *command, const struct cli_detect_options *options,
                         const struct shw_cascade_info *info)
{
    const struct shw_cascade_traits *traits = shw_cascade_get_traits(info->kind);
    const int group = options->group != SHW_GROUP_DEFAULT ? options->group : (int)shw_group_method_default(info->kind);
    const struct shw_group_traits group_traits = shw_group_get_traits((enum shw_group_method)group);
    const struct {
        bool given, fits;
        const char *name;
    } of_kind[] = {{options->levels_per_octave > 0, traits->has_pyramid, "levels-per-octave"},
                   {options->scale_factor.count > 0, !traits->has_pyramid, "scale-factor"},
                   {options->stride.count > 0, traits->is_relative, "stride"},
                   {options->step > 0, !traits->is_relative, "step"},
                   {options->angles != NULL, traits->has_angles, "angles"}},
      of_group[] = {{options->min_neighbours > 0, group_traits.has_min_neighbours, "min-neighbours"},
                    {options->overlap.count > 0, group_traits.has_overlap, "overlap"},
                    {options->epsilon.count > 0, group_traits.has_epsilon, "epsilon"}};

    for (size_t i = 0; i < sizeof of_kind / sizeof *of_kind; i++)
        if (of_kind[i].given && !of_kind[i].fits)
            return shw_usage_error(command, "--%s does not apply to cascades of the kind %s, such as this one",
                                   of_kind[i].name, traits->name);
    for (size_t i = 0; i < sizeof of_group / sizeof *of_group; i++)
        if (of_group[i].given && !of_group[i].fits)
            return shw_usage_error(command, "--%s does not apply to --group %s", of_group[i].name,
                                   shw_group_names[group]);
    return SHW_CONTINUE;
}

/* Takes the score of --min-score, or the cascade's own, which completes the grouping, and refuses options that do not
 * apply to its kind. Returns SHW_CONTINUE or the exit code. */
static int detect_take_cascade(const struct shw_command *command, struct cli_detect_options *options,
                               const struct shw_cascade_info *info, const struct shw_log *log)
{
    struct shw_cascade_info asked = *info;

    if (cli_cascade_min_score(options->min_score, log, &asked) != SHW_OK)
        return SHW_EXIT_USAGE;
    options->grouping.min_score = asked.min_score;
    options->grouping.has_min_score = asked.has_min_score;
    return check_meaning(command, options, info);
}

enum shw_result cli_cascade_min_score(const char *text, const struct shw_log *log, struct shw_cascade_info *info)
{
    const int bits = (int)info->fraction_bits;
    char *end;
    double score;

    if (text == NULL)
        return SHW_OK;
    info->min_score = 0;
    info->has_min_score = strcmp(text, "any") != 0;
    if (!info->has_min_score)
        return SHW_OK;
    score = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(score))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "--min-score takes a number or any, not '%.80s'",
                        text);
    score = ceil(ldexp(score, bits));
    if (!(score >= INT32_MIN && score <= INT32_MAX))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "--min-score %.80s: scores of this cascade are from %g to %g", text, ldexp(INT32_MIN, -bits),
                        ldexp(INT32_MAX, -bits));
    info->min_score = (int32_t)score;
    return SHW_OK;
}

/* Selects a technique that counts survivors, if they are wanted. */
static void survivors_take_options(struct cli_detecting *detecting)
{
    enum shw_technique *technique = &detecting->options.params.technique;

    if (detecting->survivors != NULL && *technique == SHW_TECHNIQUE_AUTO)
        *technique = SHW_TECHNIQUE_CPU;
}

static enum shw_result save(const struct cli_detecting *detecting, const uint64_t *survivors, const struct shw_log *log)
{
    struct shw_cascade_info info = *detecting->info;
    struct shw_cascade *cascade = NULL;
    enum shw_result result;

    if (survivors[0] == 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_CASCADE,
                        "%s is not written: no window was tested in these images", detecting->survivors);
    info.survivors = survivors;
    result = shw_cascade_create(&info, log, &cascade);
    if (result == SHW_OK)
        result = shw_output_files_look_again(&detecting->outputs, detecting->survivors);
    if (result == SHW_OK)
        result = shw_cascade_save(cascade, detecting->survivors, log);
    shw_cascade_destroy(&cascade);
    return result;
}

/* Writes the cascade with how many windows were left after each stage in all that was searched. Returns the exit code.
 */
static int survivors_save(struct cli_detecting *detecting)
{
    const struct shw_log log = cli_log(&detecting->report);
    uint32_t count = detecting->info->stage_count + 1;
    uint64_t *survivors = calloc(count, sizeof *survivors);
    enum shw_result result = survivors != NULL ? SHW_OK : shw_fail_memory(&log, "the survivors of stages");

    if (result == SHW_OK)
        result = shw_detector_get_survivors(detecting->detector, survivors, count);
    if (result == SHW_OK)
        result = save(detecting, survivors, &log);
    free(survivors);
    return shw_exit_code(result);
}

/* The images and videos that are searched. */
struct inputs {
    struct shw_image_list images, videos;
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
    if (code == SHW_CONTINUE)
        code = cli_detect_open_parts(detecting, &inputs->images);
    if (code == SHW_CONTINUE && inputs->images.count > 0)
        code = cli_detect_add_images(detecting, &inputs->images);
    if (code == SHW_CONTINUE)
        code = cli_detect_add_videos(detecting, &inputs->videos);
    return code == SHW_CONTINUE ? cli_check_outputs(&detecting->report, &detecting->outputs) : code;
}

static void print_report(const struct cli_detecting *detecting, const struct inputs *inputs)
{
    const struct shw_shard *shard = &detecting->resume.shard;

    if (shard->count > 0 && inputs->images.count == 0) {
        printf("shard %u of %u has no images\n", shard->number, shard->count);
        return;
    }
    if (inputs->images.count > 0)
        printf("%u %s, ", detecting->searched, detecting->searched == 1 ? "image" : "images");
    if (detecting->up_to_date > 0)
        printf("%u %s up to date, ", detecting->up_to_date, detecting->up_to_date == 1 ? "was" : "were");
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

    if (!detecting->report.json && !detecting->report.quiet &&
        (detecting->searched + detecting->searched_videos + detecting->up_to_date > 0 ||
         detecting->resume.shard.count > 0))
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
    enum shw_result result = shw_detection_tables_open(&detecting->tables, &columns, &log);

    return result == SHW_OK && detecting->truth.path != NULL
               ? cli_truth_begin(&detecting->truth, columns.fraction_bits, &log)
               : result;
}

/* The tables of all images; a shard says what it has done instead. */
static enum shw_result end_tables(struct cli_detecting *detecting, const struct shw_image_list *images,
                                  const bool *done)
{
    const struct shw_log log = cli_log(&detecting->report);

    if (detecting->resume.shard.count > 0)
        return shw_resume_end_shard(&detecting->resume, images, done);
    if (detecting->searched + detecting->up_to_date == 0)
        return SHW_OK;
    if (detecting->resume.journal != NULL)
        return shw_resume_write_tables(&detecting->resume, images, done, &detecting->outputs);
    return shw_detection_tables_commit(&detecting->tables, &detecting->outputs, &log);
}

static int search_images(struct cli_detecting *detecting, const struct shw_image_list *images)
{
    const struct shw_log log = cli_log(&detecting->report);
    bool *done = calloc(images->count + (size_t)1, sizeof *done);
    enum shw_result result = done != NULL ? SHW_OK : shw_fail_memory(&log, "the list of images");

    if (result == SHW_OK && detecting->resume.journal == NULL)
        result = begin_tables(detecting);
    if (result == SHW_OK && detecting->resume.shard.count > 0)
        result = shw_resume_begin_shard(&detecting->resume, images);
    if (result == SHW_OK) {
        cli_detect_images(detecting, images, done);
        detecting->report.failed = false;
        result = end_tables(detecting, images, done);
    }
    free(done);
    return shw_exit_code(result);
}

static int search(struct cli_detecting *detecting, const struct inputs *inputs)
{
    int code = SHW_EXIT_SUCCESS;

    detecting->images = json_array();
    detecting->videos = json_array();
    if (inputs->images.count > 0 || detecting->resume.shard.count > 0)
        code = search_images(detecting, &inputs->images);
    if (code != SHW_EXIT_SUCCESS && detecting->resume.journal == NULL && detecting->searched + detecting->failed == 0)
        return code;
    cli_detect_videos(detecting, &inputs->videos);
    detecting->report.failed = false;
    if (code == SHW_EXIT_SUCCESS && detecting->survivors != NULL)
        code = survivors_save(detecting);
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
        detecting->model = shw_cascade_hash(cascade);
        code = detect_take_cascade(&cli_detect, &detecting->options, detecting->info, &log);
    }
    if (code == SHW_CONTINUE && detecting->truth.path != NULL)
        code = cli_truth_read(&detecting->report, &detecting->truth, detecting->info->name);
    cli_detect_begin_parts(detecting);
    if (code == SHW_CONTINUE)
        code = cli_look_at_parts(&detecting->parts, &detecting->resume, false);
    if (code == SHW_CONTINUE && count > 1)
        code = cli_detect_list(&cli_detect, detecting, arguments + 1, count - 1, &inputs.images, &inputs.videos);
    else if (code == SHW_CONTINUE)
        code = cli_truth_list_images(&detecting->report, &detecting->truth, &inputs.images);
    if (code == SHW_CONTINUE)
        code = cli_detect_check_parts(detecting, &inputs.images, &inputs.videos);
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
    shw_image_list_free(&inputs.images);
    shw_image_list_free(&inputs.videos);
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
        CLI_RESUME_OPTION(detecting.parts,
                          "search only what is missing, new or changed since the last\ncall with it, as a "
                          "journal in the output folder says"),
        CLI_SHARD_OPTION(detecting.parts,
                         "search the I-th of N parts of the images, each of which\nanother process may "
                         "search, with --resume; merge-shards makes\nthe tables"),
        SHW_OPTION(SHW_VALUE_TEXT, "format", 0, "KIND,...", &detecting.options.format,
                   "tables of detections: csv, coco (results as JSON) or both\n(csv)"),
        SHW_OPTION_FLAG("raw", 0, &detecting.raw, "also write the windows as found, before grouping,\nas CSV"),
        SHW_OPTION_FLAG("no-pictures", 0, &detecting.no_pictures, "do not write images and videos with rectangles"),
        SHW_OPTION(SHW_VALUE_TEXT, "evaluate", 'e', "FILE", &detecting.truth.path,
                   "measure detections by annotations: rectangles in images, as\nCSV or COCO's JSON; without images, "
                   "search the annotated ones"),
        SHW_OPTION(SHW_VALUE_TEXT, "label", 0, "NAME", &detecting.truth.label,
                   "only annotations with this label count (the cascade's name,\nif they have several)"),
        SHW_OPTION_WITHIN(SHW_VALUE_REALS, "match-overlap", 0, "F", &overlap, 1, 1,
                          "intersection over union by which a detection and an object\nmatch (0.65)"),
        SHW_OPTION(SHW_VALUE_TEXT, "survivors", 0, "FILE", &detecting.survivors,
                   "write the cascade with the number of windows that\nremained after each stage, by which compute "
                   "chooses where\nto regroup; measured by cpu"),
        CLI_DETECT_OPTIONS(detecting.options),
        CLI_READING_OPTIONS(detecting.reading),
        SHW_OPTION_WITHIN(SHW_VALUE_COUNT, "page", 0, "N", &detecting.page, 1, SHW_IMAGE_PAGES_MAX,
                          "page of files with several, from 1, or 'all'; IMAGE#N\nalso names one (the first)"),
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
        code = detect_take_options(&cli_detect, &detecting.options);
    if (code == SHW_CONTINUE)
        code = cli_take_parts(&cli_detect, &detecting.parts, &detecting.resume.shard);
    survivors_take_options(&detecting);
    detecting.params.choice = cli_image_choice(&detecting.reading, NULL);
    if (code == SHW_CONTINUE)
        code = detect(&detecting, argv + first, argc - first);
    json_decref(detecting.images);
    json_decref(detecting.videos);
    shw_detection_tables_free(&detecting.tables);
    cli_close_parts(&detecting.parts, &detecting.resume);
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
