/* Reading image files. Formats are recognised by contents, never by name: PNG, JPEG, TIFF, WebP, BMP, and binary PGM
 * and PPM.
 *
 * Files are not trusted: they may be empty, truncated, mislabelled or malicious. Every failure is one message that
 * names the file and the reason. All functions here may be called from several threads at a time. */
#ifndef SHW_FILES_IMAGE_IMAGE_FILE_H
#define SHW_FILES_IMAGE_IMAGE_FILE_H

#include <stdatomic.h>
#include <stdbool.h>

#include <shadewood/image.h>
#include <shadewood/log.h>

#include "files/image/image_choice.h"

/* Larger images are refused, so that a small file cannot exhaust memory. */
#define SHW_IMAGE_PIXELS_MAX (UINT32_C(1) << 28)

/* The sides of images that are read in pieces: larger ones would exceed what channels can count. */
#define SHW_PIECES_SIDE_MAX (UINT32_C(1) << 20)

/* Pages of a file that are counted and can be chosen. */
#define SHW_IMAGE_PAGES_MAX 65536u

/* Larger files are refused. This is the size of the largest image without compression, and an eighth more. */
#define SHW_IMAGE_FILE_MAX ((uint64_t)SHW_IMAGE_PIXELS_MAX * 9)

/* What the file says of an image, and the choice does not. */
struct shw_image_facts {
    uint32_t channel_count;           /* with alpha */
    uint32_t only_first;              /* how many are read because the file does not say which are colours; 0: all */
    bool wants_range;                 /* floats, or integers of more than 16 bits */
    struct shw_intensity_range range; /* by which samples were mapped to 16 bits; not set: by none */
    double least, largest;            /* finite value of the channels, if a range is wanted; least > largest: none */
};

/* An image with pixels of its own. */
struct shw_image_file {
    struct shw_image image; /* without padding; upright if the file has the camera's orientation */
    void *pixels;           /* the memory of image.pixels */
    struct shw_image_facts facts;
};

/* How files are read. Zero: the defaults. */
struct shw_image_params {
    struct shw_image_choice choice;
    bool of_group; /* the choice holds for several images: one that wants a range is refused if none is chosen */
    const atomic_bool *stop; /* when it becomes true, reading fails with CANCELLED, without a message; NULL: never */
};

/* Whether it is a regular file that begins like an image. Any thread. */
bool shw_image_file_is_image(const char *path);

/* Warns about channels that are left out because the file does not say which are colours. */
void shw_image_report_channels(const char *name, const struct shw_image_facts *facts, const struct shw_log *log);

/* Refuses an image of a group that wants a range: FORMAT. */
enum shw_result shw_image_refuse_range(const char *name, const struct shw_log *log);

/* Reads an image: the first of a file, or the page that the path names (image_paths.h). PGM and PPM with a maximum
 * value below 255 or 65535 are stretched to it. Alpha is kept with colour and dropped with grey; palettes are resolved.
 * `params` may be NULL; its choice does not apply to pictures that a project has kept (SHW_MARK_FRAME). Only the
 * wanted parts of a TIFF file are read. Errors: IO, FORMAT (also for a missing page or channel), LIMIT, MEMORY,
 * CANCELLED, ARGUMENT (an invalid choice). */
enum shw_result shw_image_file_read(const char *path, const struct shw_image_params *params, const struct shw_log *log,
                                    struct shw_image_file *file);

/* The same from memory, the first image; `name` is for messages. */
enum shw_result shw_image_file_decode(const void *bytes, size_t size, const char *name,
                                      const struct shw_image_params *params, const struct shw_log *log,
                                      struct shw_image_file *file);

/* The number of pages of a file: of a TIFF file those that are neither thumbnails nor masks, at most 65536;
 * otherwise 1. Errors: IO, FORMAT, MEMORY. */
enum shw_result shw_image_file_count_pages(const char *path, const struct shw_log *log, uint32_t *count);

/* Completes the choice for a group of images from its first one: if that wants a range and none is chosen, the range
 * becomes that of this image (image_choice.h). Logs that, and which channels are not read because none are chosen.
 * Errors: those of reading. */
enum shw_result shw_image_choice_settle(struct shw_image_choice *choice, const char *path, const struct shw_log *log);

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

/* Reads the image of an input (shadewood/input.h): the choice is for SHW_PREVIOUS; SHW_DEPTH is 16-bit grey, SHW_HEIGHT
 * must not want a range, and others are planes (planes.h). Errors: as above. */
enum shw_result shw_input_file_read(const char *name, const char *path, const struct shw_image_params *params,
                                    const struct shw_log *log, struct shw_image_file *file);

#endif
