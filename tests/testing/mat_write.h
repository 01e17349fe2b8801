/* A file of the structure of NYU Depth v2's labelled set, for tests. */
#ifndef SHW_TESTING_MAT_WRITE_H
#define SHW_TESTING_MAT_WRITE_H

#include <stdbool.h>
#include <stdint.h>

/* Arrays as MATLAB has them: the columns of an image one after the other, then its samples, then the next image. */
struct testing_mat {
    uint32_t frames, width, height;
    const uint8_t *images; /* height, width, 3, frames: the first changes fastest */
    const float *depths, *raw_depths;
    const uint16_t *labels;   /* NULL: none */
    const char *const *names; /* of labels 1 and following, up to NULL; or NULL */
    bool in_chunks;           /* which are compressed, and have parts of several frames */
    uint32_t label_frames;    /* 0: as many as there are */
};

void testing_mat_write(const char *path, const struct testing_mat *mat);

#endif
