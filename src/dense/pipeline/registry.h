/* The built-in techniques by stage: the only place that knows which ones there are and which one a value of enum
 * shw_technique denotes. */
#ifndef SHW_DENSE_PIPELINE_REGISTRY_H
#define SHW_DENSE_PIPELINE_REGISTRY_H

#include <shadewood/stage.h>

#include "dense/stage/stage_technique.h"

struct shw_means;

/* The built-in technique of that name; NULL: the stage has none. */
struct shw_pipeline_technique shw_registry_find(enum shw_stage stage, enum shw_technique technique);
const struct shw_stage_technique *shw_registry_get(enum shw_stage stage, enum shw_technique technique);

/* The technique of `integrate` that makes mean planes (dense/means/means.h) in the same form; NULL: there is none. */
const struct shw_stage_technique *shw_registry_find_means(const struct shw_stage_technique *technique);

/* Whether it can make these; the device may be NULL for techniques on the host. */
bool shw_registry_fits_means(const struct shw_stage_technique *technique, const struct shw_device *device,
                             const struct shw_means *means);

/* Whether a technique of `evaluate` reads them. */
bool shw_registry_reads_means(const struct shw_stage_technique *technique);

/* The name of the built-in techniques with that form of planes. */
enum shw_technique shw_registry_of_form(enum shw_planes_form form);

/* The technique that a stage was asked to use. */
struct shw_registry_choice {
    enum shw_stage stage;
    enum shw_technique asked;
    const struct shw_stage_technique *custom; /* if technique is CUSTOM, otherwise NULL */
};

/* What it is needed for. */
struct shw_registry_use {
    struct shw_device *device; /* or NULL */
    const struct shw_forest *forest;
    uint32_t outputs;
    bool recorded; /* nothing can run on the host */
};

/* Whether the technique exists, and can be used with the device, or without one (NULL). Errors: ARGUMENT, VERSION,
 * UNSUPPORTED. */
enum shw_result shw_registry_check(const struct shw_registry_choice *choice, const struct shw_device *device,
                                   const struct shw_log *log);

/* The set of techniques that the choice allows, as a sum of 1u << technique; a custom one counts as the built-in one of
 * its form. AUTO allows only those whose limits on the device the forest does not exceed. */
uint32_t shw_registry_allow(const struct shw_registry_choice *choice, const struct shw_registry_use *use);

/* The allowed technique that is usually fastest. */
enum shw_technique shw_registry_usual(uint32_t allowed, const struct shw_device *device);

#endif
