/* Shadewood in the engine: images to label, in the layouts they happen to have, and targets. */
#ifndef SHW_EMBED_SCENE_H
#define SHW_EMBED_SCENE_H

#include "engine.h"
#include "testing/labelling.h"
#include "testing/random_forest.h"

enum { OUTPUTS = 4 };

struct counts {
    const struct engine *engine;
    unsigned allocated, released;
    uint64_t bytes, mapped_bytes; /* allocated */
    unsigned limit;               /* no more than this many, unless 0 */
};

struct scene {
    struct engine engine;
    struct counts counts;
    struct testing_log memory;
    struct shw_device *device;
    struct shw_forest *forest;
};

void open_scene(struct scene *scene, const struct random_forest_params *forest);

/* With the feature synchronization2; false: the device lacks it, and the scene is as that of open_scene(). */
bool open_scene_synchronized(struct scene *scene, const struct random_forest_params *forest);
void close_scene(struct scene *scene);

/* A kind of source. */
extern const struct source_kind {
    VkFormat format;
    enum shw_pixel_format pixel;
    bool swap; /* red and blue */
} kinds[5];

/* What an image of 16-bit depth becomes. */
extern const struct source_kind depth_kind;

/* Swaps red and blue of texels of 4 bytes. */
void swap_colours(uint8_t *texels, size_t size);

/* What a frame owns besides its slot: a source and four targets, and buffers to fill and to read them. */
struct frame {
    struct engine_frame work;
    struct shw_image image; /* what the source will hold */
    uint32_t layers[OUTPUTS];
    struct shw_vulkan_image source, targets[OUTPUTS];
    VkImageView source_view;
    struct shw_buffer upload, source_back, back[OUTPUTS];
};

/* For the labels of a forest with so many trees and classes; owns the image's pixels. */
void open_frame(struct scene *scene, const struct source_kind *kind, struct shw_image image, uint32_t trees,
                uint32_t classes, struct frame *frame);
void close_frame(struct scene *scene, struct frame *frame);

/* Read by copies before, written by them after. */
struct shw_image_use source_use(const struct frame *frame);

/* `fresh`: nothing is in the target yet; else it was read from `general` layout the last time. */
struct shw_image_use target_use(const struct shw_vulkan_image *image, bool fresh);

/* All four. */
struct shw_label_targets target_uses(const struct frame *frame, bool fresh);

/* Around labelling, in a frame that has begun. */
void record_upload(struct scene *scene, struct frame *frame);
void record_readback(struct scene *scene, struct frame *frame, VkImageLayout layout);

/* Records a labelling in pieces of that much work; 0: at once. */
void record_labelling(struct shw_labeller *labeller, VkCommandBuffer commands, uint32_t slot,
                      const struct shw_inputs *inputs, const struct shw_label_targets *targets, uint64_t piece);

/* Waits for the frame, and compares everything with what the technique `cpu` gives by `forest`. */
void check_frame(struct scene *scene, const struct shw_forest *forest, struct frame *frame);

#endif
