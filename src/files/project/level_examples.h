/* Examples for training several levels on a project (docs/stacking.md). */
#ifndef SHW_FILES_PROJECT_LEVEL_EXAMPLES_H
#define SHW_FILES_PROJECT_LEVEL_EXAMPLES_H

#include <shadewood/train.h>

#include "files/project/stroke_folds.h"
#include "files/project/training_tiles.h"

/* The strokes of a set in folds: trees of a lower level do not see the strokes of their fold, so that they say of these
 * what they would say of others. Each picture is an example per fold that has strokes of it, with those alone; the
 * folds are those of accuracy (stroke_folds.h), and a class with one stroke is in all of them. */
struct shw_level_examples {
    const struct shw_training_tiles *tiles; /* whole pictures */
    uint32_t folds;
    struct shw_training_choice strokes[SHW_FOLDS]; /* of each fold */
    bool *present;                                 /* [picture * folds + fold]: it has strokes of the fold */
    struct shw_dataset dataset;
};

/* What shw_training_tiles_make() needs for a training: the margin of its tiles. */
uint32_t shw_level_margin(const struct shw_trainer_params *params);

/* Sets params->folds. `chosen`: flags of the strokes that are used; NULL: all. `tiles` must outlive *examples, which
 * must not move. Errors: MEMORY. */
enum shw_result shw_level_examples_make(const struct shw_training_tiles *tiles, const bool *chosen,
                                        struct shw_trainer_params *params, struct shw_level_examples *examples);
/* Accepts zero-initialised ones. */
void shw_level_examples_free(struct shw_level_examples *examples);

#endif
