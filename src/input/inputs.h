/* Inputs that callers and data sets give, checked and put in the order in which channels read them. */
#ifndef SHW_INPUT_INPUTS_H
#define SHW_INPUT_INPUTS_H

#include <stdbool.h>

#include <shadewood/dataset.h>
#include <shadewood/forest.h>
#include <shadewood/input.h>

#include "channels/channels.h"

/* By the list's inputs; NULL: the frame before was left out. */
struct shw_chosen_inputs {
    const struct shw_input *of[SHW_INPUTS_MAX];
};

/* Checks images on the host. Errors: ARGUMENT. */
enum shw_result shw_inputs_choose(const struct shw_inputs *given, const struct shw_channel_list *list,
                                  const struct shw_log *log, struct shw_chosen_inputs *chosen);

/* What is read of an example, which may have more: its colour image, and of its inputs those that the list reads. */
struct shw_inputs shw_example_inputs(const struct shw_labelled_image *example, const struct shw_channel_list *list,
                                     struct shw_input inputs[SHW_INPUTS_MAX]);

/* As shw_inputs_choose(), of these. Errors: FORMAT. */
enum shw_result shw_inputs_choose_example(const struct shw_labelled_image *example, const struct shw_channel_list *list,
                                          const struct shw_log *log, struct shw_input inputs[SHW_INPUTS_MAX],
                                          struct shw_chosen_inputs *chosen);

/* Checks images on the device. Errors: ARGUMENT. */
enum shw_result shw_inputs_choose_uses(const struct shw_inputs *given, const struct shw_channel_list *list,
                                       const struct shw_log *log, struct shw_chosen_inputs *chosen);

/* Whether uses before and after are given that a barrier can lead from and to. Errors: ARGUMENT. */
enum shw_result shw_use_check(const struct shw_image_use *use, const char *name, const struct shw_log *log);

/* As the channels stage takes them. */
struct shw_channel_images shw_inputs_images(const struct shw_chosen_inputs *chosen);

/* Whether the channels read an input of that name. */
bool shw_channels_read(const struct shw_channel_list *list, const char *name);

/* Whether samples have 16 bits: of any of them, since smaller ones are widened to the same values. */
bool shw_inputs_are_wide(const struct shw_chosen_inputs *chosen, uint32_t count);

#endif
