#include "detection/detect/turn.h"

#include "shared/detect.h"

int32_t shw_detect_cosine(uint32_t angle)
{
    static const int32_t half_turn[] = {256, 251, 236,  212,  181,  142,  97,   49,  0,
                                        -49, -97, -142, -181, -212, -236, -251, -256};
    uint32_t a = angle % SHW_DETECT_ANGLES;

    return half_turn[a <= SHW_DETECT_ANGLES / 2 ? a : SHW_DETECT_ANGLES - a];
}

int32_t shw_detect_sine(uint32_t angle)
{
    return shw_detect_cosine(angle + SHW_DETECT_ANGLES - SHW_DETECT_ANGLES / 4);
}

struct shw_detect_point shw_detect_turn_point(uint32_t angle, uint32_t size, int32_t x, int32_t y)
{
    int32_t last = (int32_t)size - 1, cosine = shw_detect_cosine(angle), sine = shw_detect_sine(angle);
    int32_t across = 2 * x - last, down = 2 * y - last; /* in half pixels from the centre */

    return (struct shw_detect_point){shw_detect_turned_pixel(cosine * across + sine * down, (int32_t)size),
                                     shw_detect_turned_pixel(cosine * down - sine * across, (int32_t)size)};
}

uint32_t shw_detect_turn_margin(uint32_t size)
{
    return ((size - 1) * (2 * 181 - 256) + 256) / 512;
}
