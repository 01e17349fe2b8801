/* A step of recursive doubling: the sum of four values of a plane, `step` apart, of which those outside are 0. The
 * shader has uint shw_summand(ivec2 at, int plane). */
uint shw_sum_of_four(ivec2 at, ivec2 step, int plane)
{
    uint sum = 0u;

    for (int i = 0; i < 4; i++, at -= step) {
        uint value = shw_summand(max(at, ivec2(0)), plane);
        sum += at.x >= 0 && at.y >= 0 ? value : 0u;
    }
    return sum;
}
