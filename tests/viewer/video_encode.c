#include "video_encode.h"

#include <stdatomic.h>
#include <string.h>

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>

#include "source/reader.h"
#include "testing/testing.h"

static bool is_grey16(const struct testing_video *video)
{
    return strncmp(video->format, "gray16", 6) == 0;
}

uint16_t testing_video_sample(const struct testing_video *video, int frame, int x, int y, int channel)
{
    int grey = strncmp(video->format, "gray", 4) == 0;
    bool deep = strcmp(video->format, "gbrp16le") == 0;
    struct testing_random random = {((uint64_t)(unsigned)frame << 40) + ((uint64_t)(unsigned)y << 24) +
                                    ((uint64_t)(unsigned)x << 4) + (unsigned)(grey ? 0 : channel)};

    return (uint16_t)(testing_random_next(&random) >> (is_grey16(video) ? 52 : deep ? 48 : 56));
}

/* Something that moves and that an encoder can foretell. */
static uint8_t moving(int frame, int x, int y, int plane)
{
    int dx = x - 3 * frame, dy = y - 2 * frame;

    return (uint8_t)(16 + ((dx * dx + 2 * dy * dy) / 16 + 37 * plane) % 200);
}

static void draw_pixel(const struct testing_video *video, AVFrame *picture, int frame, int x, int y)
{
    uint16_t rgb[3];

    for (int channel = 0; channel < 3; channel++)
        rgb[channel] = testing_video_sample(video, frame, x, y, channel);
    if (strcmp(video->format, "bgr0") == 0) {
        uint8_t *pixel = picture->data[0] + y * picture->linesize[0] + 4 * x;

        for (int channel = 0; channel < 3; channel++)
            pixel[2 - channel] = (uint8_t)rgb[channel];
        pixel[3] = 0;
    } else if (strcmp(video->format, "rgb24") == 0 || strcmp(video->format, "yuv444p") == 0) {
        bool planes = video->format[0] == 'y';

        for (int channel = 0; channel < 3; channel++)
            *(planes ? picture->data[channel] + y * picture->linesize[channel] + x
                     : picture->data[0] + y * picture->linesize[0] + 3 * x + channel) = (uint8_t)rgb[channel];
    } else if (strcmp(video->format, "gbrp16le") == 0) {
        static const int planes[] = {2, 0, 1}; /* of R, G and B */

        for (int channel = 0; channel < 3; channel++)
            memcpy(picture->data[planes[channel]] + y * picture->linesize[planes[channel]] + 2 * x, &rgb[channel], 2);
    } else if (is_grey16(video)) {
        bool big = strcmp(video->format, "gray16be") == 0;

        picture->data[0][y * picture->linesize[0] + 2 * x + big] = (uint8_t)rgb[0];
        picture->data[0][y * picture->linesize[0] + 2 * x + !big] = (uint8_t)(rgb[0] >> 8);
    } else {
        picture->data[0][y * picture->linesize[0] + x] = (uint8_t)rgb[0];
    }
}

static void draw(const struct testing_video *video, AVFrame *picture, int frame)
{
    bool planes = strcmp(video->format, "yuv420p") == 0;

    for (int plane = 0; planes && plane < 3; plane++)
        for (int y = 0; y < video->height >> (plane != 0); y++)
            for (int x = 0; x < video->width >> (plane != 0); x++)
                picture->data[plane][y * picture->linesize[plane] + x] = moving(frame, x, y, plane);
    for (int y = 0; !planes && y < video->height; y++)
        for (int x = 0; x < video->width; x++)
            draw_pixel(video, picture, frame, x, y);
}

/* A track as it is written. */
struct track {
    const struct testing_video *video;
    AVCodecContext *encoder;
    AVFrame *picture;
    AVStream *stream;
};

static void write_packets(AVFormatContext *file, const struct track *track, AVPacket *packet)
{
    while (avcodec_receive_packet(track->encoder, packet) >= 0) {
        av_packet_rescale_ts(packet, track->encoder->time_base, track->stream->time_base);
        packet->duration = av_rescale_q(1, track->encoder->time_base, track->stream->time_base);
        packet->stream_index = track->stream->index;
        assert_true(av_interleaved_write_frame(file, packet) >= 0);
    }
}

static void add_matrix(const struct testing_video *video, AVStream *track)
{
    int32_t *matrix = (void *)av_stream_new_side_data(track, AV_PKT_DATA_DISPLAYMATRIX, 9 * sizeof *matrix);

    assert_non_null(matrix);
    memset(matrix, 0, 9 * sizeof *matrix);
    for (int i = 0; i < 4; i++)
        matrix[i / 2 * 3 + i % 2] = video->matrix[i] * 65536;
    matrix[8] = 1 << 30;
}

static void set_up(const struct testing_video *video, bool global_header, AVCodecContext *encoder)
{
    encoder->width = video->width;
    encoder->height = video->height;
    encoder->pix_fmt = av_get_pix_fmt(video->format);
    encoder->time_base = (AVRational){1, video->rate};
    encoder->framerate = (AVRational){video->rate, 1};
    encoder->thread_count = 1;
    if (video->colour_space != 0)
        encoder->colorspace = (enum AVColorSpace)video->colour_space;
    if (video->full_range)
        encoder->color_range = AVCOL_RANGE_JPEG;
    if (video->key_distance != 0)
        encoder->gop_size = video->key_distance;
    encoder->max_b_frames = video->reordered;
    if (global_header)
        encoder->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    if (strcmp(video->format, "gbrp16le") == 0)
        assert_true(av_opt_set_int(encoder, "strict", FF_COMPLIANCE_EXPERIMENTAL, 0) >= 0);
}

static struct track add_track(const struct testing_video *video, const char *title, AVFormatContext *file)
{
    const AVCodec *codec = avcodec_find_encoder_by_name(video->codec);
    struct track track = {video, avcodec_alloc_context3(codec), av_frame_alloc(), avformat_new_stream(file, NULL)};

    assert_non_null(codec);
    assert_non_null(track.stream);
    set_up(video, (file->oformat->flags & AVFMT_GLOBALHEADER) != 0, track.encoder);
    assert_true(avcodec_open2(track.encoder, codec, NULL) >= 0);
    track.picture->width = video->width;
    track.picture->height = video->height;
    track.picture->format = track.encoder->pix_fmt;
    assert_true(av_frame_get_buffer(track.picture, 0) >= 0);
    assert_true(avcodec_parameters_from_context(track.stream->codecpar, track.encoder) >= 0);
    if (video->matrix[0] != 0 || video->matrix[1] != 0)
        add_matrix(video, track.stream);
    if (title != NULL)
        assert_true(av_dict_set(&track.stream->metadata, "title", title, 0) >= 0);
    track.stream->time_base = track.encoder->time_base;
    track.stream->avg_frame_rate = track.encoder->framerate;
    return track;
}

static void write_frame(AVFormatContext *file, struct track *track, int frame, AVPacket *packet)
{
    if (frame < track->video->frames) {
        assert_true(av_frame_make_writable(track->picture) >= 0);
        draw(track->video, track->picture, frame);
        track->picture->pts = frame;
    }
    if (frame <= track->video->frames) {
        assert_true(avcodec_send_frame(track->encoder, frame < track->video->frames ? track->picture : NULL) >= 0);
        write_packets(file, track, packet);
    }
}

void testing_write_tracks(const char *path, const struct testing_video *const videos[], const char *const titles[],
                          int count)
{
    AVFormatContext *file = NULL;
    AVPacket *packet = av_packet_alloc();
    struct track tracks[4];
    int frames = 0;

    av_log_set_level(AV_LOG_QUIET);
    assert_in_range(count, 1, 4);
    assert_true(avformat_alloc_output_context2(&file, NULL, videos[0]->container, path) >= 0);
    for (int i = 0; i < count; i++) {
        tracks[i] = add_track(videos[i], titles != NULL ? titles[i] : NULL, file);
        frames = videos[i]->frames > frames ? videos[i]->frames : frames;
    }
    assert_true(avio_open(&file->pb, path, AVIO_FLAG_WRITE) >= 0);
    assert_true(avformat_write_header(file, NULL) >= 0);
    for (int frame = 0; frame <= frames; frame++)
        for (int i = 0; i < count; i++)
            write_frame(file, &tracks[i], frame, packet);
    assert_true(av_write_trailer(file) >= 0);
    avio_closep(&file->pb);
    avformat_free_context(file);
    for (int i = 0; i < count; i++) {
        avcodec_free_context(&tracks[i].encoder);
        av_frame_free(&tracks[i].picture);
    }
    av_packet_free(&packet);
}

void testing_write_video(const char *path, const struct testing_video *video)
{
    testing_write_tracks(path, &video, NULL, 1);
}

void testing_check_video_picture(const struct testing_video *video, const struct view_picture *picture, int frame)
{
    int channels = is_grey16(video) ? 1 : 3;
    bool deep = strcmp(video->format, "gbrp16le") == 0 || is_grey16(video);

    assert_int_equal(picture->image.width, video->width);
    assert_int_equal(picture->image.height, video->height);
    assert_int_equal(picture->image.format, is_grey16(video) ? SHW_PIXEL_GREY16
                                            : deep           ? SHW_PIXEL_RGB16
                                                             : SHW_PIXEL_RGB8);
    for (int y = 0; y < video->height; y++) {
        const uint8_t *row = (const uint8_t *)picture->image.pixels + (size_t)y * picture->image.stride;

        for (int x = 0; x < video->width; x++)
            for (int channel = 0, i = channels * x; channel < channels; channel++, i++)
                assert_int_equal(deep ? ((const uint16_t *)(const void *)row)[i] : row[i],
                                 testing_video_sample(video, frame, x, y, channel));
    }
}

uint32_t testing_count_video_pictures(const char *path, uint32_t *width, uint32_t *height)
{
    struct testing_log memory;
    const struct shw_log log = testing_log(&memory);
    const struct view_other_inputs none = {.count = 0};
    atomic_bool stop = false;
    const struct view_stream_params params = {.url = path, .name = path, .stop = &stop, .others = &none, .log = &log};
    struct view_reader reader;
    struct view_reading reading;
    uint32_t count = 0;

    assert_int_equal(view_read_stream(&params, &reader), SHW_OK);
    for (;; count++) {
        assert_int_equal(reader.next(reader.user, &reading), SHW_OK);
        if (reading.picture == NULL)
            break;
        *width = reading.picture->image.width;
        *height = reading.picture->image.height;
        view_picture_free(reading.picture);
    }
    reader.close(reader.user);
    return count;
}
