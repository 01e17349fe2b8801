/* What a recording writes: which part of the image, into which images and buffers, and whether that is possible. */
#ifndef SHW_DENSE_LABEL_RECORD_TARGETS_H
#define SHW_DENSE_LABEL_RECORD_TARGETS_H

#include "dense/label/labeller.h"
#include "vulkan/commands.h"

bool shw_targets_have_overlay(const struct shw_label_targets *targets);
bool shw_targets_have_any(const struct shw_label_targets *targets);

/* The part that is labelled, or all of the image. */
struct shw_part shw_targets_part(const struct shw_label_targets *targets, VkExtent2D image);

/* The buffer of a target, for a part, with what stands for zero: the format of results, strides without padding. */
struct shw_buffer_use shw_targets_buffer(const struct shw_label_targets *targets, uint32_t target,
                                         const struct shw_part *part);

/* The caller's use of it before and after. */
struct shw_use shw_buffer_use_before(const struct shw_buffer_use *use);
struct shw_use shw_buffer_use_after(const struct shw_buffer_use *use);

/* Checks part, images and buffers against the labeller and its inputs. Errors: ARGUMENT. */
enum shw_result shw_targets_check(const struct shw_labeller *labeller, const struct shw_chosen_inputs *chosen,
                                  const struct shw_label_targets *targets);

#endif
