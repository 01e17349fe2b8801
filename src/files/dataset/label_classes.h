/* Conversion of label images to class numbers. */
#ifndef SHW_FILES_DATASET_LABEL_CLASSES_H
#define SHW_FILES_DATASET_LABEL_CLASSES_H

#include <shadewood/log.h>

#include "files/dataset/palette.h"
#include "files/image/image_file.h"

/* The class of each pixel, or SHW_LABEL_VOID, in new memory, to be released with free(). A value or colour that is not
 * in the palette is an error that names file, pixel and value. Errors: FORMAT, MEMORY. */
enum shw_result shw_labels_to_classes(const struct shw_label_file *file, const char *name,
                                      const struct shw_palette *palette, const struct shw_log *log, uint16_t **classes);

/* Makes a palette of the values or colours that occur, as for shw_dataset_params. `read` returns label image `index`
 * below `count`. Errors: those of `read`, FORMAT, LIMIT, MEMORY. */
enum shw_result shw_palette_derive(uint32_t count,
                                   enum shw_result (*read)(void *user, uint32_t index, struct shw_label_file *file),
                                   void *user, const char *name, const struct shw_log *log,
                                   struct shw_palette *palette);

#endif
