/* Shared by both passes: an invocation computes eight neighbouring pixels in two rows of each tile. */
#include "integral_push.h"

layout(local_size_x = 128) in;
layout(push_constant) uniform Push {
    shw_integral_push push;
};
layout(std430, set = 0, binding = SHW_INTEGRAL_CHANNELS) readonly buffer Channels {
    uvec4 channels[]; /* eight 16-bit pixels */
};

const uint segments = SHW_INTEGRAL_TILE_WIDTH / 8;
const uint half_height = SHW_INTEGRAL_TILE_HEIGHT / 2;

/* Reads eight pixels from (8 segment, y) on. Values outside the region do not matter, but must be readable. */
void read_pixels(uint plane, uint segment, uint y, out uint values[8])
{
    uvec4 words = uvec4(0u);

    if (segment < push.channel_stride && y < push.height)
        words = channels[plane * push.channel_pitch + y * push.channel_stride + segment];
    for (int i = 0; i < 4; i++) {
        values[2 * i] = uint(shw_low16(words[i]));
        values[2 * i + 1] = uint(shw_high16(words[i]));
    }
}
