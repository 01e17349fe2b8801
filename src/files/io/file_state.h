/* What the system says of a file, by which a later change is known without reading it. */
#ifndef SHW_FILES_IO_FILE_STATE_H
#define SHW_FILES_IO_FILE_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct shw_file_state {
    int64_t said[5]; /* size; the times of the last change of contents and of anything, in seconds and nanoseconds */
    uint64_t number; /* of the file in its file system */
    bool settled;    /* the last change is long enough ago that a further one would have another time */
};

/* False if there is no such file; the state is then all zeros. Follows links. Any thread. */
bool shw_file_state_get(const char *path, struct shw_file_state *state);

#endif
