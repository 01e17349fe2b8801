/* Push constants of one tile. */
#ifndef SHW_DENSE_TRAVERSE_EVALUATE_PUSH_H
#define SHW_DENSE_TRAVERSE_EVALUATE_PUSH_H

#include "dense/traverse/evaluate_stage.h"
#include "shared/evaluate_push.h"

static inline struct shw_evaluate_push shw_evaluate_push_of(const struct shw_evaluate_stage *stage, uint32_t slot,
                                                            const struct shw_tile *tile)
{
    const struct shw_region *region = &tile->region;
    const struct shw_planes *integrals = &stage->integrals[slot], *leaves = &stage->slot[slot].leaves;
    const struct shw_planes *distribution = &stage->slot[slot].distribution;

    return (struct shw_evaluate_push){.image_x0 = -(int32_t)region->x,
                                      .image_y0 = -(int32_t)region->y,
                                      .image_x1 = (int32_t)region->full_width - (int32_t)region->x,
                                      .image_y1 = (int32_t)region->full_height - (int32_t)region->y,
                                      .region_width = (int32_t)region->width,
                                      .region_height = (int32_t)region->height,
                                      .tile_x = (int32_t)tile->x,
                                      .tile_y = (int32_t)tile->y,
                                      .tile_width = tile->width,
                                      .tile_height = tile->height,
                                      .trees = stage->trees,
                                      .classes = stage->classes,
                                      .texture_shift = shw_evaluate_stage_table(stage, slot)->texture_shift,
                                      .integral_stride = integrals->stride,
                                      .integral_pitch = integrals->stride * integrals->height,
                                      .leaf_stride = leaves->stride,
                                      .leaf_pitch = leaves->stride * leaves->height,
                                      .argmax_stride = stage->slot[slot].argmax.stride,
                                      .distribution_stride = distribution->stride,
                                      .distribution_pitch = distribution->stride * distribution->height,
                                      .reach_x0 = stage->reach.x0,
                                      .reach_y0 = stage->reach.y0,
                                      .reach_x1 = stage->reach.x1,
                                      .reach_y1 = stage->reach.y1};
}

#endif
