/* Names of image files: what lists of a folder go by. What a file is, is told by its contents alone (image_file.h). */
#ifndef SHW_IMAGE_IMAGE_NAME_H
#define SHW_IMAGE_IMAGE_NAME_H

#include <stdbool.h>

/* Whether a name has that ending, in capitals or not, and something before it. */
bool shw_name_ends_with(const char *name, const char *ending);

/* Whether a name has an ending of the image formats that are read. */
bool shw_is_image_name(const char *name);

#endif
