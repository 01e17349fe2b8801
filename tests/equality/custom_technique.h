/* Techniques of a caller for the stages, on the host and on the device; `user` counts what is asked of them. */
#ifndef SHW_TESTS_EQUALITY_CUSTOM_TECHNIQUE_H
#define SHW_TESTS_EQUALITY_CUSTOM_TECHNIQUE_H

#include "testing/device.h"
#include "vulkan/program.h"

struct calls {
    unsigned runs, creations, recordings, destructions;
    uint32_t threads;
    enum shw_result fail_with;
};

enum shw_result host_channels(void *user, const struct shw_stage_host_frame *frame);

enum shw_result host_integrate(void *user, const struct shw_stage_host_frame *frame);

enum shw_result host_evaluate(void *user, const struct shw_stage_host_frame *frame);

void destroy(void *user);

enum shw_result create_channels(void *user, const struct shw_stage_create *params, void **out);

uint64_t no_memory(void *user, const struct shw_stage_create *params);

void record_channels(void *user, VkCommandBuffer commands, uint32_t slot, const struct shw_stage_frame *frame,
                     struct shw_stage_stretch *stretch);

enum shw_result create_integrate(void *user, const struct shw_stage_create *params, void **out);

void record_integrate(void *user, VkCommandBuffer commands, uint32_t slot, const struct shw_stage_frame *frame,
                      struct shw_stage_stretch *stretch);

#endif
