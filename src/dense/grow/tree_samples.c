#include "dense/grow/tree_samples.h"

#include "base/machine.h"
#include "dense/grow/trainer.h"
#include "dense/samples/image_store.h"

#define AHEAD_SHARE     16u /* of the machine's memory, for samples that are drawn ahead */
#define STEP_OF_THREADS 2u  /* pictures for each thread in a step: device and host should not wait for each other */

static struct shw_drawing_task make_task(const struct shw_trainer *trainer, const struct shw_trainer_params *params,
                                         uint32_t tree)
{
    return (struct shw_drawing_task){.params = params,
                                     .dataset = trainer->dataset,
                                     .pool = trainer->pool,
                                     .images = shw_trainer_whole(trainer),
                                     .part = shw_trainer_part(trainer),
                                     .tree = tree};
}

enum shw_result shw_tree_samples_take(struct shw_trainer *trainer, struct shw_samples *samples,
                                      enum shw_samples_origin *origin)
{
    const struct shw_drawing_task task = make_task(trainer, &trainer->params, shw_trainer_tree(trainer));
    struct shw_tree_samples *own = &trainer->samples;
    struct shw_drawing *drawing;

    *samples = (struct shw_samples){0};
    *origin = SHW_SAMPLES_DRAWN;
    if (own->repeats) {
        *origin = SHW_SAMPLES_REPEATED;
        *samples = own->spare;
        own->spare = (struct shw_samples){0};
        own->repeats = false;
        return SHW_OK;
    }
    if (own->ahead != NULL && shw_drawing_end(&own->ahead, samples) == SHW_OK) {
        *origin = SHW_SAMPLES_DRAWN_AHEAD;
        return SHW_OK;
    }
    SHW_PROPAGATE(shw_drawing_begin(&task, &own->spare, &drawing));
    return shw_drawing_end(&drawing, samples);
}

void shw_tree_samples_keep(struct shw_trainer *trainer, struct shw_samples *samples)
{
    shw_samples_free(&trainer->samples.spare);
    if (trainer->tree_count < trainer->params.tree_count && trainer->backend->record != NULL)
        trainer->samples.spare = *samples;
    else
        shw_samples_free(samples);
    trainer->samples.repeats = trainer->samples.spare.count > 0 && trainer->builder.origin != SHW_SAMPLES_REDRAWN &&
                               shw_samples_repeat(&trainer->params);
    *samples = (struct shw_samples){0};
}

/* Whether reading images takes no time worth mentioning, and memory suffices for the samples of two trees. */
static bool may_draw_ahead(const struct shw_trainer *trainer)
{
    const uint64_t sample_bytes = sizeof(uint32_t) + 3 * sizeof(uint16_t);
    const bool is_in_memory =
        trainer->dataset->in_memory ||
        (trainer->store != NULL && shw_image_store_count(trainer->store) == trainer->dataset->count);

    return is_in_memory && shw_samples_most(&trainer->params, shw_trainer_whole(trainer), shw_trainer_part(trainer)) <=
                               shw_machine_memory() / AHEAD_SHARE / sample_bytes;
}

bool shw_tree_samples_draw_ahead(struct shw_trainer *trainer)
{
    struct shw_tree_samples *own = &trainer->samples;
    const uint32_t next = trainer->tree_count + 1;
    const struct shw_samples *drawn;

    if (next >= trainer->params.tree_count || shw_trainer_is_interrupted(trainer) ||
        shw_samples_repeat(&trainer->params))
        return false;
    if (own->begun < next) {
        const struct shw_drawing_task task = make_task(trainer, &own->quiet, shw_trainer_tree(trainer) + 1);

        own->begun = next;
        own->quiet = trainer->params;
        own->quiet.log = (struct shw_log){0};
        if (may_draw_ahead(trainer))
            (void)shw_drawing_begin(&task, &own->spare, &own->ahead);
    }
    if (own->ahead == NULL)
        return false;
    drawn = shw_drawing_get(own->ahead);
    if (drawn != NULL)
        return trainer->backend->take_ahead != NULL && trainer->backend->take_ahead(trainer->state, drawn);
    return shw_drawing_step(own->ahead, STEP_OF_THREADS * shw_thread_pool_size(trainer->pool)) ||
           shw_drawing_get(own->ahead) != NULL;
}

void shw_tree_samples_free(struct shw_tree_samples *samples)
{
    shw_drawing_free(&samples->ahead);
    shw_samples_free(&samples->spare);
    samples->repeats = false;
    samples->begun = 0;
}
