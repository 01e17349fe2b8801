#include "dense/train/planes_cpu.h"

#include <stdlib.h>

#include "base/log.h"

enum shw_result shw_cpu_planes_create(struct shw_trainer *trainer)
{
    const struct shw_train_images *images = &trainer->images;
    size_t bytes = 0;

    if (images->resident == images->base_count)
        return SHW_OK;
    for (uint32_t i = 0; i < images->base_count; i++)
        bytes = shw_train_image_bytes(images, i) > bytes ? shw_train_image_bytes(images, i) : bytes;
    trainer->slots = calloc(trainer->memory.slots, sizeof *trainer->slots);
    for (uint32_t s = 0; trainer->slots != NULL && s < trainer->memory.slots; s++)
        if ((trainer->slots[s] = malloc(bytes)) == NULL)
            return shw_fail_memory(&trainer->params.log, "a training image");
    return trainer->slots != NULL ? SHW_OK : shw_fail_memory(&trainer->params.log, "training images");
}

void shw_cpu_planes_destroy(struct shw_trainer *trainer)
{
    for (uint32_t s = 0; trainer->slots != NULL && s < trainer->memory.slots; s++)
        free(trainer->slots[s]);
    free(trainer->slots);
    trainer->slots = NULL;
}

enum shw_result shw_cpu_planes_get(const struct shw_trainer *trainer, uint32_t slot, uint32_t image,
                                   const void **planes)
{
    const struct shw_train_images *images = &trainer->images;

    if (shw_cpu_planes_are_resident(trainer, image)) {
        *planes =
            (const char *)images->planes + images->images[image].planes * shw_feature_element(trainer->params.feature);
        return SHW_OK;
    }
    *planes = trainer->slots[slot];
    return shw_train_image_make_planes(&trainer->params, trainer->dataset, images, image, NULL, trainer->slots[slot]);
}

uint32_t shw_cpu_planes_slots(const struct shw_trainer *trainer)
{
    return trainer->memory.slots;
}

/* Shared by the threads. */
struct pass {
    const struct shw_trainer *trainer;
    enum shw_result (*work)(void *user, uint32_t index, uint32_t slot);
    void *user;
    uint32_t count;
    atomic_uint next;
    atomic_int result; /* the first failure */
};

static void run_slot(void *user, uint32_t slot, uint32_t thread)
{
    struct pass *pass = user;
    uint32_t index;

    (void)thread;
    while (atomic_load(&pass->result) == SHW_OK && !shw_trainer_is_interrupted(pass->trainer) &&
           (index = atomic_fetch_add(&pass->next, 1)) < pass->count) {
        int good = SHW_OK;
        enum shw_result result = pass->work(pass->user, index, slot);
        if (result != SHW_OK)
            atomic_compare_exchange_strong(&pass->result, &good, (int)result);
    }
}

enum shw_result shw_cpu_planes_run(const struct shw_trainer *trainer, uint32_t count,
                                   enum shw_result (*work)(void *user, uint32_t index, uint32_t slot), void *user)
{
    struct pass pass = {.trainer = trainer, .work = work, .user = user, .count = count};
    bool alone = trainer->images.resident < trainer->images.base_count && trainer->dataset->single_threaded;

    shw_thread_pool_run(alone ? NULL : trainer->pool, alone ? 1 : trainer->memory.slots, run_slot, &pass);
    return (enum shw_result)atomic_load(&pass.result);
}
