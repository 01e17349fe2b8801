/* What a command is going to write, checked before it begins: that no output is an input or another output, that each
 * can be written, and that no file is replaced which Shadewood has not written; and looked at again when it is written,
 * so that no file is replaced which has appeared or was changed meanwhile. */
#ifndef SHW_FILES_IO_OUTPUT_FILES_H
#define SHW_FILES_IO_OUTPUT_FILES_H

#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>

#include "files/io/file_kind.h"

struct shw_output_input;
struct shw_output_file;

/* Zero-initialise it, set the first three members, and free it at the end. */
struct shw_output_files {
    bool overwrite;   /* files that Shadewood did not write may be replaced */
    const char *hint; /* how the user can allow that, for the message: "--overwrite" */
    struct shw_log log;

    struct shw_output_input *inputs;
    uint32_t input_count, input_capacity;
    struct shw_output_file *outputs;
    uint32_t output_count, output_capacity;
    bool incomplete; /* memory was exhausted */
};

/* Adds a file that is read; "-" is standard input. One that does not exist is left out. NULL is nothing. */
void shw_output_files_read(struct shw_output_files *files, const char *path);

/* Adds the images below a folder. */
void shw_output_files_read_folder(struct shw_output_files *files, const char *folder);

/* Adds a file that is going to be written; `path` is copied, `kind` must stay. NULL is nothing. */
void shw_output_files_write(struct shw_output_files *files, const char *path, const struct shw_file_kind *kind);

/* The same for a file that `overwrite` is not about, as a checkpoint: one that Shadewood did not write is never
 * replaced.
 */
void shw_output_files_write_apart(struct shw_output_files *files, const char *path, const struct shw_file_kind *kind);

/* The same for a file that is known to be ours, though its format may have no room for a mark: it may be replaced. */
void shw_output_files_replace(struct shw_output_files *files, const char *path, const struct shw_file_kind *kind);

/* Checks all of them, with one message:
 *
 * - ARGUMENT: an output has an empty name, or "-", by which users mean standard output, or is the same file as an input
 * or as another output. Links are followed.
 * - IO: an output is a folder, no regular file, or a dangling link; no file can be created in its folder; or it
 * exists and is not empty, and is not a file of its kind that Shadewood wrote (unless `overwrite`).
 * - MEMORY.
 *
 * May be called again after more were added. */
enum shw_result shw_output_files_check(struct shw_output_files *files);

/* Keeps other programs that do the same from a checked output whose making takes long, until the outputs are freed or
 * the process ends (files/io/file_lock.h). If another has it, IO with a message; where it cannot be locked, a warning.
 */
enum shw_result shw_output_files_lock(struct shw_output_files *files, const char *path);

/* Whether a checked output is still as it was at the check, or may be overwritten. Call it immediately before writing
 * the file. Errors: IO. Any thread. */
enum shw_result shw_output_files_look_again(const struct shw_output_files *files, const char *path);

/* Whether a path is one of the outputs that were checked. Any thread. */
bool shw_output_files_has(const struct shw_output_files *files, const char *path);

/* Writes a checked output that took long to make, so that it is not lost:
 *
 * - If its file has appeared or was changed since the check, and may not be overwritten, that is kept, and the bytes
 * are written beside it, to NAME-2.ENDING or the first free number; of names that would be too long, NAME is cut.
 * - If its place does not take it, as a full disk or a folder that is gone, it is written under its name, or the first
 *   free number, to the first of these folders that does: that of `refuge`, the path of another output (NULL: none),
 * the current one, $TMPDIR and /tmp.
 *
 * In both cases the result is IO, with one message that says why and where the bytes are. Errors: IO. */
enum shw_result shw_output_files_save(const struct shw_output_files *files, const char *path, const char *refuge,
                                      const void *bytes, size_t size);

/* For outputs that are written more than once: *place becomes the path to write, which is `path`, or a name beside it
 * as above, after a warning; it then belongs to the output instead of `path`, and is valid until the outputs are freed.
 * Errors: MEMORY. */
enum shw_result shw_output_files_settle(struct shw_output_files *files, const char *path, const char **place);

/* Notes that a checked output was written: what is there now may be replaced by the next writing, unless it is not of
 * its kind and so has come since. */
void shw_output_files_written(struct shw_output_files *files, const char *path);

/* For outputs whose names become known one after the other, as those of a video's frames: `files`, which is
 * zero-initialised, gets the inputs, the permissions and the log of another; and forgets its outputs, to be used for
 * the next ones. Free it like any other. False if memory is exhausted. */
bool shw_output_files_copy_inputs(const struct shw_output_files *from, struct shw_output_files *files);
void shw_output_files_forget(struct shw_output_files *files);

/* Accepts a zero-initialised one. */
void shw_output_files_free(struct shw_output_files *files);

/* Where results go whose own place does not take them. */

/* The name with that number in the same folder: NAME-2.ENDING; NAME.ENDING for 1. NAME is cut where names of that
 * length are not possible. The caller frees it. NULL if memory is exhausted. Any thread. */
char *shw_name_beside(const char *path, unsigned number);

/* The first of these names, from 1 on, that no file has now. As above. */
char *shw_name_unused(const char *path);

#endif
