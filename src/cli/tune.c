#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/label.h>
#include <shadewood/train.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/integers.h"
#include "base/json_text.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/text.h"
#include "cli/tune.h"
#include "dense/channels/channels.h"
#include "dense/input/inputs.h"
#include "dense/split/traits.h"
#include "files/project/held_out.h"
#include "files/tune/look.h"
#include "files/tune/preset.h"
#include "files/tune/setting.h"
#include "files/tune/tune_report.h"

#define TREES     3u /* as in Table 5.1 */
#define FOLDS     5u
#define TRIALS    40u
#define NO_SMOOTH UINT32_MAX

static const uint32_t usual_radii[] = {0, 8, 16, 24, 48};

static const char *const techniques[] = {"auto", "cpu", "blend", "compute", NULL};
static const enum shw_technique training_techniques[] = {SHW_TECHNIQUE_AUTO, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_BLEND,
                                                         SHW_TECHNIQUE_COMPUTE};
static const char *const searches[] = {"tpe", "random", NULL};

static bool go_on(void *user)
{
    const struct cli_tuning *command = user;

    return !cli_interrupted() && (command->budget == 0 || shw_clock() - command->begun < command->budget);
}

static bool go_on_training(void *user, const struct shw_train_progress *progress)
{
    (void)progress;
    return go_on(user);
}

/* Messages, without those of a training that is ended because the search is. */
static void receive(void *user, enum shw_log_level level, enum shw_log_item item, const char *message)
{
    struct cli_tuning *command = user;
    const struct shw_log log = cli_log(&command->report);

    if (level != SHW_LOG_ERROR || go_on(command))
        log.function(log.user, level, item, message);
}

static struct shw_log log_of(struct cli_tuning *command)
{
    struct shw_log log = cli_log(&command->report);

    log.function = receive;
    log.user = command;
    return log;
}

/* The other devices help; there must be a candidate for each. */
static void take_helpers(const struct cli_tuning *command, struct shw_trainer_params *params)
{
    const struct cli_helpers *helpers = &command->run.helpers;

    params->helpers = helpers->list;
    params->helper_count =
        params->candidates == 0 ? helpers->count : shw_min_u32(helpers->count, params->candidates - 1);
}

/* The parameters of a training with a setting. */
static enum shw_result set_params(struct cli_tuning *command, const json_t *setting, bool is_screening,
                                  struct shw_trainer_params *params)
{
    const struct shw_log log = log_of(command);
    char why[SHW_SETTING_WHY_SIZE];

    if (!shw_setting_apply(setting, params, why))
        return shw_fail(&log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER, "%s", why);
    params->tree_count = is_screening ? 1 : command->trees;
    params->seed = command->seed;
    params->progress = go_on_training;
    params->progress_user = command;
    params->log = log;
    return SHW_OK;
}

/* The matrices of all radii. */
static enum shw_result make_accuracies(const struct cli_tuning *command, uint32_t count, const struct shw_log *log,
                                       struct shw_accuracy *accuracies)
{
    for (uint32_t r = 0; r < count; r++)
        SHW_PROPAGATE(shw_accuracy_create(&accuracies[r], command->class_count, log));
    return SHW_OK;
}

static enum shw_result measure_images(struct cli_tuning *command, const json_t *setting, uint32_t fold,
                                      bool is_screening, struct shw_accuracy *accuracies)
{
    struct shw_fold_measure measure = {.training = command->params,
                                       .labelling = {.device = command->params.device,
                                                     .threads = command->params.threads,
                                                     .calibration = command->params.calibration,
                                                     .log = log_of(command)},
                                       .pool = command->pool,
                                       .radii = command->radii,
                                       .radius_count = is_screening ? 1 : command->radius_count,
                                       .go_on = go_on,
                                       .user = command};

    if (command->params.technique == SHW_TECHNIQUE_CPU)
        measure.labelling.channels = measure.labelling.integrate = measure.labelling.evaluate = SHW_TECHNIQUE_CPU;
    SHW_PROPAGATE(set_params(command, setting, is_screening, &measure.training));
    take_helpers(command, &measure.training);
    return shw_fold_measure(&command->dealt, fold, &measure, accuracies);
}

/* The matrix of the first radius, which is the only one. */
static enum shw_result measure_strokes(struct cli_tuning *command, const json_t *setting, uint32_t fold,
                                       bool is_screening, struct shw_accuracy *accuracies)
{
    struct shw_trainer_params params = shw_training_set_params(command->strokes.set);
    const struct shw_held_out_params measure = {.memory = command->params.memory,
                                                .threads = command->params.threads,
                                                .go_on = go_on,
                                                .user = command,
                                                .training = &params,
                                                .fold = fold + 1};
    struct shw_training_tiles *tiles = NULL;
    struct shw_held_out held_out = {0};
    enum shw_result result;

    SHW_TRY(set_params(command, setting, is_screening, &params));
    SHW_TRY(
        shw_training_tiles_make(command->strokes.set, shw_trainer_params_get_reach(&params), go_on, command, &tiles));
    SHW_TRY(shw_held_out_measure(tiles, &measure, &held_out));
    shw_accuracy_merge(accuracies, &held_out.matrix);

fail:
    shw_held_out_free(&held_out);
    shw_training_tiles_release(&tiles);
    return result;
}

static enum shw_result measure(void *user, const json_t *setting, uint32_t fold, bool is_screening, json_t **figures)
{
    struct cli_tuning *command = user;
    const struct shw_log log = log_of(command);
    const uint32_t count = is_screening ? 1 : command->radius_count; /* smoothing takes longer than a tree */
    struct shw_accuracy accuracies[SHW_TUNE_RADII_MAX] = {{0}};
    enum shw_result result = make_accuracies(command, count, &log, accuracies);

    command->report.failed = false; /* each trial has a message of its own */
    if (result == SHW_OK)
        result = (command->project != NULL ? measure_strokes : measure_images)(command, setting, fold, is_screening,
                                                                               accuracies);
    if (result == SHW_OK) {
        *figures = shw_figures_pack(accuracies, command->radii, count);
        result = *figures != NULL ? SHW_OK : shw_fail_memory(&log, "the figures of a trial");
    }
    for (uint32_t r = 0; r < count; r++)
        shw_accuracy_destroy(&accuracies[r]);
    return result;
}

/* A line for each trial that has ended, and progress. */
static void tell_trial(void *user, uint32_t number)
{
    struct cli_tuning *command = user;
    const uint32_t best = shw_trials_best(&command->journal, (enum shw_tune_objective)command->objective);
    const double share = command->budget > 0 ? (shw_clock() - command->begun) / command->budget : 0;
    const double done = command->trials != UINT32_MAX ? (double)number / command->trials : 0;
    struct shw_trial_state state, best_state;
    char text[160], so_far[48] = "";

    shw_trial_read(&command->journal, number, (enum shw_tune_objective)command->objective, &state);
    if (best != UINT32_MAX) {
        shw_trial_read(&command->journal, best, (enum shw_tune_objective)command->objective, &best_state);
        snprintf(so_far, sizeof so_far, ", best %.4f (trial %u)", best_state.loss, best);
    }
    if (state.end != NULL) {
        cli_progress_end();
        cli_say(&command->report, "trial %u (%s): %.4f, %s after %s%s", number, state.from, state.loss, state.end,
                state.folds > 0 ? shw_counted(state.folds, "fold", "folds").text : "the first tree", so_far);
        return;
    }
    snprintf(text, sizeof text, "trial %u: %u of %u folds%s", number, state.folds, command->folds, so_far);
    cli_progress(&command->report, done > share ? done : share, text);
}

/* Options for images may not be given with a project. */
static int check_project(const struct cli_tuning *command)
{
    const struct cli_data *data = &command->data;
    const struct {
        bool given;
        const char *name;
    } options[] = {
        {cli_data_is_given(data), "the images and labels"},
        {command->folds != 0 || command->fold_kind != 0 || command->sample != 0, "the folds, which are of strokes"},
        {command->smooth != NO_SMOOTH, "what is labelled, which is strokes, without --smooth"},
    };

    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].given)
            return shw_usage_error(&cli_tune, "the project '%s' defines %s; omit the options for it", command->project,
                                   options[i].name);
    return SHW_CONTINUE;
}

/* The journal is beside the output, and the name is the output's, unless they are given. */
static int complete_names(struct cli_tuning *command)
{
    const char *slash = strrchr(command->output, '/'), *base = slash != NULL ? slash + 1 : command->output;
    const char *dot = strrchr(base, '.');
    const size_t length = strlen(command->output);

    command->usual_journal = malloc(length + sizeof ".journal");
    command->usual_name = strndup(base, dot != NULL && dot != base ? (size_t)(dot - base) : strlen(base));
    if (command->usual_journal == NULL || command->usual_name == NULL)
        return cli_fail(&command->report, "not enough memory for the names of files");
    snprintf(command->usual_journal, length + sizeof ".journal", "%s.journal", command->output);
    command->journal_path = command->journal_path != NULL ? command->journal_path : command->usual_journal;
    command->name = command->name != NULL ? command->name : command->usual_name;
    return SHW_CONTINUE;
}

static void list_files(struct cli_tuning *command)
{
    struct shw_output_files *files = &command->files;

    shw_output_files_read(files, command->project);
    shw_output_files_read(files, command->data.palette);
    shw_output_files_write(files, command->output, &shw_file_preset);
    shw_output_files_write(files, command->page, &shw_file_tuning_report);
    shw_output_files_write_apart(files, command->journal_path, &shw_file_tuning_journal);
}

static int change_space(struct cli_tuning *command)
{
    char why[512];

    for (uint32_t i = 0; i < command->changes.count; i++)
        if (!shw_space_change(&command->space, command->changes.items[i], why, sizeof why))
            return shw_usage_error(&cli_tune, "--space %s: %s", command->changes.items[i], why);
    return SHW_CONTINUE;
}

/* Calls `visit` with each list of channels that --space names. */
static void visit_lists(const struct cli_tuning *command,
                        void (*visit)(void *user, const struct shw_channel_list *list), void *user)
{
    for (uint32_t i = 0; i < command->changes.count; i++) {
        const char *lists = command->changes.items[i];

        if (strncmp(lists, "channels=", 9) != 0)
            continue;
        for (const char *at = lists + 9; *at != '\0'; at += *at == '|') {
            struct shw_channel_list channels;
            char text[SHW_SPACE_TEXT_SIZE], why[SHW_CHANNEL_WHY_SIZE];
            const size_t length = strcspn(at, "|");

            snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text - 1), at);
            if (shw_channel_list_read(text, &command->space.kinds, &channels, why))
                visit(user, &channels);
            at += length;
        }
    }
}

struct wanted_input {
    const char *name;
    bool is_read;
};

static void look_for_input(void *user, const struct shw_channel_list *list)
{
    struct wanted_input *wanted = user;

    wanted->is_read = wanted->is_read || shw_channels_read(list, wanted->name);
}

static bool space_reads(const struct cli_tuning *command, const char *input)
{
    struct wanted_input wanted = {input, false};

    visit_lists(command, look_for_input, &wanted);
    return wanted.is_read;
}

static void need_planes(void *user, const struct shw_channel_list *list)
{
    cli_need_planes(user, list);
}

/* Inputs that no list of channels reads are refused. */
static int check_inputs(struct cli_tuning *command)
{
    const struct shw_space_dimension *dimension = &command->space.dimensions[0];
    const uint32_t count = dimension->range.choices;
    struct shw_channel_list *lists = calloc(count, sizeof *lists);
    const struct shw_channel_list *pointers[SHW_SPACE_CHOICES_MAX];
    char why[SHW_CHANNEL_WHY_SIZE];
    int code;

    if (lists == NULL)
        return cli_fail(&command->report, "not enough memory for the lists of channels");
    for (uint32_t c = 0; c < count; c++) {
        pointers[c] = &lists[c];
        (void)shw_channel_list_read(dimension->choices[c], &command->space.kinds, &lists[c], why);
    }
    code =
        cli_check_data_inputs(&cli_tune, &command->report, &command->data, pointers, count, "any of the channels", "");
    free(lists);
    return code;
}

/* Adds a setting with which the search begins. */
static int begin_with(struct cli_tuning *command, const char *from, const json_t *setting)
{
    json_t *nearest = shw_space_nearest(&command->space, setting);

    json_object_del(nearest, "trees"); /* those of trials are --trees, and trials have one level */
    json_object_del(nearest, "levels");
    json_object_del(nearest, "folds");
    json_object_del(nearest, SHW_SETTING_SMOOTH);
    if (nearest == NULL ||
        json_array_append_new(command->beginnings, json_pack("{s:s, s:o}", "from", from, "setting", nearest)) != 0)
        return cli_fail(&command->report, "not enough memory for the settings");
    return SHW_CONTINUE;
}

static enum shw_result load_preset(struct cli_tuning *command, const char *name, const struct shw_data_look *look,
                                   struct shw_preset *preset)
{
    const struct shw_log log = cli_log(&command->report);

    SHW_PROPAGATE(shw_preset_load(name, &log, preset));
    return look != NULL && shw_preset_fit(preset, look, 1) != SHW_OK ? shw_fail_memory(&log, "a preset") : SHW_OK;
}

/* With the preset for such data, adapted to them if they are images. */
static int begin_with_preset(struct cli_tuning *command, const char *name, const struct shw_data_look *look)
{
    struct shw_preset preset = {.document = NULL};
    char from[64];
    int code = shw_exit_code(load_preset(command, name, look, &preset));

    snprintf(from, sizeof from, "preset %s", name);
    if (code == SHW_EXIT_SUCCESS) {
        shw_space_widen(&command->space, preset.setting);
        code = begin_with(command, from, preset.setting);
    }
    shw_preset_free(&preset);
    return code;
}

/* Identifies the data, so that a journal is not continued with others. */
static uint64_t digest_names(const struct shw_dataset *dataset)
{
    uint64_t digest = dataset->count;

    for (uint32_t i = 0; i < dataset->count; i++) {
        const char *name = shw_dataset_name(dataset, i);
        digest = XXH3_64bits_withSeed(name, strlen(name), digest);
    }
    return digest;
}

static int make_header(struct cli_tuning *command, uint64_t digest)
{
    json_t *radii = json_array();
    char text[20];

    for (uint32_t r = 0; r < command->radius_count; r++)
        json_array_append_new(radii, json_integer(command->radii[r]));
    snprintf(text, sizeof text, "%016llx", (unsigned long long)digest);
    command->header =
        json_pack("{s:i, s:s, s:i, s:s, s:i, s:i, s:I, s:i, s:s, s:b, s:o}", "version", 1, "objective",
                  shw_tune_objectives[command->objective], "folds", (int)command->folds, "fold_by",
                  shw_fold_kinds[command->fold_kind], "trees", (int)command->trees, "sample", (int)command->sample,
                  "seed", (json_int_t)command->seed, "classes", (int)command->class_count, "data", text, "no_stopping",
                  command->whole, "smooth", radii);
    return command->header != NULL ? SHW_CONTINUE : cli_fail(&command->report, "not enough memory for the journal");
}

static const char *name_of(void *user, uint32_t index)
{
    return shw_dataset_name(user, index);
}

/* With the defaults, and with the preset that the data look like; then with the others for such inputs, which data that
 * are taken for another kind may need. */
static int begin_with_images(struct cli_tuning *command, const struct shw_data_look *look)
{
    char why[SHW_LOOK_WHY_SIZE];
    const char *chosen = shw_preset_choose(look, why), *other;
    json_t *defaults = json_object();
    int code = begin_with(command, "defaults", defaults);

    json_decref(defaults);
    if (code == SHW_CONTINUE)
        code = begin_with_preset(command, chosen, look);
    for (uint32_t i = 0; code == SHW_CONTINUE && (other = shw_preset_name(i)) != NULL; i++)
        if (strcmp(other, chosen) != 0 && strcmp(other, "strokes") != 0 &&
            (look->has_depth || strcmp(other, "rgbd-rooms") != 0))
            code = begin_with_preset(command, other, look);
    return code;
}

static int open_images(struct cli_tuning *command)
{
    const struct shw_log log = cli_log(&command->report);
    struct shw_data_look look = {0};
    int code;

    command->data.with_previous = space_reads(command, SHW_PREVIOUS);
    command->data.with_height = space_reads(command, SHW_HEIGHT);
    visit_lists(command, need_planes, &command->data);
    shw_space_make(false, true, true, &command->space); /* the largest one, until the data are known */
    code = change_space(command);
    if (code == SHW_CONTINUE)
        code = check_inputs(command);
    if (code == SHW_CONTINUE)
        code = cli_open_data(&cli_tune, &command->report, &command->data, &command->dataset);
    if (code == SHW_CONTINUE)
        cli_read_data(&command->data, &command->dataset, &command->files);
    if (code == SHW_CONTINUE &&
        (shw_data_look_at(&command->dataset, &look) != SHW_OK ||
         shw_folds_make(&command->dataset, name_of, &command->dataset, (enum shw_fold_kind)command->fold_kind,
                        command->folds, command->sample, command->seed, &log, &command->dealt) != SHW_OK ||
         shw_thread_pool_create(command->params.threads, &command->pool) != SHW_OK))
        code = SHW_EXIT_FAILURE;
    command->classes = command->dataset.classes;
    command->class_count = command->dataset.class_count;
    shw_space_make(false, look.has_depth, look.has_height, &command->space);
    if (code == SHW_CONTINUE)
        code = change_space(command);
    if (code == SHW_CONTINUE)
        code = begin_with_images(command, &look);
    if (code == SHW_CONTINUE)
        code = make_header(command, digest_names(&command->dataset));
    return code;
}

/* The project's own channels are among the choices, and its settings are the first. */
static int open_strokes(struct cli_tuning *command)
{
    struct shw_log log = cli_log(&command->report);
    struct shw_project *project = NULL;
    struct shw_trainer_params taught = shw_project_params();
    json_t *defaults = NULL;
    char channels[SHW_SPACE_TEXT_SIZE + 16];
    enum shw_result result = shw_project_read(command->project, &log, &project);
    int code = shw_exit_code(result);

    if (code == SHW_EXIT_SUCCESS) {
        struct shw_project_training training = shw_project_get_training(project);
        training.levels = 0; /* trials have one */
        shw_project_set_training(project, &training);
        cli_project_list_files(command->project, project, &command->files);
        code = cli_project_run_texts(&command->report, &command->code, command->project, project);
    }
    if (code == SHW_CONTINUE) {
        result = shw_project_data_make(project, &log, &taught, &command->strokes);
        code = result == SHW_OK ? SHW_CONTINUE : shw_exit_code(result);
    }
    shw_project_destroy(&project);
    if (code != SHW_CONTINUE)
        return code;
    if (!shw_held_out_is_possible(command->strokes.set))
        return cli_fail(
            &command->report,
            "%s has one stroke of each class, so that nothing can be held out to measure settings on: paint "
            "a second stroke of a class, best in another picture, or keep a picture for testing",
            command->project);
    command->strokes.set->log = log_of(command);
    command->folds = command->strokes.set->kept_count > 0 ? 1 : SHW_FOLDS;
    command->classes = command->strokes.set->classes;
    command->class_count = command->strokes.set->class_count;
    shw_space_make(true, false, false, &command->space);
    command->space.kinds = taught.kinds;
    command->space.feature = taught.feature;
    snprintf(channels, sizeof channels, "channels=winn16|winn17|wide|lab|rgb|%s", taught.channels);
    if (strlen(channels) < SHW_SPACE_TEXT_SIZE)
        (void)shw_space_change(&command->space, channels, channels, sizeof channels);
    code = change_space(command);
    defaults = json_pack("{s:s, s:i, s:i, s:i, s:i, s:s, s:i}", "channels", taught.channels, "depth", (int)taught.depth,
                         "candidates", (int)taught.candidates, "offset", (int)taught.offset_max, "single",
                         (int)taught.single_percent, "thresholds", shw_threshold_names[taught.thresholds], "bins",
                         (int)taught.bins);
    if (code == SHW_CONTINUE)
        code = begin_with(command, "defaults", defaults);
    if (code == SHW_CONTINUE)
        code = begin_with_preset(command, "strokes", NULL);
    if (code == SHW_CONTINUE)
        code = make_header(command, command->strokes.set->stroke_count);
    json_decref(defaults);
    return code;
}

static void choose_radii(struct cli_tuning *command)
{
    command->radius_count = 1;
    command->radii[0] = command->smooth != NO_SMOOTH ? command->smooth : 0;
    if (command->smooth != NO_SMOOTH || command->project != NULL)
        return;
    command->radius_count = sizeof usual_radii / sizeof *usual_radii;
    memcpy(command->radii, usual_radii, sizeof usual_radii);
}

/* Waits until all ranks have ended their trials, unless the search was interrupted. */
static enum shw_result await_ranks(struct cli_tuning *command)
{
    struct shw_ranks *ranks = &command->ranks.ranks;
    const uint32_t ended = 1;
    uint32_t *all;
    enum shw_result result;

    if (!command->ranks.joined)
        return SHW_OK;
    all = malloc(ranks->count * sizeof *all);
    if (all == NULL)
        return shw_fail_memory(&ranks->log, "the ranks");
    result = shw_ranks_gather(ranks, &ended, 1, all);
    free(all);
    return result == SHW_ERROR_CANCELLED ? SHW_OK : result;
}

static int search(struct cli_tuning *command)
{
    const struct shw_log log = cli_log(&command->report);
    struct shw_tuner tuner = {.journal = &command->journal,
                              .space = &command->space,
                              .objective = (enum shw_tune_objective)command->objective,
                              .folds = command->folds,
                              .limit = command->trials,
                              .seed = command->seed,
                              .seconds_max = 0.1 * command->budget,
                              .draws = command->search == 1,
                              .whole = command->whole,
                              .beginnings = command->beginnings,
                              .measure = measure,
                              .go_on = go_on,
                              .tell = tell_trial,
                              .user = command};
    enum shw_result result = shw_journal_open(command->journal_path, command->header, &log, &command->journal);

    if (result != SHW_OK)
        return shw_exit_code(result);
    cli_hold_signals(true);
    command->begun = shw_clock();
    result = shw_tuner_run(&tuner);
    if (result != SHW_OK) {
        cli_progress_end();
        return shw_exit_code(result);
    }
    result = await_ranks(command);
    if (result == SHW_OK)
        result = shw_journal_read(&command->journal);
    if (result != SHW_OK)
        return shw_exit_code(result);
    if (!cli_ranks_write(&command->ranks))
        return cli_interrupted() ? SHW_EXIT_INTERRUPTED : SHW_EXIT_SUCCESS;
    return cli_tuning_finish(command);
}

/* Joins the other ranks, of which each has one of the devices and makes trials of its own. */
static int take_ranks(struct cli_tuning *command)
{
    struct cli_ranks *ranks = &command->ranks;
    const int code = cli_ranks_begin(&cli_tune, &command->report, ranks);

    if (code != SHW_CONTINUE || !ranks->joined)
        return code;
    cli_take_turn(&command->devices, ranks->ranks.place);
    if (command->params.threads == 0)
        command->params.threads = ranks->ranks.processors;
    return SHW_CONTINUE;
}

static int tune(struct cli_tuning *command)
{
    int code;

    command->params.technique = training_techniques[command->technique];
    cli_train_run_begin(&command->run, &command->report, &command->files);
    code = cli_take_device_list(&cli_tune, command->params.technique, 0, &command->devices);
    if (code == SHW_CONTINUE)
        code = take_ranks(command);
    if (code == SHW_CONTINUE)
        code = complete_names(command);
    if (code == SHW_CONTINUE)
        code = cli_train_run_choose_all(&command->run, &command->devices, command->memory, command->project == NULL,
                                        &command->params);
    command->data.cache = command->run.memory.cache;
    choose_radii(command);
    if (code == SHW_CONTINUE)
        code = command->project != NULL ? open_strokes(command) : open_images(command);
    if (code == SHW_CONTINUE) {
        if (cli_ranks_write(&command->ranks))
            list_files(command);
        code = cli_check_outputs(&command->report, &command->files);
    }
    command->params.memory = shw_train_memory_left(&command->run.memory, shw_process_memory());
    return code == SHW_CONTINUE ? search(command) : code;
}

static void release(struct cli_tuning *command)
{
    shw_journal_close(&command->journal);
    json_decref(command->header);
    json_decref(command->beginnings);
    shw_folds_free(&command->dealt);
    shw_thread_pool_destroy(&command->pool);
    shw_project_data_free(&command->strokes);
    shw_dataset_close(&command->dataset);
    cli_helpers_free(&command->run.helpers);
    shw_device_destroy(&command->params.device);
    shw_output_files_free(&command->files);
    free(command->usual_journal);
    free(command->usual_name);
}

#define NUMBER(option_name, target, first, last, text)                                                                 \
    SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, option_name, 0, "N", &(target), first, last, text)
#define CHOICE(option_name, target, list, text) SHW_OPTION_CHOICE(option_name, 0, "NAME", &(target), list, text)

static int run(int argc, char **argv)
{
    struct cli_tuning command = {.trees = TREES, .smooth = NO_SMOOTH, .journal = {.descriptor = -1}};
    const struct shw_option options[] = {
        SHW_OPTION(SHW_VALUE_TEXT, "output", 'o', "FILE", &command.output,
                   "the preset to write (.json), for 'shadewood train --preset'"),
        CLI_OVERWRITE_RESULT_OPTION(command.files, "preset or the\nreport"),
        CLI_DATA_OPTIONS(command.data),
        SHW_OPTION(SHW_VALUE_SECONDS, "budget", 0, "TIME", &command.budget,
                   "end after this time, such as 90s, 10m or 2h (no limit)"),
        NUMBER("trials", command.trials, 1, 1u << 20,
               "end when the journal has N trials (40; with --budget: no\nlimit)"),
        SHW_OPTION(SHW_VALUE_TEXT, "journal", 0, "FILE", &command.journal_path,
                   "the journal of all trials; if there is one, the search goes\non with it, and any number of "
                   "processes may share it\n(OUTPUT.journal)"),
        SHW_OPTION(SHW_VALUE_TEXT, "report", 0, "FILE", &command.page, "also write the report as a page (.html)"),
        SHW_OPTION(SHW_VALUE_TEXT, "name", 0, "TEXT", &command.name,
                   "the name of the preset, for provenance (that of the file)"),
        CHOICE("objective", command.objective, shw_tune_objectives,
               "what is to be good: mean (of class accuracy and IoU),\npixel, class or iou (mean)"),
        SHW_OPTION(SHW_VALUE_LIST, "space", 0, "CHANGE", &command.changes,
                   "search other values of a setting: depth=8:20, depth=14,\n'channels=wide|lab'; may be repeated"),
        CHOICE("search", command.search, searches, "how settings are proposed: tpe or random (tpe)"),
        NUMBER("folds", command.folds, 2, SHW_TUNE_FOLDS_MAX, "folds of the cross-validation (5)"),
        CHOICE("fold-by", command.fold_kind, shw_fold_kinds,
               "what is dealt to folds: images, folders, runs of\nneighbouring frames, or auto: folders if there are "
               "enough,\notherwise images (auto)"),
        NUMBER("sample", command.sample, 1, 1u << 30, "use only N images, drawn at random (all)"),
        NUMBER("trees", command.trees, 1, SHW_TREES_MAX, "trees of the forests that are measured (3)"),
        NUMBER("smooth", command.smooth, 0, SHW_SMOOTHING_RADIUS_MAX,
               "measure with labels that are smoothed with this radius (the\nbest of 0, 8, 16, 24 and 48)"),
        SHW_OPTION_FLAG("no-stopping", 0, &command.whole, "measure all settings on all folds, also hopeless ones"),
        SHW_OPTION(SHW_VALUE_SEED, "seed", 0, "N", &command.seed, "seed of all random choices (0)"),
        SHW_OPTION_CHOICE(
            "technique", 't', "NAME", &command.technique, techniques,
            "of training: cpu, blend, compute or auto: compute on a\ngraphics card, otherwise cpu (auto)"),
        CLI_TRUST_OPTION(command.code),
        CLI_DEVICE_LIST_OPTION(command.devices),
        CLI_TRIAL_RANKS_OPTION(command.ranks),
        SHW_OPTION(SHW_VALUE_BYTES, "memory", 0, "SIZE", &command.memory,
                   "memory that training may use, as for 'shadewood train'"),
        NUMBER("threads", command.params.threads, 1, 1024, "threads; does not affect results (one per processor)"),
        CLI_REPORT_OPTIONS(command.report),
    };
    int first, code;

    cli_ranks_hush();
    code = cli_parse(&cli_tune, options, sizeof options / sizeof *options, argc, argv, &first);
    if (code != SHW_CONTINUE)
        return code;
    if (first < argc)
        command.project = argv[first++];
    if (first < argc)
        return shw_usage_error(&cli_tune, "unexpected argument '%s'", argv[first]);
    if (command.project == NULL && command.code.trusts)
        return shw_usage_error(&cli_tune, "--trust-code is for a project that brings code: name the project");
    code = command.project != NULL ? check_project(&command) : SHW_CONTINUE;
    if (code != SHW_CONTINUE)
        return code;
    if (command.output == NULL)
        return shw_usage_error(&cli_tune, "an output file is needed: --output FILE");
    command.folds = command.folds > 0 ? command.folds : FOLDS;
    if (command.trials == 0)
        command.trials = command.budget > 0 ? UINT32_MAX : TRIALS;
    command.report.data = command.project != NULL ? command.project : command.data.root;
    command.report.data_has_settings = command.project != NULL;
    command.beginnings = json_array();
    code = tune(&command);
    release(&command);
    return cli_ranks_end(&command.ranks, code);
}

const struct shw_command cli_tune = {
    .name = "tune",
    .summary = "find settings for train by cross-validation",
    .arguments = "{--data DIR | PROJECT} --output PRESET [OPTION...]",
    .text =
        "Searches settings with which forests label images well that they were not trained on: it trains small "
        "forests on\n"
        "parts of a data set, or of a project's strokes, and measures them on the rest. Bad settings are given up "
        "early. The\n"
        "result is a preset for 'shadewood train --preset'. All trials are recorded in a journal, from which the same "
        "command\n"
        "continues, whatever ended it; several processes may search at the same time with one journal.",
    .examples = "  shadewood tune --data scenes --budget 10m -o scenes.json --report scenes.html\n"
                "  shadewood train --data scenes --preset scenes.json -o tuned.ktx2\n"
                "  shadewood tune --data scenes --trials 100 --space 'channels=wide|lab' --space depth=8:20 -o s.json\n"
                "  shadewood tune meadow.json --budget 5m -o meadow-preset.json",
    .run = run,
};
