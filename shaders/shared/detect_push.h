/* Detection on a device, for C and GLSL: bindings, tables and push constants of its passes. */
#ifndef SHW_SHARED_DETECT_PUSH_H
#define SHW_SHARED_DETECT_PUSH_H

#include "types.h"

/* Bindings, the same for all compute passes. */
#define SHW_DETECT_SOURCE  0 /* the image, sampled */
#define SHW_DETECT_LEVELS  1 /* struct shw_detect_level_entry */
#define SHW_DETECT_TABLES  2 /* pairs of words: positions, tiles of windows, tiles of levels */
#define SHW_DETECT_CASCADE 3 /* trees, see tree.glsl */
#define SHW_DETECT_PLANES                                                                                              \
    4 /* PIXELS: the image as values of 12 bits and its octaves, two per word. HAAR, LBP: integrals */
#define SHW_DETECT_VALUES    5 /* PIXELS: levels, two values per word. SCALED: the grey image, four per word */
#define SHW_DETECT_SURVIVORS 6 /* two lists of pairs of words: tile and window in it, score */
#define SHW_DETECT_COUNTERS  7 /* SHW_DETECT_COUNTER_WORDS for each list that a phase writes */
#define SHW_DETECT_FOUND     8 /* the caller's: struct shw_detect_target */
#define SHW_DETECT_BINDINGS  9

/* The arguments of an indirect dispatch that are followed by the number of windows in the list. */
#define SHW_DETECT_COUNTER_WORDS 4u

/* Of the target: words before the detections, and of each. */
#define SHW_DETECT_HEADER_WORDS 4u
#define SHW_DETECT_FOUND_WORDS  8u

/* A tile of windows, which a work group tests in the first phase. In lists, a window is its tile's number shifted by
 * SHW_DETECT_TILE_SHIFT and its number in the tile, row by row. */
#define SHW_DETECT_TILE_WIDTH  32u
#define SHW_DETECT_TILE_HEIGHT 8u
#define SHW_DETECT_TILE        (SHW_DETECT_TILE_WIDTH * SHW_DETECT_TILE_HEIGHT)
#define SHW_DETECT_TILE_SHIFT  8u

/* What one work group makes of a level, and of the image. */
#define SHW_DETECT_LEVEL_TILE_WIDTH  32u
#define SHW_DETECT_LEVEL_TILE_HEIGHT 16u
#define SHW_DETECT_IMAGE_TILE        32u
#define SHW_DETECT_OCTAVES           4u /* that it halves at once */

#define SHW_DETECT_GROUP      256u   /* invocations of a work group */
#define SHW_DETECT_GROUPS_MAX 32768u /* work groups that share the windows of a list */

struct shw_detect_level_entry {
    shw_uint octave_first, octave_width, octave_height; /* the plane that it is resampled from; offset in words */
    shw_uint scaled_width, scaled_height;
    shw_uint width, height;
    shw_uint first, stride;           /* in values: of its first row, and from one to the next */
    shw_uint size;                    /* SCALED */
    shw_uint first_column, first_row; /* in the positions */
    shw_uint out_width, out_height, number;
    shw_uint atlas_x, atlas_y;   /* of its windows in the image of scores */
    shw_uint mipmap_x, mipmap_y; /* of its pixels in an image of all levels */
};

/* A tile of windows in the tables. x: its level; from bit 12 on the angle; from bit 17 on the number of the angle among
 * those of the scan; from bit 22 and from bit 27 on its columns and its rows less one. y: its first column, and from
 * bit 16 on its first row, from those of the level on. */
#define SHW_DETECT_LEVELS_MAX   4096u
#define SHW_DETECT_ANGLE_SHIFT  12u
#define SHW_DETECT_NUMBER_SHIFT 17u
#define SHW_DETECT_WIDTH_SHIFT  22u
#define SHW_DETECT_HEIGHT_SHIFT 27u

/* The tables begin with the cosine and the sine of each angle, times 256. */
#define SHW_DETECT_TURNS 32u

/* Words of a plane of values of 16 bits, each row of which begins with a word. */
SHW_INLINE shw_uint shw_detect_plane_words(shw_uint width, shw_uint height)
{
    return ((width + 1u) >> 1u) * height;
}

/* Makes a plane and its octaves, or the grey image. */
struct shw_detect_grey_push {
    shw_uint width, height;
    shw_uint first;         /* offset of the plane in words */
    shw_uint octaves;       /* that follow it */
    shw_uint source;        /* SHW_SOURCE_UNORM8 and so on, and in bit 7 whether there is only one component */
    shw_uint counter_words; /* to be reset */
};

struct shw_detect_levels_push {
    shw_uint first_tile; /* in the tables */
};

/* A phase: some trees at some windows, of tiles or of a list. */
struct shw_detect_walk_push {
    shw_uint first_tile, tiles; /* in the tables: those of the phase, and all */
    shw_uint first_tree, end_tree, tree_count;
    shw_uint leaves_at, tests_at; /* in the cascade, see tree.glsl */
    shw_uint tests;               /* of one angle */
    shw_uint from, to;            /* lists, as offsets in the survivors, in pairs */
    shw_uint counter_from, counter_to;
    shw_uint windows, next_windows; /* of a work group, if of a list: in this phase and the next one */
    shw_uint capacity;
    shw_int score_base;
    shw_uint plane_words; /* HAAR, LBP: of one integral */
};

/* What the fragment shader of scores reads. */
#define SHW_DETECT_SCORES_CASCADE  0 /* the cascade texture (cascade_texture.h) */
#define SHW_DETECT_SCORES_VALUES   1 /* PIXELS: the mipmap image. SCALED: the grey image */
#define SHW_DETECT_SCORES_TABLES   2 /* as SHW_DETECT_TABLES */
#define SHW_DETECT_SCORES_BINDINGS 3

/* Of a rejected window: no score is as low. */
#define SHW_DETECT_REJECTED 0x80000000u

/* A level at one angle. */
struct shw_detect_scores_push {
    shw_uint x, y;                    /* of its windows in the image of scores */
    shw_int level_x, level_y;         /* in the mipmap image */
    shw_uint first_column, first_row; /* in the tables */
    shw_uint cascade_shift;           /* the logarithm of the texture's width, a power of two */
    shw_uint stages, trees_at;        /* their number; the first texel of those of trees */
    shw_uint size;                    /* of windows: PIXELS: in the level, SCALED: in the image */
    shw_uint angle;
    shw_int cosine, sine; /* of the angle, times 256 */
};

#ifndef SHW_GLSL
_Static_assert(sizeof(struct shw_detect_level_entry) == 19 * 4, "entries of levels are 19 words in GLSL");
_Static_assert(sizeof(struct shw_detect_grey_push) == 6 * 4, "push constants are 6 words in GLSL");
_Static_assert(sizeof(struct shw_detect_levels_push) == 1 * 4, "push constants are 1 word in GLSL");
_Static_assert(sizeof(struct shw_detect_walk_push) == 17 * 4, "push constants are 17 words in GLSL");
_Static_assert(sizeof(struct shw_detect_scores_push) == 13 * 4, "push constants are 13 words in GLSL");
#endif

#endif
