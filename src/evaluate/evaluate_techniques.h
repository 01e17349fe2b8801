/* The techniques of the stage `evaluate`: from integral images to leaves, distributions and the most probable class. */
#ifndef SHW_EVALUATE_EVALUATE_TECHNIQUES_H
#define SHW_EVALUATE_EVALUATE_TECHNIQUES_H

#include <shadewood/stage.h>

extern const struct shw_stage_technique shw_evaluate_cpu_technique, shw_evaluate_fragment_technique,
    shw_evaluate_compute_technique;

/* The largest number of layers of the forest's image and of the result planes. */
uint32_t shw_evaluate_layers(const struct shw_forest *forest, uint32_t outputs);

/* Bytes of the larger of the two buffers in which compute keeps the forest. */
uint64_t shw_evaluate_table_bytes(const struct shw_forest *forest, uint32_t outputs);

#endif
