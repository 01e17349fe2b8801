#include "annotate/boxes_copy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "annotate/boxes_file.h"
#include "base/atomic_file.h"
#include "base/log.h"
#include "files/image/image_file.h"
#include "files/image/image_write.h"
#include "files/io/image_paths.h"
#include "files/io/mark.h"
#include "gpu/watch.h"

#define STEM        "rectangles-"
#define STEM_LENGTH (sizeof STEM - 1 + 6) /* with what mkstemp() adds */
#define FRAME_KEY   "frame"
#define REASON_SIZE 1024
#define PATH_SIZE   4096

/* A frame to be written with a copy. */
struct frame {
    struct view_picture *picture;
    char *file, *name;
};

struct view_boxes_copies {
    char *base, *stem; /* the folder; path of the files, without their endings, NULL: there are none yet */
    int lock;
    struct shw_log log;
    uint64_t copied; /* the state in the copy, or being written, and one more; 0: there is none */
    uint32_t kept;   /* pictures of which frames are written, or being written */
    double changed;  /* when a later state was seen first; 0: there is none */
    bool failed;     /* the last one; told */
    bool running;    /* there is a thread to be joined, which uses what follows */
    pthread_t thread;
    pthread_mutex_t mutex; /* of `done` */
    bool done;
    char *text;
    size_t size;
    struct frame *frames;
    uint32_t frame_count;
    enum shw_result result;
    char reason[REASON_SIZE];
};

enum shw_result view_boxes_copies_create(const char *folder, const struct shw_log *log,
                                         struct view_boxes_copies **copies)
{
    struct view_boxes_copies *made = calloc(1, sizeof *made);

    if (made == NULL || (made->base = strdup(folder)) == NULL) {
        free(made);
        return shw_fail_memory(log, "copies of rectangles");
    }
    made->log = *log;
    made->lock = -1;
    pthread_mutex_init(&made->mutex, NULL);
    *copies = made;
    return SHW_OK;
}

static void free_work(struct view_boxes_copies *copies)
{
    for (uint32_t f = 0; f < copies->frame_count; f++) {
        view_picture_free(copies->frames[f].picture);
        free(copies->frames[f].file);
        free(copies->frames[f].name);
    }
    free(copies->frames);
    free(copies->text);
    copies->frames = NULL;
    copies->text = NULL;
    copies->frame_count = 0;
}

static void tell(struct view_boxes_copies *copies, const char *reason)
{
    if (!copies->failed)
        shw_log_message(&copies->log, SHW_LOG_WARNING, SHW_LOG_PROJECT,
                        "unsaved rectangles cannot be kept for recovery; save them soon: %s", reason);
    copies->failed = true;
    copies->copied = 0;
    copies->kept = 0;
}

/* Takes the result of the thread; `waits`: also if it still runs. Whether there is no thread any more. */
static bool collect(struct view_boxes_copies *copies, bool waits)
{
    bool done;

    if (!copies->running)
        return true;
    pthread_mutex_lock(&copies->mutex);
    done = copies->done;
    pthread_mutex_unlock(&copies->mutex);
    if (!done && !waits)
        return false;
    view_join(copies->thread);
    copies->running = false;
    free_work(copies);
    if (copies->result == SHW_OK)
        copies->failed = false;
    else
        tell(copies, copies->reason);
    return true;
}

/* Removes the files of a stem. */
static void remove_files(const char *stem)
{
    const char *name = shw_path_last(stem);
    char *base = strndup(stem, (size_t)(name - stem));
    DIR *folder = base != NULL ? opendir(base) : NULL;
    const struct dirent *entry;

    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (strncmp(entry->d_name, name, strlen(name)) == 0)
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder != NULL)
        closedir(folder);
    free(base);
}

static void remove_copy(struct view_boxes_copies *copies)
{
    collect(copies, true);
    if (copies->stem != NULL)
        remove_files(copies->stem);
    if (copies->lock >= 0)
        close(copies->lock);
    free(copies->stem);
    copies->stem = NULL;
    copies->lock = -1;
    copies->copied = 0;
    copies->kept = 0;
    copies->changed = 0;
    copies->failed = false;
}

void view_boxes_copies_destroy(struct view_boxes_copies **copies, bool removes)
{
    struct view_boxes_copies *old = *copies;

    if (old == NULL)
        return;
    collect(old, true);
    if (removes)
        remove_copy(old);
    if (old->lock >= 0)
        close(old->lock);
    pthread_mutex_destroy(&old->mutex);
    free(old->stem);
    free(old->base);
    free(old);
    *copies = NULL;
}

/* The reason of a failure, for the one message. */
static void keep_reason(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    (void)level, (void)item;
    snprintf(user, REASON_SIZE, "%s", text);
}

static enum shw_result write_copy(struct view_boxes_copies *copies)
{
    const struct shw_log log = {keep_reason, copies->reason, SHW_LOG_ERROR};
    char *file = shw_path_join(copies->stem, ".csv", "");
    enum shw_result result = file != NULL ? SHW_OK : shw_fail_memory(&log, "a copy");

    for (uint32_t f = 0; f < copies->frame_count && result == SHW_OK; f++) {
        const struct shw_png_text text = {FRAME_KEY, copies->frames[f].name};

        result = shw_png_write_with_texts(copies->frames[f].file, SHW_MARK_FRAME, &text, 1,
                                          &copies->frames[f].picture->image, &log);
    }
    if (result == SHW_OK)
        result = shw_atomic_file_write(file, copies->text, copies->size, &log);
    free(file);
    return result;
}

static void *run(void *user)
{
    struct view_boxes_copies *copies = user;

    copies->result = write_copy(copies);
    pthread_mutex_lock(&copies->mutex);
    copies->done = true;
    pthread_mutex_unlock(&copies->mutex);
    return NULL;
}

/* Creates the locked file of this program. */
static enum shw_result make_stem(struct view_boxes_copies *copies, const struct shw_log *log)
{
    char *stem;
    int lock;

    if (copies->stem != NULL)
        return SHW_OK;
    stem = shw_path_join(copies->base, "/" STEM, "XXXXXX");
    if (stem == NULL)
        return shw_fail_memory(log, "a copy");
    shw_make_private_folders(stem);
    lock = mkstemp(stem);
    if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) != 0) {
        free(stem);
        if (lock >= 0)
            close(lock);
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "cannot make a file in %s: %s", copies->base,
                        strerror(errno));
    }
    fcntl(lock, F_SETFD, FD_CLOEXEC);
    copies->stem = stem;
    copies->lock = lock;
    return SHW_OK;
}

/* In the lock: the stamp of the rectangles' file, and its path. */
static enum shw_result note_origin(struct view_boxes_copies *copies, const struct view_boxes_origin *origin,
                                   const struct shw_log *log)
{
    const struct view_file_stamp *stamp = &origin->stamp;
    char *real = origin->path != NULL ? realpath(origin->path, NULL) : NULL;
    bool fine = ftruncate(copies->lock, 0) == 0 && lseek(copies->lock, 0, SEEK_SET) == 0;

    if (fine && real != NULL)
        fine = dprintf(copies->lock, "%llu %llu %lld %lld %lld %s", (unsigned long long)stamp->device,
                       (unsigned long long)stamp->number, (long long)stamp->size, (long long)stamp->seconds,
                       (long long)stamp->nanoseconds, real) > 0;
    free(real);
    return fine ? SHW_OK
                : shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "cannot write %s: %s", copies->stem, strerror(errno));
}

/* Adds the frames that are not written yet. */
static enum shw_result take_frames(struct view_boxes_copies *copies, const struct view_boxes *boxes,
                                   const struct shw_log *log)
{
    copies->frames = calloc(boxes->picture_count - copies->kept + (size_t)1, sizeof *copies->frames);
    if (copies->frames == NULL)
        return shw_fail_memory(log, "a copy");
    for (uint32_t p = copies->kept; p < boxes->picture_count; p++) {
        const struct view_boxes_picture *picture = &boxes->pictures[p];
        struct frame *frame = &copies->frames[copies->frame_count];

        if (picture->place != NULL || picture->kept == NULL)
            continue;
        *frame = (struct frame){view_picture_share(picture->kept), view_boxes_frame_copy(copies->stem, p),
                                strdup(picture->frame)};
        copies->frame_count++;
        if (frame->file == NULL || frame->name == NULL)
            return shw_fail_memory(log, "a copy");
    }
    return SHW_OK;
}

static enum shw_result prepare(struct view_boxes_copies *copies, const struct view_boxes *boxes,
                               const struct view_boxes_origin *origin, const struct shw_log *log)
{
    FILE *stream;
    enum shw_result result;

    SHW_PROPAGATE(make_stem(copies, log));
    SHW_PROPAGATE(note_origin(copies, origin, log));
    SHW_PROPAGATE(take_frames(copies, boxes, log));
    stream = open_memstream(&copies->text, &copies->size);
    if (stream == NULL)
        return shw_fail_memory(log, "a copy");
    result = view_boxes_print(stream, boxes, "", copies->stem, log);
    return fclose(stream) == 0 ? result : shw_fail_memory(log, "a copy");
}

/* Begins to write a copy; there is no thread. */
static void copy(struct view_boxes_copies *copies, const struct view_boxes *boxes,
                 const struct view_boxes_origin *origin)
{
    const struct shw_log log = {keep_reason, copies->reason, SHW_LOG_ERROR};

    copies->changed = 0;
    copies->done = false;
    snprintf(copies->reason, sizeof copies->reason, "there is no memory for a thread");
    if (prepare(copies, boxes, origin, &log) == SHW_OK)
        copies->running = pthread_create(&copies->thread, NULL, run, copies) == 0;
    if (!copies->running) {
        free_work(copies);
        tell(copies, copies->reason);
    }
    copies->copied = view_boxes_state(boxes) + 1; /* a failed one is tried again with the next change */
    copies->kept = copies->failed ? 0 : boxes->picture_count;
}

static bool is_unsaved(const struct view_boxes *boxes)
{
    return view_boxes_state(boxes) != boxes->saved;
}

void view_boxes_copies_update(struct view_boxes_copies *copies, const struct view_boxes *boxes,
                              const struct view_boxes_origin *origin, double now)
{
    if (!collect(copies, false))
        return;
    if (!is_unsaved(boxes)) {
        if (copies->stem != NULL)
            remove_copy(copies);
        copies->changed = 0;
        return;
    }
    if (copies->copied == view_boxes_state(boxes) + 1)
        return;
    if (copies->changed == 0)
        copies->changed = now;
    if (now - copies->changed >= VIEW_BOXES_COPY_SECONDS)
        copy(copies, boxes, origin);
}

void view_boxes_copies_renew(struct view_boxes_copies *copies)
{
    remove_copy(copies);
}

void view_boxes_copies_rescue(struct view_boxes_copies *copies, const struct view_boxes *boxes,
                              const struct view_boxes_origin *origin)
{
    collect(copies, true);
    if (is_unsaved(boxes) && copies->copied != view_boxes_state(boxes) + 1)
        copy(copies, boxes, origin);
    collect(copies, true);
}

/* What is noted in a lock. */
static struct view_boxes_origin noted_origin(int lock)
{
    struct view_boxes_origin origin = {0};
    unsigned long long device, number;
    long long size, seconds, nanoseconds;
    char text[PATH_SIZE + 120];
    ssize_t length = pread(lock, text, sizeof text - 1, 0);
    int end = 0;

    text[length > 0 ? length : 0] = '\0';
    if (sscanf(text, "%llu %llu %lld %lld %lld %n", &device, &number, &size, &seconds, &nanoseconds, &end) < 5 ||
        end == 0 || text[end] == '\0')
        return origin;
    origin.path = strdup(text + end);
    origin.stamp = (struct view_file_stamp){device, number, size, seconds, nanoseconds};
    return origin;
}

/* Adds a copy that nobody holds. */
static enum shw_result add_left(const char *base, const char *name, const struct shw_log *log,
                                struct view_boxes_found *found)
{
    struct view_boxes_left *grown = realloc(found->items, (found->count + (size_t)1) * sizeof *grown), item = {0};
    struct view_boxes boxes = {0};
    char *file;
    struct stat status;

    if (grown == NULL)
        return shw_fail_memory(log, "unsaved rectangles");
    found->items = grown;
    item.stem = shw_path_join(base, "/", name);
    file = item.stem != NULL ? shw_path_join(item.stem, ".csv", "") : NULL;
    item.lock = file != NULL ? open(item.stem, O_RDWR | O_CLOEXEC) : -1;
    if (item.lock >= 0 && flock(item.lock, LOCK_EX | LOCK_NB) == 0) {
        if (stat(file, &status) != 0) {
            remove_files(item.stem); /* its program was killed before the first copy */
        } else if (view_boxes_read(file, log, &boxes) == SHW_OK) {
            item.origin = noted_origin(item.lock);
            item.written = status.st_mtime;
            item.box_count = view_boxes_count(&boxes, &item.picture_count);
            view_boxes_free(&boxes);
            found->items[found->count++] = item;
            free(file);
            return SHW_OK;
        }
    }
    if (item.lock >= 0)
        close(item.lock);
    free(item.stem);
    free(file);
    return SHW_OK;
}

static int by_time(const void *one, const void *other)
{
    const struct view_boxes_left *a = one, *b = other;

    return (b->written > a->written) - (b->written < a->written);
}

enum shw_result view_boxes_copies_find(const char *folder, const struct shw_log *log, struct view_boxes_found *found)
{
    DIR *open_folder = opendir(folder);
    const struct dirent *entry;
    enum shw_result result = SHW_OK;

    *found = (struct view_boxes_found){0};
    while (open_folder != NULL && result == SHW_OK && (entry = readdir(open_folder)) != NULL)
        if (strlen(entry->d_name) == STEM_LENGTH && strncmp(entry->d_name, STEM, strlen(STEM)) == 0)
            result = add_left(folder, entry->d_name, log, found);
    if (open_folder != NULL)
        closedir(open_folder);
    if (result != SHW_OK)
        view_boxes_found_free(found);
    else if (found->count > 1)
        qsort(found->items, found->count, sizeof *found->items, by_time);
    return result;
}

static void free_item(struct view_boxes_left *item)
{
    close(item->lock);
    free(item->stem);
    free(item->origin.path);
}

void view_boxes_found_free(struct view_boxes_found *found)
{
    for (uint32_t i = 0; i < found->count; i++)
        free_item(&found->items[i]);
    free(found->items);
    *found = (struct view_boxes_found){0};
}

/* A picture whose pixels are kept with the copy is a frame again. */
static enum shw_result recall_frame(struct view_boxes_picture *picture, const struct shw_log *log)
{
    struct shw_image_file file;
    struct view_picture *kept;
    char *frame = shw_png_read_text(picture->place, FRAME_KEY);

    if (frame == NULL)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s is not a copy of a frame", picture->place);
    picture->frame = frame;
    SHW_PROPAGATE(shw_image_file_read(picture->place, NULL, log, &file));
    kept = calloc(1, sizeof *kept);
    if (kept == NULL) {
        shw_image_file_free(&file);
        return shw_fail_memory(log, picture->place);
    }
    kept->image = file.image; /* takes over the pixels */
    picture->kept = kept;
    free(picture->place);
    picture->place = NULL;
    return SHW_OK;
}

enum shw_result view_boxes_left_read(const struct view_boxes_left *item, const struct shw_log *log,
                                     struct view_boxes *boxes)
{
    char *file = shw_path_join(item->stem, ".csv", ""), *name = strdup(shw_path_last(item->stem));
    enum shw_result result = file != NULL && name != NULL ? SHW_OK : shw_fail_memory(log, "unsaved rectangles");

    *boxes = (struct view_boxes){0};
    if (result == SHW_OK)
        result = view_boxes_read(file, log, boxes);
    for (uint32_t p = 0; p < boxes->picture_count && result == SHW_OK; p++)
        if (strncmp(shw_path_last(boxes->pictures[p].place), name, STEM_LENGTH) == 0)
            result = recall_frame(&boxes->pictures[p], log);
    boxes->saved = UINT64_MAX; /* no state */
    if (result != SHW_OK)
        view_boxes_free(boxes);
    free(file);
    free(name);
    return result;
}

void view_boxes_left_delete(struct view_boxes_found *found, uint32_t item)
{
    remove_files(found->items[item].stem);
    free_item(&found->items[item]);
    found->count--;
    memmove(found->items + item, found->items + item + 1, (found->count - item) * sizeof *found->items);
}
