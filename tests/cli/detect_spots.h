/* What detection by the program is tested on. The cascade finds bright spots of 6 x 6 pixels in windows of 10 x 10, and
 * the brighter ones have the higher score. */
#ifndef SHW_CLI_DETECT_SPOTS_H
#define SHW_CLI_DETECT_SPOTS_H

#include <stdint.h>

#define WIDTH  96
#define HEIGHT 64

/* One size of windows. */
#define SPOTS "--max-size 10 --step 1 -t cpu "

struct spot {
    int x, y;
    uint8_t grey;
};

/* Fills WIDTH x HEIGHT pixels. */
void draw_spots(uint8_t *rgb, const struct spot *spots, int count);

/* A group's setup: spot.ktx2, images/a.png with two spots, images/b.png with one, images/none.png, and small.png, which
 * is smaller than a window. */
int prepare_spots(void **state);

void assert_file(const char *name, const char *expected);

#endif
