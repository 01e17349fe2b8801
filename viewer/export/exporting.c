#include "export/exporting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/machine.h"
#include "files/io/image_paths.h"

#define PATH_SHOWN 512u /* bytes of a path in a summary */

void view_exporting_init(struct view_teaching *teaching, const struct view_objects *objects,
                         struct view_export_folders *folders, struct view_exporting *exporting)
{
    *exporting = (struct view_exporting){.teaching = teaching, .objects = objects, .folders = folders};
    exporting->settings.probabilities = 2; /* TIFF */
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

static bool waits_for_forest(struct view_exporting *exporting, const struct view_export_job *job)
{
    return !job->look && view_export_job_labels(job) &&
           view_teaching_expects_forest(exporting->teaching, &exporting->trained);
}

/* The job has its pictures. Labels of a small forest are written only if there will be no other, and that is said. */
static enum shw_result begin_work(struct view_exporting *exporting, struct view_export_job *job)
{
    const struct shw_log log = job->log;

    SHW_PROPAGATE(view_export_job_take(exporting->teaching, exporting->objects, job));
    if (!job->look && job->forest != NULL && job->forest->path == NULL && !job->forest->full)
        shw_log_message(&log, SHW_LOG_WARNING, SHW_LOG_ARGUMENT,
                        "training is paused: what is exported is labelled by the first, small forest");
    return view_job_begin(&job->job, &log);
}

static enum shw_result begin(struct view_exporting *exporting, unsigned content, const char *path, bool look,
                             const struct shw_log *log)
{
    static const struct view_job_kind kind = {"the export", SHW_PRIORITY_LAST, work, NULL};
    struct view_export_job *job = calloc(1, sizeof *job);
    enum shw_result result;

    if (job == NULL)
        return shw_fail_memory(log, "an export");
    SHW_TRY(view_export_job_make(exporting->teaching, &exporting->settings, content, path, log, job));
    job->look = look;
    view_job_init(&job->job, &kind, job);
    exporting->waits = waits_for_forest(exporting, job);
    exporting->opened = exporting->teaching->opened;
    if (!exporting->waits)
        SHW_TRY(begin_work(exporting, job));
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
    exporting->progress = (struct view_export_progress){.count = 0};
    exporting->left = (struct shw_time_left){.begun = false};
    SHW_PROPAGATE(begin(exporting, content, path, false, &exporting->teaching->scene->log));
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

bool view_exporting_is_busy(const struct view_exporting *exporting)
{
    return exporting->job != NULL && !exporting->counting;
}

bool view_exporting_waits_for_forest(const struct view_exporting *exporting)
{
    return exporting->waits;
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
    char path[PATH_SHOWN], frames[40] = "", kept[100] = "", failed[sizeof progress->failures + 40] = "";

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
    if (progress->strange > 0)
        snprintf(kept + strlen(kept), sizeof kept - strlen(kept), ", of which %u may be of another forest",
                 progress->strange);
    if (progress->failed > 0)
        snprintf(failed, sizeof failed, "; %u failed: %s%s", progress->failed, progress->failures,
                 progress->failed > progress->failures_named ? ", ..." : "");
    snprintf(text, VIEW_EXPORT_SAID, "%sexported %u of %u %s%s to %s%s%s",
             result == SHW_ERROR_CANCELLED ? "stopped: " : "", good, progress->count, name_items(job), frames, path,
             kept, failed);
}

/* Of an export that has ended, was stopped, or could not begin. */
static void finish_with(struct view_exporting *exporting, enum shw_result outcome)
{
    const struct shw_log *log = &exporting->teaching->scene->log;
    struct view_export_job *job = exporting->job;

    exporting->progress = view_export_get_progress(job);
    exporting->outcome = outcome;
    exporting->awaited = exporting->asks_to_quit = exporting->waits = false;
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

/* Takes the result of an export that has ended or was stopped. */
static void finish(struct view_exporting *exporting)
{
    view_job_wait(&exporting->job->job);
    finish_with(exporting, view_job_take(&exporting->job->job));
}

static void finish_count(struct view_exporting *exporting)
{
    exporting->outcome = end(exporting, &exporting->counted);
    exporting->counting = exporting->awaited = false;
    if (exporting->tells && exporting->outcome == SHW_OK)
        snprintf(exporting->said, sizeof exporting->said,
                 exporting->counted.outdated > 0
                     ? "%llu files would be written, of which %llu exist, %llu of them of another forest"
                     : "%llu files would be written, of which %llu exist",
                 (unsigned long long)exporting->counted.files, (unsigned long long)exporting->counted.existing,
                 (unsigned long long)exporting->counted.outdated);
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

void view_exporting_stop(struct view_exporting *exporting)
{
    if (exporting->waits)
        finish_with(exporting, SHW_ERROR_CANCELLED);
    else if (view_exporting_is_busy(exporting))
        view_job_stop(&exporting->job->job);
}

/* Without it, whatever an export waited for has ended. */
static enum shw_result need_forest(const struct view_teaching *teaching)
{
    struct view_train_status status = {0};

    if (teaching->scene->forest != NULL)
        return SHW_OK;
    view_train_worker_get_status(teaching->worker, &status);
    return shw_fail(&teaching->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                    "the forest that an export has waited for does not come: %s",
                    status.stopped                      ? "training was paused"
                    : status.state == VIEW_TRAIN_FAILED ? "training has failed"
                                                        : "there are no strokes of two classes");
}

/* Begins once the forest is there. What it was trained on may have gone meanwhile. */
static void poll_wait(struct view_exporting *exporting)
{
    struct view_teaching *teaching = exporting->teaching;
    enum shw_result result = SHW_OK;

    teaching->scene->redraw = true;
    if (exporting->opened != teaching->opened)
        result = shw_fail(&teaching->scene->log, SHW_ERROR_CANCELLED, SHW_LOG_ARGUMENT,
                          "the project whose forest an export has waited for was closed");
    else if (view_teaching_expects_forest(teaching, &exporting->trained))
        return;
    exporting->waits = false;
    if (result == SHW_OK)
        result = need_forest(teaching);
    if (result == SHW_OK)
        result = begin_work(exporting, exporting->job);
    if (result != SHW_OK) {
        exporting->missed = !exporting->awaited;
        finish_with(exporting, result);
    }
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

void view_exporting_destroy(struct view_exporting *exporting)
{
    if (exporting->teaching == NULL)
        return;
    end_count(exporting);
    view_exporting_stop(exporting);
    if (exporting->job != NULL)
        finish(exporting);
    shw_image_paths_free(&exporting->settings.list);
    view_browser_free(&exporting->sheet.browser);
    exporting->teaching = NULL;
}

bool view_exporting_asks_to_quit(struct view_exporting *exporting)
{
    exporting->asks_to_quit = view_exporting_is_busy(exporting);
    return exporting->asks_to_quit;
}

/* What the dialog knows. */

/* A folder beside the project's file, like photos-export for photos.json. */
static void propose_folder(const struct view_exporting *exporting, char *folder, size_t size)
{
    const char *project = exporting->teaching->project.path;
    const char *last = view_export_folders_find(exporting->folders, project), *slash;
    char name[SHW_BASE_NAME_SIZE];

    if (last == NULL && project == NULL)
        last = "export";
    if (last != NULL) {
        snprintf(folder, size, "%s", last);
        return;
    }
    slash = strrchr(project, '/');
    snprintf(folder, size, "%.*s%s-export", slash != NULL ? (int)(slash + 1 - project) : 0, project,
             shw_image_base_name(project, name));
}

void view_exporting_open_sheet(struct view_exporting *exporting, bool open)
{
    struct view_export_sheet *sheet = &exporting->sheet;

    if (open && !sheet->open)
        propose_folder(exporting, sheet->folder, sizeof sheet->folder);
    sheet->open = open;
    sheet->focus = false;
    sheet->counted = 0;
}

void view_exporting_sheet_path(const struct view_exporting *exporting, char path[VIEW_EXPORT_PATH])
{
    const struct view_export_sheet *sheet = &exporting->sheet;
    const char *project = exporting->teaching->project.path;
    char name[SHW_BASE_NAME_SIZE];

    if (sheet->content == VIEW_EXPORT_FOREST)
        snprintf(path, VIEW_EXPORT_PATH, "%s/%s.ktx2", sheet->folder,
                 shw_image_base_name(project != NULL ? project : "forest", name));
    else
        snprintf(path, VIEW_EXPORT_PATH, "%s", sheet->folder);
}

static uint64_t add_hash(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Of all that the number of files depends on; never 0. */
static uint64_t hash_settings(const struct view_exporting *exporting)
{
    const struct view_export_settings *settings = &exporting->settings;
    const struct view_scene *scene = exporting->teaching->scene;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    hash = add_hash(hash, &exporting->sheet.content, sizeof exporting->sheet.content);
    hash = add_hash(hash, &settings->pictures, sizeof settings->pictures);
    hash = add_hash(hash, &settings->probabilities, sizeof settings->probabilities);
    hash = add_hash(hash, &scene->forest, sizeof scene->forest);
    hash = add_hash(hash, &scene->picture_count, sizeof scene->picture_count);
    for (uint32_t i = 0; i < settings->list.count; i++)
        hash = add_hash(hash, settings->list.paths[i], strlen(settings->list.paths[i]) + 1);
    return add_hash(hash, exporting->sheet.folder, strlen(exporting->sheet.folder)) | 1;
}

/* Instead of a log: the last reason why files cannot be counted. It comes from the
 * thread, and is read when that has ended. */
static void keep_trouble(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    struct view_export_sheet *sheet = user;

    (void)level, (void)item;
    snprintf(sheet->trouble, sizeof sheet->trouble, "%s", text);
}

/* Counts the files again after a change in the sheet, which is open. */
static void exporting_poll_sheet(struct view_exporting *exporting)
{
    struct view_export_sheet *sheet = &exporting->sheet;
    const struct shw_log log = {keep_trouble, sheet, SHW_LOG_ERROR};
    char path[VIEW_EXPORT_PATH];
    uint64_t hash;

    if (!sheet->open || exporting->job != NULL || (hash = hash_settings(exporting)) == sheet->counted)
        return;
    sheet->counted = hash;
    sheet->trouble[0] = '\0';
    exporting->counted = (struct view_export_progress){.count = 0};
    view_exporting_sheet_path(exporting, path);
    if (view_exporting_count(exporting, sheet->content, path, &log) != SHW_OK)
        exporting->awaited = false;
    exporting->teaching->scene->redraw = true;
}

void view_exporting_poll(struct view_exporting *exporting)
{
    exporting_poll_sheet(exporting);
    if (exporting->waits)
        poll_wait(exporting);
    else if (exporting->job != NULL)
        poll_job(exporting);
}

enum shw_result view_exporting_await(struct view_exporting *exporting)
{
    const bool missed = exporting->missed;

    exporting->missed = false;
    exporting->awaited =
        exporting->job != NULL || (exporting->sheet.open && hash_settings(exporting) != exporting->sheet.counted);
    return missed && !exporting->awaited ? exporting->outcome : SHW_OK;
}
