#include "annotate/autosave_boxes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "annotate/boxes.h"
#include "base/atomic_file.h"
#include "base/log.h"
#include "files/image/image_file.h"
#include "files/image/image_write.h"
#include "files/io/image_paths.h"
#include "files/io/mark.h"

#define STEM        "rectangles-"
#define STEM_LENGTH (sizeof STEM - 1 + 6) /* with what mkstemp() adds */
#define FRAME_KEY   "frame"

struct state {
    uint32_t kept; /* pictures of which frames are written, or being written */
};

/* A frame to be written with a copy. */
struct frame {
    struct view_picture *picture;
    char *file, *name;
};
struct taken {
    char *text;
    size_t size;
    struct frame *frames;
    uint32_t frame_count;
};

static void forget(void *state)
{
    (void)state;
}

static void free_taken(void *user)
{
    struct taken *taken = user;

    for (uint32_t f = 0; f < taken->frame_count; f++) {
        view_picture_free(taken->frames[f].picture);
        free(taken->frames[f].file);
        free(taken->frames[f].name);
    }
    free(taken->frames);
    free(taken->text);
}

static void remove_files(const char *stem)
{
    const char *name = shw_path_last(stem);
    char *base = strndup(stem, (size_t)(name - stem)), *pattern = shw_path_join(name, "*", "");

    if (base != NULL && pattern != NULL)
        view_autosave_remove_files(base, (const char *const[]){pattern, NULL});
    free(pattern);
    free(base);
}

static bool is_unsaved(const void *user, uint64_t *revision)
{
    const struct view_boxes_work *work = user;

    *revision = view_boxes_state(&work->boxes);
    return *revision != work->boxes.saved;
}

static enum shw_result make_stem(struct view_autosave *autosave, const struct shw_log *log)
{
    char *stem = shw_path_join(autosave->base, "/" STEM, "XXXXXX");
    int lock;

    if (stem == NULL)
        return shw_fail_memory(log, "a copy");
    shw_make_private_folders(stem);
    lock = mkstemp(stem);
    if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) != 0) {
        free(stem);
        if (lock >= 0)
            close(lock);
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "cannot make a file in %s: %s", autosave->base,
                        strerror(errno));
    }
    fcntl(lock, F_SETFD, FD_CLOEXEC);
    autosave->place = stem;
    autosave->lock = lock;
    return SHW_OK;
}

/* In the lock: the stamp of the rectangles' file, and its path. */
static enum shw_result note_origin(const struct view_autosave *autosave, const struct view_boxes_origin *origin,
                                   const struct shw_log *log)
{
    const struct view_file_stamp *stamp = &origin->stamp;
    char *real = origin->path != NULL ? realpath(origin->path, NULL) : NULL;
    bool fine = ftruncate(autosave->lock, 0) == 0 && lseek(autosave->lock, 0, SEEK_SET) == 0;

    if (fine && real != NULL)
        fine = dprintf(autosave->lock, "%llu %llu %lld %lld %lld %s", (unsigned long long)stamp->device,
                       (unsigned long long)stamp->number, (long long)stamp->size, (long long)stamp->seconds,
                       (long long)stamp->nanoseconds, real) > 0;
    free(real);
    return fine ? SHW_OK
                : shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "cannot write %s: %s", autosave->place,
                           strerror(errno));
}

/* Adds the frames that are not written yet. */
static enum shw_result take_frames(const struct view_autosave *autosave, const struct view_boxes *boxes, uint32_t known,
                                   const struct shw_log *log, struct taken *taken)
{
    taken->frames = calloc(boxes->picture_count - known + (size_t)1, sizeof *taken->frames);
    if (taken->frames == NULL)
        return shw_fail_memory(log, "a copy");
    for (uint32_t p = known; p < boxes->picture_count; p++) {
        const struct view_boxes_picture *picture = &boxes->pictures[p];
        struct frame *frame = &taken->frames[taken->frame_count];

        if (picture->place != NULL || picture->kept == NULL)
            continue;
        *frame = (struct frame){view_picture_share(picture->kept), view_boxes_frame_copy(autosave->place, p),
                                strdup(picture->frame)};
        taken->frame_count++;
        if (frame->file == NULL || frame->name == NULL)
            return shw_fail_memory(log, "a copy");
    }
    return SHW_OK;
}

static enum shw_result take(struct view_autosave *autosave, const void *user, bool all, const struct shw_log *log,
                            void *memory)
{
    const struct view_boxes_work *work = user;
    struct state *state = autosave->state;
    struct taken *taken = memory;
    FILE *stream;
    enum shw_result result;

    SHW_PROPAGATE(note_origin(autosave, &work->origin, log));
    SHW_PROPAGATE(take_frames(autosave, &work->boxes, all ? 0 : state->kept, log, taken));
    state->kept = work->boxes.picture_count;
    stream = open_memstream(&taken->text, &taken->size);
    if (stream == NULL)
        return shw_fail_memory(log, "a copy");
    result = view_boxes_print(stream, &work->boxes, "", autosave->place, log);
    return fclose(stream) == 0 ? result : shw_fail_memory(log, "a copy");
}

static enum shw_result write_copy(const void *user, const char *place, const struct shw_log *log)
{
    const struct taken *taken = user;
    char *file = shw_path_join(place, ".csv", "");
    enum shw_result result = file != NULL ? SHW_OK : shw_fail_memory(log, "a copy");

    for (uint32_t f = 0; f < taken->frame_count && result == SHW_OK; f++) {
        const struct shw_png_text text = {FRAME_KEY, taken->frames[f].name};

        result = shw_png_write_with_texts(taken->frames[f].file, SHW_MARK_FRAME, &text, 1,
                                          &taken->frames[f].picture->image, log);
    }
    if (result == SHW_OK)
        result = shw_atomic_file_write(file, taken->text, taken->size, log);
    free(file);
    return result;
}

static bool owns(const char *name)
{
    return strlen(name) == STEM_LENGTH && strncmp(name, STEM, strlen(STEM)) == 0;
}

static int lock_stem(const char *stem)
{
    int lock = open(stem, O_RDWR | O_CLOEXEC);

    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0) {
        close(lock);
        lock = -1;
    }
    return lock;
}

/* What is noted in a lock. */
static struct view_boxes_origin noted_origin(int lock)
{
    struct view_boxes_origin origin = {0};
    unsigned long long device, number;
    long long size, seconds, nanoseconds;
    char text[VIEW_AUTOSAVE_PATH + 120];
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

static enum shw_result look(struct view_left *left, const struct shw_log *log)
{
    char *file = shw_path_join(left->place, ".csv", "");
    struct view_boxes boxes = {0};
    struct view_boxes_origin origin;
    enum shw_result result = file != NULL ? view_boxes_read(file, log, &boxes) : shw_fail_memory(log, left->place);

    free(file);
    SHW_PROPAGATE(result);
    origin = noted_origin(left->lock);
    left->path = origin.path;
    left->stamp = origin.stamp;
    left->count = view_boxes_count(&boxes, &left->picture_count);
    view_boxes_free(&boxes);
    return SHW_OK;
}

const struct view_autosave_kind view_boxes_autosave = {
    .work = "unsaved rectangles",
    .warning = "unsaved rectangles cannot be kept for recovery; save them soon",
    .file = ".csv",
    .state_size = sizeof(struct state),
    .forget = forget,
    .is_unsaved = is_unsaved,
    .make_place = make_stem,
    .taken_size = sizeof(struct taken),
    .take = take,
    .write = write_copy,
    .free_taken = free_taken,
    .remove = remove_files,
    .owns = owns,
    .lock = lock_stem,
    .look = look};

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

enum shw_result view_boxes_left_read(const struct view_left *item, const struct shw_log *log, struct view_boxes *boxes)
{
    char *file = shw_path_join(item->place, ".csv", ""), *name = strdup(shw_path_last(item->place));
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
