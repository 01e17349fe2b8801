#include "base/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/process.h"

static enum shw_result refuse(const char *path, const struct shw_log *log)
{
    return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_READ, "cannot read %s: it is not a regular file", path);
}

/* Reading a pipe waits for its writer, which is there. */
static bool may_be_read(int descriptor, mode_t mode, enum shw_input_kind kind)
{
    return S_ISREG(mode) || (kind == SHW_INPUT_MAY_BE_PIPE && S_ISFIFO(mode) && shw_process_waits_for(descriptor));
}

enum shw_result shw_input_open(const char *path, enum shw_input_kind kind, const struct shw_log *log, int *descriptor,
                               struct stat *status)
{
    enum shw_result result = SHW_OK;

    *descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (*descriptor < 0)
        return errno == ENXIO
                   ? refuse(path, log) /* a socket */
                   : shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot open %s: %s", path, strerror(errno));
    if (fstat(*descriptor, status) != 0)
        result = shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_READ, "cannot read %s: %s", path, strerror(errno));
    else if (!may_be_read(*descriptor, status->st_mode, kind))
        result = refuse(path, log);
    if (result != SHW_OK)
        close(*descriptor);
    return result;
}

enum shw_result shw_file_open(const char *path, const struct shw_log *log, FILE **stream, uint64_t *size)
{
    struct stat status;
    int descriptor;

    SHW_PROPAGATE(shw_input_open(path, SHW_INPUT_IS_FILE, log, &descriptor, &status));
    *stream = fdopen(descriptor, "rb");
    if (*stream == NULL) {
        close(descriptor);
        return shw_fail_memory(log, path);
    }
    *size = (uint64_t)status.st_size;
    return SHW_OK;
}
