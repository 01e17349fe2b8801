/* What teaching waits for: work in the background, frames, and scripts. */
#include "base/log.h"
#include "teach/teaching.h"

#define PROGRESS_SECONDS 0.1 /* between two frames that show training progress */

/* Failures have been logged, and end nothing. */
static void poll_wand(struct view_teaching *teaching)
{
    const uint32_t number = teaching->wand.number;
    struct view_runs runs = {0};
    bool found;

    if (view_wand_poll(&teaching->wand, teaching->scene, &runs, &found) == SHW_OK && found)
        view_teaching_add_area(teaching, number, &runs);
    view_runs_free(&runs);
}

/* As above. */
static void poll_ranking(struct view_teaching *teaching)
{
    bool changed;

    if (!view_ranking_is_under_way(&teaching->ranking))
        return;
    view_picture_list_update(&teaching->list, teaching->scene->player, &teaching->project);
    view_ranking_poll(&teaching->ranking, teaching->scene, &teaching->list, &changed);
    teaching->scene->redraw = teaching->scene->redraw || changed;
}

/* A measurement ends without a new forest: panels show it in a frame of its own. */
static void announce_accuracy(struct view_teaching *teaching)
{
    struct view_train_status status;

    if (teaching->project.data == NULL)
        return;
    view_train_worker_get_status(teaching->worker, &status);
    teaching->scene->redraw = teaching->scene->redraw || status.measurements != teaching->announced;
    teaching->announced = status.measurements;
}

enum shw_result view_teaching_poll(struct view_teaching *teaching)
{
    struct shw_picture_labels *labels;
    bool later;

    view_autosave_update(teaching->autosave, &teaching->project, view_clock());
    view_teaching_notice(teaching, 0.0);
    poll_wand(teaching);
    poll_ranking(teaching);
    announce_accuracy(teaching);
    view_painting_prepare(&teaching->painting);
    labels = view_painting_ready_labels(&teaching->painting, &later);
    return later ? SHW_OK : view_search_poll(&teaching->search, teaching->scene, labels);
}

static bool is_learning(const struct view_train_status *status)
{
    return !status->stopped && (status->state == VIEW_TRAIN_SMALL || status->state == VIEW_TRAIN_FULL);
}

bool view_teaching_is_busy(const struct view_teaching *teaching)
{
    struct view_train_status status;

    if (teaching->project.data == NULL)
        return false;
    view_train_worker_get_status(teaching->worker, &status);
    return status.number != teaching->number || view_wand_needs_frames(&teaching->wand) ||
           teaching->painting.marked != shw_project_get_revision(teaching->project.data) ||
           (is_learning(&status) &&
            (view_teaching_is_recorded(teaching) || view_clock() - teaching->drawn > PROGRESS_SECONDS));
}

bool view_teaching_is_searching(const struct view_teaching *teaching)
{
    return view_search_is_under_way(&teaching->search) || view_wand_is_under_way(&teaching->wand) ||
           view_ranking_is_under_way(&teaching->ranking);
}

double view_teaching_patience(const struct view_teaching *teaching)
{
    struct view_train_status status = {0};

    if (view_teaching_is_about_to_show(teaching) || view_wand_needs_frames(&teaching->wand) ||
        !view_painting_is_prepared(&teaching->painting))
        return 0.001;
    if (teaching->project.data != NULL)
        view_train_worker_get_status(teaching->worker, &status);
    return view_teaching_is_searching(teaching) || is_learning(&status) ? 0.02 : 0.1;
}

enum shw_result view_teaching_waits(struct view_teaching *teaching, bool *waits)
{
    struct view_train_status status;
    bool shown;

    *waits = view_teaching_is_searching(teaching);
    if (teaching->wait == VIEW_WAIT_NONE)
        return SHW_OK;
    view_train_worker_get_status(teaching->worker, &status);
    shown = teaching->scene->forest != NULL &&
            teaching->scene->forest->revision == shw_project_get_revision(teaching->project.data) &&
            status.number == teaching->number && view_scene_is_current(teaching->scene) &&
            (teaching->wait == VIEW_WAIT_SMALL || teaching->scene->forest->full);
    if (shown && (teaching->wait != VIEW_WAIT_JUDGED || status.state == VIEW_TRAIN_DONE)) {
        teaching->wait = VIEW_WAIT_NONE;
        return SHW_OK;
    }
    *waits = true;
    if (status.stopped || status.state == VIEW_TRAIN_FAILED ||
        (status.state == VIEW_TRAIN_IDLE && view_painting_is_prepared(&teaching->painting) &&
         teaching->painting.marked == shw_project_get_revision(teaching->project.data))) {
        teaching->wait = VIEW_WAIT_NONE;
        return shw_fail(&teaching->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "there is no forest to wait for: %s",
                        status.stopped                      ? "training is paused"
                        : status.state == VIEW_TRAIN_FAILED ? "training has failed"
                                                            : "no training is in progress");
    }
    return SHW_OK;
}
