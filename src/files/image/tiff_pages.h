/* The pages of a TIFF file: its images other than thumbnails and masks. A file of ImageJ may describe one and have
 * others behind it, as large and without a directory. */
#ifndef SHW_FILES_IMAGE_TIFF_PAGES_H
#define SHW_FILES_IMAGE_TIFF_PAGES_H

#include <stdint.h>

#include "files/image/tiff_layout.h"

/* The number of pages, at least 1. A directory that cannot be read ends them, and is told by the reason in the file's
 * struct shw_tiff_memory. */
uint32_t shw_tiff_count_pages(TIFF *tiff);

/* Goes to the directory of a page, from 1. *image is then the number of directories that are missing before it: it
 * belongs to an earlier image, as large, that is as many images before it. False: there is no such page. */
bool shw_tiff_go_to_page(TIFF *tiff, uint32_t page, uint32_t *image);

/* Makes the layout of a directory that of its image `image` > 0. False: it cannot have more than one. */
bool shw_tiff_take_image(const struct shw_tiff_memory *memory, uint32_t image, struct shw_tiff_layout *layout);

#endif
