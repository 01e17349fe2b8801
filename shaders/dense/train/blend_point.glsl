/* The position of a histogram cell in the texture. Include after blend.glsl. */

/* Cells are in row order; those that the texture does not hold are placed outside the clip volume. The viewport is a
 * square as wide as the texture, and its side is a power of two, so points hit texel centres exactly. */
vec4 point_of(uint cell)
{
    uint place = cell - push.cell_begin, side = 1u << push.width_shift;
    if (place >= push.cell_count)
        return vec4(0.0, 0.0, 2.0, 1.0);
    vec2 texel = vec2(place & (side - 1u), place >> push.width_shift);
    return vec4((2.0 * texel + 1.0) / float(side) - 1.0, 0.0, 1.0);
}
