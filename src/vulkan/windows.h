/* Windows of a storage buffer that exceeds maxStorageBufferRange. */
#ifndef SHW_VULKAN_WINDOWS_H
#define SHW_VULKAN_WINDOWS_H

#include "shared/windows.h"
#include "vulkan/memory.h"
#include "vulkan/program.h"

/* log2 of the words of a window. */
static inline uint32_t shw_window_shift(uint32_t range)
{
    uint32_t shift = 0;

    while (shift < 29 && (8ull << shift) <= range)
        shift++;
    return shift;
}

/* Bytes that all windows have together. */
static inline VkDeviceSize shw_windows_bytes(uint32_t range)
{
    return (VkDeviceSize)SHW_WINDOWS * sizeof(uint32_t) << shw_window_shift(range);
}

/* A window of the buffer; instead of those that it does not have, the first. */
static inline struct shw_resource shw_window(const struct shw_buffer *buffer, uint32_t range, uint32_t number)
{
    VkDeviceSize size = (VkDeviceSize)sizeof(uint32_t) << shw_window_shift(range), offset = number * size;

    offset = offset < buffer->size ? offset : 0;
    return (struct shw_resource){.buffer = buffer->handle,
                                 .offset = offset,
                                 .size = size < buffer->size - offset ? size : buffer->size - offset};
}

#endif
