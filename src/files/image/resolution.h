/* The size of pixels that image files state (docs/objects.md#units). Any thread. */
#ifndef SHW_FILES_IMAGE_RESOLUTION_H
#define SHW_FILES_IMAGE_RESOLUTION_H

/* The side of the pixels of an image file, or of a page of one (image_paths.h), in micrometres; 0: the file does not
 * state it, is no such file, or its pixels are not square. Of TIFF: OME's physical sizes, the scale of a GeoTIFF
 * file in metres, ImageJ's units, the tags of the resolution; of PNG: pHYs. The densities 72 and 96 per inch are those
 * of screens, and state nothing. */
double shw_image_pixel_size(const char *path);

#endif
