/* Blocks of device memory, from Vulkan or from the caller's allocator. */
#ifndef SHW_VULKAN_BLOCK_H
#define SHW_VULKAN_BLOCK_H

#include "vulkan/device.h"

enum shw_memory_kind {
    SHW_MEMORY_DEVICE,   /* for the device only */
    SHW_MEMORY_UPLOAD,   /* mapped, written by the host, coherent */
    SHW_MEMORY_TABLE,    /* the same, in device memory if it can be mapped: small, written once, read by every
                            invocation */
    SHW_MEMORY_READBACK, /* mapped, read by the host, coherent, cached if available */
};

/* Chooses the memory for a resource that can be in the types `bits`: returns those of them in which the kind can be,
 * and the best one in *type. 0: there is none. */
uint32_t shw_block_types(const struct shw_device *device, uint32_t bits, enum shw_memory_kind kind, uint32_t *type);

/* `name` is for messages, `quiet` for callers that have a fallback: a lack of device memory is not reported. Errors:
 * MEMORY, DEVICE_MEMORY, UNSUPPORTED. On failure *block is zero. */
enum shw_result shw_block_allocate(struct shw_device *device, const struct shw_memory_request *request,
                                   const char *name, bool quiet, struct shw_memory_block *block);

/* Accepts a zero block. The block is zero afterwards. */
void shw_block_release(struct shw_device *device, struct shw_memory_block *block);

#endif
