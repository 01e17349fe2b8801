#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <shadewood/shadewood.h>

#include "base/log.h"
#include "base/options.h"
#include "base/process.h"
#include "files/dataset/image_inputs.h"
#include "shell/script.h"
#include "shell/window.h"

struct options {
    const char *script, *screenshot, *forest, *detect, *settings, *recovery, *trainer;
    bool headless, overwrite, version;
    struct shw_option_list input_texts, plugin_paths;
    struct shw_input_file inputs[SHW_INPUTS_MAX];
    struct view_app_params app; /* canvas 0 x 0: not given */
};

static const struct shw_command command = {
    .name = "viewer",
    .own_program = true,
    .arguments = "[OPTION...] [FILE]",
    .text =
        "Shows pictures with the labels that a decision forest gives them. FILE is an image, a folder of images, a "
        "data\n"
        "set (dataset:FOLDER), a video, a camera (/dev/video0, or camera:FILE, which plays a file as if it were one),\n"
        "the depth of a video, a camera or a folder (depth:FILE), a forest or a cascade (.ktx2), a project (.json) "
        "with\n"
        "its pictures, or a table of rectangles around objects (.csv).",
    .examples =
        "  shadewood-viewer --forest scenes.ktx2 photo.jpg\n"
        "  shadewood-viewer --forest people.ktx2 depth:/dev/video0\n"
        "  shadewood-viewer --detect faces.ktx2 /dev/video0\n"
        "  shadewood-viewer --trainer 'ssh workstation shadewood serve' photos\n"
        "  shadewood-viewer --headless --script actions.txt --screenshot labels.png photos\n"
        "\n"
        "Exit status: 0 after success, 1 if a file or an action failed, 2 if the command line is not understood,\n"
        "3 without a Vulkan device that can do it, or without a display for the window.",
};

/* Returns SHW_CONTINUE or the exit code. */
static int parse(int argc, char **argv, struct options *options, int *first)
{
    uint32_t size[2] = {0};
    const struct shw_option known[] = {
        SHW_OPTION(SHW_VALUE_TEXT, "forest", 'f', "FILE", &options->forest, "use the forest in this .ktx2 file"),
        SHW_OPTION(SHW_VALUE_TEXT, "detect", 0, "FILE", &options->detect,
                   "find objects with this cascade: .ktx2, pico's, OpenCV's .xml,\nor a folder of CSV tables"),
        SHW_OPTION(SHW_VALUE_LIST, "plugin", 0, "FILE", &options->plugin_paths,
                   "a shared object with feature types and channel kinds of\nforests; may be repeated"),
        SHW_INPUT_OPTION(options->input_texts, "the files of another input of the pictures; {} stands for\n"
                                               "a picture's name: 'depth=depth/{}.png'; may be repeated;\n"
                                               "paths in a data set count from its folder; a video can\n"
                                               "have its depth in another: 'depth={}_depth.mkv'"),
        SHW_OPTION_FLAG("frames", 0, &options->app.others.frames,
                        "the pictures of a folder are frames of a video: each is\n"
                        "labelled with the previous frame"),
        SHW_OPTION_FLAG(
            "trust-code", 0, &options->app.trusts_code,
            "run feature types and channel kinds that forests and\nprojects bring as text, without a question"),
        SHW_OPTION(SHW_VALUE_TEXT, "trainer", 0, "COMMAND", &options->trainer,
                   "let a program train that this command starts, as\n'ssh HOST shadewood serve'"),
        SHW_OPTION(SHW_VALUE_TEXT, "script", 's', "FILE", &options->script,
                   "run the actions in this file, one per line, then continue\ninteractively"),
        SHW_OPTION(SHW_VALUE_TEXT, "screenshot", 'o', "FILE", &options->screenshot,
                   "write the canvas as a PNG file at the end"),
        SHW_OPTION_FLAG("overwrite", 0, &options->overwrite,
                        "replace existing files even if they were not written by\nShadewood, or were changed since"),
        SHW_OPTION_FLAG("headless", 0, &options->headless, "draw without a display, and exit at the end of the script"),
        SHW_OPTION_WITHIN(SHW_VALUE_EXTENT, "size", 0, "WIDTHxHEIGHT", size, 1, 16384,
                          "size of the canvas (that of the last window, else 960x640)"),
        SHW_OPTION(SHW_VALUE_TEXT, "settings", 0, "FILE", &options->settings,
                   "keep window, panels and recent files in this file instead\n"
                   "of viewer.json in $XDG_CONFIG_HOME/shadewood; with\n"
                   "--headless nothing is kept unless this is given"),
        SHW_OPTION(SHW_VALUE_TEXT, "recovery", 0, "FOLDER", &options->recovery,
                   "keep copies of unsaved work in this folder instead of\n"
                   "recovery in $XDG_STATE_HOME/shadewood; with --headless\n"
                   "none are kept unless this is given"),
        SHW_OPTION(SHW_VALUE_BYTES, "memory", 0, "SIZE", &options->app.memory,
                   "memory that a picture and its labels may take, as 512M or\n"
                   "2G (a quarter of the machine's)"),
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "device", 'd', "N", &options->app.device, 0, 255,
                          "the Vulkan device, as 'shadewood devices' numbers them (0)"),
        SHW_OPTION_FLAG("validation", 0, &options->app.validation,
                        "enable the Vulkan validation layers; any message from them\nmakes the program fail"),
        SHW_OPTION_FLAG("version", 0, &options->version, "show the version and exit")};
    const char *texts[SHW_OPTIONS_MAX];
    int code = shw_options_parse(&command, known, sizeof known / sizeof *known, argc, argv, first, texts);

    if (code == SHW_EXIT_SUCCESS)
        view_action_help(view_action_list, stdout);
    if (code == SHW_CONTINUE && options->version) {
        printf("shadewood-viewer %d.%d.%d\n", SHW_VERSION_MAJOR, SHW_VERSION_MINOR, SHW_VERSION_PATCH);
        code = SHW_EXIT_SUCCESS;
    }
    if (code == SHW_CONTINUE)
        code = shw_input_files_take(&command, &options->input_texts, options->inputs);
    if (code == SHW_CONTINUE && argc - *first > 1)
        code = shw_usage_error(&command, "only one FILE can be opened: %s", argv[*first + 1]);
    options->app.others.count = options->input_texts.count;
    options->app.canvas = (VkExtent2D){size[0], size[1]};
    return code;
}

static void pause_for(double seconds)
{
    const struct timespec moment = {.tv_nsec = (long)(1e9 * seconds)};

    nanosleep(&moment, NULL);
}

/* While a script waits, as in a window: processors are left to what it waits for. The clock advances with frames only,
 * so videos that are played need them. */
static enum shw_result wait_for_work(struct view_app *app)
{
    if (!view_app_needs_frame(app) && !view_player_info(&app->player).playing) {
        pause_for(fmin(view_app_patience(app), 0.01));
        return SHW_OK;
    }
    app->scene.redraw = false;
    SHW_PROPAGATE(view_app_frame(app, NULL));
    pause_for(0.001);
    return SHW_OK;
}

/* Frames are rendered when the script asks for them, and the clock advances by 1/60 second per frame. */
static enum shw_result run_headless(struct view_script *script, struct view_app *app)
{
    bool waits;

    while (!app->quit) {
        view_watch_waits(&app->frames.watch); /* a window would look at events here */
        view_watch_looks(&app->frames.watch);
        SHW_PROPAGATE(view_teaching_waits(&app->teaching, &waits));
        SHW_PROPAGATE(view_app_poll(app, (double)app->frames.count / 60.0));
        SHW_PROPAGATE(view_coding_take_failure(&app->coding));
        if (app->size.width > 0) {
            SHW_PROPAGATE(view_app_resize(app, app->size));
            app->size.width = 0;
        } else if (app->player.settle) {
            pause_for(0.001);
        } else if (app->resume > view_clock()) {
            pause_for(0.001);
        } else if (app->wait > 0) {
            app->wait--;
            SHW_PROPAGATE(view_film_frame(app));
        } else if (waits || view_objects_are_awaited(&app->objects) || view_detecting_is_awaited(&app->detecting) ||
                   view_learning_is_awaited(&app->learning) || view_app_waits_for_labels(app) ||
                   view_exporting_waits_for_forest(&app->exporting)) {
            SHW_PROPAGATE(wait_for_work(app));
        } else if (view_app_awaits_files(app) || view_app_awaits_welcome(app) || view_coding_is_awaited(&app->coding)) {
            pause_for(0.001);
        } else {
            bool last = script->next == NULL;
            SHW_PROPAGATE(view_script_step(script, app));
            if (last)
                break;
        }
    }
    return SHW_OK;
}

/* The log until there is an app with the same log. */
static void tell_log(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    (void)user, (void)level, (void)item;
    fprintf(stderr, "shadewood-viewer: %s\n", text);
}

/* Creates the app, by default with a canvas of the last window's size. */
static enum shw_result create_app(const struct options *options, const struct shw_log *log, struct view_app *app)
{
    struct view_app_params params = options->app;
    struct view_settings remembered = {0};
    enum shw_result result;

    params.every_picture = params.complete = options->headless;
    params.others.files = options->inputs;
    params.actions = view_action_list;
    params.panels = view_panel_list;
    if (!options->headless)
        SHW_TRY(view_window_begin(log, &params.extensions, &params.extension_count));
    if (!options->headless || options->settings != NULL)
        SHW_TRY(view_settings_load(options->settings, log, &remembered));
    if (params.canvas.width == 0 && remembered.window.width > 0)
        params.canvas = (VkExtent2D){remembered.window.width, remembered.window.height};
    else if (params.canvas.width == 0)
        params.canvas = (VkExtent2D){960, 640};
    SHW_TRY(view_app_create(&params, app));
    app->remembered = remembered;
    app->opened.folder = remembered.path != NULL ? view_opened_usual_folder() : NULL;
    app->scene.outputs =
        (struct view_outputs){options->overwrite, .script = options->script, .settings = app->remembered.path};
    app->scene.colour_blind = remembered.colour_blind;
    view_ui_show_words(remembered.words);
    memcpy(app->teaching.away.command, remembered.trainer, sizeof remembered.trainer);
    if (remembered.sizes_known) {
        app->teaching.brush = remembered.sizes[0];
        app->teaching.eraser = remembered.sizes[1];
    }
    memcpy(app->panels.columns.chosen, remembered.columns, sizeof remembered.columns);
    memcpy(app->panels.columns.state, remembered.column_states, sizeof remembered.column_states);
    view_panels_recall(&app->panels, remembered.panels, remembered.panel_count);
    return SHW_OK;

fail:
    view_settings_free(&remembered);
    return result;
}

/* Copies of unsaved work, and what earlier runs left. */
static enum shw_result keep_copies(const struct options *options, struct view_app *app)
{
    char *usual = options->recovery == NULL && !options->headless ? view_autosave_usual_folder() : NULL;
    const char *folder = options->recovery != NULL ? options->recovery : usual;
    enum shw_result result = folder != NULL ? view_teaching_keep_copies(&app->teaching, folder) : SHW_OK;

    if (result == SHW_OK && folder != NULL)
        result = view_annotating_keep_copies(&app->annotating, folder);
    free(usual);
    return result;
}

static enum shw_result open_files(const struct options *options, const char *file, struct view_app *app)
{
    if (options->trainer != NULL)
        SHW_PROPAGATE(view_app_run_action(app, "trainer-connect", options->trainer));
    if (options->forest != NULL)
        SHW_PROPAGATE(view_app_run_action(app, "forest", options->forest));
    if (options->detect != NULL)
        SHW_PROPAGATE(view_app_run_action(app, "detect-open", options->detect));
    return file != NULL ? view_app_run_action(app, "open", file) : SHW_OK;
}

static enum shw_result run_to_the_end(const struct options *options, const char *file, struct view_app *app,
                                      struct view_window *window, struct view_script *script)
{
    SHW_PROPAGATE(keep_copies(options, app));
    SHW_PROPAGATE(open_files(options, file, app));
    if (options->screenshot != NULL)
        SHW_PROPAGATE(view_teaching_check_output(&app->teaching, options->screenshot,
                                                 &shw_file_screenshot)); /* before a script has done its work */
    if (options->script != NULL)
        SHW_PROPAGATE(view_script_open(options->script, &app->log, script));
    if (!options->headless)
        shw_process_leave_own_console();
    SHW_PROPAGATE(options->headless ? run_headless(script, app) : view_window_run(window, script));
    return options->screenshot != NULL ? view_app_screenshot(app, options->screenshot) : SHW_OK;
}

static enum shw_result run(const struct options *options, const char *file, struct view_app *app)
{
    const struct shw_log log = {tell_log, NULL, SHW_LOG_WARNING};
    struct view_script script = {0};
    struct view_window *window = NULL;
    enum shw_result result = create_app(options, &log, app);

    if (result == SHW_OK)
        result = shw_plugins_load_all(&app->scene.plugins, &options->plugin_paths, &log);
    if (result == SHW_OK && !options->headless)
        result = view_window_create(app, &window);
    if (result == SHW_OK)
        result = run_to_the_end(options, file, app, window, &script);
    view_app_keep_settings(app);
    view_window_destroy(&window);
    view_script_close(&script);
    return result;
}

int main(int argc, char **argv)
{
    struct options options = {0};
    struct view_app app = {0};
    enum shw_result result;
    unsigned messages;
    int first, code;

    shw_process_begin(&argc, &argv);
    code = parse(argc, argv, &options, &first);
    if (code != SHW_CONTINUE)
        return code;
    signal(SIGXFSZ, SIG_IGN); /* writing beyond the limit of a file's size fails, and has a message */
    result = run(&options, argv[first], &app);
    app.teaching.rescue = result != SHW_OK;
    messages = view_app_destroy(&app);
    if (!options.headless)
        view_window_end();
    return result == SHW_OK && messages > 0 ? SHW_EXIT_FAILURE : shw_exit_code(result);
}
