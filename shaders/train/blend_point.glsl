/* Where a cell of the histogram is in the texture. After blend.glsl. */

/* Cells lie row by row; what the texture does not hold goes outside the clip volume. The viewport is a square as wide
 * as the texture, and its side a power of two, so the centre of every texel is hit exactly. */
vec4 point_of(uint cell)
{
    uint place = cell - push.cell_begin, side = 1u << push.width_shift;
    if (place >= push.cell_count)
        return vec4(0.0, 0.0, 2.0, 1.0);
    vec2 texel = vec2(place & (side - 1u), place >> push.width_shift);
    return vec4((2.0 * texel + 1.0) / float(side) - 1.0, 0.0, 1.0);
}
