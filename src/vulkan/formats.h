/* Vulkan's formats: their names, and those that can be source images. */
#ifndef SHW_VULKAN_FORMATS_H
#define SHW_VULKAN_FORMATS_H

#include <vulkan/vulkan_core.h>

#include <shadewood/input.h>

/* Vulkan's enumerators by name, for messages. */

struct shw_vk_text {
    char text[64];
};

/* "VK_FORMAT_R8_UNORM", and of a value that has no name here "VkFormat 1000464000". */
struct shw_vk_text shw_vk_format_text(VkFormat format);

/* "VK_ERROR_INCOMPATIBLE_DRIVER" or "VkResult -1000000000". */
struct shw_vk_text shw_vk_result_text(VkResult result);

/* The formats that views of inputs can have, and how shaders read them. */

struct shw_source_reading {
    struct shw_source_format format;
    uint32_t code; /* SHW_SOURCE_UNORM8 and so on (shared/source_code.h) */
    bool is_uint;  /* the view's components are integers */
    bool has_stencil;
};

/* NULL: no input can have that format. */
const struct shw_source_reading *shw_source_reading_of(VkFormat format);

#endif
