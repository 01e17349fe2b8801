/* The back end `cpu`: rounds on the host; planes of all images stay in memory. */
#include <stdlib.h>

#include "base/log.h"
#include "train/backend.h"
#include "train/partition_cpu.h"
#include "train/split_cpu.h"
#include "train/splitting.h"

struct shw_train_cpu {
    struct shw_trainer *trainer;
    bool decided; /* which splits to make */
};

/* Keeps the planes of the previous training if it had the same images. */
static enum shw_result make_planes(struct shw_trainer *trainer, struct shw_train_images *before)
{
    struct shw_train_images *images = &trainer->images;

    if (before == NULL || before->planes == NULL)
        return shw_train_images_make_planes(&trainer->params, trainer->dataset, trainer->pool, images);
    images->planes = before->planes;
    images->element_count = before->element_count;
    before->planes = NULL;
    for (uint32_t i = 0; i < images->count; i++)
        images->images[i].planes = before->images[i].planes;
    return SHW_OK;
}

static void destroy(void **state)
{
    free(*state);
    *state = NULL;
}

static enum shw_result create(struct shw_trainer *trainer, struct shw_train_images *before, void **state)
{
    struct shw_train_cpu *cpu = *state != NULL ? *state : malloc(sizeof *cpu);
    enum shw_result result;

    *state = cpu;
    if (cpu == NULL)
        return shw_fail_memory(&trainer->params.log, "a trainer");
    *cpu = (struct shw_train_cpu){.trainer = trainer};
    result = make_planes(trainer, before);
    if (result != SHW_OK) {
        destroy(state);
        return result;
    }
    trainer->simd = shw_simd_level();
    trainer->respond = shw_respond_choose(trainer->params.feature, trainer->images.element_count, trainer->simd);
    return SHW_OK;
}

static enum shw_result begin(void *state)
{
    struct shw_train_cpu *cpu = state;

    cpu->decided = false;
    return SHW_OK;
}

static enum shw_result submitted(void *state, enum shw_train_event *event)
{
    struct shw_train_cpu *cpu = state;
    struct shw_trainer *trainer = cpu->trainer;
    struct shw_tree_builder *builder = &trainer->builder;

    if (cpu->decided) {
        *event = SHW_TRAIN_DONE;
        return shw_partition_cpu(trainer, builder->splits, builder->child_counts);
    }
    *event = SHW_TRAIN_DECIDE;
    SHW_PROPAGATE(trainer->splitting != NULL ? shw_splitting_cpu(trainer) : shw_split_cpu(trainer, builder->splits));
    return shw_trainer_check_interruption(trainer); /* if interrupted, splits are incomplete */
}

static void decide(void *state)
{
    struct shw_train_cpu *cpu = state;

    cpu->decided = true;
}

const struct shw_train_backend shw_train_backend_cpu = {
    .technique = SHW_TECHNIQUE_CPU,
    .create = create,
    .begin = begin,
    .submitted = submitted,
    .decide = decide,
    .destroy = destroy,
};
