/* Built-in techniques that are a sequence of passes on the device, from the planes of one name to those of another, and
 * do not depend on the forest, or are made again with it. */
#ifndef SHW_DENSE_STAGE_PASSES_H
#define SHW_DENSE_STAGE_PASSES_H

#include "dense/stage/stage_technique.h"
#include "vulkan/commands.h"

/* The `user` of such a technique. */
struct shw_passes {
    const char *reads, *makes; /* `reads` is NULL for techniques that read sources */
    enum shw_planes_form form; /* of these planes */
    /* add: makes what does not depend on memory, and adds buffers and images to the arena. Planes, one per slot, are
     * borrowed; their sizes are known. create: the rest, once the arena is made and the planes exist. After a failure
     * of either, *passes is to be destroyed. */
    enum shw_result (*add)(struct shw_arena *arena, const struct shw_stage_create *params, enum shw_planes_form form,
                           const struct shw_planes *inputs, const struct shw_planes *outputs, void **passes);
    enum shw_result (*create)(struct shw_device *device, void *passes);
    void (*destroy)(struct shw_device *device, void *passes); /* accepts NULL */
    void (*record)(void *passes, struct shw_recording *recording, uint32_t slot, const struct shw_stage_frame *frame);
};

static inline const struct shw_passes *shw_passes_of(const struct shw_stage_technique *technique)
{
    return technique->user;
}

/* Passes without a pipeline, in an arena of their own, which must outlive them. Errors: MEMORY, DEVICE_MEMORY,
 * UNSUPPORTED, LIMIT; *passes, which may be NULL, is then to be destroyed, and the arena ended. */
enum shw_result shw_passes_make(const struct shw_passes *variant, const struct shw_stage_create *params,
                                const struct shw_planes *inputs, const struct shw_planes *outputs,
                                struct shw_arena *arena, void **passes);

enum shw_result shw_passes_add(void *user, const struct shw_stage_create *params, struct shw_arena *arena,
                               void **instance);
enum shw_result shw_passes_create(void *user, const struct shw_stage_create *params, void **instance);
void shw_passes_record(void *instance, VkCommandBuffer commands, uint32_t slot, const struct shw_stage_frame *frame,
                       struct shw_stage_stretch *stretch);
void shw_passes_destroy(void *instance);
bool shw_passes_has_room(void *instance, const struct shw_stage_forest *forest);
enum shw_result shw_passes_set_forest(void *instance, const struct shw_stage_forest *forest);

#define SHW_PASSES_TECHNIQUE(stage_, name_, form_, passes_)                                                            \
    {                                                                                                                  \
        .version = SHW_STAGE_TECHNIQUE_VERSION, .name = name_, .stage = stage_, .form = form_, .user = passes_,        \
        .create = shw_passes_create, .record = shw_passes_record, .destroy = shw_passes_destroy,                       \
        .has_room = shw_passes_has_room, .set_forest = shw_passes_set_forest                                           \
    }

#endif
