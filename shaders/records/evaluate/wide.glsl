/* 64-bit integers without shaderInt64, the lower word first, and the class that sums decide. */

uvec2 sum_of(uvec2 a, uvec2 b)
{
    uint carry, low = uaddCarry(a.x, b.x, carry);
    return uvec2(low, a.y + b.y + carry);
}

uvec2 widen(int value)
{
    return uvec2(uint(value), uint(value >> 31));
}

bool is_greater(uvec2 a, uvec2 b)
{
    return int(a.y) > int(b.y) || (a.y == b.y && a.x > b.x);
}

/* Of `outputs` sums, of which `best` is the greatest, of the lowest output among equals. */
uint class_of(uint outputs, uvec2 best, uint best_output, uvec2 cut)
{
    return outputs == 1u ? uint(is_greater(best, cut)) : best_output;
}
