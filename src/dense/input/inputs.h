/* Inputs given by callers and data sets, checked and put in the order in which the channel list reads them. */
#ifndef SHW_DENSE_INPUT_INPUTS_H
#define SHW_DENSE_INPUT_INPUTS_H

#include <stdbool.h>

#include <shadewood/dataset.h>
#include <shadewood/forest.h>
#include <shadewood/input.h>

#include "dense/channels/channels.h"

/* In the list's order; NULL: the previous frame was not given. */
struct shw_chosen_inputs {
    const struct shw_input *of[SHW_INPUTS_MAX];
};

/* Checks images on the host. Errors: ARGUMENT. */
enum shw_result shw_inputs_choose(const struct shw_inputs *given, const struct shw_channel_list *list,
                                  const struct shw_log *log, struct shw_chosen_inputs *chosen);

/* The same of images of which only a part is in memory (shw_image_check_partial()). */
enum shw_result shw_inputs_choose_partial(const struct shw_inputs *given, const struct shw_channel_list *list,
                                          const struct shw_log *log, struct shw_chosen_inputs *chosen);

/* The inputs that the list reads of an example, which may have more: its colour image first. */
struct shw_inputs shw_example_inputs(const struct shw_labelled_image *example, const struct shw_channel_list *list,
                                     struct shw_input inputs[SHW_INPUTS_MAX]);

/* shw_inputs_choose() for an example. Errors: FORMAT. */
enum shw_result shw_inputs_choose_example(const struct shw_labelled_image *example, const struct shw_channel_list *list,
                                          const struct shw_log *log, struct shw_input inputs[SHW_INPUTS_MAX],
                                          struct shw_chosen_inputs *chosen);

/* Checks images on the device. Errors: ARGUMENT. */
enum shw_result shw_inputs_choose_uses(const struct shw_device *device, const struct shw_inputs *given,
                                       const struct shw_channel_list *list, const struct shw_log *log,
                                       struct shw_chosen_inputs *chosen);

/* Whether depth can be read from the input on the host; what is wrong is reported when it is chosen. */
bool shw_input_is_depth(const struct shw_input *input);

/* Whether barriers can be recorded from `before` and to `after`. Errors: ARGUMENT. */
enum shw_result shw_use_check(const struct shw_device *device, const struct shw_image_use *use, const char *name,
                              const struct shw_log *log);

/* Whether the samples of an input, at `index` of the list, have 16 bits, or will have. */
bool shw_plane_is_wide(const struct shw_channel_list *list, uint32_t index, const struct shw_input *input);

/* How what it stores is read: as the input says, or as the list does of planes whose range it states. */
struct shw_depth shw_input_scaling(const struct shw_channel_list *list, uint32_t index, const struct shw_input *input);

/* In the form that the channels stage takes. */
struct shw_channel_images shw_inputs_images(const struct shw_channel_list *list,
                                            const struct shw_chosen_inputs *chosen);

/* Whether the channels read an input of that name. */
bool shw_channels_read(const struct shw_channel_list *list, const char *name);

/* Adds the depth that a list of nothing but depth reads to `count` inputs, of which the colour image is the first and
 * none is a depth: that image itself, if it is 16-bit grey. There is room for one more. Returns their number. */
uint32_t shw_inputs_add_depth(struct shw_input *inputs, uint32_t count, const struct shw_channel_list *list);

/* Whether any sample has 16 bits, or will have; 8-bit samples are then widened (shw_source_input_expand()). */
bool shw_inputs_are_wide(const struct shw_channel_list *list, const struct shw_chosen_inputs *chosen);

#endif
