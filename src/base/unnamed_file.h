/* What systems do differently for files that have no name while they are written (atomic_file.h). */
#ifndef SHW_BASE_UNNAMED_FILE_H
#define SHW_BASE_UNNAMED_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#define SHW_UNNAMED_BUFFER (1u << 16)

struct shw_unnamed_file {
    int descriptor;
    int error;                       /* errno of the first failed write, or 0 */
    const char *name;                /* of the path, without its folder */
    char link[32];                   /* of the descriptor, below /proc */
    char temporary[PATH_MAX + 64];   /* "" while it has no name */
    char buffer[SHW_UNNAMED_BUFFER]; /* of the stream: without one, glibc ignores the size that is asked for */
};

/* Creates the file without a name, and locks it. False if the file system, or the lack of /proc, asks for a temporary
 * name. */
bool shw_unnamed_file_create(struct shw_unnamed_file *unnamed, const char *path);

/* Gives it a name that is free. 0, or -1 with errno. */
int shw_unnamed_file_link(const struct shw_unnamed_file *unnamed, const char *path);

/* A stream for its descriptor, which stays open when the stream is closed. NULL: out of memory. */
FILE *shw_unnamed_file_stream(struct shw_unnamed_file *unnamed);

/* rename() that replaces nothing. 0, or -1 with errno. */
int shw_rename_new(const char *from, const char *to);

#endif
