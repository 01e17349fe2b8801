#include "annotate/annotating.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "annotate/boxes.h"
#include "base/atomic_file.h"
#include "base/log.h"
#include "files/dataset/annotations.h"
#include "files/dataset/examples.h"
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
    char *base = strndup(stem, (size_t)(name - stem)), *names = shw_path_join(name, "*", "");

    if (base != NULL && names != NULL)
        view_autosave_remove_files(base, (const char *const[]){names, NULL});
    free(names);
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

static const struct view_autosave_kind boxes_autosave = {
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

/* Reads the rectangles of an item, which are not saved. Errors: IO, FORMAT, MEMORY. */
static enum shw_result boxes_left_read(const struct view_left *item, const struct shw_log *log,
                                       struct view_boxes *boxes)
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

void view_annotating_init(struct view_scene *scene, const struct view_cursor *cursor,
                          struct view_annotating *annotating)
{
    *annotating = (struct view_annotating){.scene = scene,
                                           .cursor = cursor,
                                           .picture = VIEW_NO_BOX,
                                           .picture_count = UINT64_MAX,
                                           .chosen = VIEW_NO_BOX,
                                           .label = "object",
                                           .fields.shown = VIEW_NO_BOX};
}

void view_annotating_destroy(struct view_annotating *annotating, bool rescue)
{
    if (rescue)
        view_autosave_rescue(annotating->autosave, &annotating->work);
    view_autosave_destroy(&annotating->autosave, !rescue);
    view_left_free(&annotating->recovered);
    view_question_free(&annotating->question);
    view_boxes_free(&annotating->work.boxes);
    free(annotating->work.origin.path);
    *annotating = (struct view_annotating){0};
}

bool view_annotating_is_unsaved(const struct view_annotating *annotating)
{
    return view_boxes_state(&annotating->work.boxes) != annotating->work.boxes.saved;
}

bool view_annotating_asks(const struct view_annotating *annotating)
{
    return annotating->question.kind != VIEW_QUESTION_NONE || (annotating->careful && annotating->recovered.count > 0);
}

/* Everything is looked up again. */
static void forget_picture(struct view_annotating *annotating)
{
    annotating->picture = annotating->chosen = annotating->fields.shown = VIEW_NO_BOX;
    annotating->picture_count = UINT64_MAX;
    annotating->drag.kind = VIEW_DRAG_NONE;
    annotating->scene->redraw = true;
}

/* Takes over rectangles and path. */
static void use(struct view_annotating *annotating, struct view_boxes *boxes, char *path)
{
    view_question_end(&annotating->question, false);
    view_autosave_remove(annotating->autosave);
    view_boxes_free(&annotating->work.boxes);
    free(annotating->work.origin.path);
    annotating->work.boxes = *boxes;
    annotating->work.origin.path = path;
    annotating->scene->outputs.rectangles = path;
    forget_picture(annotating);
    if (boxes->label_count > 0)
        snprintf(annotating->label, sizeof annotating->label, "%s", boxes->labels[0]);
}

enum shw_result view_annotating_open(struct view_annotating *annotating, const char *path)
{
    const struct view_file_stamp stamp = path != NULL ? view_file_stamp_of(path) : (struct view_file_stamp){0};
    struct view_boxes boxes = {0};
    char *copy = NULL;

    if (path != NULL) {
        SHW_PROPAGATE(view_boxes_read(path, &annotating->scene->log, &boxes));
        copy = view_is_table(path) ? strdup(path) : NULL; /* files of others are not written */
        if (copy == NULL && view_is_table(path)) {
            view_boxes_free(&boxes);
            return shw_fail_memory(&annotating->scene->log, path);
        }
    }
    use(annotating, &boxes, copy);
    annotating->work.origin.stamp = stamp;
    annotating->wants_panel = path != NULL;
    return SHW_OK;
}

enum shw_result view_annotating_keep_copies(struct view_annotating *annotating, const char *folder)
{
    SHW_PROPAGATE(view_autosave_create(&boxes_autosave, folder, &annotating->scene->log, &annotating->autosave));
    return view_left_find(&boxes_autosave, folder, &annotating->scene->log, &annotating->recovered);
}

enum shw_result view_annotating_recover(struct view_annotating *annotating, uint32_t item)
{
    const struct view_left *left = &annotating->recovered.items[item];
    const struct view_file_stamp stamp = left->stamp;
    struct view_boxes boxes;
    char *path = left->path != NULL ? strdup(left->path) : NULL;
    enum shw_result result = boxes_left_read(left, &annotating->scene->log, &boxes);

    if (result != SHW_OK) {
        free(path);
        return result;
    }
    use(annotating, &boxes, path);
    annotating->work.origin.stamp = stamp;
    if (view_autosave_rescue(annotating->autosave, &annotating->work) == SHW_OK) /* otherwise the other copy stays */
        view_left_delete(&annotating->recovered, item);
    return SHW_OK;
}

bool view_annotating_replaces(const struct view_annotating *annotating, const char *path)
{
    if (path == NULL || !shw_is_file(path))
        return false;
    return annotating->work.origin.path == NULL || !view_is_same_file(annotating->work.origin.path, path) ||
           view_file_has_changed(path, &annotating->work.origin.stamp);
}

enum shw_result view_annotating_save(struct view_annotating *annotating, const char *path, bool replace)
{
    const struct shw_log *log = &annotating->scene->log;
    const bool own = !view_annotating_replaces(annotating, path != NULL ? path : annotating->work.origin.path);
    struct shw_output_files files;
    char *copy;
    enum shw_result result;

    path = path != NULL ? path : annotating->work.origin.path;
    if (path == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the rectangles have no file yet: `rectangles-save FILE.csv`");
    copy = strdup(path);
    if (copy == NULL)
        return shw_fail_memory(log, path);
    annotating->scene->outputs.rectangles = NULL; /* its own file may be written */
    view_outputs_begin(annotating->scene, &files);
    files.overwrite = files.overwrite || replace;
    result = view_boxes_write(&annotating->work.boxes, path, own, &files, log);
    shw_output_files_free(&files);
    if (result == SHW_OK) {
        free(annotating->work.origin.path);
        annotating->work.origin.path = copy;
        annotating->saves++;
    } else {
        free(copy);
    }
    annotating->scene->outputs.rectangles = annotating->work.origin.path;
    SHW_PROPAGATE(result);
    annotating->work.origin.stamp = view_file_stamp_of(annotating->work.origin.path);
    annotating->work.boxes.saved = view_boxes_state(&annotating->work.boxes);
    return SHW_OK;
}

/* A frame of this run or, of a video, of the one that wrote the file. Frames of cameras may have the same names. */
static uint32_t find_frame(const struct view_annotating *annotating, const struct view_picture *shown)
{
    const struct view_boxes *boxes = &annotating->work.boxes;
    char *name, *folder, *place;
    uint32_t found;

    for (uint32_t p = 0; p < boxes->picture_count; p++) {
        const struct view_boxes_picture *known = &boxes->pictures[p];

        if (known->frame != NULL && strcmp(known->frame, shown->name) == 0 &&
            (shown->captured <= 0.0 ||
             (known->kept != NULL && view_has_same_pixels(&known->kept->image, &shown->image))))
            return p;
    }
    if (annotating->work.origin.path == NULL || shown->captured > 0.0)
        return VIEW_NO_BOX;
    name = view_frame_name(annotating->work.origin.path, shown->name, 1);
    folder = view_folder_of(annotating->work.origin.path);
    place = name != NULL && folder != NULL ? shw_path_in(folder, name) : NULL;
    found = place != NULL ? view_boxes_find(boxes, place) : VIEW_NO_BOX;
    free(name);
    free(folder);
    free(place);
    return found;
}

static char *place_of(const char *path)
{
    struct view_real_folder folder = {0};
    char *place = view_real_place(path, &folder);

    view_real_folder_free(&folder);
    return place;
}

/* Earlier versions took pictures of data sets for frames, of which they saved copies. */
static uint32_t find_picture(const struct view_annotating *annotating)
{
    const struct view_picture *shown = annotating->scene->picture;
    const char *file = shown != NULL ? view_picture_file(shown) : NULL;
    char *place = file != NULL ? place_of(file) : NULL;
    uint32_t found = place != NULL ? view_boxes_find(&annotating->work.boxes, place) : VIEW_NO_BOX;

    free(place);
    if (shown == NULL || shown->name == NULL || found != VIEW_NO_BOX)
        return found;
    return file == NULL || shown->file != NULL ? find_frame(annotating, shown) : VIEW_NO_BOX;
}

static void follow(struct view_annotating *annotating)
{
    if (annotating->picture_count == annotating->scene->picture_count)
        return;
    forget_picture(annotating);
    annotating->picture = find_picture(annotating);
    annotating->picture_count = annotating->scene->picture_count;
}

void view_annotating_poll(struct view_annotating *annotating)
{
    follow(annotating);
    view_autosave_update(annotating->autosave, &annotating->work, view_clock());
}

const struct view_box *view_annotating_boxes(const struct view_annotating *annotating, uint32_t *count)
{
    const bool known =
        annotating->picture != VIEW_NO_BOX && annotating->picture_count == annotating->scene->picture_count;

    *count = known ? annotating->work.boxes.pictures[annotating->picture].count : 0;
    return known ? annotating->work.boxes.pictures[annotating->picture].items : NULL;
}

/* Keeps the shown picture, and adds it to those with rectangles. */
static enum shw_result need_picture(struct view_annotating *annotating)
{
    struct view_scene *scene = annotating->scene;
    const char *name, *file;
    char *place = NULL;

    if (scene->picture == NULL)
        return shw_fail(&scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no picture to draw on");
    view_scene_keep(scene);
    follow(annotating);
    if (annotating->picture != VIEW_NO_BOX)
        return SHW_OK;
    name = scene->picture->name != NULL ? scene->picture->name : "picture";
    file = view_picture_file(scene->picture);
    if (file != NULL) {
        place = place_of(file);
        if (place != NULL)
            annotating->picture = view_boxes_add(&annotating->work.boxes, place, NULL, NULL);
    } else {
        annotating->picture = view_boxes_add(&annotating->work.boxes, NULL, name, scene->picture);
    }
    free(place);
    return annotating->picture != VIEW_NO_BOX ? SHW_OK : shw_fail_memory(&scene->log, "rectangles");
}

/* Whether a rectangle is one, and has a pixel of the shown picture. */
static enum shw_result check_box(const struct view_annotating *annotating, const struct view_box *box)
{
    const struct shw_image *image = &annotating->scene->picture->image;

    if (box->width > 0 && box->height > 0 && box->x < (int64_t)image->width && box->y < (int64_t)image->height &&
        box->x + (int64_t)box->width > 0 && box->y + (int64_t)box->height > 0 && box->x <= SHW_ANNOTATION_MAX &&
        box->y <= SHW_ANNOTATION_MAX && box->width <= SHW_ANNOTATION_MAX && box->height <= SHW_ANNOTATION_MAX)
        return SHW_OK;
    return shw_fail(&annotating->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                    "the rectangle %d %d %u %u has no pixel of the picture, or is beyond %d", box->x, box->y,
                    box->width, box->height, SHW_ANNOTATION_MAX);
}

static enum shw_result put(struct view_annotating *annotating, const struct view_box *items, uint32_t count)
{
    annotating->scene->redraw = true;
    annotating->fields.shown = VIEW_NO_BOX;
    return view_boxes_change(&annotating->work.boxes, annotating->picture, items, count) == SHW_OK
               ? SHW_OK
               : shw_fail_memory(&annotating->scene->log, "rectangles");
}

enum shw_result view_annotating_add(struct view_annotating *annotating, const struct view_box *boxes, uint32_t count)
{
    const struct view_box *items;
    struct view_box *all;
    uint32_t before;
    enum shw_result result = SHW_OK;

    SHW_PROPAGATE(need_picture(annotating));
    for (uint32_t b = 0; b < count; b++)
        SHW_PROPAGATE(check_box(annotating, &boxes[b]));
    items = view_annotating_boxes(annotating, &before);
    all = malloc((before + (size_t)count + 1) * sizeof *all);
    if (all == NULL)
        return shw_fail_memory(&annotating->scene->log, "rectangles");
    if (before > 0)
        memcpy(all, items, before * sizeof *all);
    if (count > 0)
        memcpy(all + before, boxes, count * sizeof *all);
    result = put(annotating, all, before + count);
    free(all);
    if (result == SHW_OK && count == 1)
        annotating->chosen = before;
    return result;
}

enum shw_result view_annotating_change(struct view_annotating *annotating, uint32_t number, const struct view_box *box)
{
    const struct view_box *items;
    struct view_box *all;
    uint32_t count;
    enum shw_result result;

    SHW_PROPAGATE(need_picture(annotating));
    items = view_annotating_boxes(annotating, &count);
    if (number >= count)
        return shw_fail(&annotating->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "no rectangle is chosen on this picture");
    if (box != NULL)
        SHW_PROPAGATE(check_box(annotating, box));
    if (box != NULL && memcmp(box, &items[number], sizeof *box) == 0)
        return SHW_OK;
    all = malloc(count * sizeof *all);
    if (all == NULL)
        return shw_fail_memory(&annotating->scene->log, "rectangles");
    memcpy(all, items, count * sizeof *all);
    if (box != NULL) {
        all[number] = *box;
    } else {
        memmove(all + number, all + number + 1, (--count - number) * sizeof *all);
        annotating->chosen = VIEW_NO_BOX;
    }
    result = put(annotating, all, count);
    free(all);
    return result;
}

enum shw_result view_annotating_clear(struct view_annotating *annotating)
{
    SHW_PROPAGATE(need_picture(annotating));
    annotating->chosen = VIEW_NO_BOX;
    return put(annotating, NULL, 0);
}

/* Goes to a picture that is not shown, and says that its rectangles have changed. */
static void go_where_changed(struct view_annotating *annotating, uint32_t number, bool redo)
{
    const struct view_boxes_picture *picture = &annotating->work.boxes.pictures[number];
    const char *name = picture->frame != NULL ? picture->frame : shw_path_last(picture->place);
    bool gone = view_player_go_to(annotating->scene->player, picture->place, picture->frame);

    snprintf(annotating->said, sizeof annotating->said, "%s on %s%s", redo ? "redone" : "undone", name,
             gone ? "" : ", which is not among the pictures that are open");
}

void view_annotating_undo(struct view_annotating *annotating, bool redo)
{
    uint32_t picture;

    if (view_annotating_give_up(annotating))
        return;
    follow(annotating);
    picture = view_boxes_undo(&annotating->work.boxes, redo);
    if (picture != VIEW_NO_BOX && picture != annotating->picture)
        go_where_changed(annotating, picture, redo);
    annotating->chosen = annotating->fields.shown = VIEW_NO_BOX;
    annotating->scene->redraw = true;
}

uint32_t view_annotating_label(struct view_annotating *annotating)
{
    return view_boxes_label(&annotating->work.boxes, annotating->label);
}
