#include "files/video/video_read.h"

#include <libavdevice/avdevice.h>
#include <libavutil/avstring.h>
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/image/decode.h"
#include "files/image/image_file.h"
#include "files/io/image_paths.h"
#include "files/video/decoder.h"

static bool is_depth(const AVStream *track)
{
    const AVCodecParameters *given = track->codecpar;

    return given->codec_type == AVMEDIA_TYPE_VIDEO &&
           (given->format == AV_PIX_FMT_GRAY16LE || given->format == AV_PIX_FMT_GRAY16BE);
}

/* As recorders of depth cameras call it, whose infrared pictures are 16-bit grey, too. */
static bool is_called_depth(const AVStream *track)
{
    const AVDictionaryEntry *title = av_dict_get(track->metadata, "title", NULL, 0);

    return title != NULL && av_stristr(title->value, "depth") != NULL;
}

/* -1: there is none. */
static int find_depth(const AVFormatContext *container)
{
    int found = -1;

    for (unsigned i = 0; i < container->nb_streams; i++)
        if (is_depth(container->streams[i]) &&
            (found < 0 || (is_called_depth(container->streams[i]) && !is_called_depth(container->streams[found]))))
            found = (int)i;
    return found;
}

/* -1: there is none. */
static int find_colour(const AVFormatContext *container)
{
    for (unsigned i = 0; i < container->nb_streams; i++) {
        const AVStream *track = container->streams[i];
        if (track->codecpar->codec_type == AVMEDIA_TYPE_VIDEO && !is_depth(track) &&
            (track->disposition & AV_DISPOSITION_ATTACHED_PIC) == 0)
            return (int)i;
    }
    return -1;
}

int shw_track_find(AVFormatContext *container, bool depth, const AVCodec **codec)
{
    int best = av_find_best_stream(container, AVMEDIA_TYPE_VIDEO, -1, -1, codec, 0), other;

    if (best < 0 || (!depth && !is_depth(container->streams[best])))
        return best;
    other = depth ? find_depth(container) : find_colour(container);
    if (other < 0 && !depth)
        other = find_depth(container);
    return other >= 0 ? av_find_best_stream(container, AVMEDIA_TYPE_VIDEO, other, -1, codec, 0)
                      : AVERROR_STREAM_NOT_FOUND;
}

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

/* Usually depth, whose values must not change. */
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

#define DECODING_THREADS 4
/* Consecutive damaged pictures after which reading a video ends. */
#define DAMAGED_MAX 1000
/* Timestamps in files may be arbitrary; larger ones are ignored, so that sums and differences do not overflow. */
#define TICKS_MAX       (INT64_C(1) << 60)
#define FRAME_TICKS_MAX 1e9

static void prepare_libraries(void)
{
    av_log_set_level(AV_LOG_QUIET); /* errors that matter are returned as error codes */
    avdevice_register_all();
}

static int is_stopped(void *user)
{
    const struct shw_decoder *decoder = user;

    return decoder->stop != NULL && atomic_load(decoder->stop);
}

static enum shw_result fail_call(struct shw_decoder *decoder, enum shw_log_item item, const char *what, int error)
{
    char reason[AV_ERROR_MAX_STRING_SIZE] = "";

    if (is_stopped(decoder))
        return SHW_ERROR_CANCELLED;
    if (error == AVERROR(ENOMEM))
        return shw_fail_memory(&decoder->log, decoder->name);
    av_strerror(error, reason, sizeof reason);
    return shw_fail(&decoder->log, error == AVERROR_INVALIDDATA ? SHW_ERROR_FORMAT : SHW_ERROR_IO, item, "%s %s: %s",
                    what, decoder->name, reason);
}

enum shw_result shw_decoder_make(struct shw_decoder *decoder)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, prepare_libraries);
    decoder->packet = av_packet_alloc();
    decoder->frame = av_frame_alloc();
    return decoder->packet != NULL && decoder->frame != NULL ? SHW_OK : shw_fail_memory(&decoder->log, decoder->name);
}

void shw_decoder_free(struct shw_decoder *decoder)
{
    shw_decoder_close(decoder);
    av_packet_free(&decoder->packet);
    av_frame_free(&decoder->frame);
}

void shw_decoder_close(struct shw_decoder *decoder)
{
    avcodec_free_context(&decoder->codec);
    avformat_close_input(&decoder->container);
    decoder->draining = false;
}

static enum shw_result open_codec(struct shw_decoder *decoder)
{
    const AVCodec *codec = NULL;
    AVStream *track;
    int error = shw_track_find(decoder->container, decoder->depth, &codec);

    if (error < 0)
        return fail_call(decoder, SHW_LOG_FILE_READ,
                         decoder->depth ? "no depth (16-bit grey) can be read from" : "no pictures can be read from",
                         error);
    decoder->index = error;
    track = decoder->container->streams[decoder->index];
    for (unsigned i = 0; i < decoder->container->nb_streams; i++)
        if (i != (unsigned)decoder->index)
            decoder->container->streams[i]->discard = AVDISCARD_ALL;
    decoder->codec = avcodec_alloc_context3(codec);
    if (decoder->codec == NULL)
        return shw_fail_memory(&decoder->log, decoder->name);
    error = avcodec_parameters_to_context(decoder->codec, track->codecpar);
    decoder->codec->pkt_timebase = track->time_base;
    decoder->codec->thread_count = decoder->device != NULL ? 1 : DECODING_THREADS;
    decoder->codec->flags |= AV_CODEC_FLAG_BITEXACT;
    decoder->codec->max_pixels = SHW_IMAGE_PIXELS_MAX;
    if (error >= 0)
        error = avcodec_open2(decoder->codec, codec, NULL);
    return error >= 0 ? SHW_OK : fail_call(decoder, SHW_LOG_FILE_READ, "cannot decode", error);
}

enum shw_result shw_decoder_open(struct shw_decoder *decoder)
{
    const struct shw_decoder_device *device = decoder->device;
    const AVInputFormat *format = device != NULL ? av_find_input_format(device->format) : NULL;
    AVDictionary *options = NULL;
    enum shw_result result;
    int error = 0;

    if (device != NULL && format == NULL)
        return shw_fail(&decoder->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_FILE_OPEN,
                        "this libavdevice cannot read video devices: %s", decoder->name);
    decoder->container = avformat_alloc_context();
    if (decoder->container == NULL)
        return shw_fail_memory(&decoder->log, decoder->name);
    decoder->container->interrupt_callback = (AVIOInterruptCB){is_stopped, decoder};
    if (device != NULL) {
        decoder->container->flags |= AVFMT_FLAG_NONBLOCK;
        error = device->options(device->user, &options);
    }
    if (error >= 0)
        error = avformat_open_input(&decoder->container, decoder->url, format, &options);
    av_dict_free(&options);
    if (error < 0) {
        avformat_free_context(decoder->container);
        decoder->container = NULL;
        if (device != NULL && error == AVERROR(ENOTTY))
            return shw_fail(&decoder->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_OPEN, "cannot open %s: it is not a camera",
                            decoder->name);
        return fail_call(decoder, SHW_LOG_FILE_OPEN, "cannot open", error);
    }
    if (device != NULL)
        device->opened(device->user);
    else /* devices describe themselves, and might never send a picture */
        error = avformat_find_stream_info(decoder->container, NULL);
    result = error >= 0 ? open_codec(decoder) : fail_call(decoder, SHW_LOG_FILE_READ, "cannot read", error);
    if (result != SHW_OK)
        shw_decoder_close(decoder);
    return result;
}

/* False for AV_NOPTS_VALUE, among others. */
static bool is_time(int64_t ticks)
{
    return ticks > -TICKS_MAX && ticks < TICKS_MAX;
}

void shw_decoder_describe(struct shw_decoder *decoder)
{
    AVStream *track = decoder->container->streams[decoder->index];
    AVRational rate = av_guess_frame_rate(decoder->container, track, NULL);
    const uint8_t *matrix = av_stream_get_side_data(track, AV_PKT_DATA_DISPLAYMATRIX, &(size_t){0});
    double frame_ticks;

    decoder->orientation = shw_matrix_orientation((const int32_t *)(const void *)matrix);
    decoder->tick_seconds = av_q2d(track->time_base);
    decoder->first_ticks = decoder->device == NULL && is_time(track->start_time) ? track->start_time : 0;
    frame_ticks = rate.num > 0 && rate.den > 0 ? 1.0 / (av_q2d(rate) * decoder->tick_seconds) : 1.0;
    decoder->frame_ticks = frame_ticks > 1.0 && frame_ticks < FRAME_TICKS_MAX ? llround(frame_ticks) : 1;
    decoder->last_ticks = decoder->first_ticks - decoder->frame_ticks;
    decoder->frame_rate = rate.num > 0 && rate.den > 0 ? av_q2d(rate) : 0.0;
    decoder->duration = decoder->container->duration > 0 ? (double)decoder->container->duration / AV_TIME_BASE : 0.0;
}

/* Sends the next packet of the video, or its end, to the codec. */
static void feed(struct shw_decoder *decoder)
{
    const struct shw_decoder_device *device = decoder->device;
    int error = 0;

    if (device == NULL)
        error = av_read_frame(decoder->container, decoder->packet);
    else if (!device->read(device->user, decoder->container, decoder->codec->codec_id, decoder->packet))
        return;
    if (error < 0) {
        if (error != AVERROR_EOF && !is_stopped(decoder)) {
            fail_call(decoder, SHW_LOG_FILE_READ, "reading stops early in", error);
            decoder->stopped_early = true;
        }
        decoder->draining = true;
        avcodec_send_packet(decoder->codec, NULL);
        return;
    }
    if (decoder->packet->stream_index == decoder->index && avcodec_send_packet(decoder->codec, decoder->packet) < 0)
        decoder->damaged++;
    av_packet_unref(decoder->packet);
}

/* Times of devices count from the first picture. */
static void place_frame(struct shw_decoder *decoder)
{
    const struct shw_decoder_device *device = decoder->device;
    const int64_t ticks = decoder->frame->best_effort_timestamp;

    if (device != NULL) {
        double seconds = device->note(device->user, is_time(ticks) ? (double)ticks * decoder->tick_seconds : NAN);
        decoder->last_ticks = llround(seconds / decoder->tick_seconds);
    } else if (is_time(ticks)) {
        decoder->last_ticks = ticks;
    } else {
        decoder->last_ticks += decoder->frame_ticks;
    }
    decoder->frame->pts = decoder->last_ticks;
    decoder->decoded = true;
    decoder->damaged = 0;
}

bool shw_decoder_next(struct shw_decoder *decoder)
{
    const struct shw_decoder_device *device = decoder->device;

    while (!is_stopped(decoder) && decoder->damaged < DAMAGED_MAX &&
           (device == NULL || !device->is_lost(device->user))) {
        int error = avcodec_receive_frame(decoder->codec, decoder->frame);

        if (error >= 0) {
            place_frame(decoder);
            return true;
        }
        if (error == AVERROR_EOF)
            return false;
        if (error != AVERROR(EAGAIN))
            decoder->damaged++;
        else if (decoder->draining)
            return false;
        else
            feed(decoder);
        if (decoder->damaged != 0 && !decoder->told_damage) {
            shw_log_message(&decoder->log, SHW_LOG_WARNING, SHW_LOG_FILE_READ, "%s has damaged pictures",
                            decoder->name);
            decoder->told_damage = true;
        }
    }
    return false;
}

void shw_decoder_flush(struct shw_decoder *decoder)
{
    avcodec_flush_buffers(decoder->codec);
    decoder->draining = false;
    decoder->damaged = 0;
}

enum shw_result shw_decoder_check_any(struct shw_decoder *decoder)
{
    if (decoder->decoded || is_stopped(decoder))
        return SHW_OK;
    if (!decoder->told_nothing)
        shw_fail(&decoder->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s has no picture that can be decoded",
                 decoder->name);
    decoder->told_nothing = true;
    return SHW_ERROR_FORMAT;
}

struct shw_video_reader {
    struct shw_decoder decoder;
    struct shw_frame_converter converter;
    char *url, *name;
};

enum shw_result shw_video_open(const char *path, const struct shw_log *log, struct shw_video_reader **handle)
{
    struct shw_video_reader *reader = calloc(1, sizeof *reader);
    enum shw_result result = SHW_ERROR_MEMORY;

    *handle = NULL;
    if (reader == NULL)
        return shw_fail_memory(log, path);
    reader->url = shw_path_join("file:", path, ""); /* a name may have a colon */
    reader->name = strdup(path);
    reader->decoder = (struct shw_decoder){.url = reader->url, .name = reader->name, .log = *log};
    if (reader->url == NULL || reader->name == NULL)
        SHW_TRY(shw_fail_memory(log, path));
    SHW_TRY(shw_decoder_make(&reader->decoder));
    SHW_TRY(shw_decoder_open(&reader->decoder));
    shw_decoder_describe(&reader->decoder);
    *handle = reader;
    return SHW_OK;

fail:
    shw_video_close_reader(&reader);
    return result;
}

double shw_video_frame_rate(const struct shw_video_reader *reader)
{
    return reader->decoder.frame_rate;
}

double shw_video_duration(const struct shw_video_reader *reader)
{
    return reader->decoder.duration;
}

enum shw_result shw_video_next(struct shw_video_reader *reader, struct shw_video_frame *frame)
{
    struct shw_decoder *decoder = &reader->decoder;
    enum shw_result result;

    *frame = (struct shw_video_frame){0};
    if (!shw_decoder_next(decoder))
        return decoder->stopped_early ? SHW_ERROR_IO : shw_decoder_check_any(decoder);
    result = shw_frame_image(&reader->converter, decoder->frame, decoder->orientation, decoder->name, &decoder->log,
                             &frame->image);
    frame->seconds = (double)(decoder->frame->pts - decoder->first_ticks) * decoder->tick_seconds;
    av_frame_unref(decoder->frame);
    return result;
}

void shw_video_close_reader(struct shw_video_reader **handle)
{
    struct shw_video_reader *reader = *handle;

    *handle = NULL;
    if (reader == NULL)
        return;
    shw_decoder_free(&reader->decoder);
    shw_frame_converter_free(&reader->converter);
    free(reader->url);
    free(reader->name);
    free(reader);
}
