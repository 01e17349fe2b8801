/* The sum of a kernel's weights, from number `weight` on, times a plane along a direction; coordinates are clamped to
 * `last`. The shader has int shw_weight(int index) and int shw_plane_at(ivec2 at, int plane). */
int shw_filter_sum(ivec2 at, ivec2 direction, ivec2 last, int plane, int radius, int weight)
{
    int sum = 0;

    for (int d = -radius; d <= radius; d++, weight++)
        sum += shw_weight(weight) * shw_plane_at(clamp(at + d * direction, ivec2(0), last), plane);
    return sum;
}
