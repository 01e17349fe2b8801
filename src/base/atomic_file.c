#include "base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/unnamed_file.h"

#define NAMES_MAX 64u /* temporary names next to a path */

static void name_temporary(const struct shw_atomic_file *file, unsigned number)
{
    struct shw_unnamed_file *unnamed = file->unnamed;

    /* Short enough for a name that is itself as long as names can be. */
    snprintf(unnamed->temporary, sizeof unnamed->temporary, "%.*s.%.200s.%u.shadewood",
             (int)(unnamed->name - file->path), file->path, unnamed->name, number);
}

/* Removes a temporary file of a writer that is gone, which the free lock shows. False: its writer lives, or nobody
 * knows. The name cannot pass to another file meanwhile: only a holder of the lock removes it. */
static bool remove_left(const char *path)
{
    int descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat held, named;
    bool removed;

    if (descriptor < 0)
        return errno == ENOENT;
    removed = fstat(descriptor, &held) == 0 && S_ISREG(held.st_mode) && flock(descriptor, LOCK_EX | LOCK_NB) == 0 &&
              lstat(path, &named) == 0 && named.st_dev == held.st_dev && named.st_ino == held.st_ino &&
              unlink(path) == 0;
    close(descriptor);
    return removed;
}

/* Forgets the temporary name. False, for the functions that have found none, with their errno. */
static bool fail_temporary(struct shw_unnamed_file *unnamed, int error)
{
    unnamed->temporary[0] = '\0';
    errno = error;
    return false;
}

/* Creates the file under a temporary name. False, with errno. */
static bool create_named(const struct shw_atomic_file *file)
{
    struct shw_unnamed_file *unnamed = file->unnamed;
    struct stat status;

    for (unsigned i = 0; i < NAMES_MAX;) {
        name_temporary(file, i);
        unnamed->descriptor = open(unnamed->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (unnamed->descriptor >= 0) {
            flock(unnamed->descriptor, LOCK_EX | LOCK_NB); /* where there are no locks, nobody removes the file */
            if (fstat(unnamed->descriptor, &status) == 0 && status.st_nlink > 0)
                return true;
            close(unnamed->descriptor); /* removed as one that is left, before it was locked */
        } else if (errno != EEXIST) {
            return fail_temporary(unnamed, errno);
        } else if (!remove_left(unnamed->temporary)) {
            i++;
        }
    }
    return fail_temporary(unnamed, EEXIST); /* whatever remove_left() has left in errno */
}

/* Gives it a temporary name, from which it can replace a file. False, with errno. */
static bool link_temporary(const struct shw_atomic_file *file)
{
    struct shw_unnamed_file *unnamed = file->unnamed;

    for (unsigned i = 0; i < NAMES_MAX;) {
        name_temporary(file, i);
        if (shw_unnamed_file_link(unnamed, unnamed->temporary) == 0)
            return true;
        if (errno != EEXIST)
            return fail_temporary(unnamed, errno);
        if (!remove_left(unnamed->temporary))
            i++;
    }
    return fail_temporary(unnamed, EEXIST);
}

static void forget(struct shw_atomic_file *file)
{
    free(file->unnamed);
    free(file->path);
    *file = (struct shw_atomic_file){0};
}

/* Closes the file and removes its temporary name. */
static void discard(struct shw_atomic_file *file)
{
    if (file->unnamed->temporary[0] != '\0')
        unlink(file->unnamed->temporary); /* before the lock is gone, and with it the right to remove it */
    close(file->unnamed->descriptor);
    forget(file);
}

static enum shw_result fail(const char *path, int error, enum shw_log_item item, const struct shw_log *log)
{
    return shw_fail(log, SHW_ERROR_IO, item, "cannot write %s: %s", path,
                    error == EEXIST ? "too many temporary files of that name exist" : strerror(error));
}

enum shw_result shw_atomic_file_check_kind(const char *path, const struct shw_log *log)
{
    struct stat status;

    if (stat(path, &status) != 0)
        return lstat(path, &status) != 0
                   ? SHW_OK
                   : shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot write %s: it is a dangling link", path);
    if (S_ISDIR(status.st_mode))
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot write %s: it is a folder", path);
    if (!S_ISREG(status.st_mode))
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot write %s: it is not a regular file", path);
    return SHW_OK;
}

/* The file that a link leads to, so that the link stays; the path itself if there is none. */
static char *follow(const char *path)
{
    struct stat status;
    char *target = lstat(path, &status) == 0 && S_ISLNK(status.st_mode) ? realpath(path, NULL) : NULL;

    return target != NULL ? target : strdup(path);
}

enum shw_result shw_atomic_file_open(struct shw_atomic_file *file, const char *path, const struct shw_log *log)
{
    const char *slash;

    *file = (struct shw_atomic_file){0};
    SHW_PROPAGATE(shw_atomic_file_check_kind(path, log));
    *file = (struct shw_atomic_file){.path = follow(path), .unnamed = calloc(1, sizeof *file->unnamed)};
    if (file->path == NULL || file->unnamed == NULL) {
        forget(file);
        return shw_fail_memory(log, "a file name");
    }
    slash = strrchr(file->path, '/');
    file->unnamed->name = slash != NULL ? slash + 1 : file->path;
    if (!shw_unnamed_file_create(file->unnamed, file->path) && !create_named(file)) {
        int error = errno;
        forget(file);
        return fail(path, error, SHW_LOG_FILE_OPEN, log);
    }
    file->stream = shw_unnamed_file_stream(file->unnamed);
    if (file->stream == NULL || setvbuf(file->stream, file->unnamed->buffer, _IOFBF, SHW_UNNAMED_BUFFER) != 0) {
        if (file->stream != NULL)
            fclose(file->stream);
        discard(file);
        return shw_fail_memory(log, "a file buffer");
    }
    return SHW_OK;
}

bool shw_atomic_file_failed(const struct shw_atomic_file *file, int *error)
{
    if (file->unnamed->error == 0 && ferror(file->stream) == 0)
        return false;
    *error = file->unnamed->error != 0 ? file->unnamed->error : EIO;
    return true;
}

/* Writes everything to the disk. Returns 0 or the errno of the failure. */
static int flush(struct shw_atomic_file *file)
{
    int error = 0;

    if (fflush(file->stream) != 0)
        error = errno;
    if (shw_atomic_file_failed(file, &error) || error != 0)
        return error;
    return fsync(file->unnamed->descriptor) != 0 ? errno : 0;
}

/* Gives the file its name in the place of what had it. Returns 0 or errno. */
static int replace(const struct shw_atomic_file *file)
{
    struct shw_unnamed_file *unnamed = file->unnamed;

    if (unnamed->temporary[0] == '\0' && !link_temporary(file))
        return errno;
    if (rename(unnamed->temporary, file->path) != 0)
        return errno;
    unnamed->temporary[0] = '\0';
    return 0;
}

/* Gives the file its name unless it is taken. Returns 0 or errno. */
static int take_name(const struct shw_atomic_file *file)
{
    struct shw_unnamed_file *unnamed = file->unnamed;

    if (unnamed->temporary[0] == '\0')
        return shw_unnamed_file_link(unnamed, file->path) == 0 ? 0 : errno;
    if (shw_rename_new(unnamed->temporary, file->path) != 0)
        return errno;
    unnamed->temporary[0] = '\0';
    return 0;
}

static void close_file(struct shw_atomic_file *file)
{
    fclose(file->stream);
    discard(file);
}

enum shw_result shw_atomic_file_complete(struct shw_atomic_file *file, const struct shw_log *log)
{
    const int error = flush(file);
    enum shw_result result;

    if (error == 0)
        return SHW_OK;
    result = fail(file->path, error, SHW_LOG_FILE_WRITE, log);
    close_file(file);
    return result;
}

enum shw_result shw_atomic_file_commit(struct shw_atomic_file *file, const struct shw_log *log)
{
    enum shw_result result = SHW_OK;
    int error = flush(file);

    if (error == 0)
        error = replace(file);
    if (error != 0)
        result = fail(file->path, error, SHW_LOG_FILE_WRITE, log);
    close_file(file);
    return result;
}

enum shw_result shw_atomic_file_commit_new(struct shw_atomic_file *file, const struct shw_log *log, bool *taken)
{
    enum shw_result result = SHW_OK;
    int error = flush(file);

    *taken = false;
    if (error == 0) {
        error = take_name(file);
        *taken = error == EEXIST;
    }
    if (error != 0 && !*taken)
        result = fail(file->path, error, SHW_LOG_FILE_WRITE, log);
    close_file(file);
    return result;
}

void shw_atomic_file_abandon(struct shw_atomic_file *file)
{
    if (file->stream != NULL)
        close_file(file);
}

enum shw_result shw_atomic_file_write(const char *path, const void *bytes, size_t size, const struct shw_log *log)
{
    struct shw_atomic_file file;

    SHW_PROPAGATE(shw_atomic_file_open(&file, path, log));
    fwrite(bytes, 1, size, file.stream); /* commit reports its errors */
    return shw_atomic_file_commit(&file, log);
}
