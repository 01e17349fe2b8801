/* What a texel of a target stores. Included after result(plane, at) and, for OVERLAY, probability(plane, at) and
 * colour(class). */
#ifdef OVERLAY
#include "dense/channels/source_codes.glsl"

#ifdef SOURCE_IS_UINT
layout(set = 0, binding = SHW_MAKE_SOURCE) uniform utexture2D source;
#define CODES(at, code) texelFetch(source, at, 0).rgb
#else
layout(set = 0, binding = SHW_MAKE_SOURCE) uniform texture2D source;
#define CODES(at, code) shw_codes(texelFetch(source, at, 0).rgb, code)
#endif

/* The texel of the tile's pixel `at`. */
uvec4 texel_at(ivec2 at, uint layer)
{
    ivec2 place = ivec2(push.x, push.y) + at;
    uint number = result(0u, place), code = push.source & 127u, weight = 0u;
    uint is_wide = uint(code >= SHW_SOURCE_UINT16), wants_wide = uint(push.form != SHW_CODES_8);
    uvec3 picture = CODES(ivec2(push.source_x, push.source_y) + int(push.step) * at, code), over = uvec3(0u);
    uvec4 texel = uvec4(wants_wide != 0u ? 65535u : 255u);

    if ((push.source & 128u) != 0u)
        picture = picture.rrr;
    if (number != push.none) {
        uint word = colour(number);
        over = uvec3(word, word >> 8u, word >> 16u) & 255u;
        weight = shw_overlay_weight(word >> 24u, push.by_probability != 0u ? probability(number, place) : 65535u);
    }
    for (uint c = 0u; c < 3u; c++)
        texel[c] = shw_overlay_mix(shw_overlay_picture(picture[c], is_wide, wants_wide),
                                   shw_overlay_picture(over[c], 0u, wants_wide), weight);
    if (push.form == SHW_CODES_HALF)
        for (uint c = 0u; c < 4u; c++)
            texel[c] = shw_half_of_16(texel[c]);
    return push.is_swapped != 0u ? texel.bgra : texel;
}
#else
uvec4 texel_at(ivec2 at, uint layer)
{
    ivec2 place = ivec2(push.x, push.y) + at;
    uvec4 texel = uvec4(0u);

    if (push.made_from == SHW_MAKE_NUMBERS)
        texel.r = shw_number_code(result(layer, place), push.none, push.form);
    else if (push.made_from == SHW_MAKE_SHARE)
        texel.r = shw_share_code(result(layer, place), push.form);
    else
        for (uint c = 0u; c < SHW_TARGET_CLASSES; c++) {
            uint plane = SHW_TARGET_CLASSES * layer + c;
            if (plane < push.count)
                texel[c] = shw_share_code(result(plane, place), push.form);
        }
    return texel;
}
#endif
