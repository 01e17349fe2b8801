/* Objects: the connected components of classes in a label image, after smoothing and filling of holes.
 *
 * Pure functions on planes of width * height values, row by row, in integer arithmetic; any thread. Sizes are from 1 x
 * 1 to SHW_IMAGE_PIXELS_MAX pixels (files/image/image_file.h). Pixel (x, y) covers the square from (x, y) to (x + 1, y
 * + 1), y down; areas are numbers of pixels. */
#ifndef SHW_FILES_OBJECTS_OBJECTS_H
#define SHW_FILES_OBJECTS_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/dataset.h>
#include <shadewood/log.h>

#define SHW_OBJECT_SMOOTH_MAX 64u        /* radius */
#define SHW_OBJECT_HOLES_ALL  UINT32_MAX /* holes of any area */

/* Zero-initialised: every component of every class. They apply in this order:
 *
 * 1. smoothing: every pixel gets the most frequent class of the square of 2 * smooth + 1 pixels around it, as much of
 * it as is in the picture; among equals its own class, otherwise the first;
 * 2. the components of each class;
 * 3. holes: what a component encloses belongs to it if it has at most `hole_max` pixels, whatever its classes. A pixel
 *    in holes of several components belongs to that of the largest hole, among equals to that which begins first;
 * 4. components with fewer than `area_min` pixels, or with more than `area_max`, are not objects. */
struct shw_object_settings {
    uint32_t smooth;
    bool four; /* pixels are connected by their 4 edges only and holes by corners, too; otherwise the other way round */
    uint32_t hole_max;   /* 0: none */
    uint32_t area_min;   /* 0 and 1: all */
    uint32_t area_max;   /* 0: all */
    const bool *classes; /* [class_count]: those that have objects; NULL: all */
};

struct shw_object_picture {
    const uint16_t *labels;       /* each below class_count, or SHW_LABEL_VOID: part of no object */
    const uint16_t *distribution; /* a plane per class, 65535 for certainty; NULL: unknown */
    uint32_t width, height, class_count;
};

struct shw_object {
    uint16_t label;
    uint16_t kind;  /* its object class (object_forest.h), from 1; 0: none is known */
    bool at_border; /* of the picture */
    uint32_t area;
    uint32_t perimeter;           /* edges of pixels between it and what it is not: its outline's length with holes */
    uint32_t x, y, width, height; /* its box */
    uint64_t sum_x, sum_y;        /* of the pixels' coordinates */
    uint64_t probability;         /* sum of its class's */
    uint32_t kind_probability;    /* of its object class, in 1/100000 */
};

/* Objects are numbered from 1 by their first pixels, row by row. */
struct shw_objects {
    uint32_t width, height, count;
    bool four;
    bool has_probability;
    double pixel_size;       /* the side of a pixel in micrometres; 0: not known */
    struct shw_object *list; /* object n is list[n - 1] */
    uint32_t *numbers;       /* the object at each pixel; 0: none */
    uint16_t *labels;        /* its class; SHW_LABEL_VOID: none */
};

/* Free the result in either case. Errors: ARGUMENT (a size, a radius, a label that is no class), MEMORY. */
enum shw_result shw_objects_find(const struct shw_object_picture *picture, const struct shw_object_settings *settings,
                                 const struct shw_log *log, struct shw_objects *objects);

/* Drops the objects that are not kept, kept[number - 1], and numbers the others anew. Errors: MEMORY. */
enum shw_result shw_objects_keep(struct shw_objects *objects, const bool *kept, const struct shw_log *log);

/* Accepts zero-initialised and freed ones. */
void shw_objects_free(struct shw_objects *objects);

/* The centre of its pixels, in thousandths, rounded half up; a single pixel's is at its middle. */
struct shw_object_centre {
    uint64_t x, y;
};
struct shw_object_centre shw_object_get_centre(const struct shw_object *object);

/* The mean probability of its class, in 1/100000, rounded half up. */
uint32_t shw_object_get_probability(const struct shw_object *object);

/* Connected components of label images. */

/* Numbers the components of equal labels from 1, by their first pixels, row by row; pixels without a label,
 * SHW_LABEL_VOID, get 0. Pixels are connected by their edges and, unless `four`, by their corners. Returns the number
 * of components. In one pass over runs of pixels and one over pixels, without other memory; width * height is below
 * 2^32. Any thread. */
uint32_t shw_find_components(const uint16_t *labels, uint32_t width, uint32_t height, bool four, uint32_t *numbers);

#endif
