#include "files/image/decode.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>
/* jpeglib.h needs stdio.h before it */
#include <jerror.h>
#include <jpeglib.h>

/* More scans than any real progressive file has: a small file could make the decoder process a large image thousands of
 * times. */
#define SCANS_MAX 100

/* Of the plane with the highest resolution: at least one bit per block of 8 x 8 pixels in Huffman codes. Arithmetic
 * codes have no such bound, since a flat block takes next to nothing: the smallest files that libjpeg writes, of some
 * 300 bytes, may have 40 million pixels, more than the sensors of most cameras. */
#define PIXELS_PER_BYTE_MAX            512
#define ARITHMETIC_PIXELS_PER_BYTE_MAX 131072

struct reading {
    struct jpeg_error_mgr errors; /* first: libjpeg passes its address */
    struct jpeg_progress_mgr progress;
    struct jpeg_decompress_struct jpeg;
    const struct shw_source *source;
    struct shw_decoded *decoded;
    enum shw_result result;
    jmp_buf failed;
    char reason[JMSG_LENGTH_MAX];
};

_Noreturn static void fail(j_common_ptr jpeg, const char *reason)
{
    struct reading *reading = (struct reading *)jpeg->err;

    if (reason != NULL)
        snprintf(reading->reason, sizeof reading->reason, "%s", reason);
    else
        jpeg->err->format_message(jpeg, reading->reason);
    longjmp(reading->failed, 1);
}

static void on_error(j_common_ptr jpeg)
{
    fail(jpeg, NULL);
}

/* libjpeg only warns of missing or damaged data and makes up pixels for them. A few warnings are harmless. */
static void on_message(j_common_ptr jpeg, int level)
{
    if (level >= 0)
        return;
    switch (jpeg->err->msg_code) {
    case JWRN_ADOBE_XFORM:
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_JFIF_MAJOR:
    case JWRN_TOO_MUCH_DATA: return;
    case JWRN_JPEG_EOF:
    case JWRN_HIT_MARKER: fail(jpeg, "the file is truncated");
    default: fail(jpeg, NULL);
    }
}

static void on_progress(j_common_ptr jpeg)
{
    if (jpeg->is_decompressor && ((j_decompress_ptr)jpeg)->input_scan_number > SCANS_MAX)
        fail(jpeg, "too many scans");
    if (shw_source_is_stopped(((struct reading *)jpeg->err)->source))
        fail(jpeg, "it was given up");
}

static unsigned orientation_of(const struct jpeg_decompress_struct *jpeg)
{
    static const uint8_t signature[6] = "Exif\0";

    for (jpeg_saved_marker_ptr marker = jpeg->marker_list; marker != NULL; marker = marker->next)
        if (marker->marker == JPEG_APP0 + 1 && marker->data_length > sizeof signature &&
            memcmp(marker->data, signature, sizeof signature) == 0)
            return shw_exif_orientation(marker->data + sizeof signature, marker->data_length - sizeof signature);
    return 0;
}

/* CMYK to RGB in place, from four bytes per pixel to three. Adobe's files store inverted ink. */
static void cmyk_to_rgb(uint8_t *row, uint32_t width, bool inverted)
{
    uint8_t invert = inverted ? 0 : 255;

    for (size_t x = 0; x < width; x++) {
        unsigned light = row[4 * x + 3] ^ invert;

        for (size_t c = 0; c < 3; c++)
            row[3 * x + c] = (uint8_t)(((row[4 * x + c] ^ invert) * light + 127) / 255);
    }
}

/* Memory for pixels is bounded by what the file can hold. */
static void check_length(struct reading *reading)
{
    struct jpeg_decompress_struct *jpeg = &reading->jpeg;
    uint64_t pixels = (uint64_t)jpeg->image_width * jpeg->image_height, size = reading->source->size;

    if (jpeg->arith_code && pixels / ARITHMETIC_PIXELS_PER_BYTE_MAX > size)
        fail((j_common_ptr)jpeg, "it has too few bytes for its pixels");
    if (!jpeg->arith_code && pixels / PIXELS_PER_BYTE_MAX > size)
        fail((j_common_ptr)jpeg, "the file is truncated");
}

/* libjpeg may leave it by longjmp: no local variable in use later changes after setjmp. */
static void decode(struct reading *reading)
{
    struct jpeg_decompress_struct *jpeg = &reading->jpeg;
    struct shw_decoded *decoded = reading->decoded;
    enum shw_pixel_format format;
    JSAMPROW line;
    size_t stride;
    bool cmyk;

    if (setjmp(reading->failed) != 0) {
        reading->result = shw_decode_fail(reading->source, decoded, "JPEG", reading->reason);
        return;
    }
    jpeg_create_decompress(jpeg);
    jpeg->progress = &reading->progress;
    jpeg_mem_src(jpeg, reading->source->bytes, (unsigned long)reading->source->size);
    jpeg_save_markers(jpeg, JPEG_APP0 + 1, 0xffff);
    jpeg_read_header(jpeg, TRUE);

    reading->result = shw_decoded_check_size(reading->source, jpeg->image_width, jpeg->image_height);
    if (reading->result != SHW_OK)
        return;
    check_length(reading);
    cmyk = jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK;
    jpeg->out_color_space = cmyk ? JCS_CMYK : jpeg->jpeg_color_space == JCS_GRAYSCALE ? JCS_GRAYSCALE : JCS_RGB;
    format = cmyk ? SHW_PIXEL_RGBA8 : jpeg->jpeg_color_space == JCS_GRAYSCALE ? SHW_PIXEL_GREY8 : SHW_PIXEL_RGB8;
    reading->result = shw_decoded_allocate(reading->source, jpeg->image_width, jpeg->image_height, format, decoded);
    if (reading->result != SHW_OK)
        return;
    jpeg_start_decompress(jpeg);
    stride = decoded->width * shw_pixel_size(format);
    while (jpeg->output_scanline < jpeg->output_height) {
        line = decoded->pixels + jpeg->output_scanline * stride;
        jpeg_read_scanlines(jpeg, &line, 1);
    }
    decoded->orientation = orientation_of(jpeg); /* finishing frees the markers */
    jpeg_finish_decompress(jpeg);
    if (cmyk) {
        decoded->format = SHW_PIXEL_RGB8;
        for (size_t y = 0; y < decoded->height; y++) {
            cmyk_to_rgb(decoded->pixels + y * stride, decoded->width, jpeg->saw_Adobe_marker);
            memmove(decoded->pixels + y * decoded->width * 3, decoded->pixels + y * stride, decoded->width * (size_t)3);
        }
    }
}

static enum shw_result decode_file(const struct shw_source *source, struct shw_decoded *decoded)
{
    struct reading reading = {.source = source, .decoded = decoded};

    reading.jpeg.err = jpeg_std_error(&reading.errors);
    reading.errors.error_exit = on_error;
    reading.errors.emit_message = on_message;
    reading.progress.progress_monitor = on_progress;
    decode(&reading);
    jpeg_destroy_decompress(&reading.jpeg);
    return reading.result;
}

static const char *label_fault(const struct shw_source *source)
{
    (void)source;
    return "JPEG changes labels; save them as PNG";
}

const struct shw_image_format shw_image_format_jpeg = {.name = "JPEG",
                                                       .signatures = {SHW_SIGNATURE("\xff\xd8")},
                                                       .access = SHW_READ_WHOLE,
                                                       .decode = decode_file,
                                                       .label_fault = label_fault};
