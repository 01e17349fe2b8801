/* Detection: a cascade evaluated at every window of an image. Part of Shadewood; MIT licence, see LICENSE.
 *
 * docs/detection.md defines which windows there are and every step of the arithmetic, which is in integers: all
 * techniques find the same windows with the same scores, bit for bit. */
#ifndef SHADEWOOD_DETECT_H
#define SHADEWOOD_DETECT_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/api.h>
#include <shadewood/cascade.h>
#include <shadewood/device.h>
#include <shadewood/image.h>
#include <shadewood/log.h>
#include <shadewood/memory.h>
#include <shadewood/technique.h>
#include <shadewood/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A rectangle of the image, in pixels: 32 bytes, as it is in buffers on the device. */
struct shw_detection {
    int32_t x, y; /* the left and top pixel; of the window before it is turned by `angle` */
    uint32_t width, height;
    int32_t score;       /* of the last stage, less the cascade's score_base, in units of 2^-fraction_bits */
    uint32_t level;      /* of the scan, from 0, the finest, on */
    uint32_t angle;      /* of the scan, in 1/32 of a full turn counter-clockwise */
    uint32_t neighbours; /* windows that were grouped into it; 1: a window as it was found */
};

/* Which windows are tested. All zero: the defaults of the cascade. */
struct shw_scan {
    uint32_t min_size, max_size; /* of windows in pixels of the image (the smaller of width and height); 0: any */
    uint32_t levels_per_octave;  /* PIXELS: N, each level is 2^(1/N) smaller than the one before; 1 to 16 */
    double scale_factor;         /* SCALED, HAAR, LBP: above 1.01, at most 10 */
    double stride;          /* SCALED: from window to window, of their size, at most 10, at least one pixel; 0: 0.1 */
    uint32_t step;          /* PIXELS: from window to window, pixels of the level; 0: 1. HAAR, LBP: 0: as OpenCV does
                               (2 where the scale is below 2, otherwise 1, and after a window that the first stage
                               rejects the next one is left out); otherwise all windows, that far apart */
    uint32_t angle_count;   /* angles to try; 0: upright only. PIXELS and SCALED with square windows only */
    const uint32_t *angles; /* each below 32 and given once, in 1/32 of a full turn counter-clockwise */
};

/* Variants of the technique `compute` (Jurak 2015, 5.6), each of which adds to the one before; they differ only in
 * speed. */
enum shw_detect_variant {
    SHW_DETECT_BEST = 0,   /* the fastest known: REGROUP, and late stages with several lanes a window */
    SHW_DETECT_GLOBAL = 1, /* trees in a storage buffer, a dispatch per level */
    SHW_DETECT_SHARED = 2, /* trees in memory shared by a work group */
    SHW_DETECT_MIPMAP = 3, /* all levels in one image and one dispatch */
    SHW_DETECT_REGROUP = 4 /* surviving windows are regrouped after some stages */
};

/* "best", "global", "shared", "mipmap", "regroup"; NULL for other values. Any thread. */
SHW_API const char *shw_detect_variant_name(enum shw_detect_variant variant);

/* The most entries of shw_detector_params.regroup. */
#define SHW_DETECT_REGROUP_MAX 8u

/* Parameters of shw_detector_create(). Zero means the default at the field. */
struct shw_detector_params {
    const struct shw_cascade *cascade; /* borrowed */
    struct shw_device *device;         /* borrowed; NULL allows `cpu` only */
    enum shw_technique technique;      /* AUTO, CPU, COMPUTE or FRAGMENT */
    enum shw_detect_variant variant;   /* of `compute` */
    struct shw_scan scan;              /* copied */
    /* `compute`: after how many stages survivors are regrouped, increasing; NULL: chosen by the cascade's counts of
     * survivors, otherwise after 8, 32, 128 and 512 stages. */
    const uint32_t *regroup;
    uint32_t regroup_count; /* at most SHW_DETECT_REGROUP_MAX */
    uint32_t width, height; /* the largest image. 0: any (shw_detector_run() only, which then allocates as needed) */
    uint32_t slots;         /* recordings that may be in flight at once, at most SHW_SLOTS_MAX; 0 means 1 */
    uint32_t threads;       /* of the technique `cpu`; 0 means one per processor */
    struct shw_log log;
};

struct shw_detector;

/* Allocates all memory, pipelines and descriptors that recording needs. Errors: ARGUMENT, UNSUPPORTED, LIMIT, MEMORY,
 * DEVICE_MEMORY, DEVICE_LOST. Any thread. */
SHW_API enum shw_result shw_detector_create_abi(uint32_t abi, const struct shw_detector_params *params,
                                                struct shw_detector **detector);
static inline enum shw_result shw_detector_create(const struct shw_detector_params *params,
                                                  struct shw_detector **detector)
{
    return shw_detector_create_abi(SHW_ABI, params, detector);
}

/* Destroys *detector and sets it to NULL; accepts NULL and a pointer to NULL. Nothing that was recorded may still be
 * running. */
SHW_API void shw_detector_destroy(struct shw_detector **detector);

/* The technique, with AUTO resolved. Any thread. */
SHW_API enum shw_technique shw_detector_get_technique(const struct shw_detector *detector);

/* How many windows there are in an image of that size: at all angles, including those that OpenCV's rule skips. Any
 * thread. */
SHW_API uint64_t shw_detector_count_windows(const struct shw_detector *detector, uint32_t width, uint32_t height);

/* The windows found, or groups of them. */
struct shw_detections {
    uint32_t count;
    struct shw_detection *items; /* to be freed with shw_free(); NULL if there are none */
};

/* Finds the windows that pass all stages, in the order of angle, level, y and x, and waits. The image may have any
 * format of the host; 16-bit samples are read by their upper 8 bits. Uses a queue and memory of the detector's own, so
 * it needs a device of shw_device_create(), or `cpu`. Errors: ARGUMENT, LIMIT, MEMORY, DEVICE_MEMORY, DEVICE_LOST,
 * CANCELLED. One thread at a time per detector. */
SHW_API enum shw_result shw_detector_run(struct shw_detector *detector, const struct shw_image *image,
                                         struct shw_detections *found);

/* Makes a shw_detector_run() on another thread return CANCELLED soon (`cpu` stops within an image, other techniques
 * after it), and later ones at once. Nothing is found then, and the detector can only be destroyed. Recordings are not
 * affected. Any thread, while the detector exists. Accepts NULL. */
SHW_API void shw_detector_interrupt(struct shw_detector *detector);

/* The number of windows that were left after each stage, summed over all runs by `cpu` since creation: `count` is the
 * cascade's number of stages plus one, the first is the number of windows that were tested. Errors: ARGUMENT if the
 * technique is another one. One thread at a time per detector. */
SHW_API enum shw_result shw_detector_get_survivors(const struct shw_detector *detector, uint64_t *survivors,
                                                   uint32_t count);

/* Where a recording writes, in a buffer of the caller with the usages STORAGE_BUFFER and TRANSFER_DST: first four
 * words, of which word 0 is the number of windows found and the others are zero, and then as many struct shw_detection
 * as were found, at most `capacity`, in unspecified order. If more are found, word 0 says how many, and which are
 * written is unspecified. */
struct shw_detect_target {
    VkBuffer buffer;
    VkDeviceSize offset; /* a multiple of VkPhysicalDeviceLimits.minStorageBufferOffsetAlignment */
    uint32_t capacity;
    /* The buffer's use before and after, by the pipeline stages and accesses that the caller names. */
    VkPipelineStageFlags2 before_stage, after_stage;
    VkAccessFlags2 before_access, after_access;
};

/* Records the detection in an image on the device into the caller's command buffer: nothing goes to the host and back.
 * The view must be 2D, sampled, of a format of shw_source_format_get(), and no larger than the detector's width and
 * height. Does not submit, wait or allocate. A slot may be recorded again when its previous recording has finished on
 * the device; recordings need not be executed. All slots use the same memory, so that they must be submitted to one
 * queue, where each waits for those before. Command buffer and states are as for shw_labeller_record(); the device
 * waits for what the uses of image and buffer state, and for earlier commands of the queue in the stages
 * COMPUTE_SHADER and DRAW_INDIRECT, by `fragment` FRAGMENT_SHADER and COLOR_ATTACHMENT_OUTPUT as well. Errors:
 * ARGUMENT, and LIMIT for a smaller image than the detector's that nevertheless has more levels. One thread at a time
 * per detector. */
SHW_API enum shw_result shw_detector_record(struct shw_detector *detector, VkCommandBuffer commands, uint32_t slot,
                                            const struct shw_image_use *image, const struct shw_detect_target *target);

/* How windows that show the same object become one. */
enum shw_group_method {
    SHW_GROUP_DEFAULT = 0, /* the default of the cascade's kind: SUPPRESS for PIXELS, CLUSTER for SCALED, MEAN for
                              HAAR and LBP */
    SHW_GROUP_NONE = 1,
    SHW_GROUP_MEAN = 2,    /* classes of similar rectangles become their mean, those of few are dropped (OpenCV's
                              groupRectangles) */
    SHW_GROUP_CLUSTER = 3, /* connected components of rectangles that overlap become their mean, scores add (pico) */
    SHW_GROUP_SUPPRESS = 4 /* non-maximum suppression: the best score is kept, what overlaps it is dropped */
};
#define SHW_GROUP_METHOD_COUNT 5u

/* What DEFAULT stands for; DEFAULT if `kind` is none. Any thread. */
SHW_API enum shw_group_method shw_group_method_default(enum shw_cascade_kind kind);

/* How windows that overlap become one detection. */
struct shw_group_params {
    enum shw_group_method method;
    uint32_t min_neighbours; /* of MEAN and CLUSTER: groups with fewer windows are dropped; 0: 4 for MEAN, otherwise 1.
                                OpenCV's minNeighbors, 3, is one less, since it also drops groups of that size */
    double epsilon;          /* of MEAN: sides may differ by this part of the sizes, at most 10; 0: 0.2 */
    double overlap;          /* of CLUSTER and SUPPRESS: intersection over union above which rectangles belong together,
                                at most 1; 0: 0.3 */
    int32_t min_score;       /* groups with a lower score are dropped; in the units of struct shw_detection */
    bool has_min_score;
};

/* Groups in place; the result is sorted by falling score, then x, y, width, and does not depend on the order before. A
 * group has the level and the angle of its best window; its score is that window's, or with CLUSTER the sum, at most
 * INT32_MAX. DEFAULT needs the kind of cascade, which is otherwise not read. The arithmetic is in
 * integers: `overlap` counts in units of 2^-30 and `epsilon` in units of 2^-28, rounded up. Takes time in proportion to
 * the square of the number of windows side by side, or with SUPPRESS to that of windows times groups. On failure the
 * windows are the same, but may be in another order. Errors: ARGUMENT, MEMORY. Any thread. */
SHW_API enum shw_result shw_detections_group_abi(uint32_t abi, struct shw_detections *detections,
                                                 enum shw_cascade_kind kind, const struct shw_group_params *params,
                                                 const struct shw_log *log);
static inline enum shw_result shw_detections_group(struct shw_detections *detections, enum shw_cascade_kind kind,
                                                   const struct shw_group_params *params, const struct shw_log *log)
{
    return shw_detections_group_abi(SHW_ABI, detections, kind, params, log);
}

/* Grouping on the device, behind shw_detector_record(): the same groups in the same order as those of
 * shw_detections_group(), bit for bit, without going to the host and back. */

/* The most windows that a grouper takes. */
#define SHW_GROUPER_WINDOWS_MAX 4096u

/* Parameters of shw_grouper_create(). Zero means the default at the field. */
struct shw_grouper_params {
    struct shw_device *device;     /* borrowed */
    enum shw_cascade_kind kind;    /* read if the method is DEFAULT */
    struct shw_group_params group; /* as of shw_detections_group() */
    uint32_t windows;      /* the largest capacity of targets of windows; 0: SHW_GROUPER_WINDOWS_MAX, the most */
    uint32_t vertex_count; /* that an indirect draw has for each group; 0: 4, those of a strip */
    uint32_t slots;        /* recordings that may be in flight at once, at most SHW_SLOTS_MAX; 0 means 1 */
    struct shw_log log;
};

struct shw_grouper;

/* Allocates all memory, pipelines and descriptors that recording needs: about 100 bytes a window. Errors: ARGUMENT,
 * UNSUPPORTED, MEMORY, DEVICE_MEMORY, DEVICE_LOST. Any thread. */
SHW_API enum shw_result shw_grouper_create_abi(uint32_t abi, const struct shw_grouper_params *params,
                                               struct shw_grouper **grouper);
static inline enum shw_result shw_grouper_create(const struct shw_grouper_params *params, struct shw_grouper **grouper)
{
    return shw_grouper_create_abi(SHW_ABI, params, grouper);
}

/* Destroys *grouper and sets it to NULL; accepts NULL and a pointer to NULL. Nothing that was recorded may still be
 * running. */
SHW_API void shw_grouper_destroy(struct shw_grouper **grouper);

/* What a grouper writes before the groups: 32 bytes. The first four words are a VkDrawIndirectCommand. */
struct shw_group_header {
    uint32_t vertex_count;                 /* of struct shw_grouper_params */
    uint32_t instance_count;               /* groups that are written: those found, at most the capacity */
    uint32_t first_vertex, first_instance; /* 0 */
    uint32_t found;                        /* groups found; if more than were written, those with the lowest scores are
                                              missing, as the order is that of shw_detections_group() */
    uint32_t windows;   /* windows found. More than the capacity of their target: nothing was grouped,
                           since which of them were written is unspecified; the counts are 0 */
    uint32_t unused[2]; /* 0 */
};

/* Where a grouper writes, in a buffer of the caller with the usage STORAGE_BUFFER, and INDIRECT_BUFFER if it is to be
 * drawn from: a struct shw_group_header, and then `instance_count` of struct shw_detection. */
struct shw_group_target {
    VkBuffer buffer;
    VkDeviceSize offset; /* a multiple of VkPhysicalDeviceLimits.minStorageBufferOffsetAlignment */
    uint32_t capacity;   /* groups; 0: they are only counted */
    /* The buffer's use before and after, by the pipeline stages and accesses that the caller names: for a draw
     * DRAW_INDIRECT with INDIRECT_COMMAND_READ, and the stage and the access with which a shader reads the groups. */
    VkPipelineStageFlags2 before_stage, after_stage;
    VkAccessFlags2 before_access, after_access;
};

/* Records the grouping of windows that shw_detector_record() finds into the caller's command buffer, or of windows of
 * the caller's in the same layout. `windows` is the target that was given to it, with the same uses: the grouper takes
 * up the buffer after its `after_stage` and `after_access`, only reads it, and leaves it to them again. The windows
 * must not overlap the groups. Does not submit, wait or allocate. A slot may be recorded again when its previous
 * recording has finished on the device; recordings need not be executed. All slots use the same memory, so that they
 * must be submitted to one queue, where each waits for the compute shaders before. The queue family needs COMPUTE, and
 * the command buffer must be outside of a render pass; its bound compute pipeline, descriptor sets and push constants
 * are replaced. Takes time in proportion to the square of the number of windows, with SUPPRESS to that of windows times
 * groups. Errors: ARGUMENT. One thread at a time per grouper. */
SHW_API enum shw_result shw_grouper_record(struct shw_grouper *grouper, VkCommandBuffer commands, uint32_t slot,
                                           const struct shw_detect_target *windows,
                                           const struct shw_group_target *target);

#ifdef __cplusplus
}
#endif
#endif
