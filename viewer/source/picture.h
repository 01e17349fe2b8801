/* Decoded pictures in host memory: what sources make, and what is shown, labelled and painted on. */
#ifndef VIEW_SOURCE_PICTURE_H
#define VIEW_SOURCE_PICTURE_H

#include <stdint.h>

#include <shadewood/dataset.h>
#include <shadewood/image.h>

#include "source/display_range.h"

struct view_picture {
    struct shw_image image;          /* pixels owned by the picture; rows without padding unless stride says so */
    uint16_t *labels;                /* ground truth, width * height, SHW_LABEL_VOID where unknown; or NULL */
    uint16_t *depth_mm;              /* millimetres, width * height, 0 where missing; or NULL */
    struct view_display_range range; /* the 16-bit samples worth showing, as found by the source */
    char *name;                      /* of the file or frame, for window title and project */
    double seconds;                  /* position in a video, otherwise 0 */
    uint64_t number;                 /* increases with every new picture of a source */
};

/* Releases what the picture owns, by free(), and the picture itself, which must come from malloc(). Accepts NULL. */
void view_picture_free(struct view_picture *picture);

#endif
