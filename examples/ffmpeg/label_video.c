/* Labels every frame of a video on the Vulkan device that FFmpeg has made. Part of Shadewood; MIT licence, see LICENSE.
 *
 *     label_video FOREST.ktx2 VIDEO OVERLAY LABELS [ENCODER [PIXEL-FORMAT]]
 *
 * A filter graph decodes the video and uploads each frame as a Vulkan image. Shadewood records on the same device,
 * after the frame's timeline semaphore, and writes the labels into a frame of FFmpeg's, too, of 16-bit grey. OVERLAY is
 * a video in which each pixel has 60 % of its class's colour; LABELS-000001.pgm and so on have the classes. The encoder
 * is libx264 with yuv420p unless stated. */
#include <stdio.h>
#include <stdlib.h>

#include <libavcodec/avcodec.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavformat/avformat.h>
#include <libavutil/hwcontext_vulkan.h>
#include <libavutil/opt.h>
#include <vulkan/vulkan.h>

#include <shadewood/shadewood.h>

#define OPACITY 60u

/* FFmpeg's device, and what Shadewood has on it. */
static AVBufferRef *ffmpeg_device;
static AVVulkanDeviceContext *vulkan;
static VkQueue queue;
static VkCommandPool pool;
static VkCommandBuffer commands;
static struct shw_device *device;
static struct shw_forest *forest;
static struct shw_labeller *labeller;

/* The labels of a frame, on the device. */
static AVBufferRef *label_frames;

/* To the encoder. */
static AVFilterGraph *out_graph;
static AVFilterContext *out_source, *out_sink;
static AVFormatContext *muxer;
static AVCodecContext *encoder;

/* Results of FFmpeg, Vulkan and Shadewood: failures are negative. */
static int check(int result, const char *what)
{
    if (result < 0) {
        fprintf(stderr, "%s: error %d\n", what, result);
        exit(1);
    }
    return result;
}

static void print_message(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    (void)user, (void)level, (void)item;
    fprintf(stderr, "%s\n", text);
}

static void open_device(const char *forest_path)
{
    struct shw_device_import_params import = {.api_version = VK_API_VERSION_1_2, .log = {.function = print_message}};
    const struct shw_forest_load_params load = {.log = import.log};
    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandBufferCount = 1};

    if (av_hwdevice_ctx_create(&ffmpeg_device, AV_HWDEVICE_TYPE_VULKAN, NULL, NULL, 0) < 0) {
        fprintf(stderr, "FFmpeg finds no Vulkan device\n");
        exit(77);
    }
    vulkan = ((AVHWDeviceContext *)ffmpeg_device->data)->hwctx;
    import.instance = vulkan->inst;
    import.physical_device = vulkan->phys_dev;
    import.device = vulkan->act_dev;
    import.queue_family = (uint32_t)vulkan->queue_family_comp_index;
    import.device_extensions = vulkan->enabled_dev_extensions;
    import.device_extension_count = (uint32_t)vulkan->nb_enabled_dev_extensions;
    import.features = &vulkan->device_features.features;
    import.get_instance_proc_addr = vulkan->get_proc_addr;
    check(shw_device_import(&import, &device), "the device");
    check(shw_forest_load(forest_path, &load, &forest), "the forest");

    pool_info.queueFamilyIndex = import.queue_family;
    vkGetDeviceQueue(vulkan->act_dev, import.queue_family, 0, &queue);
    check(vkCreateCommandPool(vulkan->act_dev, &pool_info, vulkan->alloc, &pool), "vkCreateCommandPool");
    allocate.commandPool = pool;
    check(vkAllocateCommandBuffers(vulkan->act_dev, &allocate, &commands), "vkAllocateCommandBuffers");
}

/* A labeller for frames of this size, and the pool of frames for its results: images of R16. */
static void open_labeller(uint32_t width, uint32_t height)
{
    const struct shw_labeller_params params = {.forest = forest,
                                               .device = device,
                                               .outputs = SHW_OUTPUT_ARGMAX,
                                               .width = width,
                                               .height = height,
                                               .log = {.function = print_message}};
    AVHWFramesContext *frames;

    check(shw_labeller_create(&params, &labeller), "the labeller");
    label_frames = av_hwframe_ctx_alloc(ffmpeg_device);
    frames = (AVHWFramesContext *)label_frames->data;
    frames->format = AV_PIX_FMT_VULKAN;
    frames->sw_format = AV_PIX_FMT_GRAY16;
    frames->width = (int)width;
    frames->height = (int)height;
    ((AVVulkanFramesContext *)frames->hwctx)->usage =
        VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    check(av_hwframe_ctx_init(label_frames), "frames for labels");
}

/* A frame's image while Shadewood uses it: from the layout in which FFmpeg left it to `after`. The frame's semaphore is
 * what other commands wait for, so that stages and accesses are those of the submission as a whole. */
static struct shw_image_use use_of(const AVVkFrame *frame, VkFormat format, uint32_t width, uint32_t height,
                                   VkImageLayout after)
{
    return (struct shw_image_use){.image = frame->img[0],
                                  .format = format,
                                  .extent = {width, height},
                                  .before = {.layout = frame->layout[0], .stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT},
                                  .after = {.layout = after, .stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT}};
}

/* The commands wait until both frames are ready, and raise their semaphores by one. */
static void submit(AVVkFrame *const frames[2])
{
    static const VkPipelineStageFlags all[2] = {VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT};
    const VkSemaphore semaphores[2] = {frames[0]->sem[0], frames[1]->sem[0]};
    const uint64_t ready[2] = {frames[0]->sem_value[0], frames[1]->sem_value[0]};
    const uint64_t done[2] = {ready[0] + 1, ready[1] + 1};
    const VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                  .waitSemaphoreValueCount = 2,
                                                  .pWaitSemaphoreValues = ready,
                                                  .signalSemaphoreValueCount = 2,
                                                  .pSignalSemaphoreValues = done};
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .pNext = &values,
                               .waitSemaphoreCount = 2,
                               .pWaitSemaphores = semaphores,
                               .pWaitDstStageMask = all,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &commands,
                               .signalSemaphoreCount = 2,
                               .pSignalSemaphores = semaphores};
    const VkSemaphoreWaitInfo wait = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                      .semaphoreCount = 2,
                                      .pSemaphores = semaphores,
                                      .pValues = done};

    check(vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
    frames[0]->sem_value[0] = done[0];
    frames[1]->sem_value[0] = done[1];
    check(vkWaitSemaphores(vulkan->act_dev, &wait, UINT64_MAX), "vkWaitSemaphores"); /* there is one command buffer */
}

static void label(const AVFrame *picture, const AVFrame *labels)
{
    static const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                                   .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    const uint32_t width = (uint32_t)picture->width, height = (uint32_t)picture->height;
    const AVHWFramesContext *pictures = (AVHWFramesContext *)picture->hw_frames_ctx->data;
    AVVkFrame *const frames[2] = {(AVVkFrame *)picture->data[0], (AVVkFrame *)labels->data[0]};
    struct shw_image_use colours = use_of(frames[0], av_vkfmt_from_pixfmt(pictures->sw_format)[0], width, height,
                                          VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    /* The image is R16_UNORM; labels are copied into it as they are. */
    struct shw_label_targets targets = {
        .argmax = use_of(frames[1], VK_FORMAT_R16_UINT, width, height, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL)};
    const VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                        .image = colours.image,
                                        .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                        .format = colours.format,
                                        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};

    targets.argmax.before.layout = VK_IMAGE_LAYOUT_UNDEFINED; /* every pixel is replaced */
    check(vkCreateImageView(vulkan->act_dev, &view, vulkan->alloc, &colours.view), "vkCreateImageView");
    check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
    check(shw_labeller_record(labeller, commands, 0, SHW_COLOUR_USE(colours), &targets), "labelling");
    check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    submit(frames);
    vkDestroyImageView(vulkan->act_dev, colours.view, vulkan->alloc);
    frames[0]->layout[0] = colours.after.layout;
    frames[1]->layout[0] = targets.argmax.after.layout;
    frames[0]->access[0] = frames[1]->access[0] = 0;
}

/* A frame in memory. */
static AVFrame *download(const AVFrame *frame)
{
    AVFrame *memory = av_frame_alloc();

    check(av_hwframe_transfer_data(memory, frame, 0), "av_hwframe_transfer_data");
    check(av_frame_copy_props(memory, frame), "av_frame_copy_props");
    return memory;
}

static void write_labels(const char *name, int number, const AVFrame *labels)
{
    char path[1024];
    FILE *stream;

    snprintf(path, sizeof path, "%s-%06d.pgm", name, number);
    stream = fopen(path, "wb");
    check(stream != NULL ? 0 : -1, path);
    fprintf(stream, "P5\n%d %d\n255\n", labels->width, labels->height);
    for (int y = 0; y < labels->height; y++)
        for (int x = 0; x < labels->width; x++)
            fputc(((uint16_t *)(void *)(labels->data[0] + y * labels->linesize[0]))[x], stream);
    check(fclose(stream), path);
}

/* Pixels without a class stay as they are. */
static void blend(AVFrame *picture, const AVFrame *labels)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);

    for (int y = 0; y < picture->height; y++)
        for (int x = 0; x < picture->width; x++) {
            uint32_t class = ((uint16_t *)(void *)(labels->data[0] + y * labels->linesize[0]))[x];
            uint8_t *pixel = picture->data[0] + y * picture->linesize[0] + 4 * x;
            for (int c = 0; c < 3 && class < info->class_count; c++)
                pixel[c] =
                    (uint8_t)(((100 - OPACITY) * pixel[c] + OPACITY * info->classes[class].colour[c] + 50) / 100);
        }
}

static AVFilterContext *add_filter(AVFilterGraph *graph, const char *name, const char *option, const char *value,
                                   AVFilterContext *after)
{
    AVFilterContext *filter = avfilter_graph_alloc_filter(graph, avfilter_get_by_name(name), name);

    check(filter != NULL ? 0 : -1, name);
    if (option != NULL)
        check(av_opt_set(filter, option, value, AV_OPT_SEARCH_CHILDREN), value);
    filter->hw_device_ctx = av_buffer_ref(ffmpeg_device);
    check(avfilter_init_str(filter, NULL), name);
    if (after != NULL)
        check(avfilter_link(after, 0, filter, 0), name);
    return filter;
}

/* The video as frames on the device. */
static AVFilterGraph *open_input(const char *path, AVFilterContext **sink)
{
    AVFilterGraph *graph = avfilter_graph_alloc();
    AVFilterContext *filter = add_filter(graph, "movie", "filename", path, NULL);

    filter = add_filter(graph, "format", "pix_fmts", "rgba", filter);
    filter = add_filter(graph, "hwupload", NULL, NULL, filter);
    *sink = add_filter(graph, "buffersink", NULL, NULL, filter);
    check(avfilter_graph_config(graph, NULL), "the filters before");
    return graph;
}

static bool next_frame(AVFilterContext *sink, AVFrame *frame)
{
    int result = av_buffersink_get_frame(sink, frame);

    return result != AVERROR_EOF && check(result, "the video") >= 0;
}

static void open_output(const char *path, const char *codec, const char *pixel_format, const AVFilterContext *in)
{
    const AVRational rate = av_buffersink_get_frame_rate(in), base = av_buffersink_get_time_base(in);
    char source[256];
    AVStream *stream;

    out_graph = avfilter_graph_alloc();
    snprintf(source, sizeof source, "video_size=%dx%d:pix_fmt=rgba:time_base=%d/%d", av_buffersink_get_w(in),
             av_buffersink_get_h(in), base.num, base.den);
    check(avfilter_graph_create_filter(&out_source, avfilter_get_by_name("buffer"), "in", source, NULL, out_graph),
          source);
    out_sink = add_filter(out_graph, "format", "pix_fmts", pixel_format, out_source);
    out_sink = add_filter(out_graph, "buffersink", NULL, NULL, out_sink);
    check(avfilter_graph_config(out_graph, NULL), "the filters after");

    check(avformat_alloc_output_context2(&muxer, NULL, NULL, path), path);
    encoder = avcodec_alloc_context3(avcodec_find_encoder_by_name(codec));
    encoder->width = av_buffersink_get_w(in);
    encoder->height = av_buffersink_get_h(in);
    encoder->pix_fmt = av_buffersink_get_format(out_sink);
    encoder->time_base = rate.num > 0 ? av_inv_q(rate) : base;
    if (muxer->oformat->flags & AVFMT_GLOBALHEADER)
        encoder->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    check(avcodec_open2(encoder, NULL, NULL), codec);
    stream = avformat_new_stream(muxer, NULL);
    stream->time_base = encoder->time_base;
    check(avcodec_parameters_from_context(stream->codecpar, encoder), codec);
    check(avio_open(&muxer->pb, path, AVIO_FLAG_WRITE), path);
    check(avformat_write_header(muxer, NULL), path);
}

/* NULL: there are no more. */
static void encode(AVFrame *frame)
{
    AVPacket *packet = av_packet_alloc();

    if (frame != NULL) {
        check(av_buffersrc_add_frame(out_source, frame), "av_buffersrc_add_frame");
        check(av_buffersink_get_frame(out_sink, frame), "av_buffersink_get_frame");
        frame->pts = av_rescale_q(frame->pts, av_buffersink_get_time_base(out_sink), encoder->time_base);
        frame->pict_type = AV_PICTURE_TYPE_NONE;
    }
    check(avcodec_send_frame(encoder, frame), "avcodec_send_frame");
    while (avcodec_receive_packet(encoder, packet) == 0) {
        packet->duration = 1;
        av_packet_rescale_ts(packet, encoder->time_base, muxer->streams[0]->time_base);
        check(av_interleaved_write_frame(muxer, packet), "av_interleaved_write_frame");
    }
    av_packet_free(&packet);
}

int main(int argc, char **argv)
{
    AVFrame *picture = av_frame_alloc(), *labels = av_frame_alloc();
    AVFilterContext *in;
    AVFilterGraph *graph;

    if (argc < 5 || argc > 7) {
        fprintf(stderr, "usage: label_video FOREST.ktx2 VIDEO OVERLAY LABELS [ENCODER [PIXEL-FORMAT]]\n");
        return 2;
    }
    open_device(argv[1]);
    graph = open_input(argv[2], &in);
    open_output(argv[3], argc > 5 ? argv[5] : "libx264", argc > 6 ? argv[6] : "yuv420p", in);
    open_labeller((uint32_t)av_buffersink_get_w(in), (uint32_t)av_buffersink_get_h(in));
    for (int number = 1; next_frame(in, picture); number++) {
        AVFrame *overlay, *classes;
        check(av_hwframe_get_buffer(label_frames, labels, 0), "a frame for labels");
        label(picture, labels);
        overlay = download(picture);
        classes = download(labels);
        write_labels(argv[4], number, classes);
        blend(overlay, classes);
        encode(overlay);
        av_frame_free(&overlay);
        av_frame_free(&classes);
        av_frame_unref(picture);
        av_frame_unref(labels);
    }
    encode(NULL);
    check(av_write_trailer(muxer), argv[3]);

    shw_labeller_destroy(&labeller);
    shw_forest_destroy(&forest);
    shw_device_destroy(&device);
    vkDestroyCommandPool(vulkan->act_dev, pool, vulkan->alloc);
    avio_closep(&muxer->pb);
    avformat_free_context(muxer);
    avcodec_free_context(&encoder);
    avfilter_graph_free(&graph);
    avfilter_graph_free(&out_graph);
    av_frame_free(&picture);
    av_frame_free(&labels);
    av_buffer_unref(&label_frames);
    av_buffer_unref(&ffmpeg_device);
    return 0;
}
