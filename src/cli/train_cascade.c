#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/shadewood.h>

#include "base/json_text.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/data_options.h"
#include "cli/device_list.h"
#include "cli/ranks.h"
#include "cli/report.h"
#include "cli/train_run.h"
#include "files/dataset/cascade_data.h"

#define FEW_OBJECTS 30u /* that set thresholds: fewer cause a warning */

static const char *const techniques[] = {"auto", "cpu", "compute", "blend", NULL};
static const enum shw_technique technique_values[] = {SHW_TECHNIQUE_AUTO, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE,
                                                      SHW_TECHNIQUE_BLEND};
static const char *const boostings[] = {"real", "gentle", NULL};

struct command {
    struct cli_report report;
    struct shw_output_files files;
    struct shw_cascade_data data;
    struct shw_cascade_trainer_params params;
    const char *output;
    struct cli_checkpoint checkpoint;
    struct shw_cascade_pace pace;
    struct cli_ranks ranks;
    struct cli_device_list devices;
    uint32_t window[2];
    int technique, boosting;
    bool no_octaves, no_mirror, no_turned;
};

#define CLI_CASCADE_DATA_OPTIONS(data)                                                                                 \
    SHW_OPTION(SHW_VALUE_LIST, "objects", 0, "PATH", &(data).objects,                                                  \
               "patches that show one object each: a NumPy array (count,\nheight, width) of bytes, a folder of "       \
               "images, an image, or a\nlist of images (.txt, one per line); may be repeated"),                        \
        SHW_OPTION(SHW_VALUE_LIST, "annotations", 0, "FILE", &(data).annotations,                                      \
                   "rectangles around the objects of images, as CSV\n(image,x,y,width,height[,label]) or as COCO's "   \
                   "JSON; may be\nrepeated"),                                                                          \
        SHW_OPTION(SHW_VALUE_TEXT, "images", 0, "DIR", &(data).images,                                                 \
                   "the folder of the annotated images (that of the file)"),                                           \
        SHW_OPTION(SHW_VALUE_TEXT, "label", 0, "NAME", &(data).label,                                                  \
                   "only objects with this label, or of this category (all)"),                                         \
        SHW_OPTION_FLAG("only-objects", 0, &(data).only_objects,                                                       \
                        "do not mine annotated images, as some of their objects\nare not annotated"),                  \
        SHW_OPTION(SHW_VALUE_LIST, "backgrounds", 0, "PATH", &(data).backgrounds,                                      \
                   "images without objects: a folder, an image, a list of\nimages (.txt, one per line), or an array "  \
                   "of NumPy as above; may\nbe repeated")

static void show_progress(struct command *command, const struct shw_cascade_progress *progress)
{
    const double left = shw_cascade_pace_take(&command->pace, progress, command->params.round_stages);
    char text[200];

    snprintf(text, sizeof text,
             "stage %u of %u, round %u: %.0f %% of %u backgrounds left, %.2g of windows pass, %u of %u held-out copies "
             "lost",
             progress->stages, progress->stage_count, progress->round, 100 * progress->backgrounds_left,
             progress->backgrounds,
             progress->windows_scanned > 0 ? (double)progress->windows_passed / (double)progress->windows_scanned : 1,
             progress->objects_lost, progress->objects_calibrating);
    cli_progress_left(&command->report, (double)progress->stages / progress->stage_count, left, text);
}

static enum shw_result save(void *trainer, const char *path)
{
    return shw_cascade_trainer_save(trainer, path);
}

static bool has_begun(void *trainer)
{
    struct shw_cascade_progress progress;

    shw_cascade_trainer_get_progress(trainer, &progress);
    return progress.stages > 0;
}

static enum shw_result resume(struct command *command, struct shw_cascade_trainer *trainer)
{
    struct shw_cascade_progress progress;

    if (!cli_checkpoint_is_there(&command->checkpoint))
        return SHW_OK;
    SHW_PROPAGATE(shw_cascade_trainer_load(trainer, command->checkpoint.path));
    shw_cascade_trainer_get_progress(trainer, &progress);
    command->pace.last.seconds = progress.seconds;
    cli_say(&command->report, "resuming %s after %u of %u stages", command->checkpoint.path, progress.stages,
            progress.stage_count);
    return SHW_OK;
}

static enum shw_result step(void *user, bool *finished)
{
    struct command *command = user;
    struct shw_cascade_progress progress;

    SHW_PROPAGATE(shw_cascade_trainer_step(command->checkpoint.trainer, finished));
    shw_cascade_trainer_get_progress(command->checkpoint.trainer, &progress);
    show_progress(command, &progress);
    return SHW_OK;
}

/* The least score, and what passes with it. */
static void print_quality(const struct command *command, const struct shw_cascade_info *info,
                          const struct shw_cascade_quality *quality)
{
    double windows = 1e6 * (double)quality->windows_found / (double)quality->windows_scanned;

    printf("  least score %.4g: %u of %u held-out copies are found, and %.*f of a million windows of %s images pass\n"
           "  thresholds were set by %u held-out objects\n",
           ldexp(quality->min_score, -(int)info->fraction_bits), quality->copies_found, quality->held_out_copies,
           windows < 100 ? 1 : 0, windows, command->params.hold_out_percent > 0 ? "held-out" : "the mined",
           quality->held_out_objects);
}

static json_t *quality_json(const struct shw_cascade_info *info, const struct shw_cascade_quality *quality)
{
    return json_pack("{s:b, s:f, s:i, s:i, s:i, s:I, s:I, s:I}", "met", (int)quality->met, "min_score",
                     ldexp(quality->min_score, -(int)info->fraction_bits), "held_out_objects",
                     (int)quality->held_out_objects, "held_out_copies", (int)quality->held_out_copies, "copies_found",
                     (int)quality->copies_found, "windows_scanned", (json_int_t)quality->windows_scanned,
                     "windows_passed", (json_int_t)quality->windows_passed, "windows_found",
                     (json_int_t)quality->windows_found);
}

/* Reports a missed target, and what may help. Returns the exit code. */
static int judge(struct command *command, const struct shw_cascade_quality *quality)
{
    const struct shw_log log = cli_log(&command->report);
    const double windows = 1e6 * (double)quality->windows_found / (double)quality->windows_scanned;

    if (quality->held_out_objects < FEW_OBJECTS)
        shw_log_message(&log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%s: only %u held-out %s set the thresholds of stages: they say little about other objects",
                        command->output, quality->held_out_objects,
                        quality->held_out_objects == 1 ? "object" : "objects");
    if (quality->met)
        return SHW_EXIT_SUCCESS;
    shw_log_message(&log, SHW_LOG_ERROR, SHW_LOG_DATASET,
                    "%s is written but misses its target: at its least score %.0f %% of the held-out copies are found "
                    "and %.*f of a million windows without objects pass, where at least %u %% (--target-recall) and at "
                    "most %u (--target-pass) are required; more objects (there are %u), all cut alike (--margin, "
                    "--border, --window), more --stages and --backgrounds, or a looser --loss may help",
                    command->output, 100.0 * quality->copies_found / quality->held_out_copies, windows < 100 ? 1 : 0,
                    windows, command->params.target_recall, command->params.target_pass, command->data.object_count);
    return SHW_EXIT_TARGET_MISSED;
}

static int write_cascade(struct command *command, const struct shw_cascade_trainer *trainer)
{
    struct shw_cascade *cascade = NULL;
    void *bytes = NULL;
    size_t size;
    const struct shw_cascade_info *info;
    struct shw_cascade_progress progress;
    struct shw_cascade_quality quality = {0};
    enum shw_result result = shw_cascade_trainer_get_cascade(trainer, &cascade);
    int code;

    if (result == SHW_OK)
        result = shw_cascade_save_memory(cascade, &bytes, &size);
    if (result == SHW_OK)
        result = shw_output_files_save(&command->files, command->output, command->checkpoint.path, bytes, size);
    free(bytes);
    code = shw_exit_code(result);
    shw_cascade_trainer_get_progress(trainer, &progress);
    shw_cascade_trainer_get_quality(trainer, &quality);
    if (code == SHW_EXIT_SUCCESS) {
        char hash[20];
        info = shw_cascade_get_info(cascade);
        snprintf(hash, sizeof hash, "%016" PRIx64, shw_cascade_hash(cascade));
        if (command->report.json)
            code = cli_print_json(&command->report,
                                  json_pack("{s:o, s:i, s:i, s:i, s:i, s:i, s:i, s:f, s:s, s:o}", "cascade",
                                            shw_json_text(command->output), "stages", (int)info->stage_count, "nodes",
                                            (int)info->node_count, "objects", (int)command->data.object_count, "rounds",
                                            (int)progress.round, "held_out_copies", (int)progress.objects_calibrating,
                                            "held_out_lost", (int)progress.objects_lost, "seconds", progress.seconds,
                                            "hash", hash, "measured", quality_json(info, &quality)));
        else
            printf("%s: %u stages, %u nodes, from %u objects in %.1f s; %u of %u held-out copies are rejected (hash "
                   "%s)\n",
                   shw_printable(command->output).text, info->stage_count, info->node_count, command->data.object_count,
                   progress.seconds, progress.objects_lost, progress.objects_calibrating, hash);
        if (!command->report.json && !command->report.quiet)
            print_quality(command, info, &quality);
        code = code == SHW_EXIT_SUCCESS ? judge(command, &quality) : code;
    }
    shw_cascade_destroy(&cascade);
    return code;
}

static void interrupt(void *trainer)
{
    shw_cascade_trainer_interrupt(trainer);
}

static int train(struct command *command)
{
    struct shw_cascade_trainer *trainer = NULL;
    enum shw_result result;
    int code;

    command->params.log = cli_log(&command->report);
    result = shw_cascade_trainer_create(&command->params, &command->data.dataset, &trainer);
    if (result == SHW_OK)
        result = resume(command, trainer);
    code = shw_exit_code(result);
    if (code == SHW_EXIT_SUCCESS) {
        cli_checkpoint_begin(&command->checkpoint, trainer);
        cli_ranks_watch(&command->ranks, interrupt, trainer);
        code = cli_checkpoint_run(&command->checkpoint, step, command, false);
        cli_ranks_unwatch(&command->ranks);
    }
    if (code == SHW_EXIT_SUCCESS && cli_ranks_write(&command->ranks))
        code = write_cascade(command, trainer);
    shw_cascade_trainer_destroy(&trainer);
    if (code == SHW_EXIT_SUCCESS || code == SHW_EXIT_TARGET_MISSED) { /* the cascade is written */
        int removed = cli_checkpoint_remove(&command->checkpoint);
        return removed == SHW_EXIT_SUCCESS ? code : removed;
    }
    return code;
}

static int check_files(struct command *command)
{
    if (!cli_ranks_write(&command->ranks))
        return SHW_CONTINUE;
    shw_output_files_write(&command->files, command->output, &shw_file_cascade);
    return cli_checkpoint_check_files(&command->checkpoint, &shw_file_cascade_checkpoint, command->output);
}

static int check(struct command *command)
{
    if (command->output == NULL)
        return shw_usage_error(&cli_train_cascade, "an output file is needed: --output FILE");
    if (command->data.objects.count == 0 && command->data.annotations.count == 0)
        return shw_usage_error(&cli_train_cascade, "objects are needed: --objects PATH or --annotations FILE");
    return SHW_CONTINUE;
}

static int open_data(struct command *command)
{
    const struct shw_log log = cli_log(&command->report);
    enum shw_result result = shw_cascade_data_open(&log, &command->files, &command->data);

    return result == SHW_OK ? SHW_CONTINUE : shw_exit_code(result);
}

static void take_choices(struct command *command)
{
    struct shw_cascade_trainer_params *params = &command->params;

    params->window_width = command->window[0];
    params->window_height = command->window[1];
    params->boosting = (enum shw_boosting)command->boosting;
    params->technique = technique_values[command->technique];
    params->planes.octaves = !command->no_octaves;
    params->turned_backgrounds = !command->no_turned;
    params->variation.mirror = !command->no_mirror;
    if (params->copies == 1)
        params->variation = (struct shw_cascade_variation){0};
}

/* Joins the other ranks, of which each has one of the devices. */
static int take_ranks(struct command *command)
{
    struct shw_cascade_trainer_params *params = &command->params;
    struct cli_ranks *ranks = &command->ranks;
    const int code = cli_ranks_begin(&cli_train_cascade, &command->report, ranks);

    if (code != SHW_CONTINUE || !ranks->joined)
        return code;
    if (ranks->ranks.count > params->candidates)
        return shw_usage_error(&cli_train_cascade, "%u ranks divide %u candidates: start fewer, or raise --candidates",
                               ranks->ranks.count, params->candidates);
    params->exchange = &ranks->exchange;
    if (params->threads == 0)
        params->threads = ranks->ranks.processors;
    command->checkpoint.elsewhere = !cli_ranks_write(ranks);
    return SHW_CONTINUE;
}

#define NUMBER(name, value, low, high, help)                                                                           \
    SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, name, 0, "N", &(value), low, high, help)

static int run(int argc, char **argv)
{
    struct command command = {.window = {24, 24},
                              .checkpoint = {.minutes = CLI_SAVE_MINUTES,
                                             .report = &command.report,
                                             .files = &command.files,
                                             .save = save,
                                             .has_begun = has_begun},
                              .params = {.copies = 10,
                                         .planes = {.shrink = 1},
                                         .levels_per_octave = 8,
                                         .depth = 3,
                                         .stage_count = 256,
                                         .candidates = 500,
                                         .background_count = 10000,
                                         .pass_percent = 50,
                                         .round_stages = 32,
                                         .calibration_percent = 10,
                                         .loss_permille = 30,
                                         .target_pass = 10,
                                         .target_recall = 80,
                                         .variation = {.shift = 3, .scale = 8, .turn = 10, .contrast = 40}}};
    struct shw_cascade_trainer_params *params = &command.params;
    const struct shw_option options[] = {
        SHW_OPTION(SHW_VALUE_TEXT, "output", 'o', "FILE", &command.output, "the cascade to write (.ktx2)"),
        CLI_OVERWRITE_RESULT_OPTION(command.files, "cascade"),
        CLI_CASCADE_DATA_OPTIONS(command.data),
        SHW_OPTION(SHW_VALUE_TEXT, "name", 0, "NAME", &params->name, "what the objects are called (object)"),
        SHW_OPTION_WITHIN(SHW_VALUE_EXTENT, "window", 0, "WIDTHxHEIGHT", &command.window, 2, 128,
                          "pixels of the window, after shrinking (24x24)"),
        NUMBER("border", params->border, 0, 63,
               "margin of the window around patches and rectangles, in\npixels, where no test looks (0)"),
        NUMBER("margin", params->margin, 0, 100,
               "margin of the window around a rectangle, in percent of\nits size (0)"),
        NUMBER("shrink", params->planes.shrink, 1, 16, "shrink images by this factor, by means of pixels (1)"),
        SHW_OPTION_FLAG("blur-before", 0, &params->planes.blur_before, "blur images before the pyramid is made"),
        SHW_OPTION_FLAG("blur-after", 0, &params->planes.blur_after, "blur the levels of the pyramid"),
        SHW_OPTION_FLAG("no-octaves", 0, &command.no_octaves,
                        "make small levels from the image itself rather than from\nhalves of it"),
        NUMBER("levels", params->levels_per_octave, 1, 16, "levels of the pyramid per octave (8)"),
        SHW_OPTION_CHOICE("boosting", 0, "NAME", &command.boosting, boostings, "real or gentle AdaBoost (real)"),
        NUMBER("depth", params->depth, 1, 8, "tests on a path of a tree (3)"),
        NUMBER("stages", params->stage_count, 1, 65536, "trees, each of which is a stage (256)"),
        NUMBER("candidates", params->candidates, 1, 65536,
               "pairs of pixels to choose from at each level of a tree\n(500)"),
        NUMBER(
            "copies", params->copies, 1, 1000,
            "copies of each object; the first is the unchanged object,\nthe others are varied by the following (10)"),
        NUMBER("shift", params->variation.shift, 0, 50, "percent of the window, in each direction (3)"),
        NUMBER("scale", params->variation.scale, 0, 50, "percent, larger and smaller (8)"),
        NUMBER("turn", params->variation.turn, 0, 45, "degrees, to either side (10)"),
        NUMBER("contrast", params->variation.contrast, 0, 90,
               "percent, more or less; half as much for brightness (40)"),
        SHW_OPTION_FLAG("blur", 0, &params->variation.blur, "blur half of the copies"),
        NUMBER("noise", params->variation.noise, 0, 50,
               "maximum percent of white added to or subtracted from pixels (0)"),
        SHW_OPTION_FLAG("no-mirror", 0, &command.no_mirror, "do not mirror half of the copies"),
        NUMBER("background-count", params->background_count, 1, 1u << 23, "windows to mine per round (10000)"),
        NUMBER("round-stages", params->round_stages, 1, 65536, "or after this many stages (32)"),
        SHW_OPTION_FLAG("no-turned", 0, &command.no_turned,
                        "do not also mine images without objects mirrored and\nturned by quarters"),
        NUMBER("pass", params->pass_percent, 1, 90,
               "a round ends when this percentage of its backgrounds is\nleft (50)"),
        NUMBER("calibration", params->calibration_percent, 1, 50,
               "percent of the objects to hold out for the thresholds of\nstages (10)"),
        NUMBER("loss", params->loss_permille, 1, 500, "permille of these that all stages together may reject (30)"),
        NUMBER("hold-out", params->hold_out_percent, 0, 50,
               "percent of the images to hold out for measuring how many\nwindows pass at the end; 0: the mined ones "
               "are used (0)"),
        NUMBER("target-pass", params->target_pass, 1, 1000000,
               "windows per million that may pass in these images, at the\nleast score that is stored (10)"),
        NUMBER("target-recall", params->target_recall, 1, 100,
               "percent of the held-out copies that must then be found, or\nthe exit status is 4 (80)"),
        SHW_OPTION(SHW_VALUE_SEED, "seed", 0, "N", &params->seed, "seed of all random choices (0)"),
        SHW_OPTION_CHOICE("technique", 't', "NAME", &command.technique, techniques,
                          "cpu, compute, blend or auto: compute on a graphics card,\notherwise cpu; the cascade is the "
                          "same (auto)"),
        CLI_RANK_DEVICE_OPTION(command.devices),
        SHW_OPTION(SHW_VALUE_BYTES, "memory", 0, "SIZE", &params->memory,
                   "device memory that training may use (most of it)"),
        NUMBER("threads", params->threads, 1, 1024, "threads; does not affect the cascade (one per processor)"),
        CLI_RANKS_OPTION(command.ranks, "train-cascade"),
        CLI_CHECKPOINT_OPTIONS(command.checkpoint, "cascade", "stage"),
        CLI_REPORT_OPTIONS(command.report),
    };
    int first, code;

    cli_ranks_hush();
    code = cli_parse(&cli_train_cascade, options, sizeof options / sizeof *options, argc, argv, &first);
    if (code != SHW_CONTINUE)
        return code;
    if (first < argc)
        return shw_usage_error(&cli_train_cascade, "unexpected argument '%s'", argv[first]);
    take_choices(&command);
    code = check(&command);
    if (code == SHW_CONTINUE)
        code = take_ranks(&command);
    if (code == SHW_CONTINUE)
        code = cli_take_rank_device(&cli_train_cascade, params->technique, &command.ranks, &command.devices);
    if (code == SHW_CONTINUE)
        code = open_data(&command);
    if (code == SHW_CONTINUE)
        code = check_files(&command);
    if (code == SHW_CONTINUE)
        code = cli_open_rank_device(&command.report, &command.devices, &params->technique, &params->device);
    if (code == SHW_CONTINUE)
        code = train(&command);
    shw_device_destroy(&params->device);
    shw_cascade_data_free(&command.data);
    shw_output_files_free(&command.files);
    return cli_ranks_end(&command.ranks, code);
}

const struct shw_command cli_train_cascade = {
    .name = "train-cascade",
    .summary = "train a cascade that finds objects",
    .arguments = "{--objects PATH | --annotations FILE} --backgrounds PATH --output CASCADE [OPTION...]",
    .text = "Trains a cascade of boosted trees over the differences of pixels, which 'shadewood detect' finds objects "
            "with.\n"
            "Objects are patches, or rectangles in images; windows without objects are mined from images in rounds. "
            "The same\n"
            "options, data and seed give the same file, with every technique and any number of threads.\n"
            "At the end, the cascade is measured: its file gets the least score with which 'shadewood detect' begins. "
            "If the\ntarget is missed, it is written all the same, and the exit status is 4.",
    .examples = "  shadewood train-cascade --objects faces.npy --backgrounds without --window 19x19 -o faces.ktx2\n"
                "  shadewood train-cascade --annotations cars.csv --label car --margin 10 -o cars.ktx2\n"
                "  shadewood train-cascade --objects faces.npy --backgrounds without --depth 4 --checkpoint faces.part "
                "--resume "
                "-o faces.ktx2 --overwrite",
    .run = run,
};
