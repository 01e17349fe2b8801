/* The trees of PIXELS and SCALED as shaders walk them: shaders/detection/detect/tree.glsl has the layout. */
#ifndef SHW_DETECTION_DETECT_DEVICE_TREES_H
#define SHW_DETECTION_DETECT_DEVICE_TREES_H

#include <shadewood/detect.h>

struct shw_device_trees {
    bool complete;      /* all trees are padded to `depth` */
    uint32_t depth;     /* tests on the longest path */
    uint32_t margin;    /* of turned windows; SCALED: 1 if there are any */
    uint32_t leaves_at; /* in words */
    uint32_t tests_at;  /* in tests of a complete tree, otherwise in nodes */
    uint32_t tests;     /* of one angle */
    uint64_t words;     /* of everything */
};

/* Those of HAAR and LBP have another layout: shaders/detection/detect/rectangle_windows.comp. */

/* The layout for a resolved scan. */
void shw_device_trees_measure(const struct shw_cascade *cascade, const struct shw_scan *scan,
                              struct shw_device_trees *trees);

/* Fills in `words` words. */
void shw_device_trees_write(const struct shw_cascade *cascade, const struct shw_scan *scan,
                            const struct shw_device_trees *trees, int32_t *words);

#endif
