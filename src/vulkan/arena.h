/* Many buffers and images in a few blocks of memory. They are added first, then placed, so that what is needed is known
 * before it is allocated; those that are not in use at the same time can be in the same place. */
#ifndef SHW_VULKAN_ARENA_H
#define SHW_VULKAN_ARENA_H

#include "vulkan/memory.h"

/* The steps of a frame, from `first` to `last`, in which the contents are in use. Frames of different sets may run at
 * the same time, so that only members of one set can be in the same place. */
struct shw_span {
    uint32_t first, last, set;
};

extern const struct shw_span shw_span_always;

/* The memory that everything in an arena takes. */
struct shw_arena_need {
    uint64_t device_bytes, mapped_bytes; /* for the device only; mapped for the host */
    uint32_t blocks;
};

struct shw_arena {
    struct shw_device *device;
    struct shw_span now; /* for what is scratch memory of the stage that adds it */
    bool *exceeds;       /* set where planes exceed a storage buffer, which is a failure only if this is NULL */
    uint32_t entry_count, entry_capacity, block_count, block_capacity;
    struct shw_arena_entry *entries;
    struct shw_arena_block *blocks;
};

/* An empty arena, with scratch memory for a single step. */
void shw_arena_begin(struct shw_device *device, struct shw_arena *arena);

/* The span of scratch memory of a set. */
struct shw_span shw_arena_scratch(const struct shw_arena *arena, uint32_t set);

/* Adds a buffer or an image, whose sizes are set at once and whose handles are set by shw_arena_make(); they must stay
 * at their address until then, and are not to be destroyed. What the host writes or reads is always in use. Errors:
 * MEMORY, DEVICE_MEMORY, UNSUPPORTED, LIMIT. */
enum shw_result shw_arena_add_buffer(struct shw_arena *arena, struct shw_span span, VkDeviceSize size,
                                     VkBufferUsageFlags usage, enum shw_memory_kind kind, const char *name,
                                     struct shw_buffer *buffer);
enum shw_result shw_arena_add_image(struct shw_arena *arena, struct shw_span span, VkFormat format, uint32_t width,
                                    uint32_t height, uint32_t layers, VkImageUsageFlags usage, const char *name,
                                    struct shw_vulkan_image *image);

/* Places everything; nothing is allocated yet. Errors: MEMORY. */
enum shw_result shw_arena_place(struct shw_arena *arena, struct shw_arena_need *need);

/* Places everything, allocates the blocks, and makes buffers, images and views. Errors: MEMORY, DEVICE_MEMORY,
 * UNSUPPORTED. */
enum shw_result shw_arena_make(struct shw_arena *arena);

/* Destroys everything in it, and the blocks. Accepts a zero arena. The arena is zero afterwards. */
void shw_arena_end(struct shw_arena *arena);

#endif
