#include "files/image/tiff_memory.h"

#include <string.h>

#define ALLOCATION_MAX (1 << 28)

static tmsize_t read_bytes(thandle_t handle, void *to, tmsize_t size)
{
    struct shw_tiff_memory *memory = handle;
    uint64_t count = (uint64_t)size;

    if (memory->stream != NULL)
        return (tmsize_t)fread(to, 1, (size_t)size, memory->stream);
    if (memory->position >= memory->size)
        return 0;
    if (count > memory->size - memory->position)
        count = memory->size - memory->position;
    memcpy(to, memory->bytes + memory->position, count);
    memory->position += count;
    return (tmsize_t)count;
}

static tmsize_t write_bytes(thandle_t handle, void *from, tmsize_t size)
{
    struct shw_tiff_memory *memory = handle;

    return memory->stream != NULL ? (tmsize_t)fwrite(from, 1, (size_t)size, memory->stream) : -1;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence)
{
    struct shw_tiff_memory *memory = handle;

    if (memory->stream != NULL)
        return fseeko(memory->stream, (off_t)offset, whence) == 0 ? (toff_t)ftello(memory->stream) : (toff_t)-1;
    if (whence == SEEK_CUR)
        offset += memory->position;
    else if (whence == SEEK_END)
        offset += memory->size;
    return memory->position = offset;
}

static int leave_open(thandle_t handle)
{
    (void)handle;
    return 0;
}

static toff_t size_of(thandle_t handle)
{
    struct shw_tiff_memory *memory = handle;
    off_t position, size;

    if (memory->stream == NULL)
        return memory->size;
    position = ftello(memory->stream);
    fseeko(memory->stream, 0, SEEK_END);
    size = ftello(memory->stream);
    fseeko(memory->stream, position, SEEK_SET);
    return (toff_t)size;
}

static int remember_reason(TIFF *tiff, void *user, const char *module, const char *format, va_list arguments)
{
    struct shw_tiff_memory *memory = user;

    (void)tiff, (void)module;
    if (memory->reason[0] == '\0')
        vsnprintf(memory->reason, sizeof memory->reason, format, arguments);
    return 1;
}

static int drop_warning(TIFF *tiff, void *user, const char *module, const char *format, va_list arguments)
{
    (void)tiff, (void)user, (void)module, (void)format, (void)arguments;
    return 1;
}

TIFF *shw_tiff_open(struct shw_tiff_memory *memory, const char *name, const char *mode)
{
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    TIFF *tiff;

    if (options == NULL)
        return NULL;
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, ALLOCATION_MAX);
    TIFFOpenOptionsSetErrorHandlerExtR(options, remember_reason, memory);
    TIFFOpenOptionsSetWarningHandlerExtR(options, drop_warning, NULL);
    tiff =
        TIFFClientOpenExt(name, mode, memory, read_bytes, write_bytes, seek, leave_open, size_of, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    return tiff;
}

bool shw_tiff_memory_read(struct shw_tiff_memory *memory, uint64_t offset, void *to, size_t size)
{
    if (offset > memory->size || size > memory->size - offset)
        return false;
    if (memory->stream != NULL)
        return fseeko(memory->stream, (off_t)offset, SEEK_SET) == 0 && fread(to, 1, size, memory->stream) == size;
    memcpy(to, memory->bytes + offset, size);
    return true;
}
