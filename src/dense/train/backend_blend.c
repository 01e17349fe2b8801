/* The back end `blend` (Sharp 2008, section 4): `compute` with histograms counted by the graphics pipeline. */
#include "dense/train/backend_compute.h"
#include "dense/train/histogram_blend.h"

static const char *find_missing(const struct shw_device_description *device)
{
    return !device->has_graphics        ? "a queue family with graphics"
           : !device->blends_r32_sfloat ? "additive blending of R32_SFLOAT"
                                        : NULL;
}

static enum shw_result create(struct shw_trainer *trainer, struct shw_train_images *before, void **state)
{
    return shw_compute_create(trainer, before, &shw_counter_blend, state);
}

const struct shw_train_backend shw_train_backend_blend = {
    .technique = SHW_TECHNIQUE_BLEND,
    .find_missing = find_missing,
    .create = create,
    SHW_COMPUTE_FUNCTIONS,
};
