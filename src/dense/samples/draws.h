/* Random draws by purpose. */
#ifndef SHW_DENSE_SAMPLES_DRAWS_H
#define SHW_DENSE_SAMPLES_DRAWS_H

#include <stdint.h>

#include "shared/random.h"

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
    SHW_DRAW_PROBES = 8,       /* samples whose responses become thresholds */
    SHW_DRAW_VARIATIONS = 9,   /* of copies of objects */
    SHW_DRAW_CALIBRATION = 10, /* objects that are held out */
    SHW_DRAW_SCANS = 11,       /* the order of images in mining */
    SHW_DRAW_WINDOWS = 12,     /* which windows are kept */
    SHW_DRAW_HELD_OUT = 13     /* images that are not mined */
};

/* The version of all draws together, stored in provenance as `generator`. Increase it with any change to which numbers
 * are drawn from a seed, so that no checkpoint is resumed with different draws. Version 1 is not stored. */
#define SHW_GENERATOR 2

/* The generator's key for one purpose in one tree. */
static inline uint32_t shw_draw_key(uint64_t seed, uint32_t tree, enum shw_draw draw)
{
    return shw_random(shw_random((uint32_t)seed, (uint32_t)(seed >> 32), tree), (uint32_t)draw, 0);
}

/* Moves `count` of `size` entries to the front, every choice of them equally likely: a partial Fisher-Yates shuffle, in
 * which entry i is exchanged with one of those from i on. Its draw has the counter (first + i, stream). */
static inline void shw_draw_choice(uint32_t key, uint32_t stream, uint32_t first, uint32_t *list, uint32_t size,
                                   uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = i + shw_random_below(shw_random(key, first + i, stream), size - i), chosen = list[other];
        list[other] = list[i];
        list[i] = chosen;
    }
}

#endif
