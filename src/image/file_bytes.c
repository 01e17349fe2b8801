#include "image/file_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

/* A file being read, up to so many bytes. */
struct reading {
    const char *path;
    const struct shw_log *log;
    uint64_t most;
    bool whole; /* a longer one is refused */
};

static enum shw_result read_bytes(const struct reading *reading, FILE *stream, struct shw_file_bytes *file)
{
    const char *path = reading->path;
    const struct shw_log *log = reading->log;
    struct stat status;
    size_t size;

    if (fstat(fileno(stream), &status) != 0)
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_READ, "cannot read %s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_READ, "cannot read %s: it is not a regular file", path);
    if (reading->whole && (uint64_t)status.st_size > reading->most)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_FILE_READ, "cannot read %s: it is larger than %llu MiB", path,
                        (unsigned long long)(reading->most >> 20));
    size = (size_t)((uint64_t)status.st_size < reading->most ? (uint64_t)status.st_size : reading->most);
    file->bytes = malloc(size + 1);
    if (file->bytes == NULL)
        return shw_fail_memory(log, path);
    file->size = fread(file->bytes, 1, size, stream);
    file->bytes[file->size] = 0;
    if (file->size < size)
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_READ, "cannot read %s: %s", path,
                        ferror(stream) != 0 ? strerror(errno) : "it was truncated during reading");
    return SHW_OK;
}

static enum shw_result read_file(const struct reading *reading, struct shw_file_bytes *file)
{
    /* A pipe without a writer must not stop us: it is refused like everything that is no regular file. */
    int descriptor = open(reading->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    FILE *stream = descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;
    enum shw_result result;

    *file = (struct shw_file_bytes){0};
    if (stream == NULL && descriptor >= 0) {
        close(descriptor);
        return shw_fail_memory(reading->log, reading->path);
    }
    if (stream == NULL)
        return shw_fail(reading->log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot open %s: %s", reading->path,
                        strerror(errno));
    result = read_bytes(reading, stream, file);
    fclose(stream);
    if (result != SHW_OK)
        shw_file_bytes_free(file);
    return result;
}

enum shw_result shw_file_bytes_read(const char *path, uint64_t size_max, const struct shw_log *log,
                                    struct shw_file_bytes *file)
{
    return read_file(&(struct reading){path, log, size_max, true}, file);
}

enum shw_result shw_file_bytes_read_start(const char *path, size_t size, const struct shw_log *log,
                                          struct shw_file_bytes *file)
{
    return read_file(&(struct reading){path, log, size, false}, file);
}

const char *shw_skip_byte_order_mark(const void *text, size_t *size)
{
    static const char mark[3] = "\xef\xbb\xbf";
    size_t skipped = *size >= sizeof mark && memcmp(text, mark, sizeof mark) == 0 ? sizeof mark : 0;

    *size -= skipped;
    return (const char *)text + skipped;
}

void shw_file_bytes_free(struct shw_file_bytes *file)
{
    free(file->bytes);
    *file = (struct shw_file_bytes){0};
}
