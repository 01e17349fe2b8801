/* The grey of images for data preparation. */
#ifndef SHW_FILES_DEPTH_GREY_H
#define SHW_FILES_DEPTH_GREY_H

#include <shadewood/image.h>
#include <shadewood/log.h>

/* 0.299 R + 0.587 G + 0.114 B of each pixel of an 8-bit or 16-bit image from a file, from 0 to 1; to be freed with
 * free(). `name` is for messages. Errors: ARGUMENT (other formats), MEMORY. */
enum shw_result shw_make_grey(const struct shw_image *image, const char *name, const struct shw_log *log,
                              double **grey);

#endif
