/* Images and buffers that frames in flight may still use, and nobody else: they are destroyed when those frames are
 * over, so that nobody has to wait for them. For the main thread. */
#ifndef VIEW_GPU_RETIRED_H
#define VIEW_GPU_RETIRED_H

#include "gpu/gpu_memory.h"

struct view_retired;

/* NULL if memory is short. */
struct view_retired *view_retired_create(void);

/* Destroys everything; nothing may be in use any more. Accepts a pointer to NULL. */
void view_retired_destroy(const struct view_gpu *gpu, struct view_retired **retired);

/* Takes what is in an object, which is zero afterwards. If memory is short it waits for the device instead. */
void view_image_retire(const struct view_gpu *gpu, struct view_image *image);
void view_buffer_retire(const struct view_gpu *gpu, struct view_buffer *buffer);

/* To be called when frame `frame`, counted from 0, is about to be recorded, and frame `frame` - VIEW_SLOTS is over. */
void view_retired_collect(const struct view_gpu *gpu, uint64_t frame);

#endif
