#include "base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

/* Names for a signal handler to remove. When the table is full, further files would be left behind. */
#define OPEN_MAX_TRACKED 64
static _Atomic(char *) open_files[OPEN_MAX_TRACKED];

static void track(char *name)
{
    for (int i = 0; i < OPEN_MAX_TRACKED; i++) {
        char *expected = NULL;
        if (atomic_compare_exchange_strong(&open_files[i], &expected, name))
            return;
    }
}

static void untrack(char *name)
{
    for (int i = 0; i < OPEN_MAX_TRACKED; i++) {
        char *expected = name;
        if (atomic_compare_exchange_strong(&open_files[i], &expected, NULL))
            return;
    }
}

void shw_atomic_file_remove_all(void)
{
    for (int i = 0; i < OPEN_MAX_TRACKED; i++) {
        char *name = atomic_load(&open_files[i]);
        if (name != NULL)
            unlink(name);
    }
}

/* The umask is global to the process and can only be read by changing it. */
static mode_t read_mask(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    mode_t mask;

    pthread_mutex_lock(&mutex);
    mask = umask(0);
    umask(mask);
    pthread_mutex_unlock(&mutex);
    return mask;
}

static void forget(struct shw_atomic_file *file)
{
    if (file->temporary != NULL)
        untrack(file->temporary);
    free(file->temporary);
    free(file->path);
    *file = (struct shw_atomic_file){0};
}

enum shw_result shw_atomic_file_open(struct shw_atomic_file *file, const char *path, const struct shw_log *log)
{
    static const char suffix[] = ".XXXXXX";
    size_t length = strlen(path);
    int descriptor;

    *file = (struct shw_atomic_file){.path = malloc(length + 1), .temporary = malloc(length + sizeof suffix)};
    if (file->path == NULL || file->temporary == NULL) {
        forget(file);
        return shw_fail_memory(log, "a file name");
    }
    memcpy(file->path, path, length + 1);
    memcpy(file->temporary, path, length);
    memcpy(file->temporary + length, suffix, sizeof suffix);

    descriptor = mkstemp(file->temporary);
    if (descriptor < 0) {
        int error = errno;
        forget(file);
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot write %s: %s", path, strerror(error));
    }
    track(file->temporary);
    fchmod(descriptor, 0666 & ~read_mask());
    file->stream = fdopen(descriptor, "w+b");
    if (file->stream == NULL) {
        close(descriptor);
        unlink(file->temporary);
        forget(file);
        return shw_fail_memory(log, "a file buffer");
    }
    return SHW_OK;
}

enum shw_result shw_atomic_file_commit(struct shw_atomic_file *file, const struct shw_log *log)
{
    enum shw_result result = SHW_OK;
    bool failed = ferror(file->stream) != 0;
    int error = EIO;

    if (fflush(file->stream) != 0 || fsync(fileno(file->stream)) != 0) {
        error = errno;
        failed = true;
    }
    if (fclose(file->stream) != 0 && !failed) {
        error = errno;
        failed = true;
    }
    if (!failed && rename(file->temporary, file->path) != 0) {
        error = errno;
        failed = true;
    }
    if (failed) {
        unlink(file->temporary);
        result = shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "cannot write %s: %s", file->path, strerror(error));
    }
    forget(file);
    return result;
}

void shw_atomic_file_abandon(struct shw_atomic_file *file)
{
    if (file->stream != NULL) {
        fclose(file->stream);
        unlink(file->temporary);
    }
    forget(file);
}

enum shw_result shw_atomic_file_write(const char *path, const void *bytes, size_t size, const struct shw_log *log)
{
    struct shw_atomic_file file;

    SHW_PROPAGATE(shw_atomic_file_open(&file, path, log));
    fwrite(bytes, 1, size, file.stream); /* commit reports its errors */
    return shw_atomic_file_commit(&file, log);
}
