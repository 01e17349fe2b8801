#include "files/io/file_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

/* A file being read, up to a limit in bytes. */
struct reading {
    const char *path;
    const struct shw_log *log;
    uint64_t most;
    bool whole; /* a longer one is refused */
};

enum shw_result shw_file_open(const char *path, const struct shw_log *log, FILE **stream, uint64_t *size)
{
    /* A pipe without a writer must not stop us: it is refused like everything that is no regular file. */
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat status;
    enum shw_result result = SHW_OK;

    if (descriptor < 0)
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot open %s: %s", path, strerror(errno));
    if (fstat(descriptor, &status) != 0)
        result = shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_READ, "cannot read %s: %s", path, strerror(errno));
    else if (!S_ISREG(status.st_mode))
        result = shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_READ, "cannot read %s: it is not a regular file", path);
    else if ((*stream = fdopen(descriptor, "rb")) == NULL)
        result = shw_fail_memory(log, path);
    if (result != SHW_OK) {
        close(descriptor);
        return result;
    }
    *size = (uint64_t)status.st_size;
    return SHW_OK;
}

enum shw_result shw_file_check_size(const char *path, uint64_t size, uint64_t most, const struct shw_log *log)
{
    return size <= most
               ? SHW_OK
               : shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_FILE_READ, "cannot read %s: it is larger than %llu MiB", path,
                          (unsigned long long)(most >> 20));
}

static enum shw_result read_bytes(const struct reading *reading, FILE *stream, uint64_t length,
                                  struct shw_file_bytes *file)
{
    const char *path = reading->path;
    const struct shw_log *log = reading->log;
    size_t size;

    if (reading->whole)
        SHW_PROPAGATE(shw_file_check_size(path, length, reading->most, log));
    size = (size_t)(length < reading->most ? length : reading->most);
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
    FILE *stream;
    uint64_t length;
    enum shw_result result;

    *file = (struct shw_file_bytes){0};
    SHW_PROPAGATE(shw_file_open(reading->path, reading->log, &stream, &length));
    result = read_bytes(reading, stream, length, file);
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
