/* Internals of the labeller. */
#ifndef SHW_DENSE_LABEL_LABELLER_H
#define SHW_DENSE_LABEL_LABELLER_H

#include <stdatomic.h>

#include <shadewood/label.h>

#include "dense/pipeline/pipeline.h"
#include "dense/pipeline/registry.h"

/* What the next piece continues: the labelling begun last in some scratch memory. */
struct shw_begun {
    uint64_t labelling; /* its number */
    uint32_t slot;
    VkExtent2D extent;
    struct shw_part part;
};

/* What the level above reads of this one on the device, as in struct shw_pipeline_params; zero: nothing, or there is
 * none. */
struct shw_level_link {
    uint32_t posteriors;
    struct shw_use reader;
};

struct shw_labeller {
    struct shw_labeller_params params;
    enum shw_technique techniques[SHW_STAGE_COUNT]; /* as decided; may be CUSTOM */
    uint32_t margin;                                /* the distance in pixels within which other pixels influence one */
    struct shw_thread_pool *pool;                   /* if a stage runs on the CPU */
    bool keeps_smoothing;                           /* it is not the forest's */
    atomic_bool interrupted;
    uint64_t labellings;     /* begun so far */
    uint64_t discarded;      /* those up to this number cannot continue */
    struct shw_begun *begun; /* by slot, but one if slots share memory */
    struct shw_pipeline pipeline;
    struct shw_level_link link;
    struct shw_labeller *below; /* of the level below, or NULL */
    void *results;              /* of shw_labeller_run_targets(), kept for its next call, or NULL */
    size_t results_bytes;
};

/* Replaces `auto` by the fastest known technique that can do what the labeller is created for, by `compute` only where
 * nothing else can if `avoids_buffers`. For a custom technique, returns the built-in one with the same form of planes.
 */
void shw_labeller_decide(const struct shw_labeller_params *params, bool avoids_buffers,
                         enum shw_technique chosen[SHW_STAGE_COUNT]);

/* As shw_labeller_create() and shw_labeller_get_memory(), for a level below another. */
enum shw_result shw_labeller_create_level(const struct shw_labeller_params *params, const struct shw_level_link *link,
                                          struct shw_labeller **labeller);
enum shw_result shw_labeller_get_level_memory(const struct shw_labeller_params *params,
                                              const struct shw_level_link *link, struct shw_labeller_memory *memory);

/* Whether all stages of this level are on the device. */
static inline bool shw_labeller_on_device(const struct shw_labeller *labeller)
{
    return !shw_pipeline_uses_host(&labeller->pipeline);
}

/* Whether this level and those below it are to be recorded, if the latter have such techniques. */
static inline bool shw_labeller_records(const struct shw_labeller *labeller)
{
    return shw_labeller_on_device(labeller) && labeller->params.width > 0;
}

/* Whether distributions and labels are smoothed. */
bool shw_labeller_smooths(const struct shw_labeller_params *params);
#define SHW_SMOOTHING_INCLUDED ", smoothing included" /* in messages about its reach */

/* The largest region of at most `pixels` pixels that may be processed at once. */
VkExtent2D shw_labeller_region(const struct shw_labeller_params *params, const struct shw_pipeline *pipeline,
                               const struct shw_tiling_limits *limits, uint64_t pixels);

/* The tile for a part of an image with this level, if it is one. */
bool shw_labeller_one_tile(const struct shw_labeller *labeller, const struct shw_image *image,
                           const struct shw_part *part, struct shw_tile *tile);

/* Whether the labeller records images in tiles, because the planes of the largest exceed the storage buffers. */
bool shw_labeller_tiles_recordings(const struct shw_labeller *labeller);

/* The tiles in which a part of an image is recorded: one where it fits. False: there are none. */
bool shw_labeller_tile(const struct shw_labeller *labeller, VkExtent2D image, const struct shw_part *part,
                       struct shw_tiling *tiling);

/* Checks that it is a part of an image of that size. Errors: ARGUMENT. */
enum shw_result shw_part_check(const struct shw_part *part, uint32_t width, uint32_t height, const struct shw_log *log);

/* Whether distributions are smoothed by the host, after the tiles. */
bool shw_labeller_smooths_on_host(const struct shw_labeller *labeller);

/* As shw_labeller_run_part(), for images of which only what is within reach of the part is in memory: their first pixel
 * may not be there, and their sides may be up to SHW_LARGE_SIDE_MAX. */
enum shw_result shw_labeller_run_large(struct shw_labeller *labeller, const struct shw_inputs *inputs,
                                       const struct shw_part *part, const struct shw_labelling *out);

/* As shw_labeller_record(), but results stay in the slot's planes, where the bench reads them. */
enum shw_result shw_labeller_record_planes(struct shw_labeller *labeller, VkCommandBuffer commands, uint32_t slot,
                                           const struct shw_inputs *inputs);

#endif
