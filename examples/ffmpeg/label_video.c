/* Labels every frame of a video on the Vulkan device that FFmpeg has made. Part of Shadewood; MIT licence, see LICENSE.
 *
 *     label_video FOREST.ktx2 VIDEO OVERLAY LABELS [ENCODER [PIXEL-FORMAT]]
 *
 * A filter graph decodes the video and uploads each frame as Vulkan images: planes of luma and chroma as they are,
 * which become colours on the device. Shadewood writes the classes into a frame of FFmpeg's of 16-bit grey, and the
 * picture under the colours of classes into another one, which is encoded: by libx264 with yuv420p unless stated. Each
 * image has a timeline semaphore, for which Shadewood's commands wait, and which they raise. LABELS-000001.pgm and so
 * on have the classes. */
#include <stdio.h>
#include <stdlib.h>

#include <libavutil/hwcontext.h>
#include <libavutil/pixdesc.h>

#include "hosts/host.h"
#include "video.h"

/* The first that fits is taken: all but RGBA are planes of luma and chroma. */
#define FORMATS "nv12|yuv420p|yuv422p|yuv444p|yuv420p10|yuv422p10|yuv444p10|rgba"

static AVBufferRef *open_device(struct host *host, const char *forest)
{
    struct shw_device_import_params import = {.api_version = VK_API_VERSION_1_2};
    const AVVulkanDeviceContext *vulkan;
    AVBufferRef *device;

    if (av_hwdevice_ctx_create(&device, AV_HWDEVICE_TYPE_VULKAN, NULL, NULL, 0) < 0) {
        fprintf(stderr, "FFmpeg finds no Vulkan device\n");
        exit(77);
    }
    vulkan = ((AVHWDeviceContext *)device->data)->hwctx;
    import.instance = vulkan->inst;
    import.physical_device = vulkan->phys_dev;
    import.device = vulkan->act_dev;
    import.queue_family = (uint32_t)vulkan->queue_family_comp_index;
    import.device_extensions = vulkan->enabled_dev_extensions;
    import.device_extension_count = (uint32_t)vulkan->nb_enabled_dev_extensions;
    import.features = &vulkan->device_features.features;
    import.get_instance_proc_addr = vulkan->get_proc_addr;
    host_open(host, &import, forest);
    return device;
}

static enum AVPixelFormat format_of(const AVFrame *frame)
{
    return ((const AVHWFramesContext *)frame->hw_frames_ctx->data)->sw_format;
}

/* The image of a frame's plane, which Shadewood leaves in the layout `after`. */
static struct shw_image_use use_plane(struct host *host, const AVFrame *frame, int plane, VkImageLayout after)
{
    const AVPixFmtDescriptor *format = av_pix_fmt_desc_get(format_of(frame));
    AVVkFrame *images = (AVVkFrame *)frame->data[0];
    const uint64_t ready = images->sem_value[plane]++;
    const struct host_image image = {
        .handle = images->img[plane],
        .format = av_vkfmt_from_pixfmt(format_of(frame))[plane],
        .width = (uint32_t)AV_CEIL_RSHIFT(frame->width, plane > 0 ? format->log2_chroma_w : 0),
        .height = (uint32_t)AV_CEIL_RSHIFT(frame->height, plane > 0 ? format->log2_chroma_h : 0),
        .before = images->layout[plane],
        .after = after,
        .ready = {images->sem[plane], ready},
        .done = ready + 1};

    images->layout[plane] = after;
    images->access[plane] = 0;
    return host_use(host, &image);
}

static struct shw_ycbcr encoding_of(const AVFrame *frame)
{
    const AVComponentDescriptor luma = av_pix_fmt_desc_get(format_of(frame))->comp[0];

    return (struct shw_ycbcr){.matrix = frame->colorspace == AVCOL_SPC_BT709        ? SHW_YCBCR_BT709
                                        : frame->colorspace == AVCOL_SPC_BT2020_NCL ? SHW_YCBCR_BT2020
                                                                                    : SHW_YCBCR_BT601,
                              .siting = frame->chroma_location == AVCHROMA_LOC_CENTER    ? SHW_YCBCR_CENTRE
                                        : frame->chroma_location == AVCHROMA_LOC_TOPLEFT ? SHW_YCBCR_TOP_LEFT
                                                                                         : SHW_YCBCR_LEFT,
                              .full_range = frame->color_range == AVCOL_RANGE_JPEG,
                              .bits = (uint32_t)luma.depth,
                              .in_low_bits = luma.shift == 0};
}

/* Records the conversion of a frame of luma and chroma into `colours`. */
static struct shw_image_use convert(struct host *host, struct shw_ycbcr_converter *converter, const AVFrame *frame,
                                    const AVFrame *colours)
{
    const int count = av_pix_fmt_count_planes(format_of(frame));
    struct shw_image_use planes[3] = {0}, target;

    for (int p = 0; p < count; p++)
        planes[p] = use_plane(host, frame, p, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    target = use_plane(host, colours, 0, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    target.after.access = VK_ACCESS_SHADER_READ_BIT;
    check(shw_ycbcr_converter_record(converter, host->commands, 0,
                                     &(struct shw_ycbcr_planes){planes[0], planes[1], planes[2]}, &target),
          "the conversion");
    target.before = target.after; /* the labeller finds it as the converter leaves it */
    return target;
}

struct session {
    struct host host;
    struct shw_ycbcr_converter *converter; /* NULL: frames have colours */
    AVBufferRef *colours, *labels, *overlays;
    struct video_writer *writer;
};

/* For frames like the first one. */
static void open_session(struct session *session, const AVFrame *first, AVBufferRef *device)
{
    const AVPixFmtDescriptor *format = av_pix_fmt_desc_get(format_of(first));
    const struct shw_ycbcr_converter_params params = {.device = session->host.device,
                                                      .encoding = encoding_of(first),
                                                      .width = (uint32_t)first->width,
                                                      .height = (uint32_t)first->height};

    host_create_labeller(&session->host, params.width, params.height);
    if (!(format->flags & AV_PIX_FMT_FLAG_RGB)) {
        check(shw_ycbcr_converter_create(&params, &session->converter), "the converter");
        session->colours =
            video_open_frames(device, params.encoding.bits > 8 ? AV_PIX_FMT_RGBA64 : AV_PIX_FMT_RGBA, first);
    }
    session->labels = video_open_frames(device, AV_PIX_FMT_GRAY16, first);
    session->overlays = video_open_frames(device, AV_PIX_FMT_RGBA, first);
}

static void close_session(struct session *session)
{
    video_close_writer(&session->writer);
    shw_ycbcr_converter_destroy(&session->converter);
    host_close(&session->host);
    av_buffer_unref(&session->colours);
    av_buffer_unref(&session->labels);
    av_buffer_unref(&session->overlays);
}

static AVFrame *take_frame(AVBufferRef *pool)
{
    AVFrame *frame = av_frame_alloc();

    check(av_hwframe_get_buffer(pool, frame, 0), "av_hwframe_get_buffer");
    return frame;
}

static void label(struct session *session, const AVFrame *frame, const AVFrame *labels, const AVFrame *overlay)
{
    struct host *host = &session->host;
    AVFrame *colours = session->converter != NULL ? take_frame(session->colours) : NULL;
    struct shw_label_targets targets = {0};
    struct shw_image_use picture;

    host_begin(host);
    picture = colours != NULL ? convert(host, session->converter, frame, colours)
                              : use_plane(host, frame, 0, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    targets.argmax = use_plane(host, labels, 0, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    targets.overlay.use = use_plane(host, overlay, 0, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    check(shw_labeller_record(host->labeller, host->commands, 0, SHW_COLOUR_USE(picture), &targets), "labelling");
    host_submit(host);
    av_frame_free(&colours);
}

static void write_labels(const char *name, int number, const AVFrame *labels)
{
    AVFrame *memory = av_frame_alloc();
    char path[1024];

    snprintf(path, sizeof path, "%s-%06d.pgm", name, number);
    check(av_hwframe_transfer_data(memory, labels, 0), "av_hwframe_transfer_data");
    host_write_labels(path, memory->data[0], (uint32_t)labels->width, (uint32_t)labels->height,
                      (size_t)memory->linesize[0]);
    av_frame_free(&memory);
}

int main(int argc, char **argv)
{
    struct session session = {0};
    AVFrame *frame = av_frame_alloc();
    struct video_reader *reader;
    AVBufferRef *device;

    if (argc < 5 || argc > 7) {
        fprintf(stderr, "usage: label_video FOREST.ktx2 VIDEO OVERLAY LABELS [ENCODER [PIXEL-FORMAT]]\n");
        return 2;
    }
    device = open_device(&session.host, argv[1]);
    reader = video_open_reader(argv[2], FORMATS, device);
    for (int number = 1; video_read(reader, frame); number++) {
        AVFrame *labels, *overlay;
        if (number == 1) {
            open_session(&session, frame, device);
            session.writer = video_open_writer(argv[3], argc > 5 ? argv[5] : "libx264", argc > 6 ? argv[6] : "yuv420p",
                                               session.overlays, reader);
        }
        labels = take_frame(session.labels);
        overlay = take_frame(session.overlays);
        overlay->pts = frame->pts;
        label(&session, frame, labels, overlay);
        write_labels(argv[4], number, labels);
        video_write(session.writer, overlay);
        av_frame_unref(frame);
        av_frame_free(&labels);
        av_frame_free(&overlay);
    }
    check(session.writer != NULL ? 0 : -1, "a video without frames");
    close_session(&session);
    video_close_reader(&reader);
    av_frame_free(&frame);
    av_buffer_unref(&device);
    return 0;
}
