#include "testing/image_encode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* jpeglib.h wants stdio.h before it */
#include <jpeglib.h>
#include <png.h>
#include <tiffio.h>

#include "testing/testing.h"

void testing_write_file(const char *path, struct testing_bytes bytes)
{
    FILE *stream = fopen(path, "wb");

    if (stream == NULL || fwrite(bytes.bytes, 1, bytes.size, stream) != bytes.size || fclose(stream) != 0)
        abort();
    free(bytes.bytes);
}

struct testing_bytes testing_read_file(const char *path)
{
    FILE *stream = fopen(path, "rb");
    struct testing_bytes bytes = {0};
    long size;

    if (stream == NULL || fseek(stream, 0, SEEK_END) != 0 || (size = ftell(stream)) < 0)
        abort();
    rewind(stream);
    bytes.bytes = malloc((size_t)size + 1);
    if (bytes.bytes == NULL)
        abort();
    bytes.size = fread(bytes.bytes, 1, (size_t)size, stream);
    fclose(stream);
    return bytes;
}

/* Packs one row of samples as PNG, TIFF and BMP do: from the highest bit down; 16 bit as `big` says. */
static void pack_row(const uint16_t *values, size_t count, unsigned bits, bool big, uint8_t *row)
{
    memset(row, 0, (count * bits + 7) / 8);
    for (size_t i = 0; i < count; i++) {
        if (bits == 16) {
            row[2 * i + (big ? 0 : 1)] = (uint8_t)(values[i] >> 8);
            row[2 * i + (big ? 1 : 0)] = (uint8_t)values[i];
        } else {
            row[i * bits / 8] |= (uint8_t)(values[i] << (8 - bits - i * bits % 8));
        }
    }
}

/* An EXIF block that tells an orientation and nothing else, in Intel order. */
static const uint8_t exif_block[] = {'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3,
                                     0,   1,   0,  0, 0, 0, 0, 0, 0, 0, 0,    0,    0};
#define EXIF_VALUE 18

static void append_png(png_structp png, png_bytep from, size_t size)
{
    struct testing_bytes *bytes = png_get_io_ptr(png);

    bytes->bytes = realloc(bytes->bytes, bytes->size + size);
    memcpy(bytes->bytes + bytes->size, from, size);
    bytes->size += size;
}

struct testing_bytes testing_encode_png(const struct testing_picture *picture)
{
    static const int types[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                PNG_COLOR_TYPE_RGB_ALPHA};
    struct testing_bytes bytes = {0};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    size_t count = (size_t)picture->width * picture->samples, stride = (count * picture->bits + 7) / 8;
    uint8_t *rows = malloc(stride * picture->height), **starts = malloc(picture->height * sizeof *starts);
    uint8_t alphas[2] = {255, 128}, exif[sizeof exif_block];

    png_set_write_fn(png, &bytes, append_png, NULL);
    png_set_IHDR(png, info, picture->width, picture->height, (int)picture->bits,
                 picture->palette != NULL ? PNG_COLOR_TYPE_PALETTE : types[picture->samples],
                 picture->interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (picture->palette != NULL) {
        png_color colours[256];
        for (int i = 0; i < 256; i++)
            colours[i] = (png_color){picture->palette[i][0], picture->palette[i][1], picture->palette[i][2]};
        png_set_PLTE(png, info, colours, 1 << picture->bits);
        if (picture->transparent)
            png_set_tRNS(png, info, alphas, 2, NULL);
    }
    if (picture->orientation != 0) {
        memcpy(exif, exif_block, sizeof exif);
        exif[EXIF_VALUE] = (uint8_t)picture->orientation;
        png_set_eXIf_1(png, info, sizeof exif, exif);
    }
    for (uint32_t y = 0; y < picture->height; y++) {
        starts[y] = rows + y * stride;
        pack_row(picture->values + y * count, count, picture->bits, true, starts[y]);
    }
    png_write_info(png, info);
    png_write_image(png, starts);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    free(starts);
    free(rows);
    return bytes;
}

struct testing_bytes testing_encode_jpeg(const struct testing_picture *picture)
{
    static const J_COLOR_SPACE spaces[] = {JCS_UNKNOWN, JCS_GRAYSCALE, JCS_UNKNOWN, JCS_RGB, JCS_CMYK};
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    unsigned char *memory = NULL;
    unsigned long size = 0;
    size_t count = (size_t)picture->width * picture->samples;
    uint8_t *row = malloc(count);
    struct testing_bytes bytes;

    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &memory, &size);
    jpeg.image_width = picture->width;
    jpeg.image_height = picture->height;
    jpeg.input_components = (int)picture->samples;
    jpeg.in_color_space = spaces[picture->samples];
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, 100, TRUE);
    if (picture->interlaced)
        jpeg_simple_progression(&jpeg);
    jpeg.arith_code = picture->arithmetic;
    jpeg_start_compress(&jpeg, TRUE);
    if (picture->orientation != 0) {
        uint8_t marker[6 + sizeof exif_block] = "Exif\0";
        memcpy(marker + 6, exif_block, sizeof exif_block);
        marker[6 + EXIF_VALUE] = (uint8_t)picture->orientation;
        jpeg_write_marker(&jpeg, JPEG_APP0 + 1, marker, sizeof marker);
    }
    for (uint32_t y = 0; y < picture->height; y++) {
        for (size_t i = 0; i < count; i++)
            row[i] = (uint8_t)picture->values[y * count + i];
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    free(row);
    bytes = (struct testing_bytes){memory, size};
    return bytes;
}

static unsigned photometric_of(const struct testing_picture *picture)
{
    if (picture->palette != NULL)
        return PHOTOMETRIC_PALETTE;
    if (picture->samples >= 3)
        return PHOTOMETRIC_RGB;
    return picture->inverted ? PHOTOMETRIC_MINISWHITE : PHOTOMETRIC_MINISBLACK;
}

static void set_tiff_fields(TIFF *tiff, const struct testing_picture *picture)
{
    uint16_t map[3][256], extra = EXTRASAMPLE_UNASSALPHA;

    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, picture->width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, picture->height);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, picture->bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, picture->samples);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, photometric_of(picture));
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, picture->separate ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, picture->compression != 0 ? picture->compression : COMPRESSION_NONE);
    if (picture->samples == 2 || picture->samples == 4)
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &extra);
    if (picture->orientation != 0)
        TIFFSetField(tiff, TIFFTAG_ORIENTATION, picture->orientation);
    if (picture->palette != NULL) {
        for (int i = 0; i < 256; i++)
            for (int c = 0; c < 3; c++)
                map[c][i] = (uint16_t)(picture->palette[i][c] * 257);
        TIFFSetField(tiff, TIFFTAG_COLORMAP, map[0], map[1], map[2]);
    }
    if (picture->tile != 0) {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, picture->tile);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, picture->tile);
    } else {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 3);
    }
}

/* One strip or tile: the samples of plane `plane`, or of all, of the pixels from (left, top) on. */
static void pack_block(const struct testing_picture *picture, uint32_t left, uint32_t top, uint32_t width,
                       uint32_t height, unsigned plane, uint8_t *block)
{
    unsigned samples = picture->separate ? 1 : picture->samples;
    size_t stride = ((size_t)width * samples * picture->bits + 7) / 8;
    uint16_t *values = calloc((size_t)width * samples, sizeof *values);

    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++)
            for (unsigned s = 0; s < samples; s++)
                values[x * samples + s] =
                    top + y < picture->height && left + x < picture->width
                        ? picture->values[((top + y) * picture->width + left + x) * picture->samples + plane + s]
                        : 0;
        pack_row(values, (size_t)width * samples, picture->bits, false, block + y * stride);
    }
    free(values);
}

struct testing_bytes testing_encode_tiff(const struct testing_picture *picture)
{
    const char *path = testing_path("encode.tif");
    TIFF *tiff = TIFFOpen(path, picture->big_endian ? "wb" : "wl");
    uint8_t *block = malloc((size_t)1 << 20);

    set_tiff_fields(tiff, picture);
    for (unsigned plane = 0; plane < (picture->separate ? picture->samples : 1); plane++) {
        uint32_t block_height = picture->tile != 0 ? picture->tile : 3;
        uint32_t block_width = picture->tile != 0 ? picture->tile : picture->width;

        for (uint32_t y = 0; y < picture->height; y += block_height) {
            for (uint32_t x = 0; x < picture->width; x += block_width) {
                uint32_t rows = picture->tile == 0 && picture->height - y < 3 ? picture->height - y : block_height;
                tmsize_t size;

                pack_block(picture, x, y, block_width, rows, plane, block);
                size =
                    ((tmsize_t)block_width * (picture->separate ? 1 : picture->samples) * picture->bits + 7) / 8 * rows;
                if (picture->tile != 0)
                    TIFFWriteEncodedTile(tiff, TIFFComputeTile(tiff, x, y, 0, (uint16_t)plane), block, size);
                else
                    TIFFWriteEncodedStrip(tiff, TIFFComputeStrip(tiff, y, (uint16_t)plane), block, size);
            }
        }
    }
    TIFFClose(tiff);
    free(block);
    return testing_read_file(path);
}

static void put(uint8_t *bytes, uint32_t value, int size)
{
    for (int i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

/* 1, 4 and 8 bits with a palette; 24 and 32 bits from three 8-bit samples. */
struct testing_bytes testing_encode_bmp(const struct testing_picture *picture)
{
    uint32_t colours = picture->palette == NULL     ? 0
                       : picture->palette_size != 0 ? picture->palette_size
                                                    : 1u << picture->bits;
    uint32_t offset = 54 + 4 * colours, stride = (picture->width * picture->bits + 31) / 32 * 4;
    struct testing_bytes bytes = {calloc(1, offset + stride * picture->height), offset + stride * picture->height};
    uint8_t *to = bytes.bytes;

    memcpy(to, "BM", 2);
    put(to + 2, (uint32_t)bytes.size, 4);
    put(to + 10, offset, 4);
    put(to + 14, 40, 4);
    put(to + 18, picture->width, 4);
    put(to + 22, picture->top_down ? 0u - picture->height : picture->height, 4);
    put(to + 26, 1, 2);
    put(to + 28, picture->bits, 2);
    put(to + 46, colours, 4);
    for (uint32_t i = 0; i < colours; i++)
        for (int c = 0; c < 3; c++)
            to[54 + 4 * i + (uint32_t)c] = picture->palette[i][2 - c];
    for (uint32_t y = 0; y < picture->height; y++) {
        uint8_t *row = to + offset + (picture->top_down ? y : picture->height - 1 - y) * stride;
        const uint16_t *values = picture->values + (size_t)y * picture->width * picture->samples;

        if (picture->palette != NULL)
            pack_row(values, picture->width, picture->bits, false, row);
        else
            for (uint32_t x = 0; x < picture->width; x++)
                for (uint32_t c = 0; c < 3; c++)
                    row[x * picture->bits / 8 + c] = (uint8_t)values[3 * x + 2 - c];
    }
    return bytes;
}

struct testing_bytes testing_encode_pnm(const struct testing_picture *picture)
{
    size_t count = (size_t)picture->width * picture->height * picture->samples;
    struct testing_bytes bytes = {malloc(64 + 2 * count), 0};

    bytes.size = (size_t)sprintf((char *)bytes.bytes, "P%d\n# a comment\n%u\t%u # another\n%u\n",
                                 picture->samples == 3 ? 6 : 5, picture->width, picture->height,
                                 picture->largest != 0 ? picture->largest : (1u << picture->bits) - 1);
    pack_row(picture->values, count, picture->bits, true, bytes.bytes + bytes.size);
    bytes.size += count * picture->bits / 8;
    return bytes;
}
