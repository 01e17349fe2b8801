/* A GStreamer element that labels video frames in system memory. Part of Shadewood; MIT licence, see LICENSE.
 *
 *     gst-launch-1.0 videotestsrc ! shadewoodlabel forest=scenes.ktx2 ! videoconvert ! autovideosink
 *     gst-launch-1.0 ... ! shadewoodlabel forest=scenes.ktx2 output=labels ! filesink location=labels.gray
 *
 * `gst-inspect-1.0 shadewoodlabel` lists the properties. */
#define PACKAGE "shadewood"

#include <gst/gst.h>
#include <gst/video/gstvideofilter.h>
#include <gst/video/video.h>

#include "labelling.h"

GST_DEBUG_CATEGORY_STATIC(shadewood_label_debug);
#define GST_CAT_DEFAULT shadewood_label_debug

enum output { OUTPUT_OVERLAY, OUTPUT_LABELS };
enum property { PROPERTY_FOREST = 1, PROPERTY_OUTPUT, PROPERTY_OPACITY, PROPERTY_TECHNIQUE, PROPERTY_DEVICE };

#define OVERLAYS "RGBA, BGRA, RGB"
#define LABELS   "GRAY8"

G_DECLARE_FINAL_TYPE(ShadewoodLabel, shadewood_label, SHADEWOOD, LABEL, GstVideoFilter)

struct _ShadewoodLabel {
    GstVideoFilter parent;
    gchar *path;
    enum output output;
    guint opacity, device_index;
    enum shw_technique technique;

    struct shw_forest *forest;
    /* of frames of the negotiated size and format, one of them */
    struct device_labelling *on_device;
    struct host_labelling *on_host;
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

static void free_labelling(ShadewoodLabel *self)
{
    g_clear_pointer(&self->on_device, device_labelling_free);
    g_clear_pointer(&self->on_host, host_labelling_free);
}

static gboolean stop(GstBaseTransform *transform)
{
    ShadewoodLabel *self = SHADEWOOD_LABEL(transform);

    free_labelling(self);
    shw_forest_destroy(&self->forest);
    return TRUE;
}

static gboolean start(GstBaseTransform *transform)
{
    ShadewoodLabel *self = SHADEWOOD_LABEL(transform);
    const struct shw_forest_load_params load = {.log = log_of(self)};
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
    if (self->output == OUTPUT_LABELS && shw_forest_get_info(self->forest)->class_count > 255) {
        GST_ELEMENT_ERROR(self, RESOURCE, SETTINGS, ("Labels have 8 bits, which are too few for the forest's classes"),
                          (NULL));
        return stop(transform) && FALSE;
    }
    return TRUE;
}

static gboolean set_info(GstVideoFilter *filter, GstCaps *in_caps, GstVideoInfo *in, GstCaps *out_caps,
                         GstVideoInfo *out)
{
    ShadewoodLabel *self = SHADEWOOD_LABEL(filter);
    const struct labelling_params params = {.forest = self->forest,
                                            .technique = self->technique,
                                            .device = self->device_index,
                                            .overlay = self->output == OUTPUT_OVERLAY,
                                            .opacity = self->opacity,
                                            .frame = *in,
                                            .log = log_of(self)};

    (void)in_caps, (void)out_caps, (void)out;
    free_labelling(self);
    if (self->technique != SHW_TECHNIQUE_CPU)
        self->on_device = device_labelling_new(&params);
    /* `auto` is on the processor where there is no device */
    if (self->technique == SHW_TECHNIQUE_CPU || (self->technique == SHW_TECHNIQUE_AUTO && self->on_device == NULL))
        self->on_host = host_labelling_new(&params);
    if (self->on_device != NULL || self->on_host != NULL)
        return TRUE;
    GST_ELEMENT_ERROR(self, LIBRARY, INIT,
                      ("Cannot label frames of %d x %d pixels on Vulkan device %u", GST_VIDEO_INFO_WIDTH(in),
                       GST_VIDEO_INFO_HEIGHT(in), self->device_index),
                      (NULL));
    return FALSE;
}

/* Labels, or an overlay of RGBA as RGBA, BGRA or RGB. */
static void give_out(const guint8 *from, GstVideoFrame *out)
{
    const gint width = GST_VIDEO_FRAME_WIDTH(out), step = GST_VIDEO_FRAME_COMP_PSTRIDE(out, 0);
    const gint bytes = GST_VIDEO_FRAME_N_COMPONENTS(out) == 1 ? 1 : 4;

    for (gint y = 0; y < GST_VIDEO_FRAME_HEIGHT(out); y++) {
        const gsize row = (gsize)y * (gsize)GST_VIDEO_FRAME_PLANE_STRIDE(out, 0);
        for (gint x = 0; x < width; x++, from += bytes)
            for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS(out); c++)
                ((guint8 *)GST_VIDEO_FRAME_COMP_DATA(out, c))[row + (gsize)(x * step)] = from[c];
    }
}

static GstFlowReturn transform_frame(GstVideoFilter *filter, GstVideoFrame *in, GstVideoFrame *out)
{
    ShadewoodLabel *self = SHADEWOOD_LABEL(filter);
    const guint8 *result =
        self->on_device != NULL ? device_labelling_run(self->on_device, in) : host_labelling_run(self->on_host, in);

    if (result == NULL) {
        GST_ELEMENT_ERROR(self, LIBRARY, FAILED, ("Cannot label a frame"), ("%s", shw_last_error()));
        return GST_FLOW_ERROR;
    }
    give_out(result, out);
    return GST_FLOW_OK;
}

/* Frames and results have the same size and rate, and each a format of its own. */
static GstCaps *transform_caps(GstBaseTransform *transform, GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
    const gboolean overlay = SHADEWOOD_LABEL(transform)->output == OUTPUT_OVERLAY;
    GstCaps *result = gst_caps_copy(caps);
    GstCaps *possible = gst_caps_from_string(
        direction == GST_PAD_SRC ? (overlay ? GST_VIDEO_CAPS_MAKE("{ " LABELLING_COLOURS " }")
                                            : GST_VIDEO_CAPS_MAKE("{ " LABELLING_FORMATS " }"))
                                 : (overlay ? GST_VIDEO_CAPS_MAKE("{ " OVERLAYS " }") : GST_VIDEO_CAPS_MAKE(LABELS)));

    for (guint s = 0; s < gst_caps_get_size(result); s++) {
        GstStructure *structure = gst_caps_get_structure(result, s);
        gst_structure_set_value(structure, "format",
                                gst_structure_get_value(gst_caps_get_structure(possible, 0), "format"));
        gst_structure_remove_fields(structure, "colorimetry", "chroma-site", NULL);
    }
    gst_caps_unref(possible);
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
    GstCaps *frames = gst_caps_from_string(GST_VIDEO_CAPS_MAKE("{ " LABELLING_FORMATS " }"));
    GstCaps *results = gst_caps_from_string(GST_VIDEO_CAPS_MAKE("{ " OVERLAYS ", " LABELS " }"));

    add_properties(G_OBJECT_CLASS(class));
    gst_element_class_set_static_metadata(element, "Shadewood labels", "Filter/Analyzer/Video",
                                          "Finds the class of each pixel with a decision forest",
                                          "the Shadewood authors");
    gst_element_class_add_pad_template(element, gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, frames));
    gst_element_class_add_pad_template(element, gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, results));
    gst_caps_unref(frames);
    gst_caps_unref(results);
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
