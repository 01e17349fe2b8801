#include "shell/app.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/machine.h"
#include "files/io/image_paths.h"
#include "shell/input.h"

#define LONGEST_FRAME    0.25 /* seconds */
#define SETTINGS_SECONDS 1.0  /* between two looks for changes */
/* Milliseconds per frame for labels, which leave time for everything else at 20 frames per second on CPUs and 60 on
 * GPUs. */

#define CPU_BUDGET 20.0
#define GPU_BUDGET 8.0

static void receive(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    struct view_app *app = user;

    if (item == SHW_LOG_PROGRESS) /* training was abandoned because there are newer strokes */
        return;
    fprintf(stderr, "shadewood-viewer: %s\n", text);
    if (level <= SHW_LOG_WARNING)
        view_toasts_add(&app->toasts, level == SHW_LOG_ERROR, text);
}

/* Loads what `shadewood devices --calibrate` has stored. */
static void recall_calibration(struct view_app *app)
{
    struct shw_device_description description;

    shw_device_describe(app->gpu.shadewood, &description);
    app->calibrated = shw_calibration_file_load(&description, &app->log, &app->calibration);
}

static void create_panels(const struct view_app_params *params, struct view_app *app)
{
    const struct view_panels_params panels = {.gpu = &app->gpu,
                                              .frames = &app->frames,
                                              .pass = app->canvas.pass,
                                              .list = params->panels,
                                              .program = app,
                                              .actions = params->actions,
                                              .parts = {.scene = &app->scene,
                                                        .under = &app->under,
                                                        .teaching = &app->teaching,
                                                        .annotating = &app->annotating,
                                                        .detecting = &app->detecting,
                                                        .tracking = &app->tracking,
                                                        .exporting = &app->exporting,
                                                        .importing = &app->importing,
                                                        .inside = &app->inside,
                                                        .learning = &app->learning,
                                                        .objects = &app->objects,
                                                        .recorder = &app->recorder},
                                              .toasts = &app->toasts,
                                              .log = app->log};

    app->actions = (struct view_actions){params->actions, app, app->log};
    view_panels_init(&panels, &app->panels);
    app->scene.area = view_panels_free_area(&app->panels, params->canvas);
}

static enum shw_result create_parts(const struct view_app_params *params, struct view_app *app)
{
    const bool on_cpu = app->gpu.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    const struct view_labelling_params labelling = {
        .gpu = &app->gpu,
        .frames = &app->frames,
        .device = params->device,
        .calibration = app->calibrated ? &app->calibration.calibration : NULL,
        .budget = params->complete ? 0.0
                  : on_cpu         ? CPU_BUDGET
                                   : GPU_BUDGET,
        .memory = params->memory > 0 ? params->memory : shw_machine_memory() / 4,
        .log = app->log};

    app->player = (struct view_player){
        .every_picture = params->every_picture, .actions = &app->actions, .others = params->others, .log = app->log};
    SHW_PROPAGATE(view_offscreen_create(&app->gpu, params->canvas, &app->canvas));
    SHW_PROPAGATE(view_frames_create(&app->gpu, &app->frames));
    SHW_PROPAGATE(view_scene_create(&labelling, &app->player, app->canvas.pass, &app->scene));
    create_panels(params, app);
    app->inside = (struct view_inside){.scene = &app->scene, .cursor = &app->cursor, .inspect.test = VIEW_ALL_TESTS};
    view_importing_init(&app->teaching, &app->importing);
    view_exporting_init(&app->teaching, &app->objects, &app->remembered.exports, &app->exporting);
    app->exporting.recorder = &app->recorder;
    view_objects_init(&app->scene, &app->cursor, &app->teaching, &app->objects);
    view_annotating_init(&app->scene, &app->cursor, &app->annotating);
    view_detecting_init(&app->scene, &app->annotating, &app->detecting);
    app->detecting.complete = params->complete;
    view_learning_init(&app->scene, &app->annotating, &app->detecting, &app->learning);
    view_tracking_init(&app->scene, &app->detecting, &app->tracking);
    app->learning.tracking = &app->tracking;
    SHW_PROPAGATE(view_teaching_create(&app->scene, &app->cursor, &app->annotating, &app->teaching));
    view_coding_init(&app->teaching, &app->coding);
    app->coding.trusts = app->scene.held_forest.may_wait = params->trusts_code;
    return SHW_OK;
}

enum shw_result view_app_create(const struct view_app_params *params, struct view_app *app)
{
    struct view_gpu_params gpu = {.index = params->device,
                                  .validation = params->validation,
                                  .extensions = params->extensions,
                                  .extension_count = params->extension_count};
    enum shw_result result;

    memset(app, 0, sizeof *app);
    view_toasts_init(&app->toasts);
    app->log = gpu.log = (struct shw_log){receive, app, SHW_LOG_WARNING};
    app->display_scale = 1.0f;
    app->vsync = true;
    SHW_TRY(view_gpu_create(&gpu, &app->gpu));
    recall_calibration(app);
    SHW_TRY(create_parts(params, app));
    view_snapshots_init(&gpu, app->scene.labelling.params.calibration, app->scene.labelling.params.memory,
                        &app->snapshots);
    view_watch_begin(&app->frames.watch);
    return SHW_OK;

fail:
    view_app_destroy(app);
    return result;
}

static void tell_saved(struct view_app *app, const char *what, const char *path)
{
    char text[PATH_MAX + 512], folder[PATH_MAX], *real;
    const char *name = shw_path_last(path);

    snprintf(folder, sizeof folder, "%.*s", name > path ? (int)(name - path) : 1, name > path ? path : ".");
    real = realpath(folder, NULL);
    snprintf(text, sizeof text, "%s saved: %.400s in %s", what, name, real != NULL ? real : folder);
    free(real);
    view_toasts_tell(&app->toasts, text);
}

/* Shows good news, and resets it. */
static void say(struct view_app *app, char *text)
{
    if (*text == '\0')
        return;
    printf("%s\n", text);
    view_toasts_tell(&app->toasts, text);
    *text = '\0';
}

unsigned view_app_destroy(struct view_app *app)
{
    unsigned messages;
    bool rescue;

    view_watch_begin(NULL);
    view_source_close(&app->player.source);
    view_frames_destroy(&app->gpu, &app->frames);
    view_recorder_end(&app->recorder);
    view_film_end(app);
    free(app->film.path);
    view_importing_destroy(&app->importing);
    view_exporting_destroy(&app->exporting);
    say(app, app->exporting.said);
    say(app, app->recorder.said);
    say(app, app->said);
    view_objects_destroy(&app->objects);
    view_learning_destroy(&app->learning);
    view_tracking_destroy(&app->tracking);
    view_detecting_destroy(&app->detecting);
    free(app->borders.items);
    view_coding_destroy(&app->coding);
    rescue = app->teaching.rescue;
    view_teaching_destroy(&app->teaching);
    view_annotating_destroy(&app->annotating, rescue);
    view_panels_destroy(&app->panels);
    view_inside_destroy(&app->inside);
    view_under_destroy(&app->under);
    view_scene_destroy(&app->scene);
    view_offscreen_destroy(&app->gpu, &app->canvas);
    view_opened_free(&app->opened);
    view_demo_free(&app->demo);
    messages = view_gpu_destroy(&app->gpu) + view_snapshots_end(&app->snapshots);
    view_settings_free(&app->remembered);
    view_toasts_destroy(&app->toasts);
    view_input_queue_free(&app->inputs);
    view_player_free(&app->player);
    memset(app, 0, sizeof *app);
    return messages;
}

void view_app_fit_panels(struct view_app *app)
{
    app->panels.moved = false;
    app->teaching.careful = app->annotating.careful = app->learning.careful = app->interactive || app->panels.on;
    app->scene.held_forest.may_wait = app->teaching.careful || app->coding.trusts;
    view_scene_set_area(&app->scene, view_panels_free_area(&app->panels, app->canvas.image.extent));
}

/* Shows a panel if an action has something in it, and resets that. */
static void show_wanted(struct view_app *app, const char *name, bool *wanted)
{
    uint32_t number = view_panels_number(&app->panels, name, strlen(name));

    if (*wanted && number < VIEW_PANELS_MAX)
        view_panels_show(&app->panels, number, true);
    *wanted = false;
}

/* Questions are shown with the panels. */
static enum shw_result show_question(struct view_app *app)
{
    return view_panels_asked(&app->panels, &(struct view_asked){0}) ? view_panels_switch(&app->panels, true) : SHW_OK;
}

/* Tells what has been saved and where, and remembers it. */
static void note_saves(struct view_app *app)
{
    const struct view_project *project = &app->teaching.project;
    const char *boxes = app->annotating.work.origin.path;

    if (app->saves.project != app->teaching.saves && project->path != NULL) {
        tell_saved(app, "The project", project->path);
        view_settings_opened(&app->remembered, "project", project->path);
    }
    if (app->saves.rectangles != app->annotating.saves && boxes != NULL) {
        tell_saved(app, "The rectangles", boxes);
        view_settings_opened(&app->remembered, "rectangles", boxes);
    }
    app->saves.project = app->teaching.saves;
    app->saves.rectangles = app->annotating.saves;
}

/* Pictures that are opened do not close a project that has some. */
static void tell_project_stays(struct view_app *app, const char *action, const char *opened)
{
    const struct view_project *project = &app->teaching.project;
    char text[PATH_MAX + 300];

    if (strcmp(action, "open") != 0 || strcmp(view_opening_action(opened), "open") != 0 || project->data == NULL ||
        shw_project_get_picture_count(project->data) == 0)
        return;
    snprintf(text, sizeof text,
             "The project %s stays open: what is painted on these pictures is added to it. File > Close the project "
             "ends that.",
             project->path != NULL ? shw_path_last(project->path) : "without a name");
    view_toasts_tell(&app->toasts, text);
}

/* In the order in which leaving asks them. */
enum { PROJECT_QUESTION, BOXES_QUESTION, CASCADE_QUESTION, QUESTIONS };

static struct view_question *question_of(struct view_app *app, int number)
{
    struct view_question *const list[QUESTIONS] = {[PROJECT_QUESTION] = &app->teaching.question,
                                                   [BOXES_QUESTION] = &app->annotating.question,
                                                   [CASCADE_QUESTION] = &app->learning.question};

    return list[number];
}

bool view_app_asks_to_leave(struct view_app *app)
{
    const bool unsaved[QUESTIONS] = {[PROJECT_QUESTION] = view_project_is_unsaved(&app->teaching.project),
                                     [BOXES_QUESTION] = view_annotating_is_unsaved(&app->annotating),
                                     [CASCADE_QUESTION] =
                                         app->learning.running || view_learning_unsaved(&app->learning) != NULL};

    app->let_pass = 0;
    for (int q = 0; q < QUESTIONS; q++) {
        if (view_question_close(question_of(app, q), unsaved[q], "leave"))
            return true;
        app->let_pass |= (unsigned)question_of(app, q)->passed << q;
    }
    return false;
}

static void let_pass(struct view_app *app, unsigned which, bool passed)
{
    for (int q = 0; q < QUESTIONS; q++)
        if ((which >> q & 1u) != 0)
            question_of(app, q)->passed = passed;
}

/* Runs the action that an answer has allowed. What leaving has asked before holds when it goes on. */
static enum shw_result go_on(struct view_app *app, int number)
{
    struct view_question *question = question_of(app, number);
    char *line = view_question_take(question);
    const unsigned before = line != NULL && strcmp(line, "leave") == 0 ? app->let_pass : 0;
    enum shw_result result = SHW_OK;

    if (line == NULL)
        return SHW_OK;
    let_pass(app, before, true);
    result = view_app_run(app, line);
    view_question_ran(question);
    let_pass(app, before, false);
    free(line);
    return result;
}

enum shw_result view_app_run_action(struct view_app *app, const char *name, const char *argument)
{
    const char *latest = app->remembered.recent[0];
    enum shw_result result;

    app->scene.redraw = true;
    result = view_action_run(&app->actions, name, argument);
    if (result == SHW_OK)
        result = show_question(app);
    for (int q = 0; q < QUESTIONS && result == SHW_OK; q++)
        result = go_on(app, q);
    if (result == SHW_OK)
        result = view_objects_follow(&app->objects);
    show_wanted(app, "inspect", &app->inside.wants_panel);
    show_wanted(app, "detect", &app->detecting.wants_panel);
    show_wanted(app, "rectangles", &app->annotating.wants_panel);
    show_wanted(app, "objects", &app->objects.wants_panel);
    show_wanted(app, "code", &app->coding.wants_panel);
    if (app->panels.moved)
        view_app_fit_panels(app);
    if (result == SHW_OK)
        view_settings_opened(&app->remembered, name, argument);
    if (result == SHW_OK)
        tell_project_stays(app, name, argument);
    note_saves(app);
    app->opened_another = app->opened_another || app->remembered.recent[0] != latest;
    return result;
}

enum shw_result view_app_run(struct view_app *app, const char *line)
{
    char name[VIEW_ACTION_LINE];
    const char *argument;

    if (!view_action_split(line, name, &argument))
        return shw_fail(&app->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the line is too long");
    return view_app_run_action(app, name, argument);
}

enum shw_result view_app_show(struct view_app *app, struct view_picture *picture)
{
    SHW_PROPAGATE(view_scene_show(&app->scene, picture));
    view_recorder_take(&app->recorder, &app->scene, view_objects_scale_side(&app->objects));
    return view_teaching_follow(&app->teaching);
}

/* Leaves when the export that this has waited for has ended, but does not interrupt a question; what was painted
 * meanwhile is asked about. */
static void leave_after_export(struct view_app *app)
{
    struct view_exporting *exporting = &app->exporting;

    if (!exporting->quits || view_exporting_is_busy(exporting) ||
        view_panels_asked(&app->panels, &(struct view_asked){0}))
        return;
    exporting->quits = false;
    view_app_run(app, "leave");
}

/* Small pictures are made while they can be seen. */
static enum shw_result poll_welcome(struct view_app *app)
{
    const bool wanted = app->wait_opened || (app->scene.picture == NULL && app->panels.on);
    char *project = NULL;
    enum shw_result result = view_demo_poll(&app->demo, &project);
    char line[VIEW_ACTION_LINE];

    if (project != NULL) {
        snprintf(line, sizeof line, "project %s", project);
        free(project);
        result = view_app_run(app, line);
    }
    if (!wanted)
        app->opened.stale = true; /* files may come and go meanwhile */
    else if (view_opened_poll(&app->opened, app->remembered.recent, app->remembered.recent_count, &app->log))
        app->scene.redraw = true;
    if (view_opened_are_complete(&app->opened))
        app->wait_opened = false;
    return result;
}

/* Work with files in the background. */
static enum shw_result poll_files(struct view_app *app)
{
    enum shw_result result;

    view_exporting_poll(&app->exporting);
    view_importing_poll(&app->importing);
    say(app, app->exporting.said);
    say(app, app->importing.said);
    view_recorder_poll(&app->recorder);
    say(app, app->recorder.said);
    say(app, app->detecting.said);
    say(app, app->learning.said);
    say(app, app->tracking.said);
    say(app, app->teaching.said);
    say(app, app->coding.said);
    say(app, app->annotating.said);
    say(app, app->said);
    result = view_snapshots_poll(&app->snapshots, app->said, sizeof app->said);
    say(app, app->said);
    leave_after_export(app);
    return result;
}

/* While detection runs, pictures of a source that plays are shown together with what is found in them. Another picture
 * takes the place of those that are held back for that. */
static enum shw_result show_next(struct view_app *app, struct view_picture *picture)
{
    struct view_picture *ready;
    enum shw_result result;

    if (app->player.opening)
        view_scene_drop_waiting(&app->scene);
    if (picture != NULL && view_detecting_hold(&app->detecting, picture))
        picture = NULL;
    if (app->player.opening || picture != NULL)
        view_detecting_drop_held(&app->detecting);
    result = view_detecting_poll(&app->detecting, &ready);
    if (picture == NULL)
        picture = ready;
    if (picture != NULL)
        SHW_PROPAGATE(view_app_show(app, picture));
    SHW_PROPAGATE(view_tracking_poll(&app->tracking));
    return result;
}

static void remember(struct view_app *app, struct view_settings *settings)
{
    const uint32_t panels = view_panels_remember(&app->panels, settings->panels);

    if (app->remember_window != NULL)
        app->remember_window(app->window, settings);
    settings->colour_blind = app->scene.colour_blind;
    settings->sizes[0] = app->teaching.brush;
    settings->sizes[1] = app->teaching.eraser;
    settings->sizes_known = true;
    memcpy(settings->trainer, app->teaching.away.command, sizeof settings->trainer);
    if (panels == 0)
        return;
    settings->panel_count = panels;
    memcpy(settings->columns, app->panels.columns.chosen, sizeof settings->columns);
    memcpy(settings->column_states, app->panels.columns.state, sizeof settings->column_states);
    settings->panels_off = !app->panels.on;
}

void view_app_keep_settings(struct view_app *app)
{
    app->kept = view_clock();
    app->opened_another = false;
    if (app->remembered.path == NULL)
        return;
    remember(app, &app->remembered);
    view_settings_save(&app->remembered, &app->log);
}

enum shw_result view_app_poll(struct view_app *app, double now)
{
    struct view_picture *picture;

    app->now = now;
    if (app->opened_another || view_clock() - app->kept >= SETTINGS_SECONDS)
        view_app_keep_settings(app);
    app->wait_labels = view_app_waits_for_labels(app);
    view_camera_delay_check(&app->delay, &app->scene.labelling.params);
    if ((view_toasts_age(&app->toasts, now) || view_ui_tooltip_due() == 0.0) && app->panels.on)
        app->scene.redraw = true;
    app->scene.redraw = app->scene.redraw || app->inside.channels.pending || view_scene_needs_frames(&app->scene) ||
                        view_smoothed_is_ready(&app->inside.inspect.smoothed) || view_under_is_ready(&app->under);
    view_annotating_poll(&app->annotating);
    SHW_PROPAGATE(view_learning_poll(&app->learning));
    SHW_PROPAGATE(view_coding_poll(&app->coding));
    show_wanted(app, "code", &app->coding.wants_panel);
    SHW_PROPAGATE(view_teaching_poll(&app->teaching));
    SHW_PROPAGATE(poll_files(app));
    SHW_PROPAGATE(poll_welcome(app));
    SHW_PROPAGATE(show_question(app));
    SHW_PROPAGATE(view_objects_poll(&app->objects));
    SHW_PROPAGATE(view_player_poll(&app->player, now, &picture));
    return show_next(app, picture);
}

bool view_app_awaits_files(const struct view_app *app)
{
    return app->exporting.awaited || app->importing.awaited;
}

bool view_app_awaits_welcome(const struct view_app *app)
{
    return app->wait_opened || app->demo.awaited;
}

bool view_app_waits_for_labels(const struct view_app *app)
{
    return app->wait_labels && !(view_scene_is_current(&app->scene) && view_detecting_is_current(&app->detecting));
}

bool view_app_script_waits(const struct view_app *app)
{
    return app->wait > 0 || view_app_waits_for_labels(app) || app->resume > view_clock() ||
           app->teaching.wait != VIEW_WAIT_NONE || app->player.settle || view_teaching_is_searching(&app->teaching) ||
           view_coding_is_awaited(&app->coding) || view_app_awaits_files(app) || view_app_awaits_welcome(app) ||
           view_objects_are_awaited(&app->objects) || view_detecting_is_awaited(&app->detecting) ||
           view_learning_is_awaited(&app->learning) || view_snapshots_are_busy(&app->snapshots) ||
           view_thumbnails_are_busy(app->teaching.thumbnails) || app->size.width > 0 || app->quit;
}

bool view_app_needs_frame(const struct view_app *app)
{
    return app->scene.redraw || app->wait > 0 || view_teaching_is_busy(&app->teaching);
}

double view_app_patience(const struct view_app *app)
{
    const struct view_source_info info = view_player_info(&app->player);
    bool moves = info.playing || info.pending || view_labelling_is_busy(&app->scene.labelling) ||
                 (app->scene.comparison.works && view_labelling_is_busy(&app->scene.comparison.labelling)) ||
                 view_detecting_is_busy(&app->detecting) || view_smoothed_is_running(&app->inside.inspect.smoothed) ||
                 view_under_is_running(&app->under);

    return fmin(fmin(moves ? 0.004 : 0.1, view_ui_tooltip_due()), view_teaching_patience(&app->teaching));
}

enum shw_result view_app_resize(struct view_app *app, VkExtent2D canvas)
{
    SHW_PROPAGATE(view_frames_wait(&app->gpu, &app->frames));
    SHW_PROPAGATE(view_offscreen_resize(&app->gpu, canvas, &app->canvas));
    view_app_fit_panels(app);
    return SHW_OK;
}

/* Times frames that follow each other directly, not pauses in which nothing changed. */
static void count_frame(struct view_frames *frames)
{
    double now = view_clock();

    if (now - frames->last < LONGEST_FRAME)
        view_times_add(&frames->times, VIEW_TIME_FRAME, (now - frames->last) * 1e3);
    frames->last = now;
}

/* Shows the panels and runs the lines that they ask for. An action may render a frame of its own, as a screenshot does,
 * so lines are removed before they run. Failures have been logged. */
static void show_panels(struct view_app *app)
{
    const struct view_panel_frame frame = {.canvas = app->canvas.image.extent,
                                           .area = app->scene.area,
                                           .now = app->now,
                                           .recent = app->remembered.recent,
                                           .recent_times = app->remembered.recent_times,
                                           .recent_count = app->remembered.recent_count,
                                           .opened = &app->opened,
                                           .project = app->teaching.project.data != NULL,
                                           .chosen_scale = app->remembered.scale,
                                           .vsync = app->vsync};
    char *line;
    bool ran = false, success = true;

    if (view_panels_frame(&app->panels, &frame))
        app->scene.redraw = true;
    if (app->panels.moved) /* the toolbar has more rows, or fewer */
        view_app_fit_panels(app);
    while ((line = view_panels_take_line(&app->panels)) != NULL) {
        ran = true;
        success = view_app_run(app, line) == SHW_OK && success;
        free(line);
    }
    if (ran)
        view_panels_ran(&app->panels, success);
}

bool view_app_find(struct view_app *app, const char *label, double *x, double *y)
{
    do
        show_panels(app);
    while (view_panels_pending(&app->panels));
    show_panels(app); /* panels take their positions one frame after a change */
    return view_panels_find(&app->panels, label, x, y);
}

/* Adds what inspection draws over the picture, or instead of it. */
static void look_inside(struct view_inside *inside, struct view_frame *frame)
{
    struct view_texture *texture = &inside->texture;

    for (uint32_t l = 0; l < VIEW_LAYERS; l++)
        frame->planes[l] = &inside->channels.planes[l];
    frame->marks = inside->inspect.marks;
    frame->mark_count = view_inspect_mark(&inside->inspect);
    if (!inside->scene->instead.on)
        return;
    frame->instead = &texture->shown;
    frame->texture = texture->upload ? texture->picture : NULL;
    frame->marks = texture->marks;
    frame->mark_count = view_texture_mark(texture, &inside->inspect);
}

/* Ground-truth rectangles and detections, over the picture. */
static void draw_borders(struct view_app *app, struct view_frame *frame)
{
    app->borders.count = 0;
    view_annotating_draw(&app->annotating, &app->borders);
    view_detecting_draw(&app->detecting, &app->borders);
    frame->borders = &app->borders;
}

static bool counts_shares(const struct view_app *app)
{
    uint32_t number = view_panels_number(&app->panels, "classes", strlen("classes"));

    return app->scene.count_shares || (number < VIEW_PANELS_MAX && view_panels_open(&app->panels, number));
}

/* Of the pixel under the mouse; not while it works, or another picture comes at once. */
static bool wants_probabilities(const struct view_app *app)
{
    return app->panels.on && app->owner == VIEW_NOBODY && !view_player_info(&app->player).playing;
}

enum shw_result view_app_frame(struct view_app *app, const struct view_frame *extra)
{
    struct view_scene *scene = &app->scene;
    struct view_frame frame = extra != NULL ? *extra : (struct view_frame){0};

    count_frame(&app->frames);
    view_camera_delay_check(&app->delay, &app->scene.labelling.params);
    view_inside_follow(
        &app->inside); /* before the panels show it, and again afterwards, since they may have changed anything */
    view_under_follow(&app->under, scene, &app->cursor, wants_probabilities(app), app->detecting.complete);
    show_panels(app);
    view_input_go_on(app);
    if (counts_shares(app))
        SHW_PROPAGATE(view_scene_fit_shares(scene));
    SHW_PROPAGATE(view_teaching_frame(&app->teaching));
    view_inside_follow(&app->inside);
    SHW_PROPAGATE(view_scene_update(scene));
    view_recorder_take(&app->recorder, scene, view_objects_scale_side(&app->objects));
    SHW_PROPAGATE(view_teaching_follow(&app->teaching));
    if (app->detecting.complete)
        SHW_PROPAGATE(view_detecting_finish(&app->detecting));
    SHW_PROPAGATE(view_tracking_poll(&app->tracking));
    view_channels_update(&app->inside.channels, scene);
    frame.scene = scene;
    frame.canvas = &app->canvas;
    frame.count = scene->shares.classes == scene->class_count && counts_shares(app);
    frame.ui = view_panels_ui(&app->panels);
    if (app->teaching.project.data != NULL && scene->picture != NULL) {
        frame.painted = app->teaching.painting.painted;
        frame.strokes = view_painting_ready_labels(&app->teaching.painting, &frame.strokes_later);
    }
    look_inside(&app->inside, &frame);
    draw_borders(app, &frame);
    scene->redraw = scene->redraw || (frame.count && view_labelling_has_labels(&scene->labelling) &&
                                      view_class_shares_pending(&scene->shares));
    SHW_PROPAGATE(view_frame_render(&app->gpu, &app->frames, &frame));
    app->inside.texture.upload = false;
    view_teaching_shown(&app->teaching);
    view_camera_delay_note(&app->delay, scene);
    return SHW_OK;
}

enum shw_result view_app_frame_anyhow(struct view_app *app, const struct view_frame *extra)
{
    enum shw_result result = view_app_frame(app, extra);

    if (result != SHW_OK && result != SHW_ERROR_DEVICE_LOST) /* without a labeller the picture can still be shown */
        result = view_app_frame(app, extra);
    if (result == SHW_OK || result == SHW_ERROR_DEVICE_LOST || app->scene.picture == NULL)
        return result;
    view_scene_drop_picture(&app->scene); /* which may be too large for this device */
    return view_app_frame(app, extra);
}

enum shw_result view_app_screenshot(struct view_app *app, const char *path)
{
    struct view_frame extra = {.read = true};
    double budget = app->scene.labelling.budget;
    bool complete = app->detecting.complete;
    enum shw_result result;

    SHW_PROPAGATE(view_teaching_check_output(&app->teaching, path, &shw_file_screenshot));
    app->scene.labelling.budget = 0.0;
    app->detecting.complete = true;
    do
        result = view_app_frame(app, &extra);
    while (result == SHW_OK && !view_scene_is_current(&app->scene));
    app->scene.labelling.budget = budget;
    app->detecting.complete = complete;
    SHW_PROPAGATE(result);
    SHW_PROPAGATE(view_frames_wait(&app->gpu, &app->frames));
    return view_offscreen_save(&app->gpu, &app->canvas, path);
}

/* The lists of the program's parts. */

const struct view_action_entry view_action_list[] = {{&view_source_group, offsetof(struct view_app, player)},
                                                     {&view_choice_group, offsetof(struct view_app, player)},
                                                     {&view_label_group, offsetof(struct view_app, scene)},
                                                     {&view_view_group, offsetof(struct view_app, scene)},
                                                     {&view_smoothing_group, offsetof(struct view_app, teaching)},
                                                     {&view_choices_group, offsetof(struct view_app, teaching)},
                                                     {&view_planes_group, offsetof(struct view_app, teaching)},
                                                     {&view_inspect_group, offsetof(struct view_app, inside)},
                                                     {&view_project_group, offsetof(struct view_app, teaching)},
                                                     {&view_code_group, offsetof(struct view_app, coding)},
                                                     {&view_list_group, offsetof(struct view_app, teaching)},
                                                     {&view_tools_group, offsetof(struct view_app, teaching)},
                                                     {&view_teach_group, offsetof(struct view_app, teaching)},
                                                     {&view_annotate_group, offsetof(struct view_app, annotating)},
                                                     {&view_detect_group, offsetof(struct view_app, detecting)},
                                                     {&view_learn_group, offsetof(struct view_app, learning)},
                                                     {&view_track_group, offsetof(struct view_app, tracking)},
                                                     {&view_export_group, offsetof(struct view_app, exporting)},
                                                     {&view_import_group, offsetof(struct view_app, importing)},
                                                     {&view_objects_group, offsetof(struct view_app, objects)},
                                                     {&view_kinds_group, offsetof(struct view_app, objects)},
                                                     {&view_recent_group, 0},
                                                     {&view_panels_group, 0},
                                                     {&view_measure_group, 0},
                                                     {&view_program_group, 0},
                                                     {&view_record_group, 0},
                                                     {&view_film_group, 0},
                                                     {&view_input_group, 0},
                                                     {0}};

const struct view_panel view_panel_list[] = {
    {"sources", "Pictures", VIEW_PANEL_LEFT, true, view_panel_sources, NULL, NULL, NULL,
     offsetof(struct view_app, teaching)},
    {"overlay", "Overlay", VIEW_PANEL_LEFT, true, view_panel_overlay, NULL, NULL, NULL,
     offsetof(struct view_app, scene)},
    {"export", "Export", VIEW_PANEL_LEFT, true, view_panel_export, NULL, view_asks_about_export, view_ask_about_export,
     offsetof(struct view_app, exporting)},
    {"import", "Import", VIEW_PANEL_LEFT, true, view_panel_import, NULL, view_asks_about_import, view_ask_about_import,
     offsetof(struct view_app, importing)},
    {"classes", "Classes", VIEW_PANEL_HEAD, true, view_panel_classes, NULL, NULL, NULL,
     offsetof(struct view_app, teaching)},
    {"teach", "Teaching", VIEW_PANEL_RIGHT, true, view_panel_teach, view_tool_preview, view_asks_about_project,
     view_ask_about_project, offsetof(struct view_app, teaching)},
    {"code", "Own features", VIEW_PANEL_RIGHT, false, view_panel_code, NULL, view_asks_about_code, view_ask_about_code,
     offsetof(struct view_app, coding)},
    {"pixel", "Pixel", VIEW_PANEL_RIGHT, true, view_panel_pixel, NULL, NULL, NULL,
     offsetof(struct view_app, panels.params.parts)},
    {"objects", "Objects", VIEW_PANEL_RIGHT, false, view_panel_objects, view_objects_outline, NULL, NULL,
     offsetof(struct view_app, objects)},
    {"rectangles", "Rectangles", VIEW_PANEL_RIGHT, false, view_panel_annotate, view_boxes_captions,
     view_asks_about_boxes, view_ask_about_boxes, offsetof(struct view_app, annotating)},
    {"detect", "Detection", VIEW_PANEL_RIGHT, false, view_panel_detect, view_detections_captions,
     view_asks_about_cascade, view_ask_about_cascade, offsetof(struct view_app, learning)},
    {"accuracy", "Accuracy", VIEW_PANEL_RIGHT, false, view_panel_accuracy, NULL, NULL, NULL,
     offsetof(struct view_app, teaching)},
    {"inspect", "Look inside", VIEW_PANEL_RIGHT, false, view_panel_inspect, NULL, NULL, NULL,
     offsetof(struct view_app, inside)},
    {"performance", "Performance", VIEW_PANEL_RIGHT, false, view_panel_performance, NULL, NULL, NULL,
     offsetof(struct view_app, scene)},
    {0}};
