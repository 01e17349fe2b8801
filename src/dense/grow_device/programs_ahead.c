#include "dense/grow_device/programs_ahead.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/integers.h"
#include "dense/channels/channels_stage.h"
#include "dense/grow_device/round.h"
#include "dense/integrate/integral.h"
#include "dense/stage/passes.h"

#define STAGES SHW_PROGRAM_COUNT /* the number of the thread that compiles those of the stages */
#define SIDE   16u               /* of the planes that the stages are made for meanwhile */

/* One thread. */
struct compiling {
    const struct shw_programs_ahead *ahead;
    uint32_t number;
    pthread_t thread;
};

struct shw_programs_ahead {
    struct shw_train_compute training;
    struct shw_shader shaders[SHW_PROGRAM_COUNT];
    uint32_t count;
    struct compiling threads[SHW_PROGRAM_COUNT + 1];
};

/* Makes the stages, which compile their programs, and destroys them. */
static enum shw_result compile_stages(const struct shw_train_compute *training)
{
    const struct shw_channel_list *list = &training->trainer->channels;
    const bool has_means = training->shapes.count > 0;
    const struct shw_passes *passes =
        shw_passes_of(has_means ? &shw_means_compute_technique : &shw_integral_compute_technique);
    struct shw_device *device = training->device;
    struct shw_stage_create params = {.owner = device, .slots = 1, .scratch_sets = 1};
    struct shw_planes channels, planes = {0};
    struct shw_means *means = NULL;
    struct shw_channels_stage *stage = NULL;
    struct shw_arena arena = {0};
    void *integrate = NULL;
    enum shw_result result = shw_planes_create(device, VK_FORMAT_R16_SINT, SIDE, SIDE, list->channel_count,
                                               SHW_PLANES_BUFFER, "training channels", &channels);

    if (result != SHW_OK)
        return result;
    SHW_TRY(shw_channels_stage_create(device, list, SHW_PLANES_BUFFER, &channels, 1, &stage));
    if (training->feature->reads != SHW_FEATURE_READS_INTEGRALS)
        goto fail;
    if (has_means) {
        means = shw_train_shapes_means(&training->shapes, training->trainer);
        if (means == NULL || !shw_means_compute_fits(device, means))
            goto fail;
        params.forest.forest = means->forest;
    }
    SHW_TRY(shw_planes_create(
        device, has_means ? VK_FORMAT_R16_SINT : VK_FORMAT_R32_UINT, SIDE + shw_max_u32(1, training->shapes.margin),
        SIDE + shw_max_u32(1, training->shapes.margin), has_means ? means->count : list->channel_count,
        SHW_PLANES_BUFFER, "training planes", &planes));
    SHW_TRY(shw_passes_make(passes, &params, &channels, &planes, &arena, &integrate));

fail:
    passes->destroy(device, integrate);
    shw_arena_end(&arena);
    shw_channels_stage_destroy(device, &stage);
    shw_planes_destroy(device, &planes);
    shw_means_free(means);
    shw_planes_destroy(device, &channels);
    return result;
}

/* Programs without users stay in the device's cache. */
static void *compile(void *user)
{
    struct compiling *own = user;
    const struct shw_train_compute *training = &own->ahead->training;
    struct shw_program program = {0};

    if (own->number == STAGES)
        (void)compile_stages(training);
    else
        (void)shw_compute_program_create(training, own->number, own->ahead->shaders[own->number], &program);
    shw_program_destroy(training->device, &program);
    return NULL;
}

void shw_programs_ahead_begin(struct shw_trainer *trainer, struct shw_programs_ahead **out)
{
    struct shw_programs_ahead *ahead;

    if (trainer->params.device->own == NULL || shw_thread_pool_size(trainer->pool) == 1)
        return;
    ahead = calloc(1, sizeof *ahead);
    if (ahead == NULL)
        return;
    ahead->training = shw_compute_plan_training(trainer, &shw_counter_compute);
    if (shw_compute_shaders(&ahead->training, ahead->shaders) != SHW_OK) {
        free(ahead);
        return;
    }
    for (uint32_t p = 0; p <= STAGES; p++) {
        struct compiling *own = &ahead->threads[ahead->count];
        *own = (struct compiling){.ahead = ahead, .number = p};
        ahead->count += pthread_create(&own->thread, NULL, compile, own) == 0;
    }
    *out = ahead;
}

void shw_programs_ahead_end(struct shw_programs_ahead **handle)
{
    struct shw_programs_ahead *ahead = *handle;

    for (uint32_t t = 0; ahead != NULL && t < ahead->count; t++)
        pthread_join(ahead->threads[t].thread, NULL);
    free(ahead);
    *handle = NULL;
}
