/* Labels on the device, as the overlay reads them. */
#ifndef VIEW_LABEL_LABELS_H
#define VIEW_LABEL_LABELS_H

#include <shadewood/label.h>

#include "gpu/gpu_memory.h"
#include "label/shown.h"

struct view_labels {
    struct view_image argmax,
        distribution; /* the latter is missing where a device has fewer layers than there are classes */
    bool filled;
    bool has_planes; /* the distribution is there, too: of many classes it takes longer to make than all the rest */
};

/* Makes images for so many classes, unless they are that already. Nothing that was recorded with the old ones may still
 * run. Errors: UNSUPPORTED, MEMORY, DEVICE_MEMORY; then there are none. */
enum shw_result view_labels_fit(const struct view_gpu *gpu, VkExtent2D extent, uint32_t classes,
                                struct view_labels *labels);
/* Whether they are. */
bool view_labels_fits(const struct view_gpu *gpu, VkExtent2D extent, uint32_t classes,
                      const struct view_labels *labels);
void view_labels_destroy(const struct view_gpu *gpu, struct view_labels *labels);

/* How a labeller uses them: their contents are dropped, and are in the use view_use_shown after. */
struct shw_label_targets view_labels_targets(const struct view_labels *labels);

/* What a labeller reads: in view_use_shown before and after. */
struct shw_image_use view_labels_source(const struct view_image *source);

/* Records the copy of labels that lie in `staging`: first those of the likeliest class, then one plane a class if there
 * are planes. */
void view_labels_copy(struct view_labels *labels, VkCommandBuffer commands, VkBuffer staging);

/* Bytes of that. */
VkDeviceSize view_labels_size(const struct view_labels *labels);

#endif
