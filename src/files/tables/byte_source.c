#include "files/tables/byte_source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

static enum shw_result fail_read(const struct shw_byte_source *source, int error)
{
    return shw_fail(&source->log, SHW_ERROR_IO, SHW_LOG_FILE_READ, "cannot read %s: %s", source->name, strerror(error));
}

/* read() or pread(), repeated until all is there. */
static enum shw_result read_fully(const struct shw_byte_source *source, const uint64_t *offset, char *to, size_t size,
                                  size_t *count)
{
    for (*count = 0; *count < size;) {
        const ssize_t some = offset != NULL ? pread(source->descriptor, to + *count, size - *count,
                                                    (off_t)(source->origin + *offset + *count))
                                            : read(source->descriptor, to + *count, size - *count);
        if (some < 0 && errno == EINTR)
            continue;
        if (some < 0)
            return fail_read(source, errno);
        if (some == 0)
            break;
        *count += (size_t)some;
    }
    return SHW_OK;
}

enum shw_result shw_byte_source_open(struct shw_byte_source *source, const char *path, const struct shw_log *log)
{
    const bool is_standard_input = strcmp(path, "-") == 0;
    struct stat status;
    off_t origin;
    enum shw_result result;

    *source = (struct shw_byte_source){.name = is_standard_input ? "standard input" : path, .log = *log};
    source->descriptor = is_standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (source->descriptor < 0)
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot open %s: %s", path, strerror(errno));
    if (fstat(source->descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
        origin = lseek(source->descriptor, 0, SEEK_CUR);
        source->is_file = origin >= 0 && origin <= status.st_size;
        source->origin = source->is_file ? (uint64_t)origin : 0;
        source->size = source->is_file ? (uint64_t)(status.st_size - origin) : 0;
    }
    result = read_fully(source, NULL, (char *)source->start, sizeof source->start, &source->start_size);
    if (result != SHW_OK)
        shw_byte_source_close(source);
    return result;
}

enum shw_result shw_byte_source_read(struct shw_byte_source *source, void *to, size_t size, size_t *count)
{
    size_t taken = source->start_size - source->start_taken;
    enum shw_result result;

    if (taken > size)
        taken = size;
    memcpy(to, source->start + source->start_taken, taken);
    source->start_taken += taken;
    result = read_fully(source, NULL, (char *)to + taken, size - taken, count);
    *count += taken;
    source->taken += *count;
    return result;
}

enum shw_result shw_byte_source_read_at(struct shw_byte_source *source, uint64_t offset, void *to, size_t size,
                                        size_t *count)
{
    const enum shw_result result = read_fully(source, &offset, to, size, count);

    source->taken += *count;
    return result;
}

void shw_byte_source_close(struct shw_byte_source *source)
{
    if (source->name != NULL && source->descriptor > STDIN_FILENO)
        close(source->descriptor);
    *source = (struct shw_byte_source){0};
}
