#include "teach/recovery_copy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <jansson.h>

#include "base/log.h"
#include "files/dataset/examples.h"
#include "files/image/image_file.h"
#include "files/io/file_bytes.h"
#include "files/io/image_name.h"
#include "files/io/image_paths.h"

#define FORMAT    "shadewood-viewer-recovery"
#define VERSION   1
#define LOCK_FILE "lock"
#define FRAMES    "frame-"

void view_kept_frames_free(struct view_kept_frames *frames)
{
    for (uint32_t f = 0; f < frames->count; f++)
        free(frames->frames[f].name);
    free(frames->frames);
    *frames = (struct view_kept_frames){0};
}

static bool is_kept(const struct view_kept_frames *frames, const char *name)
{
    for (uint32_t f = 0; f < frames->count; f++)
        if (strcmp(frames->frames[f].name, name) == 0)
            return true;
    return false;
}

static enum shw_result add_frame(struct view_kept_frames *frames, const char *name, uint32_t picture)
{
    struct view_kept_frame *grown = realloc(frames->frames, (frames->count + (size_t)1) * sizeof *grown), *added;

    if (grown == NULL)
        return SHW_ERROR_MEMORY;
    frames->frames = grown;
    added = &grown[frames->count];
    added->name = strdup(name);
    if (added->name == NULL)
        return SHW_ERROR_MEMORY;
    snprintf(added->file, sizeof added->file, FRAMES "%u.png", frames->count + 1);
    added->picture = picture;
    frames->count++;
    return SHW_OK;
}

enum shw_result view_kept_frames_update(struct view_kept_frames *frames, const struct view_project *project)
{
    for (uint32_t p = 0; p < shw_project_get_picture_count(project->data); p++) {
        struct shw_project_picture picture = shw_project_get_picture(project->data, p);
        char *file;
        bool needed;
        if (picture.stroke_count == 0 || !shw_project_has_pixels(project->data, p) || is_kept(frames, picture.name))
            continue;
        file = shw_path_in(project->folder != NULL ? project->folder : "", picture.name);
        needed = file != NULL && !shw_image_has_file(file);
        if (file == NULL)
            return SHW_ERROR_MEMORY;
        free(file);
        if (needed)
            SHW_PROPAGATE(add_frame(frames, picture.name, p));
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

char *view_copy_encode(const struct view_project *project, const struct view_kept_frames *frames)
{
    char *place = place_of(project);
    char *encoded = shw_project_encode(project->data), *text = NULL;
    const struct view_file_stamp *stamp = &project->stamp;
    json_t *kept = json_object(), *head;
    char *head_text;
    size_t size;

    for (uint32_t f = 0; f < frames->count; f++)
        json_object_set_new(kept, frames->frames[f].name, json_string(frames->frames[f].file));
    head = json_pack("{s:s, s:i, s:o, s:o, s:[I, I, I, I, I], s:o}", "format", FORMAT, "version", VERSION, "path",
                     pack_path(place), "folder", pack_path(project->folder), "stamp", (json_int_t)stamp->device,
                     (json_int_t)stamp->number, (json_int_t)stamp->size, (json_int_t)stamp->seconds,
                     (json_int_t)stamp->nanoseconds, "frames", kept);
    head_text = head != NULL ? json_dumps(head, 0) : NULL;
    json_decref(head);
    if (encoded != NULL && head_text != NULL) { /* the project is a text already: it becomes the last member */
        head_text[strlen(head_text) - 1] = '\0';
        size = strlen(head_text) + strlen(encoded) + 32;
        text = malloc(size);
        if (text != NULL)
            snprintf(text, size, "%s, \"project\": %s}", head_text, encoded);
    }
    free(head_text);
    free(encoded);
    free(place);
    return text;
}

/* Gives a picture the pixels of its frame. */
static enum shw_result read_frame(const char *folder, const struct shw_log *log, const char *file, const char *name,
                                  struct shw_project *project)
{
    char *path = shw_path_join(folder, "/", file);
    struct shw_image_file image = {0};
    enum shw_result result;

    if (path == NULL)
        return shw_fail_memory(log, name);
    SHW_TRY(shw_image_file_read(path, NULL, log, &image));
    for (uint32_t p = 0; p < shw_project_get_picture_count(project); p++)
        if (strcmp(shw_project_get_picture(project, p).name, name) == 0)
            SHW_TRY(shw_project_set_pixels(project, p, SHW_COLOUR_IMAGE(image.image)));

fail:
    shw_image_file_free(&image);
    free(path);
    return result;
}

static enum shw_result read_frames(const char *folder, const struct shw_log *log, json_t *frames,
                                   struct shw_project *project)
{
    const char *name;
    json_t *file;

    json_object_foreach(frames, name, file)
    {
        const char *text = json_string_value(file);
        if (text == NULL || strncmp(text, FRAMES, strlen(FRAMES)) != 0 || strchr(text, '/') != NULL)
            return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s/%s: `frames` has a name that is none", folder,
                            VIEW_COPY_FILE);
        SHW_PROPAGATE(read_frame(folder, log, text, name, project));
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

enum shw_result view_copy_read(const char *folder, bool frames, const struct shw_log *log, struct view_project *project)
{
    char *file = shw_path_join(folder, "/", VIEW_COPY_FILE);
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
        result = read_frames(folder, log, json_object_get(root, "frames"), project->data);

fail:
    if (result != SHW_OK)
        view_project_close(project);
    json_decref(root);
    shw_file_bytes_free(&bytes);
    free(file);
    return result;
}

int view_copy_lock(const char *folder)
{
    char *file = shw_path_join(folder, "/", LOCK_FILE);
    int lock = file != NULL ? open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;

    free(file);
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0) {
        close(lock);
        lock = -1;
    }
    return lock;
}

bool view_copy_is_held(const char *folder, char path[VIEW_COPY_PATH])
{
    char *file = shw_path_join(folder, "/", LOCK_FILE);
    int lock = file != NULL ? open(file, O_RDONLY | O_CLOEXEC) : -1;
    bool held = lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0;
    ssize_t length = held ? pread(lock, path, VIEW_COPY_PATH - 1, 0) : 0;

    path[length > 0 ? length : 0] = '\0';
    if (lock >= 0)
        close(lock);
    free(file);
    return held;
}

void view_copy_note_path(int lock, const char *path)
{
    size_t length = path != NULL ? strlen(path) : 0;

    if (ftruncate(lock, 0) != 0 || (length > 0 && pwrite(lock, path, length, 0) != (ssize_t)length))
        return; /* then others do not know which project is open here */
}

void view_copy_remove(const char *folder)
{
    DIR *open_folder = opendir(folder);
    const struct dirent *entry;

    while (open_folder != NULL && (entry = readdir(open_folder)) != NULL)
        if (strcmp(entry->d_name, VIEW_COPY_FILE) == 0 || strcmp(entry->d_name, LOCK_FILE) == 0 ||
            strncmp(entry->d_name, FRAMES, strlen(FRAMES)) == 0)
            unlinkat(dirfd(open_folder), entry->d_name, 0);
    if (open_folder != NULL)
        closedir(open_folder);
    rmdir(folder);
}
