/* Labelled images for training and evaluation. Part of Shadewood; MIT licence, see LICENSE. */
#ifndef SHADEWOOD_DATASET_H
#define SHADEWOOD_DATASET_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/input.h>
#include <shadewood/log.h>
#include <shadewood/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many classes a data set or a forest may have. */
#define SHW_CLASSES_MAX 65535u

/* The label of pixels that belong to no class: not trained on and not counted. */
#define SHW_LABEL_VOID 0xffffu

/* A class of pixels. */
struct shw_class {
    const char *name;  /* UTF-8, 1 to 255 bytes without control characters */
    uint8_t colour[3]; /* R, G, B for display */
};

/* Where an example is in a picture, of which it is a rectangular part: for pictures with few labels, of which training
 * then needs little. Zero-initialised: it is a whole picture.
 *
 * Parts of one picture follow each other in the data set and have the same number, which differs from that of their
 * neighbours. They may overlap, but each pixel has a label in at most one of them. Training on parts makes the same
 * forest as training on the whole pictures if every labelled pixel is at least shw_trainer_params_get_reach() pixels
 * away from those sides of its part that are not sides of the picture, which is checked. */
struct shw_picture_part {
    uint32_t picture;                 /* its number: any */
    uint32_t x, y;                    /* the example's first pixel in the picture */
    uint32_t full_width, full_height; /* of the picture; 0: the example is whole */
};

/* An example. Everything it points to is owned by the data set and valid until release() is called for it. */
struct shw_labelled_image {
    const char *name;         /* for messages and output files: relative, unique, without extension */
    struct shw_image image;   /* the input SHW_COLOUR */
    struct shw_inputs inputs; /* the others that there are, each of its size: SHW_DEPTH, SHW_PREVIOUS, ... */
    const uint16_t *labels;   /* width * height, row by row: 0..class_count-1 or SHW_LABEL_VOID; NULL if unlabelled */
    void *handle;             /* for the data set's own use */
    struct shw_picture_part part; /* for training; labelling and evaluation take examples as whole */
};

/* A training database as callbacks (Sharp 2008, Section 4.2). Training and evaluation access images only through it.
 *
 * read: reads example `index` (0..count-1). Every read of an index gives the same pixels. Failures are reported as by
 *       any Shadewood function. May be called from several threads at a time unless `single_threaded` is set.
 * in_memory: reading takes no time worth mentioning; training on a device then makes no copies of its own, and reads
 *       images of the next tree while it waits for the device, which the callback must not use.
 * release: ends the use of an example; called once for each successful read.
 *
 * The structure is borrowed by the functions that take it and must not change during the call. */
struct shw_dataset {
    uint32_t count;
    uint32_t class_count;            /* 1..SHW_CLASSES_MAX, void not counted */
    const struct shw_class *classes; /* class_count entries; NULL: "class 0" and so on; class n has the colour (67 n,
                                        151 n, 29 n) modulo 256, not what the programs give classes without colours */
    bool single_threaded;
    void *user;
    enum shw_result (*read)(void *user, uint32_t index, struct shw_labelled_image *example);
    void (*release)(void *user, struct shw_labelled_image *example);
    uint32_t picture_count; /* of how many pictures the examples are parts; 0: each is a picture */
    bool in_memory;
};

/* An image with labels, both in the caller's memory, where they stay: neither may change as long as the data set is in
 * use. */
struct shw_array_example {
    const char *name;         /* as in struct shw_labelled_image; NULL: its number */
    struct shw_image image;   /* the input SHW_COLOUR */
    struct shw_inputs inputs; /* the others that there are */
    struct shw_image labels; /* of the image's size: SHW_PIXEL_GREY16, where SHW_LABEL_VOID is void, or SHW_PIXEL_GREY8,
                                where 255 is. Without pixels: unlabelled */
};

/* What a data set of images and labels in memory consists of. */
struct shw_array_dataset_params {
    const struct shw_array_example *examples; /* borrowed, with what they point to, as long as the data set exists */
    uint32_t count;
    uint32_t class_count;            /* 1..SHW_CLASSES_MAX; with labels of 8 bits at most 255 */
    const struct shw_class *classes; /* class_count entries, borrowed, too, or NULL, as in struct shw_dataset */
    struct shw_log log;
};

/* Makes a data set of images and labels in memory. Labels of 8 bits, and those whose rows are not contiguous, are
 * copied. Checks sizes and labels. Errors: ARGUMENT (the message names image and pixel), MEMORY. Any thread. */
SHW_API enum shw_result shw_array_dataset_create_abi(uint32_t abi, const struct shw_array_dataset_params *params,
                                                     struct shw_dataset **dataset);
static inline enum shw_result shw_array_dataset_create(const struct shw_array_dataset_params *params,
                                                       struct shw_dataset **dataset)
{
    return shw_array_dataset_create_abi(SHW_ABI, params, dataset);
}

/* Destroys *dataset, which shw_array_dataset_create() has made, and sets it to NULL; accepts NULL and a pointer to
 * NULL. It must no longer be in use. */
SHW_API void shw_array_dataset_destroy(struct shw_dataset **dataset);

#ifdef __cplusplus
}
#endif
#endif
