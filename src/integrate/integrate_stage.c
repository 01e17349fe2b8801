#include "integrate/integrate_stage.h"

#include <stdlib.h>

#include "integrate/integral_techniques.h"
#include "vulkan/barrier.h"

struct shw_integrate_stage {
    struct shw_device *device;
    struct shw_integral_fragment *fragment;
    struct shw_integral_compute *compute;
};

enum shw_result shw_integrate_stage_create(struct shw_device *device, enum shw_technique technique,
                                           const struct shw_planes *inputs, const struct shw_planes *outputs,
                                           uint32_t slots, struct shw_integrate_stage **out)
{
    struct shw_integrate_stage *stage = calloc(1, sizeof *stage);
    enum shw_result result;

    if (stage == NULL)
        return shw_fail_memory(&device->log, "the integrate stage");
    stage->device = device;
    if (technique == SHW_TECHNIQUE_FRAGMENT)
        SHW_TRY(shw_integral_fragment_create(device, inputs, outputs, slots, &stage->fragment));
    else
        SHW_TRY(shw_integral_compute_create(device, inputs, outputs, slots, &stage->compute));
    *out = stage;
    return SHW_OK;

fail:
    free(stage);
    return result;
}

void shw_integrate_stage_destroy(struct shw_device *device, struct shw_integrate_stage **handle)
{
    struct shw_integrate_stage *stage = *handle;

    if (stage == NULL)
        return;
    shw_integral_fragment_destroy(device, &stage->fragment);
    shw_integral_compute_destroy(device, &stage->compute);
    free(stage);
    *handle = NULL;
}

void shw_integrate_stage_record(struct shw_integrate_stage *stage, struct shw_recording *recording, uint32_t slot,
                                uint32_t width, uint32_t height)
{
    if (stage->fragment != NULL)
        shw_integral_fragment_record(stage->fragment, recording, slot, width, height);
    else
        shw_integral_compute_record(stage->compute, recording, slot, width, height);
}

void shw_integrate_stage_record_many(struct shw_integrate_stage *stage, VkCommandBuffer commands, uint32_t first,
                                     uint32_t count, const struct shw_region *regions)
{
    struct shw_recording recording = shw_recording_whole(stage->device, commands);

    shw_memory_barrier(stage->device, commands, shw_use_compute_write, shw_use_compute_write);
    for (uint32_t s = 0; s < count; s++)
        shw_integral_compute_record_sums(stage->compute, &recording, first + s, regions[s].width, regions[s].height);
    shw_memory_barrier(stage->device, commands, shw_use_compute_write, shw_use_compute_write);
    for (uint32_t s = 0; s < count; s++)
        shw_integral_compute_record_tiles(stage->compute, &recording, first + s, regions[s].width, regions[s].height);
}
