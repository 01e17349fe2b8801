/* The common parts of the micro-benchmarks of a device. */
#ifndef SHW_BENCH_ROOFLINE_DEVICE_H
#define SHW_BENCH_ROOFLINE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/bench.h"
#include "bench/roofline_push.h"
#include "vulkan/memory.h"
#include "vulkan/planes.h"
#include "vulkan/program.h"

#define SHW_ROOFLINE_PIXELS (SHW_ROOFLINE_WIDTH * SHW_ROOFLINE_HEIGHT)

struct shw_roofline_device {
    struct shw_device *device;
    struct shw_device_description description;
    const struct shw_log *log;
    struct shw_buffer large;   /* bytes, a power of two; larger than caches, unless quick */
    struct shw_buffer result;  /* one word per invocation, or the counters */
    struct shw_buffer staging; /* read by the host; as large as the largest result */
    struct shw_program fill;
    struct shw_sets fill_sets; /* one, of the large buffer */
};

/* A micro-benchmark, ready to run. */
struct shw_roofline_case {
    const struct shw_roofline_kernel *kernel;
    struct shw_program program;
    struct shw_sets sets; /* at most one */
    VkDescriptorSet set;
    struct shw_buffer other;        /* the target of copies */
    struct shw_vulkan_image source; /* the source of fetches */
    struct shw_vulkan_image drawn;  /* the render target */
    struct shw_target target;
    double amount; /* of one step */
};

struct shw_roofline_kernel {
    const char *limit, *title, *unit;
    const uint32_t *words; /* of the shader: SHW_ROOFLINE_SHADER() */
    const size_t *size;
    uint32_t groups[2];
    /* Initialises *made, whose kernel is set. On failure the caller destroys it. */
    enum shw_result (*create)(struct shw_roofline_device *roofline, struct shw_roofline_case *made);
    /* NULL: a dispatch of `groups`. */
    void (*record)(const struct shw_roofline_device *roofline, const struct shw_roofline_case *made,
                   VkCommandBuffer commands, const struct shw_roofline_push *push);
    /* Checks the result of exactly one step after the result was cleared. */
    enum shw_result (*check)(struct shw_roofline_device *roofline, const struct shw_roofline_case *made,
                             const struct shw_roofline_push *push, bool *good);
    /* Why the device does not support it, or NULL; `can` NULL: always supported. */
    const char *(*cannot)(const struct shw_roofline_device *roofline);
    bool near;              /* reads are near those of the neighbours */
    bool wide;              /* texels have four words */
    uint32_t counters_log2; /* of atomic additions */
};
#define SHW_ROOFLINE_SHADER(name) .words = shw_spirv_##name, .size = &shw_spirv_##name##_size

extern const struct shw_roofline_kernel shw_roofline_reads[], shw_roofline_writes[];
extern const uint32_t shw_roofline_read_count, shw_roofline_write_count;

/* `large_bytes` is a power of two. On failure *roofline is zero. */
enum shw_result shw_roofline_device_create(struct shw_device *device, uint64_t large_bytes, const struct shw_log *log,
                                           struct shw_roofline_device *roofline);

/* Accepts a zero one; leaves it zero. */
void shw_roofline_device_destroy(struct shw_roofline_device *roofline);

void shw_roofline_case_destroy(struct shw_device *device, struct shw_roofline_case *made);

/* Push constants of a run of `steps`. */
struct shw_roofline_push shw_roofline_push_of(const struct shw_roofline_device *roofline,
                                              const struct shw_roofline_kernel *kernel, uint32_t steps);

/* The case's program, with push constants, and its set. */
enum shw_result shw_roofline_create_program(struct shw_roofline_device *roofline, struct shw_program_params params,
                                            const struct shw_resource *resources, struct shw_roofline_case *made);

struct shw_shader shw_roofline_shader(const struct shw_roofline_kernel *kernel);

/* Records the work of push->steps steps. Barriers around it are the caller's. */
void shw_roofline_record(const struct shw_roofline_device *roofline, const struct shw_roofline_case *made,
                         VkCommandBuffer commands, const struct shw_roofline_push *push);

/* Runs it once, after clearing the result. */
enum shw_result shw_roofline_run(struct shw_roofline_device *roofline, const struct shw_roofline_case *made,
                                 uint32_t steps);

/* An image that can be drawn into and read back, with a target for the case's program. */
enum shw_result shw_roofline_create_drawn(struct shw_roofline_device *roofline, VkFormat format, uint32_t width,
                                          uint32_t height, struct shw_roofline_case *made);

/* Copies the beginning of a buffer, or layer 0 of an image that was drawn, to the staging buffer. */
enum shw_result shw_roofline_read_buffer(struct shw_roofline_device *roofline, const struct shw_buffer *buffer,
                                         VkDeviceSize from, VkDeviceSize bytes);
enum shw_result shw_roofline_read_image(struct shw_roofline_device *roofline, const struct shw_vulkan_image *image);

/* Records the initialisation of the large buffer. */
void shw_roofline_record_fill(const struct shw_roofline_device *roofline, VkCommandBuffer commands, uint32_t seed);

/* A full barrier: all previous work completes and is visible before later work starts. */
void shw_roofline_barrier(const struct shw_roofline_device *roofline, VkCommandBuffer commands);

/* Gathers of the processor: reads of words at pseudo-random positions of a table. */

#define SHW_GATHERS_BITS  16u /* log2 of the words of the table: 256 KiB, which fits second-level caches */
#define SHW_GATHERS_LANES 32u /* reads of one step */

/* The sum of `steps` times SHW_GATHERS_LANES words of `table`, with AVX2 if available and `vector` is true. */
uint32_t shw_gathers(const uint32_t *table, uint32_t seed, uint32_t steps, bool vector);

/* Whether `vector` above has an effect on this processor. */
bool shw_gathers_have_vector(void);

#endif
