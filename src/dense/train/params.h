/* The parameters of a training. */
#ifndef SHW_DENSE_TRAIN_PARAMS_H
#define SHW_DENSE_TRAIN_PARAMS_H

#include "dense/grow/backend.h"

/* Fills in defaults, parses the list of channels (params->channels then points to the result), checks everything, and
 * chooses the back end. Errors: ARGUMENT, UNSUPPORTED. */
enum shw_result shw_trainer_params_complete(struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                            struct shw_channel_list *channels,
                                            const struct shw_train_backend **backend);

/* Resolves the technique AUTO, fills in work_max, and finds the back end. Errors: ARGUMENT, UNSUPPORTED. */
enum shw_result shw_train_backend_choose(struct shw_trainer_params *params, const struct shw_train_backend **backend);

#endif
