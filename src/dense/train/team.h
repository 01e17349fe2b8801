/* A trainer's helpers: trainers on other devices in the same process, each on a thread of its own
 * (shw_trainer_params.helpers). */
#ifndef SHW_DENSE_TRAIN_TEAM_H
#define SHW_DENSE_TRAIN_TEAM_H

#include <shadewood/train.h>

struct shw_team;

/* A team of a leader with these parameters and data set, and of helpers that are still to be hired. The leader trains
 * with *exchange and reads *dataset, which all can read at the same time; both are valid until the team is destroyed,
 * as `given` must be. Errors: ARGUMENT, MEMORY. */
enum shw_result shw_team_create(const struct shw_trainer_params *params, const struct shw_dataset *given,
                                const struct shw_dataset **dataset, const struct shw_train_exchange **exchange,
                                struct shw_team **team);

/* Creates the helpers' trainers, with the parameters that the team was created with. Errors: those of creating a
 * trainer, with the helper's number. */
enum shw_result shw_team_hire(struct shw_team *team, const struct shw_trainer_params *params);

/* Lets the helpers begin at a checkpoint, which has this name, or, if it is NULL, at the beginning unless they have
 * begun already. Errors: MEMORY, those of renewing a trainer. */
enum shw_result shw_team_begin(struct shw_team *team, const struct shw_forest *checkpoint, const char *name);

/* Stops the helpers, which can begin again. Errors: those of renewing a trainer. */
enum shw_result shw_team_restart(struct shw_team *team);

/* Makes the helpers stop soon, and a leader that waits for them. Any thread. */
void shw_team_interrupt(struct shw_team *team);

/* Ends the helpers' training, whether or not they have finished. Accepts a pointer to NULL. */
void shw_team_destroy(struct shw_team **team);

#endif
