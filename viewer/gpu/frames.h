/* Frames in flight: command buffers, fences, and timestamps. */
#ifndef VIEW_GPU_FRAMES_H
#define VIEW_GPU_FRAMES_H

#include <shadewood/technique.h>

#include "gpu/gpu.h"
#include "gpu/times.h"

#define VIEW_STAMPS 32u /* of a frame */

/* What a frame spends the device's time on, between one stamp and the next. */
struct view_span {
    enum view_time kind;
    uint64_t work; /* of a stage of labelling: units of it */
};

struct view_frames {
    VkCommandBuffer commands[VIEW_SLOTS];
    VkFence fences[VIEW_SLOTS];
    bool pending[VIEW_SLOTS];
    VkQueryPool queries; /* VK_NULL_HANDLE without timestamps */
    uint32_t stamps[VIEW_SLOTS];
    struct view_span spans[VIEW_SLOTS][VIEW_STAMPS];
    bool begins[VIEW_SLOTS], ends[VIEW_SLOTS]; /* a labelling */
    double stage_times[SHW_STAGE_COUNT];       /* of the labelling that is under way, until now */
    double rates[SHW_STAGE_COUNT];             /* milliseconds to a unit of a stage's work; 0: not known */
    struct view_times times;
    double cleared; /* when times were reset, in seconds of the host's clock, and the count of frames then */
    uint64_t cleared_count;
    double last;    /* when the frame before was begun, in seconds of the host's clock */
    uint64_t count; /* frames until now */
};

/* Errors: MEMORY, DEVICE_MEMORY. */
enum shw_result view_frames_create(const struct view_gpu *gpu, struct view_frames *frames);
void view_frames_destroy(const struct view_gpu *gpu, struct view_frames *frames);

/* Waits until all frames are over. Errors: DEVICE_LOST. */
enum shw_result view_frames_wait(const struct view_gpu *gpu, struct view_frames *frames);

/* Ends a span of the frame that is being recorded. A frame has room for VIEW_STAMPS; the time of those beyond is not
 * counted. */
void view_frames_stamp(struct view_frames *frames, VkCommandBuffer commands, uint32_t slot, enum view_time kind,
                       uint64_t work);

/* Forgets times until now. */
void view_frames_clear_times(struct view_frames *frames);

/* Whether that frame, counted from 0, is over on the device, or is so before that many seconds have passed. */
bool view_frames_is_over(const struct view_gpu *gpu, const struct view_frames *frames, uint64_t number, double seconds);

/* The slot of the next frame, after the end of the frame that had it before. Errors: DEVICE_LOST. */
enum shw_result view_frames_next(const struct view_gpu *gpu, struct view_frames *frames, uint32_t *slot);

/* Begins recording a frame, after the end of the one that had the slot before. Errors: MEMORY, DEVICE_LOST. */
enum shw_result view_frames_begin(const struct view_gpu *gpu, struct view_frames *frames, uint32_t *slot,
                                  VkCommandBuffer *commands);

/* Submits it, its copies waiting for one semaphore, its end signalling another; VK_NULL_HANDLE: none. Errors: MEMORY,
 * DEVICE_LOST. */
enum shw_result view_frames_submit(const struct view_gpu *gpu, struct view_frames *frames, uint32_t slot,
                                   VkSemaphore wait, VkSemaphore signal);

#endif
