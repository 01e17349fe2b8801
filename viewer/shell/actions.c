#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "action/action.h"
#include "base/log.h"
#include "base/text.h"
#include "files/io/image_paths.h"
#include "files/io/output_files.h"
#include "shell/app.h"
#include "shell/input.h"
#include "ui/bars.h"

/* SIDE POINTS or SIDE auto */
static enum shw_result set_width(struct view_app *app, const char *argument)
{
    static const char usage[] = "`width`, left or right, and auto or a number of points from 220 to 2000";
    const size_t length = strcspn(argument, " \t");
    const char *rest = argument + length + strspn(argument + length, " \t");
    double width = 0.0;
    char *end;

    for (int side = 0; side < VIEW_SIDES; side++) {
        if (strlen(view_side_names[side]) != length || strncmp(view_side_names[side], argument, length) != 0)
            continue;
        if (strcmp(rest, "auto") != 0) {
            width = strtod(rest, &end);
            if (end == rest || *end != '\0' || !(width >= VIEW_COLUMN_LEAST && width <= VIEW_COLUMN_MOST))
                break;
        }
        view_panels_set_width(&app->panels, (enum view_side)side, (float)width);
        return SHW_OK;
    }
    return view_action_refuse(&app->log, usage, argument);
}

/* SIDE, and on, off, toggle or auto. */
static enum shw_result switch_column(struct view_app *app, enum view_side side, const char *state)
{
    bool shown = app->panels.on && view_panels_has_column(&app->panels, side);

    if (strcmp(state, "auto") == 0) {
        view_panels_set_column(&app->panels, side, VIEW_COLUMN_AUTO);
        return SHW_OK;
    }
    SHW_PROPAGATE(view_parse_switch(&app->log, state, &shown));
    view_panels_set_column(&app->panels, side, shown ? VIEW_COLUMN_SHOWN : VIEW_COLUMN_FOLDED);
    return shown ? view_panels_switch(&app->panels, true) : SHW_OK;
}

static enum shw_result switch_panels(void *user, const char *argument)
{
    struct view_app *app = user;
    bool on = app->panels.on;

    if (strncmp(argument, "width ", 6) == 0)
        return set_width(app, argument + 6);
    for (int side = 0; side < VIEW_SIDES; side++) {
        const size_t length = strlen(view_side_names[side]);
        if (strncmp(argument, view_side_names[side], length) == 0 && argument[length] == ' ')
            return switch_column(app, (enum view_side)side, argument + length + strspn(argument + length, " "));
    }
    SHW_PROPAGATE(view_parse_switch(&app->log, argument, &on));
    return view_panels_switch(&app->panels, on);
}

/* NAME and on, off, toggle, fold, unfold or a side, to which it is moved. Showing a panel shows the others, too. */
static enum shw_result switch_panel(void *user, const char *argument)
{
    struct view_app *app = user;
    size_t length = strcspn(argument, " \t");
    const char *state = argument + length + strspn(argument + length, " \t");
    uint32_t number = view_panels_number(&app->panels, argument, length);
    bool shown;

    if (number == VIEW_PANELS_MAX)
        return view_action_refuse(&app->log, "a panel's name followed by on, off, toggle, fold, unfold, left or right",
                                  argument);
    for (int side = 0; side < VIEW_SIDES; side++)
        if (strcmp(state, view_side_names[side]) == 0) {
            SHW_PROPAGATE(view_panels_switch(&app->panels, true));
            view_panels_move(&app->panels, number, (enum view_side)side);
            return SHW_OK;
        }
    if (strcmp(state, "fold") == 0 || strcmp(state, "unfold") == 0) {
        view_panels_fold(&app->panels, number, state[0] == 'u');
        return SHW_OK;
    }
    shown = view_panels_shown(&app->panels, number);
    SHW_PROPAGATE(view_parse_switch(&app->log, state, &shown));
    if (shown)
        SHW_PROPAGATE(view_panels_switch(&app->panels, true));
    view_panels_show(&app->panels, number, shown);
    return SHW_OK;
}

/* A number overrides the display's scale until `auto`. */
static enum shw_result set_scale(void *user, const char *argument)
{
    struct view_app *app = user;
    bool chosen = strcmp(argument, "auto") != 0;
    double scale = (double)app->display_scale;

    SHW_PROPAGATE(chosen ? view_parse_positive(&app->log, argument, &scale) : SHW_OK);
    if (scale < VIEW_SCALE_MIN || scale > VIEW_SCALE_MAX)
        return view_action_refuse(&app->log, "auto, or a factor from 0.5 to 4", argument);
    app->remembered.scale = chosen ? (float)scale : 0.0f;
    return view_panels_scale(&app->panels, (float)scale);
}

static enum shw_result show_icons(void *user, const char *argument)
{
    struct view_app *app = user;
    bool icons = !app->remembered.words;

    SHW_PROPAGATE(view_parse_switch(&app->log, argument, &icons));
    app->remembered.words = !icons;
    view_ui_show_words(!icons);
    view_panels_touch(&app->panels);
    return SHW_OK;
}

static enum shw_result switch_help(void *user, const char *argument)
{
    struct view_app *app = user;
    bool on = view_panels_sheet_shown(&app->panels) == VIEW_SHEET_HELP;
    enum shw_result result = view_parse_switch(&app->log, argument, &on);

    return result == SHW_OK ? view_panels_sheet(&app->panels, on ? VIEW_SHEET_HELP : VIEW_SHEET_NONE) : result;
}

/* Without a text the filter gets the focus. */
static enum shw_result find_class(void *user, const char *argument)
{
    struct view_app *app = user;
    struct view_legend *legend = &app->panels.context.legend;
    uint32_t number = view_panels_number(&app->panels, "classes", strlen("classes"));

    snprintf(legend->filter, sizeof legend->filter, "%s", argument);
    SHW_PROPAGATE(view_panels_switch(&app->panels, true));
    view_panels_show(&app->panels, number, true);
    app->panels.open[number] = true;
    legend->focus = argument[0] == '\0';
    return SHW_OK;
}

static enum shw_result browse(void *user, const char *argument)
{
    struct view_app *app = user;
    enum view_browse subject;

    if (!view_browse_find(*argument != '\0' ? argument : "all", &subject))
        return view_action_refuse(
            &app->log, "all, project, pictures, import, forest, cascade, another-cascade, rectangles or code",
            argument);
    return view_panels_browse(&app->panels, subject);
}

static enum shw_result close_all(void *user, const char *argument)
{
    struct view_app *app = user;

    (void)argument;
    view_toasts_clear(&app->toasts);
    return view_panels_sheet(&app->panels, VIEW_SHEET_NONE);
}

static const struct view_action actions[] = {
    {"panels", "on|off|toggle|SIDE on|off|toggle|auto|width SIDE POINTS|auto",
     "show or hide panels and bars, or the column on the left or right (auto: if there is room), or set its width, in "
     "points at the text size 100 %",
     switch_panels},
    {"panel", "NAME on|off|toggle|fold|unfold|left|right",
     "show or hide one panel, fold all but its title, or move it to a side of the picture", switch_panel},
    {"find-class", "[TEXT]", "list only classes with this text in their names; without it, type it in the panel",
     find_class},
    {"browse", "[all|project|pictures|import|forest|cascade|another-cascade|rectangles|code]",
     "choose a file or folder to open, the pictures of a new project or more for the open one, masks to import, a "
     "forest, a cascade (in the place of the chosen one, or beside those that are open), rectangles, or a text with a "
     "feature or channel",
     browse},
    {"help", "on|off|toggle", "show or hide the list of keys", switch_help},
    {"close", NULL, "close help, file selection and messages", close_all},
    {"icons", "on|off|toggle", "show icons, or words in their places", show_icons},
    {"scale", "auto|FACTOR", "set the size of text and panels, from 0.5 to 4; auto: as the display asks", set_scale},
    {0}};

static const struct view_key keys[] = {{"Tab", "panels toggle", "panels on or off"},
                                       {"Ctrl+O", "browse", "open files"},
                                       {"Ctrl+F", "find-class", "find a class by its name"},
                                       {"F1", "help toggle", "this help"},
                                       {"F2", "panel teach toggle", "show or hide Teaching"},
                                       {"F3", "panel inspect toggle", "show or hide Look inside"},
                                       {"F4", "panels left toggle", "left column on or off"},
                                       {"F5", "panels right toggle", "right column on or off"},
                                       {"?", "help toggle", "this help"},
                                       {"Escape", "close", "close this and messages"},
                                       {0}};

const struct view_action_group view_panels_group = {"Panels", actions, keys};

#define FRAMES_MAX 1000000

static enum shw_result set_vsync(void *user, const char *argument)
{
    struct view_app *app = user;

    return view_parse_switch(&app->log, argument, &app->vsync);
}

static enum shw_result set_size(void *user, const char *argument)
{
    struct view_app *app = user;
    const uint32_t most = app->gpu.properties.limits.maxImageDimension2D;
    int64_t width, height;

    if (!view_parse_pair(argument, 1, (int64_t)most, &width, &height))
        return view_action_refuse(&app->log, "a width and a height in pixels", argument);
    app->size = (VkExtent2D){(uint32_t)width, (uint32_t)height};
    return SHW_OK;
}

static enum shw_result wait_for(void *user, const char *argument)
{
    struct view_app *app = user;
    static const char *const kinds[] = {
        [VIEW_WAIT_SMALL] = "small", [VIEW_WAIT_FULL] = "trained", [VIEW_WAIT_JUDGED] = "judged"};
    int64_t frames;

    if (strcmp(argument, "export") == 0)
        return view_exporting_await(&app->exporting);
    if (strcmp(argument, "import") == 0) {
        app->importing.awaited = view_importing_is_busy(&app->importing);
        return SHW_OK;
    }
    if (strcmp(argument, "recent") == 0) {
        app->wait_opened = true;
        return SHW_OK;
    }
    for (uint32_t l = VIEW_WAIT_SMALL; l <= VIEW_WAIT_JUDGED; l++)
        if (strcmp(argument, kinds[l]) == 0) {
            enum shw_result result = view_project_need(&app->teaching.project, &app->log);
            app->teaching.wait = result == SHW_OK ? (enum view_train_wait)l : VIEW_WAIT_NONE;
            return result;
        }
    if (strcmp(argument, "objects") == 0)
        return view_objects_await(&app->objects);
    if (strcmp(argument, "labels") == 0) {
        app->wait_labels = true;
        return SHW_OK;
    }
    if (!view_parse_number(argument, 0, FRAMES_MAX, &frames))
        return view_action_refuse(
            &app->log, "a number of frames, labels, objects, small, trained, judged, export, import or recent",
            argument);
    app->wait = (uint32_t)frames;
    return SHW_OK;
}

static enum shw_result sleep_for(void *user, const char *argument)
{
    struct view_app *app = user;
    double seconds;

    SHW_PROPAGATE(view_parse_positive(&app->log, argument, &seconds));
    app->resume = view_clock() + seconds;
    return SHW_OK;
}

static enum shw_result take_screenshot(void *user, const char *argument)
{
    return view_app_screenshot(user, argument);
}

static enum shw_result set_overwrite(void *user, const char *argument)
{
    struct view_app *app = user;

    return view_parse_switch(&app->log, argument, &app->scene.outputs.overwrite);
}

static enum shw_result print_status(void *user, const char *argument)
{
    const struct view_app *app = user;
    struct view_status status;

    (void)argument;
    view_status_tell(&app->panels.params.parts, &status);
    printf("status: %s; %s\n", status.work[0] != '\0' ? status.work : "nothing is computed",
           status.saved[0] != '\0' ? shw_printable(status.saved).text : "nothing to save");
    fflush(stdout);
    return SHW_OK;
}

static enum shw_result quit(void *user, const char *argument)
{
    struct view_app *app = user;

    (void)argument;
    app->quit = true;
    return SHW_OK;
}

/* `quit` for interactive use: asks first about an export in progress, and then about unsaved work, which may change
 * until the export has ended. */
static enum shw_result leave(void *user, const char *argument)
{
    struct view_app *app = user;

    return view_exporting_asks_to_quit(&app->exporting) || view_app_asks_to_leave(app) ? SHW_OK : quit(app, argument);
}

static const struct view_action program_actions[] = {
    {"size", "WIDTH HEIGHT", "set the size of the window's contents, in pixels", set_size},
    {"vsync", "on|off|toggle", "synchronise frames with the display", set_vsync},
    {"wait", "FRAMES|labels|objects|small|trained|judged|export|import|recent",
     "in scripts: wait for this many frames, or until what is seen is loaded and labelled, or its objects are found, "
     "or the small forest trained "
     "from the strokes is shown, or the full one, or its accuracy is known, or until the export, the count of its "
     "files, or the import has ended, or what was opened before has been looked at",
     wait_for},
    {"sleep", "SECONDS", "in scripts: continue after this time", sleep_for},
    {"screenshot", "FILE", "write the window's contents as a PNG file", take_screenshot},
    {"status", NULL, "print what the status bar says of the work in progress and of what is saved", print_status},
    {"overwrite", "on|off|toggle",
     "replace existing files even if Shadewood did not write them, or they were changed since; never those that are "
     "read",
     set_overwrite},
    {"quit", NULL, "quit the program", quit},
    {"leave", NULL,
     "quit, but ask first if the project, rectangles or a trained cascade are not saved, or an export or the training "
     "of a cascade is in progress",
     leave},
    {0}};

static const struct view_key program_keys[] = {
    {"Ctrl+P", "screenshot shadewood-viewer.png", "screenshot"}, {"Ctrl+Q", "leave", "quit"}, {0}};

const struct view_action_group view_program_group = {"Program", program_actions, program_keys};

static const char mouse_help[] = "`move X Y`, `press` or `release` and left, right or middle, `wheel NOTCHES`, or "
                                 "`hold` and control, shift or nothing";

static enum shw_result press(struct view_app *app, const char *argument, const char *name, bool down)
{
    static const char *const names[VIEW_BUTTONS] = {"left", "right", "middle"};

    for (uint32_t b = 0; b < VIEW_BUTTONS; b++)
        if (strcmp(names[b], name) == 0) {
            view_input_button(app, (enum view_button)b, down);
            return SHW_OK;
        }
    return view_action_refuse(&app->log, mouse_help, argument);
}

static enum shw_result hold(struct view_app *app, const char *argument, const char *name)
{
    bool control = strcmp(name, "control") == 0, shift = strcmp(name, "shift") == 0;

    if (!control && !shift && strcmp(name, "nothing") != 0)
        return view_action_refuse(&app->log, mouse_help, argument);
    view_input_hold(app, control, shift);
    return SHW_OK;
}

static enum shw_result mouse(void *user, const char *argument)
{
    struct view_app *app = user;
    size_t length = strcspn(argument, " \t");
    const char *rest = argument + length + strspn(argument + length, " \t");
    int64_t x, y;

    if (strncmp(argument, "press", length) == 0)
        return press(app, argument, rest, true);
    if (strncmp(argument, "release", length) == 0)
        return press(app, argument, rest, false);
    if (strncmp(argument, "move", length) == 0 && view_parse_pair(rest, -100000, 100000, &x, &y))
        view_input_move(app, (double)x + 0.5, (double)y + 0.5);
    else if (strncmp(argument, "hold", length) == 0)
        return hold(app, argument, rest);
    else if (strncmp(argument, "wheel", length) == 0 && view_parse_number(rest, -100, 100, &y))
        view_input_wheel(app, (double)y);
    else
        return view_action_refuse(&app->log, mouse_help, argument);
    return SHW_OK;
}

/* Presses and releases the left button at the position of the label. */
static enum shw_result click(void *user, const char *argument)
{
    struct view_app *app = user;
    double x, y;

    if (!view_app_find(app, argument, &x, &y))
        return view_action_refuse(&app->log, "a label that is visible", argument);
    view_input_move(app, x, y);
    view_input_button(app, VIEW_LEFT, true);
    view_input_button(app, VIEW_LEFT, false);
    return SHW_OK;
}

/* Text is UTF-8; invalid bytes are skipped. */
static enum shw_result type(void *user, const char *argument)
{
    struct view_app *app = user;
    enum shw_result result = SHW_OK;

    for (const unsigned char *next = (const unsigned char *)argument; *next != '\0' && result == SHW_OK;) {
        uint32_t more = *next < 0x80 ? 0 : *next >= 0xf0 ? 3 : *next >= 0xe0 ? 2 : *next >= 0xc0 ? 1 : 4;
        uint32_t codepoint = more == 0 ? *next : *next & (0x3fu >> more);
        next++;
        for (; more > 0 && more < 4 && (*next & 0xc0) == 0x80; more--)
            codepoint = codepoint << 6 | (*next++ & 0x3fu);
        if (more == 0)
            result = view_input_character(app, codepoint);
    }
    return result;
}

static enum shw_result press_key(void *user, const char *argument)
{
    return view_input_key(user, argument);
}

static enum shw_result drop(void *user, const char *argument)
{
    return view_input_drop(user, argument);
}

static const struct view_action input_actions[] = {
    {"mouse", "WHAT...",
     "move or use the mouse: `move X Y`, `press` or `release` and left, right or middle, `wheel NOTCHES`, or `hold` "
     "and control, shift or nothing",
     mouse},
    {"click", "LABEL", "click on the first item in the panels with this label; `wait 4` lets it take effect", click},
    {"key", "KEY", "press a key: Ctrl+S, Left, F1, ...", press_key},
    {"type", "TEXT", "type characters", type},
    {"drop", "FILE", "drop a file onto the window: same as `open`", drop},
    {0}};

static const struct view_key input_keys[] = {{0}};

const struct view_action_group view_input_group = {"Mouse and keys, for scripts", input_actions, input_keys};

/* Pictures and videos of what is shown. */

/* The name of the shown picture, of a frame that of its video; to be freed. */
static char *name_shown(const struct view_app *app)
{
    char *name = strdup(app->scene.picture->name != NULL ? app->scene.picture->name : "picture");
    double seconds;

    if (name != NULL)
        view_picture_split_name(name, &seconds);
    return name;
}

/* A name that no file has and no snapshot will have, called after the shown picture, beside the project or else in the
 * current folder. NULL if out of memory. */
static char *choose_path(const struct view_app *app, const char *ending)
{
    const char *folder = app->teaching.project.folder;
    char stem[SHW_BASE_NAME_SIZE], *name = name_shown(app), *place, *path, *made;
    struct stat status;

    if (name == NULL)
        return NULL;
    shw_image_base_name(name, stem);
    free(name);
    place = shw_path_in(folder != NULL ? folder : "", stem);
    path = place != NULL ? shw_path_join(place, ending, "") : NULL;
    made = path != NULL ? strdup(path) : NULL;
    for (unsigned number = 2; made != NULL && (lstat(made, &status) == 0 || view_snapshots_have(&app->snapshots, made));
         number++) {
        free(made);
        made = shw_name_beside(path, number);
    }
    free(place);
    free(path);
    return made;
}

static enum shw_result need_picture(const struct view_app *app)
{
    return app->scene.picture != NULL
               ? SHW_OK
               : shw_fail(&app->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "no picture is shown");
}

/* Of what is shown now; `path` becomes its own. */
static struct view_snapshot *make_snapshot(struct view_app *app, char *path)
{
    struct view_teaching *teaching = &app->teaching;
    struct shw_picture_labels *strokes =
        teaching->project.data != NULL ? view_painting_labels(&teaching->painting) : NULL;
    struct shw_output_files files;

    view_teaching_set_strokes(teaching);
    if (view_teaching_begin_output(teaching, path, &shw_file_screenshot, &files) == SHW_OK)
        return view_snapshot_make(&app->scene, &app->inside.channels, strokes, path, &files);
    shw_output_files_free(&files);
    free(path);
    return NULL;
}

static enum shw_result take_snapshot(void *user, const char *argument)
{
    struct view_app *app = user;
    const struct shw_image *image;
    struct view_snapshot *snapshot;
    char *path;

    SHW_PROPAGATE(need_picture(app));
    image = &app->scene.picture->image;
    if ((uint64_t)image->width * image->height > VIEW_SNAPSHOT_PIXELS_MAX)
        return shw_fail(&app->log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT,
                        "a picture of %u x %u pixels is too large for a snapshot: `export overlays FOLDER` writes it",
                        image->width, image->height);
    path = *argument != '\0' ? strdup(argument) : choose_path(app, "_snapshot.png");
    if (path == NULL)
        return shw_fail_memory(&app->log, "a snapshot");
    snapshot = make_snapshot(app, path);
    if (snapshot == NULL)
        return SHW_ERROR_ARGUMENT;
    snapshot->scale_side = view_objects_scale_side(&app->objects);
    SHW_PROPAGATE(view_snapshots_begin(&app->snapshots, snapshot));
    if (app->scene.labelling.params.budget > 0.0)
        return SHW_OK;
    view_snapshots_wait(&app->snapshots);
    return view_snapshots_poll(&app->snapshots, app->said, sizeof app->said);
}

static enum shw_result begin_recording(struct view_app *app, const char *path)
{
    SHW_PROPAGATE(view_teaching_check_output(&app->teaching, path, &shw_file_video));
    SHW_PROPAGATE(view_recorder_begin(&app->recorder, path, app->player.every_picture, &app->log));
    view_recorder_take(&app->recorder, &app->scene, view_objects_scale_side(&app->objects));
    return SHW_OK;
}

static enum shw_result record(void *user, const char *argument)
{
    struct view_app *app = user;
    char *path;
    enum shw_result result;

    if (strcmp(argument, "off") == 0) {
        if (!view_recorder_is_on(&app->recorder))
            return shw_fail(&app->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "nothing is being recorded");
        return view_recorder_end(&app->recorder);
    }
    if (strcmp(argument, "on") != 0)
        return begin_recording(app, argument);
    SHW_PROPAGATE(need_picture(app));
    path = choose_path(app, "_recording.mkv");
    result = path != NULL ? begin_recording(app, path) : shw_fail_memory(&app->log, "a recording");
    free(path);
    return result;
}

static const struct view_action record_actions[] = {
    {"snapshot", "[FILE]",
     "write the shown picture under its overlay and strokes as a PNG file of its full size, in the background; by "
     "default with a new name beside the project, or else in the current folder",
     take_snapshot},
    {"record", "FILE|on|off",
     "record the pictures of a video or a camera under their classes as a video (.mkv, .mp4, .mov or .avi), in the "
     "background; on: with a new name",
     record},
    {0}};

static const struct view_key record_keys[] = {{"F12", "snapshot", "snapshot of the picture"}, {0}};

const struct view_action_group view_record_group = {"Snapshots and recordings", record_actions, record_keys};
