/* The nearest codes of what a view of a normalised format or of floats shows. */
uvec3 shw_codes(vec3 texel, uint code)
{
    if (code == SHW_SOURCE_UNORM8)
        return uvec3(texel * 255.0 + 0.5);
    if (code == SHW_SOURCE_SRGB8) {
        vec3 curve = 1.055 * pow(texel, vec3(1.0 / 2.4)) - 0.055;
        return uvec3(mix(curve, 12.92 * texel, lessThanEqual(texel, vec3(0.0031308))) * 255.0 + 0.5);
    }
    if (code == SHW_SOURCE_UNORM16)
        return uvec3(texel * 65535.0 + 0.5);
    if (code == SHW_SOURCE_HALF) {
        uvec3 bits = floatBitsToUint(texel);
        return uvec3(shw_code_of_half(shw_half_of_float(bits.r)), shw_code_of_half(shw_half_of_float(bits.g)),
                     shw_code_of_half(shw_half_of_float(bits.b)));
    }
    uvec3 tenths = uvec3(texel * 1023.0 + 0.5);
    return uvec3(shw_code_of_10(tenths.r), shw_code_of_10(tenths.g), shw_code_of_10(tenths.b));
}
