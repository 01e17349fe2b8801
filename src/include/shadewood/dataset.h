/* Labelled images for training and evaluation. Part of Shadewood; MIT licence, see LICENSE. */
#ifndef SHADEWOOD_DATASET_H
#define SHADEWOOD_DATASET_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/input.h>
#include <shadewood/log.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SHW_CLASSES_MAX 65535u

/* The label of pixels that belong to no class: not trained on and not counted. */
#define SHW_LABEL_VOID 0xffffu

struct shw_class {
    const char *name;  /* UTF-8, 1 to 255 bytes without control characters */
    uint8_t colour[3]; /* R, G, B for display */
};

/* An example. Everything it points to is owned by the data set and valid until release() is called for it. */
struct shw_labelled_image {
    const char *name;         /* for messages and output files: relative, unique, without extension */
    struct shw_image image;   /* the input SHW_COLOUR */
    struct shw_inputs inputs; /* the others that there are, each of its size: SHW_DEPTH, SHW_PREVIOUS, ... */
    const uint16_t *labels;   /* width * height, row by row: 0..class_count-1 or SHW_LABEL_VOID; NULL if unlabelled */
    void *handle;             /* for the data set's own use */
};

/* A training database as callbacks (Sharp 2008, Section 4.2). Training and evaluation access images only through it.
 *
 * read: reads example `index` (0..count-1). Every read of an index gives the same pixels. Failures are reported as by
 *       any Shadewood function. May be called from several threads at a time unless `single_threaded` is set.
 * release: ends the use of an example; called once for each successful read.
 *
 * The structure is borrowed by the functions that take it and must not change during the call. */
struct shw_dataset {
    uint32_t count;
    uint32_t class_count;            /* 1..SHW_CLASSES_MAX, void not counted */
    const struct shw_class *classes; /* class_count entries; NULL means no names: "class 0", ... */
    bool single_threaded;
    void *user;
    enum shw_result (*read)(void *user, uint32_t index, struct shw_labelled_image *example);
    void (*release)(void *user, struct shw_labelled_image *example);
};

#ifdef __cplusplus
}
#endif
#endif
