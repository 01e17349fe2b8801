/* TIFF files: their pages, how these hold samples, and reading them piece by piece. */
#ifndef SHW_FILES_IMAGE_TIFF_H
#define SHW_FILES_IMAGE_TIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <tiffio.h>

#include "files/image/decode.h"

/* libtiff on memory or a stream instead of a file name, without messages on stderr: in the stream, or if there is none,
 * in the bytes, which are only read. */
struct shw_tiff_memory {
    const uint8_t *bytes;
    uint64_t size, position; /* of a file that is only read, its size also with a stream */
    FILE *stream;
    char reason[128]; /* of the first failure */

    /* The directories of the first pages, once a page was gone to: no page is looked for from the start again. */
    uint64_t *pages;
    uint32_t page_count, page_capacity;
    bool knows_pages; /* all of them */
};

/* NULL on failure, with the reason. */
TIFF *shw_tiff_open(struct shw_tiff_memory *memory, const char *name, const char *mode);

/* Accepts NULL, and what belongs to it. */
void shw_tiff_close(TIFF *tiff, struct shw_tiff_memory *memory);

enum shw_sample_kind { SHW_SAMPLES_UNSIGNED, SHW_SAMPLES_SIGNED, SHW_SAMPLES_FLOAT };

/* How blocks are read. */
enum shw_tiff_blocks {
    SHW_TIFF_ROWS,   /* from uncompressed strips, a row at a time: strips may be as large as the page */
    SHW_TIFF_STRIPS, /* by libtiff */
    SHW_TIFF_TILES
};

#define SHW_TIFF_CHANNELS_MAX SHW_INPUTS_MAX

struct shw_tiff_layout {
    uint32_t width, height;
    uint16_t bits, samples, photometric, planar, compression;
    enum shw_sample_kind kind;
    uint32_t channel_count;                   /* that are used: of images 1, 3 or 4 */
    uint32_t channels[SHW_TIFF_CHANNELS_MAX]; /* their samples, from 0; SHW_TIFF_BLACK */
    bool has_palette, inverted;
    bool only_first; /* of several channels, none of which the file calls alpha */
    char why[96];    /* what is not supported */

    enum shw_tiff_blocks blocks;
    uint32_t block_width, block_height;
    size_t block_size, block_stride; /* bytes */
    uint64_t page_offset;            /* of ROWS without a directory of their own, from the first strip on; else 0 */
};

#define SHW_TIFF_BLACK UINT32_MAX

/* Pixels of a page. */
struct shw_tiff_window {
    uint32_t x, y, width, height;
};

/* A piece of a window: samples of all channels or, where they are separate, of one. */
struct shw_tiff_block {
    const uint8_t *bytes; /* rows, of which the pixels from `first` on lie in the window */
    size_t stride;
    uint32_t first;
    uint32_t left, top, width, height; /* in the window */
    uint32_t channel;                  /* position in layout.channels, with separate planes */
};

/* Blocks of a file that were read last, for windows that share them. */
struct shw_tiff_cache {
    uint64_t limit, used; /* bytes */
    uint64_t clock;
    struct shw_tiff_kept *kept;
    uint32_t count, capacity;
};
void shw_tiff_cache_free(struct shw_tiff_cache *cache);

/* Of the directory that libtiff is at; with the source's choice of channels. Returns what is not supported, or NULL. */
const char *shw_tiff_read_layout(TIFF *tiff, const struct shw_source *source, struct shw_tiff_layout *layout);

/* The size of blocks, which is checked against that of the file: memory for a block and for the pixels may be allocated
 * afterwards. Returns what is wrong, or NULL. */
const char *shw_tiff_read_block_layout(TIFF *tiff, const struct shw_tiff_memory *memory,
                                       struct shw_tiff_layout *layout);

struct shw_tiff_reading;

typedef void shw_tiff_take(void *user, const struct shw_tiff_block *block);

/* Reads a window of the page that the reading is at, and calls `take` for each block with channels that are used;
 * those of the whole page. Errors: FORMAT and MEMORY, after a message; CANCELLED, without. */
enum shw_result shw_tiff_read_window(struct shw_tiff_reading *reading, const struct shw_tiff_window *window,
                                     shw_tiff_take *take, void *user);
enum shw_result shw_tiff_read_blocks(struct shw_tiff_reading *reading, shw_tiff_take *take, void *user);

/* All of the page. */
struct shw_tiff_window shw_tiff_whole(const struct shw_tiff_layout *layout);

/* Whether samples are 8 or 16 bits as they are, or with the sign removed. Others are mapped to 16. */
bool shw_tiff_is_plain(const struct shw_tiff_layout *layout);

/* Whether what becomes black and white must be chosen. */
bool shw_tiff_wants_range(const struct shw_tiff_layout *layout);

/* The range of the type, of samples that are neither plain nor want a range. */
struct shw_intensity_range shw_tiff_type_range(const struct shw_tiff_layout *layout);

/* The sample at `index` of a row: as integer of up to 16 bits, unsigned, and as number. */
uint32_t shw_tiff_integer_at(const struct shw_tiff_layout *layout, const uint8_t *row, size_t index);
double shw_tiff_number_at(const struct shw_tiff_layout *layout, const uint8_t *row, size_t index);

/* The pages of a TIFF file: its images other than thumbnails and masks. A file of ImageJ may describe one and have
 * others behind it, as large and without a directory. `tiff` is one of shw_tiff_open(). */

/* The number of pages, at least 1. A directory that cannot be read ends them; the reason is in the file's struct
 * shw_tiff_memory. */
uint32_t shw_tiff_count_pages(TIFF *tiff);

/* Goes to the directory of a page, from 1. *image is then the number of directories that are missing before it: it
 * belongs to an earlier image, as large, that is as many images before it. False: there is no such page. */
bool shw_tiff_go_to_page(TIFF *tiff, uint32_t page, uint32_t *image);

/* Makes the layout of a directory that of its image `image` > 0. False: it cannot have more than one. */
bool shw_tiff_take_image(const struct shw_tiff_memory *memory, uint32_t image, struct shw_tiff_layout *layout);

/* A file that is open, at a page. */
struct shw_tiff_reading {
    const struct shw_source *source;
    struct shw_tiff_memory memory;
    TIFF *tiff;
    struct shw_tiff_layout layout;
    uint32_t page;                /* from 1 */
    struct shw_tiff_cache *cache; /* borrowed; NULL: none */
};

/* To be closed unless it fails. Errors: FORMAT. */
enum shw_result shw_tiff_reading_open(const struct shw_source *source, struct shw_tiff_reading *reading);
void shw_tiff_reading_close(struct shw_tiff_reading *reading);

/* Opens a file, uses it and closes it. Errors: FORMAT, and those of `use`. */
enum shw_result shw_tiff_use(const struct shw_source *source,
                             enum shw_result (*use)(struct shw_tiff_reading *reading, void *user), void *user);

/* Goes to a page, from 1, and checks what is there before memory is allocated. Errors: FORMAT, LIMIT. */
enum shw_result shw_tiff_reading_go(struct shw_tiff_reading *reading, uint32_t page);

/* How samples become those of the image: by a range, unless they stay as they are. */
struct shw_tiff_mapping {
    bool mapped;
    struct shw_intensity_range range;
};

/* That of the source's choice for the page that the reading is at, which may have to be read for it. Errors: FORMAT,
 * MEMORY, CANCELLED. */
enum shw_result shw_tiff_find_mapping(struct shw_tiff_reading *reading, struct shw_tiff_mapping *mapping);

/* In which format; images with a palette may become grey by the source's choice. */
enum shw_pixel_format shw_tiff_image_format(const struct shw_tiff_layout *layout);

/* The image of the page, or of a window of it. Errors: FORMAT, LIMIT, MEMORY, CANCELLED; there are then no pixels. */
enum shw_result shw_tiff_read_image(struct shw_tiff_reading *reading, const struct shw_tiff_mapping *mapping,
                                    const struct shw_tiff_window *window, struct shw_decoded *decoded);

/* Where planes are: those of a page are next to each other, and so are the pages. */
struct shw_tiff_order {
    uint32_t first, step; /* pages, from 1: of OME files those of the first section and time */
    uint32_t pages, samples;
    uint32_t width, height; /* pixels of each */
};

/* Goes through the pages. Pages count as long as they are like the first one. Errors: FORMAT, LIMIT. */
enum shw_result shw_tiff_find_order(struct shw_tiff_reading *reading, struct shw_tiff_order *order);

/* Goes to the page of the first of the planes, and makes the layout's channels those planes that are on it, whose
 * number *count becomes. Errors: FORMAT, LIMIT. */
enum shw_result shw_tiff_go_to_planes(struct shw_tiff_reading *reading, const struct shw_tiff_order *order,
                                      const uint32_t *numbers, uint32_t *count);

/* In which format a plane of the page is. */
enum shw_pixel_format shw_tiff_plane_format(const struct shw_tiff_layout *layout);

/* Their samples in a window, one image per channel. Errors: those of shw_tiff_read_image(); the caller frees those
 * that have pixels. */
enum shw_result shw_tiff_read_channels(struct shw_tiff_reading *reading, const struct shw_tiff_window *window,
                                       struct shw_decoded *planes);

/* The planes of a file: struct shw_image_format. */
enum shw_result shw_tiff_list_planes(const struct shw_source *source, struct shw_plane_list *planes);
enum shw_result shw_tiff_read_planes(const struct shw_source *source, const uint32_t *numbers, uint32_t count,
                                     struct shw_decoded *planes);

#endif
