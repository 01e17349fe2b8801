#include "dense/input/ycbcr.h"

#include "base/image.h"
#include "base/log.h"

/* How the numbers that a frame is converted by follow from its encoding. */

/* Of each matrix: the shares of R and B in luma, in ten thousandths. */
static const struct {
    uint32_t red, blue;
} shares[] = {[SHW_YCBCR_BT709] = {2126, 722}, [SHW_YCBCR_BT601] = {2990, 1140}, [SHW_YCBCR_BT2020] = {2627, 593}};

static uint32_t bits_of(const struct shw_ycbcr *encoding)
{
    return encoding->bits != 0 ? encoding->bits : 8;
}

bool shw_ycbcr_is_wide(const struct shw_ycbcr *encoding)
{
    return bits_of(encoding) > 8;
}

enum shw_result shw_ycbcr_check(const struct shw_ycbcr *encoding, const struct shw_log *log)
{
    const uint32_t bits = bits_of(encoding);

    if ((uint32_t)encoding->matrix >= sizeof shares / sizeof *shares)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no matrix %d of luma and chroma",
                        (int)encoding->matrix);
    if ((uint32_t)encoding->siting > SHW_YCBCR_TOP_LEFT)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no siting %d of chroma",
                        (int)encoding->siting);
    if (bits != 8 && bits != 10 && bits != 12 && bits != 16)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "luma and chroma have 8, 10, 12 or 16 bits, not %u",
                        bits);
    return SHW_OK;
}

/* numerator / denominator, rounded to the nearest. */
static int32_t divide(uint64_t numerator, uint64_t denominator)
{
    return (int32_t)((numerator + denominator / 2) / denominator);
}

static void plan_encoding(const struct shw_ycbcr *encoding, struct shw_ycbcr_push *push)
{
    const uint32_t bits = bits_of(encoding), wider = bits - 8;
    const uint64_t red = shares[encoding->matrix].red, blue = shares[encoding->matrix].blue, all = 10000;
    const uint64_t green = all - red - blue;
    const uint64_t luma_codes = encoding->full_range ? (1u << bits) - 1 : 219u << wider;
    const uint64_t chroma_codes = encoding->full_range ? (1u << bits) - 1 : 224u << wider;
    const uint32_t fraction = bits < 16 ? 4 : 0; /* of chroma, bits */
    uint64_t one, half;                          /* what is made of all luma, and of half the chroma */

    push->most = bits > 8 ? 65535 : 255;
    push->shift = bits > 8 ? 13 : 20;
    push->sample_shift = bits > 8 && !encoding->in_low_bits ? 16 - bits : 0;
    push->sample_most = (int32_t)(1u << bits) - 1;
    push->chroma_shift = 4 - fraction;
    push->luma_zero = encoding->full_range ? 0 : (int32_t)(16u << wider);
    push->chroma_zero = (int32_t)(128u << (wider + fraction));
    one = (uint64_t)push->most << push->shift;
    half = 2 * one;
    push->luma = divide(one, luma_codes);
    push->r_cr = divide(half * (all - red), all * (chroma_codes << fraction));
    push->b_cb = divide(half * (all - blue), all * (chroma_codes << fraction));
    push->g_cb = -divide(half * blue * (all - blue), all * green * (chroma_codes << fraction));
    push->g_cr = -divide(half * red * (all - red), all * green * (chroma_codes << fraction));
}

/* Whether chroma of `chroma` samples fits `luma` pixels along an axis. */
static bool fits(uint32_t luma, uint32_t chroma)
{
    return chroma == luma || chroma == (luma + 1) / 2;
}

enum shw_result shw_ycbcr_plan(const struct shw_ycbcr *encoding, VkExtent2D luma, VkExtent2D chroma,
                               const struct shw_log *log, struct shw_ycbcr_push *push)
{
    if (luma.width == 0 || luma.height == 0 || luma.width > SHW_IMAGE_SIZE_MAX || luma.height > SHW_IMAGE_SIZE_MAX)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "a frame has 1 to %u pixels a side, not %u x %u",
                        SHW_IMAGE_SIZE_MAX, luma.width, luma.height);
    if (!fits(luma.width, chroma.width) || !fits(luma.height, chroma.height))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a frame of %u x %u pixels cannot have %u x %u samples of chroma: as many, or half of them, "
                        "rounded up",
                        luma.width, luma.height, chroma.width, chroma.height);
    *push = (struct shw_ycbcr_push){.width = (int32_t)luma.width,
                                    .height = (int32_t)luma.height,
                                    .chroma_width = (int32_t)chroma.width,
                                    .chroma_height = (int32_t)chroma.height,
                                    .x_halved = chroma.width < luma.width,
                                    .y_halved = chroma.height < luma.height,
                                    .x_between = encoding->siting == SHW_YCBCR_CENTRE,
                                    .y_between = encoding->siting != SHW_YCBCR_TOP_LEFT};
    plan_encoding(encoding, push);
    return SHW_OK;
}

/* On the host. */

struct conversion {
    const struct shw_ycbcr_image *image;
    struct shw_ycbcr_push push;
    size_t luma_stride, chroma_stride, chroma_step; /* bytes */
    bool wide;
};

static int32_t code_at(const struct conversion *conversion, const void *plane, size_t offset)
{
    const unsigned char *byte = (const unsigned char *)plane + offset;

    return shw_ycbcr_code(conversion->push, conversion->wide ? *(const uint16_t *)(const void *)byte : *byte);
}

/* Of a pixel, `plane` at it. */
static int32_t chroma_at(const struct conversion *conversion, const void *plane, int32_t x, int32_t y)
{
    const struct shw_ycbcr_push *push = &conversion->push;
    const int32_t left = shw_ycbcr_first(x, push->x_halved, push->x_between),
                  top = shw_ycbcr_first(y, push->y_halved, push->y_between);
    int32_t codes[4];

    for (int32_t i = 0; i < 4; i++) {
        const size_t column = (size_t)shw_clamp(left + (i & 1), 0, push->chroma_width - 1),
                     row = (size_t)shw_clamp(top + (i >> 1), 0, push->chroma_height - 1);
        codes[i] = code_at(conversion, plane, row * conversion->chroma_stride + column * conversion->chroma_step);
    }
    return shw_ycbcr_chroma(*push, codes[0], codes[1], codes[2], codes[3],
                            shw_ycbcr_share(x, push->x_halved, push->x_between),
                            shw_ycbcr_share(y, push->y_halved, push->y_between));
}

/* R, G, B and alpha. */
static void convert(const struct conversion *conversion, int32_t x, int32_t y, uint32_t codes[4])
{
    const struct shw_ycbcr_image *image = conversion->image;
    const struct shw_ycbcr_push *push = &conversion->push;
    const size_t sample = conversion->wide ? 2 : 1;
    const void *red = image->interleaved ? (const unsigned char *)image->cb + sample : image->cr;
    const int32_t luma = code_at(conversion, image->luma, (size_t)y * conversion->luma_stride + (size_t)x * sample);
    const int32_t cb = chroma_at(conversion, image->cb, x, y), cr = chroma_at(conversion, red, x, y);

    codes[0] = shw_ycbcr_component(*push, luma, cb, cr, 0, push->r_cr);
    codes[1] = shw_ycbcr_component(*push, luma, cb, cr, push->g_cb, push->g_cr);
    codes[2] = shw_ycbcr_component(*push, luma, cb, cr, push->b_cb, 0);
    codes[3] = (uint32_t)push->most;
}

static void store(enum shw_pixel_format format, const uint32_t codes[4], void *pixel)
{
    const uint32_t samples = format == SHW_PIXEL_RGB8 || format == SHW_PIXEL_RGB16 ? 3 : 4;

    for (uint32_t s = 0; s < samples; s++) {
        const uint32_t code = codes[format == SHW_PIXEL_BGRA8 && s < 3 ? 2 - s : s];
        if (shw_pixel_is_wide(format))
            ((uint16_t *)pixel)[s] = (uint16_t)code;
        else
            ((uint8_t *)pixel)[s] = (uint8_t)code;
    }
}

static enum shw_result check_format(const struct shw_ycbcr *encoding, enum shw_pixel_format format,
                                    const struct shw_log *log)
{
    const bool wide = shw_ycbcr_is_wide(encoding);

    if (wide ? format == SHW_PIXEL_RGB16 || format == SHW_PIXEL_RGBA16
             : format == SHW_PIXEL_RGB8 || format == SHW_PIXEL_RGBA8 || format == SHW_PIXEL_BGRA8)
        return SHW_OK;
    return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "luma and chroma of %u bits become %s",
                    bits_of(encoding), wide ? "RGB16 or RGBA16" : "RGB8, RGBA8 or BGRA8");
}

/* Those of the planes, combined: odd if one of them is. */
static uintptr_t addresses_of(const struct shw_ycbcr_image *image)
{
    return (uintptr_t)image->luma | (uintptr_t)image->cb | (image->interleaved ? 0 : (uintptr_t)image->cr);
}

enum shw_result shw_ycbcr_convert(const struct shw_ycbcr_image *image, enum shw_pixel_format format, void *pixels,
                                  size_t stride, const struct shw_log *log)
{
    SHW_REFUSE_NULL(log, image);
    SHW_REFUSE_NULL(log, pixels);

    struct conversion conversion = {.image = image, .wide = shw_ycbcr_is_wide(&image->encoding)};
    const size_t sample = conversion.wide ? 2 : 1, size = shw_pixel_size(format);
    size_t chroma_row;

    SHW_PROPAGATE(shw_ycbcr_check(&image->encoding, log));
    SHW_PROPAGATE(check_format(&image->encoding, format, log));
    SHW_REFUSE_NULL(log, image->luma);
    SHW_REFUSE_NULL(log, image->cb);
    if (!image->interleaved)
        SHW_REFUSE_NULL(log, image->cr);
    SHW_PROPAGATE(shw_ycbcr_plan(&image->encoding, (VkExtent2D){image->width, image->height},
                                 (VkExtent2D){image->chroma_width, image->chroma_height}, log, &conversion.push));
    conversion.chroma_step = image->interleaved ? 2 * sample : sample;
    chroma_row = image->chroma_width * conversion.chroma_step;
    conversion.luma_stride = image->luma_stride != 0 ? image->luma_stride : image->width * sample;
    conversion.chroma_stride = image->chroma_stride != 0 ? image->chroma_stride : chroma_row;
    stride = stride != 0 ? stride : image->width * size;
    if (conversion.luma_stride < image->width * sample || conversion.chroma_stride < chroma_row ||
        stride < image->width * size)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "a stride is shorter than a row");
    if (conversion.wide && ((conversion.luma_stride | conversion.chroma_stride | stride) & 1) != 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "a stride of samples of 16 bits is odd");
    if (conversion.wide && ((addresses_of(image) | (uintptr_t)pixels) & 1) != 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "an address of samples of 16 bits is odd");
    for (int32_t y = 0; y < conversion.push.height; y++)
        for (int32_t x = 0; x < conversion.push.width; x++) {
            uint32_t codes[4];
            convert(&conversion, x, y, codes);
            store(format, codes, (unsigned char *)pixels + (size_t)y * stride + (size_t)x * size);
        }
    return SHW_OK;
}
