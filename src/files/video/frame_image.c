#include "files/video/frame_image.h"

#include <math.h>
#include <stdlib.h>

#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>

#include "base/log.h"
#include "files/image/decode.h"
#include "files/image/image_file.h"

/* Bytes that libswscale's vector code may write beyond the last pixel. */
#define WRITTEN_BEYOND 64

void shw_frame_converter_free(struct shw_frame_converter *converter)
{
    sws_freeContext(converter->scaler);
    *converter = (struct shw_frame_converter){0};
}

static bool is_full_range(const AVFrame *frame, const AVPixFmtDescriptor *format)
{
    switch (frame->format) {
    case AV_PIX_FMT_YUVJ411P:
    case AV_PIX_FMT_YUVJ420P:
    case AV_PIX_FMT_YUVJ422P:
    case AV_PIX_FMT_YUVJ440P:
    case AV_PIX_FMT_YUVJ444P: return true;
    default: break;
    }
    return frame->color_range == AVCOL_RANGE_JPEG ||
           (format->nb_components < 3 && frame->color_range != AVCOL_RANGE_MPEG);
}

static bool prepare(struct shw_frame_converter *converter, const AVFrame *frame, const AVPixFmtDescriptor *format,
                    enum AVPixelFormat target)
{
    if (converter->scaler != NULL && converter->width == frame->width && converter->height == frame->height &&
        converter->format == frame->format && converter->colour_space == (int)frame->colorspace &&
        converter->colour_range == (int)frame->color_range)
        return true;
    shw_frame_converter_free(converter);
    converter->scaler = sws_getContext(
        frame->width, frame->height, (enum AVPixelFormat)frame->format, frame->width, frame->height, target,
        SWS_BICUBIC | SWS_ACCURATE_RND | SWS_BITEXACT | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP, NULL, NULL, NULL);
    if (converter->scaler == NULL)
        return false;
    /* Fails for formats without ranges, which do not need it. */
    sws_setColorspaceDetails(converter->scaler, sws_getCoefficients((int)frame->colorspace),
                             is_full_range(frame, format), sws_getCoefficients(SWS_CS_DEFAULT), 1, 0, 1 << 16, 1 << 16);
    converter->width = frame->width;
    converter->height = frame->height;
    converter->format = frame->format;
    converter->colour_space = (int)frame->colorspace;
    converter->colour_range = (int)frame->color_range;
    return true;
}

static bool is_grey16(const AVFrame *frame)
{
    return frame->format == AV_PIX_FMT_GRAY16LE || frame->format == AV_PIX_FMT_GRAY16BE;
}

/* Depth, most often, of which no value may change. */
static void copy_grey16(const AVFrame *frame, uint16_t *pixels)
{
    const int low = frame->format == AV_PIX_FMT_GRAY16BE;

    for (int y = 0; y < frame->height; y++) {
        const uint8_t *row = frame->data[0] + (ptrdiff_t)y * frame->linesize[0];
        for (int x = 0; x < frame->width; x++, row += 2)
            *pixels++ = (uint16_t)(row[low] | row[1 - low] << 8);
    }
}

/* Frees the pixels when it fails. */
static enum shw_result turn_upright(struct shw_image *image, unsigned orientation, const struct shw_log *log)
{
    struct shw_decoded decoded = {.pixels = (uint8_t *)(uintptr_t)image->pixels,
                                  .width = image->width,
                                  .height = image->height,
                                  .format = image->format,
                                  .orientation = orientation};
    enum shw_result result =
        shw_decoded_turn_upright(&(struct shw_source){.name = "a picture to be turned", .log = log}, &decoded);

    if (result != SHW_OK) {
        free(decoded.pixels);
        *image = (struct shw_image){0};
        return result;
    }
    image->pixels = decoded.pixels;
    image->width = decoded.width;
    image->height = decoded.height;
    image->stride = decoded.width * shw_pixel_size(image->format);
    return SHW_OK;
}

static enum shw_result check(const AVFrame *frame, const AVPixFmtDescriptor *format, const char *name,
                             const struct shw_log *log)
{
    if (frame->width <= 0 || frame->height <= 0 || format == NULL)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s has pictures without a size or a format", name);
    if ((uint32_t)frame->width > SHW_IMAGE_SIZE_MAX || (uint32_t)frame->height > SHW_IMAGE_SIZE_MAX ||
        (uint64_t)frame->width * (uint64_t)frame->height > SHW_IMAGE_PIXELS_MAX)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_FILE_READ,
                        "%s has pictures of %d x %d pixels, which is too large", name, frame->width, frame->height);
    return SHW_OK;
}

enum shw_result shw_frame_image(struct shw_frame_converter *converter, const AVFrame *frame, unsigned orientation,
                                const char *name, const struct shw_log *log, struct shw_image *image)
{
    const AVPixFmtDescriptor *format = av_pix_fmt_desc_get((enum AVPixelFormat)frame->format);
    bool deep = format != NULL && format->comp[0].depth > 8;
    enum shw_pixel_format pixel_format = is_grey16(frame) ? SHW_PIXEL_GREY16 : deep ? SHW_PIXEL_RGB16 : SHW_PIXEL_RGB8;
    size_t stride = (size_t)frame->width * shw_pixel_size(pixel_format);
    uint8_t *pixels;

    SHW_PROPAGATE(check(frame, format, name, log));
    if (!is_grey16(frame) && !prepare(converter, frame, format, deep ? AV_PIX_FMT_RGB48 : AV_PIX_FMT_RGB24))
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ,
                        "%s has pictures of the format %s, which cannot be converted", name, format->name);
    pixels = malloc(stride * (size_t)frame->height + WRITTEN_BEYOND);
    if (pixels == NULL)
        return shw_fail_memory(log, name);
    *image = (struct shw_image){.pixels = pixels,
                                .width = (uint32_t)frame->width,
                                .height = (uint32_t)frame->height,
                                .stride = stride,
                                .format = pixel_format};
    if (is_grey16(frame))
        copy_grey16(frame, (uint16_t *)(void *)pixels);
    else
        sws_scale(converter->scaler, (const uint8_t *const *)frame->data, frame->linesize, 0, frame->height, &pixels,
                  &(const int){(int)stride});
    return turn_upright(image, orientation, log);
}

unsigned shw_matrix_orientation(const int32_t matrix[9])
{
    /* EXIF orientations by the display matrix: x' = a x + c y, y' = b x + d y. */
    static const unsigned straight[2][2] = {{1, 4}, {2, 3}}, transposed[2][2] = {{5, 6}, {8, 7}};
    double a, b, c, d;

    if (matrix == NULL)
        return 1;
    a = matrix[0], b = matrix[1], c = matrix[3], d = matrix[4];
    return fabs(b) + fabs(c) > fabs(a) + fabs(d) ? transposed[b < 0.0][c < 0.0] : straight[a < 0.0][d < 0.0];
}
