/* Inputs whose depth is filled on the host. */
#ifndef SHW_DENSE_CHANNELS_FILL_INPUT_H
#define SHW_DENSE_CHANNELS_FILL_INPUT_H

#include <stdbool.h>

#include <shadewood/channels.h>
#include <shadewood/log.h>

#include "dense/channels/fill_simple.h"

/* The place of SHW_DEPTH among the list's inputs; 0: it reads none. */
uint32_t shw_fill_input(const struct shw_channel_list *list);

/* Whether channels of the list change by this filling. */
bool shw_fill_affects(enum shw_fill fill, const struct shw_channel_list *list);

#define SHW_FILL_WHY_SIZE 2048 /* it names the channels */

/* Whether `fill` is a value of enum shw_fill that can be used with the list; if not, writes the reason. */
bool shw_fill_check(enum shw_fill fill, const struct shw_channel_list *list, char why[SHW_FILL_WHY_SIZE]);

/* An image of 16-bit millimetres, of any part of which filled depth is made. */
struct shw_filled_input {
    struct shw_input input;
    uint16_t *pixels;
    size_t capacity; /* pixels */
};

/* Makes the pixels of the rectangle of `depth`; the others of *filled, which has its size, are undefined. *filled is
 * zero or has been made before, of any image. Errors: MEMORY (without a message). */
enum shw_result shw_filled_input_make(const struct shw_input *depth, struct shw_rect rect,
                                      struct shw_filled_input *filled);

/* Accepts a zero struct; leaves it zero. */
void shw_filled_input_free(struct shw_filled_input *filled);

#endif
