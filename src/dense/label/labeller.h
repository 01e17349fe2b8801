/* Internals of the labeller. */
#ifndef SHW_DENSE_LABEL_LABELLER_H
#define SHW_DENSE_LABEL_LABELLER_H

#include <stdatomic.h>

#include <shadewood/label.h>

#include "dense/pipeline/pipeline.h"
#include "dense/pipeline/registry.h"

/* What pieces go on with: the labelling begun last in some scratch memory. */
struct shw_begun {
    uint64_t labelling; /* its number */
    uint32_t slot;
    VkExtent2D extent;
};

struct shw_labeller {
    struct shw_labeller_params params;
    enum shw_technique techniques[SHW_STAGE_COUNT]; /* as decided; may be CUSTOM */
    uint32_t margin;                                /* the distance in pixels within which other pixels influence one */
    struct shw_thread_pool *pool;                   /* if a stage runs on the CPU */
    atomic_bool interrupted;
    uint64_t labellings;     /* begun so far */
    uint64_t discarded;      /* those up to this number cannot go on */
    struct shw_begun *begun; /* by slot, but one if slots share memory */
    struct shw_pipeline pipeline;
};

/* Replaces `auto` by the fastest known technique that can do what the labeller is created for, by `compute` only where
 * nothing else can if `avoids_buffers`. For a custom technique, returns the built-in one with the same form of planes.
 */
void shw_labeller_decide(const struct shw_labeller_params *params, bool avoids_buffers,
                         enum shw_technique chosen[SHW_STAGE_COUNT]);

/* Whether the labeller records images in tiles, because the planes of the largest exceed the storage buffers. */
bool shw_labeller_tiles_recordings(const struct shw_labeller *labeller);

/* The tiles in which an image is recorded: one where it fits. False: there are none. */
bool shw_labeller_tile(const struct shw_labeller *labeller, VkExtent2D image, struct shw_tiling *tiling);

/* The regions of recordings: as large as the largest image, or of its tiles if it does not fit storage buffers;
 * *possible: there are some. The pipeline is one for these parameters, of which nothing has been made. Errors: those of
 * shw_pipeline_make(). */
enum shw_result shw_labeller_choose_recorded(const struct shw_labeller_params *params, struct shw_pipeline *pipeline,
                                             uint32_t margin, VkExtent2D *region, bool *possible);
enum shw_result shw_labeller_refuse_recorded(const struct shw_labeller_params *params,
                                             const struct shw_pipeline *pipeline, uint32_t margin);

/* The largest region of at most `pixels` pixels that may be processed at once. */
VkExtent2D shw_labeller_choose_region(const struct shw_labeller_params *params, const struct shw_pipeline *pipeline,
                                      const struct shw_tiling_limits *limits, uint64_t pixels);

/* How far other pixels influence one, in pixels. */
uint32_t shw_labeller_margin_of(const struct shw_forest *forest);

/* The pipeline's choice for each stage. */
void shw_labeller_get_choices(const struct shw_labeller_params *params,
                              struct shw_registry_choice choices[SHW_STAGE_COUNT]);

/* Checks the arguments of a recording, except handles that only its commands use, and sorts its inputs. Errors:
 * ARGUMENT. */
enum shw_result shw_labeller_check_recording(const struct shw_labeller *labeller, uint32_t slot,
                                             const struct shw_inputs *inputs, const struct shw_label_targets *targets,
                                             struct shw_chosen_inputs *chosen);

/* Checks these handles. Errors: ARGUMENT. */
enum shw_result shw_labeller_check_handles(const struct shw_labeller *labeller, VkCommandBuffer commands,
                                           const struct shw_chosen_inputs *chosen);

/* Errors: ARGUMENT if there is none. */
enum shw_result shw_labeller_check_targets(const struct shw_labeller *labeller, const struct shw_label_targets *given);

/* As shw_labeller_record(), but results stay in the slot's planes, where the bench reads them. */
enum shw_result shw_labeller_record_planes(struct shw_labeller *labeller, VkCommandBuffer commands, uint32_t slot,
                                           const struct shw_inputs *inputs);

/* Errors: ARGUMENT if the calibration is of another device. */
enum shw_result shw_labeller_check_calibration(const struct shw_labeller_params *params);

#endif
