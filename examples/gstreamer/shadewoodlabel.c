/* A GStreamer element that labels video frames in system memory. Part of Shadewood; MIT licence, see LICENSE.
 *
 *     gst-launch-1.0 videotestsrc ! video/x-raw,format=RGB ! shadewoodlabel forest=scenes.ktx2 ! videoconvert !
 * autovideosink gst-launch-1.0 ... ! shadewoodlabel forest=scenes.ktx2 output=labels ! filesink location=labels.gray
 *
 * `gst-inspect-1.0 shadewoodlabel` lists the properties. */
#define PACKAGE "shadewood"

#include <gst/gst.h>
#include <gst/video/gstvideofilter.h>
#include <gst/video/video.h>

#include <shadewood/shadewood.h>

GST_DEBUG_CATEGORY_STATIC(shadewood_label_debug);
#define GST_CAT_DEFAULT shadewood_label_debug

enum output { OUTPUT_OVERLAY, OUTPUT_LABELS };
enum property { PROPERTY_FOREST = 1, PROPERTY_OUTPUT, PROPERTY_OPACITY, PROPERTY_TECHNIQUE, PROPERTY_DEVICE };

/* The pixels of frames as GStreamer and Shadewood call them. */
static const struct {
    GstVideoFormat frame;
    enum shw_pixel_format image;
    guint colour[3]; /* where R, G and B are */
} formats[] = {{GST_VIDEO_FORMAT_RGB, SHW_PIXEL_RGB8, {0, 1, 2}},
               {GST_VIDEO_FORMAT_RGBA, SHW_PIXEL_RGBA8, {0, 1, 2}},
               {GST_VIDEO_FORMAT_BGRA, SHW_PIXEL_BGRA8, {2, 1, 0}},
               {GST_VIDEO_FORMAT_GRAY8, SHW_PIXEL_GREY8, {0, 0, 0}}};
#define COLOURS "RGB, RGBA, BGRA"
#define LABELS  "GRAY8"

G_DECLARE_FINAL_TYPE(ShadewoodLabel, shadewood_label, SHADEWOOD, LABEL, GstVideoFilter)

struct _ShadewoodLabel {
    GstVideoFilter parent;
    gchar *path;
    enum output output;
    guint opacity, device_index;
    enum shw_technique technique;

    struct shw_device *device;
    struct shw_forest *forest;
    struct shw_labeller *labeller;
    uint16_t *labels;
};

G_DEFINE_FINAL_TYPE(ShadewoodLabel, shadewood_label, GST_TYPE_VIDEO_FILTER)

static void print_message(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    ShadewoodLabel *self = user;

    (void)item;
    if (level == SHW_LOG_ERROR)
        GST_ERROR_OBJECT(self, "%s", text);
    else
        GST_INFO_OBJECT(self, "%s", text);
}

static struct shw_log log_of(ShadewoodLabel *self)
{
    return (struct shw_log){print_message, self, SHW_LOG_INFO};
}

static gboolean stop(GstBaseTransform *transform)
{
    ShadewoodLabel *self = SHADEWOOD_LABEL(transform);

    shw_labeller_destroy(&self->labeller);
    shw_forest_destroy(&self->forest);
    shw_device_destroy(&self->device);
    g_clear_pointer(&self->labels, g_free);
    return TRUE;
}

static gboolean start(GstBaseTransform *transform)
{
    ShadewoodLabel *self = SHADEWOOD_LABEL(transform);
    const struct shw_forest_load_params load = {.log = log_of(self)};
    const struct shw_device_create_params create = {.index = self->device_index, .log = log_of(self)};
    enum shw_result result;

    if (self->path == NULL) {
        GST_ELEMENT_ERROR(self, RESOURCE, NOT_FOUND, ("The property \"forest\" is not set"), (NULL));
        return FALSE;
    }
    result = shw_forest_load(self->path, &load, &self->forest);
    if (result != SHW_OK) {
        GST_ELEMENT_ERROR(self, RESOURCE, OPEN_READ, ("Cannot load the forest %s", self->path),
                          ("%s", shw_result_string(result)));
        return FALSE;
    }
    if (shw_forest_get_input(self->forest, 1) != NULL) {
        GST_ELEMENT_ERROR(
            self, RESOURCE, SETTINGS,
            ("The forest reads more than the colours of a frame: %s", shw_forest_get_input(self->forest, 1)), (NULL));
        return stop(transform) && FALSE;
    }
    /* `auto` is on the processor where there is no device. */
    if (self->technique != SHW_TECHNIQUE_CPU && shw_device_create(&create, &self->device) != SHW_OK &&
        self->technique != SHW_TECHNIQUE_AUTO) {
        GST_ELEMENT_ERROR(self, RESOURCE, NOT_FOUND, ("There is no Vulkan device %u", self->device_index), (NULL));
        return stop(transform) && FALSE;
    }
    return TRUE;
}

/* A labeller for frames of the negotiated size. */
static gboolean set_info(GstVideoFilter *filter, GstCaps *in_caps, GstVideoInfo *in, GstCaps *out_caps,
                         GstVideoInfo *out)
{
    ShadewoodLabel *self = SHADEWOOD_LABEL(filter);
    const struct shw_labeller_params params = {.forest = self->forest,
                                               .device = self->device,
                                               .outputs = SHW_OUTPUT_ARGMAX,
                                               .channels = self->technique,
                                               .integrate = self->technique,
                                               .evaluate = self->technique,
                                               .width = (uint32_t)GST_VIDEO_INFO_WIDTH(in),
                                               .height = (uint32_t)GST_VIDEO_INFO_HEIGHT(in),
                                               .log = log_of(self)};
    enum shw_result result;

    (void)in_caps, (void)out_caps, (void)out;
    shw_labeller_destroy(&self->labeller);
    g_free(self->labels);
    self->labels = g_new(uint16_t, (gsize)params.width * params.height);
    result = shw_labeller_create(&params, &self->labeller);
    if (result != SHW_OK)
        GST_ELEMENT_ERROR(self, LIBRARY, INIT, ("Cannot label frames of %u x %u pixels", params.width, params.height),
                          ("%s", shw_result_string(result)));
    return result == SHW_OK;
}

static guint8 *row_of(GstVideoFrame *frame, gint y)
{
    return (guint8 *)GST_VIDEO_FRAME_PLANE_DATA(frame, 0) + y * GST_VIDEO_FRAME_PLANE_STRIDE(frame, 0);
}

/* The frame with the colours of classes over it; pixels without a class, and alpha, stay as they are. */
static void blend(const ShadewoodLabel *self, const guint *colour, GstVideoFrame *in, GstVideoFrame *out)
{
    const struct shw_forest_info *info = shw_forest_get_info(self->forest);
    const gint width = GST_VIDEO_FRAME_WIDTH(out), step = GST_VIDEO_FRAME_COMP_PSTRIDE(out, 0);

    for (gint y = 0; y < GST_VIDEO_FRAME_HEIGHT(out); y++) {
        guint8 *pixel = memcpy(row_of(out, y), row_of(in, y), (gsize)(width * step));
        for (gint x = 0; x < width; x++, pixel += step) {
            const uint16_t label = self->labels[y * width + x];
            for (guint c = 0; c < 3 && label < info->class_count; c++)
                pixel[colour[c]] = (guint8)(((100 - self->opacity) * pixel[colour[c]] +
                                             self->opacity * info->classes[label].colour[c] + 50) /
                                            100);
        }
    }
}

/* Classes from 255 on, and pixels without one, are 255. */
static void store(const ShadewoodLabel *self, GstVideoFrame *out)
{
    const gint width = GST_VIDEO_FRAME_WIDTH(out);

    for (gint y = 0; y < GST_VIDEO_FRAME_HEIGHT(out); y++)
        for (gint x = 0; x < width; x++)
            row_of(out, y)[x] = (guint8)MIN(self->labels[y * width + x], 255);
}

static GstFlowReturn transform_frame(GstVideoFilter *filter, GstVideoFrame *in, GstVideoFrame *out)
{
    ShadewoodLabel *self = SHADEWOOD_LABEL(filter);
    struct shw_image image = {.pixels = GST_VIDEO_FRAME_PLANE_DATA(in, 0),
                              .width = (uint32_t)GST_VIDEO_FRAME_WIDTH(in),
                              .height = (uint32_t)GST_VIDEO_FRAME_HEIGHT(in),
                              .stride = (size_t)GST_VIDEO_FRAME_PLANE_STRIDE(in, 0)};
    guint f = 0;
    enum shw_result result;

    while (formats[f].frame != GST_VIDEO_FRAME_FORMAT(in))
        f++;
    image.format = formats[f].image;
    result = shw_labeller_run(self->labeller, SHW_COLOUR_IMAGE(image), &(struct shw_labelling){.argmax = self->labels});
    if (result != SHW_OK) {
        GST_ELEMENT_ERROR(self, LIBRARY, FAILED, ("Cannot label a frame"), ("%s", shw_result_string(result)));
        return GST_FLOW_ERROR;
    }
    if (self->output == OUTPUT_OVERLAY)
        blend(self, formats[f].colour, in, out);
    else
        store(self, out);
    return GST_FLOW_OK;
}

/* Overlays have the format of the frames; labels have one of their own. */
static GstCaps *transform_caps(GstBaseTransform *transform, GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
    const ShadewoodLabel *self = SHADEWOOD_LABEL(transform);
    GstCaps *result, *possible;

    if (self->output == OUTPUT_OVERLAY) {
        possible = gst_caps_from_string(GST_VIDEO_CAPS_MAKE("{ " COLOURS " }"));
        result = gst_caps_intersect(caps, possible);
        gst_caps_unref(possible);
    } else {
        possible = gst_caps_from_string(direction == GST_PAD_SINK ? GST_VIDEO_CAPS_MAKE(LABELS)
                                                                  : GST_VIDEO_CAPS_MAKE("{ " COLOURS ", " LABELS " }"));
        result = gst_caps_copy(caps);
        for (guint s = 0; s < gst_caps_get_size(result); s++) {
            GstStructure *structure = gst_caps_get_structure(result, s);
            gst_structure_set_value(structure, "format",
                                    gst_structure_get_value(gst_caps_get_structure(possible, 0), "format"));
            gst_structure_remove_fields(structure, "colorimetry", "chroma-site", NULL);
        }
        gst_caps_unref(possible);
    }
    if (filter != NULL) {
        possible = result;
        result = gst_caps_intersect_full(filter, possible, GST_CAPS_INTERSECT_FIRST);
        gst_caps_unref(possible);
    }
    return result;
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
    ShadewoodLabel *self = SHADEWOOD_LABEL(object);

    switch (id) {
    case PROPERTY_FOREST:
        g_free(self->path);
        self->path = g_value_dup_string(value);
        break;
    case PROPERTY_OUTPUT: self->output = (enum output)g_value_get_enum(value); break;
    case PROPERTY_OPACITY: self->opacity = g_value_get_uint(value); break;
    case PROPERTY_TECHNIQUE: self->technique = (enum shw_technique)g_value_get_enum(value); break;
    case PROPERTY_DEVICE: self->device_index = g_value_get_uint(value); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
    const ShadewoodLabel *self = SHADEWOOD_LABEL(object);

    switch (id) {
    case PROPERTY_FOREST: g_value_set_string(value, self->path); break;
    case PROPERTY_OUTPUT: g_value_set_enum(value, (gint)self->output); break;
    case PROPERTY_OPACITY: g_value_set_uint(value, self->opacity); break;
    case PROPERTY_TECHNIQUE: g_value_set_enum(value, (gint)self->technique); break;
    case PROPERTY_DEVICE: g_value_set_uint(value, self->device_index); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

static void finalize(GObject *object)
{
    g_free(SHADEWOOD_LABEL(object)->path);
    G_OBJECT_CLASS(shadewood_label_parent_class)->finalize(object);
}

static void shadewood_label_init(ShadewoodLabel *self)
{
    self->opacity = 60;
}

static void add_properties(GObjectClass *object)
{
    static const GEnumValue outputs[] = {{OUTPUT_OVERLAY, "the frame with the colours of classes over it", "overlay"},
                                         {OUTPUT_LABELS, "the number of each pixel's class, as GRAY8", "labels"},
                                         {0, NULL, NULL}};
    static const GEnumValue techniques[] = {{SHW_TECHNIQUE_AUTO, "the fastest", "auto"},
                                            {SHW_TECHNIQUE_CPU, "on the processor", "cpu"},
                                            {SHW_TECHNIQUE_COMPUTE, "by compute shaders", "compute"},
                                            {SHW_TECHNIQUE_FRAGMENT, "by fragment shaders", "fragment"},
                                            {0, NULL, NULL}};
    const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

    object->set_property = set_property;
    object->get_property = get_property;
    object->finalize = finalize;
    g_object_class_install_property(
        object, PROPERTY_FOREST,
        g_param_spec_string("forest", "Forest", "The forest's file, which must be given", NULL, flags));
    g_object_class_install_property(object, PROPERTY_OUTPUT,
                                    g_param_spec_enum("output", "Output", "What the element gives out",
                                                      g_enum_register_static("ShadewoodLabelOutput", outputs),
                                                      OUTPUT_OVERLAY, flags));
    g_object_class_install_property(
        object, PROPERTY_OPACITY,
        g_param_spec_uint("opacity", "Opacity", "Of the classes' colours, in percent", 0, 100, 60, flags));
    g_object_class_install_property(
        object, PROPERTY_TECHNIQUE,
        g_param_spec_enum("technique", "Technique", "How labels are found; all give the same",
                          g_enum_register_static("ShadewoodLabelTechnique", techniques), SHW_TECHNIQUE_AUTO, flags));
    g_object_class_install_property(object, PROPERTY_DEVICE,
                                    g_param_spec_uint("device", "Device",
                                                      "The Vulkan device, as `shadewood devices` "
                                                      "numbers them",
                                                      0, G_MAXUINT, 0, flags));
}

static void shadewood_label_class_init(ShadewoodLabelClass *class)
{
    GstElementClass *element = GST_ELEMENT_CLASS(class);
    GstBaseTransformClass *transform = GST_BASE_TRANSFORM_CLASS(class);
    GstVideoFilterClass *filter = GST_VIDEO_FILTER_CLASS(class);
    GstCaps *caps = gst_caps_from_string(GST_VIDEO_CAPS_MAKE("{ " COLOURS ", " LABELS " }"));

    add_properties(G_OBJECT_CLASS(class));
    gst_element_class_set_static_metadata(element, "Shadewood labels", "Filter/Analyzer/Video",
                                          "Finds the class of each pixel with a decision forest",
                                          "the Shadewood authors");
    gst_element_class_add_pad_template(element, gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
    gst_element_class_add_pad_template(element, gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
    gst_caps_unref(caps);
    transform->start = start;
    transform->stop = stop;
    transform->transform_caps = transform_caps;
    filter->set_info = set_info;
    filter->transform_frame = transform_frame;
}

static gboolean register_elements(GstPlugin *plugin)
{
    GST_DEBUG_CATEGORY_INIT(shadewood_label_debug, "shadewoodlabel", 0, "labels by Shadewood");
    return gst_element_register(plugin, "shadewoodlabel", GST_RANK_NONE, shadewood_label_get_type());
}

GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, shadewood, "labels at every pixel", register_elements,
                  SHW_VERSION_STRING, "MIT/X11", "Shadewood", "Unknown package origin")
