#include <stdlib.h>

#include "base/log.h"
#include "dense/channels/channels.h"
#include "dense/grow/backend.h"
#include "dense/grow/splitting.h"
#include "dense/grow_cpu/batch.h"
#include "dense/grow_cpu/histograms.h"
#include "dense/grow_cpu/memory.h"
#include "dense/samples/image_store.h"

/* Moves samples to the children of their nodes. */

/* Shared by the threads. */
struct partition {
    struct shw_trainer *trainer;
    const struct shw_split *splits;
    uint32_t *to;           /* [sample]: its new place */
    uint32_t *child_counts; /* per open node: class counts of the left child, then of the right one */
};

/* Stable: left samples, then right ones. */
static void place_samples(void *user, uint32_t index, uint32_t thread)
{
    const struct partition *partition = user;
    const struct shw_trainer *trainer = partition->trainer;
    const struct shw_open_node *open = &trainer->builder.open[index];
    const uint8_t *sides = trainer->sides + open->first;
    const uint16_t *labels = trainer->builder.samples.label + open->first;
    uint32_t classes = trainer->dataset->class_count, left = open->first, right = open->first + open->count;
    uint32_t *counts = partition->child_counts + (size_t)2 * index * classes;

    (void)thread;
    if (!partition->splits[index].found)
        return;
    for (uint32_t s = 0; s < open->count; s++)
        right -= sides[s];
    for (uint32_t s = 0; s < open->count; s++) {
        counts[sides[s] * classes + labels[s]]++;
        partition->to[open->first + s] = sides[s] ? right++ : left++;
    }
}

/* Reorders the samples of every node that is split: those that go left, then those that go right, each in their
 * previous order. Adds class counts to child_counts, which must be zero: per open node, those of the left child, then
 * of the right one. Errors: MEMORY. */
static enum shw_result partition_samples(struct shw_trainer *trainer, const struct shw_split *splits,
                                         uint32_t *child_counts)
{
    struct shw_tree_builder *builder = &trainer->builder;
    struct partition partition = {.trainer = trainer, .splits = splits, .child_counts = child_counts};
    uint32_t count = builder->samples.count;
    struct shw_batch batch;
    enum shw_result result;

    SHW_PROPAGATE(shw_batch_create_sides(trainer, splits, &batch));
    result = batch.item_count > 0 ? shw_batch_respond(trainer, &batch) : SHW_OK;
    shw_batch_destroy(&batch);
    SHW_PROPAGATE(result);
    if (!shw_batch_reserve(trainer, 2 * (size_t)count * sizeof *partition.to))
        return shw_fail_memory(&trainer->params.log, "a training round");
    partition.to = (uint32_t *)(void *)trainer->batch;
    for (uint32_t s = 0; s < count; s++)
        partition.to[s] = s;
    shw_thread_pool_run(trainer->pool, builder->open_count, place_samples, &partition);
    shw_samples_move(&builder->samples, trainer->pool, partition.to, partition.to + count);
    return SHW_OK;
}

/* The back end `cpu`: rounds on the host. Planes of all images stay in memory if they fit; otherwise compact copies do,
 * and planes are made again for every pass over the images. */

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

/* Bytes of planes in memory. */
static uint64_t plane_bytes(const struct shw_train_images *images)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; images->planes != NULL && i < shw_train_images_copies(images) * images->base_count; i++)
        if (images->images[i].planes != SHW_NO_PLANES)
            bytes += shw_train_image_bytes(images, i);
    return bytes;
}

/* Whether planes in memory may be reused, as far as that is known before the images are read: those of all images, if
 * there are as many as now and room for them and the rest; or those of some images, if they take at most a quarter of
 * the memory. */
static bool may_keep_planes(const struct shw_trainer *trainer, struct shw_cpu_memory *memory)
{
    const struct shw_train_images *images = &trainer->images;
    uint32_t count = trainer->dataset->count;

    if (images->planes == NULL || images->resident < images->base_count ||
        images->count != images->base_count * (trainer->params.mirror != SHW_MIRROR_NONE ? 2u : 1u) ||
        images->paired != (trainer->params.mirror == SHW_MIRROR_PAIRED) ||
        images->reads != trainer->params.feature->reads ||
        !shw_channel_lists_equal(&images->channels, &trainer->channels))
        return false;
    return (images->base_count == count && shw_cpu_memory_holds_all(trainer, 0, memory)) ||
           plane_bytes(images) <= shw_cpu_memory_limit(&trainer->params) / 4;
}

static enum shw_result open_store(struct shw_trainer *trainer, uint64_t bytes)
{
    SHW_PROPAGATE(
        shw_image_store_create(trainer->dataset, &trainer->channels, bytes, &trainer->params.log, &trainer->store));
    trainer->dataset = shw_image_store_dataset(trainer->store);
    return SHW_OK;
}

/* Until their size is known, copies may take half of the memory, which is otherwise empty. If planes are kept instead,
 * copies are made later should the planes prove useless. */
static enum shw_result open_dataset(struct shw_trainer *trainer)
{
    struct shw_cpu_memory memory = {0};
    bool keep = may_keep_planes(trainer, &memory), large = false;

    shw_batch_trim(trainer, keep ? memory.round : 0);
    if (keep)
        return SHW_OK;
    shw_train_images_drop_planes(&trainer->images);
    if (trainer->dataset->count > 0)
        SHW_PROPAGATE(may_be_large(trainer, &large));
    return large ? open_store(trainer, shw_cpu_memory_limit(&trainer->params) / 2 + 1) : SHW_OK;
}

/* Takes over the planes of the previous training, if there are any. */
static enum shw_result make_planes(struct shw_trainer *trainer, struct shw_train_images *before)
{
    struct shw_train_images *images = &trainer->images;

    if (before->planes == NULL || !shw_train_images_equal(before, images))
        return shw_train_images_make_planes(&trainer->params, trainer->dataset, trainer->pool, trainer->memory.resident,
                                            before, images);
    images->planes = before->planes;
    images->resident = before->resident;
    before->planes = NULL;
    for (uint32_t i = 0; i < images->count; i++)
        images->images[i].planes = before->images[i].planes;
    return SHW_OK;
}

static enum shw_result read_one(void *user, uint32_t index, uint32_t slot)
{
    const struct shw_trainer *trainer = user;
    struct shw_labelled_image example;

    (void)slot;
    SHW_PROPAGATE(shw_train_image_read(&trainer->params, trainer->dataset, index, &example));
    trainer->dataset->release(trainer->dataset->user, &example);
    return SHW_OK;
}

/* Reads the training set once more, for copies. */
static enum shw_result make_copies(struct shw_trainer *trainer)
{
    SHW_PROPAGATE(shw_cpu_memory_plan(trainer, UINT64_MAX, &trainer->memory));
    SHW_PROPAGATE(open_store(trainer, trainer->memory.store));
    return trainer->memory.store > 0 ? shw_cpu_planes_run(trainer, trainer->images.base_count, read_one, trainer)
                                     : SHW_OK;
}

/* Whether the planes of the previous training are useful. They are not if old and new ones do not fit together. */
static bool are_of_use(const struct shw_trainer *trainer, const struct shw_train_images *before)
{
    struct shw_cpu_memory memory;

    return before->planes != NULL && shw_train_images_alike(before, &trainer->images) &&
           (shw_train_images_equal(before, &trainer->images) ||
            shw_cpu_memory_holds_all(trainer, plane_bytes(before), &memory));
}

/* Divides the memory. Without room for all planes, drops those of the previous training, makes copies if that was left
 * until now, and drops those that there is no room or no need for. */
static enum shw_result share_memory(struct shw_trainer *trainer, struct shw_train_images *before)
{
    struct shw_cpu_memory *memory = &trainer->memory;
    uint32_t count = trainer->images.base_count;

    if (!are_of_use(trainer, before))
        shw_train_images_drop_planes(before);
    if (!shw_cpu_memory_holds_all(trainer, 0, memory)) {
        shw_train_images_drop_planes(before);
        shw_batch_trim(trainer, 0);
        if (trainer->store == NULL)
            SHW_PROPAGATE(make_copies(trainer));
        SHW_PROPAGATE(shw_cpu_memory_plan(trainer, shw_image_store_bytes(trainer->store), memory));
    }
    shw_batch_trim(trainer, memory->round);
    if (trainer->store != NULL)
        shw_image_store_end(trainer->store, memory->store);
    if (memory->resident < count)
        shw_log_message(&trainer->params.log, SHW_LOG_INFO, SHW_LOG_DEVICE_INFO,
                        "planes of %u of %u images stay in memory, and copies of %u; %llu MiB for a round",
                        memory->resident, count, shw_image_store_count(trainer->store),
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
    SHW_TRY(share_memory(trainer, before));
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
        return partition_samples(trainer, builder->splits, builder->child_counts);
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
