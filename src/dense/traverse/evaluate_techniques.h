/* The techniques of the stage `evaluate`: from integral images to leaves, distributions and the most probable class. */
#ifndef SHW_DENSE_TRAVERSE_EVALUATE_TECHNIQUES_H
#define SHW_DENSE_TRAVERSE_EVALUATE_TECHNIQUES_H

#include <shadewood/stage.h>

extern const struct shw_stage_technique shw_evaluate_cpu_technique, shw_evaluate_fragment_technique,
    shw_evaluate_compute_technique;

/* The largest number of layers of the forest's image and of the result planes. */
uint32_t shw_evaluate_layers(const struct shw_forest *forest, uint32_t outputs);

/* Whether compute can have the forest in storage buffers of which a binding takes `range` bytes. */
bool shw_evaluate_fits(const struct shw_forest *forest, uint32_t outputs, uint32_t range);

#endif
