#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/shadewood.h>

#include "base/clock.h"
#include "base/json_text.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/label.h"
#include "cli/label_plan.h"
#include "dense/input/inputs.h"
#include "files/dataset/pattern.h"
#include "files/io/image_paths.h"
#include "files/output/resume.h"

int cli_labelling_take_devices(struct cli_labelling *command)
{
    struct cli_device_list *devices = &command->devices;
    const int code = cli_take_device_list(&cli_label, (enum shw_technique)command->device.technique, 0, devices);

    if (code != SHW_CONTINUE)
        return code;
    if (devices->count > 1 && command->job.frames)
        return shw_usage_error(&cli_label, "--frames goes with one device: each image is labelled with the one before");
    if (devices->count > 1 && command->names.path != NULL)
        return shw_usage_error(&cli_label,
                               "--files-from goes with one device: each name is answered before the next one is read");
    for (uint32_t d = devices->count; d-- > 0;)
        if (devices->numbers[d] != CLI_HOST)
            command->device.index = devices->numbers[d];
    if (devices->count == 1 && devices->numbers[0] == CLI_HOST)
        command->device.technique = SHW_TECHNIQUE_CPU;
    if (command->jobs > 0 && command->jobs < devices->count)
        return shw_usage_error(&cli_label, "--jobs %u is fewer than the %u devices, of which each labels one at a time",
                               command->jobs, devices->count);
    command->job.at_once = command->jobs > 0 ? command->jobs : devices->count;
    return SHW_CONTINUE;
}

/* Opens the devices; `params`, of which the first is given, become those of the labeller on each. */
static int open_devices(struct cli_labelling *command, struct cli_device *each, struct shw_labeller_params *params)
{
    const struct shw_labeller_params common = params[0];
    int code = SHW_CONTINUE;

    for (uint32_t d = 0; d < command->devices.count && code == SHW_CONTINUE; d++) {
        each[d] = command->device;
        params[d] = common;
        if (command->devices.numbers[d] == CLI_HOST)
            each[d] = (struct cli_device){.threads = command->device.threads, .technique = SHW_TECHNIQUE_CPU};
        else
            each[d].index = command->devices.numbers[d];
        code = cli_open_device(&command->report, &each[d], &params[d], &command->opened[d]);
    }
    return code;
}

static enum shw_result create_labellers(struct cli_labelling *command, const struct shw_labeller_params *params)
{
    for (uint32_t d = 0; d < command->devices.count; d++)
        SHW_PROPAGATE(shw_labellers_add(&command->labellers, &params[d]));
    return SHW_OK;
}

/* The number of objects of each chosen class, by name. */
static json_t *pack_objects(const struct shw_label_objects *options, const struct shw_objects *found)
{
    json_t *counts = json_object();

    for (uint32_t c = 0; c < options->class_count; c++)
        if (options->settings.classes == NULL || options->settings.classes[c])
            json_object_set_new(counts, options->names[c].name, json_integer(0));
    for (uint32_t n = 0; n < found->count; n++) {
        json_t *count = json_object_get(counts, options->names[found->list[n].label].name);

        json_integer_set(count, json_integer_value(count) + 1);
    }
    return counts;
}

/* The folder of an image, which may be below that of the output. */
static int make_folder(struct cli_labelling *command, const struct shw_image_entry *image)
{
    const char *slash = strrchr(image->place, '/');
    char *below, *folder;
    int code;

    if (slash == NULL)
        return SHW_CONTINUE;
    below = strndup(image->place, (size_t)(slash - image->place));
    folder = below != NULL ? shw_path_in(command->job.output, below) : NULL;
    code = folder != NULL ? cli_make_folder(&command->report, folder)
                          : cli_fail(&command->report, "not enough memory for the names of files");
    free(below);
    free(folder);
    return code;
}

int cli_labelling_check_files(struct cli_labelling *command, const char *model, const struct shw_image_list *images)
{
    int code;

    if (command->checked)
        return SHW_CONTINUE;
    command->checked = true;
    code = cli_make_folder(&command->report, command->job.output);
    for (uint32_t i = 0; code == SHW_CONTINUE && i < images->count; i++)
        code = make_folder(command, &images->list[i]);
    if (code == SHW_CONTINUE && shw_label_job_list_files(&command->job, model, images) != SHW_OK)
        code = SHW_EXIT_FAILURE;
    if (code == SHW_CONTINUE)
        code = cli_label_videos_add(&command->videos, &command->video_list);
    return code == SHW_CONTINUE ? cli_check_outputs(&command->report, &command->job.outputs) : code;
}

static void begin_image(void *user)
{
    struct cli_labelling *command = user;

    command->report.failed = false;
}

json_t *cli_labelling_pack_image(const struct cli_labelling *command, const struct shw_image_entry *image,
                                 const struct shw_label_done *done)
{
    json_t *entry = done->up_to_date
                        ? json_pack("{s:o, s:b}", "image", shw_json_text(image->path), "up_to_date", 1)
                        : json_pack("{s:o, s:i, s:i, s:f}", "image", shw_json_text(image->path), "width",
                                    (int)done->width, "height", (int)done->height, "seconds", done->seconds);

    if (!done->up_to_date && command->job.each.objects.wanted)
        json_object_set_new(entry, "objects", pack_objects(&command->job.each.objects, done->objects));
    return entry;
}

static void report_image(void *user, const struct shw_image_entry *image, const struct shw_label_done *done)
{
    struct cli_labelling *command = user;

    json_array_append_new(command->images, cli_labelling_pack_image(command, image, done));
}

static void show_progress(void *user, uint32_t ended, uint32_t count)
{
    struct cli_labelling *command = user;
    char text[160];

    snprintf(text, sizeof text, "image %u of %u, %.1f images/s", ended, count, ended / (shw_clock() - command->start));
    if (count > 1)
        cli_progress(&command->report, (double)ended / count, text);
    if (ended == count)
        cli_progress_end();
}

static void print_images(const struct cli_labelling *command, uint32_t count, const struct shw_label_tally *tally)
{
    const struct shw_label_job *job = &command->job;
    uint32_t labelled = count - tally->failed - tally->up_to_date;

    printf("%u %s labelled, ", labelled, labelled == 1 ? "image" : "images");
    if (tally->up_to_date > 0)
        printf("%u %s up to date, ", tally->up_to_date, tally->up_to_date == 1 ? "was" : "were");
    if (job->resume.journal != NULL && tally->failed > 0)
        printf("%u failed, ", tally->failed);
}

static int report_all(struct cli_labelling *command, uint32_t count, const struct shw_label_tally *tally)
{
    const struct shw_label_job *job = &command->job;
    const struct cli_label_videos *videos = &command->videos;

    if (command->report.json) {
        json_t *document = json_pack("{s:O, s:o, s:i, s:o}", "images", command->images, "output",
                                     shw_json_text(job->output), "failed", (int)(tally->failed + videos->failed),
                                     "techniques", cli_techniques_json(job->labellers->list[0].labeller));
        if (command->video_list.count > 0)
            json_object_set(document, "videos", videos->videos);
        return cli_print_json(&command->report, document);
    }
    if (command->report.quiet)
        return SHW_EXIT_SUCCESS;
    if (job->resume.shard.count > 0 && count == 0)
        printf("shard %u of %u has no images\n", job->resume.shard.number, job->resume.shard.count);
    if (count == tally->failed && videos->labelled == 0)
        return SHW_EXIT_SUCCESS;
    if (count > tally->failed)
        print_images(command, count, tally);
    if (videos->labelled > 0)
        printf("%u %s with %llu %s labelled, ", videos->labelled, videos->labelled == 1 ? "video" : "videos",
               (unsigned long long)videos->frames, videos->frames == 1 ? "frame" : "frames");
    printf("in %s\n", shw_printable(job->output).text);
    return SHW_EXIT_SUCCESS;
}

/* Failures of images and videos are reported at once and determine the exit code, which is returned. */
static int label_all(struct cli_labelling *command, const struct shw_image_list *images)
{
    struct shw_label_tally tally = {.image = SHW_OK, .tables = SHW_OK};
    int code = SHW_EXIT_SUCCESS, reported;

    command->images = json_array();
    command->videos.videos = json_array();
    command->start = shw_clock();
    if (images->count > 0 || command->job.resume.shard.count > 0)
        code = shw_exit_code(shw_label_job_run(&command->job, images, &tally));
    if (code == SHW_EXIT_SUCCESS) {
        cli_label_videos_run(&command->videos, &command->video_list);
        reported = report_all(command, images->count, &tally);
        code = shw_exit_code(tally.image != SHW_OK ? tally.image : tally.tables);
        code = code != SHW_EXIT_SUCCESS ? code : command->videos.code;
        code = code != SHW_EXIT_SUCCESS ? code : reported;
    }
    json_decref(command->images);
    json_decref(command->videos.videos);
    return tally.failed + command->videos.failed > 0 && images->count + command->video_list.count > 1 &&
                   code != SHW_EXIT_NO_DEVICE
               ? SHW_EXIT_FAILURE
               : code;
}

static void set_callbacks(struct cli_labelling *command)
{
    struct shw_label_job *job = &command->job;

    job->log = cli_log(&command->report);
    job->user = command;
    job->begin = begin_image;
    job->report = report_image;
    job->progress = show_progress;
    shw_label_job_resume(job);
}

/* Whether no image has a previous frame. */
static bool wants_frames(const struct cli_labelling *command, const struct shw_image_list *images)
{
    bool any = command->job.frames;

    for (uint32_t i = 0; i < images->count && !any; i++)
        any = shw_own_inputs_have(command->job.own, images->list[i].path, SHW_PREVIOUS);
    return !any && images->count > 0;
}

/* Labels with a forest, which is that of the file `model` or was made from it. */
static int label_with(struct cli_labelling *command, const struct shw_forest *forest, const char *model,
                      const struct shw_image_list *images)
{
    struct shw_labeller_params params[CLI_DEVICES_MAX] = {
        {.forest = forest, .smoothing = command->job.smoothing, .log = cli_log(&command->report)}};
    struct cli_device each[CLI_DEVICES_MAX];
    const bool by_names = command->names.path != NULL;
    int code;

    shw_labellers_init(&command->labellers);
    command->job.labellers = &command->labellers;
    command->job.forest = forest;
    command->job.info = shw_forest_get_info(forest);
    if (images->count > 0 || by_names)
        shw_input_files_add_beside(command->job.info->channel_list, &command->job.input_count, command->job.inputs);
    code = cli_label_videos_check(&command->videos, &command->video_list);
    if (code == SHW_CONTINUE)
        code = cli_check_inputs(&command->report, command->job.info->channel_list, command->job.input_count,
                                command->job.inputs, wants_frames(command, images) ? "--frames" : NULL);
    if (code == SHW_CONTINUE && command->job.frames &&
        !shw_channels_read(command->job.info->channel_list, SHW_PREVIOUS))
        code = cli_fail(&command->report, "--frames: the previous frame is not read by the forest");
    command->job.params =
        (struct shw_image_params){.choice = cli_image_choice(&command->reading, command->job.info),
                                  .of_group = images->count > 1 || images->whole.count > 1 || by_names};
    params->width = command->tile[0];
    params->height = command->tile[1];
    params->memory = command->job.memory / 2 / command->devices.count;
    if (code == SHW_CONTINUE)
        code = cli_labelling_choose(command, command->job.info->classes, command->job.info->class_count,
                                    command->job.info->tree_count);
    params->outputs = shw_label_job_outputs(&command->job);
    if (code == SHW_CONTINUE && (command->job.resume.journal != NULL || command->plan) && !by_names &&
        shw_label_job_look(&command->job, images) != SHW_OK)
        code = SHW_EXIT_FAILURE;
    if (code == SHW_CONTINUE)
        code = open_devices(command, each, params);
    if (code == SHW_CONTINUE && !command->plan)
        code = cli_labelling_check_files(command, model, images);
    if (code == SHW_CONTINUE) {
        code = shw_exit_code(create_labellers(command, params));
        if (code == SHW_EXIT_SUCCESS)
            code = command->plan ? cli_label_plan(&command->report, &command->job, images)
                   : by_names    ? cli_label_names_run(command)
                                 : label_all(command, images);
    }
    shw_labellers_destroy(&command->labellers);
    for (uint32_t d = 0; d < command->devices.count; d++)
        shw_device_destroy(&command->opened[d]);
    return code;
}

int cli_labelling_run(struct cli_labelling *command, const char *model, bool from_project,
                      const struct shw_image_list *images)
{
    const struct shw_log log = cli_log(&command->report);
    struct shw_forest *forest = NULL;
    int code;

    if (from_project) {
        code = cli_labelling_find_or_train(command, model, images, &forest);
    } else if ((code = cli_load_plugins(&command->report, &command->code)) == SHW_CONTINUE) {
        code = shw_exit_code(cli_load_forest(
            &command->code, model,
            &(struct shw_forest_load_params){
                .combine = (enum shw_combine)command->combine, .fill = (enum shw_fill)command->fill, .log = log},
            &forest));
        if (code == SHW_EXIT_SUCCESS)
            code = shw_exit_code(cli_focus(&command->focal, model, &log, &forest));
        code = code == SHW_EXIT_SUCCESS ? SHW_CONTINUE : code;
    }
    if (code == SHW_CONTINUE && command->calibrated) {
        enum shw_result result =
            shw_forest_power_make(shw_forest_get_info(forest), &command->job.smoothing, model, &log, &command->power);

        code = result == SHW_OK ? SHW_CONTINUE : shw_exit_code(result);
        command->job.power = command->power;
    }
    if (code == SHW_CONTINUE && cli_parts_are_wanted(&command->parts))
        code = cli_open_label_parts(&command->parts, command->plan, &command->report, &command->code, &command->focal,
                                    model, &command->job);
    if (code == SHW_CONTINUE)
        code = label_with(command, forest, model, images);
    shw_result_journal_close(&command->job.resume.journal);
    shw_forest_destroy(&forest);
    return code;
}

/* Of several images, each needs files of its own. */
static int check_patterns(const struct cli_labelling *command, const struct shw_image_list *images)
{
    for (uint32_t i = 0; i < command->job.input_count && images->count > 1; i++)
        if (shw_pattern_places(command->job.inputs[i].path) == 0)
            return shw_usage_error(
                &cli_label, "--input %s=%s would be the %s of all %u images: write {} for the image's name",
                command->job.inputs[i].name, command->job.inputs[i].path, command->job.inputs[i].name, images->count);
    return SHW_CONTINUE;
}

int cli_labelling_list_inputs(struct cli_labelling *command, char **arguments, int count, bool from_project,
                              struct shw_image_list *images)
{
    char **others = calloc((size_t)count, sizeof *others);
    int other_count = 0, code;

    set_callbacks(command);
    code = others != NULL ? SHW_CONTINUE : cli_fail(&command->report, "not enough memory for the names of images");

    for (int i = 0; i < count && code == SHW_CONTINUE; i++)
        if (!cli_is_video(arguments[i]))
            others[other_count++] = arguments[i];
        else
            code = cli_list_video(&command->report, arguments[i], &command->video_list);
    if (code == SHW_CONTINUE && from_project && command->video_list.count > 0)
        code = shw_usage_error(&cli_label,
                               "%s is a video: label it with the project's forest, which is in the output folder "
                               "once images were labelled",
                               command->video_list.list[0].path);
    if (code == SHW_CONTINUE)
        code = cli_look_at_parts(&command->parts, &command->job.resume, command->plan);
    if (code == SHW_CONTINUE && (other_count > 0 || command->video_list.count == 0))
        code = cli_list_images(&cli_label, &command->report, others, other_count,
                               &(struct shw_image_list_params){.page = command->page,
                                                               .in_folders = from_project,
                                                               .shard = command->job.resume.shard,
                                                               .files = cli_parts_files(&command->parts)},
                               images);
    free(others);
    if (code == SHW_CONTINUE)
        code = cli_check_label_parts(&command->parts, command->plan, &command->job, images, command->video_list.count,
                                     from_project);
    return code == SHW_CONTINUE ? check_patterns(command, images) : code;
}

int cli_labelling_take_names(struct cli_labelling *command, bool from_project, int arguments)
{
    int code = cli_label_names_check(command, from_project, arguments);

    set_callbacks(command);
    return code == SHW_CONTINUE ? cli_look_at_parts(&command->parts, &command->job.resume, command->plan) : code;
}
