/* The labels of the shown picture on the device: Shadewood's labeller recorded into the viewer's frames. */
#ifndef VIEW_LABELLING_H
#define VIEW_LABELLING_H

#include <shadewood/label.h>

#include "gpu_memory.h"

struct view_labelling {
    struct shw_labeller *labeller;
    struct view_image argmax, distribution; /* the latter is missing where a device has fewer layers than there are classes */
    bool filled;                            /* the images hold labels */
};

struct view_labelling_params {
    const struct shw_forest *forest; /* borrowed */
    VkExtent2D extent;               /* of the pictures */
    uint32_t slots;
    enum shw_technique techniques[SHW_STAGE_COUNT]; /* none of them `cpu` */
    struct shw_log log;
};

/* Replaces the labeller and the images; nothing that was recorded may still run. Errors: as for shw_labeller_create(); then there
 * are none. */
enum shw_result view_labelling_create(const struct view_gpu *gpu, const struct view_labelling_params *params,
                                      struct view_labelling *labelling);
void view_labelling_destroy(const struct view_gpu *gpu, struct view_labelling *labelling);

/* Labels `source`, which is in the use view_use_shown before and after. So are the labels after. Errors: ARGUMENT. */
enum shw_result view_labelling_record(struct view_labelling *labelling, VkCommandBuffer commands, uint32_t slot,
                                      const struct view_image *source);

#endif
