/* The shown picture on the device. */
#ifndef VIEW_LABEL_SHOWN_H
#define VIEW_LABEL_SHOWN_H

#include "gpu/gpu_memory.h"
#include "source/display_range.h"
#include "source/picture.h"

struct view_shown {
    struct view_image shown;  /* RGBA8, for display */
    struct view_image source; /* RGBA16, for labelling; only for 16-bit pictures */
    struct view_image truth;  /* R16; only for pictures with ground truth */
    struct view_buffer staging[VIEW_SLOTS];
    bool filled; /* the images hold a picture */
};

/* Makes images of the size and kind of a picture, unless they are that already; *renewed: they are new. Waits
 * for the device before it releases old ones. Errors: UNSUPPORTED, MEMORY, DEVICE_MEMORY; then there are none. */
enum shw_result view_shown_fit(const struct view_gpu *gpu, const struct view_picture *picture, struct view_shown *shown,
                               bool *renewed);
void view_shown_destroy(const struct view_gpu *gpu, struct view_shown *shown);

/* Copies a picture of that size and kind into the images through the slot's staging buffer, whose last frame must have
 * finished; `range` affects what is shown, not what is labelled. */
void view_shown_upload(struct view_shown *shown, const struct view_picture *picture, struct view_display_range range,
                       VkCommandBuffer commands, uint32_t slot);

/* The image that a labeller reads. */
const struct view_image *view_shown_source(const struct view_shown *shown);

#endif
