/* Strokes on a part of the shown picture, as an image on the device: class numbers, SHW_LABEL_VOID for unpainted
 * pixels. */
#ifndef VIEW_TEACH_PAINTED_H
#define VIEW_TEACH_PAINTED_H

#include "files/project/picture_labels.h"
#include "gpu/gpu_memory.h"
#include "label/shown.h"

struct view_painted {
    struct shw_part part;    /* what the image shows; width 0: nothing */
    struct view_image image; /* R16, at least as large */
    struct view_buffer staging[VIEW_SLOTS];
    bool filled;
    uint32_t left, top, right, bottom; /* of the part, what has changed on the host; right and bottom are exclusive */
};

/* Makes room for a part of a picture, and marks all of it as changed. `larger`: the image may be larger. Errors:
 * UNSUPPORTED, MEMORY, DEVICE_MEMORY; then there is none. */
enum shw_result view_painted_fit(const struct view_gpu *gpu, const struct shw_part *part, bool larger,
                                 struct view_painted *painted);
void view_painted_destroy(const struct view_gpu *gpu, struct view_painted *painted);

/* Marks labels of the picture's pixels from (left, top) to before (right, bottom) as changed; those outside the part
 * are ignored. */
void view_painted_mark(struct view_painted *painted, int64_t left, int64_t top, int64_t right, int64_t bottom);
void view_painted_mark_all(struct view_painted *painted);

/* Records the upload of changes from the labels of the picture (NULL: void), through the slot's staging buffer, whose
 * last frame must have finished. Returns whether there were any. */
bool view_painted_upload(struct view_painted *painted, const struct shw_picture_labels *labels,
                         VkCommandBuffer commands, uint32_t slot);

#endif
