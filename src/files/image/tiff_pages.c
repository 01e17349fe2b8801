#include "files/image/tiff_pages.h"

#include <stdlib.h>
#include <string.h>

static bool is_page(TIFF *tiff)
{
    uint32_t type = 0;

    TIFFGetFieldDefaulted(tiff, TIFFTAG_SUBFILETYPE, &type);
    return (type & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) == 0;
}

/* How many images ImageJ says that its only directory describes; otherwise 1. */
static uint32_t images_described(TIFF *tiff)
{
    const char *text = NULL, *line;
    uint16_t compression = COMPRESSION_NONE;
    unsigned long count;

    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
    if (compression != COMPRESSION_NONE || TIFFIsTiled(tiff) != 0 ||
        TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &text) == 0 || text == NULL || strncmp(text, "ImageJ=", 7) != 0)
        return 1;
    line = strstr(text, "\nimages=");
    count = line != NULL ? strtoul(line + 8, NULL, 10) : 1;
    return count < 1 ? 1 : count > SHW_IMAGE_PAGES_MAX ? SHW_IMAGE_PAGES_MAX : (uint32_t)count;
}

/* Goes to page `wanted`, from 1, of those that have directories, or to the first one if there is none. Returns how many
 * there are up to it. */
static uint32_t walk(TIFF *tiff, uint32_t wanted)
{
    uint32_t count = 0;

    TIFFSetDirectory(tiff, 0);
    do
        count += is_page(tiff);
    while (count < wanted && TIFFReadDirectory(tiff) != 0);
    return count;
}

/* A file of nothing but thumbnails has one page, its first. */
static void go_to_first(TIFF *tiff)
{
    if (walk(tiff, 1) == 0)
        TIFFSetDirectory(tiff, 0);
}

uint32_t shw_tiff_count_pages(TIFF *tiff)
{
    uint32_t count = walk(tiff, SHW_IMAGE_PAGES_MAX);

    if (count > 1)
        return count;
    go_to_first(tiff);
    return images_described(tiff);
}

bool shw_tiff_go_to_page(TIFF *tiff, uint32_t page, uint32_t *image)
{
    uint32_t found = walk(tiff, page);

    *image = 0;
    if (found == page)
        return true;
    if (found > 1)
        return false;
    go_to_first(tiff);
    *image = page - 1;
    return page <= images_described(tiff);
}

bool shw_tiff_take_image(const struct shw_tiff_memory *memory, uint32_t image, struct shw_tiff_layout *layout)
{
    uint64_t planes = layout->planar == PLANARCONFIG_SEPARATE ? layout->samples : 1;

    if (layout->blocks != SHW_TIFF_ROWS || planes != 1)
        return false;
    layout->page_offset = image * (uint64_t)layout->block_stride * layout->height;
    return layout->page_offset / image < memory->size;
}
