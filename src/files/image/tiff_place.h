/* Where the pixels of a TIFF file are: on Earth (GeoTIFF), and how large they are. What is labelled has the place of
 * its image. */
#ifndef SHW_FILES_IMAGE_TIFF_PLACE_H
#define SHW_FILES_IMAGE_TIFF_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include <tiffio.h>

#define SHW_TIFF_PLACE_TAGS 6u

/* Zero: nothing is known. */
struct shw_tiff_place {
    uint32_t width, height; /* of the image, which the tags are for */
    struct {
        uint32_t count;
        void *values; /* NULL: the tag is not there */
    } tags[SHW_TIFF_PLACE_TAGS];
    double micrometres; /* the side of a pixel; 0: not known */
};

/* Of an image's file, or of the page that the path names; zero for files that are no TIFF files, cannot be read, or are
 * stored turned. To be freed. Any thread. */
void shw_tiff_place_read(const char *path, struct shw_tiff_place *place);
void shw_tiff_place_free(struct shw_tiff_place *place);

/* Sets the tags of a page that is as large as the image; otherwise nothing. False if libtiff fails. */
bool shw_tiff_place_write(TIFF *tiff, uint32_t width, uint32_t height, const struct shw_tiff_place *place);

/* The side of the pixels of a file whose directory libtiff is at, in micrometres, where they are squares of a
 * projection in metres; otherwise 0. */
double shw_tiff_place_side(TIFF *tiff);

#endif
