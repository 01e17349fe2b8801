/* What the techniques `compute` and `fragment` have in common: the trees and the tables on the device, and the passes
 * that make levels of the caller's image. */
#ifndef SHW_DETECTION_DETECT_DEVICE_H
#define SHW_DETECTION_DETECT_DEVICE_H

#include "detection/detect/detector.h"
#include "detection/detect/device_tables.h"
#include "detection/detect/device_trees.h"
#include "vulkan/arena.h"
#include "vulkan/commands.h"
#include "vulkan/program.h"

struct shw_detect_device;

/* How windows are walked: what the techniques differ in. */
struct shw_detect_walker {
    /* Adds its buffers and images, for `device->most`, and makes everything that recording needs when they exist. */
    enum shw_result (*add)(struct shw_detect_device *device, void *state);
    enum shw_result (*create)(struct shw_detect_device *device, void *state);
    /* Releases what these have made; may be called twice. */
    void (*release)(struct shw_detect_device *device, void *state);
    /* Records everything after the first pass. */
    void (*record)(struct shw_detect_device *device, void *state, VkCommandBuffer commands, uint32_t slot);
    size_t size; /* of its state */
};

/* What belongs to one recording. */
struct shw_detect_slot {
    struct shw_buffer levels, tables;
    struct shw_detect_level_entry *entries; /* what `levels` holds */
    struct shw_device_tables layout;        /* of what they hold */
    VkExtent2D extent;                      /* of the image that they are for; zero: none yet */
    struct shw_detect_target target;        /* of the recording */
};

/* The images of shw_detector_run(). */
struct shw_detect_transfer {
    struct shw_vulkan_image source;
    VkImageView view; /* plain 2D */
    struct shw_buffer upload, found, readback;
    uint32_t capacity; /* of `found` and `readback` */
};

struct shw_detect_device {
    struct shw_detector_params params; /* the scan is resolved */
    const struct shw_cascade_info *info;
    struct shw_device *device;
    const struct shw_detect_walker *walker;
    void *state; /* of the walker */

    struct shw_device_trees trees;
    uint32_t width, height;        /* of the largest image that there is memory for; 0: no memory yet */
    struct shw_detect_plan plan;   /* of the last image */
    struct shw_device_tables most; /* of the largest image */
    uint32_t levels_most, octaves_most;
    struct shw_arena arena;
    struct shw_buffer cascade, planes, values, survivors, counters;
    struct shw_detect_slot *slots;
    struct shw_sets sets;             /* one for each slot, for all compute programs */
    struct shw_program grey[2];       /* of normalised values and of integers */
    struct shw_program again, levels; /* PIXELS: octaves beyond the fourth; levels */
    struct shw_detect_transfer transfer;
};

/* Members of struct shw_detect_technique. */
enum shw_result shw_detect_device_check(const struct shw_detector_params *params, const struct shw_log *log);
enum shw_result shw_detect_device_create(const struct shw_detector_params *params,
                                         const struct shw_detect_walker *walker, void **state);
void shw_detect_device_destroy(void *state);
enum shw_result shw_detect_device_run(void *state, const struct shw_image *image, struct shw_detections *found);
enum shw_result shw_detect_device_record(void *state, VkCommandBuffer commands, uint32_t slot,
                                         const struct shw_image_use *image, const struct shw_detect_target *target);

/* For walkers. The bindings of all compute programs are those of shared/detect_push.h. */
enum shw_result shw_detect_device_program(struct shw_detect_device *device, const char *name, struct shw_shader shader,
                                          const VkSpecializationInfo *constants, uint32_t push_bytes,
                                          struct shw_program *program);

/* Adds a buffer for the device alone. Errors: LIMIT, and those of shw_arena_add_buffer(). */
enum shw_result shw_detect_device_add(struct shw_detect_device *device, uint64_t bytes, VkBufferUsageFlags usage,
                                      const char *name, struct shw_buffer *buffer);

/* Writes a set of such a program for the slot's recording, whose SHW_DETECT_SOURCE is `source`. */
void shw_detect_device_bind(struct shw_detect_device *device, uint32_t slot, VkImageView source, VkDescriptorSet set);

/* Between two passes; `indirect`: the second one's size is what the first has written. */
void shw_detect_device_barrier(const struct shw_detect_device *device, VkCommandBuffer commands, bool indirect);

/* Records the making of levels `first` to first + count - 1 of PIXELS. */
void shw_detect_device_levels(const struct shw_detect_device *device, VkCommandBuffer commands, uint32_t slot,
                              uint32_t first, uint32_t count);

/* The push constants of a phase that have nothing to do with it. */
struct shw_detect_walk_push shw_detect_device_push(const struct shw_detect_device *device, uint32_t slot);

/* In device_memory.c. Makes or enlarges everything for images of a size. Errors: MEMORY, DEVICE_MEMORY, LIMIT,
 * UNSUPPORTED; nothing is left then, and the next call tries again. */
enum shw_result shw_detect_device_resize(struct shw_detect_device *device, uint32_t width, uint32_t height);
void shw_detect_device_release(struct shw_detect_device *device);

#endif
