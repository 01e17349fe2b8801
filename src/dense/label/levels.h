/* Labelling with several levels: the level below labels what the level above reads of it, tile by tile. */
#ifndef SHW_DENSE_LABEL_LEVELS_H
#define SHW_DENSE_LABEL_LEVELS_H

#include "dense/label/labeller.h"

#define SHW_LEVELS_UNRECORDED                                                                                          \
    "a forest of several levels cannot be recorded: label images in memory with it (shw_labeller_run)"

/* Creates the labeller of the level below, if the forest has one. Errors: as shw_labeller_create(). */
enum shw_result shw_levels_begin(struct shw_labeller *labeller);

/* Labels a part of an image with one level, all of whose inputs are chosen. */
typedef enum shw_result shw_level_run(struct shw_labeller *labeller, const struct shw_chosen_inputs *chosen,
                                      const struct shw_part *part, const struct shw_labelling *out);

/* Labels a part with all levels: as `run`, which is given what the level below says within `reach` pixels. Errors:
 * those of `run`, and of the level below. */
enum shw_result shw_levels_run(struct shw_labeller *labeller, const struct shw_chosen_inputs *chosen,
                               const struct shw_part *part, uint32_t reach, const struct shw_labelling *out,
                               shw_level_run *run);

#endif
