/* The parameters of a training. */
#ifndef SHW_TRAIN_PARAMS_H
#define SHW_TRAIN_PARAMS_H

#include "train/backend.h"

/* Fills defaults in, reads the list of channels, to which params->channels then points, checks, and chooses the back
 * end. Errors: ARGUMENT, UNSUPPORTED. */
enum shw_result shw_trainer_params_complete(struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                            struct shw_channel_list *channels,
                                            const struct shw_train_backend **backend);

#endif
