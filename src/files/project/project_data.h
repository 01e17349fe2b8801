/* What a project is trained on, as `shadewood train` does. */
#ifndef SHW_FILES_PROJECT_PROJECT_DATA_H
#define SHW_FILES_PROJECT_PROJECT_DATA_H

#include "files/project/level_examples.h"
#include "files/project/training_tiles.h"

struct shw_project_data {
    struct shw_training_set *set;
    struct shw_training_tiles *tiles;
    struct shw_training_choice all;
    struct shw_level_examples levels;
    const struct shw_dataset *dataset; /* to be trained on: of one of these */
};

/* Makes the training set and, for the feature and the offsets in `params`, its tiles; sets the parameters that the
 * project defines, which are valid as long as the data; channels, trees, depth, candidates, offsets and smoothing only
 * if they are zero, as without options and a preset. What all projects have in common (shw_project_params()) is up to
 * the caller. *data must not move, and is to be freed in either case. Errors: those of shw_project_check_pictures(),
 * shw_training_set_make() and shw_training_tiles_make(). */
enum shw_result shw_project_data_make(struct shw_project *project, const struct shw_log *log,
                                      struct shw_trainer_params *params, struct shw_project_data *data);

/* Accepts zero-initialised and freed ones. */
void shw_project_data_free(struct shw_project_data *data);

#endif
