/* Luma and chroma in memory, against the definitions of the standards in floating point. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testing/frames.h"

static double code_of(const struct shw_ycbcr *encoding, const void *plane, size_t row, size_t index)
{
    const uint32_t bits = encoding->bits != 0 ? encoding->bits : 8;
    uint32_t word;

    if (bits == 8)
        return ((const uint8_t *)plane + row)[index];
    word = ((const uint16_t *)(const void *)((const uint8_t *)plane + row))[index];
    if (!encoding->in_low_bits)
        return word >> (16 - bits);
    return word < (1u << bits) - 1 ? word : (1u << bits) - 1;
}

static double clamped(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* Chroma at a place between samples, Cb or Cr. */
static double chroma_of(const struct shw_ycbcr_image *frame, bool red, double x, double y)
{
    const void *plane = frame->interleaved || !red ? frame->cb : frame->cr;
    const size_t step = frame->interleaved ? 2 : 1, first = frame->interleaved && red ? 1 : 0;
    double sum = 0;

    for (int dy = 0; dy < 2; dy++)
        for (int dx = 0; dx < 2; dx++) {
            double column = clamped(floor(x) + dx, 0, frame->chroma_width - 1);
            double row = clamped(floor(y) + dy, 0, frame->chroma_height - 1);
            double share =
                (dx == 0 ? 1 - (x - floor(x)) : x - floor(x)) * (dy == 0 ? 1 - (y - floor(y)) : y - floor(y));
            sum += share *
                   code_of(&frame->encoding, plane, (size_t)row * frame->chroma_stride, (size_t)column * step + first);
        }
    return sum;
}

/* R, G and B, from 0 to 1. */
static void ideal(const struct shw_ycbcr_image *frame, uint32_t x, uint32_t y, double rgb[3])
{
    static const double shares[3][2] = {{0.2126, 0.0722}, {0.299, 0.114}, {0.2627, 0.0593}};
    const struct shw_ycbcr *encoding = &frame->encoding;
    const double red = shares[encoding->matrix][0], blue = shares[encoding->matrix][1];
    const double top = exp2(encoding->bits != 0 ? encoding->bits : 8), unit = top / 256;
    const bool x_halved = frame->chroma_width < frame->width, y_halved = frame->chroma_height < frame->height;
    const double cx = !x_halved ? x : encoding->siting == SHW_YCBCR_CENTRE ? (x - 0.5) / 2 : x / 2.0;
    const double cy = !y_halved ? y : encoding->siting != SHW_YCBCR_TOP_LEFT ? (y - 0.5) / 2 : y / 2.0;
    const double black = encoding->full_range ? 0 : 16 * unit, luma_codes = encoding->full_range ? top - 1 : 219 * unit;
    const double chroma_codes = encoding->full_range ? top - 1 : 224 * unit;
    const double luma = (code_of(encoding, frame->luma, y * frame->luma_stride, x) - black) / luma_codes;
    const double cb = (chroma_of(frame, false, cx, cy) - top / 2) / chroma_codes;
    const double cr = (chroma_of(frame, true, cx, cy) - top / 2) / chroma_codes;

    rgb[0] = luma + 2 * (1 - red) * cr;
    rgb[2] = luma + 2 * (1 - blue) * cb;
    rgb[1] = (luma - red * rgb[0] - blue * rgb[2]) / (1 - red - blue);
}

/* How far from the ideal a result may be: half a code, and what 32-bit integers lose. */
static double bound(const struct shw_ycbcr *encoding)
{
    switch (encoding->bits) {
    case 10: return 0.5 + 1.2;
    case 12: return 0.5 + 4.3;
    case 16: return 0.5 + 10;
    default: return 0.5 + 0.02;
    }
}

static enum shw_pixel_format random_format(struct testing_random *random, const struct shw_ycbcr *encoding)
{
    static const enum shw_pixel_format narrow[] = {SHW_PIXEL_RGB8, SHW_PIXEL_RGBA8, SHW_PIXEL_BGRA8};
    static const enum shw_pixel_format wide[] = {SHW_PIXEL_RGB16, SHW_PIXEL_RGBA16};

    return encoding->bits > 8 ? wide[testing_random_below(random, 2)] : narrow[testing_random_below(random, 3)];
}

TESTING_CASE(is_what_the_standards_say)
{
    struct testing_random random = {41};
    double worst[17] = {0};

    for (int run = 0; run < 300; run++) {
        const struct shw_ycbcr encoding = testing_encoding(&random);
        const uint32_t width = 1 + testing_random_below(&random, 9), height = 1 + testing_random_below(&random, 9);
        const uint32_t halved = testing_random_below(&random, 4);
        const enum shw_pixel_format format = random_format(&random, &encoding);
        const size_t size = shw_pixel_size(format), sample = encoding.bits > 8 ? 2 : 1;
        const size_t stride = (width + testing_random_below(&random, 3)) * size;
        struct shw_ycbcr_image frame =
            testing_frame(&random, &encoding, width, height, (halved & 1) != 0, halved > 1,
                          testing_random_below(&random, 2) != 0, testing_random_below(&random, 3));
        const double most = sample == 2 ? 65535 : 255;
        uint8_t *pixels = malloc(stride * height);

        assert_non_null(pixels);
        memset(pixels, 0x5a, stride * height);
        assert_int_equal(shw_ycbcr_convert(&frame, format, pixels, stride, NULL), SHW_OK);
        for (uint32_t y = 0; y < height; y++) {
            for (uint32_t x = 0; x < width; x++) {
                const uint8_t *pixel = pixels + y * stride + x * size;
                double rgb[3];
                ideal(&frame, x, y, rgb);
                for (int c = 0; c < 3; c++) {
                    const int s = format == SHW_PIXEL_BGRA8 ? 2 - c : c;
                    const double got = sample == 2 ? ((const uint16_t *)(const void *)pixel)[s] : pixel[s];
                    const double error = fabs(got - clamped(rgb[c], 0, 1) * most);
                    worst[encoding.bits] = fmax(worst[encoding.bits], error);
                    if (error > bound(&encoding))
                        fail_msg("run %d, %u bits, pixel %u, %u, component %d: %g instead of %g", run, encoding.bits, x,
                                 y, c, got, rgb[c] * most);
                }
                if (size == 4 * sample)
                    assert_true(sample == 2 ? ((const uint16_t *)(const void *)pixel)[3] == 65535 : pixel[3] == 255);
            }
            for (size_t i = width * size; i < stride; i++)
                assert_int_equal(pixels[y * stride + i], 0x5a);
        }
        free(pixels);
        testing_frame_free(&frame);
    }
    for (uint32_t bits = 8; bits <= 16; bits += 2)
        if (worst[bits] > 0)
            print_message("# %u bits: at most %.3f codes from the ideal\n", bits, worst[bits]);
}

/* One pixel. */
static void expect(const struct shw_ycbcr *encoding, uint16_t luma, uint16_t cb, uint16_t cr, uint16_t red,
                   uint16_t green, uint16_t blue)
{
    const bool wide = encoding->bits > 8;
    const uint8_t narrow[3] = {(uint8_t)luma, (uint8_t)cb, (uint8_t)cr};
    const uint16_t words[3] = {luma, cb, cr};
    const struct shw_ycbcr_image frame = {.encoding = *encoding,
                                          .width = 1,
                                          .height = 1,
                                          .chroma_width = 1,
                                          .chroma_height = 1,
                                          .luma = wide ? (const void *)&words[0] : &narrow[0],
                                          .cb = wide ? (const void *)&words[1] : &narrow[1],
                                          .cr = wide ? (const void *)&words[2] : &narrow[2]};
    uint16_t got[3];

    assert_int_equal(shw_ycbcr_convert(&frame, wide ? SHW_PIXEL_RGB16 : SHW_PIXEL_RGB8, got, 0, NULL), SHW_OK);
    for (int c = 0; c < 3; c++)
        assert_int_equal(wide ? got[c] : ((uint8_t *)got)[c], c == 0 ? red : c == 1 ? green : blue);
}

TESTING_CASE(greys_and_primaries)
{
    const struct shw_ycbcr full = {.matrix = SHW_YCBCR_BT601, .full_range = true};

    for (uint32_t matrix = 0; matrix < 3; matrix++) {
        const struct shw_ycbcr studio = {.matrix = (enum shw_ycbcr_matrix)matrix};
        const struct shw_ycbcr ten = {.matrix = (enum shw_ycbcr_matrix)matrix, .bits = 10, .in_low_bits = true};
        const struct shw_ycbcr all = {.matrix = (enum shw_ycbcr_matrix)matrix, .full_range = true};
        const struct shw_ycbcr sixteen = {.matrix = (enum shw_ycbcr_matrix)matrix, .full_range = true, .bits = 16};
        expect(&studio, 16, 128, 128, 0, 0, 0);
        expect(&studio, 235, 128, 128, 255, 255, 255);
        expect(&studio, 0, 128, 128, 0, 0, 0);
        expect(&studio, 255, 128, 128, 255, 255, 255);
        expect(&ten, 64, 512, 512, 0, 0, 0);
        expect(&ten, 940, 512, 512, 65535, 65535, 65535);
        for (uint16_t grey = 0; grey < 256; grey++) {
            expect(&all, grey, 128, 128, grey, grey, grey);
            expect(&sixteen, (uint16_t)(grey * 257), 32768, 32768, (uint16_t)(grey * 257), (uint16_t)(grey * 257),
                   (uint16_t)(grey * 257));
        }
    }
    /* what JPEG files have for red, green and blue */
    expect(&full, 76, 85, 255, 254, 0, 0);
    expect(&full, 150, 44, 21, 0, 255, 1);
    expect(&full, 29, 255, 107, 0, 0, 254);
}

static void refused(const struct shw_ycbcr_image *frame, enum shw_pixel_format format, size_t stride, const char *why)
{
    struct testing_log memory = {0};
    const struct shw_log log = testing_log(&memory);
    uint16_t pixels[64];

    assert_int_equal(shw_ycbcr_convert(frame, format, pixels, stride, &log), SHW_ERROR_ARGUMENT);
    assert_int_equal(memory.errors, 1);
    if (strstr(memory.last, why) == NULL)
        fail_msg("'%s' does not say '%s'", memory.last, why);
}

#define REFUSED(member, value, why)                                                                                    \
    do {                                                                                                               \
        struct shw_ycbcr_image changed = frame;                                                                        \
        changed.member = value;                                                                                        \
        refused(&changed, SHW_PIXEL_RGB8, 0, why);                                                                     \
    } while (0)

TESTING_CASE(what_is_wrong_is_refused)
{
    const uint16_t samples[16] = {0};
    const struct shw_ycbcr_image frame = {
        .width = 3, .height = 2, .chroma_width = 2, .chroma_height = 1, .luma = samples, .cb = samples, .cr = samples};
    struct shw_ycbcr_image wide = frame;

    REFUSED(encoding.matrix, (enum shw_ycbcr_matrix)3, "matrix 3");
    REFUSED(encoding.siting, (enum shw_ycbcr_siting)3, "siting 3");
    REFUSED(encoding.bits, 9, "not 9");
    REFUSED(encoding.bits, 10, "RGB16 or RGBA16");
    REFUSED(width, 0, "0 x 2");
    REFUSED(height, SHW_IMAGE_SIZE_MAX + 1, "65536");
    REFUSED(chroma_width, 1, "1 x 1 samples");
    REFUSED(chroma_height, 0, "2 x 0 samples");
    REFUSED(luma, NULL, "luma");
    REFUSED(cb, NULL, "cb");
    REFUSED(cr, NULL, "cr");
    REFUSED(luma_stride, 2, "shorter");
    REFUSED(chroma_stride, 1, "shorter");
    refused(&frame, SHW_PIXEL_RGB8, 8, "shorter");
    refused(&frame, SHW_PIXEL_RGB16, 0, "RGB8, RGBA8 or BGRA8");
    refused(&frame, SHW_PIXEL_GREY8, 0, "RGB8, RGBA8 or BGRA8");
    refused(&frame, (enum shw_pixel_format)99, 0, "RGB8, RGBA8 or BGRA8");
    wide.encoding.bits = 10;
    wide.luma_stride = 7;
    refused(&wide, SHW_PIXEL_RGB16, 0, "a stride of samples of 16 bits is odd");
    wide.luma_stride = 0;
    wide.cr = (const char *)samples + 1;
    refused(&wide, SHW_PIXEL_RGB16, 0, "an address of samples of 16 bits is odd");
    wide.cr = samples;
    wide.luma = (const char *)samples + 1;
    refused(&wide, SHW_PIXEL_RGB16, 0, "an address of samples of 16 bits is odd");
}
