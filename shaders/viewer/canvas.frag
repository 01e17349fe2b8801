#version 450
#extension GL_GOOGLE_include_directive : require
/* The picture, with or without its overlay, at its position on the canvas. */
#include "overlay_push.h"

layout(push_constant) uniform Push {
    view_overlay_push push;
};
layout(set = 0, binding = VIEW_BINDING_SHOWN) uniform sampler2D shown;
layout(set = 0, binding = VIEW_BINDING_COMPOSED) uniform sampler2D composed;
layout(set = 0, binding = VIEW_BINDING_FINE_SHOWN) uniform sampler2D fine_shown;
layout(set = 0, binding = VIEW_BINDING_FINE) uniform sampler2D fine;
layout(location = 0) out vec4 target;

const vec4 BACKGROUND = vec4(vec3(VIEW_BACKGROUND) / 255.0, 1.0);

vec4 colour_at(ivec2 pixel)
{
    ivec2 distance = pixel * 256 + 128 - ivec2(push.offset_x, push.offset_y);
    if (push.wipe != 0u && uint(pixel.x) == push.wipe)
        return vec4(1.0);
    if (any(lessThan(distance, ivec2(0))))
        return BACKGROUND;
    uvec2 place = uvec2(distance) / push.zoom;
    if (any(greaterThanEqual(place, uvec2(push.width, push.height))))
        return BACKGROUND;
    bool is_plain = (push.mode == 0u && push.strokes == 0u) || uint(pixel.x) < push.wipe;
    uvec2 texel = (place - uvec2(push.fine_x, push.fine_y)) / push.fine_step; /* left of it or above: a large number */
    if (all(lessThan(texel, uvec2(push.fine_width, push.fine_height))))
        return is_plain ? texelFetch(fine_shown, ivec2(texel), 0) : texelFetch(fine, ivec2(texel), 0);
    texel = place / push.step;
    return is_plain ? texelFetch(shown, ivec2(texel), 0) : texelFetch(composed, ivec2(texel), 0);
}

void main()
{
    target = vec4(colour_at(ivec2(gl_FragCoord.xy)).rgb, 1.0);
}
