#define _GNU_SOURCE /* O_TMPFILE, fopencookie(), renameat2() */
#include "base/unnamed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

bool shw_unnamed_file_create(struct shw_unnamed_file *unnamed, const char *path)
{
    size_t length = (size_t)(unnamed->name - path);
    char *folder = length > 0 ? strndup(path, length) : strdup(".");

    unnamed->descriptor = folder != NULL ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666) : -1;
    free(folder);
    if (unnamed->descriptor < 0)
        return false;
    snprintf(unnamed->link, sizeof unnamed->link, "/proc/self/fd/%d", unnamed->descriptor);
    if (access(unnamed->link, F_OK) != 0) {
        close(unnamed->descriptor);
        return false;
    }
    flock(unnamed->descriptor, LOCK_EX | LOCK_NB); /* for the moment in which it has a temporary name */
    return true;
}

int shw_unnamed_file_link(const struct shw_unnamed_file *unnamed, const char *path)
{
    return linkat(AT_FDCWD, unnamed->link, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

static ssize_t read_bytes(void *user, char *to, size_t size)
{
    const struct shw_unnamed_file *unnamed = user;

    return read(unnamed->descriptor, to, size);
}

static ssize_t write_bytes(void *user, const char *from, size_t size)
{
    struct shw_unnamed_file *unnamed = user;
    size_t written = 0;

    while (written < size) {
        ssize_t some = write(unnamed->descriptor, from + written, size - written);
        if (some < 0 && errno == EINTR)
            continue;
        if (some <= 0) {
            if (unnamed->error == 0)
                unnamed->error = some < 0 ? errno : EIO;
            return 0;
        }
        written += (size_t)some;
    }
    return (ssize_t)written;
}

static int seek(void *user, off64_t *offset, int whence)
{
    const struct shw_unnamed_file *unnamed = user;
    off64_t position = lseek64(unnamed->descriptor, *offset, whence);

    if (position < 0)
        return -1;
    *offset = position;
    return 0;
}

FILE *shw_unnamed_file_stream(struct shw_unnamed_file *unnamed)
{
    static const cookie_io_functions_t functions = {.read = read_bytes, .write = write_bytes, .seek = seek};

    return fopencookie(unnamed, "w+b", functions);
}

int shw_rename_new(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    if ((errno != EINVAL && errno != ENOSYS) || link(from, to) != 0)
        return -1;
    unlink(from); /* should it stay, the next writer removes it */
    return 0;
}
