/* Random draws by purpose. */
#ifndef SHW_DENSE_TRAIN_DRAWS_H
#define SHW_DENSE_TRAIN_DRAWS_H

#include <stdint.h>

/* What a random number is drawn for; part of every key, so that no two draws share a counter. */
enum shw_draw {
    SHW_DRAW_IMAGES = 1,
    SHW_DRAW_PIXELS = 2,
    SHW_DRAW_CANDIDATES = 3,
    SHW_DRAW_THRESHOLDS = 4,
    SHW_DRAW_CLASSES = 5, /* those that get what cannot be shared equally */
    SHW_DRAW_PHASES = 6,  /* where class-uniform sampling begins among the images */
    /* Of cascades: */
    SHW_DRAW_PAIRS = 7,
    SHW_DRAW_PROBES = 8,       /* samples whose responses tell thresholds */
    SHW_DRAW_VARIATIONS = 9,   /* of copies of objects */
    SHW_DRAW_CALIBRATION = 10, /* objects that are held out */
    SHW_DRAW_SCANS = 11,       /* the order of images in mining */
    SHW_DRAW_WINDOWS = 12,     /* which windows are kept */
    SHW_DRAW_HELD_OUT = 13     /* images that are not mined */
};

/* The version of all draws together, in training records as `generator`: whatever changes which numbers are drawn from
 * a seed increases it, so that no checkpoint is continued with other draws than it was begun with. Records of version 1
 * lack it. */
#define SHW_GENERATOR 2

/* The generator's key for one purpose in one tree. */
uint32_t shw_draw_key(uint64_t seed, uint32_t tree, enum shw_draw draw);

/* Moves `count` of `size` entries to the front, every choice of them equally likely: a partial Fisher-Yates shuffle, in
 * which entry i is exchanged with one of those from i on. Its draw has the counter (first + i, stream). */
void shw_draw_choice(uint32_t key, uint32_t stream, uint32_t first, uint32_t *list, uint32_t size, uint32_t count);

#endif
