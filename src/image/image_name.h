/* Names of image files, for listing folders. The format of a file is recognised by its contents only (image_file.h). */
#ifndef SHW_IMAGE_IMAGE_NAME_H
#define SHW_IMAGE_IMAGE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a name ends so, ignoring case, with something before it. */
bool shw_name_ends_with(const char *name, const char *ending);

/* Whether a name has the extension of a supported image format. */
bool shw_is_image_name(const char *name);

/* The name of a path's file without folders and extension: *length bytes from the result on. */
const char *shw_image_base_name(const char *path, size_t *length);

#endif
