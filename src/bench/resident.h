/* The stages of a technique on the device, ready to be recorded repeatedly for an image that stays there. */
#ifndef SHW_BENCH_RESIDENT_H
#define SHW_BENCH_RESIDENT_H

#include <shadewood/forest.h>
#include <shadewood/image.h>

#include "bench/bench.h"
#include "channels/channels_stage.h"
#include "evaluate/custom_stage.h"
#include "evaluate/evaluate_stage.h"
#include "integrate/integrate_stage.h"
#include "vulkan/barrier.h"

/* An image on the device, RGBA, of 8 bits, ready to be sampled by fragment and compute shaders. */
struct shw_bench_source {
    struct shw_vulkan_image image;
    VkImageView view; /* 2D */
};
enum shw_result shw_bench_source_create(struct shw_bench *bench, const struct shw_image *image,
                                        struct shw_bench_source *source);
void shw_bench_source_destroy(struct shw_bench *bench, struct shw_bench_source *source); /* accepts zero */

/* Images that may be in flight at once, if a stage needs a slot for each. */
#define SHW_BENCH_SLOTS_MAX 16u

/* The number of slots for images of this size that fit into device memory: 1 to SHW_BENCH_SLOTS_MAX. */
uint32_t shw_bench_slots(const struct shw_bench *bench, const struct shw_forest *forest, uint32_t width,
                         uint32_t height);

/* Between two recordings every stage's result is ready for the stage after it. */
struct shw_bench_resident {
    struct shw_bench *bench;
    enum shw_technique technique;
    uint32_t width, height;
    const struct shw_bench_source *source;
    struct shw_planes channels[SHW_BENCH_SLOTS_MAX], integrals;
    uint32_t slots, slot; /* of the channels stage, and which was recorded last: each may be in a submission once */
    struct shw_channels_stage *channels_stage;
    struct shw_integrate_stage *integrate_stage;
    struct shw_evaluate_stage evaluate_stage;
    struct shw_custom_stage custom; /* for its stage */
};

/* Creates the stages and runs them once. `custom`, or NULL: a custom technique for one stage; the others are by
 * COMPUTE, which `technique` must then be. `outputs`: enum shw_output. Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED,
 * LIMIT, DEVICE_LOST. On failure it is zero. */
enum shw_result shw_bench_resident_create(struct shw_bench *bench, enum shw_technique technique,
                                          const struct shw_custom_technique *custom, const struct shw_forest *forest,
                                          uint32_t outputs, const struct shw_bench_source *source,
                                          struct shw_bench_resident *resident);
void shw_bench_resident_destroy(struct shw_bench_resident *resident); /* accepts zero */

/* Records a stage, for shw_bench_work: `user` is the resident. */
void shw_bench_record_channels(void *user, VkCommandBuffer commands);
void shw_bench_record_integrate(void *user, VkCommandBuffer commands);
void shw_bench_record_evaluate(void *user, VkCommandBuffer commands);

/* Which results to compare. */
enum shw_bench_planes {
    SHW_BENCH_CHANNELS,
    SHW_BENCH_INTEGRALS,
    SHW_BENCH_LEAVES,
    SHW_BENCH_DISTRIBUTION,
    SHW_BENCH_ARGMAX
};

/* Whether the first `count` planes equal the host's, which are tightly packed. */
enum shw_result shw_bench_resident_equals(struct shw_bench_resident *resident, enum shw_bench_planes which,
                                          const void *host, uint32_t count, bool *equal);

/* The same for foreign planes in use `use`, of which the first width by height elements are compared. */
enum shw_result shw_bench_planes_equal(struct shw_bench *bench, const struct shw_planes *planes,
                                       enum shw_technique technique, struct shw_use use, uint32_t width,
                                       uint32_t height, uint32_t count, const void *host, bool *equal);

#endif
