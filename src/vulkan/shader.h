/* SPIR-V in memory. */
#ifndef SHW_VULKAN_SHADER_H
#define SHW_VULKAN_SHADER_H

#include <stddef.h>
#include <stdint.h>

struct shw_shader {
    const uint32_t *words;
    size_t size; /* bytes */
};

/* Arrays that cmake/shaders.cmake embeds: SHW_SHADER(name) needs SHW_SHADER_DECLARE(name) at file scope. */
#define SHW_SHADER_DECLARE(name)                                                                                       \
    extern const uint32_t shw_spirv_##name[];                                                                          \
    extern const size_t shw_spirv_##name##_size
#define SHW_SHADER(name) ((struct shw_shader){shw_spirv_##name, shw_spirv_##name##_size})

#endif
