#include "vulkan/source_formats.h"

#include "shared/source_code.h"

#define COLOUR       VK_IMAGE_ASPECT_COLOR_BIT
#define DEPTH        VK_IMAGE_ASPECT_DEPTH_BIT
#define FORMAT(name) VK_FORMAT_##name, #name

static const struct shw_source_reading readings[] = {
    {{FORMAT(R8G8B8A8_UNORM), COLOUR, 8, false, SHW_PIXEL_RGBA8}, SHW_SOURCE_UNORM8, false, false},
    {{FORMAT(B8G8R8A8_UNORM), COLOUR, 8, false, SHW_PIXEL_BGRA8}, SHW_SOURCE_UNORM8, false, false},
    {{FORMAT(R8G8B8A8_SRGB), COLOUR, 8, false, SHW_PIXEL_RGBA8}, SHW_SOURCE_SRGB8, false, false},
    {{FORMAT(B8G8R8A8_SRGB), COLOUR, 8, false, SHW_PIXEL_BGRA8}, SHW_SOURCE_SRGB8, false, false},
    {{FORMAT(A8B8G8R8_UNORM_PACK32), COLOUR, 8, false, SHW_PIXEL_RGBA8}, SHW_SOURCE_UNORM8, false, false},
    {{FORMAT(A8B8G8R8_SRGB_PACK32), COLOUR, 8, false, SHW_PIXEL_RGBA8}, SHW_SOURCE_SRGB8, false, false},
    {{FORMAT(R8_UINT), COLOUR, 8, true, SHW_PIXEL_GREY8}, SHW_SOURCE_UINT8, true, false},
    {{FORMAT(R8_UNORM), COLOUR, 8, true, SHW_PIXEL_GREY8}, SHW_SOURCE_UNORM8, false, false},
    {{FORMAT(R16_UINT), COLOUR, 16, true, SHW_PIXEL_GREY16}, SHW_SOURCE_UINT16, true, false},
    {{FORMAT(R16_UNORM), COLOUR, 16, true, SHW_PIXEL_GREY16}, SHW_SOURCE_UNORM16, false, false},
    {{FORMAT(D16_UNORM), DEPTH, 16, true, SHW_PIXEL_GREY16}, SHW_SOURCE_UNORM16, false, false},
    {{FORMAT(R16G16B16A16_UINT), COLOUR, 16, false, SHW_PIXEL_RGBA16}, SHW_SOURCE_UINT16, true, false},
    {{FORMAT(R16G16B16A16_UNORM), COLOUR, 16, false, SHW_PIXEL_RGBA16}, SHW_SOURCE_UNORM16, false, false},
    {{FORMAT(R16G16B16A16_SFLOAT), COLOUR, 16, false, SHW_PIXEL_RGBA16_FLOAT}, SHW_SOURCE_HALF, false, false},
    {{FORMAT(R16_SFLOAT), COLOUR, 16, true, SHW_PIXEL_GREY16_FLOAT}, SHW_SOURCE_HALF, false, false},
    {{FORMAT(B10G11R11_UFLOAT_PACK32), COLOUR, 16, false, SHW_PIXEL_B10G11R11_FLOAT}, SHW_SOURCE_HALF, false, false},
    {{FORMAT(A2B10G10R10_UNORM_PACK32), COLOUR, 16, false, SHW_PIXEL_A2B10G10R10}, SHW_SOURCE_UNORM10, false, false},
    {{FORMAT(R32_SFLOAT), COLOUR, 32, true, SHW_PIXEL_GREY32_FLOAT}, SHW_SOURCE_FLOAT, false, false},
    {{FORMAT(D32_SFLOAT), DEPTH, 32, true, SHW_PIXEL_GREY32_FLOAT}, SHW_SOURCE_FLOAT, false, false},
    {.format = {FORMAT(D32_SFLOAT_S8_UINT), DEPTH, 32, true, SHW_PIXEL_GREY32_FLOAT},
     .code = SHW_SOURCE_FLOAT,
     .has_stencil = true},
    {{FORMAT(X8_D24_UNORM_PACK32), DEPTH, 24, true, SHW_PIXEL_X8_D24}, SHW_SOURCE_UNORM24, false, false},
    {.format = {FORMAT(D24_UNORM_S8_UINT), DEPTH, 24, true, SHW_PIXEL_X8_D24},
     .code = SHW_SOURCE_UNORM24,
     .has_stencil = true},
};

#define COUNT (sizeof readings / sizeof readings[0])

const struct shw_source_reading *shw_source_reading_of(VkFormat format)
{
    for (size_t i = 0; i < COUNT; i++)
        if (readings[i].format.format == format)
            return &readings[i];
    return NULL;
}

const struct shw_source_format *shw_source_format_get(uint32_t index)
{
    return index < COUNT ? &readings[index].format : NULL;
}

const struct shw_source_format *shw_source_format_find(VkFormat format)
{
    const struct shw_source_reading *reading = shw_source_reading_of(format);

    return reading != NULL ? &reading->format : NULL;
}
