#include "teach/recovery.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/log.h"
#include "files/image/image_write.h"
#include "files/io/image_paths.h"
#include "gpu/watch.h"
#include "teach/recovery_copy.h"

#define REASON_SIZE 1024

/* A picture to be written with a copy. */
struct frame {
    struct shw_pixels *pixels;
    char *file;
};

struct view_recovery {
    char *base;   /* the folder of all copies */
    char *folder; /* of this program; NULL: there is none yet */
    int lock;
    struct shw_log log;
    char *path;                     /* of the open project's file, which others are told; NULL: none */
    uint64_t copied;                /* revision in the copy, or being written; 0: there is none */
    double changed;                 /* when a later one was seen first; 0: there is none */
    struct view_kept_frames frames; /* written with the project */

    pthread_t thread;
    pthread_mutex_t mutex; /* of all below */
    pthread_cond_t wake;
    bool busy, end;
    struct view_project work; /* a copy, to be written with `frames` */
    struct frame *fresh;      /* frames to be written before */
    uint32_t fresh_count;     /* of them */
    bool failed;              /* the last one; told */
};

char *view_recovery_usual_folder(void)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

    if (state != NULL && state[0] == '/')
        return shw_path_join(state, "/shadewood/recovery", "");
    return home != NULL && home[0] == '/' ? shw_path_join(home, "/.local/state/shadewood/recovery", "") : NULL;
}

static enum shw_result write_frames(const struct frame *frames, uint32_t count, const struct shw_log *log)
{
    enum shw_result result = SHW_OK;

    for (uint32_t f = 0; f < count && result == SHW_OK; f++) {
        struct shw_pixels_part *whole = NULL;

        SHW_PROPAGATE(shw_pixels_take(frames[f].pixels, log, &whole));
        result = shw_png_write(frames[f].file, &whole->input[0].image, log);
        shw_pixels_part_release(&whole);
    }
    return result;
}

static void free_frames(struct frame *frames, uint32_t count)
{
    for (uint32_t f = 0; f < count; f++) {
        shw_pixels_release(&frames[f].pixels);
        free(frames[f].file);
    }
    free(frames);
}

/* The reason of a failure, for the one message. */
static void keep_reason(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    (void)level, (void)item;
    snprintf(user, REASON_SIZE, "%s", text);
}

static void tell(const struct view_recovery *recovery, const char *reason)
{
    shw_log_message(&recovery->log, SHW_LOG_WARNING, SHW_LOG_PROJECT,
                    "unsaved work cannot be kept for recovery; save it soon: %s", reason);
}

/* Writes what is to be written, without the mutex. `failed`: it could not be written before either. */
static bool write_copy(struct view_recovery *recovery, bool failed)
{
    char *file = shw_path_join(recovery->folder, "/", VIEW_COPY_FILE), reason[REASON_SIZE] = "";
    char *text = view_copy_encode(&recovery->work, &recovery->frames);
    const struct shw_log log = {keep_reason, reason, SHW_LOG_ERROR};
    enum shw_result result =
        file != NULL && text != NULL ? write_frames(recovery->fresh, recovery->fresh_count, &log) : SHW_ERROR_MEMORY;

    if (result == SHW_OK && strlen(text) > SHW_PROJECT_FILE_MAX)
        result = shw_fail(&log, SHW_ERROR_LIMIT, SHW_LOG_PROJECT, "the copy would be larger than %u MiB",
                          (unsigned)(SHW_PROJECT_FILE_MAX >> 20));
    if (result == SHW_OK)
        result = shw_atomic_file_write(file, text, strlen(text), &log);
    if (result != SHW_OK && !failed)
        tell(recovery, reason[0] != '\0' ? reason : "there is no memory");
    free(text);
    free(file);
    return result == SHW_OK;
}

static void *run(void *user)
{
    struct view_recovery *recovery = user;
    bool failed, written;

    pthread_mutex_lock(&recovery->mutex);
    while (!recovery->end || recovery->busy) {
        if (!recovery->busy) {
            pthread_cond_wait(&recovery->wake, &recovery->mutex);
            continue;
        }
        failed = recovery->failed;
        pthread_mutex_unlock(&recovery->mutex);
        written = write_copy(recovery, failed);
        pthread_mutex_lock(&recovery->mutex);
        recovery->failed = !written;
        view_project_close(&recovery->work);
        free_frames(recovery->fresh, recovery->fresh_count);
        recovery->fresh = NULL;
        recovery->fresh_count = 0;
        recovery->busy = false;
        pthread_cond_broadcast(&recovery->wake);
    }
    pthread_mutex_unlock(&recovery->mutex);
    return NULL;
}

enum shw_result view_recovery_create(const char *folder, const struct shw_log *log, struct view_recovery **recovery)
{
    struct view_recovery *made = calloc(1, sizeof *made);

    if (made == NULL || (made->base = strdup(folder)) == NULL) {
        free(made);
        return shw_fail_memory(log, "copies of unsaved work");
    }
    made->log = *log;
    made->lock = -1;
    pthread_mutex_init(&made->mutex, NULL);
    pthread_cond_init(&made->wake, NULL);
    if (pthread_create(&made->thread, NULL, run, made) != 0) {
        pthread_cond_destroy(&made->wake);
        pthread_mutex_destroy(&made->mutex);
        free(made->base);
        free(made);
        return shw_fail_memory(log, "copies of unsaved work");
    }
    *recovery = made;
    return SHW_OK;
}

static void wait_for_copy(struct view_recovery *recovery)
{
    pthread_mutex_lock(&recovery->mutex);
    while (recovery->busy)
        pthread_cond_wait(&recovery->wake, &recovery->mutex);
    pthread_mutex_unlock(&recovery->mutex);
}

/* Removes the copy, and what was written with it, with the folder. */
static void remove_copy(struct view_recovery *recovery)
{
    wait_for_copy(recovery);
    if (recovery->folder != NULL)
        view_copy_remove(recovery->folder);
    if (recovery->lock >= 0)
        close(recovery->lock);
    free(recovery->folder);
    free(recovery->path);
    recovery->folder = recovery->path = NULL;
    recovery->lock = -1;
    recovery->copied = 0;
    recovery->changed = 0;
    recovery->failed = false;
    view_kept_frames_free(&recovery->frames);
}

void view_recovery_destroy(struct view_recovery **recovery)
{
    struct view_recovery *old = *recovery;

    if (old == NULL)
        return;
    wait_for_copy(old);
    pthread_mutex_lock(&old->mutex);
    old->end = true;
    pthread_cond_broadcast(&old->wake);
    pthread_mutex_unlock(&old->mutex);
    view_join(old->thread);
    pthread_cond_destroy(&old->wake);
    pthread_mutex_destroy(&old->mutex);
    if (old->lock >= 0 && old->copied == 0)
        view_copy_remove(old->folder);
    if (old->lock >= 0)
        close(old->lock);
    view_kept_frames_free(&old->frames);
    free(old->folder);
    free(old->path);
    free(old->base);
    free(old);
    *recovery = NULL;
}

/* Creates the program's folder, locked before others can see it. Errors: IO, with errno, MEMORY, not logged. */
static enum shw_result make_folder(struct view_recovery *recovery)
{
    char *hidden = shw_path_join(recovery->base, "/.new-XXXXXX", ""), *name = NULL;
    int lock = -1, error;
    enum shw_result result = SHW_ERROR_IO;

    if (hidden == NULL)
        goto fail;
    shw_make_private_folders(hidden);
    if (mkdtemp(hidden) == NULL) {
        if (errno == ENOENT)
            mkdir(recovery->base, 0700); /* for why it could not be made */
        goto fail;
    }
    lock = view_copy_lock(hidden);
    name = shw_path_join(recovery->base, "/", strrchr(hidden, '-') + 1);
    if (lock < 0 || name == NULL || rename(hidden, name) != 0)
        goto fail;
    recovery->folder = name;
    recovery->lock = lock;
    name = NULL;
    lock = -1;
    result = SHW_OK;

fail:
    error = errno;
    if (result != SHW_OK && hidden != NULL)
        view_copy_remove(hidden);
    if (lock >= 0)
        close(lock);
    free(hidden);
    free(name);
    errno = error;
    return result;
}

/* Takes shares of the pixels of frames that are not written yet. */
static enum shw_result take_frames(struct view_recovery *recovery, const struct view_project *project, uint32_t known)
{
    const struct view_kept_frames *frames = &recovery->frames;
    uint32_t count = frames->count - known;

    if (count == 0)
        return SHW_OK;
    recovery->fresh = calloc(count, sizeof *recovery->fresh);
    if (recovery->fresh == NULL)
        return SHW_ERROR_MEMORY;
    for (; recovery->fresh_count < count; recovery->fresh_count++) {
        const struct view_kept_frame *frame = &frames->frames[known + recovery->fresh_count];
        struct frame *fresh = &recovery->fresh[recovery->fresh_count];
        fresh->pixels = shw_project_share_pixels(project->data, frame->picture);
        fresh->file = shw_path_join(recovery->folder, "/", frame->file);
        if (fresh->pixels == NULL || fresh->file == NULL)
            return SHW_ERROR_MEMORY;
    }
    return SHW_OK;
}

/* Hands a copy to the thread, which is idle. */
static enum shw_result begin_copy(struct view_recovery *recovery, const struct view_project *project)
{
    uint32_t known = recovery->failed ? 0 : recovery->frames.count;
    enum shw_result result = recovery->folder != NULL ? SHW_OK : make_folder(recovery);

    if (result == SHW_OK)
        result = view_kept_frames_update(&recovery->frames, project);
    if (result == SHW_OK)
        result = take_frames(recovery, project, known);
    if (result == SHW_OK)
        result = view_project_copy(project, NULL, &recovery->work);
    if (result != SHW_OK) {
        free_frames(recovery->fresh, recovery->fresh_count);
        recovery->fresh = NULL;
        recovery->fresh_count = 0;
    }
    return result;
}

static void copy(struct view_recovery *recovery, const struct view_project *project)
{
    uint64_t revision = shw_project_get_revision(project->data);
    char reason[REASON_SIZE] = "there is no memory";
    enum shw_result result;
    bool failed;

    pthread_mutex_lock(&recovery->mutex);
    if (recovery->busy) {
        pthread_mutex_unlock(&recovery->mutex);
        return;
    }
    failed = recovery->failed;
    result = begin_copy(recovery, project);
    if (result == SHW_ERROR_IO)
        snprintf(reason, sizeof reason, "cannot make a folder in %s: %s", recovery->base, strerror(errno));
    recovery->busy = result == SHW_OK;
    recovery->failed = failed || result != SHW_OK;
    pthread_cond_broadcast(&recovery->wake);
    pthread_mutex_unlock(&recovery->mutex);
    recovery->copied = revision;
    recovery->changed = 0;
    if (result != SHW_OK && !failed)
        tell(recovery, reason);
}

static bool has_failed(struct view_recovery *recovery)
{
    bool failed;

    pthread_mutex_lock(&recovery->mutex);
    failed = recovery->failed;
    pthread_mutex_unlock(&recovery->mutex);
    return failed;
}

/* Lets others know which file is open here. */
static void note_path(struct view_recovery *recovery, const char *path)
{
    char *real;

    if (path == NULL ? recovery->path == NULL : recovery->path != NULL && strcmp(path, recovery->path) == 0)
        return;
    free(recovery->path);
    recovery->path = path != NULL ? strdup(path) : NULL;
    real = path != NULL ? realpath(path, NULL) : NULL;
    if (real != NULL && recovery->folder == NULL)
        make_folder(recovery);
    if (recovery->lock >= 0)
        view_copy_note_path(recovery->lock, real);
    free(real);
}

void view_recovery_rescue(struct view_recovery *recovery, const struct view_project *project)
{
    wait_for_copy(recovery);
    if (view_project_is_unsaved(project) && shw_project_get_revision(project->data) != recovery->copied)
        copy(recovery, project);
    wait_for_copy(recovery);
}

void view_recovery_update(struct view_recovery *recovery, const struct view_project *project, double now)
{
    uint64_t revision = project->data != NULL ? shw_project_get_revision(project->data) : 0;

    note_path(recovery, project->path);
    if (!view_project_is_unsaved(project)) {
        if (recovery->copied > 0)
            remove_copy(recovery);
        recovery->changed = 0;
        return;
    }
    if (revision == recovery->copied && !has_failed(recovery))
        return;
    if (recovery->changed == 0)
        recovery->changed = now;
    if (now - recovery->changed >= VIEW_RECOVERY_SECONDS)
        copy(recovery, project);
}

/* Adds the copy in a folder, if nobody holds it. */
static enum shw_result add_recovered(const char *base, const char *name, const struct shw_log *log,
                                     struct view_recovered_list *list)
{
    struct view_recovered *grown = realloc(list->items, (list->count + (size_t)1) * sizeof *grown), *item;
    struct view_project project = {0};
    char *file;
    struct stat status;

    if (grown == NULL)
        return shw_fail_memory(log, "unsaved work");
    list->items = grown;
    item = &grown[list->count];
    *item = (struct view_recovered){.folder = shw_path_join(base, "/", name), .lock = -1};
    file = item->folder != NULL ? shw_path_join(item->folder, "/", VIEW_COPY_FILE) : NULL;
    if (file == NULL) {
        free(item->folder);
        return shw_fail_memory(log, "unsaved work");
    }
    item->lock = stat(item->folder, &status) == 0 && S_ISDIR(status.st_mode) ? view_copy_lock(item->folder) : -1;
    if (item->lock >= 0 && stat(file, &status) != 0)
        view_copy_remove(item->folder); /* its program was killed before the first copy */
    else if (item->lock >= 0 && view_copy_read(item->folder, false, log, &project) == SHW_OK) {
        view_copy_note_path(item->lock, NULL); /* that program no longer has it open */
        item->path = project.path != NULL ? strdup(project.path) : NULL;
        item->written = status.st_mtime;
        item->class_count = shw_project_get_class_count(project.data);
        for (uint32_t p = 0; p < shw_project_get_picture_count(project.data); p++) {
            uint32_t strokes = shw_project_get_picture(project.data, p).stroke_count;
            item->stroke_count += strokes;
            item->picture_count += strokes > 0;
        }
        view_project_close(&project);
        free(file);
        list->count++;
        return SHW_OK;
    }
    if (item->lock >= 0)
        close(item->lock);
    free(item->folder);
    free(file);
    return SHW_OK;
}

static int by_time(const void *one, const void *other)
{
    const struct view_recovered *a = one, *b = other;

    return (b->written > a->written) - (b->written < a->written);
}

enum shw_result view_recovery_find(const char *folder, const struct shw_log *log, struct view_recovered_list *list)
{
    DIR *open_folder = opendir(folder);
    const struct dirent *entry;
    enum shw_result result = SHW_OK;

    *list = (struct view_recovered_list){0};
    while (open_folder != NULL && result == SHW_OK && (entry = readdir(open_folder)) != NULL)
        if (entry->d_name[0] != '.')
            result = add_recovered(folder, entry->d_name, log, list);
    if (open_folder != NULL)
        closedir(open_folder);
    if (result != SHW_OK)
        view_recovered_free(list);
    else if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, by_time);
    return result;
}

static void free_item(struct view_recovered *item)
{
    if (item->lock >= 0)
        close(item->lock);
    free(item->folder);
    free(item->path);
}

void view_recovered_free(struct view_recovered_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        free_item(&list->items[i]);
    free(list->items);
    *list = (struct view_recovered_list){0};
}

enum shw_result view_recovered_read(const struct view_recovered *item, const struct shw_log *log,
                                    struct view_project *project)
{
    return view_copy_read(item->folder, true, log, project);
}

void view_recovered_delete(struct view_recovered_list *list, uint32_t item)
{
    view_copy_remove(list->items[item].folder);
    free_item(&list->items[item]);
    list->count--;
    memmove(list->items + item, list->items + item + 1, (list->count - item) * sizeof *list->items);
}

bool view_recovery_is_elsewhere(const struct view_recovery *recovery, const char *path)
{
    DIR *open_folder = opendir(recovery->base);
    char *wanted = realpath(path, NULL), noted[VIEW_COPY_PATH];
    const struct dirent *entry;
    bool found = false;

    while (open_folder != NULL && wanted != NULL && !found && (entry = readdir(open_folder)) != NULL) {
        char *folder = entry->d_name[0] != '.' ? shw_path_join(recovery->base, "/", entry->d_name) : NULL;
        found = folder != NULL && (recovery->folder == NULL || strcmp(folder, recovery->folder) != 0) &&
                view_copy_is_held(folder, noted) && strcmp(noted, wanted) == 0;
        free(folder);
    }
    if (open_folder != NULL)
        closedir(open_folder);
    free(wanted);
    return found;
}
