/* Out-of-bag accuracy of strokes (Breiman 1996, out-of-bag estimation). */
#ifndef SHW_PROJECT_OUT_OF_BAG_H
#define SHW_PROJECT_OUT_OF_BAG_H

#include "project/training_set.h"

/* Trains as many trees as the project's forest has, each on its own bag of strokes: of every class with n strokes, n
 * are drawn with replacement. Bags consist of strokes, not of pixels, because neighbouring pixels are not independent.
 * A pixel of a stroke is labelled by the trees whose bags do not contain the stroke; if there is none, it is not
 * counted. A class with a single stroke is in every bag and has no accuracy. */
struct shw_out_of_bag {
    uint64_t labelled, right; /* pixels labelled out of bag, and the correctly labelled ones among them */
};

/* Fills class_count of them, one per class. Trains with `cpu` on that many threads (0: one per processor), tree by
 * tree; the same strokes and parameters give the same numbers. `go_on` (or NULL) is called after every training round.
 * Errors: CANCELLED, those of training and labelling. Any thread. */
enum shw_result shw_out_of_bag_measure(const struct shw_training_set *set, uint32_t threads, bool (*go_on)(void *user),
                                       void *user, struct shw_out_of_bag *classes);

/* Whether the bag of tree `tree` has each stroke: set->stroke_count flags. False: out of memory. */
bool shw_out_of_bag_draw(const struct shw_training_set *set, uint32_t tree, bool *in_bag);

#endif
