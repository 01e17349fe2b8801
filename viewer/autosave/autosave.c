#include "autosave/autosave.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "files/io/image_paths.h"

char *view_autosave_usual_folder(void)
{
    return shw_path_of_user("XDG_STATE_HOME", ".local/state", "shadewood/recovery");
}

/* The reason of a failure, for the one message. */
static void keep_reason(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    (void)level, (void)item;
    snprintf(user, VIEW_AUTOSAVE_REASON, "%s", text);
}

static struct shw_log reason_log(struct view_autosave *autosave)
{
    snprintf(autosave->reason, sizeof autosave->reason, "out of memory");
    return (struct shw_log){keep_reason, autosave->reason, SHW_LOG_ERROR};
}

static void note_result(struct view_autosave *autosave, enum shw_result result)
{
    if (result != SHW_OK && (autosave->asked || !autosave->failed))
        shw_log_message(&autosave->log, autosave->asked ? SHW_LOG_ERROR : SHW_LOG_WARNING, SHW_LOG_PROJECT, "%s: %s",
                        autosave->kind->warning, autosave->reason);
    autosave->failed = result != SHW_OK;
}

static void free_work(struct view_autosave *autosave)
{
    if (autosave->work != NULL)
        autosave->kind->free_taken(autosave->work);
    free(autosave->work);
    autosave->work = NULL;
}

static enum shw_result write_work(void *user)
{
    struct view_autosave *autosave = user;
    const struct shw_log log = {keep_reason, autosave->reason, SHW_LOG_ERROR};

    return autosave->kind->write(autosave->work, autosave->place, &log);
}

enum shw_result view_autosave_create(const struct view_autosave_kind *kind, const char *folder,
                                     const struct shw_log *log, struct view_autosave **autosave)
{
    static const struct view_job_kind job = {"copies of unsaved work", (enum shw_priority)0, write_work, NULL};
    struct view_autosave *made = calloc(1, sizeof *made);

    if (made == NULL || (made->base = strdup(folder)) == NULL || (made->state = calloc(1, kind->state_size)) == NULL) {
        if (made != NULL)
            free(made->base);
        free(made);
        return shw_fail_memory(log, "copies of unsaved work");
    }
    made->kind = kind;
    made->log = *log;
    made->lock = -1;
    view_job_init(&made->job, &job, made);
    *autosave = made;
    return SHW_OK;
}

/* Takes the result of the copy in progress; `waits`: also if it is still being written. Whether there is none now. */
static bool collect(struct view_autosave *autosave, bool waits)
{
    if (autosave->work == NULL)
        return true;
    if (waits)
        view_job_wait(&autosave->job);
    if (!view_job_is_done(&autosave->job))
        return false;
    note_result(autosave, view_job_take(&autosave->job));
    free_work(autosave);
    return true;
}

void view_autosave_remove(struct view_autosave *autosave)
{
    if (autosave == NULL)
        return;
    collect(autosave, true);
    if (autosave->place != NULL)
        autosave->kind->remove(autosave->place);
    if (autosave->lock >= 0)
        close(autosave->lock);
    free(autosave->place);
    autosave->kind->forget(autosave->state);
    memset(autosave->state, 0, autosave->kind->state_size);
    autosave->place = NULL;
    autosave->lock = -1;
    autosave->copied = 0;
    autosave->changed = 0;
    autosave->failed = false;
}

void view_autosave_destroy(struct view_autosave **autosave, bool removes)
{
    struct view_autosave *old = *autosave;

    if (old == NULL)
        return;
    collect(old, true);
    view_job_free(&old->job);
    if (removes || old->copied == 0)
        view_autosave_remove(old);
    if (old->lock >= 0)
        close(old->lock);
    old->kind->forget(old->state);
    free(old->state);
    free(old->place);
    free(old->base);
    free(old);
    *autosave = NULL;
}

static enum shw_result begin_copy(struct view_autosave *autosave, const void *work)
{
    const struct shw_log log = reason_log(autosave);

    if (autosave->place == NULL)
        SHW_PROPAGATE(autosave->kind->make_place(autosave, &log));
    autosave->work = calloc(1, autosave->kind->taken_size);
    if (autosave->work == NULL)
        return SHW_ERROR_MEMORY;
    SHW_PROPAGATE(autosave->kind->take(autosave, work, autosave->failed, &log, autosave->work));
    return view_job_begin(&autosave->job, &log);
}

/* Nothing is being written. */
static void copy(struct view_autosave *autosave, const void *work, uint64_t revision)
{
    enum shw_result result = begin_copy(autosave, work);

    if (result != SHW_OK) {
        free_work(autosave);
        note_result(autosave, result);
    }
    autosave->copied = revision + 1;
    autosave->changed = 0;
}

void view_autosave_update(struct view_autosave *autosave, const void *work, double now)
{
    bool idle;
    uint64_t revision;

    if (autosave == NULL)
        return;
    if (autosave->kind->note != NULL)
        autosave->kind->note(autosave, work);
    idle = collect(autosave, false);
    if (!autosave->kind->is_unsaved(work, &revision)) {
        if (autosave->copied > 0)
            view_autosave_remove(autosave);
        autosave->changed = 0;
        return;
    }
    if (autosave->copied == revision + 1 && !autosave->failed)
        return;
    if (autosave->changed == 0)
        autosave->changed = now;
    if (idle && now - autosave->changed >= VIEW_AUTOSAVE_SECONDS)
        copy(autosave, work, revision);
}

enum shw_result view_autosave_rescue(struct view_autosave *autosave, const void *work)
{
    uint64_t revision;

    if (autosave == NULL)
        return SHW_OK;
    collect(autosave, true);
    if (!autosave->kind->is_unsaved(work, &revision))
        return SHW_OK;
    if (autosave->copied != revision + 1 || autosave->failed)
        copy(autosave, work, revision);
    collect(autosave, true);
    return autosave->failed ? SHW_ERROR_IO : SHW_OK;
}

enum shw_result view_autosave_keep(struct view_autosave *autosave, const void *work, const struct shw_log *log)
{
    enum shw_result result;

    if (autosave == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "no copies of unsaved work are kept: --recovery FOLDER keeps them");
    collect(autosave, true);
    autosave->asked = true;
    result = view_autosave_rescue(autosave, work);
    autosave->asked = false;
    return result;
}

static void free_item(struct view_left *item)
{
    if (item->lock >= 0)
        close(item->lock);
    free(item->place);
    free(item->path);
}

/* Reads what is said of a copy, or that it cannot be read, which is reported to who recovers it. */
static enum shw_result look_at(const struct view_autosave_kind *kind, const struct shw_log *log, struct view_left *item)
{
    const struct shw_log silent = {0};
    const enum shw_result result = kind->look(item, &silent);

    item->unreadable = result != SHW_OK;
    return result == SHW_ERROR_MEMORY ? shw_fail_memory(log, kind->work) : SHW_OK;
}

/* Adds a copy if nobody holds it. */
static enum shw_result add_left(const char *base, const char *name, const struct shw_log *log,
                                struct view_left_list *list)
{
    const struct view_autosave_kind *kind = list->kind;
    struct view_left *grown = realloc(list->items, (list->count + (size_t)1) * sizeof *grown), *item;
    char *file;
    struct stat status;
    enum shw_result result = SHW_OK;

    if (grown == NULL)
        return shw_fail_memory(log, kind->work);
    list->items = grown;
    item = &grown[list->count];
    *item = (struct view_left){.place = shw_path_join(base, "/", name), .lock = -1};
    file = item->place != NULL ? shw_path_join(item->place, kind->file, "") : NULL;
    if (file == NULL) {
        free(item->place);
        return shw_fail_memory(log, kind->work);
    }
    item->lock = kind->lock(item->place);
    if (item->lock >= 0 && stat(file, &status) != 0) {
        kind->remove(item->place); /* its program was killed before the first copy */
    } else if (item->lock >= 0) {
        item->written = status.st_mtime;
        result = look_at(kind, log, item);
        if (result == SHW_OK) {
            list->count++;
            free(file);
            return SHW_OK;
        }
    }
    free_item(item);
    free(file);
    return result;
}

static int by_time(const void *one, const void *other)
{
    const struct view_left *a = one, *b = other;

    return (b->written > a->written) - (b->written < a->written);
}

enum shw_result view_left_find(const struct view_autosave_kind *kind, const char *folder, const struct shw_log *log,
                               struct view_left_list *list)
{
    DIR *open_folder = opendir(folder);
    const struct dirent *entry;
    enum shw_result result = SHW_OK;

    *list = (struct view_left_list){.kind = kind};
    while (open_folder != NULL && result == SHW_OK && (entry = readdir(open_folder)) != NULL)
        if (kind->owns(entry->d_name))
            result = add_left(folder, entry->d_name, log, list);
    if (open_folder != NULL)
        closedir(open_folder);
    if (result != SHW_OK)
        view_left_free(list);
    else if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, by_time);
    return result;
}

void view_left_free(struct view_left_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        free_item(&list->items[i]);
    free(list->items);
    *list = (struct view_left_list){.kind = list->kind};
}

void view_left_delete(struct view_left_list *list, uint32_t item)
{
    list->kind->remove(list->items[item].place);
    free_item(&list->items[item]);
    list->count--;
    memmove(list->items + item, list->items + item + 1, (list->count - item) * sizeof *list->items);
}

static bool has_name(const char *const *names, const char *name)
{
    for (uint32_t n = 0; names[n] != NULL; n++) {
        size_t length = strcspn(names[n], "*");
        if (strncmp(names[n], name, length) == 0 && (names[n][length] == '*' || name[length] == '\0'))
            return true;
    }
    return false;
}

void view_autosave_remove_files(const char *folder, const char *const *names)
{
    DIR *open_folder = opendir(folder);
    const struct dirent *entry;

    while (open_folder != NULL && (entry = readdir(open_folder)) != NULL) {
        char *path = has_name(names, entry->d_name) ? shw_path_join(folder, "/", entry->d_name) : NULL;
        if (path != NULL)
            unlink(path);
        free(path);
    }
    if (open_folder != NULL)
        closedir(open_folder);
}
