/* The parameters of a training. */
#ifndef SHW_DENSE_TRAIN_PARAMS_H
#define SHW_DENSE_TRAIN_PARAMS_H

#include "dense/grow/backend.h"

#define SHW_TREE_COUNT_DEFAULT 8u

/* Of the level above `below` (NULL: of the lowest), from those of all levels. */
struct shw_trainer_params shw_level_params(const struct shw_trainer_params *params, const struct shw_forest *below);

/* Checks the number of levels, and that the channels of the level below fit, before any level is trained. Errors:
 * ARGUMENT. */
enum shw_result shw_levels_check(const struct shw_trainer_params *params, const struct shw_dataset *dataset);

/* Fills in defaults, parses the list of channels (params->channels then points to the result), checks everything, and
 * chooses the back end. Errors: ARGUMENT, UNSUPPORTED. */
enum shw_result shw_trainer_params_complete(struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                            struct shw_channel_list *channels,
                                            const struct shw_train_backend **backend);

/* Resolves the technique AUTO, fills in work_max, and finds the back end. Errors: ARGUMENT, UNSUPPORTED. */
enum shw_result shw_train_backend_choose(struct shw_trainer_params *params, const struct shw_train_backend **backend);

#endif
