/* The back end `cpu`: rounds on the host. Planes of all images stay in memory if they fit; otherwise compact copies do,
 * and planes are made again for every pass over the images. */
#include <stdlib.h>

#include "base/log.h"
#include "train/backend.h"
#include "train/image_store.h"
#include "train/partition_cpu.h"
#include "train/planes_cpu.h"
#include "train/split_cpu.h"
#include "train/splitting.h"

struct shw_train_cpu {
    struct shw_trainer *trainer;
    bool decided; /* which splits to make */
};

/* Whether the planes of all images may not fit into memory, if they are as large as the first one. */
static enum shw_result may_be_large(struct shw_trainer *trainer, bool *large)
{
    const struct shw_dataset *dataset = trainer->dataset;
    struct shw_labelled_image example;
    uint64_t pixels;

    SHW_PROPAGATE(shw_train_image_read(&trainer->params, dataset, 0, &example));
    pixels = (uint64_t)example.image.width * example.image.height;
    dataset->release(dataset->user, &example);
    *large = pixels * dataset->count * trainer->channels.channel_count * sizeof(uint32_t) >
             shw_cpu_memory_limit(&trainer->params) / 8;
    return SHW_OK;
}

/* Until it is known how much they need, copies may take half of the memory. */
static enum shw_result open_dataset(struct shw_trainer *trainer)
{
    bool large = false;

    if (trainer->dataset->count == 0)
        return SHW_OK;
    SHW_PROPAGATE(may_be_large(trainer, &large));
    if (!large)
        return SHW_OK;
    SHW_PROPAGATE(shw_image_store_create(trainer->dataset, &trainer->channels,
                                         shw_cpu_memory_limit(&trainer->params) / 2 + 1, &trainer->params.log,
                                         &trainer->store));
    trainer->dataset = shw_image_store_dataset(trainer->store);
    return SHW_OK;
}

/* Keeps the planes of the previous training if it had the same images, and all of them in memory. */
static enum shw_result make_planes(struct shw_trainer *trainer, struct shw_train_images *before)
{
    struct shw_train_images *images = &trainer->images;
    uint32_t resident = trainer->memory.resident;

    if (before == NULL || before->planes == NULL || before->resident < images->base_count ||
        resident < images->base_count)
        return shw_train_images_make_planes(&trainer->params, trainer->dataset, trainer->pool, resident, images);
    images->planes = before->planes;
    images->resident = before->resident;
    before->planes = NULL;
    for (uint32_t i = 0; i < images->count; i++)
        images->images[i].planes = before->images[i].planes;
    return SHW_OK;
}

/* Divides the memory, and drops copies that there is no room or no need for. */
static enum shw_result share_memory(struct shw_trainer *trainer)
{
    struct shw_cpu_memory *memory = &trainer->memory;
    uint64_t copies = trainer->store != NULL ? shw_image_store_bytes(trainer->store) : 0;

    SHW_PROPAGATE(shw_cpu_memory_plan(trainer, copies, memory));
    if (trainer->store != NULL)
        shw_image_store_end(trainer->store, memory->store);
    if (memory->resident < trainer->images.base_count)
        shw_log_message(&trainer->params.log, SHW_LOG_INFO, SHW_LOG_DEVICE_INFO,
                        "planes of %u of %u images stay in memory, and copies of %u; %llu MiB for a round",
                        memory->resident, trainer->images.base_count,
                        trainer->store != NULL ? shw_image_store_count(trainer->store) : 0,
                        (unsigned long long)memory->round >> 20);
    return SHW_OK;
}

static void free_tree(struct shw_trainer *trainer)
{
    shw_cpu_planes_destroy(trainer);
    free(trainer->sides);
    free(trainer->sided);
    trainer->sides = NULL;
    trainer->sided = NULL;
}

static void rest(void *state)
{
    struct shw_train_cpu *cpu = state;

    free_tree(cpu->trainer);
}

static void destroy(void **state)
{
    struct shw_train_cpu *cpu = *state;

    if (cpu != NULL)
        free_tree(cpu->trainer);
    free(cpu);
    *state = NULL;
}

static size_t largest_elements(const struct shw_train_images *images)
{
    size_t most = 0;

    for (uint32_t i = 0; i < images->base_count; i++)
        most = shw_train_image_elements(images, i) > most ? shw_train_image_elements(images, i) : most;
    return most;
}

static enum shw_result create(struct shw_trainer *trainer, struct shw_train_images *before, void **state)
{
    struct shw_train_cpu *cpu = *state != NULL ? *state : malloc(sizeof *cpu);
    enum shw_result result;

    *state = cpu;
    if (cpu == NULL)
        return shw_fail_memory(&trainer->params.log, "a trainer");
    *cpu = (struct shw_train_cpu){.trainer = trainer};
    SHW_TRY(share_memory(trainer));
    SHW_TRY(make_planes(trainer, before));
    SHW_TRY(shw_cpu_planes_create(trainer));
    trainer->simd = shw_simd_level();
    trainer->respond = shw_respond_choose(trainer->params.feature, largest_elements(&trainer->images), trainer->simd);
    return SHW_OK;

fail:
    destroy(state);
    return result;
}

static enum shw_result begin_tree(void *state)
{
    struct shw_trainer *trainer = ((struct shw_train_cpu *)state)->trainer;

    free(trainer->sides);
    trainer->sides = malloc(trainer->builder.samples.count * sizeof *trainer->sides);
    return trainer->sides != NULL ? SHW_OK : shw_fail_memory(&trainer->params.log, "samples");
}

static enum shw_result begin(void *state)
{
    struct shw_train_cpu *cpu = state;
    struct shw_trainer *trainer = cpu->trainer;

    cpu->decided = false;
    free(trainer->sided);
    trainer->sided = calloc(trainer->builder.open_count, sizeof *trainer->sided);
    return trainer->sided != NULL ? SHW_OK : shw_fail_memory(&trainer->params.log, "a training round");
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
    .open = open_dataset,
    .create = create,
    .rest = rest,
    .begin_tree = begin_tree,
    .begin = begin,
    .submitted = submitted,
    .decide = decide,
    .destroy = destroy,
};
