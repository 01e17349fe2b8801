/* Streams into memory, lines, and texts. */
#include "base/windows/wide.h"

#include <stdarg.h>

#undef fclose

#define STREAMS_MAX 32u

/* A stream into memory is a temporary file that is read when it is closed. */
struct memory_stream {
    FILE *stream;
    char **text;
    size_t *size;
};

static struct memory_stream streams[STREAMS_MAX];
static SRWLOCK lock = SRWLOCK_INIT;

/* Windows removes it when it is closed. */
static FILE *open_temporary(void)
{
    wchar_t folder[MAX_PATH + 1], path[MAX_PATH + 1];
    HANDLE handle;
    int descriptor;
    FILE *stream;

    if (GetTempPathW(MAX_PATH + 1, folder) == 0 || GetTempFileNameW(folder, L"shw", 0, path) == 0) {
        shw_windows_fail();
        return NULL;
    }
    handle = CreateFileW(path, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_DELETE, NULL, CREATE_ALWAYS,
                         FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    descriptor = handle != INVALID_HANDLE_VALUE ? _open_osfhandle((intptr_t)handle, _O_BINARY) : -1;
    stream = descriptor >= 0 ? _fdopen(descriptor, "w+b") : NULL;
    if (stream == NULL && descriptor >= 0)
        _close(descriptor);
    return stream;
}

FILE *shw_windows_open_memstream(char **text, size_t *size)
{
    FILE *stream = open_temporary();
    bool is_kept = false;

    if (stream == NULL)
        return NULL;
    *text = NULL;
    *size = 0;
    AcquireSRWLockExclusive(&lock);
    for (unsigned i = 0; i < STREAMS_MAX && !is_kept; i++)
        if (streams[i].stream == NULL) {
            streams[i] = (struct memory_stream){stream, text, size};
            is_kept = true;
        }
    ReleaseSRWLockExclusive(&lock);
    if (is_kept)
        return stream;
    fclose(stream);
    errno = EMFILE;
    return NULL;
}

/* The stream of that place becomes the text. False: out of memory, or the disk was full. */
static bool take_text(const struct memory_stream *memory)
{
    const bool is_whole = fflush(memory->stream) == 0 && ferror(memory->stream) == 0;
    const int64_t size = is_whole ? _ftelli64(memory->stream) : -1;
    char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;

    if (text == NULL)
        return false;
    rewind(memory->stream);
    if (fread(text, 1, (size_t)size, memory->stream) != (size_t)size) {
        free(text);
        return false;
    }
    text[size] = '\0';
    *memory->text = text;
    *memory->size = (size_t)size;
    return true;
}

int shw_windows_fclose(FILE *stream)
{
    struct memory_stream memory = {NULL, NULL, NULL};
    bool is_taken;

    AcquireSRWLockExclusive(&lock);
    for (unsigned i = 0; i < STREAMS_MAX; i++)
        if (streams[i].stream == stream) {
            memory = streams[i];
            streams[i].stream = NULL;
        }
    ReleaseSRWLockExclusive(&lock);
    if (memory.stream == NULL)
        return fclose(stream);
    is_taken = take_text(&memory);
    fclose(stream);
    if (is_taken)
        return 0;
    errno = ENOMEM;
    return EOF;
}

ssize_t shw_windows_getdelim(char **line, size_t *capacity, int delimiter, FILE *stream)
{
    size_t length = 0;
    int byte = EOF;

    if (*line == NULL)
        *capacity = 0;
    _lock_file(stream);
    while (byte != delimiter && (byte = _getc_nolock(stream)) != EOF) {
        if (length + 2 > *capacity) {
            const size_t larger = *capacity > 0 ? 2 * *capacity : 128;
            char *grown = realloc(*line, larger);

            if (grown == NULL)
                break;
            *line = grown;
            *capacity = larger;
        }
        (*line)[length++] = (char)byte;
    }
    _unlock_file(stream);
    if (length == 0)
        return -1;
    (*line)[length] = '\0';
    return (ssize_t)length;
}

ssize_t shw_windows_getline(char **line, size_t *capacity, FILE *stream)
{
    return shw_windows_getdelim(line, capacity, '\n', stream);
}

int shw_windows_dprintf(int descriptor, const char *format, ...)
{
    char text[2 * PATH_MAX];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof text) {
        errno = EOVERFLOW;
        return -1;
    }
    return length > 0 ? _write(descriptor, text, (unsigned)length) : length;
}

char *shw_windows_strndup(const char *text, size_t most)
{
    const size_t length = strnlen(text, most);
    char *copy = malloc(length + 1);

    if (copy == NULL)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void *shw_windows_memmem(const void *bytes, size_t size, const void *wanted, size_t wanted_size)
{
    const char *from = bytes, *first;

    if (wanted_size == 0)
        return (void *)(uintptr_t)bytes;
    while (size >= wanted_size) {
        first = memchr(from, *(const unsigned char *)wanted, size - wanted_size + 1);
        if (first == NULL)
            return NULL;
        if (memcmp(first, wanted, wanted_size) == 0)
            return (void *)(uintptr_t)first;
        size -= (size_t)(first + 1 - from);
        from = first + 1;
    }
    return NULL;
}

void *shw_windows_memrchr(const void *bytes, int byte, size_t size)
{
    const unsigned char *from = bytes;

    while (size > 0)
        if (from[--size] == (unsigned char)byte)
            return (void *)(uintptr_t)(from + size);
    return NULL;
}

char *shw_windows_strsep(char **rest, const char *separators)
{
    char *word = *rest, *end = word != NULL ? strpbrk(word, separators) : NULL;

    if (end != NULL)
        *end++ = '\0';
    *rest = end;
    return word;
}
