//!FEATURE median
//!READS channels
//!PARAM c
//!TYPE channel
//!PARAM d
//!TYPE channel
//!PARAM step
//!MINIMUM 1
//!MAXIMUM 6
//!PARAM at
//!TYPE offset
//!PARAM mode
//!MINIMUM -2
//!MAXIMUM 2
//!REACH at.x - step, at.y - step, at.x + step + 1, at.y + step + 1

// The median of nine pixels, by insertion, and what else the language has.
const int COUNT = 9;
const int DX[COUNT] = {-1, 0, 1, -1, 0, 1, -1, 0, 1};
const int DY[COUNT] = int[9](-1, -1, -1, 0, 0, 0, 1, 1, 1);
const uint MASK = 0xffu;

int at_place(uint channel, int i, bool other)
{
    return other ? value(d, at.x + step * DX[i], at.y + step * DY[i]) + int(channel & MASK)
                 : value(c, at.x + step * DX[i], at.y + step * DY[i]);
}

int response()
{
    int sorted[COUNT];
    uint bits = 0u;

    for (int i = 0; i < COUNT; i++) {
        int here = at_place(c, i, mode > 0);
        int place = i;
        for (int j = i; j > 0; j -= 1) {
            if (sorted[j - 1] <= here)
                break;
            sorted[j] = sorted[j - 1];
            place = j - 1;
        }
        sorted[place] = here;
        bits = bits << 1 | uint(here > sorted[0]);
        if (i % 2 == 0)
            continue;
        bits ^= uint(i) * 40503u >> 3;
    }
    if (mode == -2)
        return sorted[4] - int(bits % 31u);
    else if (mode == 2 || !(sorted[8] > 2 * sorted[0]))
        return quotient(sorted[4] * 8, sorted[8]) - remainder(sorted[4], sorted[0] - 3);
    return clamp(sorted[4] - value(c, 0, 0), -step * 100, 4000) ^ ~(sorted[1] & 7);
}

bool undefined()
{
    return value(d, at.x, at.y) == value(c, 0, 0) && pixel_x() % 3u == 1u;
}
