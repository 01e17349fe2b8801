#include "export/exporting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

#define PATH_SHOWN 512u /* bytes of a path in a summary */

void view_exporting_init(struct view_teaching *teaching, const struct view_objects *objects,
                         struct view_export_folders *folders, struct view_exporting *exporting)
{
    *exporting = (struct view_exporting){.teaching = teaching, .objects = objects, .folders = folders};
    exporting->settings.probabilities = SHW_PROBABILITIES_TIFF;
    exporting->sheet.content = VIEW_EXPORT_LABELS;
}

static enum shw_result work(void *user)
{
    struct view_export_job *job = user;

    SHW_PROPAGATE(view_export_plan(job));
    return job->look ? SHW_OK : view_export_run(job);
}

/* Waits for the end, takes the result and the last progress, and frees the job. */
static enum shw_result end(struct view_exporting *exporting, struct view_export_progress *progress)
{
    struct view_export_job *job = exporting->job;
    enum shw_result result;

    view_job_wait(&job->job);
    result = view_job_take(&job->job);
    *progress = view_export_get_progress(job);
    view_export_job_free(job);
    free(job);
    exporting->job = NULL;
    return result;
}

static void end_count(struct view_exporting *exporting)
{
    struct view_export_progress ignored;

    if (exporting->job == NULL || !exporting->counting)
        return;
    view_job_stop(&exporting->job->job);
    end(exporting, &ignored);
    exporting->counting = false;
}

static enum shw_result begin(struct view_exporting *exporting, unsigned content, const char *path, bool look,
                             const struct shw_log *log)
{
    static const struct view_job_kind kind = {"the export", SHW_PRIORITY_LAST, work, NULL};
    struct view_export_job *job = calloc(1, sizeof *job);
    enum shw_result result;

    if (job == NULL)
        return shw_fail_memory(log, "an export");
    SHW_TRY(
        view_export_job_make(exporting->teaching, exporting->objects, &exporting->settings, content, path, log, job));
    job->look = look;
    view_job_init(&job->job, &kind, job);
    SHW_TRY(view_job_begin(&job->job, log));
    exporting->job = job;
    exporting->counting = look;
    return SHW_OK;

fail:
    view_export_job_free(job);
    free(job);
    return result;
}

enum shw_result view_exporting_begin(struct view_exporting *exporting, unsigned content, const char *path)
{
    if (view_exporting_is_busy(exporting))
        return shw_fail(&exporting->teaching->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "an export is in progress: wait for its end, or stop it with `export-stop`");
    end_count(exporting);
    SHW_PROPAGATE(begin(exporting, content, path, false, &exporting->teaching->scene->log));
    exporting->progress = (struct view_export_progress){.count = 0};
    exporting->left = (struct shw_time_left){.begun = false};
    exporting->sheet.open = false;
    return SHW_OK;
}

enum shw_result view_exporting_count(struct view_exporting *exporting, unsigned content, const char *path,
                                     const struct shw_log *log)
{
    if (view_exporting_is_busy(exporting))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "an export is in progress: files are counted after its end");
    end_count(exporting);
    return begin(exporting, content, path, true, log);
}

void view_exporting_stop(struct view_exporting *exporting)
{
    if (view_exporting_is_busy(exporting))
        view_job_stop(&exporting->job->job);
}

bool view_exporting_is_busy(const struct view_exporting *exporting)
{
    return exporting->job != NULL && !exporting->counting;
}

/* Its end, if it is long. */
static void shorten(const char *path, char shown[PATH_SHOWN])
{
    size_t length = strlen(path);
    const char *end;

    if (length < PATH_SHOWN) {
        memcpy(shown, path, length + 1);
        return;
    }
    end = path + length - (PATH_SHOWN - sizeof "...");
    while (((unsigned char)*end & 0xc0) == 0x80) /* between two characters of UTF-8 */
        end++;
    snprintf(shown, PATH_SHOWN, "...%s", end);
}

/* What was to be exported: "picture", "videos", ... */
static const char *name_items(const struct view_export_job *job)
{
    static const char *const names[2][2] = {{"pictures", "picture"}, {"videos", "video"}};
    uint32_t videos = 0;

    for (uint32_t i = 0; i < job->item_count; i++)
        videos += job->items[i].kind == VIEW_ITEM_VIDEO;
    return videos > 0 && videos < job->item_count ? "pictures and videos" : names[videos > 0][job->item_count == 1];
}

/* One line that says what has become of the export. */
static void summarise(const struct view_export_job *job, enum shw_result result,
                      const struct view_export_progress *progress, char text[VIEW_EXPORT_SAID])
{
    uint32_t good = progress->done - progress->failed - progress->kept;
    char path[PATH_SHOWN], frames[40] = "", kept[40] = "", failed[sizeof progress->failures + 40] = "";

    shorten(job->path, path);
    if (progress->count == 0) {
        snprintf(text, VIEW_EXPORT_SAID, result == SHW_OK ? "exported the forest to %s" : "nothing was exported to %s",
                 path);
        return;
    }
    if (progress->all_frames > 0)
        snprintf(frames, sizeof frames, " (%u frame%s)", progress->all_frames, progress->all_frames == 1 ? "" : "s");
    if (progress->kept > 0)
        snprintf(kept, sizeof kept, "; %u %s there already", progress->kept, progress->kept == 1 ? "was" : "were");
    if (progress->failed > 0)
        snprintf(failed, sizeof failed, "; %u failed: %s%s", progress->failed, progress->failures,
                 progress->failed > progress->failures_named ? ", ..." : "");
    snprintf(text, VIEW_EXPORT_SAID, "%sexported %u of %u %s%s to %s%s%s",
             result == SHW_ERROR_CANCELLED ? "stopped: " : "", good, progress->count, name_items(job), frames, path,
             kept, failed);
}

/* Takes the result of an export that has ended or was stopped. */
static void finish(struct view_exporting *exporting)
{
    const struct shw_log *log = &exporting->teaching->scene->log;
    struct view_export_job *job = exporting->job;

    view_job_wait(&job->job);
    exporting->progress = view_export_get_progress(job);
    exporting->outcome = view_job_take(&job->job);
    exporting->awaited = exporting->asks_to_quit = false;
    exporting->job = NULL;
    summarise(job, exporting->outcome, &exporting->progress, exporting->said);
    memcpy(exporting->last, exporting->said, sizeof exporting->last);
    if (exporting->outcome == SHW_OK && job->content != VIEW_EXPORT_FOREST)
        view_export_folders_note(exporting->folders, job->project.path, job->path);
    if (exporting->outcome != SHW_OK) { /* the log shows it */
        shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_FILE_WRITE, "%s", exporting->said);
        exporting->said[0] = '\0';
    }
    view_export_job_free(job);
    free(job);
}

static void finish_count(struct view_exporting *exporting)
{
    exporting->outcome = end(exporting, &exporting->counted);
    exporting->counting = exporting->awaited = false;
    if (exporting->tells && exporting->outcome == SHW_OK)
        snprintf(exporting->said, sizeof exporting->said, "%llu files would be written, of which %llu exist",
                 (unsigned long long)exporting->counted.files, (unsigned long long)exporting->counted.existing);
    exporting->tells = false;
}

/* Whether strokes wait for their first forest. */
static bool is_urgent(const struct view_teaching *teaching)
{
    struct view_train_status status;

    if (teaching->project.data == NULL)
        return false;
    view_train_worker_get_status(teaching->worker, &status);
    return !status.stopped && status.state == VIEW_TRAIN_SMALL;
}

static void poll_job(struct view_exporting *exporting)
{
    struct view_export_job *job = exporting->job;
    bool ended = view_job_is_done(&job->job);

    atomic_store(&job->gives_way, is_urgent(exporting->teaching));
    if (!exporting->counting) {
        const struct view_export_progress before = exporting->progress;
        exporting->progress = view_export_get_progress(job);
        if (exporting->progress.done != before.done || exporting->progress.frames != before.frames ||
            exporting->progress.count != before.count)
            exporting->teaching->scene->redraw = true;
    }
    if (!ended)
        return;
    exporting->teaching->scene->redraw = true;
    if (exporting->counting)
        finish_count(exporting);
    else
        finish(exporting);
}

void view_exporting_poll(struct view_exporting *exporting)
{
    view_exporting_poll_sheet(exporting);
    if (exporting->job != NULL)
        poll_job(exporting);
}

void view_exporting_destroy(struct view_exporting *exporting)
{
    if (exporting->teaching == NULL)
        return;
    end_count(exporting);
    if (exporting->job != NULL) {
        view_job_stop(&exporting->job->job);
        finish(exporting);
    }
    shw_image_paths_free(&exporting->settings.list);
    view_browser_free(&exporting->sheet.browser);
    exporting->teaching = NULL;
}

bool view_exporting_asks_to_quit(struct view_exporting *exporting)
{
    exporting->asks_to_quit = view_exporting_is_busy(exporting);
    return exporting->asks_to_quit;
}
