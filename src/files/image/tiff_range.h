/* The range of a page whose samples want one. */
#ifndef SHW_FILES_IMAGE_TIFF_RANGE_H
#define SHW_FILES_IMAGE_TIFF_RANGE_H

#include "files/image/tiff_layout.h"

/* The range of the page (image_choice.h). Reads the page. Errors: FORMAT, MEMORY, CANCELLED, as of
 * shw_tiff_read_blocks(). */
enum shw_result shw_tiff_find_range(TIFF *tiff, struct shw_tiff_memory *memory, const struct shw_source *source,
                                    const struct shw_tiff_layout *layout, struct shw_intensity_range *range);

#endif
