/* What the words of a user mean as a source. */
#ifndef VIEW_SOURCE_SPEC_H
#define VIEW_SOURCE_SPEC_H

#include "dataset/dataset.h"
#include "source/kind.h"
#include "source/reader.h"

struct view_spec {
    enum view_source_kind kind;
    char *name;                   /* as people know it */
    struct shw_image_paths paths; /* of an image or a folder */
    char *url;                    /* of a video or a camera, as libavformat wants it */
    bool device;                  /* a video device; else a camera is shown from a file */
    char *root, *images, *labels, *sequences;
    struct shw_dataset_params dataset; /* points to these four */
};

/* Looks at the file system. Errors, logged: ARGUMENT, IO, DATASET as FORMAT, MEMORY. */
enum shw_result view_spec_find(const char *text, const struct shw_log *log, struct view_spec *spec);

/* Accepts zero-initialised ones. */
void view_spec_free(struct view_spec *spec);

#endif
