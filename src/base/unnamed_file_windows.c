/* A file has its temporary name from the beginning. */
#include "base/unnamed_file.h"

#include "base/windows/wide.h"

bool shw_unnamed_file_create(struct shw_unnamed_file *unnamed, const char *path)
{
    (void)unnamed, (void)path;
    return false;
}

int shw_unnamed_file_link(const struct shw_unnamed_file *unnamed, const char *path)
{
    (void)unnamed, (void)path;
    errno = ENOSYS;
    return -1;
}

FILE *shw_unnamed_file_stream(struct shw_unnamed_file *unnamed)
{
    const int descriptor = _dup(unnamed->descriptor);
    FILE *stream = descriptor >= 0 ? _fdopen(descriptor, "w+b") : NULL;

    if (stream == NULL && descriptor >= 0)
        _close(descriptor);
    return stream;
}

int shw_rename_new(const char *from, const char *to)
{
    return shw_windows_rename_new(from, to);
}
