/* Rectangular tiles around the labels of a training set's pictures. */
#ifndef SHW_FILES_PROJECT_TRAINING_TILES_H
#define SHW_FILES_PROJECT_TRAINING_TILES_H

#include <stdatomic.h>

#include "files/project/training_set.h"

/* About the largest tile without its margins, in pixels, for margins of at most SHW_CUT_MARGIN_MAX: so that what
 * training computes of one tile takes little memory. */
#define SHW_CUT_PIXELS_MAX ((uint64_t)1 << 22)
#define SHW_CUT_MARGIN_MAX 512u

/* A block of struct shw_top_strokes with labels. */
struct shw_cut_block {
    uint32_t column, row;
    struct shw_rect labels; /* surrounds its labelled pixels */
};

/* Every block belongs to one tile. */
struct shw_cut_tile {
    struct shw_rect rect;  /* the labels of its blocks, with a margin, clipped to the picture */
    uint32_t first, count; /* of its blocks */
};

struct shw_cut {
    struct shw_cut_block *blocks;
    struct shw_cut_tile *tiles;
    uint32_t block_count, tile_count;
};

/* Cuts where that saves pixels, and what is too large. One tile is the whole picture if tiles would cover most of it
 * and it is not too large, or if the margin is UINT32_MAX. Depends on which pixels are labelled, and on nothing else.
 * False: out of memory; *cut is then zero. */
bool shw_cut_make(const struct shw_picture_labels *labels, uint32_t margin, struct shw_cut *cut);
void shw_cut_free(struct shw_cut *cut);

/* A training set as tiles around its strokes: of large pictures, training needs what surrounds the strokes, and forests
 * are the same as those of whole pictures (struct shw_picture_part). */

/* Bytes of whole pictures from files that stay in memory besides their tiles, apart from the picture that was painted
 * on last. */
#define SHW_TILES_SPARE_BYTES ((size_t)256 << 20)

struct shw_training_tile {
    uint32_t picture;
    struct shw_rect rect; /* in the picture */
    bool is_part;         /* not the whole picture */
    const struct shw_cut_block *blocks;
    uint32_t block_count;
    struct shw_pixels_part *pixels;
};

/* Immutable; any number of threads may use it. */
struct shw_training_tiles {
    struct shw_training_set *set;
    const struct shw_taught_picture *pictures; /* those of the set that are trained on, or are kept for testing */
    uint32_t picture_count;
    struct shw_cut *cuts; /* of each picture */
    struct shw_training_tile *tiles;
    uint32_t count;
    atomic_uint shares;
};

/* Tiles with a margin around labels: shw_trainer_params_get_reach() of what is going to be trained. Reads the pictures
 * that have new tiles, and forgets others (shw_pixels_forget()). `go_on` (or NULL) is called before each picture.
 * Errors: CANCELLED, MEMORY, those of shw_pixels_take_parts(). Any thread. */
enum shw_result shw_training_tiles_make(struct shw_training_set *set, uint32_t margin, bool (*go_on)(void *user),
                                        void *user, struct shw_training_tiles **tiles);

/* The same of the pictures that are kept for testing. */
enum shw_result shw_training_tiles_make_kept(struct shw_training_set *set, uint32_t margin, bool (*go_on)(void *user),
                                             void *user, struct shw_training_tiles **tiles);

/* Another share of it. Any thread. */
struct shw_training_tiles *shw_training_tiles_share(struct shw_training_tiles *tiles);

/* Releases a share, and the tiles with the last one. Sets *tiles to NULL; accepts NULL in it. Any thread. */
void shw_training_tiles_release(struct shw_training_tiles **tiles);

/* The strokes that a training uses, as a data set. */
struct shw_training_choice {
    const struct shw_training_tiles *tiles;
    uint16_t *values; /* [first_stroke + picture + stroke counted from 1]: its class, SHW_LABEL_VOID if it is not
                         chosen; `picture` is its position in the set */
    struct shw_dataset dataset;
};

/* Chooses strokes by flags for all strokes of the set; NULL: all strokes. `tiles` must outlive *choice, which must not
 * move. Errors: MEMORY. */
enum shw_result shw_training_choice_make(const struct shw_training_tiles *tiles, const bool *strokes,
                                         struct shw_training_choice *choice);
void shw_training_choice_free(struct shw_training_choice *choice);

#endif
