/* Annotations while they are read. */
#ifndef SHW_FILES_DATASET_ANNOTATIONS_BUILD_H
#define SHW_FILES_DATASET_ANNOTATIONS_BUILD_H

#include <jansson.h>

#include "files/dataset/annotations.h"

struct shw_annotation_builder {
    const char *name, *folder, *label; /* the file's name; of the call */
    const struct shw_log *log;
    struct shw_annotations annotations;
    uint32_t *object_images; /* the image of each object */
    uint32_t image_capacity, object_capacity, object_image_capacity, label_capacity;
    json_t *image_numbers, *label_numbers; /* by name */
};

/* `length` bytes of a name as those of an image or a label, which is added if it is new. Errors: MEMORY. */
enum shw_result shw_annotation_image(struct shw_annotation_builder *builder, const char *name, size_t length,
                                     uint32_t *image);
enum shw_result shw_annotation_label(struct shw_annotation_builder *builder, const char *name, size_t length,
                                     uint32_t *label);

/* Rounds the rectangle `box`, x, y, width and height, into the object. Returns what is wrong with it, or NULL. */
const char *shw_annotation_round(const double box[4], struct shw_annotated_object *object);

/* Adds an object of the image, unless another label is wanted. Errors: MEMORY. */
enum shw_result shw_annotation_add(struct shw_annotation_builder *builder, uint32_t image,
                                   const struct shw_annotated_object *object);

/* The formats. Errors: FORMAT, LIMIT, MEMORY. */
enum shw_result shw_annotations_csv(struct shw_annotation_builder *builder, const char *text, size_t size);

#endif
