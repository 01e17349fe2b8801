/* The samples of a trainer's trees: drawn when a tree begins or before, while the device is busy with another one; or
 * kept from one tree to the next, if all have the same. */
#ifndef SHW_DENSE_GROW_TREE_SAMPLES_H
#define SHW_DENSE_GROW_TREE_SAMPLES_H

#include <shadewood/train.h>

#include "dense/samples/sampling.h"

struct shw_trainer;

/* Where a tree's samples come from. */
enum shw_samples_origin {
    SHW_SAMPLES_DRAWN,       /* they were drawn when it began */
    SHW_SAMPLES_DRAWN_AHEAD, /* before that, and the back end may have prepared some of them */
    SHW_SAMPLES_REDRAWN,     /* for a checkpoint, and sorted by its nodes */
    SHW_SAMPLES_REPEATED     /* they are those of the tree before, which the back end still has */
};

struct shw_tree_samples {
    struct shw_drawing *ahead;       /* of the next tree; or NULL */
    uint32_t begun;                  /* trees for whose successor `ahead` has been begun, whether or not it succeeded */
    struct shw_trainer_params quiet; /* those of `ahead`: the trainer's, without messages */
    struct shw_samples spare;        /* of a finished tree: their memory is for a later one */
    bool repeats;                    /* `spare` are the samples of the next tree */
};

/* Draws the samples of the tree that begins, or the rest of them, or takes those of the tree before, if they are the
 * same. Errors: those of shw_samples_draw(). On failure *samples is zero. */
enum shw_result shw_tree_samples_take(struct shw_trainer *trainer, struct shw_samples *samples,
                                      enum shw_samples_origin *origin);

/* Takes the memory of a finished tree's samples, which are zero afterwards. */
void shw_tree_samples_keep(struct shw_trainer *trainer, struct shw_samples *samples);

/* Draws a few of the next tree's samples, if the data set is in memory, or has the back end prepare some; false: there
 * is nothing more to do now. What fails is drawn again, with a message, when the tree begins. */
bool shw_tree_samples_draw_ahead(struct shw_trainer *trainer);

void shw_tree_samples_free(struct shw_tree_samples *samples);

#endif
