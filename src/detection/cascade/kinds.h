/* What kinds of cascades differ in, apart from how windows are walked (detection/detect/plan.h): checks, files, scans,
 * devices, options and texts go by this. A kind is an entry of the table in kinds.c. */
#ifndef SHW_DETECTION_CASCADE_KINDS_H
#define SHW_DETECTION_CASCADE_KINDS_H

#include <shadewood/cascade.h>

enum shw_cascade_test {
    SHW_CASCADE_TEST_POINTS, /* the difference of the values at two points */
    SHW_CASCADE_TEST_SUM,    /* a weighted sum of the feature's rectangles */
    SHW_CASCADE_TEST_PATTERN /* whether the pattern of nine rectangles is in the node's subset */
};

struct shw_cascade_traits {
    const char *name;
    enum shw_cascade_test test; /* of every node; the last two have features */
    uint32_t window_max;        /* pixels each way, 2 or more; 0: windows have any size */
    uint32_t min_size;          /* of windows in the image, by default */
    bool has_pyramid;           /* planes, and levels per octave; otherwise a scale factor */
    /* Points are in 1/256 of the window's size, from its centre, with signs, and the distance of windows is a part of
     * their size (stride); otherwise all of this is in pixels. */
    bool is_relative;
    bool has_angles;
};

/* NULL for values that are not kinds. */
const struct shw_cascade_traits *shw_cascade_get_traits(enum shw_cascade_kind kind);

#endif
