/* What is special about video devices, as FFmpeg's libavdevice reads them: only the newest picture counts, and they may
 * stop, or vanish and come back. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

#include "base/log.h"
#include "files/video/decoder.h"
#include "source/reader.h"
#include "source/spec.h"

struct view_device {
    struct view_camera_choice choice;
    AVPacket *spare;
    double fed;      /* when the last packet came, in seconds of CLOCK_MONOTONIC */
    double captured; /* when the last picture was captured, likewise */
    double first;    /* and the first one; 0: there was none */
    bool told_stall;
    int lost; /* the AVERROR code because of which it is to be opened again, or 0 */
};

/* Options for avformat_open_input(). Returns an AVERROR code or 0. */
int view_device_options(const struct view_camera_choice *choice, AVDictionary **options);

/* It has been opened, perhaps again. */
void view_device_opened(struct view_device *device);

/* Reads the newest packet, and drops those that have been waiting before it unless the codec needs them. False: there
 * is none yet, after waiting a little, or device->lost says why there will be none. Says, once, that none has come for
 * long. */
bool view_device_read(struct view_device *device, AVFormatContext *container, enum AVCodecID codec, AVPacket *packet,
                      const char *name, const struct shw_log *log);

/* Notes a picture with that timestamp, in seconds, of whatever clock; returns its time since the first one. */
double view_device_note(struct view_device *device, double timestamp);

/* Warns if the device gives other pictures than it was asked for. */
void view_device_compare(const struct view_camera_choice *choice, const AVStream *track, const char *name,
                         const struct shw_log *log);

/* A timestamp belongs to a clock if it is this near to it. */

#define PAST_SECONDS   60.0
#define FUTURE_SECONDS 0.1
#define RATE_TOLERANCE 0.01
/* After so long without a picture, a device is said to send none. */

#define STALL_SECONDS 2.0
#define WAIT_NS       2000000

int view_device_options(const struct view_camera_choice *choice, AVDictionary **options)
{
    char text[64];
    int error = 0;

    if (choice->width > 0) {
        snprintf(text, sizeof text, "%ux%u", choice->width, choice->height);
        error = av_dict_set(options, "video_size", text, 0);
    }
    if (choice->rate > 0.0 && error >= 0) {
        const AVRational rate = av_d2q(choice->rate, 1001000);
        snprintf(text, sizeof text, "%d/%d", rate.num, rate.den);
        error = av_dict_set(options, "framerate", text, 0);
    }
    if (choice->format[0] != '\0' && error >= 0)
        error = av_dict_set(options, "input_format", choice->format, 0);
    return error;
}

static double seconds_of(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool is_near(double timestamp, double now)
{
    return timestamp > now - PAST_SECONDS && timestamp < now + FUTURE_SECONDS;
}

/* When a picture was captured, by the device's timestamp if that is near either clock, otherwise now. */
static double find_captured(double timestamp)
{
    const double monotonic = seconds_of(CLOCK_MONOTONIC), real = seconds_of(CLOCK_REALTIME);

    if (is_near(timestamp, monotonic))
        return timestamp;
    return is_near(timestamp, real) ? timestamp - real + monotonic : monotonic;
}

void view_device_opened(struct view_device *device)
{
    device->fed = seconds_of(CLOCK_MONOTONIC);
    device->told_stall = false;
}

/* Packets that wait behind the first one are newer. */
static int read_newest(struct view_device *device, AVFormatContext *container, enum AVCodecID codec, AVPacket *packet)
{
    const AVCodecDescriptor *descriptor = avcodec_descriptor_get(codec);
    int error = av_read_frame(container, packet);

    if (descriptor == NULL || (descriptor->props & AV_CODEC_PROP_INTRA_ONLY) == 0)
        return error;
    while (error >= 0 && av_read_frame(container, device->spare) >= 0) {
        av_packet_unref(packet);
        av_packet_move_ref(packet, device->spare);
    }
    return error;
}

bool view_device_read(struct view_device *device, AVFormatContext *container, enum AVCodecID codec, AVPacket *packet,
                      const char *name, const struct shw_log *log)
{
    const double now = seconds_of(CLOCK_MONOTONIC);
    int error = read_newest(device, container, codec, packet);

    if (error >= 0) {
        device->fed = now;
        device->told_stall = false;
        return true;
    }
    if (error != AVERROR(EAGAIN)) {
        device->lost = error;
        return false;
    }
    if (!device->told_stall && now - device->fed > STALL_SECONDS) {
        shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_FILE_READ, "%s sends no pictures; it is waited for", name);
        device->told_stall = true;
    }
    nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
    return false;
}

double view_device_note(struct view_device *device, double timestamp)
{
    device->captured = find_captured(timestamp);
    if (device->first == 0.0)
        device->first = device->captured;
    return device->captured - device->first;
}

void view_device_compare(const struct view_camera_choice *choice, const AVStream *track, const char *name,
                         const struct shw_log *log)
{
    const AVCodecParameters *given = track->codecpar;
    const double rate = track->avg_frame_rate.den > 0 ? av_q2d(track->avg_frame_rate) : 0.0;

    if (choice->width > 0 && ((uint32_t)given->width != choice->width || (uint32_t)given->height != choice->height))
        shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_FILE_OPEN,
                        "%s: the camera gives pictures of %d x %d, not %u x %u", name, given->width, given->height,
                        choice->width, choice->height);
    if (choice->rate > 0.0 && rate > 0.0 && fabs(rate / choice->rate - 1.0) > RATE_TOLERANCE)
        shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_FILE_OPEN,
                        "%s: the camera gives %.4g pictures per second, not %.4g", name, rate, choice->rate);
}

/* Videos, network streams and video devices, with FFmpeg's libraries. */

/* Between attempts to open a device that has vanished. */

#define RETRY_SECONDS 0.25

struct stream {
    struct shw_decoder decoder;
    struct shw_decoder_device hooks;
    AVFrame *held;         /* decoded one too far, to be returned next */
    struct shw_input last; /* the picture made last, the previous frame of the next; without pixels: it is not kept */
    struct shw_frame_converter converter;
    char *url, *name;
    bool holds;
    struct view_device camera;
    atomic_bool *stop;
    const struct view_other_inputs *others;
};

static int device_options(void *user, AVDictionary **options)
{
    const struct stream *stream = user;

    return view_device_options(&stream->camera.choice, options);
}

static void device_opened(void *user)
{
    struct stream *stream = user;

    view_device_opened(&stream->camera);
}

static bool device_read(void *user, AVFormatContext *container, enum AVCodecID codec, AVPacket *packet)
{
    struct stream *stream = user;

    return view_device_read(&stream->camera, container, codec, packet, stream->name, &stream->decoder.log);
}

static bool device_is_lost(void *user)
{
    const struct stream *stream = user;

    return stream->camera.lost != 0;
}

static double device_note(void *user, double timestamp)
{
    struct stream *stream = user;

    return view_device_note(&stream->camera, timestamp);
}

static void close_container(struct stream *stream)
{
    shw_decoder_close(&stream->decoder);
    stream->holds = false;
    if (stream->held != NULL)
        av_frame_unref(stream->held);
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

static struct view_picture *make_picture(const struct shw_image *image)
{
    struct view_picture *picture = calloc(1, sizeof *picture);

    if (picture == NULL) {
        free((void *)(uintptr_t)image->pixels);
        return NULL;
    }
    picture->image = *image;
    picture->shows_range = image->format == SHW_PIXEL_GREY16;
    return picture;
}

static enum shw_result convert(struct stream *stream, const AVFrame *frame, struct view_reading *reading)
{
    const struct shw_decoder *decoder = &stream->decoder;
    double seconds = (double)(frame->pts - decoder->first_ticks) * decoder->tick_seconds;
    size_t size = strlen(stream->name) + 32;
    struct view_picture *picture;
    struct shw_image image;

    SHW_PROPAGATE(
        shw_frame_image(&stream->converter, frame, decoder->orientation, stream->name, &decoder->log, &image));
    picture = make_picture(&image);
    if (picture == NULL)
        return shw_fail_memory(&decoder->log, stream->name);
    picture->seconds = seconds;
    picture->captured = stream->camera.captured;
    picture->name = malloc(size);
    if (picture->name == NULL || !pass_on(stream, picture)) {
        view_picture_free(picture);
        return shw_fail_memory(&decoder->log, stream->name);
    }
    snprintf(picture->name, size, "%s @ %.3f s", stream->name, seconds);
    *reading = (struct view_reading){picture, frame->pts};
    return SHW_OK;
}

/* Opens a device that has vanished as soon as it is back. */
static void open_again(struct stream *stream)
{
    const struct shw_log log = stream->decoder.log;
    char reason[AV_ERROR_MAX_STRING_SIZE] = "";
    enum shw_result result = SHW_ERROR_IO;

    av_strerror(stream->camera.lost, reason, sizeof reason);
    shw_log_message(&log, SHW_LOG_WARNING, SHW_LOG_FILE_READ, "%s has stopped: %s; it is shown again when it is back",
                    stream->name, reason);
    stream->camera.lost = 0;
    stream->decoder.log = (struct shw_log){0}; /* attempts may fail */
    while (result != SHW_OK && !atomic_load(stream->stop)) {
        close_container(stream);
        for (double waited = 0.0; waited < RETRY_SECONDS && !atomic_load(stream->stop); waited += 1e-2)
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        result = shw_decoder_open(&stream->decoder);
    }
    stream->decoder.log = log;
    if (result == SHW_OK)
        shw_log_message(&log, SHW_LOG_WARNING, SHW_LOG_FILE_READ, "%s is back", stream->name);
}

static bool decode_next(struct stream *stream)
{
    bool decoded = shw_decoder_next(&stream->decoder);

    while (!decoded && stream->camera.lost != 0 && !atomic_load(stream->stop)) {
        open_again(stream);
        if (stream->decoder.container != NULL)
            decoded = shw_decoder_next(&stream->decoder);
    }
    return decoded;
}

static enum shw_result read_next(void *user, struct view_reading *reading)
{
    struct stream *stream = user;
    enum shw_result result = SHW_OK;

    *reading = (struct view_reading){0};
    if (stream->decoder.container == NULL)
        return SHW_OK;
    if (stream->holds) {
        result = convert(stream, stream->held, reading);
        av_frame_unref(stream->held);
        stream->holds = false;
    } else if (decode_next(stream)) {
        result = convert(stream, stream->decoder.frame, reading);
        av_frame_unref(stream->decoder.frame);
    } else {
        shw_decoder_check_any(&stream->decoder);
    }
    return result;
}

/* Decodes up to the frame that is shown at `ticks` and leaves it in `last`. False if there is none, or if the first one
 * is later. */
static bool scan(struct stream *stream, int64_t ticks, AVFrame *last)
{
    AVFrame *frame = stream->decoder.frame;

    while (shw_decoder_next(&stream->decoder)) {
        if (frame->pts <= ticks || last->buf[0] == NULL) {
            bool late = frame->pts > ticks;

            av_frame_unref(last);
            av_frame_move_ref(last, frame);
            if (late)
                return false;
        } else {
            av_frame_unref(stream->held);
            av_frame_move_ref(stream->held, frame);
            stream->holds = true;
            return true;
        }
    }
    return last->buf[0] != NULL;
}

static void forget_decoded(struct stream *stream)
{
    shw_decoder_flush(&stream->decoder);
    av_frame_unref(stream->held);
    stream->holds = false;
}

/* Seeks to the last position before `ticks` in the container's index or, if there is none or it is too late, to the
 * beginning. */
static enum shw_result find(struct stream *stream, int64_t ticks, AVFrame *last)
{
    struct shw_decoder *decoder = &stream->decoder;
    bool indexed = decoder->container != NULL && ticks >= decoder->first_ticks &&
                   av_seek_frame(decoder->container, decoder->index, ticks, AVSEEK_FLAG_BACKWARD) >= 0;
    enum shw_result result;

    if (indexed) {
        forget_decoded(stream);
        if (scan(stream, ticks, last) || atomic_load(stream->stop))
            return SHW_OK;
        av_frame_unref(last);
    }
    close_container(stream);
    decoder->damaged = 0;
    decoder->last_ticks = decoder->first_ticks - decoder->frame_ticks;
    result = shw_decoder_open(decoder);
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
        return shw_fail_memory(&stream->decoder.log, stream->name);
    free((void *)(uintptr_t)stream->last.image.pixels);
    stream->last = (struct shw_input){0};
    SHW_TRY(find(stream, ticks, last));
    found = last->pts;
    if (last->buf[0] != NULL && found > stream->decoder.first_ticks && atomic_load(&stream->others->previous)) {
        av_frame_unref(last);
        SHW_TRY(find(stream, found - 1, last));
    }
    if (last->buf[0] != NULL)
        SHW_TRY(convert(stream, last, reading));
    else
        shw_decoder_check_any(&stream->decoder);
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
    shw_decoder_free(&stream->decoder);
    shw_frame_converter_free(&stream->converter);
    av_packet_free(&stream->camera.spare);
    av_frame_free(&stream->held);
    free((void *)(uintptr_t)stream->last.image.pixels);
    free(stream->url);
    free(stream->name);
    free(stream);
}

/* Beside the pictures. */
static bool has_depth(const struct shw_decoder *decoder)
{
    const AVCodec *codec;
    int track = decoder->device != NULL ? -1 : shw_track_find(decoder->container, true, &codec);

    return track >= 0 && track != decoder->index;
}

static void describe(struct stream *stream, struct view_reader *reader)
{
    struct shw_decoder *decoder = &stream->decoder;

    shw_decoder_describe(decoder);
    *reader = (struct view_reader){.user = stream,
                                   .next = read_next,
                                   .at = read_at,
                                   .close = close_stream,
                                   .first_ticks = decoder->first_ticks,
                                   .tick_seconds = decoder->tick_seconds,
                                   .frame_rate = decoder->frame_rate,
                                   .duration = decoder->duration,
                                   .has_depth = has_depth(decoder)};
}

/* What the decoder is given, which stays as long as the stream. */
static void set_up(const struct view_stream_params *params, struct stream *stream)
{
    stream->stop = params->stop;
    stream->others = params->others;
    stream->camera.choice = params->choice;
    stream->url = strdup(params->url);
    stream->name = strdup(params->name);
    stream->held = av_frame_alloc();
    stream->camera.spare = av_packet_alloc();
    stream->hooks = (struct shw_decoder_device){.user = stream,
                                                .format = "video4linux2",
                                                .options = device_options,
                                                .opened = device_opened,
                                                .read = device_read,
                                                .is_lost = device_is_lost,
                                                .note = device_note};
    stream->decoder = (struct shw_decoder){.url = stream->url,
                                           .name = stream->name,
                                           .depth = params->depth,
                                           .device = params->device ? &stream->hooks : NULL,
                                           .stop = params->stop,
                                           .log = *params->log};
}

enum shw_result view_read_stream(const struct view_stream_params *params, struct view_reader *reader)
{
    struct stream *stream = calloc(1, sizeof *stream);
    enum shw_result result;

    if (stream == NULL)
        return shw_fail_memory(params->log, params->name);
    set_up(params, stream);
    if (stream->url == NULL || stream->name == NULL || stream->held == NULL || stream->camera.spare == NULL)
        result = shw_fail_memory(params->log, params->name);
    else
        result = shw_decoder_make(&stream->decoder);
    if (result == SHW_OK)
        result = shw_decoder_open(&stream->decoder);
    if (result != SHW_OK) {
        close_stream(stream);
        return result;
    }
    describe(stream, reader);
    if (params->device)
        view_device_compare(&params->choice, stream->decoder.container->streams[stream->decoder.index], stream->name,
                            params->log);
    return result;
}
