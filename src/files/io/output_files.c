#define _GNU_SOURCE /* asprintf() */
#include "files/io/output_files.h"

#include <errno.h>
#include <fts.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/atomic_file.h"
#include "base/log.h"
#include "base/reason.h"
#include "files/io/file_lock.h"
#include "files/io/image_paths.h"

#define NAME_BYTES 255u /* where the system does not tell */

/* The folder of a path, with the slash; "./" if it has none. NULL if memory is exhausted. */
static char *folder_of(const char *path)
{
    size_t length = (size_t)(shw_path_last(path) - path);

    return length > 0 ? strndup(path, length) : strdup("./");
}

/* The bytes of the stem that leave room for the rest, without a part of a character. */
static size_t cut(const char *stem, size_t length, size_t room)
{
    if (length <= room)
        return length;
    while (room > 0 && ((unsigned char)stem[room] & 0xc0u) == 0x80u)
        room--;
    return room;
}

char *shw_name_beside(const char *path, unsigned number)
{
    const char *name = shw_path_last(path), *ending = strrchr(name, '.');
    char *folder = folder_of(path), suffix[16] = "", *beside = NULL;
    long limit = folder != NULL ? pathconf(folder, _PC_NAME_MAX) : -1;
    size_t most = limit > 0 ? (size_t)limit : NAME_BYTES, rest, stem;

    if (number > 1)
        snprintf(suffix, sizeof suffix, "-%u", number);
    if (ending == NULL || ending == name || strlen(ending) + strlen(suffix) >= most)
        ending = name + strlen(name);
    rest = strlen(suffix) + strlen(ending);
    stem = cut(name, (size_t)(ending - name), most > rest ? most - rest : 0);
    if (folder != NULL &&
        asprintf(&beside, "%.*s%.*s%s%s", (int)(name - path), path, (int)stem, name, suffix, ending) < 0)
        beside = NULL;
    free(folder);
    return beside;
}

char *shw_name_unused(const char *path)
{
    char *name = shw_name_beside(path, 1);
    struct stat status;

    for (unsigned number = 2; name != NULL && lstat(name, &status) == 0; number++) {
        free(name);
        name = shw_name_beside(path, number);
    }
    return name;
}
/* Writes a file of the first name that is free, from `number` on. *place is then its path, which the caller frees, and
 * NULL on failure. Replaces nothing. Errors: IO, MEMORY; without a message. Any thread. */
static enum shw_result write_beside(const char *path, unsigned number, const void *bytes, size_t size, char **place)
{
    enum shw_result result = SHW_OK;
    bool taken = true;

    for (*place = NULL; result == SHW_OK && taken; number++) {
        struct shw_atomic_file file;

        free(*place);
        *place = shw_name_beside(path, number);
        result = *place != NULL ? shw_atomic_file_open(&file, *place, NULL) : SHW_ERROR_MEMORY;
        if (result != SHW_OK)
            break;
        fwrite(bytes, 1, size, file.stream); /* commit reports its errors */
        result = shw_atomic_file_commit_new(&file, NULL, &taken);
    }
    if (result != SHW_OK) {
        free(*place);
        *place = NULL;
    }
    return result;
}
/* The same in the first folder that takes a file: that of `refuge`, a path or NULL, the current one, $TMPDIR, /tmp. */
static enum shw_result write_elsewhere(const char *path, const char *refuge, const void *bytes, size_t size,
                                       char **place)
{
    char *beside_refuge = refuge != NULL ? folder_of(refuge) : NULL;
    const char *const folders[] = {beside_refuge, ".", getenv("TMPDIR"), "/tmp"};
    enum shw_result result = SHW_ERROR_IO;

    *place = NULL;
    for (size_t i = 0; i < sizeof folders / sizeof *folders && result != SHW_OK; i++) {
        const char *folder = folders[i];
        char *moved;

        if (folder == NULL || folder[0] == '\0')
            continue;
        if (asprintf(&moved, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", shw_path_last(path)) < 0) {
            result = SHW_ERROR_MEMORY;
            continue;
        }
        result = write_beside(moved, 1, bytes, size, place);
        free(moved);
    }
    free(beside_refuge);
    return result;
}

#define DYING_MAX 10u /* times 50 ms that a lock is waited for */

/* A file is what the system says that it is, whatever its path. */
struct identity {
    dev_t device;
    ino_t number;
};

struct shw_output_input {
    struct identity file;
    char *path; /* or "standard input" */
};

/* Identifies a file and its contents, as far as the system can. All 0: there is none. */
struct version {
    struct identity file;
    off_t size;
    struct timespec changed;
};

struct shw_output_file {
    char *path;
    const struct shw_file_kind *kind;
    bool ours;  /* whatever its kind can tell */
    bool apart; /* `overwrite` is not about it */
    struct shw_file_lock *lock;
    struct version seen; /* there at the check, or when it was last written */
};

static struct identity identify(const struct stat *status)
{
    return (struct identity){status->st_dev, status->st_ino};
}

static struct version version_of(const struct stat *status)
{
    return (struct version){identify(status), status->st_size, status->st_ctim};
}

static int compare(const struct identity *a, const struct identity *b)
{
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static bool is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0;
}

static bool is_file(const char *path, struct stat *status)
{
    int failed = is_standard_input(path) ? fstat(STDIN_FILENO, status) : stat(path, status);

    return failed == 0 && S_ISREG(status->st_mode);
}

void shw_output_files_read(struct shw_output_files *files, const char *path)
{
    struct stat status;
    char *copy;

    if (path == NULL || !is_file(path, &status))
        return;
    copy = strdup(is_standard_input(path) ? "standard input" : path);
    if (copy != NULL && SHW_RESERVE(files->inputs, files->input_capacity, files->input_count + (size_t)1)) {
        files->inputs[files->input_count++] = (struct shw_output_input){identify(&status), copy};
    } else {
        free(copy);
        files->incomplete = true;
    }
}

void shw_output_files_read_folder(struct shw_output_files *files, const char *folder)
{
    char *copy = strdup(folder), *folders[] = {copy, NULL};
    FTS *tree = copy != NULL ? fts_open(folders, FTS_LOGICAL | FTS_NOCHDIR, NULL) : NULL;
    const FTSENT *entry;

    files->incomplete = files->incomplete || tree == NULL;
    while (tree != NULL && (entry = fts_read(tree)) != NULL)
        if (entry->fts_info == FTS_F && shw_is_image_name(entry->fts_name))
            shw_output_files_read(files, entry->fts_path);
    if (tree != NULL)
        fts_close(tree);
    free(copy);
}

/* `path` is copied. */
static void add_output(struct shw_output_files *files, struct shw_output_file output)
{
    char *copy = output.path != NULL ? strdup(output.path) : NULL;

    if (output.path == NULL)
        return;
    if (copy != NULL && SHW_RESERVE(files->outputs, files->output_capacity, files->output_count + (size_t)1)) {
        output.path = copy;
        files->outputs[files->output_count++] = output;
    } else {
        free(copy);
        files->incomplete = true;
    }
}

void shw_output_files_write(struct shw_output_files *files, const char *path, const struct shw_file_kind *kind)
{
    add_output(files, (struct shw_output_file){.path = (char *)(uintptr_t)path, .kind = kind});
}

void shw_output_files_write_apart(struct shw_output_files *files, const char *path, const struct shw_file_kind *kind)
{
    add_output(files, (struct shw_output_file){.path = (char *)(uintptr_t)path, .kind = kind, .apart = true});
}

void shw_output_files_replace(struct shw_output_files *files, const char *path, const struct shw_file_kind *kind)
{
    add_output(files, (struct shw_output_file){.path = (char *)(uintptr_t)path, .kind = kind, .ours = true});
}

/* Whether a file that Shadewood did not write may be replaced by it. */
static bool overwrites(const struct shw_output_files *files, const struct shw_output_file *output)
{
    return files->overwrite && !output->apart;
}

static int compare_inputs(const void *a, const void *b)
{
    return compare(&((const struct shw_output_input *)a)->file, &((const struct shw_output_input *)b)->file);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(((const struct shw_output_file *)a)->path, ((const struct shw_output_file *)b)->path);
}

/* The input that is this file, or NULL. They are sorted. Wine tells no device of a file that a process inherits as
 * standard input: then the number alone decides, since to refuse too much loses nothing. */
static const struct shw_output_input *find_input(const struct shw_output_files *files, struct identity file)
{
    const struct shw_output_input candidates[] = {{.file = file}, {.file.number = file.number}};
    const struct shw_output_input *input = NULL;

    for (size_t i = 0; i < sizeof candidates / sizeof *candidates && files->input_count > 0 && input == NULL; i++)
        input = bsearch(&candidates[i], files->inputs, files->input_count, sizeof *input, compare_inputs);
    return input;
}

/* An output by its folder and name, and by its file if it exists. */
struct place {
    struct identity folder, file; /* a file's are 0 if it does not exist */
    const char *path, *name;
    bool is_device; /* to which several may be written */
};

static int compare_files(const void *a, const void *b)
{
    return compare(&((const struct place *)a)->file, &((const struct place *)b)->file);
}

static int compare_names(const void *a, const void *b)
{
    const struct place *one = a, *two = b;
    int order = compare(&one->folder, &two->folder);

    return order != 0 ? order : strcmp(one->name, two->name);
}

static enum shw_result check_folder(const struct shw_output_files *files, const struct shw_output_file *output,
                                    const struct place *place, char **checked)
{
    const char *path = output->path;
    size_t length = (size_t)(place->name - path);
    struct shw_atomic_file trial;

    if (*checked != NULL && strlen(*checked) == length && memcmp(*checked, path, length) == 0)
        return SHW_OK;
    free(*checked);
    *checked = strndup(path, length);
    if (*checked == NULL)
        return shw_fail_memory(&files->log, path);
    SHW_PROPAGATE(shw_atomic_file_open(&trial, path, &files->log));
    shw_atomic_file_abandon(&trial);
    return SHW_OK;
}

static enum shw_result fail_exists(const struct shw_output_files *files, const struct shw_output_file *output)
{
    const char *path = output->path, *hint = files->hint;

    if (output->apart)
        return shw_fail(&files->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE,
                        "%s exists, and is not %s that Shadewood wrote: choose another name", path, output->kind->text);
    if (output->kind->is_ours == NULL)
        return shw_fail(&files->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE,
                        "%s exists: choose another name, or replace it with %s", path, hint);
    return shw_fail(&files->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE,
                    "%s exists, and is not %s that Shadewood wrote, or was changed since: choose another name, or "
                    "replace it with %s",
                    path, output->kind->text, hint);
}

/* Checks an output by itself and against the inputs, which are sorted. `folder`: the last one in which a file could be
 * created. */
static enum shw_result check_output(const struct shw_output_files *files, struct shw_output_file *output,
                                    struct place *place, char **folder)
{
    const char *path = output->path, *slash = strrchr(path, '/');
    const struct shw_log *log = &files->log;
    const struct shw_output_input *input;
    struct stat status;

    *place = (struct place){.path = path, .name = slash != NULL ? slash + 1 : path};
    output->seen = (struct version){0};
    if (path[0] == '\0')
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the name of %s to write is empty",
                        output->kind->text);
    if (strcmp(path, "-") == 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s is written to a file, not to standard output: name one (./- is a file called -)",
                        output->kind->text);
    if (stat(path, &status) != 0) {
        int error = errno;

        if (error != ENOENT || place->name[0] == '\0')
            return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot write %s: %s", path, strerror(error));
        SHW_PROPAGATE(shw_atomic_file_check_kind(path, log)); /* a dangling link */
        return check_folder(files, output, place, folder);
    }
    place->file = identify(&status);
    output->seen = version_of(&status);
    if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode) && output->kind->is_stream) {
        place->is_device = true;
        return SHW_OK;
    }
    SHW_PROPAGATE(shw_atomic_file_check_kind(path, log));
    input = find_input(files, place->file);
    if (input != NULL && strcmp(input->path, path) == 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s would be overwritten, which is an input", path);
    if (input != NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s would be overwritten, which is the input %s",
                        path, input->path);
    if (status.st_size > 0 && !overwrites(files, output) && !output->ours &&
        (output->kind->is_ours == NULL || !output->kind->is_ours(path, output->kind->name)))
        return fail_exists(files, output);
    return check_folder(files, output, place, folder);
}

static enum shw_result fail_twice(const struct shw_output_files *files, const struct place *a, const struct place *b)
{
    if (strcmp(a->path, b->path) == 0)
        return shw_fail(&files->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s would be written twice: outputs must be different files", a->path);
    return shw_fail(&files->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                    "%s and %s are the same file: outputs must be different files", a->path, b->path);
}

/* No two outputs may be one file. */
static enum shw_result check_different(const struct shw_output_files *files, struct place *places, size_t count)
{
    static const struct identity none;
    struct stat status;

    qsort(places, count, sizeof *places, compare_files);
    for (size_t i = 1; i < count; i++)
        if (!places[i].is_device && compare(&places[i].file, &none) != 0 &&
            compare(&places[i].file, &places[i - 1].file) == 0)
            return fail_twice(files, &places[i - 1], &places[i]);
    for (size_t i = 0; i < count; i++) {
        size_t length = (size_t)(places[i].name - places[i].path);
        char *folder = length > 0 ? strndup(places[i].path, length) : strdup(".");

        if (folder == NULL)
            return shw_fail_memory(&files->log, places[i].path);
        if (compare(&places[i].file, &none) == 0 && stat(folder, &status) == 0)
            places[i].folder = identify(&status);
        free(folder);
    }
    qsort(places, count, sizeof *places, compare_names);
    for (size_t i = 1; i < count; i++)
        if (compare(&places[i].folder, &none) != 0 && compare_names(&places[i - 1], &places[i]) == 0)
            return fail_twice(files, &places[i - 1], &places[i]);
    return SHW_OK;
}

enum shw_result shw_output_files_check(struct shw_output_files *files)
{
    struct place *places = calloc(files->output_count + (size_t)1, sizeof *places);
    char *folder = NULL;
    enum shw_result result = SHW_OK;

    if (places == NULL || files->incomplete) {
        free(places);
        return shw_fail_memory(&files->log, "the names of inputs and outputs");
    }
    if (files->input_count > 0)
        qsort(files->inputs, files->input_count, sizeof *files->inputs, compare_inputs);
    if (files->output_count > 0)
        qsort(files->outputs, files->output_count, sizeof *files->outputs, compare_paths);
    for (size_t i = 0; i < files->output_count && result == SHW_OK; i++)
        result = check_output(files, &files->outputs[i], &places[i], &folder);
    if (result == SHW_OK)
        result = check_different(files, places, files->output_count);
    free(folder);
    free(places);
    return result;
}

/* A checked output; outputs are sorted by then. */
static struct shw_output_file *find_output(const struct shw_output_files *files, const char *path)
{
    const struct shw_output_file wanted = {.path = (char *)(uintptr_t)path}; /* only read */

    return files->output_count > 0 ? bsearch(&wanted, files->outputs, files->output_count, sizeof wanted, compare_paths)
                                   : NULL;
}

bool shw_output_files_has(const struct shw_output_files *files, const char *path)
{
    return find_output(files, path) != NULL;
}

/* A process that was killed a moment ago may still have its locks. */
static enum shw_lock_state take_lock(const char *path, struct shw_file_lock **lock)
{
    static const struct timespec while_dying = {.tv_nsec = 50000000};
    enum shw_lock_state state = shw_file_lock_take(path, lock);

    for (unsigned i = 0; i < DYING_MAX && state == SHW_LOCK_TAKEN; i++) {
        nanosleep(&while_dying, NULL);
        state = shw_file_lock_take(path, lock);
    }
    return state;
}

enum shw_result shw_output_files_lock(struct shw_output_files *files, const char *path)
{
    struct shw_output_file *output = find_output(files, path);
    enum shw_lock_state state;

    if (output == NULL || output->lock != NULL)
        return SHW_OK;
    state = take_lock(path, &output->lock);
    if (state == SHW_LOCK_TAKEN)
        return shw_fail(&files->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE,
                        "another shadewood is going to write %s to %s: wait until it has ended, or choose another name",
                        output->kind->text, path);
    if (state == SHW_LOCK_NONE)
        shw_log_message(&files->log, SHW_LOG_WARNING, SHW_LOG_FILE_WRITE,
                        "cannot tell whether another shadewood is going to write %s to %s: %s", output->kind->text,
                        path, strerror(errno));
    return SHW_OK;
}

static bool is_missing(const struct version *version)
{
    static const struct identity none;

    return compare(&version->file, &none) == 0;
}

/* Whether nothing would be replaced that was not there at the check. */
static bool is_as_seen(const struct shw_output_files *files, const struct shw_output_file *output)
{
    const struct version *seen = &output->seen;
    struct version now;
    struct stat status;

    if (stat(output->path, &status) != 0)
        return lstat(output->path, &status) != 0; /* a dangling link has appeared */
    if (!S_ISREG(status.st_mode))
        return output->kind->is_stream && !S_ISDIR(status.st_mode);
    now = version_of(&status);
    if (overwrites(files, output))
        return find_input(files, now.file) == NULL;
    return compare(&now.file, &seen->file) == 0 && now.size == seen->size &&
           now.changed.tv_sec == seen->changed.tv_sec && now.changed.tv_nsec == seen->changed.tv_nsec;
}

static const char *what_happened(const struct shw_output_file *output)
{
    return is_missing(&output->seen) ? "has appeared since the beginning" : "was changed since the beginning";
}

enum shw_result shw_output_files_look_again(const struct shw_output_files *files, const char *path)
{
    const struct shw_output_file *output = find_output(files, path);

    if (output != NULL && is_as_seen(files, output))
        return SHW_OK;
    return shw_fail(&files->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "%s %s, and is kept", path,
                    output != NULL ? what_happened(output) : "was not checked");
}

enum shw_result shw_output_files_settle(struct shw_output_files *files, const char *path, const char **place)
{
    struct shw_output_file *output = find_output(files, path);
    char *beside = NULL;

    *place = path;
    if (output == NULL || is_as_seen(files, output))
        return SHW_OK;
    for (unsigned number = 2; beside == NULL; number++) {
        struct stat status;

        beside = shw_name_beside(path, number);
        if (beside == NULL)
            return shw_fail_memory(&files->log, path);
        if (lstat(beside, &status) == 0) {
            free(beside);
            beside = NULL;
        }
    }
    shw_log_message(&files->log, SHW_LOG_WARNING, SHW_LOG_FILE_WRITE, "%s %s: it is kept, and %s is written to %s",
                    path, what_happened(output), output->kind->text, beside);
    free(output->path); /* which may be `path` */
    output->path = beside;
    output->seen = (struct version){0};
    if (output->lock != NULL) {
        shw_file_lock_release(&output->lock);
        (void)shw_file_lock_take(beside, &output->lock); /* a free name */
    }
    *place = beside;
    qsort(files->outputs, files->output_count, sizeof *files->outputs, compare_paths);
    return SHW_OK;
}

void shw_output_files_written(struct shw_output_files *files, const char *path)
{
    struct shw_output_file *output = find_output(files, path);
    struct stat status;
    const bool there = stat(path, &status) == 0;

    /* Another file may have taken its place already: that is not what was written. */
    if (output != NULL && (!there || output->kind->is_ours == NULL || output->kind->is_ours(path, output->kind->name)))
        output->seen = there ? version_of(&status) : (struct version){0};
}

/* Writes an output; one that may not be replaced is left, with *taken. */
static enum shw_result write_output(const struct shw_output_files *files, const struct shw_output_file *output,
                                    const void *bytes, size_t size, const struct shw_log *log, bool *taken)
{
    struct shw_atomic_file file;

    *taken = !is_as_seen(files, output);
    if (*taken)
        return SHW_OK;
    SHW_PROPAGATE(shw_atomic_file_open(&file, output->path, log));
    fwrite(bytes, 1, size, file.stream); /* commit reports its errors */
    return overwrites(files, output) || !is_missing(&output->seen) ? shw_atomic_file_commit(&file, log)
                                                                   : shw_atomic_file_commit_new(&file, log, taken);
}

enum shw_result shw_output_files_save(const struct shw_output_files *files, const char *path, const char *refuge,
                                      const void *bytes, size_t size)
{
    const struct shw_output_file *output = find_output(files, path);
    struct shw_reason reason = {""};
    const struct shw_log log = shw_reason_log(&reason);
    enum shw_result result;
    const char *what;
    char *place = NULL;
    bool taken;

    if (output == NULL)
        return shw_output_files_look_again(files, path); /* the error */
    what = output->kind->text;
    result = write_output(files, output, bytes, size, &log, &taken);
    if (result == SHW_OK && !taken)
        return SHW_OK;
    if (taken && write_beside(path, 2, bytes, size, &place) == SHW_OK)
        shw_fail(&files->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "%s %s: it is kept, and %s was written to %s", path,
                 what_happened(output), what, place);
    else if (taken)
        snprintf(reason.text, sizeof reason.text, "%s %s, and is kept", path, what_happened(output));
    if (place == NULL && write_elsewhere(path, refuge, bytes, size, &place) == SHW_OK)
        shw_fail(&files->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "%s; %s was written to %s instead", reason.text, what,
                 place);
    else if (place == NULL)
        shw_fail(&files->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE,
                 "%s; neither the current folder nor that of temporary files takes %s", reason.text, what);
    free(place);
    return SHW_ERROR_IO;
}

bool shw_output_files_copy_inputs(const struct shw_output_files *from, struct shw_output_files *files)
{
    *files = (struct shw_output_files){.overwrite = from->overwrite, .hint = from->hint, .log = from->log};
    files->inputs = calloc(from->input_count + (size_t)1, sizeof *files->inputs);
    if (files->inputs == NULL)
        return false;
    files->input_capacity = from->input_count + 1;
    for (uint32_t i = 0; i < from->input_count; i++) {
        files->inputs[i] = (struct shw_output_input){from->inputs[i].file, strdup(from->inputs[i].path)};
        if (files->inputs[i].path == NULL)
            return false;
        files->input_count++;
    }
    return true;
}

void shw_output_files_forget(struct shw_output_files *files)
{
    for (size_t i = 0; i < files->output_count; i++) {
        shw_file_lock_release(&files->outputs[i].lock);
        free(files->outputs[i].path);
    }
    files->output_count = 0;
}

void shw_output_files_free(struct shw_output_files *files)
{
    shw_output_files_forget(files);
    for (size_t i = 0; i < files->input_count; i++)
        free(files->inputs[i].path);
    free(files->inputs);
    free(files->outputs);
    files->inputs = NULL;
    files->outputs = NULL;
    files->input_count = files->input_capacity = files->output_count = files->output_capacity = 0;
}
