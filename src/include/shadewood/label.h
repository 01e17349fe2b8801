/* Labelling: dense evaluation of a forest. Part of Shadewood; MIT licence, see LICENSE. */
#ifndef SHADEWOOD_LABEL_H
#define SHADEWOOD_LABEL_H

#include <stdbool.h>

#include <shadewood/api.h>
#include <shadewood/device.h>
#include <shadewood/forest.h>
#include <shadewood/input.h>
#include <shadewood/log.h>
#include <shadewood/technique.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sharp's output modes (3.3), as flags: one labeller can give several at once. */
enum shw_output {
    SHW_OUTPUT_TREE_LEAF = 1,     /* uint32: the leaf reached in the first tree */
    SHW_OUTPUT_FOREST_LEAVES = 2, /* uint32, one plane a tree: the leaf reached in each */
    SHW_OUTPUT_DISTRIBUTION = 4,  /* uint16, one plane a class: the mean over the trees, (2 sum + trees) / (2 trees)
                                     rounded down,  where 65535 is certainty */
    SHW_OUTPUT_ARGMAX = 8         /* uint16: the class with the largest sum over the trees, the lowest among equals */
};

/* What forests may grow to that a labeller is given later; `nodes` of all trees together. Where the forest that it is
 * made with has more, as that. All zero: there is no room for others. */
struct shw_forest_room {
    uint32_t trees, classes;
    uint64_t nodes;
};

struct shw_calibration;
struct shw_stage_technique;

struct shw_labeller_params {
    const struct shw_forest *forest;                  /* borrowed: must outlive the labeller, or its place in it */
    struct shw_device *device;                        /* borrowed; NULL allows `cpu` only */
    uint32_t outputs;                                 /* enum shw_output flags; at least one */
    enum shw_technique channels, integrate, evaluate; /* any mixture; `auto` for each by default. record() needs all
                                                         three on the device: `auto` sees to that where the device is
                                                         imported, and where slots is not 0 */
    const struct shw_stage_technique *custom[SHW_STAGE_COUNT]; /* for stages whose technique is SHW_TECHNIQUE_CUSTOM,
                                        by enum shw_stage (shadewood/stage.h); else NULL. Borrowed */
    uint32_t width, height; /* the largest image that is processed as one piece; larger ones are tiled. 0: chosen from
                                   the device's limits (shw_labeller_run) */
    uint32_t slots;         /* recordings that may be in flight at once; 0 means 1, and that `auto` may take `cpu` */
    struct shw_forest_room room; /* for shw_labeller_set_forest(); takes memory for each slot */
    uint32_t threads;            /* of the `cpu` technique; 0 means one a processor */
    /* What `auto` decides by (shadewood/calibrate.h), of this device and driver; borrowed during creation. NULL:
     * compute for all stages, on devices that are CPUs cpu. */
    const struct shw_calibration *calibration;
    struct shw_log log;
};

struct shw_labeller;

/* Allocates all memory, pipelines and descriptors that recording will need.
 * Errors: ARGUMENT, UNSUPPORTED, LIMIT, MEMORY, DEVICE_MEMORY, DEVICE_LOST. Any thread. */
SHW_API enum shw_result shw_labeller_create(const struct shw_labeller_params *params, struct shw_labeller **labeller);

/* Bytes of device memory that a labeller of these params, of which width, height and slots are needed, takes for
 * recording: its buffers and images, without their alignment and what the driver takes for pipelines. Errors: as
 * shw_labeller_create(); ARGUMENT also where it could not record. Any thread. */
SHW_API enum shw_result shw_labeller_get_memory(const struct shw_labeller_params *params, uint64_t *bytes);

/* Ends *labeller's life and sets it to NULL; NULL and a pointer to NULL are accepted. Nothing recorded may still
 * run. */
SHW_API void shw_labeller_destroy(struct shw_labeller **labeller);

/* The technique of each stage, by enum shw_stage: what AUTO came to, and CUSTOM. Any thread. */
SHW_API void shw_labeller_get_techniques(const struct shw_labeller *labeller,
                                         enum shw_technique techniques[SHW_STAGE_COUNT]);

/* Labels by another forest, from the next recording or run on. It must have the channel set and the feature type of the
 * one before, and is borrowed in its place. Where shw_labeller_has_room(), what was recorded may still run, by the
 * forest before, and nothing is made but a pipeline for a number of trees that the device has not met. Otherwise
 * nothing may still run, and memory is made anew; after a failure of that there is no more recording by this labeller.
 * Techniques stay what they are. Errors: ARGUMENT, UNSUPPORTED, LIMIT, MEMORY, DEVICE_MEMORY. One thread at a time for
 * a labeller. */
SHW_API enum shw_result shw_labeller_set_forest(struct shw_labeller *labeller, const struct shw_forest *forest);

/* Whether a forest fits what the labeller has. One thread at a time for a labeller. */
SHW_API bool shw_labeller_has_room(const struct shw_labeller *labeller, const struct shw_forest *forest);

/* Where shw_labeller_run() writes, planes and rows without padding; NULL where the output was not asked for. */
struct shw_labelling {
    uint32_t *tree_leaf;     /* width * height */
    uint32_t *forest_leaves; /* trees * width * height */
    uint16_t *distribution;  /* classes * width * height */
    uint16_t *argmax;        /* width * height */
};

/* Labels one image, of inputs on the host, and waits for the result. Images of any size: what does not fit the device
 * at once is tiled. Uses a queue and memory of its own, and so only with devices of shw_device_create(), or with `cpu`.
 * Errors: ARGUMENT, LIMIT, MEMORY, DEVICE_MEMORY, DEVICE_LOST, CANCELLED. One thread at a time for a labeller. */
SHW_API enum shw_result shw_labeller_run(struct shw_labeller *labeller, const struct shw_inputs *inputs,
                                         const struct shw_labelling *labelling);

/* Lets a shw_labeller_run() of another thread end soon with CANCELLED, by `cpu` within a stage, else after it, and
 * those that follow at once. Where it was to write, anything may lie then. The labeller can only be destroyed after
 * this. Any thread, while the labeller lives. */
SHW_API void shw_labeller_interrupt(struct shw_labeller *labeller);

/* Images that recording writes. Formats: leaves R32_UINT (one layer a tree), distribution R16_UINT (one layer a class),
 * argmax R16_UINT. Usage must include TRANSFER_DST and COLOR_ATTACHMENT. Unused ones have a null image. */
struct shw_label_targets {
    struct shw_image_use tree_leaf, forest_leaves, distribution, argmax;
};

/* Records the labelling of inputs on the device into the caller's command buffer, outside a render pass. Their views
 * must be 2D (not arrays), sampled and of format R8G8B8A8_UNORM, B8G8R8A8_UNORM, R8_UNORM (as grey), R16_UINT (as grey)
 * or R16G16B16A16_UINT, all with 8 bits or all with 16, no larger than the labeller's width and height. Neither submits
 * nor waits nor allocates. A slot may be recorded again when its last recording has finished on the device. A forest's
 * first recording also carries it to the device, so it must run before the others; with room for others, every slot's.
 * Errors: ARGUMENT. One thread at a time for a labeller. */
SHW_API enum shw_result shw_labeller_record(struct shw_labeller *labeller, VkCommandBuffer commands, uint32_t slot,
                                            const struct shw_inputs *inputs, const struct shw_label_targets *targets);

/* How far a labelling in pieces has come. Zero: to be begun. */
struct shw_labelling_progress {
    uint64_t work; /* that was recorded until now, of what shw_labeller_get_work() tells for all stages together */
    enum shw_stage stage; /* of the next piece */
    bool finished;        /* there is no next piece */
    uint64_t forest;      /* for the labeller */
};

/* Records a part of a labelling: to measure each stage by timestamps around its pieces, or to spread over several
 * frames what takes too long for one. Goes on from *progress with `work` units (at least one step; 0: all that is left
 * of the stage), and not beyond the end of the stage. The pieces of one labelling have the same slot, inputs and
 * targets, and go to one queue in their order; the next may be recorded and submitted while the one before runs. Only
 * pieces of the stage channels use the inputs; they are in their use `before` until the first of them, and in `after`
 * from the last on. The same goes for the targets and the last pieces of the stage evaluate. Another forest, or another
 * image in the slot, means to begin again. Results are those of shw_labeller_record(). Errors: ARGUMENT; then nothing
 * is recorded. One thread at a time for a labeller. */
SHW_API enum shw_result shw_labeller_record_piece(struct shw_labeller *labeller, VkCommandBuffer commands,
                                                  uint32_t slot, const struct shw_inputs *inputs,
                                                  const struct shw_label_targets *targets, uint64_t work,
                                                  struct shw_labelling_progress *progress);

/* The work of each stage, by enum shw_stage. A unit takes about the same time everywhere within a stage; what that is,
 * depends on stage, technique and device. Errors: ARGUMENT. One thread at a time for a labeller. */
SHW_API enum shw_result shw_labeller_get_work(struct shw_labeller *labeller, uint32_t slot,
                                              const struct shw_inputs *inputs, const struct shw_label_targets *targets,
                                              uint64_t work[SHW_STAGE_COUNT]);

#ifdef __cplusplus
}
#endif
#endif
