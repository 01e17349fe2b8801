/* Labels on the device, as the overlay reads them, and reading them back to the host. */
#ifndef VIEW_LABEL_LABELS_H
#define VIEW_LABEL_LABELS_H

#include <shadewood/label.h>

#include "gpu/frames.h"
#include "gpu/gpu.h"
#include "label/shown.h"

struct view_labels {
    struct view_image argmax, distribution; /* the latter only if the device has enough layers for all classes */
    bool filled;
    bool has_planes; /* the distribution is valid, too; with many classes it takes longer than everything else */
};

/* Makes images for this number of classes unless they fit already. Errors: UNSUPPORTED, MEMORY, DEVICE_MEMORY; then
 * there are none. */
enum shw_result view_labels_fit(const struct view_gpu *gpu, VkExtent2D extent, uint32_t classes,
                                struct view_labels *labels);
/* Whether the existing images fit. */
bool view_labels_fits(const struct view_gpu *gpu, VkExtent2D extent, uint32_t classes,
                      const struct view_labels *labels);
void view_labels_destroy(const struct view_gpu *gpu, struct view_labels *labels);

/* For a labeller: contents are discarded; the use is view_use_shown afterwards. */
struct shw_label_targets view_labels_targets(const struct view_labels *labels);

/* Input of a labeller: the use is view_use_shown before and after. */
struct shw_image_use view_labels_source(const struct view_image *source);

/* Records the copy of labels from `staging`: the most likely classes, then one plane per class if there are planes. */
void view_labels_copy(struct view_labels *labels, VkCommandBuffer commands, VkBuffer staging);

/* Bytes of the staging buffer. */
VkDeviceSize view_labels_size(const struct view_labels *labels);

/* Reads the shown labels back to the host, with a frame and without waiting for it. For the main thread. */
struct view_label_reading {
    enum { VIEW_READING_NONE, VIEW_READING_WANTED, VIEW_READING_RECORDED } state;
    struct view_buffer buffer;
    VkExtent2D extent;
    uint64_t frame; /* that copies them */
};

/* Labels on the host: the most likely class of each pixel, row by row. */
struct view_read_labels {
    const uint16_t *labels;
    uint32_t width, height;
};

/* Requests the labels that the next frame shows. */
void view_label_reading_want(struct view_label_reading *reading);

/* Before a frame: makes room if labels are wanted; there is nothing to read if none are shown. Errors: MEMORY,
 * DEVICE_MEMORY. */
enum shw_result view_label_reading_prepare(const struct view_gpu *gpu, const struct view_labels *labels,
                                           struct view_label_reading *reading);

/* In that frame, outside a render pass, after its labels: records the copy, if prepared. `frame` is its number. */
void view_label_reading_record(struct view_label_reading *reading, const struct view_labels *labels,
                               VkCommandBuffer commands, uint64_t frame);

/* Whether labels are wanted or being read. */
bool view_label_reading_is_running(const struct view_label_reading *reading);

/* Takes the labels once the frame has finished; false: not yet, or there is nothing to read. They are valid until
 * view_label_reading_end(). */
bool view_label_reading_take(const struct view_gpu *gpu, const struct view_frames *frames,
                             const struct view_label_reading *reading, struct view_read_labels *read);

/* Releases the labels; recorded copies must have finished. Accepts zero-initialised ones. */
void view_label_reading_end(const struct view_gpu *gpu, struct view_label_reading *reading);

#endif
