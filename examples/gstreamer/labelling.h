/* Labels of frames in memory, for the element: on a Vulkan device, or on the processor; both give the same. Part of
 * Shadewood; MIT licence, see LICENSE. */
#ifndef EXAMPLE_LABELLING_H
#define EXAMPLE_LABELLING_H

#include <gst/video/video.h>

#include <shadewood/shadewood.h>

#define LABELLING_COLOURS "NV12, I420, RGB, RGBA, BGRA"
#define LABELLING_FORMATS LABELLING_COLOURS ", GRAY8"

struct labelling_params {
    const struct shw_forest *forest;
    enum shw_technique technique;
    guint device;       /* as Vulkan's loader lists them */
    gboolean overlay;   /* as RGBA, not of GRAY8; otherwise labels of 8 bits, and 255 where there is none */
    guint opacity;      /* of the classes' colours, in percent */
    GstVideoInfo frame; /* in one of LABELLING_FORMATS */
    struct shw_log log;
};

/* NULL if that has failed: the log says why. */
struct device_labelling;
struct device_labelling *device_labelling_new(const struct labelling_params *params);
void device_labelling_free(struct device_labelling *labelling);

struct host_labelling;
struct host_labelling *host_labelling_new(const struct labelling_params *params);
void host_labelling_free(struct host_labelling *labelling);

/* The overlay or the labels of a frame, row by row without padding, until the next frame; NULL if that has failed. */
const guint8 *device_labelling_run(struct device_labelling *labelling, const GstVideoFrame *frame);
const guint8 *host_labelling_run(struct host_labelling *labelling, const GstVideoFrame *frame);

/* How frames of luma and chroma are encoded. */
struct shw_ycbcr labelling_encoding(const GstVideoInfo *frame);

#endif
