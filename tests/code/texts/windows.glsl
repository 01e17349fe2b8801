//!FEATURE windows
//!PARAM c
//!TYPE channel
//!PARAM size
//!TYPE size
//!MAXIMUM 9
//!PARAM shift
//!MINIMUM -7
//!MAXIMUM 9
//!PARAM lonely
//!TYPE single
//!REACH max(size, 9) + 9

const int STEPS = 3;

int window(int x, int y, int side)
{
    return mean_at(c, x, y, x + side, y + side);
}

int response()
{
    int best = -32768, worst = 32767, total = 0;

    for (int i = -STEPS; i <= STEPS; i += 2)
        for (int j = 0; j < min(size, 4); j++) {
            const int here = window(i * 2 + shift, j - size, size);
            best = max(best, here);
            worst = min(worst, here);
            total += here >> 2;
        }
    if (lonely)
        return best;
    return best - worst + total / STEPS + sum_at(c, 0, 0, size, 1) * (image_width() > image_height() ? 1 : -1);
}
