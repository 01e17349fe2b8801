#include "files/video/decoder.h"

#include <math.h>
#include <pthread.h>

#include <libavdevice/avdevice.h>

#include "base/log.h"
#include "files/image/image_file.h"
#include "files/video/frame_image.h"
#include "files/video/track.h"

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
