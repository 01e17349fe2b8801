/* The labeller's parts. */
#ifndef SHW_LABEL_LABELLER_H
#define SHW_LABEL_LABELLER_H

#include <stdatomic.h>

#include <shadewood/label.h>

#include "pipeline/pipeline.h"
#include "pipeline/registry.h"

struct shw_labeller {
    struct shw_labeller_params params;
    enum shw_technique techniques[SHW_STAGE_COUNT]; /* what was decided, and CUSTOM */
    uint32_t margin;                                /* pixels around one that influence it */
    struct shw_thread_pool *pool;                   /* where a stage is on the CPU */
    atomic_bool interrupted;
    struct shw_pipeline pipeline;
};

/* The techniques that are asked for, and where that is `auto`, the fastest known ones that can do what the labeller is
 * made for. For a caller's technique, ours that hands over alike. */
void shw_labeller_decide(const struct shw_labeller_params *params, enum shw_technique chosen[SHW_STAGE_COUNT]);

/* What is asked of each stage. */
void shw_labeller_get_choices(const struct shw_labeller_params *params,
                              struct shw_registry_choice choices[SHW_STAGE_COUNT]);

/* Errors: ARGUMENT, if the calibration is not the device's. */
enum shw_result shw_labeller_check_calibration(const struct shw_labeller_params *params);

#endif
