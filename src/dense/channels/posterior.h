/* What the level below says about an image, as inputs and channels of the level above: docs/stacking.md. The shares of
 * three classes are the R, G and B of an 8-bit image, an input named posterior-N. */
#ifndef SHW_DENSE_CHANNELS_POSTERIOR_H
#define SHW_DENSE_CHANNELS_POSTERIOR_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/channels.h>
#include <shadewood/input.h>

#include "dense/channels/channels.h"
#include "shared/posterior.h"
#include "shared/rectangle.h"

#define SHW_POSTERIOR_INPUTS 10u /* at most */

static inline uint32_t shw_posterior_inputs(uint32_t classes)
{
    return (classes + SHW_POSTERIOR_CLASSES - 1) / SHW_POSTERIOR_CLASSES;
}

/* The name of input `number` < SHW_POSTERIOR_INPUTS; whether a name is one of these. */
const char *shw_posterior_name(uint32_t number);
bool shw_posterior_is_name(const char *input);

/* The number of an input with such a name. */
uint32_t shw_posterior_number(const char *input);

/* The number of such inputs that a list reads, each of which must be there, from 0 on. */
uint32_t shw_posterior_count(const struct shw_channel_list *list);

/* Adds the channels of `classes` classes to those of an image. If they do not fit, `why` gives the reason. */
bool shw_posterior_add(const struct shw_channel_list *image, const struct shw_channel_kinds *kinds, uint32_t classes,
                       struct shw_channel_list *list, char why[SHW_CHANNEL_WHY_SIZE]);

/* Checks that a list reads what a level below of `classes` classes gives, or nothing if there is no level below (0). */
bool shw_posterior_check(const struct shw_channel_list *list, uint32_t classes, char why[SHW_CHANNEL_WHY_SIZE]);

/* The inputs, of a rectangle of an image. */
struct shw_posteriors {
    uint8_t *pixels; /* input after input */
    struct shw_rect rect;
    uint32_t width, height; /* of the image */
    uint32_t count;
    struct shw_input inputs[SHW_POSTERIOR_INPUTS];
};

/* Bytes of a pixel. */
static inline uint32_t shw_posterior_bytes(uint32_t classes)
{
    return SHW_POSTERIOR_CLASSES * shw_posterior_inputs(classes);
}

/* Makes the inputs of distributions, `classes` planes of the rectangle. The images are as large as the whole one, but
 * only the pixels in the rectangle are there: no others may be read. Errors: MEMORY (without a message). */
enum shw_result shw_posteriors_make(const uint16_t *distribution, uint32_t classes, struct shw_rect rect,
                                    uint32_t width, uint32_t height, struct shw_posteriors *posteriors);

/* Accepts zero. */
void shw_posteriors_free(struct shw_posteriors *posteriors);

#endif
