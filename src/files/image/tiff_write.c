#include "files/image/image_write.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/atomic_file.h"
#include "base/image.h"
#include "base/input_file.h"
#include "base/integers.h"
#include "base/log.h"
#include "files/image/tiff.h"
#include "files/image/tiff_place.h"
#include "files/io/mark.h"

const struct shw_file_kind shw_file_probability_pages = {SHW_MARK_PROBABILITIES, "an image of probabilities",
                                                         shw_tiff_is_marked, false};
const struct shw_file_kind shw_file_label_page = {SHW_MARK_LABELS, "a label image", shw_tiff_is_marked, false};
const struct shw_file_kind shw_file_instance_page = {SHW_MARK_INSTANCES, "an image of objects' numbers",
                                                     shw_tiff_is_marked, false};

#define TILE_SIDE 256u

/* Pages of unsigned numbers, or one of indices of a palette. */
struct pages {
    uint32_t count, width, height;
    uint16_t bytes; /* of a number in the file */
    uint16_t given; /* of a number that is put: labels become indices */
    const char *software;
    bool has_palette;
    uint16_t palette[3 * 256];
    struct shw_tiff_place place;
};

/* A page besides the first, while rows of all pages come in turn: a file writes its directories one after the other. */
struct page_file {
    struct shw_atomic_file file;
    struct shw_tiff_memory memory;
    TIFF *tiff;
};

struct tiff_writer {
    struct shw_row_writer rows;
    struct pages pages;
    struct shw_atomic_file file;
    struct shw_tiff_memory memory;
    TIFF *tiff;
    const struct shw_log *log;
    uint32_t side; /* of tiles */
    uint8_t *tile;
    uint32_t top;            /* rows that are in tiles */
    uint8_t *band;           /* of each page the rows that do not fill tiles yet */
    uint32_t pending;        /* how many */
    struct page_file *later; /* NULL: there was no need for them */
    bool complete;           /* all directories are written */
    bool broken;             /* libtiff has failed */
};

static bool set_fields(TIFF *tiff, const struct tiff_writer *writer, uint32_t page, bool tiled)
{
    const struct pages *pages = &writer->pages;
    const uint16_t *palette = pages->palette;
    bool fine = TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, pages->width) != 0 &&
                TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, pages->height) != 0 &&
                TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8 * pages->bytes) != 0 &&
                TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1) != 0 &&
                TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC,
                             pages->has_palette ? PHOTOMETRIC_PALETTE : PHOTOMETRIC_MINISBLACK) != 0 &&
                TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) != 0 &&
                TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE) != 0 &&
                TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL) != 0 &&
                TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_PAGE) != 0 &&
                TIFFSetField(tiff, TIFFTAG_PAGENUMBER, (int)page, (int)pages->count) != 0 &&
                TIFFSetField(tiff, TIFFTAG_SOFTWARE, pages->software) != 0;

    if (fine && tiled)
        fine = TIFFSetField(tiff, TIFFTAG_TILEWIDTH, writer->side) != 0 &&
               TIFFSetField(tiff, TIFFTAG_TILELENGTH, writer->side) != 0;
    else if (fine)
        fine = TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, TIFFDefaultStripSize(tiff, 0)) != 0;
    if (fine && pages->has_palette)
        fine = TIFFSetField(tiff, TIFFTAG_COLORMAP, palette, palette + 256, palette + 512) != 0;
    return fine && shw_tiff_place_write(tiff, pages->width, pages->height, &pages->place);
}

/* Void has the last number: 255 of 8 bits. */
static void make_indices(const uint8_t *from, uint32_t count, uint8_t *to)
{
    const uint16_t *labels = (const uint16_t *)(const void *)from;

    for (uint32_t x = 0; x < count; x++)
        to[x] = labels[x] < 255 ? (uint8_t)labels[x] : 255;
}

/* Numbers of a row as they are in the file. libtiff's predictor works in them. */
static void make_row(const struct pages *pages, const uint8_t *from, uint32_t width, uint8_t *to)
{
    if (pages->given != pages->bytes)
        make_indices(from, width, to);
    else
        memcpy(to, from, (size_t)width * pages->bytes);
}

/* Writes a row of tiles, of which that many rows are in the image. */
static bool write_tiles(struct tiff_writer *writer, TIFF *tiff, uint32_t top, const uint8_t *rows, uint32_t count)
{
    const struct pages *pages = &writer->pages;
    const size_t side = writer->side, bytes = pages->bytes;
    bool fine = true;

    for (uint32_t left = 0; left < pages->width && fine; left += writer->side) {
        const uint32_t width = shw_min_u32(writer->side, pages->width - left);

        memset(writer->tile, 0, side * side * bytes);
        for (uint32_t y = 0; y < count; y++)
            make_row(pages, rows + ((size_t)y * pages->width + left) * pages->given, width,
                     writer->tile + y * side * bytes);
        fine = TIFFWriteEncodedTile(tiff, TIFFComputeTile(tiff, left, top, 0, 0), writer->tile,
                                    (tmsize_t)(side * side * bytes)) >= 0;
    }
    return fine;
}

static const char *mode_of(const struct pages *pages)
{
    return (uint64_t)pages->count * pages->width * pages->height * pages->bytes > (UINT64_C(1) << 31) ? "w8" : "w";
}

static enum shw_result fail(struct tiff_writer *writer, const char *reason)
{
    int error;

    writer->broken = true;
    if (shw_atomic_file_failed(&writer->file, &error)) /* commit reports it */
        return SHW_OK;
    return shw_fail(writer->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "cannot write %s: %s", writer->file.path,
                    reason[0] != '\0' ? reason : "out of memory");
}

/* All pages one after the other, in strips. */
static enum shw_result write_whole(struct tiff_writer *writer, const uint8_t *values, size_t plane)
{
    const struct pages *pages = &writer->pages;
    const size_t row = (size_t)pages->width * pages->given;
    uint8_t *made = malloc((size_t)pages->width * pages->bytes);
    bool fine = made != NULL;

    for (uint32_t page = 0; page < pages->count && fine; page++) {
        fine = set_fields(writer->tiff, writer, page, false);
        for (uint32_t y = 0; y < pages->height && fine; y++) {
            make_row(pages, values + page * plane + y * row, pages->width, made);
            fine = TIFFWriteScanline(writer->tiff, made, y, 0) == 1;
        }
        fine = fine && TIFFWriteDirectory(writer->tiff) != 0;
    }
    free(made);
    writer->complete = true;
    return fine ? SHW_OK : fail(writer, writer->memory.reason);
}

static enum shw_result open_later(struct tiff_writer *writer, uint32_t page)
{
    struct page_file *later = &writer->later[page - 1];

    SHW_PROPAGATE(shw_atomic_file_open(&later->file, writer->file.path, writer->log));
    later->memory.stream = later->file.stream;
    later->tiff = shw_tiff_open(&later->memory, writer->file.path, mode_of(&writer->pages));
    return later->tiff != NULL && set_fields(later->tiff, writer, page, true) ? SHW_OK
                                                                              : fail(writer, later->memory.reason);
}

/* Before the first of several bands of rows. */
static enum shw_result begin_bands(struct tiff_writer *writer)
{
    const struct pages *pages = &writer->pages;

    if (writer->later != NULL)
        return SHW_OK;
    writer->later = shw_zeros(pages->count, sizeof *writer->later);
    if (writer->later == NULL)
        return shw_fail_memory(writer->log, writer->file.path);
    if (!set_fields(writer->tiff, writer, 0, true))
        return fail(writer, writer->memory.reason);
    for (uint32_t page = 1; page < pages->count && !writer->broken; page++)
        SHW_PROPAGATE(open_later(writer, page));
    return SHW_OK;
}

/* A row of tiles of all pages, `plane` bytes apart. */
static enum shw_result write_band(struct tiff_writer *writer, const uint8_t *rows, size_t plane, uint32_t count)
{
    for (uint32_t page = 0; page < writer->pages.count; page++) {
        struct page_file *later = page > 0 ? &writer->later[page - 1] : NULL;
        TIFF *tiff = later != NULL ? later->tiff : writer->tiff;
        if (!write_tiles(writer, tiff, writer->top, rows + page * plane, count))
            return fail(writer, later != NULL ? later->memory.reason : writer->memory.reason);
    }
    writer->top += count;
    return SHW_OK;
}

/* Adds rows to those that do not fill tiles, until they do. Returns how many were taken. */
static uint32_t collect(struct tiff_writer *writer, const uint8_t *rows, size_t plane, uint32_t count)
{
    const struct pages *pages = &writer->pages;
    const size_t row = (size_t)pages->width * pages->given;
    const uint32_t taken = shw_min_u32(count, writer->side - writer->pending);

    for (uint32_t page = 0; page < pages->count; page++)
        memcpy(writer->band + (page * (size_t)writer->side + writer->pending) * row, rows + page * plane, taken * row);
    writer->pending += taken;
    return taken;
}

static enum shw_result put_band(struct tiff_writer *writer, const uint8_t *rows, size_t plane, uint32_t count)
{
    const struct pages *pages = &writer->pages;
    const size_t row = (size_t)pages->width * pages->given;

    SHW_PROPAGATE(begin_bands(writer));
    for (uint32_t y = 0, taken; y < count && !writer->broken; y += taken) {
        const uint32_t left = pages->height - writer->top;

        if (writer->pending == 0 && count - y >= shw_min_u32(writer->side, left)) {
            taken = shw_min_u32(writer->side, left);
            SHW_PROPAGATE(write_band(writer, rows + y * row, plane, taken));
            continue;
        }
        if (writer->band == NULL && (writer->band = malloc(pages->count * row * writer->side)) == NULL)
            return shw_fail_memory(writer->log, writer->file.path);
        taken = collect(writer, rows + y * row, plane, count - y);
        if (writer->pending == shw_min_u32(writer->side, left)) {
            SHW_PROPAGATE(write_band(writer, writer->band, row * writer->side, writer->pending));
            writer->pending = 0;
        }
    }
    return SHW_OK;
}

static enum shw_result put(struct shw_row_writer *rows, const void *values, size_t plane, uint32_t count)
{
    struct tiff_writer *writer = (struct tiff_writer *)rows;

    if (writer->broken)
        return SHW_OK;
    return count == writer->pages.height ? write_whole(writer, values, plane) : put_band(writer, values, plane, count);
}

/* Copies the compressed tiles of a page that was written beside the first. */
static bool copy_tiles(struct tiff_writer *writer, struct page_file *later)
{
    const size_t room = (size_t)writer->side * writer->side * writer->pages.bytes * 2 + 4096; /* of deflate, at most */
    void *bytes = malloc(room);
    bool fine;

    TIFFClose(later->tiff);
    later->tiff = NULL;
    fine = bytes != NULL && later->memory.reason[0] == '\0' && fflush(later->file.stream) == 0 &&
           fseeko(later->file.stream, 0, SEEK_SET) == 0;
    if (fine) {
        later->memory.size = UINT64_MAX;
        later->tiff = shw_tiff_open(&later->memory, writer->file.path, "rm");
        fine = later->tiff != NULL;
    }
    for (uint32_t t = 0; fine && t < TIFFNumberOfTiles(later->tiff); t++) {
        tmsize_t size = TIFFReadRawTile(later->tiff, t, bytes, (tmsize_t)room);
        fine = size > 0 && TIFFWriteRawTile(writer->tiff, t, bytes, size) == size;
    }
    free(bytes);
    return fine;
}

static enum shw_result end_bands(struct tiff_writer *writer)
{
    bool fine = TIFFWriteDirectory(writer->tiff) != 0;

    for (uint32_t page = 1; page < writer->pages.count && fine; page++)
        fine = set_fields(writer->tiff, writer, page, true) && copy_tiles(writer, &writer->later[page - 1]) &&
               TIFFWriteDirectory(writer->tiff) != 0;
    writer->complete = true;
    return fine ? SHW_OK : fail(writer, writer->memory.reason);
}

static void abandon(struct shw_row_writer *rows)
{
    struct tiff_writer *writer = (struct tiff_writer *)rows;

    for (uint32_t page = 1; writer->later != NULL && page < writer->pages.count; page++) {
        shw_tiff_close(writer->later[page - 1].tiff, &writer->later[page - 1].memory);
        shw_atomic_file_abandon(&writer->later[page - 1].file);
    }
    shw_tiff_close(writer->tiff, &writer->memory);
    shw_atomic_file_abandon(&writer->file);
    shw_tiff_place_free(&writer->pages.place);
    free(writer->later);
    free(writer->band);
    free(writer->tile);
    free(writer);
}

static enum shw_result commit(struct shw_row_writer *rows)
{
    struct tiff_writer *writer = (struct tiff_writer *)rows;
    enum shw_result result = writer->complete || writer->broken ? SHW_OK : end_bands(writer);

    shw_tiff_close(writer->tiff, &writer->memory);
    writer->tiff = NULL;
    if (result == SHW_OK && writer->memory.reason[0] != '\0')
        result = fail(writer, writer->memory.reason);
    if (result == SHW_OK)
        result = shw_atomic_file_commit(&writer->file, writer->log);
    abandon(rows);
    return result;
}

/* The least multiple of 16 that a small image fits, or the usual side. */
static uint32_t side_of(const struct pages *pages)
{
    return (uint32_t)shw_align_up(shw_min_u32(TILE_SIDE, shw_max_u32(pages->width, pages->height)), 16);
}

static enum shw_result open_pages(const char *path, const char *like, const struct pages *pages,
                                  const struct shw_log *log, struct shw_row_writer **rows)
{
    struct tiff_writer *writer;
    enum shw_result result;

    if (pages->count == 0 || pages->count > 65535 || pages->width == 0 || pages->height == 0 ||
        pages->width > SHW_LARGE_SIDE_MAX || pages->height > SHW_LARGE_SIDE_MAX)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "cannot write %s: %u pages of %u x %u pixels", path,
                        pages->count, pages->width, pages->height);
    writer = calloc(1, sizeof *writer);
    if (writer == NULL)
        return shw_fail_memory(log, path);
    *writer = (struct tiff_writer){.rows = {put, commit, abandon}, .pages = *pages, .log = log, .side = side_of(pages)};
    if (like != NULL)
        shw_tiff_place_read(like, &writer->pages.place);
    writer->tile = malloc((size_t)writer->side * writer->side * pages->bytes);
    result = shw_atomic_file_open(&writer->file, path, log);
    if (result == SHW_OK) {
        writer->memory.stream = writer->file.stream;
        writer->tiff = shw_tiff_open(&writer->memory, path, mode_of(pages));
        if (writer->tile == NULL || writer->tiff == NULL)
            result = shw_fail_memory(log, path);
    }
    if (result == SHW_OK)
        *rows = &writer->rows;
    else
        abandon(&writer->rows);
    return result;
}

enum shw_result shw_tiff_open_pages(const char *path, const char *like, uint32_t count, uint32_t width, uint32_t height,
                                    const struct shw_log *log, struct shw_row_writer **rows)
{
    const struct pages pages = {.count = count,
                                .width = width,
                                .height = height,
                                .bytes = sizeof(uint16_t),
                                .given = sizeof(uint16_t),
                                .software = SHW_WRITER " " SHW_MARK_PROBABILITIES};

    return open_pages(path, like, &pages, log, rows);
}

enum shw_result shw_tiff_write_pages(const char *path, const char *like, const uint16_t *planes, uint32_t count,
                                     uint32_t width, uint32_t height, const struct shw_log *log)
{
    struct shw_row_writer *rows = NULL;
    enum shw_result result = shw_tiff_open_pages(path, like, count, width, height, log, &rows);

    return shw_row_writer_finish(result, rows, planes, (size_t)width * height * sizeof *planes, height);
}

enum shw_result shw_tiff_open_labels(const char *path, const char *like, uint32_t width, uint32_t height,
                                     const struct shw_class *classes, uint32_t class_count, const struct shw_log *log,
                                     struct shw_row_writer **rows)
{
    struct pages pages = {.count = 1,
                          .width = width,
                          .height = height,
                          .bytes = class_count < 256 ? 1 : sizeof(uint16_t),
                          .given = sizeof(uint16_t),
                          .software = SHW_WRITER " " SHW_MARK_LABELS,
                          .has_palette = class_count < 256};

    for (uint32_t i = 0; i < class_count && class_count < 256; i++)
        for (uint32_t c = 0; c < 3; c++)
            pages.palette[256 * c + i] = (uint16_t)(257 * classes[i].colour[c]);
    return open_pages(path, like, &pages, log, rows);
}

enum shw_result shw_tiff_write_labels(const char *path, const char *like, const uint16_t *labels, uint32_t width,
                                      uint32_t height, const struct shw_class *classes, uint32_t class_count,
                                      const struct shw_log *log)
{
    struct shw_row_writer *rows = NULL;
    enum shw_result result = shw_tiff_open_labels(path, like, width, height, classes, class_count, log, &rows);

    return shw_row_writer_finish(result, rows, labels, 0, height);
}

enum shw_result shw_tiff_write_instances(const char *path, const uint32_t *numbers, uint32_t width, uint32_t height,
                                         const struct shw_log *log)
{
    const struct pages pages = {.count = 1,
                                .width = width,
                                .height = height,
                                .bytes = sizeof *numbers,
                                .given = sizeof *numbers,
                                .software = SHW_WRITER " " SHW_MARK_INSTANCES};
    struct shw_row_writer *rows = NULL;
    enum shw_result result = open_pages(path, NULL, &pages, log, &rows);

    return shw_row_writer_finish(result, rows, numbers, 0, height);
}

bool shw_tiff_read_mark(const char *path, char mark[SHW_TIFF_MARK_SIZE])
{
    struct shw_tiff_memory memory = {.stream = NULL};
    uint64_t size;
    TIFF *tiff = shw_file_open(path, NULL, &memory.stream, &size) == SHW_OK ? shw_tiff_open(&memory, path, "rm") : NULL;
    const char *writer = NULL;
    bool marked = tiff != NULL && TIFFGetField(tiff, TIFFTAG_SOFTWARE, &writer) != 0 &&
                  strncmp(writer, SHW_WRITER " ", sizeof SHW_WRITER) == 0 &&
                  strlen(writer + sizeof SHW_WRITER) < SHW_TIFF_MARK_SIZE;

    strcpy(mark, marked ? writer + sizeof SHW_WRITER : "");
    if (tiff != NULL)
        TIFFClose(tiff);
    if (memory.stream != NULL)
        fclose(memory.stream);
    return marked;
}

bool shw_tiff_is_marked(const char *path, const char *mark)
{
    char marked[SHW_TIFF_MARK_SIZE];

    return shw_tiff_read_mark(path, marked) && strcmp(marked, mark) == 0;
}
