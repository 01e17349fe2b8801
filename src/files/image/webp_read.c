#include "files/image/decode.h"

#include <string.h>
#include <webp/decode.h>
#include <webp/demux.h>

#include "base/log.h"

/* Of the lossy kind: a macroblock of 16 x 16 pixels takes at least two bits for its mode. A lossless image of one
 * colour takes some 30 bytes whatever its size, so that only harm is kept out here: 40 million pixels are possible. */
#define LOSSY_PIXELS_PER_BYTE_MAX    2048
#define LOSSLESS_PIXELS_PER_BYTE_MAX (1 << 20)

/* Decoded at a time, so that it can be given up between. */
#define SLICE_BYTES ((size_t)1 << 18)

struct reading {
    const struct shw_source *source;
    struct shw_decoded *decoded;
    WebPDemuxer *demuxer;
    WebPIterator frame;
};

static enum shw_result fail(const struct reading *reading, const char *reason)
{
    return shw_decode_fail(reading->source, reading->decoded, "WebP", reason);
}

static unsigned orientation_of(const WebPDemuxer *demuxer)
{
    static const uint8_t signature[6] = "Exif\0";
    unsigned orientation = 0;
    WebPChunkIterator chunk;

    if (WebPDemuxGetChunk(demuxer, "EXIF", 1, &chunk) == 0)
        return 0;
    if (chunk.chunk.size > sizeof signature) {
        /* some programs write the signature, which the format omits */
        size_t skipped = memcmp(chunk.chunk.bytes, signature, sizeof signature) == 0 ? sizeof signature : 0;
        orientation = shw_exif_orientation(chunk.chunk.bytes + skipped, chunk.chunk.size - skipped);
    }
    WebPDemuxReleaseChunkIterator(&chunk);
    return orientation;
}

/* Decodes the frame into the pixels at its place. */
static enum shw_result decode_frame(const struct reading *reading)
{
    struct shw_decoded *decoded = reading->decoded;
    size_t pixel = shw_pixel_size(decoded->format), stride = decoded->width * pixel;
    size_t first = (size_t)reading->frame.y_offset * stride + (size_t)reading->frame.x_offset * pixel;
    const WebPData *data = &reading->frame.fragment;
    WebPDecoderConfig config;
    WebPIDecoder *decoder;
    VP8StatusCode status = VP8_STATUS_SUSPENDED;

    if (WebPInitDecoderConfig(&config) == 0)
        return fail(reading, "libwebp has another version than this program was built with");
    config.output.colorspace = decoded->format == SHW_PIXEL_RGBA8 ? MODE_RGBA : MODE_RGB;
    config.output.is_external_memory = 1;
    config.output.u.RGBA = (WebPRGBABuffer){decoded->pixels + first, (int)stride, stride * decoded->height - first};
    decoder = WebPIDecode(NULL, 0, &config);
    for (size_t size = 0; decoder != NULL && status == VP8_STATUS_SUSPENDED && size < data->size;) {
        if (shw_source_is_stopped(reading->source))
            break;
        size = data->size - size > SLICE_BYTES ? size + SLICE_BYTES : data->size;
        status = WebPIUpdate(decoder, data->bytes, size);
    }
    if (decoder == NULL)
        status = VP8_STATUS_OUT_OF_MEMORY;
    WebPIDelete(decoder);
    switch (status) {
    case VP8_STATUS_OK: return SHW_OK;
    case VP8_STATUS_OUT_OF_MEMORY: return fail(reading, "there is not enough memory");
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA: return fail(reading, "the file is truncated");
    default: return fail(reading, "its data are damaged");
    }
}

/* Returns what is wrong, or NULL. */
static const char *check_frame(const WebPIterator *frame, uint32_t width, uint32_t height)
{
    WebPBitstreamFeatures features;
    uint64_t ratio;

    if (frame->complete == 0)
        return "the file is truncated";
    if (WebPGetFeatures(frame->fragment.bytes, frame->fragment.size, &features) != VP8_STATUS_OK)
        return "its header is invalid";
    if (features.width != frame->width || features.height != frame->height || frame->x_offset < 0 ||
        frame->y_offset < 0 || (uint64_t)frame->x_offset + (uint64_t)frame->width > width ||
        (uint64_t)frame->y_offset + (uint64_t)frame->height > height)
        return "a frame has another size than the header says";
    ratio = features.format == 1 ? LOSSY_PIXELS_PER_BYTE_MAX : LOSSLESS_PIXELS_PER_BYTE_MAX;
    if ((uint64_t)width * height / ratio > frame->fragment.size)
        return "it has too few bytes for its pixels";
    return NULL;
}

static enum shw_result decode(struct reading *reading)
{
    const struct shw_source *source = reading->source;
    struct shw_decoded *decoded = reading->decoded;
    uint32_t width = WebPDemuxGetI(reading->demuxer, WEBP_FF_CANVAS_WIDTH);
    uint32_t height = WebPDemuxGetI(reading->demuxer, WEBP_FF_CANVAS_HEIGHT);
    uint32_t frames = WebPDemuxGetI(reading->demuxer, WEBP_FF_FRAME_COUNT);
    uint32_t flags = WebPDemuxGetI(reading->demuxer, WEBP_FF_FORMAT_FLAGS);
    bool alpha = (flags & ALPHA_FLAG) != 0 || reading->frame.has_alpha != 0;
    const char *wrong;

    SHW_PROPAGATE(shw_decoded_check_size(source, width, height));
    wrong = check_frame(&reading->frame, width, height);
    if (wrong != NULL)
        return fail(reading, wrong);
    SHW_PROPAGATE(shw_decoded_allocate(source, width, height, alpha ? SHW_PIXEL_RGBA8 : SHW_PIXEL_RGB8, decoded));
    SHW_PROPAGATE(decode_frame(reading));
    decoded->orientation = orientation_of(reading->demuxer);
    if (frames > 1)
        shw_log_message(source->log, SHW_LOG_WARNING, SHW_LOG_IMAGE_FORMAT,
                        "%s is an animation: the first of its %u frames is read", source->name, frames);
    return SHW_OK;
}

static enum shw_result decode_file(const struct shw_source *source, struct shw_decoded *decoded)
{
    const WebPData data = {source->bytes, source->size};
    WebPDemuxState state;
    struct reading reading = {source, decoded, WebPDemuxPartial(&data, &state), {0}};
    enum shw_result result;

    if (reading.demuxer == NULL || state == WEBP_DEMUX_PARSE_ERROR)
        result = fail(&reading, "its header is invalid or incomplete");
    else if (state != WEBP_DEMUX_DONE)
        result = fail(&reading, "the file is truncated");
    else if (WebPDemuxGetFrame(reading.demuxer, 1, &reading.frame) == 0)
        result = fail(&reading, "there is no image in it");
    else
        result = decode(&reading);
    WebPDemuxReleaseIterator(&reading.frame);
    WebPDemuxDelete(reading.demuxer);
    return result;
}

/* A file whose compression is unknown fails when it is decoded. */
static const char *label_fault(const struct shw_source *source)
{
    WebPBitstreamFeatures features;
    bool lossy = WebPGetFeatures(source->bytes, source->size, &features) == VP8_STATUS_OK && features.format == 1;

    return lossy ? "lossy WebP changes labels; save them as PNG or lossless WebP" : NULL;
}

const struct shw_image_format shw_image_format_webp = {.name = "WebP",
                                                       .signatures = {SHW_SIGNATURE("RIFF????WEBP")},
                                                       .access = SHW_READ_WHOLE,
                                                       .decode = decode_file,
                                                       .label_fault = label_fault};
