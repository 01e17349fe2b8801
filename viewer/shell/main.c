#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "action/parse.h"
#include "base/log.h"
#include "shell/script.h"
#include "shell/window.h"

/* Exit codes, as of `shadewood`. */
enum { SUCCESS = 0, FAILURE = 1, USAGE = 2, NO_DEVICE = 3 };

struct options {
    const char *script, *screenshot, *forest, *settings;
    bool headless;
    struct shw_input_file inputs[SHW_INPUTS_MAX];
    struct view_app_params app; /* canvas 0 x 0: not given */
};

static const char usage_text[] =
    "usage: shadewood-viewer [OPTION...] [FILE]\n"
    "\n"
    "Shows pictures with the labels that a decision forest gives them. FILE is an image, a folder of images, a data\n"
    "set (dataset:FOLDER), a video, a camera (/dev/video0, or camera:FILE, which plays a file as if it were one),\n"
    "a forest (.ktx2), or a project (.json) with its pictures.\n"
    "\n"
    "  -f, --forest FILE      use the forest in this .ktx2 file\n"
    "      --input NAME=PATTERN  the files of another input of the pictures; {} stands for a picture's name:\n"
    "                         'depth=depth/{}.png'; may be repeated; paths in a data set count from its folder\n"
    "      --frames           the pictures of a folder are frames of a video: each is labelled with the previous "
    "frame\n"
    "  -s, --script FILE      run the actions in this file, one per line, then continue interactively\n"
    "  -o, --screenshot FILE  write the canvas as a PNG file at the end\n"
    "      --headless         draw without a display, and exit at the end of the script\n"
    "      --size WIDTHxHEIGHT  size of the canvas; default: that of the last window, else 960x640\n"
    "      --settings FILE    keep window, panels and recent files in this file instead of viewer.json in\n"
    "                         $XDG_CONFIG_HOME/shadewood; with --headless nothing is kept unless this is given\n"
    "  -d, --device N         the Vulkan device, numbered as by `shadewood devices`; default: 0\n"
    "      --validation       enable the Vulkan validation layers; any message from them makes the program fail\n"
    "  -h, --help             this text\n"
    "\n"
    "Exit status: 0 after success, 1 if a file or an action failed, 2 if the command line is not understood, 3 without "
    "a\n"
    "Vulkan device that can do it.\n";

static int usage_error(const char *text, const char *value)
{
    fprintf(stderr, "shadewood-viewer: %s: %s (try --help)\n", text, value);
    return USAGE;
}

static bool parse_size(const char *text, VkExtent2D *size)
{
    char end;

    return sscanf(text, "%ux%u%c", &size->width, &size->height, &end) == 2 && size->width > 0 && size->height > 0 &&
           size->width <= 16384 && size->height <= 16384;
}

static bool take_input(char *text, struct options *options)
{
    char *equals = strchr(text, '=');

    if (equals == NULL || equals == text || equals[1] == '\0' || options->app.others.count + 1 >= SHW_INPUTS_MAX)
        return false;
    *equals = '\0'; /* arguments are the program's to change */
    options->inputs[options->app.others.count++] = (struct shw_input_file){text, equals + 1};
    return true;
}

/* Returns -1 to continue, or the exit code. */
static int parse(int argc, char **argv, struct options *options)
{
    enum { HEADLESS = 256, SIZE, SETTINGS, VALIDATION, INPUT, FRAMES };
    static const struct option known[] = {{"forest", required_argument, NULL, 'f'},
                                          {"input", required_argument, NULL, INPUT},
                                          {"frames", no_argument, NULL, FRAMES},
                                          {"script", required_argument, NULL, 's'},
                                          {"screenshot", required_argument, NULL, 'o'},
                                          {"headless", no_argument, NULL, HEADLESS},
                                          {"size", required_argument, NULL, SIZE},
                                          {"settings", required_argument, NULL, SETTINGS},
                                          {"device", required_argument, NULL, 'd'},
                                          {"validation", no_argument, NULL, VALIDATION},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    long device;
    int option;

    while ((option = getopt_long(argc, argv, "f:s:o:d:h", known, NULL)) != -1)
        switch (option) {
        case 'f': options->forest = optarg; break;
        case 's': options->script = optarg; break;
        case 'o': options->screenshot = optarg; break;
        case HEADLESS: options->headless = true; break;
        case SIZE:
            if (!parse_size(optarg, &options->app.canvas))
                return usage_error("--size needs WIDTHxHEIGHT", optarg);
            break;
        case 'd':
            if (!view_parse_number(optarg, 0, UINT32_MAX, &device))
                return usage_error("--device needs a number", optarg);
            options->app.device = (uint32_t)device;
            break;
        case SETTINGS: options->settings = optarg; break;
        case VALIDATION: options->app.validation = true; break;
        case INPUT:
            if (!take_input(optarg, options))
                return usage_error("--input needs NAME=PATTERN, at most ten times", optarg);
            break;
        case FRAMES: options->app.others.frames = true; break;
        case 'h':
            fputs(usage_text, stdout);
            view_action_help(view_action_list, stdout);
            return SUCCESS;
        default: return USAGE;
        }
    if (argc - optind > 1)
        return usage_error("only one FILE can be opened", argv[optind + 1]);
    return -1;
}

/* Frames are rendered when the script asks for them, and the clock advances by 1/60 second per frame. */
static enum shw_result run_headless(struct view_script *script, struct view_app *app)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    bool waits;

    while (!app->quit) {
        SHW_PROPAGATE(view_teaching_waits(&app->teaching, &waits));
        SHW_PROPAGATE(view_app_poll(app, (double)app->frames.count / 60.0));
        if (app->size.width > 0) {
            SHW_PROPAGATE(view_app_resize(app, app->size));
            app->size.width = 0;
        } else if (app->player.settle) {
            nanosleep(&moment, NULL);
        } else if (app->wait > 0) {
            app->wait--;
            SHW_PROPAGATE(view_app_frame(app, NULL));
        } else if (waits) {
            SHW_PROPAGATE(view_app_frame(app, NULL));
            nanosleep(&moment, NULL);
        } else if (script->next != NULL) {
            SHW_PROPAGATE(view_script_step(script, app));
        } else {
            break;
        }
    }
    return SHW_OK;
}

/* The log until there is an app with the same log. */
static void tell(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
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
    view_panels_recall(&app->panels, remembered.panels, remembered.panel_count);
    return SHW_OK;

fail:
    view_settings_free(&remembered);
    return result;
}

static enum shw_result open_files(const struct options *options, const char *file, struct view_app *app)
{
    char line[4096];

    if (options->forest != NULL) {
        snprintf(line, sizeof line, "forest %s", options->forest);
        SHW_PROPAGATE(view_app_run(app, line));
    }
    if (file != NULL) {
        snprintf(line, sizeof line, "open %s", file);
        SHW_PROPAGATE(view_app_run(app, line));
    }
    return SHW_OK;
}

static enum shw_result run_to_the_end(const struct options *options, const char *file, struct view_app *app,
                                      struct view_window *window, struct view_script *script)
{
    SHW_PROPAGATE(open_files(options, file, app));
    if (options->script != NULL)
        SHW_PROPAGATE(view_script_open(options->script, &app->log, script));
    SHW_PROPAGATE(options->headless ? run_headless(script, app) : view_window_run(window, script));
    return options->screenshot != NULL ? view_app_screenshot(app, options->screenshot) : SHW_OK;
}

static void remember(const struct view_window *window, struct view_app *app)
{
    struct view_settings *settings = &app->remembered;
    uint32_t panels = view_panels_remember(&app->panels, settings->panels);

    if (window != NULL)
        view_window_remember(window, settings);
    if (panels == 0)
        return;
    settings->panel_count = panels;
    settings->panels_off = !app->panels.on;
}

static enum shw_result run(const struct options *options, const char *file, struct view_app *app)
{
    const struct shw_log log = {tell, NULL, SHW_LOG_WARNING};
    struct view_script script = {0};
    struct view_window *window = NULL;
    enum shw_result result = create_app(options, &log, app);

    if (result == SHW_OK && !options->headless)
        result = view_window_create(app, &window);
    if (result == SHW_OK)
        result = run_to_the_end(options, file, app, window, &script);
    remember(window, app);
    view_settings_save(&app->remembered, &log);
    view_window_destroy(&window);
    view_script_close(&script);
    return result;
}

static int exit_status(enum shw_result result)
{
    if (result == SHW_OK)
        return SUCCESS;
    return result == SHW_ERROR_NO_DEVICE || result == SHW_ERROR_UNSUPPORTED ? NO_DEVICE : FAILURE;
}

int main(int argc, char **argv)
{
    struct options options = {0};
    struct view_app app = {0};
    enum shw_result result;
    unsigned messages;
    int status = parse(argc, argv, &options);

    if (status >= 0)
        return status;
    result = run(&options, argv[optind], &app);
    messages = view_app_destroy(&app);
    if (!options.headless)
        view_window_end();
    if (result == SHW_OK && messages > 0)
        return FAILURE;
    return exit_status(result);
}
