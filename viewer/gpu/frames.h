/* Frames in flight: command buffers, fences, and timestamps. */
#ifndef VIEW_GPU_FRAMES_H
#define VIEW_GPU_FRAMES_H

#include <shadewood/technique.h>

#include "gpu/gpu.h"
#include "job/times.h"

/* Images and buffers that frames in flight may still use, and nobody else: they are destroyed when those frames are
 * over, so that nobody has to wait for them. For the main thread. */

struct view_retired;

/* NULL if memory is short. */
struct view_retired *view_retired_create(void);

/* Destroys everything; nothing may be in use any more. Accepts a pointer to NULL. */
void view_retired_destroy(const struct view_gpu *gpu, struct view_retired **retired);

/* Takes what is in an object, which is zero afterwards. If memory is short it waits for the device instead. */
void view_image_retire(const struct view_gpu *gpu, struct view_image *image);
void view_buffer_retire(const struct view_gpu *gpu, struct view_buffer *buffer);

#define VIEW_STAMPS 32u /* per frame */

/* What the device does between two successive timestamps of a frame. */
struct view_span {
    enum view_time kind;
    uint64_t work; /* for a stage of labelling: units of work */
};

struct view_frames {
    VkCommandBuffer commands[VIEW_SLOTS];
    VkFence fences[VIEW_SLOTS];
    bool pending[VIEW_SLOTS];
    VkQueryPool queries; /* VK_NULL_HANDLE without timestamps */
    uint32_t stamps[VIEW_SLOTS];
    struct view_span spans[VIEW_SLOTS][VIEW_STAMPS];
    bool begins[VIEW_SLOTS], ends[VIEW_SLOTS]; /* of a labelling */
    double stage_times[SHW_STAGE_COUNT];       /* of the labelling in progress, so far */
    double rates[SHW_STAGE_COUNT];             /* milliseconds per unit of a stage's work; 0: unknown */
    struct view_times times;
    struct view_watch watch; /* of the thread that draws */
    double cleared;          /* when times were reset, in seconds of the host's clock, and the frame count then */
    uint64_t cleared_count;
    double last;    /* when the previous frame was begun, in seconds of the host's clock */
    uint64_t count; /* frames so far */
};

/* Errors: MEMORY, DEVICE_MEMORY. */
enum shw_result view_frames_create(const struct view_gpu *gpu, struct view_frames *frames);
void view_frames_destroy(const struct view_gpu *gpu, struct view_frames *frames);

/* Waits until all frames have finished. Errors: DEVICE_LOST. */
enum shw_result view_frames_wait(const struct view_gpu *gpu, struct view_frames *frames);

/* Ends a span of the frame being recorded. A frame has VIEW_STAMPS timestamps; spans beyond that are not timed. */
void view_frames_stamp(struct view_frames *frames, VkCommandBuffer commands, uint32_t slot, enum view_time kind,
                       uint64_t work);

/* Discards all times so far. */
void view_frames_clear_times(struct view_frames *frames);

/* Whether that frame, counted from 0, has finished on the device, waiting up to `seconds`. */
bool view_frames_is_over(const struct view_gpu *gpu, const struct view_frames *frames, uint64_t number, double seconds);

/* The slot of the next frame, after the frame that used it before has finished. Errors: DEVICE_LOST. */
enum shw_result view_frames_next(const struct view_gpu *gpu, struct view_frames *frames, uint32_t *slot);

/* Begins recording a frame, after the frame that used the slot before has finished. Errors: MEMORY, DEVICE_LOST. */
enum shw_result view_frames_begin(const struct view_gpu *gpu, struct view_frames *frames, uint32_t *slot,
                                  VkCommandBuffer *commands);

/* Submits the frame. Its copies wait for one semaphore, its end signals another; either may be VK_NULL_HANDLE. Errors:
 * MEMORY, DEVICE_LOST. */
enum shw_result view_frames_submit(const struct view_gpu *gpu, struct view_frames *frames, uint32_t slot,
                                   VkSemaphore wait, VkSemaphore signal);

#endif
