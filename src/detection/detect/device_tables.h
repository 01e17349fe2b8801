/* The tables by which shaders follow a plan: levels, positions and tiles (shaders/shared/detect_push.h). */
#ifndef SHW_DETECTION_DETECT_DEVICE_TABLES_H
#define SHW_DETECTION_DETECT_DEVICE_TABLES_H

#include "detection/detect/plan.h"
#include "shared/detect_push.h"

/* An image with something of each level, one beside and below the other: `length` of the shelves. */
struct shw_device_shelves {
    uint32_t length, width, height;
};

struct shw_device_tables {
    uint64_t pairs;            /* of words, in the tables */
    uint64_t tiles;            /* of windows, at all angles */
    uint32_t first_tile;       /* in the tables */
    uint32_t first_level_tile; /* of parts of levels */
    uint32_t level_tiles;
    uint32_t row_tiles, line_tiles; /* HAAR, LBP: parts of levels are rows of integrals, and SHW_DETECT_GROUP lines */
    uint64_t plane_words, value_words;
    uint64_t integral_words;          /* HAAR, LBP: of one integral of all levels */
    struct shw_device_shelves atlas;  /* of an image that has a pixel for each window */
    struct shw_device_shelves mipmap; /* of one that has all levels; SCALED: the image itself */
};

/* How many integrals a cascade has: sums, of HAAR also of squares, and of tilted rectangles. Other kinds: 0. */
uint32_t shw_device_integrals(const struct shw_cascade_info *info);

/* What a plan needs; if it is for a smaller image than `most`, which may be NULL, nothing is more than that needs. */
void shw_device_tables_measure(const struct shw_cascade *cascade, const struct shw_scan *scan,
                               const struct shw_detect_plan *plan, const struct shw_device_tables *most,
                               struct shw_device_tables *tables);

/* Fills in an entry for each level, and the pairs. */
void shw_device_tables_write(const struct shw_cascade *cascade, const struct shw_scan *scan,
                             const struct shw_detect_plan *plan, const struct shw_device_tables *tables,
                             struct shw_detect_level_entry *levels, uint32_t *pairs);

/* The tiles of windows are in the order of angle and level, those of levels in the order of level. */
uint32_t shw_device_tables_tiles(const struct shw_detect_level *level, uint32_t angle);
uint32_t shw_device_tables_level_tiles(const struct shw_detect_level *level);

#endif
