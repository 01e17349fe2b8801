#include "files/tables/results_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/io/npy_header.h"

enum shw_result shw_results_file_open(struct shw_results_file *file, const struct shw_log *log)
{
    if (strcmp(file->path, "-") == 0) {
        file->stream = stdout;
        return SHW_OK;
    }
    SHW_PROPAGATE(shw_atomic_file_open(&file->file, file->path, log));
    file->stream = file->file.stream;
    return SHW_OK;
}

void shw_results_file_begin_array(struct shw_results_file *file)
{
    static const char room[SHW_NPY_WRITTEN_SIZE];

    fwrite(room, 1, sizeof room, file->stream); /* commit reports errors */
}

void shw_results_file_end_array(struct shw_results_file *file, const char *type, uint32_t dimensions,
                                const uint64_t *shape)
{
    char header[SHW_NPY_WRITTEN_SIZE];

    shw_npy_header_write(header, type, dimensions, shape);
    if (fseek(file->stream, 0, SEEK_SET) == 0)
        fwrite(header, 1, sizeof header, file->stream);
}

enum shw_result shw_results_file_check(const struct shw_results_file *file, const struct shw_log *log)
{
    int error;

    if (file->stream == stdout)
        return ferror(stdout) == 0 ? SHW_OK : SHW_ERROR_IO;
    if (!shw_atomic_file_failed(&file->file, &error))
        return SHW_OK;
    return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "cannot write %s: %s", file->path, strerror(error));
}

enum shw_result shw_results_file_commit(struct shw_results_file *file, const struct shw_output_files *files,
                                        const struct shw_log *log)
{
    if (file->stream == stdout)
        return SHW_OK;
    SHW_PROPAGATE(shw_output_files_look_again(files, file->path));
    return shw_atomic_file_commit(&file->file, log);
}

void shw_results_file_abandon(struct shw_results_file *file)
{
    shw_atomic_file_abandon(&file->file);
    free(file->path);
    *file = (struct shw_results_file){0};
}
