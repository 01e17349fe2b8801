/* The detector and its techniques. A technique is one file and one line in detector.c. */
#ifndef SHW_DETECTION_DETECT_DETECTOR_H
#define SHW_DETECTION_DETECT_DETECTOR_H

#include <shadewood/detect.h>
#include <stdatomic.h>

#include "detection/detect/plan.h"

struct shw_detect_technique {
    enum shw_technique id;

    /* Whether it can do what is asked. Errors, with a message: UNSUPPORTED. `log` may be NULL. */
    enum shw_result (*check)(const struct shw_detector_params *params, const struct shw_log *log);
    /* Allocates all that recording needs. Errors as of shw_detector_create(). */
    enum shw_result (*create)(const struct shw_detector_params *params, void **state);
    void (*destroy)(void *state); /* accepts NULL */

    /* Appends what is found in any order. The image is checked. On failure what was appended is freed by the caller. */
    enum shw_result (*run)(void *state, const struct shw_image *image, struct shw_detections *found);
    /* Makes this and every later run end soon, with incomplete results. Any thread. NULL: runs go on to their end. */
    void (*interrupt)(void *state);
    /* NULL: on the host only. Arguments that all techniques have in common are checked. */
    enum shw_result (*record)(void *state, VkCommandBuffer commands, uint32_t slot, const struct shw_image_use *image,
                              const struct shw_detect_target *target);
    /* NULL: does not count. */
    void (*get_survivors)(const void *state, uint64_t *survivors);
};

extern const struct shw_detect_technique shw_detect_cpu, shw_detect_compute, shw_detect_fragment;

struct shw_detector {
    struct shw_detector_params params; /* the scan is resolved, what it points to and `regroup` are the detector's */
    uint32_t angles[32];
    uint32_t regroup[SHW_DETECT_REGROUP_MAX];
    const struct shw_detect_technique *technique;
    void *state; /* of the technique */
    atomic_bool interrupted;
};

#define SHW_DETECT_VARIANT_COUNT 5u
extern const char *const shw_detect_variant_names[SHW_DETECT_VARIANT_COUNT + 1]; /* by enum shw_detect_variant; NULL
                                                                                    ends them */

#endif
