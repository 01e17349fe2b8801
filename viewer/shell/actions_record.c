/* Pictures and videos of what is shown. */
#include "shell/app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action/parse.h"
#include "base/log.h"
#include "image/image_name.h"
#include "image/image_paths.h"
#include "output/rescue.h"

#define SNAPSHOT_PIXELS_MAX ((uint64_t)1 << 26)

/* The name of the shown picture, of a frame that of its video; to be freed. */
static char *name_shown(const struct view_app *app)
{
    char *name = strdup(app->scene.picture->name != NULL ? app->scene.picture->name : "picture");
    double seconds;

    if (name != NULL)
        view_picture_split_name(name, &seconds);
    return name;
}

/* A name that no file has, called after the shown picture, beside the project or else in the current folder. NULL if
 * out of memory. */
static char *choose_path(const struct view_app *app, const char *ending)
{
    const char *folder = app->teaching.project.folder;
    char stem[SHW_BASE_NAME_SIZE], *name = name_shown(app), *place, *path, *made;

    if (name == NULL)
        return NULL;
    shw_image_base_name(name, stem);
    free(name);
    place = shw_path_in(folder != NULL ? folder : "", stem);
    path = place != NULL ? shw_path_join(place, ending, "") : NULL;
    made = path != NULL ? shw_name_unused(path) : NULL;
    free(place);
    free(path);
    return made;
}

/* The canvas as it is for a moment: without panels, as large as the picture. */
static enum shw_result render_picture(struct view_app *app, VkExtent2D extent, const char *path)
{
    struct view_frame extra = {.read = true};
    double budget = app->scene.labelling.budget;
    enum shw_result result;

    SHW_PROPAGATE(view_app_resize(app, extent));
    view_scene_fit(&app->scene);
    app->scene.labelling.budget = 0.0;
    do
        result = view_app_frame(app, &extra);
    while (result == SHW_OK && !view_scene_is_current(&app->scene));
    app->scene.labelling.budget = budget;
    SHW_PROPAGATE(result);
    SHW_PROPAGATE(view_frames_wait(&app->gpu, &app->frames));
    return view_offscreen_save(&app->gpu, &app->canvas, path);
}

static enum shw_result write_snapshot(struct view_app *app, const char *path)
{
    const struct shw_image *image = &app->scene.picture->image;
    const VkExtent2D canvas = app->canvas.image.extent, extent = {image->width, image->height};
    const uint32_t most = app->gpu.properties.limits.maxImageDimension2D, wipe = app->scene.settings.wipe;
    const struct view_place place = app->scene.place;
    bool panels = app->panels.on, fitted = app->scene.fitted;
    enum shw_result result, restored;

    if (extent.width > most || extent.height > most || (uint64_t)extent.width * extent.height > SNAPSHOT_PIXELS_MAX)
        return shw_fail(&app->log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT,
                        "a picture of %u x %u pixels is too large for a snapshot: `export overlays FOLDER` writes it",
                        extent.width, extent.height);
    SHW_PROPAGATE(view_teaching_check_output(&app->teaching, path, &shw_file_screenshot));
    SHW_PROPAGATE(view_panels_switch(&app->panels, false));
    app->scene.settings.wipe = 0;
    result = render_picture(app, extent, path);
    app->scene.settings.wipe = wipe;
    restored = view_panels_switch(&app->panels, panels);
    if (restored == SHW_OK)
        restored = view_app_resize(app, canvas);
    app->scene.place = place;
    app->scene.fitted = fitted;
    app->scene.redraw = true;
    return result != SHW_OK ? result : restored;
}

static enum shw_result need_picture(const struct view_app *app)
{
    return app->scene.picture != NULL
               ? SHW_OK
               : shw_fail(&app->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "no picture is shown");
}

static enum shw_result take_snapshot(void *user, const char *argument)
{
    struct view_app *app = user;
    char *path;
    enum shw_result result;

    SHW_PROPAGATE(need_picture(app));
    path = *argument != '\0' ? strdup(argument) : choose_path(app, "_snapshot.png");
    if (path == NULL)
        return shw_fail_memory(&app->log, "a snapshot");
    result = write_snapshot(app, path);
    if (result == SHW_OK)
        snprintf(app->said, sizeof app->said, "wrote %s", path);
    free(path);
    return result;
}

static enum shw_result begin_recording(struct view_app *app, const char *path)
{
    SHW_PROPAGATE(view_teaching_check_output(&app->teaching, path, &shw_file_video));
    SHW_PROPAGATE(view_recorder_begin(&app->recorder, path, app->player.every_picture, &app->log));
    view_recorder_take(&app->recorder, &app->scene);
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

static const struct view_action actions[] = {
    {"snapshot", "[FILE]",
     "write the shown picture under its overlay and strokes as a PNG file of its full size; by default with a new name "
     "beside the project, or else in the current folder",
     take_snapshot},
    {"record", "FILE|on|off",
     "record the pictures of a video or a camera under their classes as a video (.mkv, .mp4, .mov or .avi), in the "
     "background; on: with a new name",
     record},
    {0}};

static const struct view_key keys[] = {{"F12", "snapshot", "snapshot of the picture"}, {0}};

const struct view_action_group view_record_group = {"Snapshots and recordings", actions, keys};
