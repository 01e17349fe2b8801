/* The mark in PNG files that Shadewood writes: a text chunk before the end, "Shadewood" = "KIND DIGEST". The digest is
 * of all chunks before it, so that a file which another program has changed is no longer ours, even if that program
 * keeps texts. */
#ifndef SHW_FILES_IO_PNG_MARK_H
#define SHW_FILES_IO_PNG_MARK_H

#include <stdbool.h>
#include <stdio.h>

#define SHW_PNG_MARK_KEY  "Shadewood"
#define SHW_PNG_MARK_SIZE 64

/* Kinds of several folders. */
#define SHW_MARK_LABELS        "labels"
#define SHW_MARK_PROBABILITIES "probabilities"
#define SHW_MARK_FRAME         "project frame" /* pixels of a picture as a project has them */
#define SHW_MARK_INSTANCES     "instances"

/* The contents of the mark's chunk for a file whose chunks are in the stream so far, without the last, IEND. The
 * position is then at its end. Returns their length; 0 if the stream cannot be read. `kind` has at most 32 bytes. */
size_t shw_png_make_mark(FILE *stream, const char *kind, char mark[SHW_PNG_MARK_SIZE]);

/* Whether a file is a PNG file with the mark of that kind, unchanged. Any thread. */
bool shw_png_is_marked(const char *path, const char *kind);

/* A text that a PNG file has before its pixels (files/image/image_write.h), to be freed with free(). NULL if there is
 * none, it has 64 KiB or more, the file is damaged, or memory is exhausted. Any thread. */
char *shw_png_read_text(const char *path, const char *key);

#endif
