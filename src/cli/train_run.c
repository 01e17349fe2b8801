#include "cli/train_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <shadewood/shadewood.h>

#include "base/clock.h"
#include "base/file_bytes.h"
#include "base/json_text.h"
#include "base/machine.h"
#include "base/text.h"
#include "cli/report.h"
#include "dense/forest/forest.h"
#include "dense/grow_cpu/memory.h"
#include "dense/train/params.h"
#include "files/dataset/image_inputs.h"
#include "files/io/file_kind.h"
#include "files/io/image_paths.h"
#include "files/project/project_texts.h"

int cli_checkpoint_check_files(const struct cli_checkpoint *checkpoint, const struct shw_file_kind *kind,
                               const char *output)
{
    struct shw_output_files *files = checkpoint->files;
    int code;

    shw_output_files_write_apart(files, checkpoint->path, checkpoint->resume ? &shw_file_resumed : kind);
    code = cli_check_outputs(checkpoint->report, files);
    if (code == SHW_CONTINUE &&
        ((checkpoint->path != NULL && shw_output_files_lock(files, checkpoint->path) != SHW_OK) ||
         shw_output_files_lock(files, output) != SHW_OK))
        return SHW_EXIT_FAILURE;
    if (code == SHW_CONTINUE && checkpoint->path != NULL && !checkpoint->resume && access(checkpoint->path, F_OK) == 0)
        return cli_fail(checkpoint->report, "%s exists: continue from it with --resume, or remove it to start again",
                        checkpoint->path);
    return code;
}

bool cli_checkpoint_is_there(struct cli_checkpoint *checkpoint)
{
    if (!checkpoint->resume)
        return false;
    checkpoint->saved = access(checkpoint->path, F_OK) == 0;
    if (checkpoint->saved)
        return true;
    cli_say(checkpoint->report, "there is no checkpoint %s: starting from the beginning", checkpoint->path);
    return false;
}

void cli_checkpoint_begin(struct cli_checkpoint *checkpoint, void *trainer)
{
    cli_hold_signals(checkpoint->path != NULL);
    checkpoint->trainer = trainer;
    checkpoint->saved_at = shw_clock();
}

static bool cli_checkpoint_save(struct cli_checkpoint *checkpoint)
{
    if (checkpoint->elsewhere)
        return true;
    if (shw_output_files_settle(checkpoint->files, checkpoint->path, &checkpoint->path) != SHW_OK ||
        checkpoint->save(checkpoint->trainer, checkpoint->path) != SHW_OK)
        return false;
    shw_output_files_written(checkpoint->files, checkpoint->path);
    checkpoint->saved = true;
    return true;
}

/* Training continues without it: a full disk may have space later. */
static void cli_checkpoint_try(struct cli_checkpoint *checkpoint)
{
    cli_checkpoint_save(checkpoint);
    checkpoint->report->failed = false;
    checkpoint->saved_at = shw_clock();
}

static void checkpoint_fail(struct cli_checkpoint *checkpoint, enum shw_result result, bool stepped)
{
    if (checkpoint->path == NULL)
        return;
    if (stepped && (result == SHW_ERROR_DEVICE_LOST || result == SHW_ERROR_DEVICE_MEMORY))
        cli_checkpoint_save(checkpoint);
    if (checkpoint->saved)
        cli_say(checkpoint->report, "the same command with --resume continues from %s", checkpoint->path);
}

static int interrupt(struct cli_checkpoint *checkpoint)
{
    cli_progress_end();
    if (checkpoint->has_begun != NULL && !checkpoint->has_begun(checkpoint->trainer)) {
        cli_say(checkpoint->report, "interrupted before there was anything to save");
        return SHW_EXIT_INTERRUPTED;
    }
    if (!cli_checkpoint_save(checkpoint))
        return SHW_EXIT_FAILURE;
    cli_say(checkpoint->report, "interrupted; the same command with --resume continues from %s", checkpoint->path);
    return SHW_EXIT_INTERRUPTED;
}

static int checkpoint_step(struct cli_checkpoint *checkpoint)
{
    if (checkpoint->path == NULL)
        return SHW_CONTINUE;
    if (cli_interrupted())
        return interrupt(checkpoint);
    if (shw_clock() - checkpoint->saved_at >= 60.0 * checkpoint->minutes)
        cli_checkpoint_try(checkpoint);
    return SHW_CONTINUE;
}

int cli_checkpoint_run(struct cli_checkpoint *checkpoint, enum shw_result (*step)(void *user, bool *finished),
                       void *user, bool keeps_steps)
{
    bool finished = false, stepped = false;
    int code = SHW_CONTINUE;

    while (!finished && code == SHW_CONTINUE) {
        const enum shw_result result = step(user, &finished);
        if (result == SHW_ERROR_CANCELLED && checkpoint->path != NULL)
            return interrupt(checkpoint);
        if (result != SHW_OK) {
            cli_progress_end();
            checkpoint_fail(checkpoint, result, stepped && keeps_steps);
            return shw_exit_code(result);
        }
        stepped = true;
        if (!finished)
            code = checkpoint_step(checkpoint);
    }
    cli_progress_end();
    return finished ? SHW_EXIT_SUCCESS : code;
}

int cli_checkpoint_remove(const struct cli_checkpoint *checkpoint)
{
    int code;

    if (checkpoint->path == NULL || checkpoint->elsewhere)
        return SHW_EXIT_SUCCESS;
    code = shw_exit_code(shw_output_files_look_again(checkpoint->files, checkpoint->path));
    if (code == SHW_EXIT_SUCCESS && unlink(checkpoint->path) != 0 && errno != ENOENT)
        code = cli_fail(checkpoint->report, "cannot remove %s: %s", checkpoint->path, strerror(errno));
    return code;
}

/* Opens the log; a NULL path means none. `append` keeps the existing lines, except a truncated last one. Returns
 * SHW_CONTINUE or the exit code after one message. */
static int train_log_open(struct cli_train_log *log, struct cli_report *report, const char *path, bool append)
{
    int last;

    *log = (struct cli_train_log){.path = path};
    if (path == NULL)
        return SHW_CONTINUE;
    log->stream = fopen(path, append ? "a+" : "w");
    if (log->stream == NULL)
        return cli_fail(report, "cannot write %s: %s", path, strerror(errno));
    if (append && fseek(log->stream, -1, SEEK_END) == 0) {
        last = fgetc(log->stream);
        fseek(log->stream, 0, SEEK_END);
        if (last != '\n')
            fputc('\n', log->stream);
    }
    return SHW_CONTINUE;
}

/* Closes the log. If anything could not be written, reports it and turns a *code of success into one of failure. */
static void train_log_close(struct cli_train_log *log, struct cli_report *report, int *code)
{
    if (log->stream == NULL)
        return;
    if (fclose(log->stream) != 0 && log->error == 0)
        log->error = errno;
    if (log->error != 0) {
        int failure = cli_fail(report, "cannot write all of %s: %s", log->path, strerror(log->error));
        *code = *code == SHW_EXIT_SUCCESS ? failure : *code;
    }
    log->stream = NULL;
}

/* Writes a line that begins with the event's name; takes ownership of `object`. */
static void train_log_write(struct cli_train_log *log, const char *event, json_t *object)
{
    char time_text[32];
    time_t now = time(NULL);
    struct tm parts;
    json_t *line;

    if (log->stream == NULL) {
        json_decref(object);
        return;
    }
    strftime(time_text, sizeof time_text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
    line = json_pack("{s:s, s:s}", "event", event, "time", time_text);
    json_object_update(line, object);
    if ((json_dumpf(line, log->stream, JSON_COMPACT | JSON_REAL_PRECISION(9)) != 0 || fputc('\n', log->stream) == EOF ||
         fflush(log->stream) != 0) &&
        log->error == 0)
        log->error = errno;
    json_decref(line);
    json_decref(object);
}

/* The device's name, or null if the technique has none. */
static json_t *device_name(const struct shw_device *device, enum shw_technique technique)
{
    struct shw_device_description description;

    if (device == NULL || !shw_technique_needs_device(technique))
        return json_null();
    shw_device_describe(device, &description);
    return json_string(description.name);
}

static json_t *pack_helpers(const struct cli_helpers *helpers)
{
    json_t *list = json_array();

    for (uint32_t h = 0; h < helpers->count; h++) {
        const struct shw_train_helper *helper = &helpers->list[h];
        json_array_append_new(list, json_pack("{s:s, s:o}", "technique", shw_technique_name(helper->technique),
                                              "device", device_name(helper->device, helper->technique)));
    }
    return list;
}

/* The lines. start: `parameters` holds what the provenance omits. round: without the time left unless that is
 * `known`. */
static void train_log_start(struct cli_train_log *log, const struct shw_trainer *trainer,
                            const struct shw_device *device, const struct cli_train_run *run, bool resumed,
                            json_t *parameters)
{
    const enum shw_technique technique = shw_trainer_get_technique(trainer);
    struct shw_train_progress progress;
    char version[32], *text = shw_trainer_get_record(trainer);
    json_t *record = text != NULL ? json_loads(text, 0, NULL) : NULL;

    shw_trainer_get_progress(trainer, &progress);
    log->responses = progress.responses;
    snprintf(version, sizeof version, "%d.%d.%d", SHW_VERSION_MAJOR, SHW_VERSION_MINOR, SHW_VERSION_PATCH);
    json_object_update(parameters, record);
    train_log_write(log, shw_file_training_log.name,
                    json_pack("{s:s, s:s, s:o, s:o, s:i, s:i, s:i, s:b, s:I, s:f, s:o}", "version", version,
                              "technique", shw_technique_name(technique), "device", device_name(device, technique),
                              "helpers", pack_helpers(&run->helpers), "ranks",
                              run->ranks.joined ? (int)run->ranks.ranks.count : 1, "tree", (int)progress.tree, "round",
                              (int)progress.depth, "resumed", resumed, "responses", (json_int_t)progress.responses,
                              "seconds", progress.seconds, "parameters", parameters));
    json_decref(record);
    free(text);
}

static void train_log_round(struct cli_train_log *log, const struct shw_train_progress *progress, bool known)
{
    json_t *object = json_pack(
        "{s:i, s:i, s:i, s:I, s:i, s:I, s:I, s:f, s:f, s:o, s:f, s:f}", "tree", (int)progress->tree, "round",
        (int)progress->depth, "open_nodes", (int)progress->open_nodes, "open_classes",
        (json_int_t)progress->open_classes, "splits", (int)progress->splits, "samples",
        (json_int_t)progress->round_samples, "responses", (json_int_t)progress->responses, "round_seconds",
        progress->round_seconds, "seconds", progress->seconds, "seconds_left",
        known ? json_real(progress->seconds_left) : json_null(), "fraction", progress->fraction, "responses_per_second",
        progress->round_seconds > 0 ? (double)(progress->responses - log->responses) / progress->round_seconds : 0);

    log->responses = progress->responses;
    if (progress->out_of_bag_pixels > 0)
        json_object_set_new(object, "out_of_bag",
                            json_pack("{s:I, s:I}", "pixels", (json_int_t)progress->out_of_bag_pixels, "correct",
                                      (json_int_t)progress->out_of_bag_correct));
    if (progress->pass_count > 0) {
        json_t *passes = json_object();
        for (uint32_t p = 0; p < progress->pass_count; p++)
            json_object_set_new(passes, progress->pass_names[p], json_real(1e3 * progress->pass_seconds[p]));
        json_object_set_new(object, "device_ms", passes);
    }
    train_log_write(log, "round", object);
}

struct visit {
    bool (*function)(void *user, const char *picture);
    void *user;
    bool fine;
};

static void visit_file(void *user, const char *path)
{
    struct visit *visit = user;

    visit->fine = visit->fine && visit->function(visit->user, path);
}

/* The files of a picture: it, and its other inputs. */
static bool visit_picture(const char *folder, const struct shw_project *project, uint32_t picture, struct visit *visit)
{
    char *path = shw_path_in(folder, shw_project_get_picture(project, picture).name);
    struct shw_project_files files;
    bool fine = path != NULL && shw_project_list_inputs(project, picture, &files) == SHW_OK;

    if (fine) {
        fine = shw_image_inputs_list(path, files.files, files.count, visit_file, visit, NULL) == SHW_OK && visit->fine;
        shw_project_files_free(&files);
    }
    free(path);
    return fine;
}

bool cli_project_visit_pictures(const char *path, const struct shw_project *project,
                                bool (*visit)(void *user, const char *picture), void *user)
{
    const char *slash = strrchr(path, '/');
    char *folder = strndup(path, slash != NULL ? (size_t)(slash - path) + 1 : 0);
    struct visit to = {visit, user, true};
    bool fine = folder != NULL;

    for (uint32_t p = 0; fine && p < shw_project_get_picture_count(project); p++)
        fine = visit_picture(folder, project, p, &to);
    free(folder);
    return fine;
}

static bool add_input(void *files, const char *picture)
{
    shw_output_files_read(files, picture);
    return true;
}

void cli_project_list_files(const char *path, const struct shw_project *project, struct shw_output_files *files)
{
    shw_output_files_read(files, path);
    if (!cli_project_visit_pictures(path, project, add_input, files))
        files->incomplete = true;
}

/* Whether the file is there and has another text. */
static bool has_changed(const char *file, const char *text)
{
    struct shw_file_bytes bytes = {0};
    bool changed;

    if (file == NULL || access(file, R_OK) != 0 || shw_file_bytes_read(file, 1u << 20, NULL, &bytes) != SHW_OK)
        return false;
    changed = bytes.size != strlen(text) || memcmp(bytes.bytes, text, bytes.size) != 0;
    shw_file_bytes_free(&bytes);
    return changed;
}

int cli_project_run_texts(struct cli_report *report, const struct cli_code *code, const char *path,
                          struct shw_project *project)
{
    const struct shw_log log = cli_log(report);
    enum shw_result result;

    if (shw_project_is_held_back(project) && !code->trusts)
        return shw_exit_code(shw_project_refuse_texts(project, path, &log));
    for (uint32_t i = 0; i < shw_project_get_text_count(project); i++) {
        char *file = shw_project_text_file(project, i);

        if (has_changed(file, shw_project_get_text(project, i).text))
            cli_say(report, "%s has changed since %s was saved, which has its own text of it: that is used", file,
                    path);
        free(file);
    }
    result = shw_project_run_texts(project, NULL, &log);
    return result == SHW_OK ? SHW_CONTINUE : shw_exit_code(result);
}

/* "level 1 of 2, ", or nothing if there is one. */
struct level_text {
    char text[48];
};

static struct level_text level_text(const struct cli_train_run *run)
{
    struct level_text level = {""};

    if (run->levels > 1)
        snprintf(level.text, sizeof level.text, "level %u of %u, ", run->level + 1, run->levels);
    return level;
}

static bool show_progress(void *user, const struct shw_train_progress *progress)
{
    struct cli_train_run *run = user;
    const double above = run->levels - run->level - 1; /* each taking as long as this one */
    char text[160];

    snprintf(text, sizeof text, "%stree %u of %u, round %u: %u of %u nodes split, %.1f M responses/s",
             level_text(run).text, progress->tree + 1, progress->tree_count, progress->depth + 1, progress->splits,
             progress->open_nodes, progress->seconds > 0 ? 1e-6 * (double)progress->responses / progress->seconds : 0);
    if (progress->out_of_bag_pixels > 0)
        snprintf(text + strlen(text), sizeof text - strlen(text), ", out of bag %.1f %%",
                 100 * (double)progress->out_of_bag_correct / (double)progress->out_of_bag_pixels);
    train_log_round(&run->log, progress,
                    cli_progress_left(run->report, (run->level + progress->fraction) / run->levels,
                                      progress->seconds_left + above * (progress->seconds + progress->seconds_left),
                                      text));
    return true;
}

/* The trainer's message about memory would name what is left of --memory; refuse_memory() says the same of the option.
 */
static void receive(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    struct cli_train_run *run = user;
    struct shw_log log = cli_log(run->report);

    if (item != SHW_LOG_TRAIN_MEMORY || !run->memory.of_process)
        log.function(log.user, level, item, text);
    else
        run->too_little = true;
}

static void refuse_memory(const struct cli_train_run *run, const struct shw_trainer *trainer)
{
    uint64_t needed = shw_cpu_memory_least(trainer);
    uint64_t least = shw_train_memory_least(needed, run->occupied, run->memory.cache > 0);

    cli_fail(
        run->report,
        "training with cpu needs at least --memory %lluM here: %llu MiB for the samples of a tree, for one image at a "
        "time and for a round, the rest for the program itself; allow more, use fewer --threads%s",
        (unsigned long long)least, (unsigned long long)(needed >> 20) + 1,
        run->memory.cache > 0 ? ", or draw fewer pixels per image (--pixels)" : "");
}

/* Reads the training set, and the checkpoint if there is one. */
static enum shw_result begin(struct cli_train_run *run, bool resumed)
{
    struct shw_train_progress progress;

    if (!resumed)
        return shw_trainer_prepare(run->trainer);
    SHW_PROPAGATE(shw_trainer_load(run->trainer, run->checkpoint.path));
    shw_trainer_get_progress(run->trainer, &progress);
    if (progress.tree < progress.tree_count)
        cli_say(run->report, "resuming %s at %stree %u of %u, round %u", run->checkpoint.path, level_text(run).text,
                progress.tree + 1, progress.tree_count, progress.depth + 1);
    else
        cli_say(run->report, "resuming %s, which is complete with %s", run->checkpoint.path,
                shw_counted(progress.tree_count, "tree", "trees").text);
    return SHW_OK;
}

static enum shw_result save(void *user, const char *path)
{
    struct cli_train_run *run = user;
    double start = shw_clock();

    SHW_PROPAGATE(shw_trainer_save(run->trainer, path));
    train_log_write(&run->log, "checkpoint",
                    json_pack("{s:o, s:f}", "file", shw_json_text(path), "save_seconds", shw_clock() - start));
    return SHW_OK;
}

void cli_train_run_begin(struct cli_train_run *run, struct cli_report *report, struct shw_output_files *files)
{
    run->report = run->checkpoint.report = report;
    run->files = run->checkpoint.files = files;
    run->checkpoint.save = save;
}

static enum shw_result step_trainer(void *user, bool *finished)
{
    struct cli_train_run *run = user;

    return shw_trainer_step(run->trainer, finished);
}

/* Opens the device if the technique needs it, and chooses the technique if it is automatic. `wanted`: there must be
 * such a device. */
static int choose(struct cli_train_run *run, uint32_t device, bool wanted, struct shw_trainer_params *params)
{
    bool needed = shw_technique_needs_device(params->technique), automatic = params->technique == SHW_TECHNIQUE_AUTO;
    const struct shw_train_backend *backend;
    struct shw_trainer_params chosen;
    enum shw_result result;
    int code = SHW_CONTINUE;

    if (needed || automatic)
        code = cli_create_device(run->report, device, needed || wanted, &params->device);
    if (code != SHW_CONTINUE)
        return code;
    if (automatic)
        params->calibration = cli_recall_calibration(run->report, params->device, &run->calibration);
    chosen = *params;
    chosen.log = cli_log(run->report);
    result = shw_train_backend_choose(&chosen, &backend);
    if (result != SHW_OK)
        return shw_exit_code(result);
    params->technique = chosen.technique;
    return SHW_CONTINUE;
}

int cli_train_run_choose(struct cli_train_run *run, uint32_t device, uint64_t memory, bool has_cache,
                         struct shw_trainer_params *params)
{
    const int code = choose(run, device, false, params);

    if (code == SHW_CONTINUE)
        run->memory = shw_train_memory_divide(memory, params->technique, has_cache);
    return code;
}

/* One of several devices, which computes even if `auto` alone would leave that to the processors. */
static int choose_one(struct cli_train_run *run, uint32_t device, struct shw_trainer_params *params)
{
    int code;

    if (device == CLI_HOST) {
        params->technique = SHW_TECHNIQUE_CPU;
        return SHW_CONTINUE;
    }
    code = choose(run, device, true, params);
    if (code == SHW_CONTINUE && shw_technique_is_host(params->technique))
        params->technique = SHW_TECHNIQUE_COMPUTE;
    params->calibration = NULL;
    return code;
}

static void add_helper(struct cli_helpers *helpers, uint32_t device, uint64_t memory,
                       const struct shw_trainer_params *params)
{
    char *name = helpers->names[helpers->count];

    snprintf(name, sizeof helpers->names[0], "device %u", device);
    helpers->list[helpers->count++] = (struct shw_train_helper){.device = params->device,
                                                                .technique = params->technique,
                                                                .memory = memory,
                                                                .threads = params->threads,
                                                                .name = name};
}

int cli_train_run_choose_all(struct cli_train_run *run, const struct cli_device_list *devices, uint64_t memory,
                             bool has_cache, struct shw_trainer_params *params)
{
    const enum shw_technique technique = params->technique;
    uint32_t leader = 0; /* the processors, if they are there: what is said about their memory is the program's */
    int code = SHW_CONTINUE;

    if (devices->count == 1 && devices->numbers[0] != CLI_HOST)
        return cli_train_run_choose(run, devices->numbers[0], memory, has_cache, params);
    for (uint32_t i = 0; i < devices->count; i++)
        leader = devices->numbers[i] == CLI_HOST ? i : leader;
    for (uint32_t i = 0; i < devices->count && code == SHW_CONTINUE; i++) {
        struct shw_trainer_params one = *params;

        one.technique = technique;
        one.device = NULL;
        code = choose_one(run, devices->numbers[i], &one);
        if (i == leader) {
            params->device = one.device;
            params->technique = one.technique;
        } else {
            add_helper(&run->helpers, devices->numbers[i], memory, &one);
        }
    }
    run->memory = shw_train_memory_divide(memory, params->technique, has_cache);
    return code;
}

int cli_train_run_save(const struct cli_train_run *run, const struct shw_forest *forest, const char *path)
{
    void *bytes = NULL;
    size_t size;
    enum shw_result result = shw_forest_save_memory(forest, &bytes, &size);

    result = result == SHW_OK ? shw_output_files_save(run->files, path, run->checkpoint.path, bytes, size)
                              : shw_fail_memory(&run->files->log, path);
    free(bytes);
    return shw_exit_code(result);
}

static void interrupt_trainer(void *trainer)
{
    shw_trainer_interrupt(trainer);
}

/* Trains the level above `below`, or the lowest. */
static int train_level(struct cli_train_run *run, const struct shw_trainer_params *all,
                       const struct shw_dataset *dataset, const struct shw_forest *below, bool resumed,
                       struct shw_forest **forest)
{
    struct shw_trainer_params params = shw_level_params(all, below);
    enum shw_result result;
    int code;

    run->level = below != NULL ? shw_forest_get_info(below)->levels : 0;
    run->levels = all->levels > 1 ? all->levels : 1;
    run->occupied = shw_process_memory();
    params.memory = shw_train_memory_left(&run->memory, run->occupied);
    params.helpers = run->helpers.count > 0 ? run->helpers.list : NULL;
    params.helper_count = run->helpers.count;
    result = shw_trainer_create(&params, dataset, &run->trainer);
    if (result == SHW_OK)
        result = begin(run, resumed);
    if (run->too_little)
        refuse_memory(run, run->trainer);
    code = shw_exit_code(result);
    if (code == SHW_EXIT_SUCCESS && run->log.stream == NULL) { /* a training that is refused leaves the log as it was */
        code = train_log_open(&run->log, run->report, run->log_path, run->checkpoint.resume);
        code = code == SHW_CONTINUE ? SHW_EXIT_SUCCESS : code;
    }
    if (code == SHW_EXIT_SUCCESS) {
        train_log_start(&run->log, run->trainer, params.device, run, resumed, json_incref(run->parameters));
        cli_checkpoint_begin(&run->checkpoint, run);
        if (run->checkpoint.path != NULL && run->level > 0 && !resumed)
            cli_checkpoint_try(&run->checkpoint); /* with the level below */
    }
    if (code == SHW_EXIT_SUCCESS) {
        cli_ranks_watch(&run->ranks, interrupt_trainer, run->trainer);
        code = cli_checkpoint_run(&run->checkpoint, step_trainer, run, true);
        cli_ranks_unwatch(&run->ranks);
    }
    if (code == SHW_EXIT_SUCCESS)
        code = shw_exit_code(shw_trainer_get_forest(run->trainer, forest));
    shw_trainer_destroy(&run->trainer);
    return code;
}

/* The level below that of a checkpoint; NULL: there is none, or the checkpoint is unusable, which training reports. */
static struct shw_forest *resume_below(const char *path, const struct shw_trainer_params *params)
{
    const struct shw_forest_load_params load = {
        .features = &params->feature, .feature_count = params->feature != NULL, .kinds = params->kinds};
    struct shw_forest *checkpoint = NULL, *below;

    if (shw_forest_load(path, &load, &checkpoint) != SHW_OK)
        return NULL;
    below = shw_forest_hold(shw_forest_get_info(checkpoint)->below);
    shw_forest_destroy(&checkpoint);
    return below;
}

int cli_train_run(struct cli_train_run *run, struct shw_trainer_params *params, const struct shw_dataset *dataset,
                  struct shw_forest **forest)
{
    struct shw_forest *below = NULL;
    bool resumed, done = false;
    int code;

    if (run->log_path != NULL && shw_output_files_settle(run->files, run->log_path, &run->log_path) != SHW_OK)
        return SHW_EXIT_FAILURE;
    params->log = cli_log(run->report);
    params->log.function = receive;
    params->log.user = run;
    params->progress = show_progress;
    params->progress_user = run;
    code = shw_exit_code(shw_levels_check(params, dataset));
    resumed = code == SHW_EXIT_SUCCESS && cli_checkpoint_is_there(&run->checkpoint);
    if (resumed && params->levels > 1)
        below = resume_below(run->checkpoint.path, params);
    while (code == SHW_EXIT_SUCCESS && !done) {
        struct shw_forest *trained = NULL;
        code = train_level(run, params, dataset, below, resumed, &trained);
        done = run->level + 1 >= run->levels;
        resumed = false;
        shw_forest_destroy(&below);
        below = trained;
    }
    if (code == SHW_EXIT_SUCCESS)
        *forest = below;
    else
        shw_forest_destroy(&below);
    return code;
}

void cli_train_run_end(struct cli_train_run *run, int *code, json_t *result)
{
    json_t *end = json_pack("{s:s}", "result",
                            *code == SHW_EXIT_SUCCESS       ? "finished"
                            : *code == SHW_EXIT_INTERRUPTED ? "interrupted"
                                                            : "failed");

    json_object_update(end, result);
    if (run->ranks.joined)
        json_object_set_new(end, "rank_bytes", json_integer((json_int_t)run->ranks.ranks.bytes));
    train_log_write(&run->log, "end", end);
    train_log_close(&run->log, run->report, code);
    json_decref(run->parameters);
    if (*code == SHW_EXIT_SUCCESS)
        *code = cli_checkpoint_remove(&run->checkpoint);
}
