/* The planes of image files: bands of a page, and pages. Their names are those that the file gives, as names of inputs
 * (docs/planes.md); each is also known as bN, N from 1. */
#ifndef SHW_FILES_IMAGE_PLANES_H
#define SHW_FILES_IMAGE_PLANES_H

#include <stdint.h>

#include <shadewood/channels.h>
#include <shadewood/log.h>

#include "files/image/image_file.h"

#define SHW_FILE_PLANES_MAX 4096u /* others are not there */

/* A name is empty if the file gives none. */
struct shw_plane_list {
    uint32_t count, width, height;
    char (*names)[SHW_INPUT_NAME_SIZE];
};

/* Lists the planes of a file, or of the page that the path names (image_paths.h). To be freed unless it fails. Errors:
 * those of shw_image_file_read(). Any thread. */
enum shw_result shw_image_planes_list(const char *path, const struct shw_log *log, struct shw_plane_list *planes);
void shw_plane_list_free(struct shw_plane_list *planes);

/* The same of files that can have more planes than grey or colours; the list is empty if they have not. */
enum shw_result shw_image_more_planes_list(const char *path, const struct shw_log *log, struct shw_plane_list *planes);

/* Makes a list of `count` planes without names. Errors: MEMORY. */
enum shw_result shw_plane_list_make(uint32_t count, uint32_t width, uint32_t height, struct shw_plane_list *planes);

/* Names a plane after `length` bytes of a text in UTF-8: lower-case letters and digits, and '-' for anything else; with
 * a number after it if it is taken. */
void shw_plane_list_name(struct shw_plane_list *planes, uint32_t number, const char *text, size_t length);

/* The name that the file gives a plane, or else bN, which is written to `text`. */
const char *shw_plane_list_name_of(const struct shw_plane_list *planes, uint32_t number,
                                   char text[SHW_INPUT_NAME_SIZE]);

/* The number of the plane of that name, or bN; the list's count if there is none. */
uint32_t shw_plane_list_find(const struct shw_plane_list *planes, const char *name);

/* Reads planes by name, upright as the image: each is grey of 8 or 16 bits if the file stores such integers without
 * sign, else floats. `params` may be NULL; of it, `stop` counts. Errors: as above, also FORMAT for a name that is not
 * there or a plane that is damaged, which the message names; no file is then to be freed. Any thread. */
enum shw_result shw_image_planes_read(const char *path, const char *const *names, uint32_t count,
                                      const struct shw_image_params *params, const struct shw_log *log,
                                      struct shw_image_file *files);

/* The same for a file of one plane, whatever its name. */
enum shw_result shw_image_plane_read(const char *path, const char *name, const struct shw_image_params *params,
                                     const struct shw_log *log, struct shw_image_file *file);

#endif
