/* How well strokes teach, told by strokes that a tree has not seen (Breiman 1996, out-of-bag estimation). */
#ifndef SHW_PROJECT_OUT_OF_BAG_H
#define SHW_PROJECT_OUT_OF_BAG_H

#include "project/training_set.h"

/* As many trees as the project's forest has are grown, each on a bag of strokes of its own: of every class with n
 * strokes, n are drawn with replacement. Bags are of strokes and not of pixels, because neighbouring pixels are not
 * independent. A pixel of a stroke is labelled by the trees whose bags lack the stroke; where there is none, it is left
 * out. A class of one stroke is in every bag, so that nothing can be said about it. */
struct shw_out_of_bag {
    uint64_t labelled,
        right; /* pixels that were labelled out of bag, and those of them labelled as they were painted */
};

/* Fills class_count of them, one a class. Trains by `cpu`, on so many threads (0: one a processor), tree by tree; the
 * same strokes and parameters give the same numbers. `go_on` (or NULL) is asked after every training round. Errors:
 * CANCELLED, those of training and labelling. Any thread. */
enum shw_result shw_out_of_bag_measure(const struct shw_training_set *set, uint32_t threads, bool (*go_on)(void *user),
                                       void *user, struct shw_out_of_bag *classes);

/* Whether the bag of tree `tree` has each stroke: set->stroke_count of them. False: memory is short. */
bool shw_out_of_bag_draw(const struct shw_training_set *set, uint32_t tree, bool *in_bag);

#endif
