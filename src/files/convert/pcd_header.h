/* The header of point clouds in PCL's format (.pcd). */
#ifndef SHW_FILES_CONVERT_PCD_HEADER_H
#define SHW_FILES_CONVERT_PCD_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>

#define SHW_PCD_FIELDS_MAX 64u

enum shw_pcd_data { SHW_PCD_ASCII, SHW_PCD_BINARY, SHW_PCD_COMPRESSED };

struct shw_pcd_field {
    char name[32];
    uint32_t size;  /* of a value, in bytes: 1, 2, 4 or 8 */
    char type;      /* I, U or F */
    uint32_t count; /* of values */
    uint32_t first; /* of its values among those of the point */
    uint32_t place; /* of the first, in bytes, among those of the point */
};

struct shw_pcd_header {
    struct shw_pcd_field fields[SHW_PCD_FIELDS_MAX];
    uint32_t field_count;
    uint32_t value_count, point_size; /* of a point */
    uint32_t width, height;
    double viewpoint[7]; /* of the camera: x, y, z, and a quaternion w, x, y, z */
    enum shw_pcd_data data;
    size_t size; /* of the header, in bytes */
};

/* Reads and checks the header: an organised cloud, of at least two rows, that has a field z. Errors: FORMAT, LIMIT.
 * `name` is for messages. */
enum shw_result shw_pcd_header_decode(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                                      struct shw_pcd_header *header);

/* The field of that name, or NULL. */
const struct shw_pcd_field *shw_pcd_find(const struct shw_pcd_header *header, const char *name);

#endif
