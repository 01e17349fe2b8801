#include "files/image/image_write.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/input_file.h"
#include "base/log.h"
#include "files/image/tiff.h"
#include "files/image/tiff_place.h"
#include "files/io/mark.h"

const struct shw_file_kind shw_file_probability_pages = {SHW_MARK_PROBABILITIES, "an image of probabilities",
                                                         shw_tiff_is_marked, false};
const struct shw_file_kind shw_file_label_page = {SHW_MARK_LABELS, "a label image", shw_tiff_is_marked, false};
const struct shw_file_kind shw_file_instance_page = {SHW_MARK_INSTANCES, "an image of objects' numbers",
                                                     shw_tiff_is_marked, false};

/* Pages of unsigned numbers, or one of indices of a palette. */
struct pages {
    const char *rows;
    uint32_t count, width, height;
    uint16_t bytes; /* of a number */
    const char *software;
    const uint16_t *palette;            /* 3 * 256; NULL: grey */
    const struct shw_tiff_place *place; /* NULL: none */
};

static bool write_page(TIFF *tiff, const struct pages *pages, uint32_t page)
{
    size_t row_size = (size_t)pages->width * pages->bytes;
    const char *rows = pages->rows + page * pages->height * row_size;
    bool fine = TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, pages->width) != 0 &&
                TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, pages->height) != 0 &&
                TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8 * pages->bytes) != 0 &&
                TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1) != 0 &&
                TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC,
                             pages->palette != NULL ? PHOTOMETRIC_PALETTE : PHOTOMETRIC_MINISBLACK) != 0 &&
                TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) != 0 &&
                TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE) != 0 &&
                TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL) != 0 &&
                TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_PAGE) != 0 &&
                TIFFSetField(tiff, TIFFTAG_PAGENUMBER, (int)page, (int)pages->count) != 0 &&
                TIFFSetField(tiff, TIFFTAG_SOFTWARE, pages->software) != 0 &&
                TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, TIFFDefaultStripSize(tiff, 0)) != 0;
    void *row;

    if (fine && pages->palette != NULL)
        fine = TIFFSetField(tiff, TIFFTAG_COLORMAP, pages->palette, pages->palette + 256, pages->palette + 512) != 0;
    if (fine && pages->place != NULL)
        fine = shw_tiff_place_write(tiff, pages->width, pages->height, pages->place);
    row = fine ? _TIFFmalloc((tmsize_t)row_size) : NULL;

    /* libtiff's predictor works in the caller's row, so it gets a copy. */
    for (uint32_t y = 0; y < pages->height && row != NULL && fine; y++) {
        memcpy(row, rows + y * row_size, row_size);
        fine = TIFFWriteScanline(tiff, row, y, 0) == 1;
    }
    fine = fine && row != NULL && TIFFWriteDirectory(tiff) != 0;
    if (row != NULL)
        _TIFFfree(row);
    return fine;
}

static enum shw_result write_pages(const char *path, const struct pages *pages, const struct shw_log *log)
{
    uint32_t count = pages->count, width = pages->width, height = pages->height;
    struct shw_tiff_memory memory = {0};
    struct shw_atomic_file file;
    bool fine;
    int error;
    TIFF *tiff;

    if (count == 0 || count > 65535 || width == 0 || height == 0 || width > SHW_IMAGE_SIZE_MAX ||
        height > SHW_IMAGE_SIZE_MAX)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "cannot write %s: %u pages of %u x %u pixels", path,
                        count, width, height);
    SHW_PROPAGATE(shw_atomic_file_open(&file, path, log));
    memory.stream = file.stream;
    tiff = shw_tiff_open(&memory, path,
                         (uint64_t)count * width * height * pages->bytes > (UINT64_C(1) << 31) ? "w8" : "w");
    fine = tiff != NULL;
    for (uint32_t page = 0; page < count && fine; page++)
        fine = write_page(tiff, pages, page);
    if (tiff != NULL)
        TIFFClose(tiff);
    if ((fine && memory.reason[0] == '\0') || shw_atomic_file_failed(&file, &error)) /* commit reports it */
        return shw_atomic_file_commit(&file, log);
    shw_atomic_file_abandon(&file);
    return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "cannot write %s: %s", path,
                    memory.reason[0] != '\0' ? memory.reason : "out of memory");
}

static enum shw_result write_pages_like(const char *path, const char *like, struct pages *pages,
                                        const struct shw_log *log)
{
    struct shw_tiff_place place = {0};
    enum shw_result result;

    if (like != NULL)
        shw_tiff_place_read(like, &place);
    pages->place = &place;
    result = write_pages(path, pages, log);
    shw_tiff_place_free(&place);
    return result;
}

enum shw_result shw_tiff_write_pages(const char *path, const char *like, const uint16_t *planes, uint32_t count,
                                     uint32_t width, uint32_t height, const struct shw_log *log)
{
    struct pages pages = {.rows = (const char *)planes,
                          .count = count,
                          .width = width,
                          .height = height,
                          .bytes = sizeof *planes,
                          .software = SHW_WRITER " " SHW_MARK_PROBABILITIES};

    return write_pages_like(path, like, &pages, log);
}

/* Void has the last number: 255 of 8 bits. */
enum shw_result shw_tiff_write_labels(const char *path, const char *like, const uint16_t *labels, uint32_t width,
                                      uint32_t height, const struct shw_class *classes, uint32_t class_count,
                                      const struct shw_log *log)
{
    size_t pixels = (size_t)width * height;
    uint16_t palette[3 * 256] = {0};
    uint8_t *indices = malloc(pixels);
    struct pages pages = {.rows = (const char *)labels,
                          .count = 1,
                          .width = width,
                          .height = height,
                          .bytes = sizeof *labels,
                          .software = SHW_WRITER " " SHW_MARK_LABELS};
    enum shw_result result;

    if (indices == NULL)
        return shw_fail_memory(log, path);
    for (size_t i = 0; i < pixels && class_count < 256; i++)
        indices[i] = labels[i] < 255 ? (uint8_t)labels[i] : 255;
    for (uint32_t i = 0; i < class_count && class_count < 256; i++)
        for (uint32_t c = 0; c < 3; c++)
            palette[256 * c + i] = (uint16_t)(257 * classes[i].colour[c]);
    if (class_count < 256) {
        pages.rows = (const char *)indices;
        pages.bytes = 1;
        pages.palette = palette;
    }
    result = write_pages_like(path, like, &pages, log);
    free(indices);
    return result;
}

enum shw_result shw_tiff_write_instances(const char *path, const uint32_t *numbers, uint32_t width, uint32_t height,
                                         const struct shw_log *log)
{
    const struct pages pages = {.rows = (const char *)numbers,
                                .count = 1,
                                .width = width,
                                .height = height,
                                .bytes = sizeof *numbers,
                                .software = SHW_WRITER " " SHW_MARK_INSTANCES};

    return write_pages(path, &pages, log);
}

bool shw_tiff_is_marked(const char *path, const char *mark)
{
    struct shw_tiff_memory memory = {.stream = NULL};
    uint64_t size;
    TIFF *tiff = shw_file_open(path, NULL, &memory.stream, &size) == SHW_OK ? shw_tiff_open(&memory, path, "rm") : NULL;
    const char *writer = NULL;
    bool marked = tiff != NULL && TIFFGetField(tiff, TIFFTAG_SOFTWARE, &writer) != 0 &&
                  strncmp(writer, SHW_WRITER " ", sizeof SHW_WRITER) == 0 &&
                  strcmp(writer + sizeof SHW_WRITER, mark) == 0;

    if (tiff != NULL)
        TIFFClose(tiff);
    if (memory.stream != NULL)
        fclose(memory.stream);
    return marked;
}
