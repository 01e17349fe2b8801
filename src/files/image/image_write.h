/* Writing image files, atomically. All functions here may be called from any thread. Errors: IO, MEMORY, ARGUMENT.
 *
 * Files with results have a mark, by which they are known as ours (files/io/file_kind.h); images as such have none. */
#ifndef SHW_FILES_IMAGE_IMAGE_WRITE_H
#define SHW_FILES_IMAGE_IMAGE_WRITE_H

#include <stdbool.h>

#include <shadewood/dataset.h>

#include "files/image/row_writer.h"
#include "files/io/file_kind.h"

/* The name of the program in files. */
#define SHW_WRITER "Shadewood"

/* A PNG file with the image's own samples: grey, RGB or RGBA, of 8 or 16 bits; with the name of a file kind as mark, or
 * none. */
enum shw_result shw_png_write(const char *path, const struct shw_image *image, const struct shw_log *log);
enum shw_result shw_png_write_marked(const char *path, const char *mark, const struct shw_image *image,
                                     const struct shw_log *log);

/* The same with the side of its pixels in micrometres (resolution.h), unless that is 0 or more than a PNG file can
 * say, whose pixels per metre are a whole number. */
enum shw_result shw_png_write_scaled(const char *path, const char *mark, double side, const struct shw_image *image,
                                     const struct shw_log *log);

/* The same with texts in it, which belong to what the mark stands for; read by shw_png_read_text(). */
struct shw_png_text {
    const char *key, *text; /* a key has at most 79 bytes */
};
enum shw_result shw_png_write_with_texts(const char *path, const char *mark, const struct shw_png_text *texts,
                                         uint32_t text_count, const struct shw_image *image, const struct shw_log *log);

/* The same by rows. */
struct shw_png_about {
    const char *mark; /* NULL: none */
    double side;      /* of pixels; 0: not known */
    const struct shw_png_text *texts;
    uint32_t text_count;
};
enum shw_result shw_png_open(const char *path, const struct shw_png_about *about, const struct shw_image *like,
                             const struct shw_log *log, struct shw_row_writer **rows);

/* A PNG file of 8-bit palette indices, width * height without padding, each below colour_count (1..256). */
enum shw_result shw_png_write_indexed(const char *path, const uint8_t *indices, uint32_t width, uint32_t height,
                                      const uint8_t (*colours)[3], uint32_t colour_count, const struct shw_log *log);

/* A PNG file of class numbers, marked: palette indices with the classes' colours, or 16-bit grey if there are more than
 * 256. Numbers of no class become the last one's index. `side` as above. */
enum shw_result shw_png_write_labels(const char *path, const uint16_t *labels, uint32_t width, uint32_t height,
                                     const struct shw_class *classes, uint32_t class_count, double side,
                                     const struct shw_log *log);

/* The same by rows: 16-bit labels. */
enum shw_result shw_png_open_labels(const char *path, uint32_t width, uint32_t height, const struct shw_class *classes,
                                    uint32_t class_count, double side, const struct shw_log *log,
                                    struct shw_row_writer **rows);

/* `count` consecutive planes of width * height 16-bit values: as a marked TIFF file with a page per plane, and as a
 * NumPy array of shape (count, height, width) and type uint16. TIFF files get the place on Earth and the size of pixels
 * of the image file `like` (tiff_place.h), if that is as large; NULL: none. */
enum shw_result shw_tiff_write_pages(const char *path, const char *like, const uint16_t *planes, uint32_t count,
                                     uint32_t width, uint32_t height, const struct shw_log *log);

/* A TIFF file of class numbers, marked: palette indices of 8 bits, void 255, or 16-bit grey if there are more than 255
 * classes, void 65535. */
enum shw_result shw_tiff_write_labels(const char *path, const char *like, const uint16_t *labels, uint32_t width,
                                      uint32_t height, const struct shw_class *classes, uint32_t class_count,
                                      const struct shw_log *log);

/* Both by rows: 16-bit values of `count` planes, and 16-bit labels; up to SHW_LARGE_SIDE_MAX a side. */
enum shw_result shw_tiff_open_pages(const char *path, const char *like, uint32_t count, uint32_t width, uint32_t height,
                                    const struct shw_log *log, struct shw_row_writer **rows);
enum shw_result shw_tiff_open_labels(const char *path, const char *like, uint32_t width, uint32_t height,
                                     const struct shw_class *classes, uint32_t class_count, const struct shw_log *log,
                                     struct shw_row_writer **rows);

/* A TIFF file of 32-bit numbers, marked as instances. */
enum shw_result shw_tiff_write_instances(const char *path, const uint32_t *numbers, uint32_t width, uint32_t height,
                                         const struct shw_log *log);

/* Whether a TIFF file has that mark; or any, which becomes `mark`, or "". */
#define SHW_TIFF_MARK_SIZE 64
bool shw_tiff_is_marked(const char *path, const char *mark);
bool shw_tiff_read_mark(const char *path, char mark[SHW_TIFF_MARK_SIZE]);

extern const struct shw_file_kind shw_file_probability_pages, shw_file_instance_page, shw_file_label_page;
enum shw_result shw_npy_write(const char *path, const uint16_t *planes, uint32_t count, uint32_t width, uint32_t height,
                              const struct shw_log *log);

/* By rows; `type` is u2 or u4, of as many bytes. */
enum shw_result shw_npy_open(const char *path, const char *type, uint32_t count, uint32_t width, uint32_t height,
                             const struct shw_log *log, struct shw_row_writer **rows);

/* The same array for 32-bit leaf numbers, type uint32. */
enum shw_result shw_npy_write_leaves(const char *path, const uint32_t *planes, uint32_t count, uint32_t width,
                                     uint32_t height, const struct shw_log *log);

#endif
