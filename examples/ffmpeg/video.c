#include "video.h"

#include <libavcodec/avcodec.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>

#include "hosts/host.h"

struct video_reader {
    AVFilterGraph *graph;
    AVFilterContext *sink;
};

struct video_writer {
    AVFilterGraph *graph;
    AVFilterContext *source, *sink;
    AVCodecContext *encoder;
    AVFormatContext *muxer;
};

static void *allocate(size_t size)
{
    void *memory = av_mallocz(size);

    check(memory != NULL ? 0 : AVERROR(ENOMEM), "memory");
    return memory;
}

static AVFilterContext *add_filter(AVFilterGraph *graph, const char *name, const char *option, const char *value,
                                   AVFilterContext *after, AVBufferRef *device)
{
    AVFilterContext *filter = avfilter_graph_alloc_filter(graph, avfilter_get_by_name(name), NULL);

    check(filter != NULL ? 0 : -1, name);
    if (option != NULL)
        check(av_opt_set(filter, option, value, AV_OPT_SEARCH_CHILDREN), value);
    if (device != NULL)
        filter->hw_device_ctx = av_buffer_ref(device);
    check(avfilter_init_str(filter, NULL), name);
    if (after != NULL)
        check(avfilter_link(after, 0, filter, 0), name);
    return filter;
}

struct video_reader *video_open_reader(const char *path, const char *formats, AVBufferRef *device)
{
    struct video_reader *reader = allocate(sizeof *reader);
    AVFilterContext *filter;

    reader->graph = avfilter_graph_alloc();
    filter = add_filter(reader->graph, "movie", "filename", path, NULL, NULL);
    filter = add_filter(reader->graph, "format", "pix_fmts", formats, filter, NULL);
    /* hwupload of FFmpeg 5.1 does not wait until the device has read a frame, whose memory the decoder may use again;
     * that of a copy is not used before the next frame */
    filter = add_filter(reader->graph, "copy", NULL, NULL, filter, NULL);
    filter = add_filter(reader->graph, "hwupload", NULL, NULL, filter, device);
    reader->sink = add_filter(reader->graph, "buffersink", NULL, NULL, filter, NULL);
    check(avfilter_graph_config(reader->graph, NULL), "the filters before");
    return reader;
}

bool video_read(struct video_reader *reader, AVFrame *frame)
{
    const int result = av_buffersink_get_frame(reader->sink, frame);

    return result != AVERROR_EOF && check(result, "the video") >= 0;
}

void video_close_reader(struct video_reader **reader)
{
    avfilter_graph_free(&(*reader)->graph);
    av_freep(reader);
}

AVBufferRef *video_open_frames(AVBufferRef *device, enum AVPixelFormat format, const AVFrame *size)
{
    AVBufferRef *pool = av_hwframe_ctx_alloc(device);
    AVHWFramesContext *frames = (AVHWFramesContext *)pool->data;

    frames->format = AV_PIX_FMT_VULKAN;
    frames->sw_format = format;
    frames->width = size->width;
    frames->height = size->height;
    check(av_hwframe_ctx_init(pool), av_get_pix_fmt_name(format));
    return pool;
}

/* From the device to the encoder's pixel format. */
static void open_filters(struct video_writer *writer, const char *pixel_format, AVBufferRef *frames,
                         const struct video_reader *times)
{
    const AVHWFramesContext *pool = (const AVHWFramesContext *)frames->data;
    AVBufferSrcParameters *source = av_buffersrc_parameters_alloc();
    AVFilterContext *filter;

    source->format = pool->format;
    source->width = pool->width;
    source->height = pool->height;
    source->time_base = av_buffersink_get_time_base(times->sink);
    source->hw_frames_ctx = frames;
    writer->graph = avfilter_graph_alloc();
    writer->source = avfilter_graph_alloc_filter(writer->graph, avfilter_get_by_name("buffer"), "in");
    check(av_buffersrc_parameters_set(writer->source, source), "av_buffersrc_parameters_set");
    check(avfilter_init_str(writer->source, NULL), "buffer");
    av_free(source);
    filter = add_filter(writer->graph, "hwdownload", NULL, NULL, writer->source, NULL);
    filter = add_filter(writer->graph, "format", "pix_fmts", av_get_pix_fmt_name(pool->sw_format), filter, NULL);
    filter = add_filter(writer->graph, "format", "pix_fmts", pixel_format, filter, NULL);
    writer->sink = add_filter(writer->graph, "buffersink", NULL, NULL, filter, NULL);
    check(avfilter_graph_config(writer->graph, NULL), "the filters after");
}

struct video_writer *video_open_writer(const char *path, const char *codec, const char *pixel_format,
                                       AVBufferRef *frames, const struct video_reader *times)
{
    struct video_writer *writer = allocate(sizeof *writer);
    const AVRational rate = av_buffersink_get_frame_rate(times->sink);
    AVStream *stream;

    open_filters(writer, pixel_format, frames, times);
    check(avformat_alloc_output_context2(&writer->muxer, NULL, NULL, path), path);
    writer->encoder = avcodec_alloc_context3(avcodec_find_encoder_by_name(codec));
    writer->encoder->width = av_buffersink_get_w(writer->sink);
    writer->encoder->height = av_buffersink_get_h(writer->sink);
    writer->encoder->pix_fmt = av_buffersink_get_format(writer->sink);
    writer->encoder->time_base = rate.num > 0 ? av_inv_q(rate) : av_buffersink_get_time_base(times->sink);
    if (writer->muxer->oformat->flags & AVFMT_GLOBALHEADER)
        writer->encoder->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    check(avcodec_open2(writer->encoder, NULL, NULL), codec);
    stream = avformat_new_stream(writer->muxer, NULL);
    stream->time_base = writer->encoder->time_base;
    check(avcodec_parameters_from_context(stream->codecpar, writer->encoder), codec);
    check(avio_open(&writer->muxer->pb, path, AVIO_FLAG_WRITE), path);
    check(avformat_write_header(writer->muxer, NULL), path);
    return writer;
}

/* NULL: there are no more. */
static void encode(struct video_writer *writer, const AVFrame *frame)
{
    AVPacket *packet = av_packet_alloc();

    check(avcodec_send_frame(writer->encoder, frame), "avcodec_send_frame");
    while (avcodec_receive_packet(writer->encoder, packet) == 0) {
        packet->duration = 1;
        av_packet_rescale_ts(packet, writer->encoder->time_base, writer->muxer->streams[0]->time_base);
        check(av_interleaved_write_frame(writer->muxer, packet), "av_interleaved_write_frame");
    }
    av_packet_free(&packet);
}

void video_write(struct video_writer *writer, AVFrame *frame)
{
    check(av_buffersrc_add_frame(writer->source, frame), "av_buffersrc_add_frame");
    check(av_buffersink_get_frame(writer->sink, frame), "av_buffersink_get_frame");
    frame->pts = av_rescale_q(frame->pts, av_buffersink_get_time_base(writer->sink), writer->encoder->time_base);
    frame->pict_type = AV_PICTURE_TYPE_NONE;
    encode(writer, frame);
    av_frame_unref(frame);
}

void video_close_writer(struct video_writer **writer)
{
    encode(*writer, NULL);
    check(av_write_trailer((*writer)->muxer), "av_write_trailer");
    avio_closep(&(*writer)->muxer->pb);
    avformat_free_context((*writer)->muxer);
    avcodec_free_context(&(*writer)->encoder);
    avfilter_graph_free(&(*writer)->graph);
    av_freep(writer);
}
