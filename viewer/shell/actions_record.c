/* Pictures and videos of what is shown. */
#include "shell/app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "action/action.h"
#include "base/log.h"
#include "files/io/image_paths.h"
#include "files/io/output_files.h"

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
     "write the shown picture under its overlay and strokes as a PNG file of its full size, in the background; by "
     "default with a new name beside the project, or else in the current folder",
     take_snapshot},
    {"record", "FILE|on|off",
     "record the pictures of a video or a camera under their classes as a video (.mkv, .mp4, .mov or .avi), in the "
     "background; on: with a new name",
     record},
    {0}};

static const struct view_key keys[] = {{"F12", "snapshot", "snapshot of the picture"}, {0}};

const struct view_action_group view_record_group = {"Snapshots and recordings", actions, keys};
