/* Attributes of objects: their shape, their colours and how certain their labels are, as records for a forest
 * (docs/objects.md#attributes).
 *
 * Sums are integers, and what follows from them is computed in double precision in one order, then rounded to float32:
 * the same everywhere. Any thread. */
#ifndef SHW_FILES_OBJECTS_OBJECT_ATTRIBUTES_H
#define SHW_FILES_OBJECTS_OBJECT_ATTRIBUTES_H

#include <shadewood/image.h>

#include "files/objects/objects.h"

enum shw_object_attribute {
    SHW_OBJECT_AREA,        /* pixels */
    SHW_OBJECT_OUTLINE,     /* length of its outline with holes, corners cut */
    SHW_OBJECT_CIRCULARITY, /* 4 pi area / outline^2 */
    SHW_OBJECT_WIDTH,       /* of its box */
    SHW_OBJECT_HEIGHT,
    SHW_OBJECT_EXTENT,   /* area / area of its box */
    SHW_OBJECT_SOLIDITY, /* area / area of its convex hull */
    SHW_OBJECT_MAJOR,    /* axes of the ellipse with the same second moments */
    SHW_OBJECT_MINOR,
    SHW_OBJECT_ECCENTRICITY, /* of that ellipse */
    SHW_OBJECT_AT_BORDER,    /* 1: it touches the picture's border */
    SHW_OBJECT_MEAN_RED,     /* samples from 0 to 1 */
    SHW_OBJECT_MEAN_GREEN,
    SHW_OBJECT_MEAN_BLUE,
    SHW_OBJECT_DEVIATION_RED,
    SHW_OBJECT_DEVIATION_GREEN,
    SHW_OBJECT_DEVIATION_BLUE,
    SHW_OBJECT_MEAN_PROBABILITY, /* of its class, 0 to 1; NaN: unknown */
    SHW_OBJECT_DEVIATION_PROBABILITY,
    SHW_OBJECT_CLASS, /* the number of its class */
    SHW_OBJECT_ATTRIBUTES
};

/* Names, as in project files and forests: "area_px", ... */
extern const char *const shw_object_attribute_names[SHW_OBJECT_ATTRIBUTES];

/* The attributes of all objects: SHW_OBJECT_ATTRIBUTES numbers for each, in their order. `image` has the size of the
 * picture that they were found in, and integer samples; others are unknown. `distribution` (or NULL) is that of the
 * picture. Errors: MEMORY. */
enum shw_result shw_object_attributes_measure(const struct shw_objects *objects, const struct shw_image *image,
                                              const uint16_t *distribution, const struct shw_log *log, float *values);

#endif
