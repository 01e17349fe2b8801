#include "teach/autosave_project.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/file_bytes.h"
#include "base/log.h"
#include "base/reason.h"
#include "base/text.h"
#include "dense/input/inputs.h"
#include "files/dataset/examples.h"
#include "files/dataset/image_inputs.h"
#include "files/image/image_file.h"
#include "files/image/image_write.h"
#include "files/image/resolution.h"
#include "files/io/image_paths.h"
#include "teach/teaching.h"

#define FORMAT    "shadewood-viewer-recovery"
#define VERSION   1
#define COPY_FILE "work.json"
#define LOCK_FILE "lock"
#define FRAMES    "frame-"

/* A painted picture that is not a file, and the file of its pixels in the folder of the copy; those of its other inputs
 * called by input_file(). */
struct kept_frame {
    char *name; /* of the picture in the project */
    char file[24];
    uint32_t picture; /* its number in the project */
    uint32_t inputs;  /* a bit for each of shw_project_input_names */
    bool written;     /* or being written */
};
struct state {
    struct kept_frame *frames; /* written with the project */
    uint32_t count;
    char *path; /* of the open project's file, which is noted in the lock; NULL: none */
};

/* A picture to be written with a copy. */
struct frame {
    struct shw_pixels *pixels;
    char file[24];
    double pixel_side; /* 0: not known */
};
struct taken {
    struct view_project project; /* a copy */
    char *text;                  /* the document's members before the project */
    struct frame *frames;
    uint32_t frame_count;
};

static void forget(void *user)
{
    struct state *state = user;

    for (uint32_t f = 0; f < state->count; f++)
        free(state->frames[f].name);
    free(state->frames);
    free(state->path);
    *state = (struct state){0};
}

static void free_taken(void *user)
{
    struct taken *taken = user;

    for (uint32_t f = 0; f < taken->frame_count; f++) {
        shw_pixels_release(&taken->frames[f].pixels);
    }
    free(taken->frames);
    free(taken->text);
    view_project_close(&taken->project);
}

static struct kept_frame *find_kept(const struct state *state, const char *name)
{
    for (uint32_t f = 0; f < state->count; f++)
        if (strcmp(state->frames[f].name, name) == 0)
            return &state->frames[f];
    return NULL;
}

/* Which inputs a picture in memory has. */
static uint32_t inputs_of(struct shw_project *project, uint32_t picture)
{
    struct shw_pixels *pixels = shw_project_share_pixels(project, picture);
    struct shw_pixels_part *whole = NULL;
    uint32_t inputs = 0;

    if (pixels != NULL && shw_pixels_take(pixels, NULL, &whole) == SHW_OK)
        for (uint32_t i = 0; i < SHW_PROJECT_INPUTS; i++)
            if (shw_inputs_find(&whole->inputs, shw_project_input_names[i]) != NULL)
                inputs |= 1u << i;
    shw_pixels_part_release(&whole);
    shw_pixels_release(&pixels);
    return inputs;
}

static enum shw_result add_frame(struct state *state, struct shw_project *project, const char *name, uint32_t picture)
{
    struct kept_frame *grown = realloc(state->frames, (state->count + (size_t)1) * sizeof *grown), *added;

    if (grown == NULL)
        return SHW_ERROR_MEMORY;
    state->frames = grown;
    added = &grown[state->count];
    *added = (struct kept_frame){.name = strdup(name)};
    if (added->name == NULL)
        return SHW_ERROR_MEMORY;
    snprintf(added->file, sizeof added->file, FRAMES "%u.png", state->count + 1);
    added->picture = picture;
    added->inputs = inputs_of(project, picture);
    state->count++;
    return SHW_OK;
}

/* A frame that has got more inputs since it was written is written again. */
static void update_frame(struct kept_frame *kept, struct shw_project *project)
{
    const uint32_t inputs = inputs_of(project, kept->picture);

    kept->written = kept->written && inputs == kept->inputs;
    kept->inputs = inputs;
}

/* Adds those that are missing. Errors: MEMORY, not logged. */
static enum shw_result update_frames(struct state *state, const struct view_project *project)
{
    for (uint32_t p = 0; p < shw_project_get_picture_count(project->data); p++) {
        struct shw_project_picture picture = shw_project_get_picture(project->data, p);
        struct kept_frame *kept;
        char *file;
        bool needed;
        if (picture.stroke_count == 0 || !shw_project_has_pixels(project->data, p))
            continue;
        kept = find_kept(state, picture.name);
        if (kept != NULL) {
            update_frame(kept, project->data);
            continue;
        }
        file = shw_path_in(project->folder != NULL ? project->folder : "", picture.name);
        needed = file != NULL && !shw_image_has_file(file);
        if (file == NULL)
            return SHW_ERROR_MEMORY;
        free(file);
        if (needed)
            SHW_PROPAGATE(add_frame(state, project->data, picture.name, p));
    }
    return SHW_OK;
}

/* A path that is not UTF-8 has no place in JSON: it becomes an object with its bytes in hexadecimal digits. */
static json_t *pack_path(const char *path)
{
    json_t *packed = path != NULL ? json_string(path) : json_null();
    size_t length = packed == NULL ? strlen(path) : 0;
    char *digits = packed == NULL ? malloc(2 * length + 1) : NULL;

    for (size_t i = 0; digits != NULL && i < length; i++)
        snprintf(digits + 2 * i, 3, "%02x", (unsigned char)path[i]);
    if (digits != NULL)
        packed = json_pack("{s:s}", "bytes", digits);
    free(digits);
    return packed;
}

/* The path of the project's file, wherever the program that reads it is started; NULL: there is none, or out of
 * memory. */
static char *place_of(const struct view_project *project)
{
    const char *slash = project->path != NULL ? strrchr(project->path, '/') : NULL;

    if (project->path == NULL || project->folder == NULL)
        return NULL;
    return shw_path_in(project->folder, slash != NULL ? slash + 1 : project->path);
}

/* The file of an input of a frame, in the folder of the copy. */
#define INPUT_FILE_SIZE 48
static const char *input_file(const char *frame, const char *input, char file[INPUT_FILE_SIZE])
{
    snprintf(file, INPUT_FILE_SIZE, "%.*s-%s.png", (int)(strlen(frame) - strlen(".png")), frame, input);
    return file;
}

/* The names of a frame's inputs. */
static json_t *pack_inputs(const struct kept_frame *frame)
{
    json_t *names = json_array();

    for (uint32_t i = 0; i < SHW_PROJECT_INPUTS; i++)
        if (frame->inputs >> i & 1)
            json_array_append_new(names, json_string(shw_project_input_names[i]));
    return names;
}

/* The document up to the project, its last member; NULL if out of memory. */
static char *encode_head(const struct view_project *project, const struct state *state)
{
    char *place = place_of(project), *text;
    const struct view_file_stamp *stamp = &project->stamp;
    json_t *kept = json_object(), *inputs = json_object(), *head;

    for (uint32_t f = 0; f < state->count; f++) {
        json_object_set_new(kept, state->frames[f].name, json_string(state->frames[f].file));
        json_object_set_new(inputs, state->frames[f].name, pack_inputs(&state->frames[f]));
    }
    head = json_pack("{s:s, s:i, s:o, s:o, s:[I, I, I, I, I], s:o, s:o}", "format", FORMAT, "version", VERSION, "path",
                     pack_path(place), "folder", pack_path(project->folder), "stamp", (json_int_t)stamp->device,
                     (json_int_t)stamp->number, (json_int_t)stamp->size, (json_int_t)stamp->seconds,
                     (json_int_t)stamp->nanoseconds, "frames", kept, "inputs", inputs);
    text = head != NULL ? json_dumps(head, 0) : NULL;
    if (text != NULL)
        text[strlen(text) - 1] = '\0';
    json_decref(head);
    free(place);
    return text;
}

/* The document; NULL if out of memory. */
static char *encode(const struct taken *taken)
{
    char *encoded = shw_project_encode(taken->project.data), *text = NULL;
    size_t size = encoded != NULL ? strlen(taken->text) + strlen(encoded) + 32 : 0;

    if (encoded != NULL && (text = malloc(size)) != NULL)
        snprintf(text, size, "%s, \"project\": %s}", taken->text, encoded);
    free(encoded);
    return text;
}

/* A frame of a copy that is read. */
struct reading {
    const char *folder, *file;
    const char *name; /* of the picture */
    const struct shw_log *log;
    struct shw_reason reason; /* of the last failure */
};

/* Reads the frame with some of its inputs, a bit for each of shw_project_input_names. Errors: IO, FORMAT, MEMORY, with
 * the reason; others of images. */
static enum shw_result read_inputs(struct reading *reading, uint32_t inputs, struct shw_image_inputs *read)
{
    const struct shw_log log = shw_reason_log(&reading->reason);
    char *path = shw_path_join(reading->folder, "/", reading->file), *paths[SHW_PROJECT_INPUTS] = {NULL};
    char other[INPUT_FILE_SIZE];
    struct shw_input_file files[SHW_PROJECT_INPUTS];
    uint32_t count = 0;
    enum shw_result result = path != NULL ? SHW_OK : shw_fail_memory(&log, reading->name);

    *read = (struct shw_image_inputs){0};
    for (uint32_t i = 0; i < SHW_PROJECT_INPUTS && result == SHW_OK; i++) {
        const char *input = shw_project_input_names[i];

        if ((inputs >> i & 1) == 0)
            continue;
        paths[i] = shw_path_join(reading->folder, "/", input_file(reading->file, input, other));
        files[count++] = (struct shw_input_file){.name = input, .path = paths[i]};
        if (paths[i] == NULL)
            result = shw_fail_memory(&log, reading->name);
    }
    if (result == SHW_OK)
        result = shw_image_inputs_read(path, files, count, NULL, &log, read);
    for (uint32_t i = 0; i < SHW_PROJECT_INPUTS; i++)
        free(paths[i]);
    free(path);
    return result;
}

/* Warns of what cannot be read, and leaves it out of *inputs. *any: the frame itself can be read. */
static enum shw_result leave_out_damaged(struct reading *reading, uint32_t *inputs, bool *any)
{
    const uint32_t wanted = *inputs;
    struct shw_image_inputs read;
    enum shw_result result = read_inputs(reading, 0, &read);

    shw_image_inputs_free(&read);
    *any = result == SHW_OK;
    if (result != SHW_OK && result != SHW_ERROR_MEMORY)
        shw_log_message(reading->log, SHW_LOG_WARNING, SHW_LOG_PROJECT,
                        "the picture %s is lost, its strokes are not: %s", reading->name, reading->reason.text);
    for (uint32_t i = 0; i < SHW_PROJECT_INPUTS && result == SHW_OK; i++) {
        if ((wanted >> i & 1) == 0)
            continue;
        result = read_inputs(reading, 1u << i, &read);
        shw_image_inputs_free(&read);
        if (result == SHW_OK || result == SHW_ERROR_MEMORY)
            continue;
        *inputs &= ~(1u << i);
        shw_log_message(reading->log, SHW_LOG_WARNING, SHW_LOG_PROJECT, "the picture %s comes without its %s: %s",
                        reading->name, shw_project_input_names[i], reading->reason.text);
        result = SHW_OK;
    }
    return result == SHW_ERROR_MEMORY ? shw_fail_memory(reading->log, reading->name) : SHW_OK;
}

/* Gives a picture the pixels of its frame, with its other inputs, as far as they can be read. */
static enum shw_result read_frame(struct reading *reading, uint32_t inputs, struct shw_project *project)
{
    struct shw_image_inputs read;
    enum shw_result result = read_inputs(reading, inputs, &read);
    bool any = true;

    if (result != SHW_OK) {
        shw_image_inputs_free(&read);
        SHW_PROPAGATE(leave_out_damaged(reading, &inputs, &any));
        result = any ? read_inputs(reading, inputs, &read) : SHW_OK;
    }
    for (uint32_t p = 0; any && p < shw_project_get_picture_count(project) && result == SHW_OK; p++)
        if (strcmp(shw_project_get_picture(project, p).name, reading->name) == 0) {
            char *path = shw_path_join(reading->folder, "/", reading->file);

            result = shw_project_set_pixels(project, p, &read.all);
            if (path != NULL)
                shw_project_set_pixel_side(project, p, shw_image_pixel_size(path));
            free(path);
        }
    if (any)
        shw_image_inputs_free(&read);
    return result;
}

/* The bits of inputs whose names are in an array. */
static uint32_t unpack_inputs(const json_t *names)
{
    uint32_t inputs = 0;

    for (size_t n = 0; n < json_array_size(names); n++) {
        const char *given = json_string_value(json_array_get(names, n));

        for (uint32_t i = 0; given != NULL && i < SHW_PROJECT_INPUTS; i++)
            if (strcmp(given, shw_project_input_names[i]) == 0)
                inputs |= 1u << i;
    }
    return inputs;
}

static enum shw_result read_frames(const char *folder, const struct shw_log *log, json_t *root,
                                   struct shw_project *project)
{
    const char *name;
    json_t *file;

    json_object_foreach(json_object_get(root, "frames"), name, file)
    {
        const char *text = json_string_value(file);
        struct reading reading = {.folder = folder, .file = text, .name = name, .log = log};
        if (text == NULL || strncmp(text, FRAMES, strlen(FRAMES)) != 0 || strchr(text, '/') != NULL ||
            !shw_name_ends_with(text, ".png") || strlen(text) >= INPUT_FILE_SIZE / 2)
            return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ,
                            "%s/%s: `frames` has a name that is not a frame's", folder, COPY_FILE);
        SHW_PROPAGATE(
            read_frame(&reading, unpack_inputs(json_object_get(json_object_get(root, "inputs"), name)), project));
    }
    return SHW_OK;
}

/* The bytes of hexadecimal digits; NULL if they are none, or out of memory. */
static char *read_bytes(const char *digits)
{
    size_t length = digits != NULL ? strlen(digits) / 2 : 0;
    char *bytes = length > 0 && strspn(digits, "0123456789abcdef") == 2 * length ? malloc(length + 1) : NULL;

    for (size_t i = 0; bytes != NULL && i < length; i++)
        bytes[i] = (char)strtoul((const char[]){digits[2 * i], digits[2 * i + 1], '\0'}, NULL, 16);
    if (bytes != NULL)
        bytes[length] = '\0';
    return bytes;
}

static enum shw_result unpack_path(const json_t *packed, char **path)
{
    *path = json_is_string(packed) ? strdup(json_string_value(packed))
                                   : read_bytes(json_string_value(json_object_get(packed, "bytes")));
    return json_is_null(packed) || packed == NULL || *path != NULL ? SHW_OK : SHW_ERROR_MEMORY;
}

/* Of the project's file, as it was when the project was read or saved. */
static json_int_t stamp_part(const json_t *root, size_t part)
{
    return json_integer_value(json_array_get(json_object_get(root, "stamp"), part));
}

static enum shw_result decode(const char *file, const struct shw_log *log, json_t *root, struct view_project *project)
{
    json_t *format = json_object_get(root, "format");
    char *text = json_dumps(json_object_get(root, "project"), JSON_ENCODE_ANY);
    enum shw_result result;

    if (!json_is_string(format) || strcmp(json_string_value(format), FORMAT) != 0 || text == NULL ||
        json_integer_value(json_object_get(root, "version")) != VERSION) {
        result = shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s is not a copy of unsaved work", file);
        goto fail;
    }
    SHW_TRY(shw_project_decode(text, strlen(text), file, log, &project->data));
    SHW_TRY(unpack_path(json_object_get(root, "path"), &project->path));
    SHW_TRY(unpack_path(json_object_get(root, "folder"), &project->folder));
    SHW_TRY(shw_project_set_folder(project->data, project->folder != NULL ? project->folder : ""));
    project->saved = UINT64_MAX; /* no revision */
    project->stamp = (struct view_file_stamp){.device = (uint64_t)stamp_part(root, 0),
                                              .number = (uint64_t)stamp_part(root, 1),
                                              .size = stamp_part(root, 2),
                                              .seconds = stamp_part(root, 3),
                                              .nanoseconds = stamp_part(root, 4)};

fail:
    free(text);
    return result;
}

/* Reads the document of a folder and, if `frames`, the images. Errors: IO, FORMAT, MEMORY. */
static enum shw_result read_copy(const char *folder, bool frames, const struct shw_log *log,
                                 struct view_project *project)
{
    char *file = shw_path_join(folder, "/", COPY_FILE);
    struct shw_file_bytes bytes = {0};
    json_t *root = NULL;
    enum shw_result result;

    *project = (struct view_project){0};
    if (file == NULL)
        return shw_fail_memory(log, folder);
    SHW_TRY(shw_file_bytes_read(file, SHW_PROJECT_FILE_MAX, log, &bytes));
    root = json_loadb((const char *)bytes.bytes, bytes.size, JSON_REJECT_DUPLICATES, NULL);
    SHW_TRY(decode(file, log, root, project));
    if (frames)
        result = read_frames(folder, log, root, project->data);

fail:
    if (result != SHW_OK)
        view_project_close(project);
    json_decref(root);
    shw_file_bytes_free(&bytes);
    free(file);
    return result;
}

static int lock_folder(const char *folder, int flags)
{
    char *file = shw_path_join(folder, "/", LOCK_FILE);
    int lock = file != NULL ? open(file, flags | O_CLOEXEC, 0600) : -1;

    free(file);
    return lock;
}

static int lock_place(const char *folder)
{
    struct stat status;
    int lock = stat(folder, &status) == 0 && S_ISDIR(status.st_mode) ? lock_folder(folder, O_RDWR | O_CREAT) : -1;

    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0) {
        close(lock);
        lock = -1;
    }
    return lock;
}

/* Whether somebody holds the lock of a folder, with the path that is noted in it; "" if there is none. */
static bool is_held(const char *folder, char path[VIEW_AUTOSAVE_PATH])
{
    int lock = lock_folder(folder, O_RDONLY);
    bool held = lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0;
    ssize_t length = held ? pread(lock, path, VIEW_AUTOSAVE_PATH - 1, 0) : 0;

    path[length > 0 ? length : 0] = '\0';
    if (lock >= 0)
        close(lock);
    return held;
}

static void write_path(int lock, const char *path)
{
    size_t length = path != NULL ? strlen(path) : 0;

    if (ftruncate(lock, 0) != 0 || (length > 0 && pwrite(lock, path, length, 0) != (ssize_t)length))
        return; /* then others do not know which project is open here */
}

static void remove_place(const char *folder)
{
    static const char *const names[] = {COPY_FILE, LOCK_FILE, FRAMES "*", NULL};

    view_autosave_remove_files(folder, names);
    rmdir(folder);
}

static enum shw_result make_place(struct view_autosave *autosave, const struct shw_log *log)
{
    char *hidden = shw_path_join(autosave->base, "/.new-XXXXXX", ""), *name = NULL;
    int lock = -1, error;
    enum shw_result result = SHW_ERROR_IO;

    if (hidden == NULL)
        return shw_fail_memory(log, "a copy");
    shw_make_private_folders(hidden);
    if (mkdtemp(hidden) == NULL) {
        error = errno;
        if (error == ENOENT && mkdir(autosave->base, 0700) != 0) /* for why it could not be made */
            error = errno;
        free(hidden);
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "cannot make a folder in %s: %s", autosave->base,
                        strerror(error));
    }
    lock = lock_place(hidden);
    name = shw_path_join(autosave->base, "/", strrchr(hidden, '-') + 1);
    if (lock >= 0 && name != NULL && rename(hidden, name) == 0) {
        autosave->place = name;
        autosave->lock = lock;
        result = SHW_OK;
    } else {
        shw_fail(log, result, SHW_LOG_FILE_WRITE, "cannot make a folder in %s: %s", autosave->base, strerror(errno));
        remove_place(hidden);
        if (lock >= 0)
            close(lock);
        free(name);
    }
    free(hidden);
    return result;
}

static bool is_unsaved(const void *work, uint64_t *revision)
{
    const struct view_project *project = work;

    *revision = project->data != NULL ? shw_project_get_edition(project->data) : 0;
    return view_project_is_unsaved(project);
}

/* Lets others know which file is open here. */
static void note(struct view_autosave *autosave, const void *work)
{
    const struct view_project *project = work;
    const struct shw_log silent = {0};
    struct state *state = autosave->state;
    const char *path = project->path;
    char *real;

    if (path == NULL ? state->path == NULL : state->path != NULL && strcmp(path, state->path) == 0)
        return;
    free(state->path);
    state->path = path != NULL ? strdup(path) : NULL;
    real = path != NULL ? realpath(path, NULL) : NULL;
    if (real != NULL && autosave->place == NULL)
        make_place(autosave, &silent);
    if (autosave->lock >= 0)
        write_path(autosave->lock, real);
    free(real);
}

/* Takes shares of the pixels of frames that are not written yet; `all`: of all. */
static enum shw_result take_frames(const struct state *state, const struct view_project *project, bool all,
                                   struct taken *taken)
{
    taken->frames = calloc(state->count + (size_t)1, sizeof *taken->frames);
    if (taken->frames == NULL)
        return SHW_ERROR_MEMORY;
    for (uint32_t f = 0; f < state->count; f++) {
        struct kept_frame *kept = &state->frames[f];
        struct frame *frame = &taken->frames[taken->frame_count];

        if (kept->written && !all)
            continue;
        frame->pixels = shw_project_share_pixels(project->data, kept->picture);
        frame->pixel_side = shw_project_get_picture(project->data, kept->picture).pixel_side;
        memcpy(frame->file, kept->file, sizeof frame->file);
        if (frame->pixels == NULL)
            return SHW_ERROR_MEMORY;
        taken->frame_count++;
        kept->written = true;
    }
    return SHW_OK;
}

static enum shw_result take(struct view_autosave *autosave, const void *work, bool all, const struct shw_log *log,
                            void *user)
{
    struct state *state = autosave->state;
    struct taken *taken = user;

    SHW_PROPAGATE(update_frames(state, work));
    SHW_PROPAGATE(take_frames(state, work, all, taken));
    taken->text = encode_head(work, state);
    return taken->text != NULL ? view_project_copy(work, log, &taken->project) : SHW_ERROR_MEMORY;
}

/* A frame and its other inputs. */
static enum shw_result write_frame(const struct frame *frame, const char *place, const struct shw_log *log)
{
    struct shw_pixels_part *whole = NULL;
    enum shw_result result = shw_pixels_take(frame->pixels, log, &whole);

    for (uint32_t i = 0; result == SHW_OK && i < whole->inputs.count; i++) {
        const char *input = whole->input[i].name;
        char name[INPUT_FILE_SIZE], *file;

        if (i > 0 && !shw_project_keeps_input(input))
            continue;
        file = shw_path_join(place, "/", i > 0 ? input_file(frame->file, input, name) : frame->file);
        result = file != NULL
                     ? shw_png_write_scaled(file, NULL, i > 0 ? 0.0 : frame->pixel_side, &whole->input[i].image, log)
                     : SHW_ERROR_MEMORY;
        free(file);
    }
    shw_pixels_part_release(&whole);
    return result;
}

static enum shw_result write_frames(const struct taken *taken, const char *place, const struct shw_log *log)
{
    enum shw_result result = SHW_OK;

    for (uint32_t f = 0; f < taken->frame_count && result == SHW_OK; f++)
        result = write_frame(&taken->frames[f], place, log);
    return result;
}

static enum shw_result write_copy(const void *user, const char *place, const struct shw_log *log)
{
    const struct taken *taken = user;
    char *file = shw_path_join(place, "/", COPY_FILE), *text = encode(taken);
    enum shw_result result = file != NULL && text != NULL ? write_frames(taken, place, log) : SHW_ERROR_MEMORY;

    if (result == SHW_OK && strlen(text) > SHW_PROJECT_FILE_MAX)
        result = shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_PROJECT, "the copy would be larger than %u MiB",
                          (unsigned)(SHW_PROJECT_FILE_MAX >> 20));
    if (result == SHW_OK)
        result = shw_atomic_file_write(file, text, strlen(text), log);
    free(text);
    free(file);
    return result;
}

static bool owns(const char *name)
{
    return name[0] != '.';
}

static enum shw_result look(struct view_left *left, const struct shw_log *log)
{
    struct view_project project = {0};

    write_path(left->lock, NULL); /* that program no longer has it open */
    SHW_PROPAGATE(read_copy(left->place, false, log, &project));
    left->path = project.path != NULL ? strdup(project.path) : NULL;
    left->stamp = project.stamp;
    left->class_count = shw_project_get_class_count(project.data);
    for (uint32_t p = 0; p < shw_project_get_picture_count(project.data); p++) {
        uint32_t strokes = shw_project_get_picture(project.data, p).stroke_count;
        left->count += strokes;
        left->picture_count += strokes > 0;
    }
    view_project_close(&project);
    return SHW_OK;
}

const struct view_autosave_kind view_project_autosave = {.work = "unsaved work",
                                                         .warning =
                                                             "unsaved work cannot be kept for recovery; save it soon",
                                                         .file = "/" COPY_FILE,
                                                         .state_size = sizeof(struct state),
                                                         .forget = forget,
                                                         .is_unsaved = is_unsaved,
                                                         .note = note,
                                                         .make_place = make_place,
                                                         .taken_size = sizeof(struct taken),
                                                         .take = take,
                                                         .write = write_copy,
                                                         .free_taken = free_taken,
                                                         .remove = remove_place,
                                                         .owns = owns,
                                                         .lock = lock_place,
                                                         .look = look};

enum shw_result view_project_left_read(const struct view_left *item, const struct shw_log *log,
                                       struct view_project *project)
{
    return read_copy(item->place, true, log, project);
}

bool view_project_is_open_elsewhere(const struct view_autosave *autosave, const char *path)
{
    DIR *open_folder = autosave != NULL ? opendir(autosave->base) : NULL;
    char *wanted = realpath(path, NULL), noted[VIEW_AUTOSAVE_PATH];
    const struct dirent *entry;
    bool found = false;

    while (open_folder != NULL && wanted != NULL && !found && (entry = readdir(open_folder)) != NULL) {
        char *folder = owns(entry->d_name) ? shw_path_join(autosave->base, "/", entry->d_name) : NULL;
        found = folder != NULL && (autosave->place == NULL || strcmp(folder, autosave->place) != 0) &&
                is_held(folder, noted) && strcmp(noted, wanted) == 0;
        free(folder);
    }
    if (open_folder != NULL)
        closedir(open_folder);
    free(wanted);
    return found;
}

/* What is shown after work was recovered. */

#define ROUNDING 0.0005 /* seconds: names of frames have three decimals */

/* The path of a picture as it was, which need not be a file. NULL if out of memory. */
static char *path_of(const struct view_project *project, uint32_t picture)
{
    return shw_path_in(project->folder != NULL ? project->folder : "",
                       shw_project_get_picture(project->data, picture).name);
}

/* Opens the folder of the first painted picture that is a file. */
static enum shw_result open_folder(const struct view_teaching *teaching, bool *opened)
{
    const struct view_project *project = &teaching->project;
    enum shw_result result = SHW_OK;

    for (uint32_t p = 0; p < shw_project_get_picture_count(project->data) && !*opened; p++) {
        char *file = path_of(project, p), *slash = file != NULL ? strrchr(file, '/') : NULL;

        *opened = slash != NULL && shw_image_has_file(file);
        if (*opened) {
            slash[1] = '\0';
            result = view_player_open(teaching->scene->player, file);
        }
        free(file);
    }
    return result;
}

/* Splits the name of a frame, in place; false: it is not one of a video that exists. */
static bool split_frame(char *name, double *seconds)
{
    return view_picture_split_name(name, seconds) && shw_is_file(name) && !shw_image_file_is_image(name);
}

/* Opens the video of the first painted frame, there. */
static enum shw_result open_video(const struct view_teaching *teaching, bool *opened)
{
    const struct view_project *project = &teaching->project;
    struct view_player *player = teaching->scene->player;
    enum shw_result result = SHW_OK;

    for (uint32_t p = 0; p < shw_project_get_picture_count(project->data) && !*opened; p++) {
        char *name = strdup(shw_project_get_picture(project->data, p).name);
        double seconds;

        *opened = name != NULL && split_frame(name, &seconds);
        if (*opened)
            result = view_player_open(player, name);
        if (*opened && result == SHW_OK)
            result = view_source_seek(player->source, seconds + ROUNDING);
        free(name);
    }
    return result;
}

/* The other inputs of a picture. False: out of memory. */
static bool copy_inputs(const struct shw_pixels_part *whole, struct view_picture *picture)
{
    bool fine = true;

    for (uint32_t i = 1; i < whole->inputs.count && fine; i++)
        fine = view_picture_add(picture, whole->input[i].name, &whole->input[i].image);
    return fine;
}

/* A copy of a picture that has been kept with the work; *kept NULL: out of memory, which is logged. */
static enum shw_result copy_kept(const struct view_teaching *teaching, uint32_t number, struct view_picture **kept)
{
    const struct shw_log *log = &teaching->scene->log;
    struct shw_project *data = teaching->project.data;
    struct shw_pixels *pixels = shw_project_share_pixels(data, number);
    struct shw_pixels_part *whole = NULL;
    struct view_picture *picture = calloc(1, sizeof *picture);
    enum shw_result result =
        pixels != NULL && picture != NULL ? shw_pixels_take(pixels, log, &whole) : shw_fail_memory(log, "a picture");

    if (result == SHW_OK) {
        const struct shw_image *image = &whole->input[0].image;
        size_t stride = image->stride != 0 ? image->stride : image->width * shw_pixel_size(image->format);
        void *copy = malloc(stride * image->height);
        picture->name = strdup(shw_project_get_picture(data, number).name);
        picture->image = *image;
        picture->image.pixels = copy;
        if (copy != NULL)
            memcpy(copy, image->pixels, stride * image->height);
        if (copy == NULL || picture->name == NULL || !copy_inputs(whole, picture))
            result = shw_fail_memory(log, "a picture");
    }
    shw_pixels_part_release(&whole);
    shw_pixels_release(&pixels);
    if (result == SHW_OK)
        *kept = picture;
    else
        view_picture_free(picture);
    return result;
}

/* Shows the first painted picture that the copy has. */
static enum shw_result show_kept(struct view_teaching *teaching)
{
    struct shw_project *data = teaching->project.data;
    struct view_picture *picture;
    uint32_t first = UINT32_MAX, count = 0;

    for (uint32_t p = shw_project_get_picture_count(data); p-- > 0;)
        if (shw_project_get_picture(data, p).stroke_count > 0 && shw_project_has_pixels(data, p)) {
            first = p;
            count++;
        }
    if (count == 0)
        return SHW_OK;
    SHW_PROPAGATE(copy_kept(teaching, first, &picture));
    if (count > 1)
        shw_log_message(&teaching->scene->log, SHW_LOG_WARNING, SHW_LOG_PROJECT,
                        "%u painted pictures are not files; the first is shown: saving the project writes all "
                        "of them to files",
                        count);
    SHW_PROPAGATE(view_scene_show(teaching->scene, picture));
    return view_teaching_follow(teaching);
}

enum shw_result view_teaching_show_pictures(struct view_teaching *teaching)
{
    const struct view_project *project = &teaching->project;
    bool opened = false;

    if (project->path != NULL && shw_is_file(project->path) && view_project_has_files(project))
        return view_player_open(teaching->scene->player, project->path);
    SHW_PROPAGATE(open_folder(teaching, &opened));
    if (!opened)
        SHW_PROPAGATE(open_video(teaching, &opened));
    return opened ? SHW_OK : show_kept(teaching);
}
