/* Kinds of sources, and what a user enters as a source. */
#ifndef VIEW_SOURCE_SPEC_H
#define VIEW_SOURCE_SPEC_H

#include <stdint.h>

#include <shadewood/log.h>

#include "files/dataset/dataset.h"
#include "source/reader.h"

enum view_source_kind {
    VIEW_SOURCE_IMAGE,   /* one image file */
    VIEW_SOURCE_FOLDER,  /* the image files of a folder, in natural order of their names; not those of its sub-folders
                          */
    VIEW_SOURCE_DATASET, /* images with ground truth, in natural order of their names, or in that of sequences.txt */
    VIEW_SOURCE_VIDEO,
    VIEW_SOURCE_CAMERA
};

/* Interprets what a user enters as a source. */
struct view_spec {
    enum view_source_kind kind;
    char *name;                   /* for display */
    struct shw_image_paths paths; /* of an image or a folder */
    char *shown;                  /* of them: the one to begin with; NULL: the first */
    bool pages;                   /* with all pages of these files */
    char *url;                    /* of a video or a camera, for libavformat */
    bool device;                  /* a video device; otherwise a file is shown as a camera */
    bool depth;                   /* the 16-bit grey pictures; not of a data set */
    struct view_camera_choice choice;
    char *root, *images, *labels, *sequences;
    struct shw_dataset_params dataset; /* points to the four above */
};

/* Reads the file system. Errors, logged: ARGUMENT, IO, FORMAT (also for data sets), MEMORY. */
enum shw_result view_spec_find(const char *text, const struct shw_log *log, struct view_spec *spec);

/* Accepts zero-initialised ones. */
void view_spec_free(struct view_spec *spec);

#endif
