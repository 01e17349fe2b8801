/* What a level says as inputs of the level above, on the device: its distributions become images, by a fragment pass or
 * by compute, with the bits of shw_posteriors_make(). */
#ifndef SHW_DENSE_CHANNELS_POSTERIOR_DEVICE_H
#define SHW_DENSE_CHANNELS_POSTERIOR_DEVICE_H

#include "dense/stage/tiles.h"
#include "vulkan/commands.h"
#include "vulkan/planes.h"

#define SHW_POSTERIOR_FORMAT VK_FORMAT_R8G8B8A8_UNORM

struct shw_posterior_passes;

struct shw_posterior_params {
    enum shw_planes_form form;             /* of distributions */
    uint32_t width, height;                /* of the largest image */
    uint32_t inputs;                       /* images */
    uint32_t slots, sets;                  /* `sets` of images, which the slots share in turn */
    const struct shw_planes *distribution; /* R16_UINT, one per slot, borrowed; one plane per class */
};

/* Bytes of a pixel of the images. */
static inline uint32_t shw_posterior_device_bytes(uint32_t inputs)
{
    return 4 * inputs;
}

/* Adds the images to an arena. Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED, LIMIT. */
enum shw_result shw_posterior_passes_add(struct shw_arena *arena, const struct shw_posterior_params *params,
                                         struct shw_posterior_passes **passes);

/* Creates everything that recording needs, once the arena and the distributions are made. Errors: as above; the passes
 * are then to be destroyed. */
enum shw_result shw_posterior_passes_create(struct shw_posterior_passes *passes);

/* Accepts a pointer to NULL. */
void shw_posterior_passes_destroy(struct shw_posterior_passes **passes);

/* Tile `number` of `count` of an image. */
struct shw_posterior_tile {
    uint32_t x, y, width, height; /* where it goes in the images; it begins at (0, 0) of the distributions */
    uint32_t number, count;
};

/* Records one tile. Distributions in images are in use shw_use_copy_source; those in buffers are ready for
 * shw_use_compute_read. `reader` is how the images are used between the last tile and the next recording's first. */
void shw_posterior_passes_record(struct shw_posterior_passes *passes, struct shw_recording *recording, uint32_t slot,
                                 const struct shw_posterior_tile *tile, uint32_t classes, struct shw_use reader);

/* Image number `input` of a slot, as a plain 2D image. */
VkImageView shw_posterior_passes_view(const struct shw_posterior_passes *passes, uint32_t slot, uint32_t input);

#endif
