/* The parameters of a training. */
#ifndef SHW_TRAIN_PARAMS_H
#define SHW_TRAIN_PARAMS_H

#include "train/backend.h"

/* Fills defaults in, checks, and chooses the back end. Errors: ARGUMENT, UNSUPPORTED. */
enum shw_result shw_trainer_params_complete(struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                            const struct shw_train_backend **backend);

#endif
