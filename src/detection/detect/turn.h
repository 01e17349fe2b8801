/* Angles of windows, in 1/32 of a full turn counter-clockwise. The arithmetic of SCALED is pico's. */
#ifndef SHW_DETECTION_DETECT_TURN_H
#define SHW_DETECTION_DETECT_TURN_H

#include <stdint.h>

#define SHW_DETECT_ANGLES 32u

/* 256 cos(2 pi angle / 32) and 256 sin(2 pi angle / 32), rounded towards zero. Any angle. */
int32_t shw_detect_cosine(uint32_t angle);
int32_t shw_detect_sine(uint32_t angle);

/* PIXELS: pixel `x`, `y` of a window of `size` pixels turned about the window's centre, from the top left pixel of the
 * window before. */
struct shw_detect_point {
    int32_t x, y;
};
struct shw_detect_point shw_detect_turn_point(uint32_t angle, uint32_t size, int32_t x, int32_t y);

/* How far the points of a window at any angle reach at most beyond the window on each side: the greatest overshoot,
 * that of an eighth of a turn. */
uint32_t shw_detect_turn_margin(uint32_t size);

#endif
