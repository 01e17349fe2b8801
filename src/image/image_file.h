/* Reading image files. Formats are recognised by contents, never by name: PNG, JPEG, TIFF, WebP, BMP, and binary PGM
 * and PPM.
 *
 * Files are not trusted: they may be empty, truncated, mislabelled or malicious. Every failure is one message that
 * names the file and the reason. All functions here may be called from several threads at a time. */
#ifndef SHW_IMAGE_IMAGE_FILE_H
#define SHW_IMAGE_IMAGE_FILE_H

#include <stdbool.h>

#include <shadewood/image.h>
#include <shadewood/log.h>

/* Larger images are refused, so that a small file cannot exhaust memory. */
#define SHW_IMAGE_PIXELS_MAX (UINT32_C(1) << 28)

/* Larger files are refused: what so many pixels take without compression, and an eighth for everything else. */
#define SHW_IMAGE_FILE_MAX ((uint64_t)SHW_IMAGE_PIXELS_MAX * 9)

/* The 16-bit samples that become 0 and 65535; others are interpolated linearly, rounded and clamped. For 12-bit data in
 * 16-bit files: {0, 4095}. Does not affect 8-bit samples. Both zero: samples as stored. */
struct shw_intensity_range {
    uint16_t low, high;
};

/* An image with pixels of its own. */
struct shw_image_file {
    struct shw_image image; /* without padding; upright if the file has the camera's orientation */
    void *pixels;           /* the memory of image.pixels */
};

/* Whether it is a regular file that begins like an image. Any thread. */
bool shw_image_file_is_image(const char *path);

/* Reads the first image of a file. PGM and PPM with a maximum value below 255 or 65535 are stretched to it. Alpha is
 * kept with colour and dropped with grey; palettes are resolved. `range` may be NULL. Errors: IO, FORMAT, LIMIT,
 * MEMORY, and ARGUMENT for a range whose end is not above its start. */
enum shw_result shw_image_file_read(const char *path, const struct shw_intensity_range *range,
                                    const struct shw_log *log, struct shw_image_file *file);

/* The same from memory; `name` is for messages. */
enum shw_result shw_image_file_decode(const void *bytes, size_t size, const char *name,
                                      const struct shw_intensity_range *range, const struct shw_log *log,
                                      struct shw_image_file *file);

/* Accepts NULL, zero-initialised and freed ones. */
void shw_image_file_free(struct shw_image_file *file);

/* How a label image encodes classes. */
enum shw_label_kind {
    SHW_LABELS_AUTO =
        0,            /* INDEX if the file has a palette or is grey, otherwise COLOUR; BMP and WebP are always COLOUR */
    SHW_LABELS_INDEX, /* by number: the palette index or the grey value, as stored */
    SHW_LABELS_COLOUR /* by colour, with a palette resolved and grey as R = G = B */
};

/* A label image as stored. One of the two is set. */
struct shw_label_file {
    uint32_t width, height;
    uint16_t *indices; /* width * height */
    uint8_t *colours;  /* width * height * 3: R, G, B */
};

/* Reads a label image, in a lossless format: not JPEG, nor lossy WebP. Errors: as above. */
enum shw_result shw_label_file_read(const char *path, enum shw_label_kind kind, const struct shw_log *log,
                                    struct shw_label_file *file);
enum shw_result shw_label_file_decode(const void *bytes, size_t size, const char *name, enum shw_label_kind kind,
                                      const struct shw_log *log, struct shw_label_file *file);
void shw_label_file_free(struct shw_label_file *file);

/* Reads the image of an input (shadewood/input.h): `range` is for SHW_PREVIOUS; SHW_DEPTH is 16-bit grey. Errors: as
 * above. */
enum shw_result shw_input_file_read(const char *name, const char *path, const struct shw_intensity_range *range,
                                    const struct shw_log *log, struct shw_image_file *file);

#endif
