#include "files/image/decode.h"

#include <libexif/exif-data.h>
#include <stdlib.h>
#include <string.h>

unsigned shw_exif_orientation(const uint8_t *block, size_t size)
{
    static const uint8_t signature[6] = "Exif\0";
    unsigned orientation = 0;
    ExifData *data = NULL;
    ExifEntry *entry;
    uint8_t *signed_block;

    /* libexif recognises a block by its signature, which PNG omits. */
    if (size < 8 || size > 65535 || (signed_block = malloc(size + sizeof signature)) == NULL)
        return 0;
    memcpy(signed_block, signature, sizeof signature);
    memcpy(signed_block + sizeof signature, block, size);
    data = exif_data_new_from_data(signed_block, (unsigned)(size + sizeof signature));
    if (data != NULL) {
        entry = exif_content_get_entry(data->ifd[EXIF_IFD_0], EXIF_TAG_ORIENTATION);
        if (entry != NULL && entry->format == EXIF_FORMAT_SHORT && entry->size >= 2)
            orientation = exif_get_short(entry->data, exif_data_get_byte_order(data));
        exif_data_unref(data);
    }
    free(signed_block);
    return orientation;
}
