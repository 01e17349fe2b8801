/* The stages of a technique on the device, ready to be recorded repeatedly for an image that stays there. */
#ifndef SHW_BENCH_RESIDENT_H
#define SHW_BENCH_RESIDENT_H

#include <shadewood/forest.h>
#include <shadewood/image.h>

#include "bench/bench.h"
#include "dense/pipeline/pipeline.h"

/* An input on the device, RGBA of 8 bits or a plane or depth of 16, ready to be sampled by fragment and compute
 * shaders. */
struct shw_bench_source {
    const char *name;
    struct shw_vulkan_image image;
    VkImageView view; /* 2D */
};
enum shw_result shw_bench_source_create(struct shw_bench *bench, const struct shw_input *input,
                                        struct shw_bench_source *source);
void shw_bench_source_destroy(struct shw_bench *bench, struct shw_bench_source *source); /* accepts zero */

/* The input of a recording that leaves it as it is. */
struct shw_input shw_bench_source_use(const struct shw_bench_source *source);

/* Images that may be in flight at once, if a stage needs a slot for each. */
#define SHW_BENCH_SLOTS_MAX 16u

/* The number of slots for images of this size that fit into device memory: 1 to SHW_BENCH_SLOTS_MAX. */
uint32_t shw_bench_slots(const struct shw_bench *bench, const struct shw_forest *forest, uint32_t width,
                         uint32_t height);

/* Between two recordings every stage's result is ready for the stage after it. */
struct shw_bench_resident {
    struct shw_bench *bench;
    struct shw_pipeline pipeline;
    struct shw_stage_source sources[SHW_INPUTS_MAX];
    struct shw_stage_frame frame;
    uint32_t slot; /* of the first stage's last recording: each may be in a submission once */
};

/* Creates the stages and runs them once. `custom`, or NULL: a custom technique for one stage; the others are by
 * `technique`. `outputs`: enum shw_output. Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED, LIMIT, DEVICE_LOST. On
 * failure it is zero. */
enum shw_result shw_bench_resident_create(struct shw_bench *bench, enum shw_technique technique,
                                          const struct shw_stage_technique *custom, const struct shw_forest *forest,
                                          uint32_t outputs, const struct shw_bench_source *sources,
                                          uint32_t source_count, struct shw_bench_resident *resident);
void shw_bench_resident_destroy(struct shw_bench_resident *resident); /* accepts zero */

/* Records a stage, for shw_bench_work: `user` is the resident. */
void shw_bench_record_channels(void *user, VkCommandBuffer commands);
void shw_bench_record_integrate(void *user, VkCommandBuffer commands);
void shw_bench_record_evaluate(void *user, VkCommandBuffer commands);

/* Whether the first `count` planes of that name equal the host's, which are tightly packed. */
enum shw_result shw_bench_resident_equals(struct shw_bench_resident *resident, const char *name, const void *host,
                                          uint32_t count, bool *equal);

/* The same of a slot of any pipeline. */
enum shw_result shw_bench_planes_equal(struct shw_bench *bench, const struct shw_pipeline *pipeline, const char *name,
                                       uint32_t slot, uint32_t width, uint32_t height, uint32_t count, const void *host,
                                       bool *equal);

#endif
