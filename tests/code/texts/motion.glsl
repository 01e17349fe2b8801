//!CHANNEL motion
//!PARAM far
//!MINIMUM 0
//!MAXIMUM 3
//!REACH far + 1
//!INPUT previous
//!OUTPUT moved
//!MAXIMUM 8160
//!FRACTION 4
//!MIRROR same
//!OUTPUT turned
//!MAXIMUM 255
//!MIRROR negated

const int WEIGHTS[3] = {1, 2, 1};

int moved()
{
    int total = 0;

    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -far; dx <= far; dx++)
            total += WEIGHTS[dy + 1] * abs(luma(dx, dy) - previous_luma(dx, dy));
    return total >> 2;
}

int turned()
{
    int most = 0;
    uint where = 0u;

    for (int i = 0; i < 4; i++) {
        const int gain = red(i - far, 0) - previous_green(i, -far) + blue(0, 0) * (i & 1);
        if (gain > most) {
            most = gain;
            where = uint(i) + 1u;
        }
    }
    return int(where * 60u) - pixel_y() % 5u == 0u ? most : -most;
}
