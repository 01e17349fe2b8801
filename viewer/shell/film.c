#include "shell/film.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action/action.h"
#include "base/log.h"
#include "files/io/output_files.h"
#include "shell/app.h"
#include "shell/input.h"

#define FRAME_RATE  60u /* of scripts without a display */
#define EVERY       2u  /* frame is filmed */
#define SECONDS_MAX 60.0

static enum shw_result need_script(const struct view_app *app)
{
    return app->interactive ? shw_fail(&app->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                                       "only scripts without a display (--headless) make films")
                            : SHW_OK;
}

static void show_pointer(const struct view_app *app, bool shown)
{
    struct view_ui *ui = view_panels_ui(&app->panels);

    if (ui != NULL)
        view_ui_show_pointer(ui, shown);
}

/* Slowly at the beginning and at the end. */
static void move_pointer(struct view_app *app)
{
    struct view_film *film = &app->film;
    double part;

    if (film->glide.done == film->glide.frames)
        return;
    part = (double)++film->glide.done / film->glide.frames;
    part = part * part * (3.0 - 2.0 * part);
    view_input_move(app, film->glide.from_x + part * (film->glide.to_x - film->glide.from_x),
                    film->glide.from_y + part * (film->glide.to_y - film->glide.from_y));
}

/* Adds what the canvas shows. */
static enum shw_result add_frame(struct view_app *app)
{
    struct view_film *film = &app->film;
    const VkExtent2D extent = app->canvas.image.extent;
    const double seconds = (double)film->frames / FRAME_RATE;
    uint8_t *rgb;
    enum shw_result result;

    SHW_PROPAGATE(shw_video_check_size(film->file, extent.width, extent.height));
    SHW_PROPAGATE(view_frames_wait(&app->gpu, &app->frames));
    rgb = view_offscreen_copy(&app->canvas);
    if (rgb == NULL)
        return shw_fail_memory(&app->log, "a film");
    result = shw_video_add(film->file, rgb, seconds);
    free(rgb);
    return result;
}

enum shw_result view_film_frame(struct view_app *app)
{
    struct view_film *film = &app->film;
    const struct view_frame extra = {.read = film->file != NULL && film->frames % EVERY == 0};
    enum shw_result result = SHW_OK;

    move_pointer(app);
    show_pointer(app, film->file != NULL);
    SHW_PROPAGATE(view_app_frame(app, &extra));
    if (extra.read)
        result = add_frame(app);
    film->frames++;
    if (result != SHW_OK)
        view_film_end(app);
    return result;
}

enum shw_result view_film_end(struct view_app *app)
{
    struct view_film *film = &app->film;
    enum shw_result result;

    if (film->file == NULL)
        return SHW_OK;
    show_pointer(app, false);
    result = shw_video_close(&film->file);
    if (result == SHW_OK)
        snprintf(app->said, sizeof app->said, "filmed %.1f seconds to %s", (double)film->frames / FRAME_RATE,
                 film->path);
    free(film->path);
    film->path = NULL;
    return result;
}

static enum shw_result begin(struct view_app *app, const char *path)
{
    struct view_film *film = &app->film;
    const VkExtent2D extent = app->canvas.image.extent;
    const struct shw_video_params params = {
        .path = path, .width = extent.width, .height = extent.height, .frame_rate = (double)FRAME_RATE / EVERY};

    if (film->file != NULL)
        return shw_fail(&app->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s is being made: `film off` ends that",
                        film->path);
    SHW_PROPAGATE(view_teaching_check_output(&app->teaching, path, &shw_file_video));
    free(film->path);
    film->path = strdup(path);
    if (film->path == NULL)
        return shw_fail_memory(&app->log, path);
    film->frames = 0;
    return shw_video_create(&params, &app->log, &film->file);
}

static enum shw_result make_film(void *user, const char *argument)
{
    struct view_app *app = user;

    SHW_PROPAGATE(need_script(app));
    if (strcmp(argument, "off") != 0)
        return begin(app, argument);
    if (app->film.file == NULL)
        return shw_fail(&app->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "no film is being made");
    return view_film_end(app);
}

/* SECONDS, and X Y or a label */
static enum shw_result glide(void *user, const char *argument)
{
    struct view_app *app = user;
    struct view_film *film = &app->film;
    char *target;
    const double seconds = strtod(argument, &target);
    double x, y;
    int64_t column, row;

    SHW_PROPAGATE(need_script(app));
    if (!(seconds > 0.0 && seconds <= SECONDS_MAX) || *target != ' ')
        return view_action_refuse(&app->log, "a number of seconds up to 60, and a place or a label", argument);
    target += strspn(target, " ");
    if (view_parse_pair(target, -100000, 100000, &column, &row)) {
        x = (double)column + 0.5;
        y = (double)row + 0.5;
    } else if (!view_app_find(app, target, &x, &y)) {
        return view_action_refuse(&app->log, "a number of seconds, and a place or a label that is visible", argument);
    }
    film->glide.from_x = app->cursor.x;
    film->glide.from_y = app->cursor.y;
    film->glide.to_x = x;
    film->glide.to_y = y;
    film->glide.done = 0;
    film->glide.frames = app->wait = (uint32_t)(seconds * FRAME_RATE + 0.5);
    return SHW_OK;
}

static enum shw_result say(void *user, const char *argument)
{
    struct view_app *app = user;

    snprintf(app->said, sizeof app->said, "%s", argument);
    return SHW_OK;
}

static const struct view_action actions[] = {
    {"film", "FILE|off",
     "in scripts without a display: make a video of the window's contents, with the pointer (.mkv, .mp4, .mov or "
     ".avi), thirty pictures a second of the frames that the script waits for by number or by `glide`",
     make_film},
    {"glide", "SECONDS WHERE...",
     "in scripts without a display: move the mouse within this time to X Y, or to the first item in the panels with "
     "this label",
     glide},
    {"say", "TEXT", "show this for some seconds, as a message", say},
    {0}};

static const struct view_key keys[] = {{0}};

const struct view_action_group view_film_group = {"Films, by scripts", actions, keys};
