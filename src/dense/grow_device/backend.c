/* Training rounds on a Vulkan device: shared by the back ends `compute` and `blend`. */
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/text.h"
#include "dense/grow/splitting.h"
#include "dense/grow_device/programs_ahead.h"
#include "dense/grow_device/round.h"
#include "dense/samples/image_store.h"
#include "shared/score.h"
#include "vulkan/windows.h"

#define SHARED_WORDS                                                                                                   \
    2816u /* per work group for counts, unless one candidate needs more; leaves memory for the processor's cache */
#define STORE_LEAST     32u                       /* examples */
#define STORE_SHARE     8u                        /* of the machine's memory, for copies of examples */
#define BATCH_BYTES_MAX ((VkDeviceSize)512 << 20) /* histograms of a batch */

/* Prepares the table of images and that of logarithms, which are sent with the first round. */
static enum shw_result prepare_constants(struct shw_train_compute *training)
{
    size_t image_bytes = (size_t)training->integrals.set->count * SHW_IMAGE_WORDS * sizeof(uint32_t);
    size_t log_bytes = 2 * SHW_TIMES_LOG2_COUNT * sizeof(uint32_t);
    VkDeviceSize kept;
    uint32_t *words;

    SHW_PROPAGATE(shw_compute_need(training, &training->images, image_bytes, SHW_MEMORY_DEVICE, "image table"));
    SHW_PROPAGATE(shw_compute_need(training, &training->times_log2, log_bytes, SHW_MEMORY_DEVICE, "logarithms"));
    kept = training->constant_upload.size; /* a new buffer is larger but may have the same handle */
    SHW_PROPAGATE(shw_compute_need(training, &training->constant_upload, log_bytes + image_bytes, SHW_MEMORY_UPLOAD,
                                   "constants"));
    words = training->constant_upload.mapped;
    for (uint32_t n = 0; n < SHW_TIMES_LOG2_COUNT && training->constant_upload.size != kept; n++) {
        struct shw_uint2 value = shw_times_log2(n);
        words[2 * n] = value.x;
        words[2 * n + 1] = value.y;
    }
    memcpy(words + 2 * SHW_TIMES_LOG2_COUNT, training->integrals.table, image_bytes);
    return SHW_OK;
}

/* Divides the memory: samples, an eighth for each of the large parts of a batch, and integral images get the rest,
 * which is returned; 0 if nothing is left. */
static VkDeviceSize divide(struct shw_train_compute *training, uint64_t samples, VkDeviceSize memory)
{
    VkDeviceSize taken;

    training->batch_bytes = memory / 8;
    if (training->batch_bytes > training->range)
        training->batch_bytes = training->range;
    if (training->batch_bytes > BATCH_BYTES_MAX)
        training->batch_bytes = BATCH_BYTES_MAX;
    if (shw_trainer_has_splitter(training->trainer) && training->batch_bytes > SHW_SPLITTER_BYTES)
        training->batch_bytes = SHW_SPLITTER_BYTES;
    /* per sample: 16 bytes twice, and 12 for upload; histograms, probes and thresholds; tables */
    taken = samples * 44 + 3 * training->batch_bytes + training->batch_bytes / 2;
    if (training->counter->get_memory != NULL)
        taken += training->counter->get_memory(training, samples);
    return taken < memory ? memory - taken : 0;
}

static enum shw_result refuse_memory(struct shw_train_compute *training, uint64_t samples, VkDeviceSize memory,
                                     const struct shw_compute_images_need *need)
{
    const struct shw_trainer *trainer = training->trainer;
    VkDeviceSize mebibytes = (samples * 44 + need->least) >> 20;

    while (divide(training, samples, mebibytes << 20) < need->least)
        mebibytes++;
    return shw_fail(&trainer->params.log, SHW_ERROR_LIMIT, SHW_LOG_TRAIN_PARAMETER,
                    "training with %s needs at least %llu MiB of device memory for %s; %s may be used: %s, or allow "
                    "more",
                    shw_technique_name(trainer->backend->technique), (unsigned long long)mebibytes,
                    shw_train_need_text(trainer->words, samples, need->width, need->height).text,
                    shw_counted_bytes(memory).text, trainer->words->fewer_samples);
}

/* Bytes that the planes of images may take together. */
static VkDeviceSize planes_range(const struct shw_train_compute *training)
{
    return training->has_windows ? shw_windows_bytes((uint32_t)training->range) : training->range;
}

static enum shw_result refuse_planes(const struct shw_train_compute *training, const char *planes,
                                     const struct shw_compute_images_need *need, VkDeviceSize bytes, VkDeviceSize most)
{
    const struct shw_trainer *trainer = training->trainer;
    bool is_blend = trainer->backend->technique != SHW_TECHNIQUE_COMPUTE;

    return shw_fail(&trainer->params.log, SHW_ERROR_LIMIT, SHW_LOG_REQUIREMENT,
                    "the %s of an image of %u x %u pixels%s need storage buffers of %llu bytes; training with %s has "
                    "at most %llu bytes on this device: use the technique %scpu, smaller images or fewer channels",
                    planes, need->width, need->height,
                    shw_train_images_copies(&trainer->images) > 1 ? " and of its mirror image" : "",
                    (unsigned long long)bytes, shw_technique_name(trainer->backend->technique),
                    (unsigned long long)most, is_blend ? "compute or " : "");
}

static const struct shw_train_shapes no_shapes;

/* Whether the planes of an image exceed a storage buffer, and the device has bindings for windows of them. Fragment
   shaders have too few. */
static bool needs_windows(const struct shw_trainer *trainer, const struct shw_device *device,
                          const struct shw_histogram_counter *counter)
{
    const VkPhysicalDeviceLimits *limits = &device->properties.limits;

    return counter->create == NULL &&
           shw_compute_images_measure(trainer, &no_shapes).unit > limits->maxStorageBufferRange &&
           limits->maxPerStageDescriptorStorageBuffers >= shw_compute_count_bindings();
}

/* Device memory that training may use. */
static VkDeviceSize find_memory(const struct shw_trainer *trainer, struct shw_device *device)
{
    struct shw_device_description description;

    if (trainer->params.memory > 0)
        return trainer->params.memory;
    shw_device_describe(device, &description);
    return description.is_cpu ? description.memory_bytes / 2 : description.memory_bytes / 8 * 7;
}

static uint64_t count_samples(const struct shw_trainer *trainer)
{
    return shw_samples_most(&trainer->params, shw_trainer_whole(trainer), shw_trainer_part(trainer));
}

/* Whether mean planes can be made, and those of all images are on the device at once (shw_compute_images_create() takes
 * up to three eighths for images in progress), or need no more memory than integral images, which would have to be made
 * again as well. */
static bool means_fit(struct shw_train_compute *training, const struct shw_trainer *trainer)
{
    const struct shw_means means = {.margin = training->shapes.margin};
    const struct shw_compute_images_need need = shw_compute_images_measure(trainer, &training->shapes);
    const VkDeviceSize memory = divide(training, count_samples(trainer), find_memory(trainer, training->device));
    const bool fit = need.all <= memory / 8 * 5 || need.all <= shw_compute_images_measure(trainer, &no_shapes).all;

    return shw_means_compute_fits(training->device, &means) && need.unit <= training->range &&
           need.channels <= training->range && need.least <= memory && fit;
}

/* Divides the memory that training may use; *images: for the planes of images. */
static enum shw_result share_memory(struct shw_train_compute *training, const struct shw_trainer *trainer,
                                    VkDeviceSize *images)
{
    struct shw_compute_images_need need = shw_compute_images_measure(trainer, &training->shapes);
    const VkDeviceSize memory = find_memory(trainer, training->device);
    const uint64_t samples = count_samples(trainer);

    if (need.unit > planes_range(training))
        return refuse_planes(
            training, trainer->params.feature->reads == SHW_FEATURE_READS_INTEGRALS ? "integral images" : "channels",
            &need, need.unit, planes_range(training));
    if (need.channels > training->range)
        return refuse_planes(training, "channels", &need, need.channels, training->range);
    *images = divide(training, samples, memory);
    return *images >= need.least ? SHW_OK : refuse_memory(training, samples, memory, &need);
}

static uint32_t count_shared_words(const struct shw_trainer *trainer, const struct shw_device *device)
{
    uint32_t words = shw_histogram_bins(&trainer->params) * trainer->dataset->class_count;
    uint32_t most = device->properties.limits.maxComputeSharedMemorySize / (uint32_t)sizeof(uint32_t);

    if (words < SHARED_WORDS)
        words = SHARED_WORDS;
    return words < most ? words : most;
}

struct shw_train_compute shw_compute_plan_training(struct shw_trainer *trainer,
                                                   const struct shw_histogram_counter *counter)
{
    struct shw_device *device = trainer->params.device;
    struct shw_train_compute training = {.trainer = trainer,
                                         .device = device,
                                         .log = &trainer->params.log,
                                         .counter = counter,
                                         .range = device->properties.limits.maxStorageBufferRange,
                                         .feature = trainer->params.feature,
                                         .shared_words = count_shared_words(trainer, device),
                                         .reads_channels = shw_compute_reads_channels(trainer),
                                         .shapes = shw_train_shapes_of(trainer),
                                         .paired = trainer->params.mirror == SHW_MIRROR_PAIRED};

    if (training.paired)
        training.mirror = shw_mirror_of(&trainer->channels);
    return training;
}

/* The same once the sizes of images are known. */
static struct shw_train_compute plan_with_images(struct shw_trainer *trainer,
                                                 const struct shw_histogram_counter *counter)
{
    struct shw_train_compute training = shw_compute_plan_training(trainer, counter);

    training.has_windows = needs_windows(trainer, training.device, counter);
    if (training.shapes.count > 0 && (training.has_windows || !means_fit(&training, trainer)))
        training.shapes = no_shapes;
    return training;
}

/* Whether the objects of one training can serve another. */
static bool serves(const struct shw_train_compute *training, struct shw_trainer *trainer)
{
    const struct shw_train_compute other = plan_with_images(trainer, training->counter);

    return training->counter->create == NULL && training->feature == other.feature &&
           training->has_windows == other.has_windows && training->shared_words == other.shared_words &&
           training->reads_channels == other.reads_channels &&
           memcmp(&training->shapes, &other.shapes, sizeof other.shapes) == 0 &&
           training->paired == trainer->images.paired &&
           (!training->paired || memcmp(&training->mirror, &trainer->images.mirror, sizeof training->mirror) == 0);
}

static enum shw_result create_training(struct shw_trainer *trainer, const struct shw_histogram_counter *counter,
                                       void **state)
{
    struct shw_train_compute *training = malloc(sizeof *training);

    if (training == NULL)
        return shw_fail_memory(&trainer->params.log, "training on the device");
    *state = training;
    *training = plan_with_images(trainer, counter);
    SHW_PROPAGATE(shw_compute_clock_create(training));
    return shw_compute_programs_create(training);
}

void shw_compute_rest(void *state)
{
    struct shw_train_compute *training = state;

    shw_image_feed_destroy(&training->integrals.feed);
    training->plan = (struct shw_compute_plan){.sweep = training->plan.sweep};
    training->packed = 0;
    training->uploads_samples = false;
    training->renewed = true;
}

/* Files are read and decoded only once: uploads read copies of the images, and all trees read copies of the labels. Not
 * worth it for a few examples. */
enum shw_result shw_compute_open(struct shw_trainer *trainer)
{
    if (trainer->state == NULL && trainer->programs == NULL)
        shw_programs_ahead_begin(trainer, &trainer->programs);
    if (trainer->dataset->in_memory || trainer->dataset->count < STORE_LEAST)
        return SHW_OK;
    SHW_PROPAGATE(shw_image_store_create(trainer->dataset, &trainer->channels, shw_machine_memory() / STORE_SHARE,
                                         &trainer->params.log, &trainer->store));
    trainer->dataset = shw_image_store_dataset(trainer->store);
    return SHW_OK;
}

enum shw_result shw_compute_create(struct shw_trainer *trainer, struct shw_train_images *before,
                                   const struct shw_histogram_counter *counter, void **state)
{
    struct shw_train_compute *training;
    VkDeviceSize memory = 0;
    bool same = *state != NULL && shw_train_images_equal(before, &trainer->images);
    enum shw_result result = SHW_OK;

    shw_programs_ahead_end(&trainer->programs);
    if (*state != NULL && !serves(*state, trainer))
        shw_compute_destroy(state);
    if (*state == NULL) {
        same = false;
        SHW_TRY(create_training(trainer, counter, state));
    }
    training = *state;
    if (trainer->store != NULL)
        shw_image_store_end(trainer->store, UINT64_MAX);
    SHW_TRY(share_memory(training, trainer, &memory));
    if (!same || !shw_compute_images_keep(&training->integrals, trainer, memory)) {
        shw_compute_sets_destroy(training);
        shw_compute_images_destroy(&training->integrals);
        SHW_TRY(shw_compute_images_create(training->device, trainer, &training->shapes, memory, planes_range(training),
                                          &training->integrals));
        SHW_TRY(shw_compute_sets_create(training));
    }
    SHW_TRY(prepare_constants(training));
    if (counter->create != NULL)
        SHW_TRY(counter->create(training, trainer));
    return SHW_OK;

fail:
    shw_compute_destroy(state);
    return result;
}

void shw_compute_destroy(void **state)
{
    struct shw_train_compute *training = *state;
    struct shw_device *device;

    if (training == NULL)
        return;
    device = training->device;
    if (training->counter->destroy != NULL)
        training->counter->destroy(training);
    shw_compute_sets_destroy(training);
    shw_compute_programs_destroy(training);
    if (training->clock.pool != VK_NULL_HANDLE)
        device->vk.DestroyQueryPool(device->handle, training->clock.pool, device->allocator);
    shw_compute_images_destroy(&training->integrals);
    struct shw_buffer *buffers[] = {
        &training->images,          &training->times_log2,   &training->tables,        &training->samples,
        &training->moved,           &training->features,     &training->probes,        &training->thresholds,
        &training->histogram,       &training->bests,        &training->winners,       &training->children,
        &training->constant_upload, &training->table_upload, &training->sample_upload, &training->feature_upload,
        &training->probe_upload,    &training->decisions,    &training->readback};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        shw_buffer_destroy(device, buffers[i]);
    shw_compute_tables_free(&training->round);
    free(training);
    *state = NULL;
}

#define PACK_BLOCK   65536u
#define PACK_AT_ONCE 16u /* blocks that are packed while the device works, between two looks at it */

/* Shared by the threads that pack samples. */
struct pack {
    const struct shw_samples *samples;
    uint32_t *words;
    uint32_t first; /* block */
};

static void pack_block(void *user, uint32_t index, uint32_t thread)
{
    const struct pack *pack = user;
    const struct shw_samples *samples = pack->samples;
    size_t count = samples->count, begin = ((size_t)pack->first + index) * PACK_BLOCK, left = count - begin;
    size_t end = begin + (left < PACK_BLOCK ? left : PACK_BLOCK);
    uint32_t *words = pack->words;

    (void)thread;
    for (size_t i = begin; i < end; i++) {
        words[i] = samples->x[i] | (uint32_t)samples->y[i] << 16;
        words[count + i] = samples->image[i];
        words[2 * count + i] = samples->label[i];
    }
}

/* Packs up to so many of the blocks that are not packed; returns whether more are left. */
static bool pack_blocks(struct shw_train_compute *training, const struct shw_samples *samples, uint32_t most)
{
    struct pack pack = {samples, training->sample_upload.mapped, training->packed};
    const uint32_t blocks = (uint32_t)(((size_t)samples->count + PACK_BLOCK - 1) / PACK_BLOCK);
    const uint32_t count = shw_min_u32(blocks - training->packed, most);

    shw_thread_pool_run(training->trainer->pool, count, pack_block, &pack);
    training->packed += count;
    return training->packed < blocks;
}

static VkDeviceSize upload_bytes(const struct shw_samples *samples)
{
    return (VkDeviceSize)3 * sizeof(uint32_t) * (samples->count > 0 ? samples->count : 1);
}

enum shw_result shw_compute_begin_tree(void *state)
{
    struct shw_train_compute *training = state;
    const struct shw_tree_builder *builder = &training->trainer->builder;
    const struct shw_samples *samples = &builder->samples;
    const VkDeviceSize bytes = upload_bytes(samples);

    training->sample_capacity = samples->count;
    training->may_shrink = false;
    SHW_PROPAGATE(shw_compute_need(training, &training->samples, bytes / 3 * 4, SHW_MEMORY_DEVICE, "samples"));
    SHW_PROPAGATE(shw_compute_need(training, &training->moved, bytes / 3 * 4, SHW_MEMORY_DEVICE, "samples"));
    if (builder->origin != SHW_SAMPLES_REPEATED) {
        if (builder->origin != SHW_SAMPLES_DRAWN_AHEAD || training->sample_upload.size < bytes)
            training->packed = 0;
        SHW_PROPAGATE(shw_compute_need(training, &training->sample_upload, bytes, SHW_MEMORY_UPLOAD, "samples"));
        (void)pack_blocks(training, samples, UINT32_MAX);
        training->packed = 0;
    }
    if (training->counter->begin_tree != NULL)
        SHW_PROPAGATE(training->counter->begin_tree(training, samples));
    training->plan.samples = true;
    return SHW_OK;
}

bool shw_compute_take_ahead(void *state, const struct shw_samples *samples)
{
    struct shw_train_compute *training = state;

    return !training->uploads_samples && training->sample_upload.size >= upload_bytes(samples) &&
           pack_blocks(training, samples, PACK_AT_ONCE);
}

struct shw_train_compute *shw_compute_of(const struct shw_trainer *trainer)
{
    return trainer->backend->record != NULL ? trainer->state : NULL;
}

static enum shw_result create(struct shw_trainer *trainer, struct shw_train_images *before, void **state)
{
    return shw_compute_create(trainer, before, &shw_counter_compute, state);
}

const struct shw_train_backend shw_train_backend_compute = {
    .technique = SHW_TECHNIQUE_COMPUTE,
    .create = create,
    SHW_COMPUTE_FUNCTIONS,
};
