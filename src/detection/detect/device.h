/* What the techniques `compute` and `fragment` have in common: the trees and the tables on the device, and the passes
 * that make levels of the caller's image. */
#ifndef SHW_DETECTION_DETECT_DEVICE_H
#define SHW_DETECTION_DETECT_DEVICE_H

#include <shadewood/detect.h>

#include "detection/detect/detector.h"
#include "detection/detect/plan.h"
#include "shared/detect_push.h"
#include "vulkan/commands.h"
#include "vulkan/planes.h"
#include "vulkan/program.h"

/* The tables by which shaders follow a plan: levels, positions and tiles (shaders/shared/detect_push.h). */

/* An image with something of each level, side by side and one below the other: `length` of the shelves. */
struct shw_device_shelves {
    uint32_t length, width, height;
};

struct shw_device_tables {
    uint64_t pairs;            /* of words, in the tables */
    uint64_t tiles;            /* of windows, at all angles */
    uint32_t first_tile;       /* in the tables */
    uint32_t first_level_tile; /* of parts of levels */
    uint32_t level_tiles;
    uint32_t row_tiles, line_tiles; /* HAAR, LBP: parts of levels are rows of integrals, and SHW_DETECT_GROUP lines */
    uint64_t plane_words, value_words;
    uint64_t integral_words;          /* HAAR, LBP: of one integral of all levels */
    struct shw_device_shelves atlas;  /* of an image that has a pixel for each window */
    struct shw_device_shelves mipmap; /* of one that has all levels; SCALED: the image itself */
};

/* How many integrals a cascade has: sums, of HAAR also of squares, and of tilted rectangles. Other kinds: 0. */
uint32_t shw_device_integrals(const struct shw_cascade_info *info);

/* What a plan needs; if it is for a smaller image than `most`, which may be NULL, nothing is more than that needs. */
void shw_device_tables_measure(const struct shw_cascade *cascade, const struct shw_scan *scan,
                               const struct shw_detect_plan *plan, const struct shw_device_tables *most,
                               struct shw_device_tables *tables);

/* Fills in an entry for each level, and the pairs. */
void shw_device_tables_write(const struct shw_cascade *cascade, const struct shw_scan *scan,
                             const struct shw_detect_plan *plan, const struct shw_device_tables *tables,
                             struct shw_detect_level_entry *levels, uint32_t *pairs);

/* The tiles of windows are in the order of angle and level, those of levels in the order of level. */
uint32_t shw_device_tables_tiles(const struct shw_detect_level *level, uint32_t angle);
uint32_t shw_device_tables_level_tiles(const struct shw_detect_level *level);

/* The trees of PIXELS and SCALED as shaders walk them: shaders/detection/detect/tree.glsl has the layout. */

struct shw_device_trees {
    bool complete;      /* all trees are padded to `depth` */
    uint32_t depth;     /* tests on the longest path */
    uint32_t margin;    /* of turned windows; SCALED: 1 if there are any */
    uint32_t leaves_at; /* in words */
    uint32_t tests_at;  /* in tests of a complete tree, otherwise in nodes */
    uint32_t tests;     /* of one angle */
    uint64_t words;     /* of everything */
};

/* Those of HAAR and LBP have another layout: shaders/detection/detect/rectangle_windows.comp. */

/* The layout for a resolved scan. */
void shw_device_trees_measure(const struct shw_cascade *cascade, const struct shw_scan *scan,
                              struct shw_device_trees *trees);

/* Fills in `words` words. */
void shw_device_trees_write(const struct shw_cascade *cascade, const struct shw_scan *scan,
                            const struct shw_device_trees *trees, int32_t *words);

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
    bool has_pyramid; /* of the kind */
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

/* Adds a buffer that only the device accesses. Errors: LIMIT, and those of shw_arena_add_buffer(). */
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

#endif
