/* Strokes on the shown picture, as an image on the device: class numbers, SHW_LABEL_VOID where nothing is painted. */
#ifndef VIEW_TEACH_PAINTED_H
#define VIEW_TEACH_PAINTED_H

#include "gpu/gpu_memory.h"
#include "label/shown.h"

struct view_painted {
    struct view_image image; /* R16 */
    struct view_buffer staging[VIEW_SLOTS];
    bool filled;
    uint32_t left, top, right, bottom; /* what has changed on the host; right and bottom are not part of it */
};

/* Makes room for pictures of that size, and marks all of it. Waits for the device before it releases anything. Errors:
 * UNSUPPORTED, MEMORY, DEVICE_MEMORY; then there is none. */
enum shw_result view_painted_fit(const struct view_gpu *gpu, VkExtent2D extent, struct view_painted *painted);
/* Whether it is for pictures of that size. */
bool view_painted_fits(const struct view_painted *painted, VkExtent2D extent);
void view_painted_destroy(const struct view_gpu *gpu, struct view_painted *painted);

/* Labels from (left, top) to before (right, bottom) have changed; places outside the picture do not count. */
void view_painted_mark(struct view_painted *painted, int64_t left, int64_t top, int64_t right, int64_t bottom);
void view_painted_mark_all(struct view_painted *painted);

/* Records the way of what has changed from `labels`, those of the whole picture (NULL: void), to the device, by the
 * slot's staging buffer, whose last frame must be over. Returns whether there was anything. */
bool view_painted_upload(struct view_painted *painted, const uint16_t *labels, VkCommandBuffer commands, uint32_t slot);

#endif
