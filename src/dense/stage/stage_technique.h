/* Conversions between the structs that techniques see and the library's own. */
#ifndef SHW_DENSE_STAGE_STAGE_TECHNIQUE_H
#define SHW_DENSE_STAGE_STAGE_TECHNIQUE_H

#include <shadewood/stage.h>

#include "dense/stage/tiles.h"
#include "vulkan/planes.h"

/* Begins an instance of a built-in technique on the device, for which create() is called later with the same
 * parameters, and adds its buffers and images to the arena. The planes have sizes, but do not exist yet. */
typedef enum shw_result shw_stage_add(void *user, const struct shw_stage_create *params, struct shw_arena *arena,
                                      void **instance);

/* A technique in a pipeline. Built-in ones on the device have `add` instead of get_memory; otherwise it is NULL. */
struct shw_pipeline_technique {
    const struct shw_stage_technique *technique;
    shw_stage_add *add;
};

/* Describes the first `count` planes under a name. */
struct shw_stage_planes shw_stage_planes_of(const struct shw_planes *planes, const char *name, uint32_t count);

/* Describes host planes without padding. */
struct shw_stage_planes shw_stage_planes_host(const char *name, VkFormat format, void *host, uint32_t width,
                                              uint32_t height, uint32_t count);

/* The library's planes for a description. They still belong to their owner. */
struct shw_planes shw_planes_borrow(const struct shw_stage_planes *planes);

/* The planes of that name in every slot, to be freed with free(); NULL if out of memory. */
struct shw_planes *shw_planes_borrow_slots(const struct shw_stage_create *params, const char *name);

/* Conversions between tile and frame. */
struct shw_stage_frame shw_stage_frame_of(const struct shw_tile *tile);
struct shw_tile shw_stage_tile(const struct shw_stage_frame *frame);

#endif
