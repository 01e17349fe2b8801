/* Labelling with several levels. On a device, the level above reads images that the level below has just made, in the
 * same submission; otherwise, the level below labels what the level above reads of it, tile by tile, on the host. */
#ifndef SHW_DENSE_LABEL_LEVELS_H
#define SHW_DENSE_LABEL_LEVELS_H

#include "dense/label/labeller.h"

/* Creates the labeller of the level below, if the forest has one, for a labeller that is being created with `params`.
 * Errors: as shw_labeller_create(). */
enum shw_result shw_levels_begin(struct shw_labeller *labeller, const struct shw_labeller_params *params);

/* Adds the memory of the levels below. Errors: as shw_labeller_get_memory(). */
enum shw_result shw_levels_add_memory(const struct shw_labeller *labeller, const struct shw_labeller_params *params,
                                      struct shw_labeller_memory *memory);

/* The inputs of the level below, among those of this one. */
struct shw_chosen_inputs shw_levels_inputs(const struct shw_labeller *labeller, const struct shw_chosen_inputs *chosen);

/* Labels a part of an image with one level, all of whose inputs are chosen. */
typedef enum shw_result shw_level_run(struct shw_labeller *labeller, const struct shw_chosen_inputs *chosen,
                                      const struct shw_part *part, const struct shw_labelling *out);

/* Labels a part with all levels: as `run`, which is given what the level below says within `reach` pixels. Errors:
 * those of `run`, and of the level below. */
enum shw_result shw_levels_run(struct shw_labeller *labeller, const struct shw_chosen_inputs *chosen,
                               const struct shw_part *part, uint32_t reach, const struct shw_labelling *out,
                               shw_level_run *run);

#endif
