/* An image's file that is open: its format and contents. */
#ifndef SHW_FILES_IMAGE_OPENED_H
#define SHW_FILES_IMAGE_OPENED_H

#include "base/file_bytes.h"
#include "files/image/decode.h"

struct shw_opened {
    struct shw_source source;
    const struct shw_image_format *format; /* NULL: it does not begin like an image */
    struct shw_file_bytes bytes;
    char *file; /* its path */
};

/* To be closed unless it fails. Of a file that does not begin like an image, only the signature is read; decoding
 * reports that. Contents stay on disk unless they are `wanted`. Errors: IO, LIMIT, MEMORY. */
enum shw_result shw_opened_open(const char *path, bool wanted, const struct shw_log *log, struct shw_opened *opened);
void shw_opened_close(struct shw_opened *opened);

/* A plane that is wanted: its number in the file, from 0, and its place among the names. */
struct shw_wanted_plane {
    uint32_t number, place;
};

/* Finds planes by name, in ascending order of their numbers; the same may be wanted by two names. `any`: a file with
 * one plane has it by any name. Errors: those of shw_image_planes_read(). */
enum shw_result shw_opened_find_planes(struct shw_opened *opened, const char *const *names, uint32_t count, bool any,
                                       struct shw_wanted_plane *wanted);

/* Decodes the source's page, upright and with its choice. Errors: those of shw_image_file_read(). */
enum shw_result shw_source_decode(const struct shw_source *source, struct shw_decoded *decoded);

#endif
