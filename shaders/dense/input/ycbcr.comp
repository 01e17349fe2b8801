#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
/* Planes of luma and chroma become pixels: an invocation makes one, of a word or, with 16 bits, two. */
#include "ycbcr.h"

layout(local_size_x = 32, local_size_y = 4) in;
layout(push_constant) uniform Push {
    shw_ycbcr_push push;
};
layout(set = 0, binding = 0) uniform texture2D luma_plane;
layout(set = 0, binding = 1) uniform texture2D cb_plane; /* and Cr, if they are interleaved */
layout(set = 0, binding = 2) uniform texture2D cr_plane;
layout(set = 0, binding = 3) writeonly buffer Pixels {
    uint pixels[];
};

int code_of(float component)
{
    return shw_ycbcr_code(push, uint(component * (push.most == 255 ? 255.0 : 65535.0) + 0.5));
}

/* Cb and Cr. */
ivec2 chroma_at(int x, int y)
{
    ivec2 at = ivec2(clamp(x, 0, push.chroma_width - 1), clamp(y, 0, push.chroma_height - 1));
    vec2 both = texelFetch(cb_plane, at, 0).rg;

    if (push.interleaved == 0u)
        both.g = texelFetch(cr_plane, at, 0).r;
    return ivec2(code_of(both.r), code_of(both.g));
}

void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);

    if (at.x >= push.width || at.y >= push.height)
        return;

    int x = shw_ycbcr_first(at.x, push.x_halved, push.x_between), x_share = shw_ycbcr_share(at.x, push.x_halved, push.x_between);
    int y = shw_ycbcr_first(at.y, push.y_halved, push.y_between), y_share = shw_ycbcr_share(at.y, push.y_halved, push.y_between);
    ivec2 a = chroma_at(x, y), b = chroma_at(x + 1, y), c = chroma_at(x, y + 1), d = chroma_at(x + 1, y + 1);
    int luma = code_of(texelFetch(luma_plane, at, 0).r);
    int cb = shw_ycbcr_chroma(push, a.x, b.x, c.x, d.x, x_share, y_share);
    int cr = shw_ycbcr_chroma(push, a.y, b.y, c.y, d.y, x_share, y_share);
    uint red = shw_ycbcr_component(push, luma, cb, cr, 0, push.r_cr);
    uint green = shw_ycbcr_component(push, luma, cb, cr, push.g_cb, push.g_cr);
    uint blue = shw_ycbcr_component(push, luma, cb, cr, push.b_cb, 0);
    uint pixel = uint(at.y) * uint(push.width) + uint(at.x);

    if (push.most == 255) {
        pixels[pixel] = red | green << 8u | blue << 16u | 255u << 24u;
    } else {
        pixels[2u * pixel] = red | green << 16u;
        pixels[2u * pixel + 1u] = blue | 65535u << 16u;
    }
}
