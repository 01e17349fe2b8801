/* Reads the shown labels back to the host, with a frame and without waiting for it. For the main thread. */
#ifndef VIEW_LABEL_LABEL_READING_H
#define VIEW_LABEL_LABEL_READING_H

#include "gpu/frames.h"
#include "label/labels.h"

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
bool view_label_reading_is_under_way(const struct view_label_reading *reading);

/* Takes the labels once the frame has finished; false: not yet, or there is nothing to read. They are valid until
 * view_label_reading_end(). */
bool view_label_reading_take(const struct view_gpu *gpu, const struct view_frames *frames,
                             const struct view_label_reading *reading, struct view_read_labels *read);

/* Releases the labels; recorded copies must have finished. Accepts zero-initialised ones. */
void view_label_reading_end(const struct view_gpu *gpu, struct view_label_reading *reading);

#endif
