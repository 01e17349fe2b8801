/* Targets: what they can store, the passes that convert results to it, by a fragment pass or by compute, into planes
 * from which the caller's images are copied, and the conversion in memory. docs/library.md#targets defines what is
 * stored. */
#ifndef SHW_DENSE_TARGET_TARGET_H
#define SHW_DENSE_TARGET_TARGET_H

#include <shadewood/label.h>
#include <shadewood/stage.h>

#include "vulkan/commands.h"
#include "vulkan/planes.h"

enum { SHW_TARGETS = 6 };

/* A target, number 0 to SHW_TARGETS - 1: 1 << number is its enum shw_label_target. */
struct shw_target_traits {
    const char *name;
    uint32_t output;     /* enum shw_output flag that a labeller with the target has */
    const char *results; /* the planes that it is made from */
    uint32_t made_from;  /* SHW_MAKE_NUMBERS and so on (shared/target.h) */
    VkFormat format;     /* of its results; UNDEFINED: it is always converted */
};
const struct shw_target_traits *shw_target_get(uint32_t target);

/* Its part of these structs. */
VkFormat shw_target_format_of(const struct shw_target_formats *formats, uint32_t target);
const struct shw_image_use *shw_target_use(const struct shw_label_targets *targets, uint32_t target);
const struct shw_buffer_use *shw_target_buffer(const struct shw_label_targets *targets, uint32_t target);

/* The layers of its images with so many trees and classes, and with a forest. */
uint32_t shw_target_layers_of(uint32_t target, uint32_t trees, uint32_t classes);
uint32_t shw_target_layers(uint32_t target, const struct shw_forest_info *info);

/* How a format stores texels. */
struct shw_target_storing {
    struct shw_target_format format;
    VkFormat planes; /* the integers that are made, from which it is copied */
    uint32_t codes;  /* SHW_CODES_8 and so on (shared/target.h) */
    bool is_swapped; /* blue is first */
};

/* NULL: the target cannot have the format. */
const struct shw_target_storing *shw_target_storing_of(uint32_t target, VkFormat format);

/* Check that the target can have the format, and that it is made from one of these outputs. Errors: ARGUMENT. */
enum shw_result shw_target_check_format(uint32_t target, VkFormat format, const struct shw_log *log);
enum shw_result shw_target_check_output(uint32_t target, uint32_t outputs, const struct shw_log *log);

/* Checks that labels or leaves of the forest have numbers that the format of the target can store. Errors: ARGUMENT. */
enum shw_result shw_target_check_forest(uint32_t target, VkFormat format, const struct shw_forest *forest,
                                        const struct shw_log *log);

/* Checks that targets can have their formats, also with the forest, and that there are outputs to make them from.
 * Errors: ARGUMENT. */
enum shw_result shw_target_check_formats(const struct shw_target_formats *formats, uint32_t outputs,
                                         const struct shw_forest *forest, const struct shw_log *log);

/* Whether results are the texels. */
static inline bool shw_target_is_result(uint32_t target, const struct shw_target_storing *storing)
{
    return (storing->format.results >> target & 1) != 0;
}

/* Whether a target of that format is converted by a labeller with these formats. */
bool shw_target_is_made(const struct shw_target_formats *formats, uint32_t target, VkFormat format);

/* Overlays. */

/* How an overlay shows classes, as in struct shw_overlay_target. */
struct shw_overlay_style {
    uint32_t opacity;
    bool by_probability;
    const struct shw_class_paint *paints;
};
struct shw_overlay_style shw_overlay_style_of(const struct shw_overlay_target *target);

/* How it shows a class. */
struct shw_class_paint shw_overlay_paint(const struct shw_overlay_style *style, const struct shw_forest_info *info,
                                         uint32_t number);

/* Errors: ARGUMENT. */
enum shw_result shw_overlay_check(const struct shw_overlay_style *style, const struct shw_forest_info *info,
                                  uint32_t outputs, const struct shw_log *log);

/* Conversion in memory. */

/* A target in memory, and the results from which it is made: planes of width * height elements without padding. */
struct shw_target_memory {
    uint32_t target;
    const struct shw_target_storing *storing;
    const struct shw_forest_info *info;
    uint32_t width, height;
    struct shw_labelling results; /* which may be the target, where they are its texels */
    char *texels;
    size_t row_stride, plane_stride; /* bytes */
    /* Of overlays: */
    struct shw_overlay_style style;
    const struct shw_image *image; /* the colour image, */
    struct shw_part part;          /* and where the results are in it */
};

/* Converts a row of all planes. Any thread, for different rows. */
void shw_target_memory_make(const struct shw_target_memory *memory, uint32_t row);

/* Conversion on a device. */

struct shw_target_passes;

struct shw_target_params {
    struct shw_target_formats formats;
    enum shw_planes_form form;                               /* of results */
    uint32_t width, height;                                  /* of the largest region */
    uint32_t trees, classes;                                 /* of the largest forest */
    uint32_t slots, sets;                                    /* `sets` of planes, which the slots share in turn */
    uint32_t step;                                           /* in which planes are used, as in struct shw_span */
    bool keeps_planes;                                       /* as in struct shw_pipeline_params */
    const struct shw_planes *leaves, *distribution, *argmax; /* results, one per slot, borrowed, or NULL */
};

/* Whether there is something to convert. */
bool shw_target_wanted(const struct shw_target_formats *formats);

/* Bytes of a pixel of planes, in total and of the target that has the most. */
struct shw_target_bytes {
    uint64_t total, widest;
};
struct shw_target_bytes shw_target_bytes(const struct shw_target_formats *formats, uint32_t trees, uint32_t classes);

/* Adds planes to an arena. Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED, LIMIT. */
enum shw_result shw_target_passes_add(struct shw_arena *arena, const struct shw_target_params *params,
                                      struct shw_target_passes **passes);

/* Creates everything that recording needs, once the arena and the results are made. Errors: as above; the passes are
 * then to be destroyed. */
enum shw_result shw_target_passes_create(struct shw_target_passes *passes);

/* Accepts a pointer to NULL. */
void shw_target_passes_destroy(struct shw_target_passes **passes);

/* A tile of a target. */
struct shw_target_job {
    uint32_t target;
    const struct shw_target_storing *storing;
    const struct shw_forest_info *info;
    uint32_t width, height; /* results */
    uint32_t x, y;          /* where it is in the results */
    /* Of overlays: */
    const struct shw_overlay_target *overlay;
    const struct shw_stage_source *source; /* the colour image */
    uint32_t source_x, source_y, step;     /* where the tile is in it, and from the pixel of a result to the next */
    bool is_first;                         /* of the labelling: the view is bound, and colours are written */
};

/* Records the conversion of a tile to the planes of shw_target_passes_made(), which are then in use
 * shw_use_copy_source. Results in images are in use shw_use_copy_source, before and after; those in buffers are ready
 * for shw_use_compute_read. No recording of the slot may be pending. */
void shw_target_passes_record(struct shw_target_passes *passes, struct shw_recording *recording, uint32_t slot,
                              const struct shw_target_job *job);

const struct shw_planes *shw_target_passes_made(const struct shw_target_passes *passes, uint32_t target, uint32_t slot);

#endif
