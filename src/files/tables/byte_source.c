#include "files/tables/byte_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
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

#define CAPACITY_FIRST ((size_t)1 << 16)
#define CAPACITY_USUAL ((size_t)1 << 23)
#define BYTES_AFTER    2u /* a newline and a zero byte */

static enum shw_result resize(struct shw_text_buffer *buffer, size_t capacity)
{
    char *text = realloc(buffer->text, capacity + BYTES_AFTER);

    if (text == NULL)
        return shw_fail_memory(&buffer->source->log, buffer->source->name);
    buffer->text = text;
    buffer->capacity = capacity;
    return SHW_OK;
}

enum shw_result shw_text_buffer_fill(struct shw_text_buffer *buffer)
{
    const size_t left = buffer->end - buffer->begin;
    size_t count;

    if (buffer->at_end)
        return SHW_OK;
    if (left > 0)
        memmove(buffer->text, buffer->text + buffer->begin, left);
    buffer->begin = 0;
    buffer->end = left;
    if (buffer->capacity == 0)
        SHW_PROPAGATE(resize(buffer, CAPACITY_FIRST));
    else if (left == buffer->capacity || buffer->capacity < CAPACITY_USUAL)
        SHW_PROPAGATE(resize(buffer, 2 * buffer->capacity));
    SHW_PROPAGATE(shw_byte_source_read(buffer->source, buffer->text + left, buffer->capacity - left, &count));
    buffer->end += count;
    buffer->at_end = buffer->end < buffer->capacity;
    if (buffer->at_end && buffer->end > 0 && buffer->text[buffer->end - 1] != '\n')
        buffer->text[buffer->end++] = '\n';
    buffer->text[buffer->end] = '\0';
    return SHW_OK;
}

void shw_text_buffer_free(struct shw_text_buffer *buffer)
{
    free(buffer->text);
    *buffer = (struct shw_text_buffer){0};
}
