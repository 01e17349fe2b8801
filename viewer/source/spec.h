/* Interprets what a user enters as a source. */
#ifndef VIEW_SOURCE_SPEC_H
#define VIEW_SOURCE_SPEC_H

#include "files/dataset/dataset.h"
#include "source/kind.h"
#include "source/reader.h"

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
