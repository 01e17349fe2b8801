#include "labelling.h"

#include "frame/engine.h"

enum { PLANES_MAX = 3 };

/* Frames travel to the device and results back through the engine's buffer. */
struct device_labelling {
    struct labelling_params params;
    struct engine engine;
    struct shw_device *device;
    struct shw_ycbcr_converter *converter; /* NULL: the first plane has the colours */
    struct shw_labeller *labeller;
    struct shw_class_paint *paints;
    struct engine_image planes[PLANES_MAX], colours;
    guint plane_count;
};

/* The images of a frame's planes. RGB is not a format that devices have, and becomes RGBA. */
static const struct {
    GstVideoFormat frame;
    VkFormat planes[PLANES_MAX];
    guint bytes[PLANES_MAX]; /* of a texel */
} formats[] = {{GST_VIDEO_FORMAT_NV12, {VK_FORMAT_R8_UNORM, VK_FORMAT_R8G8_UNORM}, {1, 2}},
               {GST_VIDEO_FORMAT_I420, {VK_FORMAT_R8_UNORM, VK_FORMAT_R8_UNORM, VK_FORMAT_R8_UNORM}, {1, 1, 1}},
               {GST_VIDEO_FORMAT_RGB, {VK_FORMAT_R8G8B8A8_UNORM}, {4}},
               {GST_VIDEO_FORMAT_RGBA, {VK_FORMAT_R8G8B8A8_UNORM}, {4}},
               {GST_VIDEO_FORMAT_BGRA, {VK_FORMAT_B8G8R8A8_UNORM}, {4}},
               {GST_VIDEO_FORMAT_GRAY8, {VK_FORMAT_R8_UNORM}, {1}}};

static guint format_of(const GstVideoInfo *frame)
{
    guint f = 0;

    while (formats[f].frame != GST_VIDEO_INFO_FORMAT(frame))
        f++;
    return f;
}

static void create_planes(struct device_labelling *labelling)
{
    const VkImageUsageFlags usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
    const GstVideoInfo *frame = &labelling->params.frame;

    for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES(frame); p++) /* the component of a plane has the plane's number */
        labelling->planes[labelling->plane_count++] = engine_create_image(
            &labelling->engine, formats[format_of(frame)].planes[p], usage,
            (uint32_t)GST_VIDEO_INFO_COMP_WIDTH(frame, p), (uint32_t)GST_VIDEO_INFO_COMP_HEIGHT(frame, p));
    if (GST_VIDEO_INFO_IS_YUV(frame))
        labelling->colours = engine_create_image(&labelling->engine, VK_FORMAT_R8G8B8A8_UNORM, usage,
                                                 labelling->planes[0].width, labelling->planes[0].height);
}

static gboolean create_stages(struct device_labelling *labelling)
{
    const struct labelling_params *params = &labelling->params;
    const struct engine *engine = &labelling->engine;
    const struct shw_device_import_params import = {.instance = engine->instance,
                                                    .physical_device = engine->physical_device,
                                                    .device = engine->device,
                                                    .queue_family = engine->family,
                                                    .get_instance_proc_addr = vkGetInstanceProcAddr,
                                                    .log = params->log};
    struct shw_ycbcr_converter_params converter = {.encoding = labelling_encoding(&params->frame),
                                                   .width = labelling->planes[0].width,
                                                   .height = labelling->planes[0].height,
                                                   .log = params->log};
    struct shw_labeller_params labeller = {.forest = params->forest,
                                           .outputs = SHW_OUTPUT_ARGMAX,
                                           .channels = params->technique,
                                           .integrate = params->technique,
                                           .evaluate = params->technique,
                                           .width = converter.width,
                                           .height = converter.height,
                                           .log = params->log};

    if (params->overlay)
        labeller.formats.overlay = VK_FORMAT_R8G8B8A8_UNORM;
    else
        labeller.formats.argmax = VK_FORMAT_R8_UINT;
    if (shw_device_import(&import, &labelling->device) != SHW_OK)
        return FALSE;
    converter.device = labeller.device = labelling->device;
    return (!GST_VIDEO_INFO_IS_YUV(&params->frame) ||
            shw_ycbcr_converter_create(&converter, &labelling->converter) == SHW_OK) &&
           shw_labeller_create(&labeller, &labelling->labeller) == SHW_OK;
}

/* The forest's colours with the element's opacity. */
static struct shw_class_paint *create_paints(const struct labelling_params *params)
{
    const struct shw_forest_info *info = shw_forest_get_info(params->forest);
    struct shw_class_paint *paints = g_new(struct shw_class_paint, info->class_count);

    for (guint c = 0; c < info->class_count; c++) {
        memcpy(paints[c].colour, info->classes[c].colour, sizeof paints[c].colour);
        paints[c].opacity = (uint8_t)params->opacity;
    }
    return paints;
}

struct device_labelling *device_labelling_new(const struct labelling_params *params)
{
    struct device_labelling *labelling = g_new0(struct device_labelling, 1);
    const VkDeviceSize pixels =
        (VkDeviceSize)GST_VIDEO_INFO_WIDTH(&params->frame) * (VkDeviceSize)GST_VIDEO_INFO_HEIGHT(&params->frame);

    labelling->params = *params;
    labelling->paints = create_paints(params);
    if (engine_open(&labelling->engine, params->device, 4 * pixels + 16) == VK_SUCCESS)
        create_planes(labelling);
    if (labelling->engine.result == VK_SUCCESS && create_stages(labelling))
        return labelling;
    if (labelling->engine.result != VK_SUCCESS)
        params->log.function(params->log.user, SHW_LOG_WARNING, SHW_LOG_VULKAN_CALL, labelling->engine.what);
    device_labelling_free(labelling);
    return NULL;
}

void device_labelling_free(struct device_labelling *labelling)
{
    if (labelling == NULL)
        return;
    shw_labeller_destroy(&labelling->labeller);
    shw_ycbcr_converter_destroy(&labelling->converter);
    shw_device_destroy(&labelling->device);
    for (guint p = 0; p < PLANES_MAX; p++)
        engine_destroy_image(&labelling->engine, &labelling->planes[p]);
    engine_destroy_image(&labelling->engine, &labelling->colours);
    engine_close(&labelling->engine);
    g_free(labelling->paints);
    g_free(labelling);
}

/* A plane's rows without padding. */
static void copy_plane(const GstVideoFrame *frame, guint plane, guint bytes, const struct engine_image *image,
                       guint8 *to)
{
    for (uint32_t y = 0; y < image->height; y++, to += (gsize)image->width * bytes) {
        const guint8 *row = (const guint8 *)GST_VIDEO_FRAME_PLANE_DATA(frame, plane) +
                            y * (gsize)GST_VIDEO_FRAME_PLANE_STRIDE(frame, plane);
        if (GST_VIDEO_FRAME_FORMAT(frame) != GST_VIDEO_FORMAT_RGB)
            memcpy(to, row, (gsize)image->width * bytes);
        else
            for (uint32_t x = 0; x < image->width; x++)
                memcpy(to + 4 * x, row + 3 * x, 3);
    }
}

/* Copies the planes to the buffer, and records the copies from there to the images. */
static void upload(struct device_labelling *labelling, const GstVideoFrame *frame)
{
    VkDeviceSize offset = 0;

    for (guint p = 0; p < labelling->plane_count; p++) {
        const struct engine_image *plane = &labelling->planes[p];
        const guint bytes = formats[format_of(&frame->info)].bytes[p];
        copy_plane(frame, p, bytes, plane, (guint8 *)labelling->engine.mapped + offset);
        engine_draw(&labelling->engine, plane, offset);
        offset = (offset + (VkDeviceSize)plane->width * plane->height * bytes + 3) & ~(VkDeviceSize)3;
    }
}

/* An image that is written by transfers and read by shaders. A null image has a null use. */
static struct shw_image_use use_of(const struct engine_image *image)
{
    return (struct shw_image_use){
        .image = image->handle,
        .view = image->view,
        .format = image->format,
        .extent = {image->width, image->height},
        .before = {VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT},
        .after = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                  VK_ACCESS_SHADER_READ_BIT}};
}

static gboolean record(struct device_labelling *labelling)
{
    const VkCommandBuffer commands = labelling->engine.commands;
    struct shw_image_use picture = use_of(&labelling->planes[0]);
    struct shw_label_targets targets = {.overlay.paints = labelling->params.overlay ? labelling->paints : NULL};
    struct shw_buffer_use *result = labelling->params.overlay ? &targets.buffers.overlay : &targets.buffers.argmax;

    if (labelling->converter != NULL) {
        const struct shw_ycbcr_planes planes = {picture, use_of(&labelling->planes[1]), use_of(&labelling->planes[2])};
        picture = use_of(&labelling->colours);
        picture.before.layout = VK_IMAGE_LAYOUT_UNDEFINED;
        if (shw_ycbcr_converter_record(labelling->converter, commands, 0, &planes, &picture) != SHW_OK)
            return FALSE;
        picture.before = picture.after;
    }
    *result = (struct shw_buffer_use){
        .buffer = labelling->engine.buffer,
        .format = labelling->params.overlay ? VK_FORMAT_R8G8B8A8_UNORM : VK_FORMAT_R8_UINT,
        .before = {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT}, /* the planes are read from it */
        .after = {VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT}};
    return shw_labeller_record(labelling->labeller, commands, 0, SHW_COLOUR_USE(picture), &targets) == SHW_OK;
}

const guint8 *device_labelling_run(struct device_labelling *labelling, const GstVideoFrame *frame)
{
    gboolean recorded;

    if (labelling->engine.result != VK_SUCCESS)
        return NULL; /* the device is lost */
    engine_begin_frame(&labelling->engine);
    upload(labelling, frame);
    recorded = record(labelling);
    return engine_finish_frame(&labelling->engine) == VK_SUCCESS && recorded ? labelling->engine.mapped : NULL;
}
