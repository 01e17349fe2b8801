#include "dense/stage/passes.h"

#include <stdlib.h>

#include "base/log.h"

struct instance {
    const struct shw_passes *variant;
    struct shw_device *device;
    struct shw_planes *inputs, *outputs; /* one per slot */
    void *passes;
};

void shw_passes_destroy(void *handle)
{
    struct instance *instance = handle;

    instance->variant->destroy(instance->device, instance->passes);
    free(instance->inputs);
    free(instance->outputs);
    free(instance);
}

enum shw_result shw_passes_add(void *user, const struct shw_stage_create *params, struct shw_arena *arena, void **out)
{
    struct instance *instance = calloc(1, sizeof *instance);
    const struct shw_passes *variant = user;
    enum shw_result result;

    if (instance == NULL)
        return shw_fail_memory(&params->log, "a technique");
    instance->variant = variant;
    instance->device = params->owner;
    instance->inputs = variant->reads != NULL ? shw_planes_borrow_slots(params, variant->reads) : NULL;
    instance->outputs = shw_planes_borrow_slots(params, variant->makes);
    result = (variant->reads != NULL && instance->inputs == NULL) || instance->outputs == NULL
                 ? shw_fail_memory(&params->log, "a technique")
                 : variant->add(arena, params, variant->form, instance->inputs, instance->outputs, &instance->passes);
    if (result == SHW_OK)
        *out = instance;
    else
        shw_passes_destroy(instance);
    return result;
}

enum shw_result shw_passes_create(void *user, const struct shw_stage_create *params, void **out)
{
    struct instance *instance = *out;
    const struct shw_passes *variant = user;

    for (uint32_t s = 0; s < params->slots; s++) {
        if (variant->reads != NULL)
            instance->inputs[s] = shw_planes_borrow(shw_stage_find(&params->slot[s], variant->reads));
        instance->outputs[s] = shw_planes_borrow(shw_stage_find(&params->slot[s], variant->makes));
    }
    return variant->create(instance->device, instance->passes);
}

enum shw_result shw_passes_make(const struct shw_passes *variant, const struct shw_stage_create *params,
                                const struct shw_planes *inputs, const struct shw_planes *outputs,
                                struct shw_arena *arena, void **passes)
{
    *passes = NULL;
    shw_arena_begin(params->owner, arena);
    SHW_PROPAGATE(variant->add(arena, params, variant->form, inputs, outputs, passes));
    SHW_PROPAGATE(shw_arena_make(arena));
    return variant->create(params->owner, *passes);
}

void shw_passes_record(void *handle, VkCommandBuffer commands, uint32_t slot, const struct shw_stage_frame *frame,
                       struct shw_stage_stretch *stretch)
{
    const struct instance *instance = handle;
    struct shw_recording recording = {instance->device, commands, *stretch};

    instance->variant->record(instance->passes, &recording, slot, frame);
    *stretch = recording.stretch;
}

bool shw_passes_has_room(void *instance, const struct shw_stage_forest *forest)
{
    (void)instance;
    (void)forest;
    return true;
}

enum shw_result shw_passes_set_forest(void *instance, const struct shw_stage_forest *forest)
{
    (void)instance;
    (void)forest;
    return SHW_OK;
}
