/* Labelling: dense evaluation of a forest. Part of Shadewood; MIT licence, see LICENSE. */
#ifndef SHADEWOOD_LABEL_H
#define SHADEWOOD_LABEL_H

#include <stdbool.h>
#include <stddef.h>

#include <shadewood/api.h>
#include <shadewood/device.h>
#include <shadewood/forest.h>
#include <shadewood/input.h>
#include <shadewood/log.h>
#include <shadewood/technique.h>
#include <shadewood/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sharp's output modes (3.3) as flags; one labeller can write several at once. Where a feature type reads the depth and
 * there is none, the pixel is void (shw_feature_type.reads_depth): SHW_LEAF_NONE in every tree, a distribution of
 * zeros, and SHW_LABEL_VOID. */
enum shw_output {
    SHW_OUTPUT_TREE_LEAF = 1,     /* uint32: the leaf reached in the first tree */
    SHW_OUTPUT_FOREST_LEAVES = 2, /* uint32, one plane per tree: the leaf reached in each */
    SHW_OUTPUT_DISTRIBUTION = 4,  /* uint16, one plane per class: the mean over the trees, (2 sum + trees) / (2 trees)
                                     rounded down; 65535 is certainty. Each value is rounded by itself, so those of a
                                     pixel need not sum to 65535. With C classes and n trees they sum to at least 65535
                                     - C floor((n - 1) / 2) / n and at most 65535 + C floor(n / 2) / n: exactly 65535
                                     for one tree, otherwise within C / 2. Divide by the sum of a pixel where
                                     probabilities must sum to 1; shw_explanation.sums is exact */
    SHW_OUTPUT_ARGMAX = 8         /* uint16: the class with the largest sum over the trees, the lowest among equals */
};

/* In planes of leaves: a void pixel, which reaches no leaf. */
#define SHW_LEAF_NONE 0xffffffffu

/* The largest forest that shw_labeller_set_forest() can switch to without waiting; `nodes` are those of all trees
 * together. The forest that the labeller is created with always fits. All zero: no room for other forests. */
struct shw_forest_room {
    uint32_t trees, classes;
    uint64_t nodes;
};

/* What the targets of recordings store where it is not what results are (docs/library.md#targets): a labeller converts
 * results to these formats, for which it takes memory. VK_FORMAT_UNDEFINED, 0: it does not; `probabilities` and
 * `overlay` are then not available. shw_labeller_run_targets() has all formats without this. Targets may also have
 * another format that stores texels of the same size in the same way, such as B8G8R8A8_SRGB instead of R8G8B8A8_UNORM;
 * shw_target_format_get() lists all. */
struct shw_target_formats {
    VkFormat tree_leaf, forest_leaves; /* R16_UINT or R8_UINT: the leaf; void, all ones. Without: R32_UINT */
    VkFormat distribution;             /* R8_UNORM or R8_UINT: (255 p + 32767) / 65535, rounded down, of a result p; or
                                          R32_UINT: p. Without: R16_UINT or R16_UNORM */
    VkFormat argmax;        /* R8_UNORM or R8_UINT, of at most 255 classes, or R32_UINT: the number of the class; void,
                               all ones. Without: R16_UINT or R16_UNORM */
    VkFormat probabilities; /* of SHW_OUTPUT_DISTRIBUTION, four classes per layer in R, G, B and A, 0 where there is no
                               class: R8G8B8A8_UNORM, as for `distribution`; R16G16B16A16_UNORM, p; or
                               R16G16B16A16_SFLOAT, the half float nearest to p / 65535 */
    VkFormat overlay;       /* of SHW_OUTPUT_ARGMAX: the colour image under the colours of classes, opaque.
                               R8G8B8A8_UNORM or _SRGB, B8G8R8A8_UNORM or _SRGB, A8B8G8R8_UNORM_PACK32 or
                               _SRGB_PACK32; R16G16B16A16_UNORM or R16G16B16A16_SFLOAT */
};

/* Targets, as flags. */
enum shw_label_target {
    SHW_TARGET_TREE_LEAF = 1,
    SHW_TARGET_FOREST_LEAVES = 2,
    SHW_TARGET_DISTRIBUTION = 4,
    SHW_TARGET_ARGMAX = 8,
    SHW_TARGET_PROBABILITIES = 16,
    SHW_TARGET_OVERLAY = 32
};

/* A format of targets. */
struct shw_target_format {
    VkFormat format;
    const char *name; /* without VK_FORMAT_ */
    uint32_t bytes;   /* of a texel */
    uint32_t targets; /* enum shw_label_target flags: those that can have it */
    uint32_t results; /* those of them whose results have it, so that nothing is converted */
};

/* The formats, from index 0 on; NULL from their number on. Any thread. */
SHW_API const struct shw_target_format *shw_target_format_get(uint32_t index);

struct shw_calibration;
struct shw_stage_technique;

/* Parameters of shw_labeller_create(). Zero means the default at the field. */
struct shw_labeller_params {
    const struct shw_forest *forest; /* borrowed until it is replaced */
    struct shw_device *device;       /* borrowed; NULL allows `cpu` only */
    uint32_t outputs;                /* enum shw_output flags; at least one */
    /* Any mixture; the default is `auto` for each. shw_labeller_record() needs all three on the device: `auto` ensures
     * that if the device is imported or slots is not 0. */
    enum shw_technique channels, integrate, evaluate;
    const struct shw_stage_technique *custom[SHW_STAGE_COUNT]; /* for stages whose technique is SHW_TECHNIQUE_CUSTOM, by
                                                                  enum shw_stage (shadewood/stage.h); otherwise NULL.
                                                                  Borrowed */
    /* The largest image of shw_labeller_record(). Techniques that use storage buffers process it in tiles if its
     * planes exceed maxStorageBufferRange (128 MiB on some devices: 1920 x 1080 pixels with 17 channels); where a
     * forest reaches too far for that, `auto` becomes `fragment`. shw_labeller_run() takes larger images, too, in tiles
     * of at most this size. 0: chosen from the device's limits (shw_labeller_run() only) */
    uint32_t width, height;
    uint32_t slots; /* recordings that may be in flight at once, at most SHW_SLOTS_MAX; 0 means 1, and allows `auto` to
                       choose `cpu` */
    /* False: slots share scratch memory, of which there is only as much as one recording needs. Recordings must then
     * run on the device in the order in which they were recorded: submitted in that order to one queue, or to several
     * with semaphores between them. True: each slot has its own, and recordings may run at the same time. */
    bool scratch_per_slot;
    struct shw_forest_room room; /* for shw_labeller_set_forest(); takes memory for each slot, and forests
                                    of few shapes are then labelled like others */
    enum shw_fill fill;          /* of missing depth: DEFAULT, as the forest says; SIMPLE is refused if the forest does
                                    not read SHW_DEPTH. The stage `channels` does it, by its technique */
    /* Of targets of shw_labeller_record(); others than those that results have need a labeller that records. */
    struct shw_target_formats formats;
    /* Of distributions and labels. Radius 0: as the forest says; SHW_SMOOTHING_NONE: none. The technique of `evaluate`
     * does it; on the device it takes scratch memory, and tiles are larger by what it reads around them. */
    struct shw_smoothing smoothing;
    uint32_t threads; /* of the technique `cpu`; 0 means one per processor */
    uint64_t memory;  /* bytes that the planes of one tile may take, on the host and on the device each, when running;
                         what a single pixel needs is taken even if it is more. 0: 512 MiB on the host, and a quarter of
                         the device's memory */
    /* For `auto` (shadewood/calibrate.h), of this device and driver; borrowed during creation. NULL: `auto` is compute
     * for all stages, or cpu if the device is a CPU. */
    const struct shw_calibration *calibration;
    struct shw_log log;
};

struct shw_labeller;

/* Allocates all memory, pipelines and descriptors that recording needs. Errors: ARGUMENT (also for a labeller that
 * could neither record nor run: with an imported device, width and height are needed, and either all stages on the
 * device or none), UNSUPPORTED, LIMIT (also if neither the images nor tiles of them fit storage buffers; the message
 * names what would work), MEMORY, DEVICE_MEMORY, DEVICE_LOST. Any thread. */
SHW_API enum shw_result shw_labeller_create_abi(uint32_t abi, const struct shw_labeller_params *params,
                                                struct shw_labeller **labeller);
static inline enum shw_result shw_labeller_create(const struct shw_labeller_params *params,
                                                  struct shw_labeller **labeller)
{
    return shw_labeller_create_abi(SHW_ABI, params, labeller);
}

/* The device memory that a labeller takes for recording, from Vulkan or from the memory hooks (shadewood/device.h). */
struct shw_labeller_memory {
    uint64_t bytes;        /* in total */
    uint64_t device_bytes; /* of which the device alone uses: planes, scratch memory, the forest */
    uint64_t mapped_bytes; /* and the host writes: tables, and the forest on its way to the device */
    uint32_t allocations;
    uint64_t custom_bytes; /* in addition, what custom techniques report that they allocate */
};

/* What shw_labeller_create() with these parameters will allocate, to the byte. Buffers and images are created without
 * memory to ask the device about them, and destroyed. Planes of a level that are not in use at the same time share
 * memory, so that this is less than the sum of their sizes. Errors: as shw_labeller_create(); ARGUMENT also if such a
 * labeller could not record: width and height must not be 0, and every stage must be on the device. With a device of
 * shw_device_create(), `auto` ensures that only if slots is not 0. Any thread. */
SHW_API enum shw_result shw_labeller_get_memory_abi(uint32_t abi, const struct shw_labeller_params *params,
                                                    struct shw_labeller_memory *memory);
static inline enum shw_result shw_labeller_get_memory(const struct shw_labeller_params *params,
                                                      struct shw_labeller_memory *memory)
{
    return shw_labeller_get_memory_abi(SHW_ABI, params, memory);
}

/* Destroys *labeller and sets it to NULL; accepts NULL and a pointer to NULL. Nothing that was recorded may still be
 * running. */
SHW_API void shw_labeller_destroy(struct shw_labeller **labeller);

/* The technique of each stage, by enum shw_stage, with AUTO resolved. Any thread. */
SHW_API void shw_labeller_get_techniques(const struct shw_labeller *labeller,
                                         enum shw_technique techniques[SHW_STAGE_COUNT]);

/* Switches to another forest from the next recording or run on. It must have the channel list, the feature type and,
 * unless the labeller has its own, the filling of the previous one, and is borrowed in its place. If
 * shw_labeller_has_room(), earlier recordings may still be in flight, with the previous forest, and nothing is
 * allocated except a pipeline for a number of trees that is new to the device. Otherwise nothing may be in flight, and
 * everything that shw_labeller_create() allocates is allocated for the new forest before that of the previous one is
 * freed: for a moment both take memory. If there is not enough for both, destroy the labeller and create
 * another. Techniques do not change. Errors: ARGUMENT, UNSUPPORTED, LIMIT, MEMORY, DEVICE_MEMORY; the labeller then
 * keeps the previous forest. One thread at a time per labeller. */
SHW_API enum shw_result shw_labeller_set_forest(struct shw_labeller *labeller, const struct shw_forest *forest);

/* Whether shw_labeller_set_forest() can switch to a forest without allocating memory. False for forests that it
 * refuses, and without room, which forests of few shapes never have. Stages on the host, and labellers that have not
 * allocated anything yet, fit every other forest. One thread at a time per labeller. */
SHW_API bool shw_labeller_has_room(const struct shw_labeller *labeller, const struct shw_forest *forest);

/* Where shw_labeller_run() writes; planes and rows have no padding. NULL for outputs that were not requested. */
struct shw_labelling {
    uint32_t *tree_leaf;     /* width * height */
    uint32_t *forest_leaves; /* trees * width * height */
    uint16_t *distribution;  /* classes * width * height */
    uint16_t *argmax;        /* width * height */
};

/* Labels one image, whose inputs are in host memory, and waits for the result. The image may have any size: it is tiled
 * if it does not fit the device at once. Uses a queue and memory of the labeller's own, so it needs a device of
 * shw_device_create(), or `cpu` for all stages. Errors: ARGUMENT, LIMIT, MEMORY, DEVICE_MEMORY, DEVICE_LOST, CANCELLED.
 * One thread at a time per labeller. */
SHW_API enum shw_result shw_labeller_run(struct shw_labeller *labeller, const struct shw_inputs *inputs,
                                         const struct shw_labelling *labelling);

/* Every step-th pixel of a rectangle of an image, in both directions: (x + step * i, y + step * j) for i < width and
 * j < height. */
struct shw_part {
    uint32_t x, y, width, height;
    uint32_t step; /* from 1 on */
};

/* Labels a part of an image: the planes of `labelling` have the part's width and height, and their elements are those
 * that shw_labeller_run() finds at these pixels of the whole image. The technique `cpu` evaluates only these pixels;
 * those of the device evaluate all pixels of the rectangle. Errors: as shw_labeller_run(); ARGUMENT also if a pixel of
 * the part is outside the image. One thread at a time per labeller. */
SHW_API enum shw_result shw_labeller_run_part(struct shw_labeller *labeller, const struct shw_inputs *inputs,
                                              const struct shw_part *part, const struct shw_labelling *labelling);

/* How an overlay shows a class. */
struct shw_class_paint {
    uint8_t colour[3]; /* R, G, B */
    uint8_t opacity;   /* percent, at most 100; 0: the image stays as it is */
};

/* A target in the caller's memory: elements row by row, plane by plane, which are what an image of the target would
 * have as layers. Bytes between rows and planes are left alone. Nothing need be aligned. */
struct shw_memory_use {
    void *elements;  /* NULL: the target is not wanted */
    VkFormat format; /* of an element: one that an image of the target may have; UNDEFINED: that of results */
    size_t row_stride, plane_stride; /* bytes from row to row and from plane to plane, if there are several planes; 0:
                                        without padding */
};

/* What shw_labeller_run_targets() writes: with the same bits what a recording writes into images and buffers of these
 * formats (struct shw_label_targets, docs/library.md#targets). */
struct shw_memory_targets {
    struct shw_memory_use tree_leaf, forest_leaves, distribution, argmax, probabilities, overlay;
    /* How the overlay shows classes, as in struct shw_overlay_target. */
    uint32_t opacity;
    bool by_probability;
    const struct shw_class_paint *paints;
    struct shw_part part; /* as for shw_labeller_run_part(); all zero: the whole image */
};

/* As shw_labeller_run() and shw_labeller_run_part(), in the formats of targets: labels of 8 bits, probabilities of four
 * classes in R, G, B and A, an overlay and so on, in rows at any distance. At least one target is wanted, and the
 * labeller was created for the outputs from which they are made. Results that are converted, or that have no place of
 * their own, take memory, at most about as much as shw_labeller_params.memory says, which the labeller keeps for the
 * next call: larger images are labelled in bands. Errors: as shw_labeller_run(); ARGUMENT also for formats that a
 * target cannot have, for strides that are too small, for targets that share bytes with each other or with an input,
 * and for opacities above 100. One thread at a time per labeller. */
SHW_API enum shw_result shw_labeller_run_targets(struct shw_labeller *labeller, const struct shw_inputs *inputs,
                                                 const struct shw_memory_targets *targets);

/* Makes a shw_labeller_run(), shw_labeller_run_part() or shw_labeller_run_targets() on another thread return CANCELLED
 * soon (`cpu` stops within a stage, other techniques after it), and later ones at once. The contents of its outputs are
 * then undefined, and the labeller can only be destroyed. Any thread, while the labeller exists. */
SHW_API void shw_labeller_interrupt(struct shw_labeller *labeller);

/* The colour image under the colours of the classes that pixels have. A component becomes ((100 - opacity) image +
 * opacity colour + 50) / 100, rounded down, in codes of 8 or 16 bits, as in the overlays of `shadewood label`; void
 * pixels stay as they are. Codes of sRGB formats are those that are stored. docs/library.md#targets defines all of it.
 */
struct shw_overlay_target {
    struct shw_image_use use;
    uint32_t opacity;    /* percent, at most 100, with the colours of the forest; 0: 60 */
    bool by_probability; /* opacity is multiplied by the probability of the class; needs SHW_OUTPUT_DISTRIBUTION */
    const struct shw_class_paint *paints; /* one per class of the forest, instead of its colours and `opacity`; read
                                             during the call. NULL: there are none */
};

/* A buffer that recording writes: elements row by row, plane by plane, which are what an image of the target would have
 * as layers. Usage must include TRANSFER_DST. */
struct shw_buffer_use {
    VkBuffer buffer;
    VkFormat format; /* of an element: one that an image of the target may have; UNDEFINED: that of results */
    VkDeviceSize offset, row_stride, plane_stride; /* bytes: of the first element, and from row to row and from plane to
                                                      plane; multiples of an element. Strides of 0: without padding */
    struct {
        VkPipelineStageFlags2 stages;
        VkAccessFlags2 access;
    } before, after;
};

/* Buffers, beside images of the same targets or without; unused ones are null. */
struct shw_label_buffers {
    struct shw_buffer_use tree_leaf, forest_leaves, distribution, argmax, probabilities, overlay;
};

/* Images that recording writes, as large as the colour image. Formats: leaves R32_UINT (one layer per tree),
 * distribution R16_UINT or R16_UNORM (one layer per class), argmax R16_UINT or R16_UNORM, whose code is the number of
 * the class; others as struct shw_target_formats says. Probabilities have a layer for every four classes. Usage must
 * include TRANSFER_DST. Unused ones have a null image; there is at least one image or buffer. */
struct shw_label_targets {
    struct shw_image_use tree_leaf, forest_leaves, distribution, argmax, probabilities;
    struct shw_overlay_target overlay;
    struct shw_label_buffers buffers;
    /* A part of the colour image, as for shw_labeller_run_part(): only its results are written, with the values that
     * they have in a labelling of the whole image, and as little of the image is processed as they depend on. All zero:
     * the whole image. Steps above 1 need a labeller without smoothing and without a custom technique of `evaluate`. */
    struct shw_part part;
    /* With a part, where its first result goes in the images, which must be large enough, and keep what is elsewhere if
     * their layout before is not UNDEFINED. Buffers begin with it. */
    uint32_t x, y;
};

/* Records the labelling of inputs on the device into the caller's command buffer. Their views must be 2D (not arrays),
 * sampled, of a format of shw_source_format_get(), and no larger than the labeller's width and height; the previous
 * frame must have as many bits per sample as the colour image, and depth 16. Does not submit, wait or allocate. A slot
 * may be recorded again when its previous recording has finished on the device. The first recording with a forest also
 * copies it to the device, so it must execute before later ones; with room for other forests, that applies to each
 * slot. If a recording is not submitted after all, call shw_labeller_discard_recordings().
 *
 * The command buffer is of the device's queue family and outside a render pass. It is a primary one if a stage is
 * by `fragment` or a custom technique that begins render passes; with all stages by `compute` it may be a secondary
 * one. Afterwards these states are undefined: by `compute`, the compute pipeline, its descriptor set 0 and push
 * constants; by `fragment`, the graphics ones, and viewport and scissor 0. It may be submitted again, each time when
 * the last execution has finished, until the slot is recorded again, the forest is replaced, or the labeller is
 * destroyed; the images must then be in use `before` again.
 *
 * The device waits for what the uses of the images state. Each stage also waits for earlier commands of the queue
 * in the pipeline stages in which the labeller uses its own memory: TRANSFER, for `compute` COMPUTE_SHADER, and for
 * `fragment` FRAGMENT_SHADER and COLOR_ATTACHMENT_OUTPUT; ALL_COMMANDS if a stage is custom. With scratch_per_slot, or
 * with one slot, the first stage does not, except that by `fragment` it waits for FRAGMENT_SHADER and
 * COLOR_ATTACHMENT_OUTPUT. Later commands wait for what the uses of the images state only. Images that are processed in
 * tiles (shw_labeller_params.width) have their stages recorded tile after tile, each tile waiting for the one before.
 *
 * Errors: ARGUMENT. One thread at a time per labeller. */
SHW_API enum shw_result shw_labeller_record(struct shw_labeller *labeller, VkCommandBuffer commands, uint32_t slot,
                                            const struct shw_inputs *inputs, const struct shw_label_targets *targets);

/* To be called when a recording is dropped: when its command buffer is reset, freed or recorded again without having
 * been submitted. The labeller assumes that everything that it records is executed, and records the copy of a forest to
 * the device only once; after this call the next recording of each slot contains it again. Of the recordings made since
 * the dropped one, those that relied on its copy of the forest must be dropped as well; labellings in pieces must begin
 * again from zero. The next recording must execute after everything that was submitted before. Accepts NULL. One thread
 * at a time per labeller. */
SHW_API void shw_labeller_discard_recordings(struct shw_labeller *labeller);

/* Progress of a labelling in pieces. Zero: not begun. */
struct shw_labelling_progress {
    uint64_t work;        /* recorded so far, out of the sum of shw_labeller_get_work() over all stages */
    enum shw_stage stage; /* of the next piece */
    bool finished;        /* there is no further piece */
    uint64_t forest;      /* used by the labeller */
    uint64_t labelling;   /* used by the labeller */
};

/* Records a part of a labelling, to time each stage by timestamps around its pieces, or to spread a long labelling over
 * several frames. Continues at *progress with `work` units (at least one step; 0: the rest of the stage), but not
 * beyond the end of the stage. All pieces of a labelling must have the same slot, inputs and targets, and be submitted
 * to one queue in order; a piece may be recorded and submitted while the previous one is running. Between them, slots
 * that share scratch memory must not be recorded. Only pieces of the stage channels use the inputs: they must be in use
 * `before` when the first piece executes, and are in use `after` when the last of the stage has; with an overlay, the
 * colour image is in use until the last piece has executed. The same holds for the targets and the last pieces of the
 * stage evaluate. With tiles, and with levels (docs/stacking.md), the stages follow
 * each other in every one: the images are in use from the first of these pieces in the first to the last in the last.
 * After a change of the forest or of the slot's image, begin again.
 * Results are those of shw_labeller_record(). Errors: ARGUMENT; nothing is recorded then. One thread at a time per
 * labeller. */
SHW_API enum shw_result shw_labeller_record_piece(struct shw_labeller *labeller, VkCommandBuffer commands,
                                                  uint32_t slot, const struct shw_inputs *inputs,
                                                  const struct shw_label_targets *targets, uint64_t work,
                                                  struct shw_labelling_progress *progress);

/* The work of each stage, by enum shw_stage. Within a stage all units take about the same time, which depends on stage,
 * technique and device. Errors: ARGUMENT. One thread at a time per labeller. */
SHW_API enum shw_result shw_labeller_get_work(struct shw_labeller *labeller, uint32_t slot,
                                              const struct shw_inputs *inputs, const struct shw_label_targets *targets,
                                              uint64_t work[SHW_STAGE_COUNT]);

#ifdef __cplusplus
}
#endif
#endif
