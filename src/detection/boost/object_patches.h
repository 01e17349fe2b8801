/* Patches of objects and of varied copies of them, with the values that a scan reads. */
#ifndef SHW_DETECTION_BOOST_OBJECT_PATCHES_H
#define SHW_DETECTION_BOOST_OBJECT_PATCHES_H

#include <shadewood/detect_train.h>

/* A part of an image around an object: 12-bit values as the pyramid is made from, halved as often as for the level on
 * which the object has the window's size. */
struct shw_object_source {
    uint16_t *values;
    uint32_t width, height;
    /* Of the object, in 1/65536 of the values: its centre, and the size of a pixel of the window before shrinking. */
    int64_t x, y, step;
};

/* How the objects of a training become patches. */
struct shw_object_patches {
    uint32_t width, height; /* of the window */
    uint32_t border;        /* pixels of it around the objects */
    uint32_t margin;        /* percent */
    struct shw_cascade_planes planes;
    struct shw_cascade_variation variation;
    uint64_t seed;
};

/* Cuts the sources of `count` objects from grey pixels without padding. Objects that are smaller than four fifths of
 * the window, or lie wholly outside of the image, have no values. Errors: MEMORY; free the sources in either case. */
enum shw_result shw_object_sources_cut(const struct shw_object_patches *patches, const uint8_t *grey, uint32_t width,
                                       uint32_t height, const struct shw_cascade_object *objects, uint32_t count,
                                       const struct shw_log *log, struct shw_object_source *sources);

/* Accepts a zero-initialised one. */
void shw_object_source_free(struct shw_object_source *source);

/* Copy `copy` of object number `object`; 0 is the object as it is. False if memory is exhausted. */
bool shw_object_patch_make(const struct shw_object_patches *patches, const struct shw_object_source *source,
                           uint32_t object, uint32_t copy, uint16_t *patch);

#endif
