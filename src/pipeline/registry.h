/* Our techniques, stage by stage: the one place that knows which there are, and what a name of enum shw_technique
 * stands for. */
#ifndef SHW_PIPELINE_REGISTRY_H
#define SHW_PIPELINE_REGISTRY_H

#include <shadewood/stage.h>

/* Ours of that name; NULL: the stage has none. */
const struct shw_stage_technique *shw_registry_get(enum shw_stage stage, enum shw_technique technique);

/* The name under which ours of that form stands: it hands over in the same way. */
enum shw_technique shw_registry_of_form(enum shw_planes_form form);

/* What is asked of a stage. */
struct shw_registry_choice {
    enum shw_stage stage;
    enum shw_technique asked;
    const struct shw_stage_technique *custom; /* with CUSTOM; else NULL */
};

/* What it is asked for. */
struct shw_registry_use {
    struct shw_device *device; /* NULL: there is none */
    const struct shw_forest *forest;
    uint32_t outputs;
    bool recorded; /* nothing can be done on the host */
};

/* Whether there is such a technique. Errors: ARGUMENT, VERSION. */
enum shw_result shw_registry_check(const struct shw_registry_choice *choice, bool has_device,
                                   const struct shw_log *log);

/* Those that the choice leaves open: a sum of 1u << technique; a caller's counts as ours of its form. AUTO leaves open
 * what the device can do with the forest, so that it does not run into a limit that another technique does not have. */
uint32_t shw_registry_allow(const struct shw_registry_choice *choice, const struct shw_registry_use *use);

/* Of those that are allowed, the one that is usually fastest. */
enum shw_technique shw_registry_usual(uint32_t allowed, const struct shw_device *device);

#endif
