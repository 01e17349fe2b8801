/* The passes of the technique `blend`. */
#ifndef SHW_DENSE_TRAIN_PASSES_BLEND_H
#define SHW_DENSE_TRAIN_PASSES_BLEND_H

#include "dense/train/histogram_blend.h"

/* The push constants of a batch and a group. */
struct shw_blend_push shw_blend_push_of(const struct shw_histogram_blend *blend, const struct shw_train_push *push,
                                        const struct shw_blend_group *group);

/* Record leaf images of a group; responses to `layers` candidates from push->candidate on; points for these. */
void shw_blend_record_leaves(struct shw_train_compute *training, VkCommandBuffer commands,
                             const struct shw_blend_push *push);
void shw_blend_record_responses(struct shw_train_compute *training, VkCommandBuffer commands,
                                struct shw_blend_push push, uint32_t layers);
void shw_blend_record_points(struct shw_train_compute *training, VkCommandBuffer commands,
                             const struct shw_program *program, VkDescriptorSet set, const struct shw_blend_push *push,
                             uint32_t layers);

/* As record in struct shw_histogram_counter. */
bool shw_blend_record(struct shw_train_compute *training, VkCommandBuffer commands, struct shw_train_push *push,
                      const struct shw_compute_batch *batch, uint32_t *piece, uint64_t *work);

#endif
