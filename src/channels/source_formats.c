#include "channels/source_formats.h"

#include "shared/source_code.h"

#define COLOUR       VK_IMAGE_ASPECT_COLOR_BIT
#define FORMAT(name) VK_FORMAT_##name, #name

static const struct shw_source_reading readings[] = {
    {{FORMAT(R8G8B8A8_UNORM), COLOUR, 8, false, SHW_PIXEL_RGBA8}, SHW_SOURCE_UNORM8, false},
    {{FORMAT(B8G8R8A8_UNORM), COLOUR, 8, false, SHW_PIXEL_BGRA8}, SHW_SOURCE_UNORM8, false},
    {{FORMAT(R8G8B8A8_SRGB), COLOUR, 8, false, SHW_PIXEL_RGBA8}, SHW_SOURCE_SRGB8, false},
    {{FORMAT(B8G8R8A8_SRGB), COLOUR, 8, false, SHW_PIXEL_BGRA8}, SHW_SOURCE_SRGB8, false},
    {{FORMAT(A8B8G8R8_UNORM_PACK32), COLOUR, 8, false, SHW_PIXEL_RGBA8}, SHW_SOURCE_UNORM8, false},
    {{FORMAT(A8B8G8R8_SRGB_PACK32), COLOUR, 8, false, SHW_PIXEL_RGBA8}, SHW_SOURCE_SRGB8, false},
    {{FORMAT(R8_UINT), COLOUR, 8, true, SHW_PIXEL_GREY8}, SHW_SOURCE_UINT8, true},
    {{FORMAT(R8_UNORM), COLOUR, 8, true, SHW_PIXEL_GREY8}, SHW_SOURCE_UNORM8, false},
    {{FORMAT(R16_UINT), COLOUR, 16, true, SHW_PIXEL_GREY16}, SHW_SOURCE_UINT16, true},
    {{FORMAT(R16_UNORM), COLOUR, 16, true, SHW_PIXEL_GREY16}, SHW_SOURCE_UNORM16, false},
    {{FORMAT(D16_UNORM), VK_IMAGE_ASPECT_DEPTH_BIT, 16, true, SHW_PIXEL_GREY16}, SHW_SOURCE_UNORM16, false},
    {{FORMAT(R16G16B16A16_UINT), COLOUR, 16, false, SHW_PIXEL_RGBA16}, SHW_SOURCE_UINT16, true},
    {{FORMAT(R16G16B16A16_UNORM), COLOUR, 16, false, SHW_PIXEL_RGBA16}, SHW_SOURCE_UNORM16, false},
    {{FORMAT(R16G16B16A16_SFLOAT), COLOUR, 16, false, SHW_PIXEL_RGBA16_FLOAT}, SHW_SOURCE_HALF, false},
    {{FORMAT(R16_SFLOAT), COLOUR, 16, true, SHW_PIXEL_GREY16_FLOAT}, SHW_SOURCE_HALF, false},
    {{FORMAT(B10G11R11_UFLOAT_PACK32), COLOUR, 16, false, SHW_PIXEL_B10G11R11_FLOAT}, SHW_SOURCE_HALF, false},
    {{FORMAT(A2B10G10R10_UNORM_PACK32), COLOUR, 16, false, SHW_PIXEL_A2B10G10R10}, SHW_SOURCE_UNORM10, false},
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
