#include "code/coding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/technique.h>

#include "base/file_bytes.h"
#include "base/log.h"
#include "base/text.h"
#include "dense/channels/channels.h"
#include "files/code/forest_code.h"
#include "files/code/text.h"
#include "job/times.h"

static void forget_list(struct view_coding *coding)
{
    coding->scene->own_channels = NULL;
    if (coding->list != NULL)
        shw_code_let_go_list(coding->list);
    free(coding->list);
    coding->list = NULL;
}

static void forget_files(struct view_coding *coding)
{
    for (uint32_t i = 0; i < coding->watched_count; i++)
        free(coding->watched[i].file);
    coding->watched_count = 0;
}

void view_coding_init(struct view_teaching *teaching, struct view_coding *coding)
{
    *coding = (struct view_coding){.teaching = teaching, .scene = teaching->scene, .opened = teaching->opened};
    view_code_job_init(&coding->job);
}

void view_coding_destroy(struct view_coding *coding)
{
    if (coding->teaching == NULL)
        return;
    view_code_job_free(&coding->job);
    forget_list(coding);
    forget_files(coding);
    free(coding->adding);
    coding->teaching = NULL;
}

static bool is_the_same(const char *file, const char *text)
{
    struct shw_file_bytes bytes = {0};
    bool same;

    if (shw_file_bytes_read(file, SHW_CODE_SIZE_MAX, NULL, &bytes) != SHW_OK)
        return true; /* there is nothing to be said of it */
    same = bytes.size == strlen(text) && memcmp(bytes.bytes, text, bytes.size) == 0;
    shw_file_bytes_free(&bytes);
    return same;
}

static struct view_watched *find_watched(struct view_coding *coding, const char *file)
{
    for (uint32_t i = 0; i < coding->watched_count; i++)
        if (strcmp(coding->watched[i].file, file) == 0)
            return &coding->watched[i];
    return NULL;
}

/* A file that is watched from now on. If it is not what the project has of it, that is told when the project has just
 * been opened; otherwise it has been saved since it was read, and is read again. */
static struct view_watched begin_watch(struct view_coding *coding, char *file, const char *text, bool opened)
{
    struct view_watched watched = {file, view_file_stamp_of(file)};

    if (is_the_same(file, text))
        return watched;
    if (!opened)
        watched.stamp = (struct view_file_stamp){.size = -1};
    else
        shw_log_message(&coding->scene->log, SHW_LOG_WARNING, SHW_LOG_PROJECT,
                        "%s is not what the project has of it: `code %s` takes it, and so does saving it", file, file);
    return watched;
}

/* Watches the files of the project's texts. */
static void watch_all(struct view_coding *coding, bool opened)
{
    const struct shw_project *project = coding->teaching->project.data;
    const uint32_t count = project != NULL ? shw_project_get_text_count(project) : 0;
    struct view_watched now[SHW_PROJECT_TEXTS_MAX];
    uint32_t used = 0;

    for (uint32_t i = 0; i < count; i++) {
        char *file = shw_project_text_file(project, i);
        struct view_watched *known = file != NULL ? find_watched(coding, file) : NULL;

        if (file == NULL)
            continue;
        now[used++] = known != NULL ? (struct view_watched){file, known->stamp}
                                    : begin_watch(coding, file, shw_project_get_text(project, i).text, opened);
    }
    forget_files(coding);
    memcpy(coding->watched, now, used * sizeof *now);
    coding->watched_count = used;
}

/* Another project, or none. */
static void begin_anew(struct view_coding *coding)
{
    coding->opened = coding->teaching->opened;
    coding->runs_project = coding->refused = false;
    coding->error = (struct view_code_error){.line = 0};
    coding->listed = 0;
    forget_list(coding);
    forget_files(coding);
    watch_all(coding, true);
    if (view_code_job_is_busy(&coding->job) && coding->job.want != VIEW_CODE_FOREST)
        view_job_stop(&coding->job.job);
}

/* The channels that the scene shows besides those of a forest: the project's, if some are its own and may run. */
static void list_channels(struct view_coding *coding)
{
    const struct shw_project *project = coding->teaching->project.data;
    const uint64_t revision = project != NULL ? shw_project_get_revision(project) + 1 : 0;
    const struct shw_project_training training =
        project != NULL ? shw_project_get_training(project) : (struct shw_project_training){.levels = 0};
    struct shw_channel_list *made;

    if (revision == coding->listed)
        return;
    coding->listed = revision;
    if (project == NULL || shw_project_get_kinds(project)->kinds[0] == NULL || shw_project_is_held_back(project)) {
        forget_list(coding);
        return;
    }
    made = malloc(sizeof *made);
    if (made == NULL || shw_channel_list_parse(shw_project_training_channels(&training), shw_project_get_kinds(project),
                                               NULL, made) != SHW_OK) {
        free(made);
        return;
    }
    if (coding->list != NULL && shw_channel_lists_equal(made, coding->list)) {
        free(made);
        return;
    }
    forget_list(coding);
    shw_code_hold_list(made);
    coding->scene->own_channels = coding->list = made;
    coding->scene->redraw = true;
}

/* Only the shaders of what is in use are compiled; `auto` is mostly compute where labels are not the worker's. */
static struct shw_code_needs needs_of(const struct view_coding *coding)
{
    enum shw_technique used[SHW_STAGE_COUNT];

    view_labelling_techniques(&coding->scene->labelling, used);
    for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++)
        used[s] = used[s] == SHW_TECHNIQUE_AUTO ? SHW_TECHNIQUE_COMPUTE : used[s];
    return (struct shw_code_needs){.channels = 1u << used[SHW_STAGE_CHANNELS],
                                   .evaluate = 1u << used[SHW_STAGE_EVALUATE],
                                   .training =
                                       view_teaching_is_recorded(coding->teaching) ? 1u << SHW_TECHNIQUE_COMPUTE : 0};
}

static enum shw_result begin(struct view_coding *coding, enum view_code_want want)
{
    return view_code_job_begin(&coding->job, want, needs_of(coding), &coding->scene->log);
}

/* Compiles the files that have been saved since they were read. */
static enum shw_result begin_changed(struct view_coding *coding)
{
    char *nothing = NULL;

    for (uint32_t i = 0; i < coding->watched_count; i++) {
        struct view_watched *watched = &coding->watched[i];

        if (!view_file_has_changed(watched->file, &watched->stamp))
            continue;
        watched->stamp = view_file_stamp_of(watched->file);
        if (!view_code_job_add(&coding->job, watched->file, &nothing))
            return shw_fail_memory(&coding->scene->log, watched->file);
    }
    if (coding->job.count == 0)
        return SHW_OK;
    coding->live.noticed = view_clock();
    return begin(coding, VIEW_CODE_CHANGED);
}

static enum shw_result begin_file(struct view_coding *coding)
{
    char *file = coding->adding, *nothing = NULL;
    bool fine = view_code_job_add(&coding->job, file, &nothing);

    coding->adding = NULL;
    free(file);
    return fine ? begin(coding, VIEW_CODE_ADD) : shw_fail_memory(&coding->scene->log, "a text");
}

static enum shw_result begin_project(struct view_coding *coding)
{
    const struct shw_project *project = coding->teaching->project.data;
    bool fine = true;

    coding->runs_project = false;
    for (uint32_t i = 0; fine && i < shw_project_get_text_count(project); i++) {
        const struct shw_project_text text = shw_project_get_text(project, i);
        char *copy = strdup(text.text);

        fine = copy != NULL && view_code_job_add(&coding->job, text.path != NULL ? text.path : text.name, &copy);
    }
    if (fine)
        return begin(coding, VIEW_CODE_PROJECT);
    view_code_job_clear(&coding->job);
    return shw_fail_memory(&coding->scene->log, "texts");
}

static enum shw_result begin_forest(struct view_coding *coding)
{
    const struct shw_log *log = &coding->scene->log;
    bool fine = true;

    coding->runs_forest = false;
    for (uint32_t i = 0; fine && i < coding->scene->held_forest.count; i++) {
        const struct shw_forest_code *code = &coding->scene->held_forest.list[i];
        char *copy = strdup(code->text);

        fine = copy != NULL && view_code_job_add(&coding->job, code->name, &copy);
    }
    if (fine)
        return begin(coding, VIEW_CODE_FOREST);
    view_code_job_clear(&coding->job);
    return shw_fail_memory(log, "texts");
}

/* What has been asked for is begun in this order. Failures have been logged. */
static enum shw_result begin_next(struct view_coding *coding)
{
    if (coding->adding != NULL)
        return begin_file(coding);
    if (coding->runs_project)
        return begin_project(coding);
    if (coding->runs_forest && coding->scene->held_forest.path != NULL)
        return begin_forest(coding);
    return begin_changed(coding);
}

/* Whether a file has been saved again while it is being compiled. */
static bool is_outdated(const struct view_coding *coding)
{
    for (uint32_t i = 0; coding->job.want == VIEW_CODE_CHANGED && i < coding->watched_count; i++)
        if (view_file_has_changed(coding->watched[i].file, &coding->watched[i].stamp))
            return true;
    return false;
}

/* A text of the project's in place of what it had, or a further one. */
static enum shw_result put_text(struct view_coding *coding, struct view_code_item *item, bool *changed)
{
    const struct shw_code_made made = item->made;
    const bool is_new = find_watched(coding, item->name) == NULL;

    item->made = (struct shw_code_made){NULL, NULL};
    *changed = true;
    for (uint32_t i = 0; i < shw_project_get_text_count(coding->teaching->project.data); i++) {
        const struct shw_code_made had = shw_project_get_text(coding->teaching->project.data, i).made;
        *changed = *changed && (had.feature != made.feature || had.kind != made.kind);
    }
    if (!*changed && !is_new) {
        shw_code_let_go(&made);
        return SHW_OK;
    }
    return view_teaching_put_text(coding->teaching, item->name, &made);
}

static void say_added(struct view_coding *coding, const struct shw_code_made *made, const char *name)
{
    if (made->feature != NULL)
        snprintf(coding->said, sizeof coding->said, "the project is trained with the feature type %s of %.600s",
                 made->feature->name, name);
    else
        snprintf(coding->said, sizeof coding->said, "the project is trained with the channels of %.600s, too", name);
}

static enum shw_result take_files(struct view_coding *coding)
{
    struct view_code_job *job = &coding->job;
    enum shw_result result = SHW_OK;
    bool any = false;

    for (uint32_t i = 0; i < job->count && result == SHW_OK; i++) {
        const struct shw_code_made made = job->items[i].made;
        bool changed;

        result = put_text(coding, &job->items[i], &changed);
        if (result == SHW_OK && job->want == VIEW_CODE_ADD)
            say_added(coding, &made, job->items[i].name);
        any = any || changed;
    }
    if (result != SHW_OK)
        snprintf(coding->error.message, sizeof coding->error.message,
                 "%.400s: the project cannot be trained with it; what it had stays", job->items[0].name);
    if (result == SHW_OK && job->want == VIEW_CODE_CHANGED && any) {
        coding->live.compiled = view_clock();
        coding->live.count++;
    }
    return result;
}

/* That the texts run changes nothing that would have to be saved. */
static enum shw_result take_project(struct view_coding *coding)
{
    struct view_project *project = &coding->teaching->project;
    const bool saved = shw_project_get_edition(project->data) == project->saved;
    enum shw_result result = shw_project_run_texts(project->data, NULL, &coding->scene->log); /* they are made */

    if (saved)
        project->saved = shw_project_get_edition(project->data);
    return result;
}

/* What has been compiled takes its place; what has failed leaves everything as it was. */
static enum shw_result finish(struct view_coding *coding)
{
    struct view_code_job *job = &coding->job;
    const bool is_forest = job->want == VIEW_CODE_FOREST;
    enum shw_result result = view_code_job_take(job);

    coding->scene->redraw = true;
    if (result == SHW_ERROR_CANCELLED ||
        (!is_forest && (coding->teaching->project.data == NULL || coding->opened != coding->teaching->opened))) {
        view_code_job_clear(job);
        return SHW_OK;
    }
    coding->error = (struct view_code_error){.line = 0};
    if (result != SHW_OK) {
        coding->error = job->error;
        shw_log_message(&coding->scene->log, SHW_LOG_ERROR, SHW_LOG_FEATURE_TYPE, "%s", job->error.message);
        coding->wants_panel = true;
        if (is_forest)
            view_scene_drop_held_forest(coding->scene);
    } else if (is_forest) {
        result = view_scene_load_held_forest(coding->scene);
    } else {
        result = job->want == VIEW_CODE_PROJECT ? take_project(coding) : take_files(coding);
    }
    if (job->want != VIEW_CODE_CHANGED && result != SHW_OK)
        coding->failed = result;
    view_code_job_clear(job);
    return SHW_OK;
}

enum shw_result view_coding_poll(struct view_coding *coding)
{
    const struct shw_project *project = coding->teaching->project.data;
    enum shw_result result = SHW_OK;

    if (coding->opened != coding->teaching->opened) {
        begin_anew(coding);
        coding->runs_project = coding->trusts && project != NULL && shw_project_is_held_back(project);
        if (project != NULL && shw_project_is_held_back(project) && !coding->trusts && !coding->teaching->careful)
            shw_project_refuse_texts(
                project, coding->teaching->project.path != NULL ? coding->teaching->project.path : "the project",
                &coding->scene->log);
    }
    coding->runs_forest = coding->runs_forest || (coding->trusts && coding->scene->held_forest.path != NULL &&
                                                  !view_code_job_is_busy(&coding->job));
    watch_all(coding, false);
    if (view_code_job_is_busy(&coding->job)) {
        if (is_outdated(coding))
            view_job_stop(&coding->job.job);
        if (view_job_is_done(&coding->job.job))
            result = finish(coding);
    } else {
        const enum shw_result begun = begin_next(coding);

        coding->failed = begun != SHW_OK ? begun : coding->failed;
    }
    list_channels(coding);
    return result;
}

bool view_coding_is_awaited(const struct view_coding *coding)
{
    return view_code_job_is_busy(&coding->job) || coding->adding != NULL || coding->runs_project ||
           coding->runs_forest || coding->opened != coding->teaching->opened ||
           (coding->trusts && coding->scene->held_forest.path != NULL);
}

enum shw_result view_coding_take_failure(struct view_coding *coding)
{
    const enum shw_result failed = coding->failed;

    coding->failed = SHW_OK;
    return failed;
}

bool view_coding_asks(const struct view_coding *coding)
{
    const struct shw_project *project = coding->teaching->project.data;

    if (!coding->teaching->careful || view_coding_is_awaited(coding))
        return false;
    return coding->scene->held_forest.path != NULL ||
           (project != NULL && !coding->refused && shw_project_is_held_back(project));
}
