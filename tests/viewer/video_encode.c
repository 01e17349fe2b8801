#include "video_encode.h"

#include <string.h>

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>

#include "testing/testing.h"

uint16_t testing_video_sample(const struct testing_video *video, int frame, int x, int y, int channel)
{
    int grey = strcmp(video->format, "gray") == 0;
    struct testing_random random = {((uint64_t)(unsigned)frame << 40) + ((uint64_t)(unsigned)y << 24) +
                                    ((uint64_t)(unsigned)x << 4) + (unsigned)(grey ? 0 : channel)};

    return (uint16_t)(testing_random_next(&random) >> (strcmp(video->format, "gbrp16le") == 0 ? 48 : 56));
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

static void write_packets(AVFormatContext *file, AVCodecContext *encoder, AVPacket *packet)
{
    while (avcodec_receive_packet(encoder, packet) >= 0) {
        av_packet_rescale_ts(packet, encoder->time_base, file->streams[0]->time_base);
        packet->duration = av_rescale_q(1, encoder->time_base, file->streams[0]->time_base);
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

void testing_write_video(const char *path, const struct testing_video *video)
{
    const AVCodec *codec = avcodec_find_encoder_by_name(video->codec);
    AVFormatContext *file = NULL;
    AVCodecContext *encoder = avcodec_alloc_context3(codec);
    AVFrame *picture = av_frame_alloc();
    AVPacket *packet = av_packet_alloc();

    av_log_set_level(AV_LOG_QUIET);
    assert_non_null(codec);
    assert_true(avformat_alloc_output_context2(&file, NULL, video->container, path) >= 0);
    encoder->width = picture->width = video->width;
    encoder->height = picture->height = video->height;
    encoder->pix_fmt = av_get_pix_fmt(video->format);
    picture->format = encoder->pix_fmt;
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
    if ((file->oformat->flags & AVFMT_GLOBALHEADER) != 0)
        encoder->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    if (strcmp(video->format, "gbrp16le") == 0)
        assert_true(av_opt_set_int(encoder, "strict", FF_COMPLIANCE_EXPERIMENTAL, 0) >= 0);
    assert_true(avcodec_open2(encoder, codec, NULL) >= 0);
    assert_non_null(avformat_new_stream(file, NULL));
    assert_true(avcodec_parameters_from_context(file->streams[0]->codecpar, encoder) >= 0);
    if (video->matrix[0] != 0 || video->matrix[1] != 0)
        add_matrix(video, file->streams[0]);
    file->streams[0]->time_base = encoder->time_base;
    file->streams[0]->avg_frame_rate = encoder->framerate;
    assert_true(avio_open(&file->pb, path, AVIO_FLAG_WRITE) >= 0);
    assert_true(avformat_write_header(file, NULL) >= 0);
    assert_true(av_frame_get_buffer(picture, 0) >= 0);
    for (int frame = 0; frame < video->frames; frame++) {
        assert_true(av_frame_make_writable(picture) >= 0);
        draw(video, picture, frame);
        picture->pts = frame;
        assert_true(avcodec_send_frame(encoder, picture) >= 0);
        write_packets(file, encoder, packet);
    }
    assert_true(avcodec_send_frame(encoder, NULL) >= 0);
    write_packets(file, encoder, packet);
    assert_true(av_write_trailer(file) >= 0);
    avio_closep(&file->pb);
    avformat_free_context(file);
    avcodec_free_context(&encoder);
    av_frame_free(&picture);
    av_packet_free(&packet);
}

void testing_check_video_picture(const struct testing_video *video, const struct view_picture *picture, int frame)
{
    bool deep = picture->image.format == SHW_PIXEL_RGB16;

    assert_int_equal(picture->image.width, video->width);
    assert_int_equal(picture->image.height, video->height);
    assert_int_equal(picture->image.format, strcmp(video->format, "gbrp16le") == 0 ? SHW_PIXEL_RGB16 : SHW_PIXEL_RGB8);
    for (int y = 0; y < video->height; y++) {
        const uint8_t *row = (const uint8_t *)picture->image.pixels + (size_t)y * picture->image.stride;

        for (int x = 0; x < video->width; x++)
            for (int channel = 0; channel < 3; channel++)
                assert_int_equal(deep ? ((const uint16_t *)(const void *)row)[3 * x + channel] : row[3 * x + channel],
                                 testing_video_sample(video, frame, x, y, channel));
    }
}
