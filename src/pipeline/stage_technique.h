/* Between what techniques are given and what the library has. */
#ifndef SHW_PIPELINE_STAGE_TECHNIQUE_H
#define SHW_PIPELINE_STAGE_TECHNIQUE_H

#include <shadewood/stage.h>

#include "pipeline/tiles.h"
#include "vulkan/planes.h"

/* The forest's texture and what it means. */
struct shw_stage_forest shw_stage_forest_of(const struct shw_forest *forest);

/* What every stage is made with on that device. */
struct shw_stage_create shw_stage_create_of(struct shw_device *device, const struct shw_forest *forest);

/* Planes under a name, of which `count` are told of. */
struct shw_stage_planes shw_stage_planes_of(const struct shw_planes *planes, const char *name, uint32_t count);

/* Host planes without padding. */
struct shw_stage_planes shw_stage_planes_host(const char *name, VkFormat format, void *host, uint32_t width,
                                              uint32_t height, uint32_t count);

/* The same planes as the library has them; they stay whose they are. */
struct shw_planes shw_planes_borrow(const struct shw_stage_planes *planes);

/* Those of every slot, or NULL when memory is short. To be freed. */
struct shw_planes *shw_planes_borrow_slots(const struct shw_stage_create *params, const char *name);

/* The frame that a tile is, and the tile that a frame is. */
struct shw_stage_frame shw_stage_frame_of(const struct shw_tile *tile);
struct shw_tile shw_stage_tile(const struct shw_stage_frame *frame);

#endif
