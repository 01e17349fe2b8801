#version 450
#extension GL_GOOGLE_include_directive : require
/* The picture and all overlays, in one pass over the picture's pixels. */
#include "overlay_push.h"

layout(local_size_x = VIEW_COMPOSE_COLUMNS, local_size_y = VIEW_COMPOSE_ROWS) in;

layout(push_constant) uniform Push {
    view_overlay_push push;
};
layout(set = 0, binding = VIEW_BINDING_SHOWN) uniform sampler2D shown;
layout(set = 0, binding = VIEW_BINDING_LABELS) uniform usampler2D labels;
layout(set = 0, binding = VIEW_BINDING_DISTRIBUTION) uniform usampler2DArray distribution;
layout(set = 0, binding = VIEW_BINDING_TRUTH) uniform usampler2D truth;
layout(set = 0, binding = VIEW_BINDING_PLANE) uniform usampler2D plane;
layout(set = 0, binding = VIEW_BINDING_PAINTED) uniform usampler2D painted;
layout(std430, set = 0, binding = VIEW_BINDING_TABLES) readonly buffer Tables {
    uint entropy_share[VIEW_ENTROPY_ENTRIES];
    uint class_words[];
};
layout(rgba8, set = 0, binding = VIEW_BINDING_TARGET) uniform writeonly image2D target;

struct layer {
    uvec3 colour;
    uint alpha; /* 0..255 */
};

const layer NOTHING = layer(uvec3(0u), 0u);
const uvec3 ERROR_COLOUR = uvec3(213u, 94u, 0u);

uvec3 class_colour(uint word)
{
    return uvec3(word, word >> 8, word >> 16) & 255u;
}

bool class_visible(uint number)
{
    return number < push.classes && (class_words[number] & VIEW_CLASS_HIDDEN) == 0u;
}

/* From black to red, yellow and white. */
uvec3 heat(uint value)
{
    return uvec3(clamp(3 * int(value) - ivec3(0, 255, 510), ivec3(0), ivec3(255)));
}

uint probability(ivec2 place, uint plane)
{
    return texelFetch(distribution, ivec3(place, plane), 0).r;
}

uint label(ivec2 place)
{
    return texelFetch(labels, place, 0).r;
}

layer no_layer(ivec2 place)
{
    return NOTHING;
}

/* A channel, an integral image or depth, instead of the picture. */
layer plane_layer(ivec2 place)
{
    return layer(uvec3(texelFetch(plane, place, 0).r), 255u);
}

layer class_layer(ivec2 place)
{
    uint number = label(place);
    return class_visible(number) ? layer(class_colour(class_words[number]), push.opacity) : NOTHING;
}

layer heat_layer(ivec2 place)
{
    return layer(heat((probability(place, push.chosen) * 255u + 32767u) / 65535u), push.opacity);
}

layer blend_layer(ivec2 place)
{
    uvec3 sum = uvec3(0u);
    uint weight = 0u;
    for (uint c = 0u; c < push.planes; ++c)
        if (class_visible(c)) {
            uint p = probability(place, c);
            sum += p * class_colour(class_words[c]);
            weight += p;
        }
    return weight == 0u
               ? NOTHING
               : layer((sum + weight / 2u) / weight, (push.opacity * min(weight, 65535u) + 32767u) / 65535u);
}

layer entropy_layer(ivec2 place)
{
    uint sum = 0u;
    for (uint c = 0u; c < push.planes; ++c)
        sum += entropy_share[probability(place, c) >> 4];
    return layer(heat((min(sum, 1u << 20) * 255u + (1u << 19)) >> 20), push.opacity);
}

layer error_layer(ivec2 place)
{
    uint known = texelFetch(truth, place, 0).r, number = label(place);
    return known < push.classes && known != number ? layer(ERROR_COLOUR, push.opacity) : NOTHING;
}

/* Whether the pixel to the right or below has another class. */
bool on_contour(ivec2 place, uint number)
{
    ivec2 last = ivec2(push.width, push.height) - 1;
    return label(min(place + ivec2(1, 0), last)) != number || label(min(place + ivec2(0, 1), last)) != number;
}

#define CASE(mode, number, layer_of) case number: return layer_of(place);

layer layer_at(ivec2 place)
{
    uint number = push.contours != 0u ? label(place) : push.classes;
    if (push.contours != 0u && class_visible(number) && on_contour(place, number))
        return layer(class_colour(class_words[number]), 255u);
    switch (push.mode) {
        VIEW_OVERLAY_MODES(CASE)
    }
    return NOTHING;
}

/* Painted labels cover all other overlays. */
layer stroke_at(ivec2 place)
{
    uint number = push.strokes == 0u ? push.classes : texelFetch(painted, place, 0).r;
    return number < push.classes ? layer(class_colour(class_words[number]), push.strokes) : NOTHING;
}

uvec3 cover(uvec3 below, layer over)
{
    return (below * (255u - over.alpha) + over.colour * over.alpha + 127u) / 255u;
}

void main()
{
    ivec2 place = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(gl_GlobalInvocationID.xy, uvec2(push.width, push.height))))
        return;
    uvec3 picture = uvec3(texelFetch(shown, place, 0).rgb * 255.0 + 0.5);
    imageStore(target, place, vec4(vec3(cover(cover(picture, layer_at(place)), stroke_at(place))) / 255.0, 1.0));
}
