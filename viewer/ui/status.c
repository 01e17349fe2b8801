/* The status bar below the picture: each thing has its place, so that nothing moves while numbers change. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "annotate/annotating.h"
#include "detect/detecting.h"
#include "detect/learning.h"
#include "export/exporting.h"
#include "files/io/image_paths.h"
#include "import/importing.h"
#include "inspect/inspect.h"
#include "inspect/under.h"
#include "object/objects.h"
#include "record/recorder.h"
#include "teach/teaching.h"
#include "ui/bars.h"

/* Places in points, from the left edge, and the widths of what is at the right end. */

#define SIZE_AT     8.0f
#define ZOOM_AT     104.0f
#define NUMBER_AT   164.0f /* of the picture, among those of a folder */
#define PIXEL_AT    258.0f
#define CLASS_AT    350.0f
#define CLASS_LEAST 150.0f /* the class has this much at least, and the rest of the line */
#define WORK_WIDTH  190.0f
#define SAVED_WIDTH 210.0f

static void show_place(const struct view_parts *parts)
{
    const struct view_scene *scene = parts->scene;
    const struct view_source_info info = view_player_info(scene->player);
    const double percent = 100.0 * scene->place.zoom / VIEW_ZOOM_ONE;

    view_ui_same_line(SIZE_AT);
    if (scene->picture == NULL) {
        view_ui_text("no picture");
        return;
    }
    view_ui_text("%u × %u", scene->picture->image.width, scene->picture->image.height);
    view_ui_same_line(ZOOM_AT);
    view_ui_text(percent < 100.0 ? "%.3g %%" : "%.0f %%", percent);
    if (info.count > 1) {
        view_ui_same_line(NUMBER_AT);
        view_ui_text("%u of %u", info.index + 1, info.count);
    }
    if (!parts->under->pointed)
        return;
    view_ui_same_line(PIXEL_AT);
    view_ui_text("%u, %u", parts->under->x, parts->under->y);
}

/* The likeliest class under the mouse, and its probability. */
static void show_class(const struct view_parts *parts, float room)
{
    const struct view_scene *scene = parts->scene;
    const struct view_under *under = parts->under;
    char buffer[32], text[300];
    const char *name;
    uint8_t colour[3];

    if (!under->pointed || scene->forest == NULL || under->distribution == NULL || under->argmax >= under->classes)
        return;
    name = view_scene_class_name(scene, under->argmax, buffer);
    view_scene_class_colour(scene, under->argmax, colour);
    view_ui_same_line(CLASS_AT);
    view_ui_dot(colour);
    view_ui_same_line(0.0f);
    snprintf(text, sizeof text, "%s %.0f %%", name, 100.0 * under->distribution[under->argmax] / 65535);
    view_ui_short_text(text, room - 20.0f);
}

/* What is being computed; false: nothing. */
static bool tell_training(const struct view_teaching *teaching, char *text, size_t size)
{
    static const char *const states[] = {[VIEW_TRAIN_SMALL] = "training a first forest",
                                         [VIEW_TRAIN_FULL] = "training",
                                         [VIEW_TRAIN_JUDGING] = "measuring accuracy"};
    struct view_train_status status;
    char where[40];

    if (teaching->project.data == NULL)
        return false;
    view_train_worker_get_status(teaching->worker, &status);
    view_away_where(&teaching->away, where, sizeof where);
    if (status.stopped)
        snprintf(text, size, "training is paused");
    else if (status.state >= VIEW_TRAIN_SMALL && status.state <= VIEW_TRAIN_JUDGING)
        snprintf(text, size, "%s%s, %.0f %%", states[status.state], where, 100.0 * status.fraction);
    else if (view_teaching_shows_earlier_forest(teaching))
        snprintf(text, size, "the forest before is shown");
    else
        return false;
    return true;
}

/* Training of a cascade. */
static bool tell_learning(struct view_learning *learning, char *text, size_t size)
{
    uint32_t pictures;
    bool reads;

    if (!learning->running)
        return false;
    snprintf(text, size, "training a cascade, %.0f %%",
             100.0 * view_learning_progress(learning, &reads, &pictures).done);
    return true;
}

static bool is_paused(const struct view_teaching *teaching)
{
    struct view_train_status status = {0};

    if (teaching->project.data != NULL)
        view_train_worker_get_status(teaching->worker, &status);
    return status.stopped;
}

static bool tell_export(const struct view_exporting *exporting, char *text, size_t size)
{
    if (!view_exporting_is_busy(exporting))
        return false;
    if (view_exporting_waits_for_forest(exporting)) {
        snprintf(text, size, "export waits: forest %.0f %%", 100.0 * exporting->trained);
        return true;
    }
    if (exporting->progress.count == 0)
        snprintf(text, size, "exporting: checking files");
    else
        snprintf(text, size, "exporting, %u of %u", exporting->progress.done, exporting->progress.count);
    return true;
}

static const char *name_work(const struct view_parts *parts)
{
    if (view_importing_is_busy(parts->importing))
        return "importing";
    if (view_recorder_is_on(parts->recorder))
        return "recording";
    if (parts->learning->running)
        return "training a detector";
    if (view_detecting_is_busy(parts->detecting))
        return "detecting";
    if (view_search_is_running(&parts->teaching->search))
        return "looking for the most uncertain place";
    if (view_ranking_is_running(&parts->teaching->ranking))
        return "ranking pictures";
    if (parts->objects->on && parts->objects->running)
        return "finding objects";
    if (parts->scene->forest != NULL && view_labelling_is_busy(&parts->scene->labelling))
        return "labelling";
    return is_paused(parts->teaching) ? "training is paused" : NULL;
}

/* "": nothing is computed. */
static void tell_work(const struct view_parts *parts, char *text, size_t size)
{
    const char *work;

    *text = '\0';
    if (tell_export(parts->exporting, text, size) || tell_learning(parts->learning, text, size) ||
        tell_training(parts->teaching, text, size))
        return;
    work = name_work(parts);
    if (work != NULL)
        snprintf(text, size, "%s", work);
}

/* The project, unless it is rectangles alone that are not saved; or else rectangles. Whether something is not saved. */
static bool tell_saved(const struct view_parts *parts, char *text, size_t size)
{
    const struct view_project *project = &parts->teaching->project;
    const bool unsaved = view_project_is_unsaved(project),
               boxes = view_annotating_is_unsaved(parts->annotating) && !unsaved;
    const char *path = boxes ? parts->annotating->work.origin.path : project->path;

    *text = '\0';
    if (project->data == NULL && !boxes)
        return false;
    snprintf(text, size, "%s%s",
             path != NULL ? shw_path_last(path)
             : boxes      ? "rectangles"
                          : "new project",
             unsaved || boxes ? ": not saved"
             : path != NULL   ? ": saved"
                              : "");
    return unsaved || boxes;
}

void view_status_tell(const struct view_parts *parts, struct view_status *status)
{
    tell_work(parts, status->work, sizeof status->work);
    status->unsaved = tell_saved(parts, status->saved, sizeof status->saved);
}

static void show_work(const struct view_status *status, float at)
{
    if (status->work[0] == '\0')
        return;
    view_ui_same_line(at);
    view_ui_short_text(status->work, WORK_WIDTH - 8.0f);
}

static void show_saved(const struct view_status *status, float at)
{
    if (status->saved[0] == '\0')
        return;
    view_ui_same_line(at);
    if (status->unsaved)
        view_ui_marked_text(status->saved, SAVED_WIDTH - 12.0f);
    else
        view_ui_short_text(status->saved, SAVED_WIDTH - 12.0f);
}

void view_status_show(struct view_panel_context *context, const struct view_parts *parts, float top, float height)
{
    const float canvas = (float)context->frame.canvas.width, width = canvas / view_ui_scale(context->ui),
                saved = width - SAVED_WIDTH, work = saved - WORK_WIDTH;
    struct view_status status;

    view_status_tell(parts, &status);
    view_ui_window_begin(VIEW_UI_BAR, "status", 0.0f, top, canvas, height, 1.0f);
    view_ui_gap(0.0f);
    show_place(parts);
    if (work - CLASS_AT >= CLASS_LEAST)
        show_class(parts, work - CLASS_AT);
    if (work >= ZOOM_AT)
        show_work(&status, work);
    if (saved >= ZOOM_AT)
        show_saved(&status, saved);
    view_ui_window_end();
}
