/* Organised point clouds in PCL's format (.pcd), in all three encodings. */
#ifndef SHW_FILES_CONVERT_PCD_H
#define SHW_FILES_CONVERT_PCD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "files/convert/source.h"

/* The cloud as a frame: a point is a pixel. Depth is the distance along the camera's axis, z unless the header states
 * another viewpoint; 0 where a coordinate is not finite or the point is not in front of the camera. Colours come from
 * the field rgb or rgba, or else from depth; labels from the field `label`, if any. Errors: FORMAT, LIMIT, MEMORY.
 * `name` is for messages. */
enum shw_result shw_pcd_decode(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                               struct shw_frame *frame);
/* The same from a file. Errors: also IO. */
enum shw_result shw_pcd_read(const char *path, const struct shw_log *log, struct shw_frame *frame);

/* Whether the file has a header with a label. Errors as above. */
enum shw_result shw_pcd_has_labels(const char *path, const struct shw_log *log, bool *has);

/* LZF, the compression of point clouds. */

/* The most bytes that one byte can stand for: three are up to 264. */
#define SHW_LZF_RATIO_MAX 88u

/* Decompresses into exactly `to_size` bytes. False if the bytes are damaged or of another length. */
bool shw_lzf_decompress(const uint8_t *from, size_t from_size, uint8_t *to, size_t to_size);

#endif
