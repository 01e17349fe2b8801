/* Videos, network streams and video devices, with FFmpeg's libraries. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <libavcodec/avcodec.h>
#include <libavdevice/avdevice.h>
#include <libavformat/avformat.h>

#include "base/log.h"
#include "image/image_file.h"
#include "source/device.h"
#include "source/frame_picture.h"
#include "source/reader.h"
#include "source/track.h"

#define DECODING_THREADS 4
/* Consecutive damaged pictures after which reading a video ends. */
#define DAMAGED_MAX 1000
/* Between attempts to open a device that has vanished. */
#define RETRY_SECONDS 0.25
/* Timestamps in files may be arbitrary; larger ones are ignored, so that sums and differences do not overflow. */
#define TICKS_MAX       (INT64_C(1) << 60)
#define FRAME_TICKS_MAX 1e9

struct stream {
    AVFormatContext *container;
    AVCodecContext *decoder;
    AVPacket *packet;
    AVFrame *frame, *held; /* `held`: decoded one too far, to be returned next */
    struct shw_input last; /* the picture made last, the previous frame of the next; without pixels: it is not kept */
    struct view_frame_converter converter;
    char *url, *name;
    bool device, depth, holds, draining, decoded, told_damage, told_nothing; /* `decoded`: a frame, at any time */
    struct view_device camera;
    int index;
    unsigned orientation; /* as in EXIF */
    unsigned damaged;
    int64_t first_ticks, last_ticks, frame_ticks;
    double tick_seconds;
    atomic_bool *stop;
    const struct view_other_inputs *others;
    struct shw_log log;
};

enum decoded { DECODED_FRAME, DECODED_END };

static void prepare_libraries(void)
{
    av_log_set_level(AV_LOG_QUIET); /* errors that matter are returned as error codes */
    avdevice_register_all();
}

static int is_stopped(void *user)
{
    const struct stream *stream = user;

    return atomic_load(stream->stop);
}

static enum shw_result fail_call(const struct stream *stream, enum shw_log_item item, const char *what, int error)
{
    char reason[AV_ERROR_MAX_STRING_SIZE] = "";

    if (atomic_load(stream->stop))
        return SHW_ERROR_CANCELLED;
    if (error == AVERROR(ENOMEM))
        return shw_fail_memory(&stream->log, stream->name);
    av_strerror(error, reason, sizeof reason);
    return shw_fail(&stream->log, error == AVERROR_INVALIDDATA ? SHW_ERROR_FORMAT : SHW_ERROR_IO, item, "%s %s: %s",
                    what, stream->name, reason);
}

static void close_container(struct stream *stream)
{
    avcodec_free_context(&stream->decoder);
    avformat_close_input(&stream->container);
    stream->holds = stream->draining = false;
    if (stream->held != NULL)
        av_frame_unref(stream->held);
}

static enum shw_result open_decoder(struct stream *stream)
{
    const AVCodec *codec = NULL;
    AVStream *track;
    int error = view_track_find(stream->container, stream->depth, &codec);

    if (error < 0)
        return fail_call(stream, SHW_LOG_FILE_READ,
                         stream->depth ? "no depth (16-bit grey) can be read from" : "no pictures can be read from",
                         error);
    stream->index = error;
    track = stream->container->streams[stream->index];
    for (unsigned i = 0; i < stream->container->nb_streams; i++)
        if (i != (unsigned)stream->index)
            stream->container->streams[i]->discard = AVDISCARD_ALL;
    stream->decoder = avcodec_alloc_context3(codec);
    if (stream->decoder == NULL)
        return shw_fail_memory(&stream->log, stream->name);
    error = avcodec_parameters_to_context(stream->decoder, track->codecpar);
    stream->decoder->pkt_timebase = track->time_base;
    stream->decoder->thread_count = stream->device ? 1 : DECODING_THREADS;
    stream->decoder->flags |= AV_CODEC_FLAG_BITEXACT;
    stream->decoder->max_pixels = SHW_IMAGE_PIXELS_MAX;
    if (error >= 0)
        error = avcodec_open2(stream->decoder, codec, NULL);
    return error >= 0 ? SHW_OK : fail_call(stream, SHW_LOG_FILE_READ, "cannot decode", error);
}

static enum shw_result open_container(struct stream *stream)
{
    const AVInputFormat *format = stream->device ? av_find_input_format("video4linux2") : NULL;
    AVDictionary *options = NULL;
    enum shw_result result;
    int error = 0;

    if (stream->device && format == NULL)
        return shw_fail(&stream->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_FILE_OPEN,
                        "this libavdevice cannot read video devices: %s", stream->name);
    stream->container = avformat_alloc_context();
    if (stream->container == NULL)
        return shw_fail_memory(&stream->log, stream->name);
    stream->container->interrupt_callback = (AVIOInterruptCB){is_stopped, stream};
    if (stream->device) {
        stream->container->flags |= AVFMT_FLAG_NONBLOCK;
        error = view_device_options(&stream->camera.choice, &options);
    }
    if (error >= 0)
        error = avformat_open_input(&stream->container, stream->url, format, &options);
    av_dict_free(&options);
    if (error < 0) {
        avformat_free_context(stream->container);
        stream->container = NULL;
        return fail_call(stream, SHW_LOG_FILE_OPEN, "cannot open", error);
    }
    if (stream->device)
        view_device_opened(&stream->camera);
    else /* devices describe themselves, and might never send a picture */
        error = avformat_find_stream_info(stream->container, NULL);
    result = error >= 0 ? open_decoder(stream) : fail_call(stream, SHW_LOG_FILE_READ, "cannot read", error);
    if (result != SHW_OK)
        close_container(stream);
    return result;
}

/* Sends the next packet of the video, or its end, to the decoder. */
static void feed(struct stream *stream)
{
    int error = 0;

    if (!stream->device)
        error = av_read_frame(stream->container, stream->packet);
    else if (!view_device_read(&stream->camera, stream->container, stream->decoder->codec_id, stream->packet,
                               stream->name, &stream->log))
        return;
    if (error < 0) {
        if (error != AVERROR_EOF && !atomic_load(stream->stop))
            fail_call(stream, SHW_LOG_FILE_READ, "reading stops early in", error);
        stream->draining = true;
        avcodec_send_packet(stream->decoder, NULL);
        return;
    }
    if (stream->packet->stream_index == stream->index && avcodec_send_packet(stream->decoder, stream->packet) < 0)
        stream->damaged++;
    av_packet_unref(stream->packet);
}

/* False for AV_NOPTS_VALUE, among others. */
static bool is_time(int64_t ticks)
{
    return ticks > -TICKS_MAX && ticks < TICKS_MAX;
}

/* Times of devices count from the first picture. */
static void place_frame(struct stream *stream)
{
    const int64_t ticks = stream->frame->best_effort_timestamp;

    if (stream->device) {
        double seconds = view_device_note(&stream->camera, is_time(ticks) ? (double)ticks * stream->tick_seconds : NAN);
        stream->last_ticks = llround(seconds / stream->tick_seconds);
    } else if (is_time(ticks)) {
        stream->last_ticks = ticks;
    } else {
        stream->last_ticks += stream->frame_ticks;
    }
    stream->frame->pts = stream->last_ticks;
    stream->decoded = true;
    stream->damaged = 0;
}

static enum decoded decode(struct stream *stream)
{
    while (!atomic_load(stream->stop) && stream->damaged < DAMAGED_MAX && stream->camera.lost == 0) {
        int error = avcodec_receive_frame(stream->decoder, stream->frame);

        if (error >= 0) {
            place_frame(stream);
            return DECODED_FRAME;
        }
        if (error == AVERROR_EOF)
            return DECODED_END;
        if (error != AVERROR(EAGAIN))
            stream->damaged++;
        else if (stream->draining)
            return DECODED_END;
        else
            feed(stream);
        if (stream->damaged != 0 && !stream->told_damage) {
            shw_log_message(&stream->log, SHW_LOG_WARNING, SHW_LOG_FILE_READ, "%s has damaged pictures", stream->name);
            stream->told_damage = true;
        }
    }
    return DECODED_END;
}

/* Gives a picture the one before it, and keeps a copy of it for the next. */
static bool pass_on(struct stream *stream, struct view_picture *picture)
{
    struct view_picture kept = {0};
    bool fine = !atomic_load(&stream->others->previous) || view_picture_add(&kept, SHW_PREVIOUS, &picture->image);

    picture->inputs[0] = stream->last;
    picture->input_count = stream->last.image.pixels != NULL;
    stream->last = kept.inputs[0];
    return fine;
}

static enum shw_result convert(struct stream *stream, const AVFrame *frame, struct view_reading *reading)
{
    double seconds = (double)(frame->pts - stream->first_ticks) * stream->tick_seconds;
    size_t size = strlen(stream->name) + 32;
    struct view_picture *picture;

    SHW_PROPAGATE(view_frame_picture(&stream->converter, frame, stream->name, &stream->log, &picture));
    SHW_PROPAGATE(view_turn_upright(picture, stream->orientation, &stream->log));
    picture->seconds = seconds;
    picture->captured = stream->camera.captured;
    picture->name = malloc(size);
    if (picture->name == NULL || !pass_on(stream, picture)) {
        view_picture_free(picture);
        return shw_fail_memory(&stream->log, stream->name);
    }
    snprintf(picture->name, size, "%s @ %.3f s", stream->name, seconds);
    *reading = (struct view_reading){picture, frame->pts};
    return SHW_OK;
}

/* A file that opens, but does not have a single picture, must not look like an empty one. */
static void tell_nothing(struct stream *stream)
{
    if (stream->decoded || stream->told_nothing || atomic_load(stream->stop))
        return;
    shw_fail(&stream->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s has no picture that can be decoded", stream->name);
    stream->told_nothing = true;
}

/* Opens a device that has vanished as soon as it is back. */
static void open_again(struct stream *stream)
{
    const struct shw_log log = stream->log;
    char reason[AV_ERROR_MAX_STRING_SIZE] = "";
    enum shw_result result = SHW_ERROR_IO;

    av_strerror(stream->camera.lost, reason, sizeof reason);
    shw_log_message(&log, SHW_LOG_WARNING, SHW_LOG_FILE_READ, "%s has stopped: %s; it is shown again when it is back",
                    stream->name, reason);
    stream->camera.lost = 0;
    stream->log = (struct shw_log){0}; /* attempts may fail */
    while (result != SHW_OK && !atomic_load(stream->stop)) {
        close_container(stream);
        for (double waited = 0.0; waited < RETRY_SECONDS && !atomic_load(stream->stop); waited += 1e-2)
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        result = open_container(stream);
    }
    stream->log = log;
    if (result == SHW_OK)
        shw_log_message(&log, SHW_LOG_WARNING, SHW_LOG_FILE_READ, "%s is back", stream->name);
}

static bool decode_next(struct stream *stream)
{
    enum decoded decoded = decode(stream);

    while (decoded == DECODED_END && stream->camera.lost != 0 && !atomic_load(stream->stop)) {
        open_again(stream);
        if (stream->container != NULL)
            decoded = decode(stream);
    }
    return decoded == DECODED_FRAME;
}

static enum shw_result read_next(void *user, struct view_reading *reading)
{
    struct stream *stream = user;
    enum shw_result result = SHW_OK;

    *reading = (struct view_reading){0};
    if (stream->container == NULL)
        return SHW_OK;
    if (stream->holds) {
        result = convert(stream, stream->held, reading);
        av_frame_unref(stream->held);
        stream->holds = false;
    } else if (decode_next(stream)) {
        result = convert(stream, stream->frame, reading);
        av_frame_unref(stream->frame);
    } else {
        tell_nothing(stream);
    }
    return result;
}

/* Decodes up to the frame that is shown at `ticks` and leaves it in `last`. False if there is none, or if the first one
 * is later. */
static bool scan(struct stream *stream, int64_t ticks, AVFrame *last)
{
    while (decode(stream) == DECODED_FRAME) {
        if (stream->frame->pts <= ticks || last->buf[0] == NULL) {
            bool late = stream->frame->pts > ticks;

            av_frame_unref(last);
            av_frame_move_ref(last, stream->frame);
            if (late)
                return false;
        } else {
            av_frame_unref(stream->held);
            av_frame_move_ref(stream->held, stream->frame);
            stream->holds = true;
            return true;
        }
    }
    return last->buf[0] != NULL;
}

static void forget_decoded(struct stream *stream)
{
    avcodec_flush_buffers(stream->decoder);
    av_frame_unref(stream->held);
    stream->holds = stream->draining = false;
    stream->damaged = 0;
}

/* Seeks to the last position before `ticks` in the container's index or, if there is none or it is too late, to the
 * beginning. */
static enum shw_result find(struct stream *stream, int64_t ticks, AVFrame *last)
{
    bool indexed = stream->container != NULL && ticks >= stream->first_ticks &&
                   av_seek_frame(stream->container, stream->index, ticks, AVSEEK_FLAG_BACKWARD) >= 0;
    enum shw_result result;

    if (indexed) {
        forget_decoded(stream);
        if (scan(stream, ticks, last) || atomic_load(stream->stop))
            return SHW_OK;
        av_frame_unref(last);
    }
    close_container(stream);
    stream->damaged = 0;
    stream->last_ticks = stream->first_ticks - stream->frame_ticks;
    result = open_container(stream);
    if (result == SHW_OK)
        scan(stream, ticks, last);
    return result;
}

static enum shw_result read_at(void *user, int64_t ticks, bool back, struct view_reading *reading)
{
    struct stream *stream = user;
    AVFrame *last = av_frame_alloc();
    enum shw_result result;
    int64_t found;

    (void)back;
    *reading = (struct view_reading){0};
    if (last == NULL)
        return shw_fail_memory(&stream->log, stream->name);
    free((void *)(uintptr_t)stream->last.image.pixels);
    stream->last = (struct shw_input){0};
    SHW_TRY(find(stream, ticks, last));
    found = last->pts;
    if (last->buf[0] != NULL && found > stream->first_ticks && atomic_load(&stream->others->previous)) {
        av_frame_unref(last);
        SHW_TRY(find(stream, found - 1, last));
    }
    if (last->buf[0] != NULL)
        SHW_TRY(convert(stream, last, reading));
    else
        tell_nothing(stream);
    if (last->buf[0] != NULL && last->pts < found) { /* it was the previous frame, and the wanted one is held */
        view_picture_free(reading->picture);
        result = read_next(stream, reading);
    }

fail:
    av_frame_free(&last);
    return result;
}

static void close_stream(void *user)
{
    struct stream *stream = user;

    close_container(stream);
    view_frame_converter_free(&stream->converter);
    av_packet_free(&stream->packet);
    av_packet_free(&stream->camera.spare);
    av_frame_free(&stream->frame);
    av_frame_free(&stream->held);
    free((void *)(uintptr_t)stream->last.image.pixels);
    free(stream->url);
    free(stream->name);
    free(stream);
}

/* Beside the pictures. */
static bool has_depth(const struct stream *stream)
{
    const AVCodec *codec;
    int track = stream->device ? -1 : view_track_find(stream->container, true, &codec);

    return track >= 0 && track != stream->index;
}

static void describe(struct stream *stream, struct view_reader *reader)
{
    AVStream *track = stream->container->streams[stream->index];
    AVRational rate = av_guess_frame_rate(stream->container, track, NULL);
    double frame_ticks;
    const uint8_t *matrix = av_stream_get_side_data(track, AV_PKT_DATA_DISPLAYMATRIX, &(size_t){0});

    stream->orientation = view_matrix_orientation((const int32_t *)(const void *)matrix);
    stream->tick_seconds = av_q2d(track->time_base);
    stream->first_ticks = !stream->device && is_time(track->start_time) ? track->start_time : 0;
    frame_ticks = rate.num > 0 && rate.den > 0 ? 1.0 / (av_q2d(rate) * stream->tick_seconds) : 1.0;
    stream->frame_ticks = frame_ticks > 1.0 && frame_ticks < FRAME_TICKS_MAX ? llround(frame_ticks) : 1;
    stream->last_ticks = stream->first_ticks - stream->frame_ticks;
    *reader = (struct view_reader){.user = stream,
                                   .next = read_next,
                                   .at = read_at,
                                   .close = close_stream,
                                   .first_ticks = stream->first_ticks,
                                   .tick_seconds = stream->tick_seconds,
                                   .frame_rate = rate.num > 0 && rate.den > 0 ? av_q2d(rate) : 0.0,
                                   .has_depth = has_depth(stream)};
    if (stream->container->duration > 0)
        reader->duration = (double)stream->container->duration / AV_TIME_BASE;
}

enum shw_result view_read_stream(const struct view_stream_params *params, struct view_reader *reader)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct stream *stream = calloc(1, sizeof *stream);
    enum shw_result result = SHW_ERROR_MEMORY;

    if (stream == NULL)
        return shw_fail_memory(params->log, params->name);
    pthread_once(&once, prepare_libraries);
    stream->stop = params->stop;
    stream->others = params->others;
    stream->log = *params->log;
    stream->device = params->device;
    stream->depth = params->depth;
    stream->camera.choice = params->choice;
    stream->url = strdup(params->url);
    stream->name = strdup(params->name);
    stream->packet = av_packet_alloc();
    stream->frame = av_frame_alloc();
    stream->held = av_frame_alloc();
    stream->camera.spare = av_packet_alloc();
    if (stream->url == NULL || stream->name == NULL || stream->packet == NULL || stream->frame == NULL ||
        stream->held == NULL || stream->camera.spare == NULL)
        shw_fail_memory(params->log, params->name);
    else
        result = open_container(stream);
    if (result != SHW_OK) {
        close_stream(stream);
        return result;
    }
    describe(stream, reader);
    if (params->device)
        view_device_compare(&params->choice, stream->container->streams[stream->index], stream->name, params->log);
    return result;
}
