#include "files/video/video_write.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>

#include "base/log.h"
#include "files/io/image_paths.h"

#define TICKS        1000 /* per second */
#define KEY_DISTANCE 25   /* frames between two that can be decoded alone */
#define BUFFER_BYTES 65536

struct shw_video_file {
    AVFormatContext *container;
    AVCodecContext *encoder;
    AVFrame *frame;
    AVPacket *packet;
    struct SwsContext *scaler;
    uint8_t *rgb; /* of an even size; NULL: the frames have one */
    uint32_t width, height;
    int64_t last; /* ticks */
    bool begun;   /* the header is written */
    bool failed;
    char *name;
    struct shw_log log;
};

static enum shw_result fail_call(struct shw_video_file *file, int error)
{
    char reason[AV_ERROR_MAX_STRING_SIZE] = "";

    file->failed = true;
    if (error == AVERROR(ENOMEM))
        return shw_fail_memory(&file->log, file->name);
    av_strerror(error, reason, sizeof reason);
    return shw_fail(&file->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "cannot write %s: %s", file->name, reason);
}

/* Opens an encoder for these pictures; 0 or an error of FFmpeg. */
static int open_encoder(struct shw_video_file *file, const AVCodec *codec, const struct shw_video_params *params)
{
    AVCodecContext *encoder = avcodec_alloc_context3(codec);
    int error;

    if (encoder == NULL)
        return AVERROR(ENOMEM);
    encoder->width = (int)(params->width + params->width % 2);
    encoder->height = (int)(params->height + params->height % 2);
    encoder->pix_fmt = AV_PIX_FMT_YUV420P;
    encoder->time_base = (AVRational){1, TICKS};
    if (params->frame_rate > 0.0)
        encoder->framerate = av_d2q(params->frame_rate, TICKS);
    encoder->gop_size = KEY_DISTANCE;
    encoder->max_b_frames = 0;
    encoder->color_range = AVCOL_RANGE_MPEG;
    encoder->colorspace = AVCOL_SPC_SMPTE170M;
    encoder->flags |= AV_CODEC_FLAG_QSCALE;
    encoder->global_quality = 3 * FF_QP2LAMBDA;
    encoder->thread_count = 1;
    if ((file->container->oformat->flags & AVFMT_GLOBALHEADER) != 0)
        encoder->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    av_opt_set(encoder->priv_data, "preset", "veryfast", 0); /* of x264; others have no such options */
    av_opt_set(encoder->priv_data, "crf", "18", 0);
    error = avcodec_open2(encoder, codec, NULL);
    if (error < 0)
        avcodec_free_context(&encoder);
    file->encoder = encoder;
    return error;
}

/* The first of these encoders that opens. */
static enum shw_result choose_encoder(struct shw_video_file *file, const struct shw_video_params *params)
{
    static const char *const names[] = {"libx264", "mpeg4"};
    int error = AVERROR_ENCODER_NOT_FOUND;

    for (size_t i = 0; i < sizeof names / sizeof *names && error < 0; i++) {
        const AVCodec *codec = avcodec_find_encoder_by_name(names[i]);
        if (codec != NULL)
            error = open_encoder(file, codec, params);
    }
    if (error >= 0)
        return SHW_OK;
    return shw_fail(&file->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                    "%s cannot be written: this FFmpeg encodes no video of %u x %u pixels", file->name, params->width,
                    params->height);
}

static enum shw_result allocate(struct shw_video_file *file)
{
    const AVCodecContext *encoder = file->encoder;
    int width = encoder->width, height = encoder->height;

    file->frame = av_frame_alloc();
    file->packet = av_packet_alloc();
    file->scaler = sws_getContext(width, height, AV_PIX_FMT_RGB24, width, height, AV_PIX_FMT_YUV420P,
                                  SWS_BICUBIC | SWS_ACCURATE_RND | SWS_BITEXACT, NULL, NULL, NULL);
    if ((uint32_t)width != file->width || (uint32_t)height != file->height)
        file->rgb = malloc((size_t)width * (size_t)height * 3);
    if (file->frame == NULL || file->packet == NULL || file->scaler == NULL ||
        (file->rgb == NULL && ((uint32_t)width != file->width || (uint32_t)height != file->height)))
        return shw_fail_memory(&file->log, file->name);
    file->frame->format = AV_PIX_FMT_YUV420P;
    file->frame->width = width;
    file->frame->height = height;
    return av_frame_get_buffer(file->frame, 0) >= 0 ? SHW_OK : shw_fail_memory(&file->log, file->name);
}

#if LIBAVFORMAT_VERSION_MAJOR < 61
static int write_bytes(void *stream, uint8_t *bytes, int size)
#else
static int write_bytes(void *stream, const uint8_t *bytes, int size)
#endif
{
    return fwrite(bytes, 1, (size_t)size, stream) == (size_t)size ? size : AVERROR(EIO);
}

static int64_t seek(void *stream, int64_t offset, int whence)
{
    if (whence == AVSEEK_SIZE)
        return AVERROR(ENOSYS);
    return fseeko(stream, (off_t)offset, whence) == 0 ? (int64_t)ftello(stream) : AVERROR(EIO);
}

/* 0 or an error of FFmpeg. */
static int open_output(struct shw_video_file *file, const struct shw_video_params *params)
{
    uint8_t *buffer;

    if (params->stream == NULL)
        return avio_open(&file->container->pb, params->path, AVIO_FLAG_WRITE);
    buffer = av_malloc(BUFFER_BYTES);
    if (buffer != NULL)
        file->container->pb = avio_alloc_context(buffer, BUFFER_BYTES, 1, params->stream, NULL, write_bytes, seek);
    if (file->container->pb == NULL) {
        av_free(buffer);
        return AVERROR(ENOMEM);
    }
    file->container->flags |= AVFMT_FLAG_CUSTOM_IO;
    return 0;
}

/* 0 or an error of FFmpeg. */
static int close_output(AVFormatContext *container)
{
    int error;

    if ((container->flags & AVFMT_FLAG_CUSTOM_IO) == 0)
        return avio_closep(&container->pb);
    avio_flush(container->pb);
    error = container->pb->error;
    av_freep(&container->pb->buffer);
    avio_context_free(&container->pb);
    return error;
}

/* In parts that are complete by themselves. */
static enum shw_result begin(struct shw_video_file *file, const struct shw_video_params *params)
{
    AVStream *track = avformat_new_stream(file->container, NULL);
    AVDictionary *options = NULL;
    int error;

    if (track == NULL)
        return shw_fail_memory(&file->log, file->name);
    error = avcodec_parameters_from_context(track->codecpar, file->encoder);
    track->time_base = file->encoder->time_base;
    file->container->flags |= AVFMT_FLAG_FLUSH_PACKETS | AVFMT_FLAG_BITEXACT;
    if (error >= 0)
        error = open_output(file, params);
    if (error >= 0)
        error = av_dict_set(&options, "movflags", "frag_keyframe+empty_moov+default_base_moof", 0);
    if (error >= 0)
        error = av_dict_set(&options, "cluster_time_limit", "1000", 0); /* milliseconds, of Matroska */
    if (error >= 0)
        error = avformat_write_header(file->container, &options);
    av_dict_free(&options);
    file->begun = error >= 0;
    return error >= 0 ? SHW_OK : fail_call(file, error);
}

enum shw_result shw_video_create(const struct shw_video_params *params, const struct shw_log *log,
                                 struct shw_video_file **handle)
{
    const char *name = params->path;
    struct shw_video_file *file;
    enum shw_result result;

    if (!shw_video_can_be_written(name))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s: names of videos end with .mkv, .mp4, .mov or .avi", name);
    file = calloc(1, sizeof *file);
    if (file == NULL)
        return shw_fail_memory(log, name);
    av_log_set_level(AV_LOG_QUIET); /* errors that matter are returned as error codes */
    file->log = *log;
    file->width = params->width;
    file->height = params->height;
    file->last = -1;
    file->name = strdup(name);
    if (file->name == NULL || avformat_alloc_output_context2(&file->container, NULL, NULL, name) < 0)
        SHW_TRY(shw_fail_memory(log, name));
    SHW_TRY(choose_encoder(file, params));
    SHW_TRY(allocate(file));
    SHW_TRY(begin(file, params));
    *handle = file;
    return SHW_OK;

fail:
    file->failed = true;
    shw_video_close(&file);
    return result;
}

/* Writes what the encoder has ready. */
static enum shw_result write_packets(struct shw_video_file *file)
{
    AVStream *track = file->container->streams[0];
    int error;

    while ((error = avcodec_receive_packet(file->encoder, file->packet)) >= 0) {
        av_packet_rescale_ts(file->packet, file->encoder->time_base, track->time_base);
        error = av_interleaved_write_frame(file->container, file->packet);
        if (error >= 0)
            error = file->container->pb->error;
        if (error < 0)
            return fail_call(file, error);
    }
    return error == AVERROR(EAGAIN) || error == AVERROR_EOF ? SHW_OK : fail_call(file, error);
}

/* The frame in an even size: its last column and row once more. */
static const uint8_t *extend(struct shw_video_file *file, const uint8_t *rgb)
{
    size_t width = (size_t)file->encoder->width, height = (size_t)file->encoder->height;

    if (file->rgb == NULL)
        return rgb;
    for (size_t y = 0; y < height; y++) {
        const uint8_t *row = rgb + (y < file->height ? y : y - 1) * file->width * 3;
        memcpy(file->rgb + y * width * 3, row, (size_t)file->width * 3);
        if (width > file->width)
            memcpy(file->rgb + (y + 1) * width * 3 - 3, row + ((size_t)file->width - 1) * 3, 3);
    }
    return file->rgb;
}

enum shw_result shw_video_check_size(const struct shw_video_file *file, uint32_t width, uint32_t height)
{
    if (file->width == width && file->height == height)
        return SHW_OK;
    return shw_fail(&file->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                    "the video %s ends: it has pictures of %u x %u pixels, and this one has %u x %u", file->name,
                    file->width, file->height, width, height);
}

enum shw_result shw_video_add(struct shw_video_file *file, const uint8_t *rgb, double seconds)
{
    const uint8_t *planes[1] = {extend(file, rgb)};
    const int strides[1] = {3 * file->encoder->width};
    int64_t ticks = llround(seconds * TICKS);
    int error = av_frame_make_writable(file->frame);

    if (error < 0)
        return fail_call(file, error);
    sws_scale(file->scaler, planes, strides, 0, file->encoder->height, file->frame->data, file->frame->linesize);
    file->last = ticks > file->last ? ticks : file->last + 1;
    file->frame->pts = file->last;
    error = avcodec_send_frame(file->encoder, file->frame);
    return error >= 0 ? write_packets(file) : fail_call(file, error);
}

enum shw_result shw_video_close(struct shw_video_file **handle)
{
    struct shw_video_file *file = *handle;
    enum shw_result result = SHW_OK;
    int error;

    *handle = NULL;
    if (file == NULL)
        return SHW_OK;
    if (file->begun && !file->failed && (error = avcodec_send_frame(file->encoder, NULL)) < 0)
        result = fail_call(file, error);
    if (file->begun && !file->failed)
        result = write_packets(file);
    if (file->begun && !file->failed && (error = av_write_trailer(file->container)) < 0)
        result = fail_call(file, error);
    if (file->container != NULL && file->container->pb != NULL && (error = close_output(file->container)) < 0 &&
        !file->failed)
        result = fail_call(file, error);
    avformat_free_context(file->container);
    avcodec_free_context(&file->encoder);
    av_frame_free(&file->frame);
    av_packet_free(&file->packet);
    sws_freeContext(file->scaler);
    free(file->rgb);
    free(file->name);
    free(file);
    return result;
}
