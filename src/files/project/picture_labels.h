/* The labels of a picture at one moment: a snapshot that shares what is painted with the project, so that making one
 * costs next to nothing, and painting can continue. */
#ifndef SHW_FILES_PROJECT_PICTURE_LABELS_H
#define SHW_FILES_PROJECT_PICTURE_LABELS_H

#include <stdatomic.h>

#include "files/project/top_strokes.h"

/* Made by shw_project_share_labels(), and immutable; any number of threads may use it. */
struct shw_picture_labels {
    atomic_uint shares;
    uint32_t width, height;
    uint64_t count;                /* labelled pixels */
    struct shw_top_strokes owners; /* the visible stroke at each pixel */
    uint32_t stroke_count;
    uint16_t *values;  /* [stroke, counted from 1]: the number of its class; SHW_LABEL_VOID for 0 and for strokes of
                          deleted classes */
    uint64_t *visible; /* [stroke, counted from 0]: pixels of it that no other stroke covers */
};

/* Another share of it. Any thread. */
struct shw_picture_labels *shw_picture_labels_share(struct shw_picture_labels *labels);

/* Releases a share and sets *labels to NULL; accepts NULL in it. Any thread. */
void shw_picture_labels_release(struct shw_picture_labels **labels);

/* The class number of a pixel of the picture, or SHW_LABEL_VOID. */
static inline uint16_t shw_picture_labels_get(const struct shw_picture_labels *labels, uint32_t x, uint32_t y)
{
    return labels->values[shw_top_strokes_get(&labels->owners, x, y)];
}

/* Writes the labels of the pixels (x + step * i, y + step * j), i < width, j < height, row by row; SHW_LABEL_VOID
 * outside the picture. `step` is at least 1. */
void shw_picture_labels_copy(const struct shw_picture_labels *labels, int64_t x, int64_t y, uint32_t width,
                             uint32_t height, uint32_t step, uint16_t *out);

#endif
