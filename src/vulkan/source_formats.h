/* The formats that views of inputs can have, and how shaders read them. */
#ifndef SHW_VULKAN_SOURCE_FORMATS_H
#define SHW_VULKAN_SOURCE_FORMATS_H

#include <shadewood/input.h>

struct shw_source_reading {
    struct shw_source_format format;
    uint32_t code; /* SHW_SOURCE_UNORM8 and so on (shared/source_code.h) */
    bool is_uint;  /* the view's components are integers */
    bool has_stencil;
};

/* NULL: no input can have that format. */
const struct shw_source_reading *shw_source_reading_of(VkFormat format);

#endif
