/* A caller's technique in the place of ours. */
#ifndef SHW_EVALUATE_CUSTOM_STAGE_H
#define SHW_EVALUATE_CUSTOM_STAGE_H

#include <shadewood/stage.h>

#include "evaluate/evaluate_stage.h"
#include "evaluate/tiles.h"

struct shw_custom_stage {
    const struct shw_custom_technique *technique; /* NULL: there is none */
    struct shw_device *device;
    struct shw_custom_slot *slot;
    void *instance;
};

/* What is there when it is made; planes of the buffer form. */
struct shw_custom_stage_params {
    struct shw_device *device;
    const struct shw_custom_technique *technique; /* one on the device */
    const struct shw_forest *forest;
    const struct shw_planes *channels, *integrals; /* one a slot */
    const struct shw_evaluate_stage *evaluate; /* of shw_evaluate_custom_create(), for the stage evaluate; else NULL */
    uint32_t outputs, slots, width, height;
};

/* The technique that hands over as this one does: COMPUTE or CPU. */
enum shw_technique shw_custom_form(const struct shw_custom_technique *technique);

/* The forest's texture and what it means. */
struct shw_custom_forest shw_custom_forest_of(const struct shw_forest *forest);

/* Errors: MEMORY, the technique's own. On failure *stage is zero. */
enum shw_result shw_custom_stage_create(const struct shw_custom_stage_params *params, struct shw_custom_stage *stage);

/* Accepts a zero stage, and leaves one. */
void shw_custom_stage_destroy(struct shw_custom_stage *stage);

/* The frame that a tile is. */
struct shw_custom_frame shw_custom_frame_of(const struct shw_tile *tile);

/* Records channels or integrate, with barriers for the output: as shw_channels_stage_record() and
 * shw_integrate_stage_record(). */
void shw_custom_stage_record(struct shw_custom_stage *stage, VkCommandBuffer commands, uint32_t slot,
                             const struct shw_custom_frame *frame);

/* The stage evaluate for a caller's technique: planes for results, the forest in a buffer, and no programs. To be
 * destroyed with shw_evaluate_stage_destroy(). Errors: MEMORY, DEVICE_MEMORY, LIMIT. On failure the stage is zero. */
enum shw_result shw_evaluate_custom_create(struct shw_device *device, const struct shw_forest *forest, uint32_t outputs,
                                           uint32_t slots, uint32_t width, uint32_t height,
                                           struct shw_evaluate_stage *stage);

/* As shw_evaluate_stage_record(). */
void shw_evaluate_custom_record(struct shw_evaluate_stage *stage, struct shw_custom_stage *custom,
                                VkCommandBuffer commands, uint32_t slot, const struct shw_tile *tile);

#endif
