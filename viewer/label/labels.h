/* Labels on the device, as the overlay reads them. */
#ifndef VIEW_LABEL_LABELS_H
#define VIEW_LABEL_LABELS_H

#include <shadewood/label.h>

#include "gpu/gpu_memory.h"
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

#endif
