/* Marks in JSON documents and in texts that Shadewood writes and that people are likely to edit: the kind of the file
 * and a digest of the rest, so that a file somebody has changed is no longer ours. */
#ifndef SHW_FILES_IO_MARK_H
#define SHW_FILES_IO_MARK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include <shadewood/log.h>

#include "base/atomic_file.h"

#define SHW_MARK_TEXT_SIZE 96

/* Sets the member "shadewood" of a document without real numbers. False if memory is exhausted. */
bool shw_mark_json(json_t *document, const char *kind);
bool shw_json_is_marked(json_t *document, const char *kind);

/* The first line of a text file in which lines with # are comments, for the rest of the file. */
void shw_make_text_mark(const char *kind, const void *rest, size_t size, char line[SHW_MARK_TEXT_SIZE]);
bool shw_text_is_marked(const void *text, size_t size, const char *kind);

/* Writes such a file atomically. Errors: IO, MEMORY. */
enum shw_result shw_marked_text_write(const char *path, const char *kind, const void *rest, size_t size,
                                      const struct shw_log *log);

/* Writes the digits of a digest of the rest into the first line of a file of any size, at the byte `at`. If that fails,
 * or if `result` is not SHW_OK, abandons it. Errors: IO, and `result`. */
enum shw_result shw_mark_set_digits(struct shw_atomic_file *file, const char *path, long at, enum shw_result result,
                                    const struct shw_log *log);

/* The same, and commits the file. Errors: IO, and `result`. */
enum shw_result shw_mark_first_line(struct shw_atomic_file *file, const char *path, long at, enum shw_result result,
                                    const struct shw_log *log);

/* Whether the first line of a file consists of these texts with the digits between them, and they are right. */
bool shw_first_line_is_marked(const char *path, const char *before, const char *after);

/* The mark in PNG files that Shadewood writes: a text chunk before the end, "Shadewood" = "KIND DIGEST". The digest is
 * of all chunks before it, so that a file which another program has changed is no longer ours, even if that program
 * keeps texts. */

#define SHW_PNG_MARK_KEY  "Shadewood"
#define SHW_PNG_MARK_SIZE 64
#define SHW_PNG_KIND_SIZE 33 /* of kinds, with the zero at the end */

/* Kinds of several folders. */
#define SHW_MARK_LABELS        "labels"
#define SHW_MARK_PROBABILITIES "probabilities"
#define SHW_MARK_FRAME         "project frame" /* pixels of a picture as a project has them */
#define SHW_MARK_INSTANCES     "instances"

/* The contents of the mark's chunk for a file whose chunks are in the stream so far, without the last, IEND. The
 * position is then at its end. Returns their length; 0 if the stream cannot be read. `kind` has at most 32 bytes. */
size_t shw_png_make_mark(FILE *stream, const char *kind, char mark[SHW_PNG_MARK_SIZE]);

/* Whether a file is a PNG file with the mark of that kind, unchanged; or with any, whose kind becomes `kind`, or "".
 * Any thread. */
bool shw_png_is_marked(const char *path, const char *kind);
bool shw_png_read_mark(const char *path, char kind[SHW_PNG_KIND_SIZE]);

/* A text that a PNG file has before its pixels (files/image/image_write.h), to be freed with free(). NULL if there is
 * none, it has 64 KiB or more, the file is damaged, or memory is exhausted. Any thread. */
char *shw_png_read_text(const char *path, const char *key);

#endif
