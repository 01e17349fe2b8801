#include "labelling.h"

struct host_labelling {
    struct labelling_params params;
    struct shw_labeller *labeller;
    guint16 *labels;
    guint8 *pixels; /* RGBA: the frame, then the overlay; or labels */
};

struct shw_ycbcr labelling_encoding(const GstVideoInfo *frame)
{
    const GstVideoColorimetry *colours = &GST_VIDEO_INFO_COLORIMETRY(frame);
    const GstVideoChromaSite site = GST_VIDEO_INFO_CHROMA_SITE(frame);

    return (struct shw_ycbcr){.matrix = colours->matrix == GST_VIDEO_COLOR_MATRIX_BT709    ? SHW_YCBCR_BT709
                                        : colours->matrix == GST_VIDEO_COLOR_MATRIX_BT2020 ? SHW_YCBCR_BT2020
                                                                                           : SHW_YCBCR_BT601,
                              .siting = site == GST_VIDEO_CHROMA_SITE_NONE      ? SHW_YCBCR_CENTRE
                                        : site == GST_VIDEO_CHROMA_SITE_COSITED ? SHW_YCBCR_TOP_LEFT
                                                                                : SHW_YCBCR_LEFT,
                              .full_range = colours->range == GST_VIDEO_COLOR_RANGE_0_255};
}

struct host_labelling *host_labelling_new(const struct labelling_params *params)
{
    struct host_labelling *labelling = g_new0(struct host_labelling, 1);
    const gsize count = (gsize)GST_VIDEO_INFO_WIDTH(&params->frame) * (gsize)GST_VIDEO_INFO_HEIGHT(&params->frame);
    const struct shw_labeller_params labeller = {.forest = params->forest,
                                                 .outputs = SHW_OUTPUT_ARGMAX,
                                                 .channels = SHW_TECHNIQUE_CPU,
                                                 .integrate = SHW_TECHNIQUE_CPU,
                                                 .evaluate = SHW_TECHNIQUE_CPU,
                                                 .log = params->log};

    labelling->params = *params;
    labelling->labels = g_new(guint16, count);
    labelling->pixels = g_new(guint8, 4 * count);
    if (shw_labeller_create(&labeller, &labelling->labeller) == SHW_OK)
        return labelling;
    host_labelling_free(labelling);
    return NULL;
}

void host_labelling_free(struct host_labelling *labelling)
{
    if (labelling == NULL)
        return;
    shw_labeller_destroy(&labelling->labeller);
    g_free(labelling->labels);
    g_free(labelling->pixels);
    g_free(labelling);
}

/* As RGBA. */
static gboolean convert(struct host_labelling *labelling, const GstVideoFrame *frame)
{
    const gboolean interleaved = GST_VIDEO_FRAME_FORMAT(frame) == GST_VIDEO_FORMAT_NV12;
    const struct shw_ycbcr_image image = {.encoding = labelling_encoding(&frame->info),
                                          .width = (uint32_t)GST_VIDEO_FRAME_WIDTH(frame),
                                          .height = (uint32_t)GST_VIDEO_FRAME_HEIGHT(frame),
                                          .chroma_width = (uint32_t)GST_VIDEO_FRAME_COMP_WIDTH(frame, 1),
                                          .chroma_height = (uint32_t)GST_VIDEO_FRAME_COMP_HEIGHT(frame, 1),
                                          .luma = GST_VIDEO_FRAME_PLANE_DATA(frame, 0),
                                          .cb = GST_VIDEO_FRAME_PLANE_DATA(frame, 1),
                                          .cr = interleaved ? NULL : GST_VIDEO_FRAME_PLANE_DATA(frame, 2),
                                          .luma_stride = (size_t)GST_VIDEO_FRAME_PLANE_STRIDE(frame, 0),
                                          .chroma_stride = (size_t)GST_VIDEO_FRAME_PLANE_STRIDE(frame, 1),
                                          .interleaved = interleaved};

    return shw_ycbcr_convert(&image, SHW_PIXEL_RGBA8, labelling->pixels, 0, &labelling->params.log) == SHW_OK;
}

static void copy_colours(struct host_labelling *labelling, const GstVideoFrame *frame)
{
    guint8 *to = labelling->pixels;

    for (gint y = 0; y < GST_VIDEO_FRAME_HEIGHT(frame); y++)
        for (gint x = 0; x < GST_VIDEO_FRAME_WIDTH(frame); x++, to += 4) {
            for (guint c = 0; c < 3; c++) /* GRAY8 has one component, which is all colours */
                to[c] = ((const guint8 *)GST_VIDEO_FRAME_COMP_DATA(
                    frame,
                    MIN(c, GST_VIDEO_FRAME_N_COMPONENTS(frame) - 1)))[y * GST_VIDEO_FRAME_PLANE_STRIDE(frame, 0) +
                                                                      x * GST_VIDEO_FRAME_COMP_PSTRIDE(frame, 0)];
            to[3] = 255;
        }
}

/* Pixels without a class stay as they are. */
static void blend(const struct host_labelling *labelling, gsize count)
{
    const struct shw_forest_info *info = shw_forest_get_info(labelling->params.forest);
    const guint opacity = labelling->params.opacity;

    for (gsize i = 0; i < count; i++)
        for (guint c = 0; c < 3 && labelling->labels[i] < info->class_count; c++) {
            guint8 *component = &labelling->pixels[4 * i + c];
            *component =
                (guint8)(((100 - opacity) * *component + opacity * info->classes[labelling->labels[i]].colour[c] + 50) /
                         100);
        }
}

const guint8 *host_labelling_run(struct host_labelling *labelling, const GstVideoFrame *frame)
{
    const struct shw_image image = {.pixels = labelling->pixels,
                                    .width = (uint32_t)GST_VIDEO_FRAME_WIDTH(frame),
                                    .height = (uint32_t)GST_VIDEO_FRAME_HEIGHT(frame),
                                    .format = SHW_PIXEL_RGBA8};
    const struct shw_labelling result = {.argmax = labelling->labels};
    const gsize count = (gsize)image.width * image.height;

    if (!GST_VIDEO_INFO_IS_YUV(&frame->info))
        copy_colours(labelling, frame);
    else if (!convert(labelling, frame))
        return NULL;
    if (shw_labeller_run(labelling->labeller, SHW_COLOUR_IMAGE(image), &result) != SHW_OK)
        return NULL;
    if (labelling->params.overlay)
        blend(labelling, count);
    else
        for (gsize i = 0; i < count; i++)
            labelling->pixels[i] = (guint8)MIN(labelling->labels[i], 255);
    return labelling->pixels;
}
