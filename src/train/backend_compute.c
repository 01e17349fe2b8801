#include "train/backend_compute.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "shared/score.h"
#include "train/histogram_blend.h"
#include "train/splitting.h"
#include "vulkan/barrier.h"

SHW_SHADER_DECLARE(train_thresholds_comp);
SHW_SHADER_DECLARE(train_split_comp);
SHW_SHADER_DECLARE(train_winners_comp);
SHW_SHADER_DECLARE(train_scan_comp);
SHW_SHADER_DECLARE(train_move_comp);

#define SHARED_WORDS                                                                                                   \
    2816u /* of a work group's counts, unless one candidate needs more: leaves the processor room for a cache */
#define SMALL           ((VkDeviceSize)16 << 20) /* a buffer that may as well be twice as large */
#define SMALL_STEP      ((VkDeviceSize)64 << 10)
#define BATCH_BYTES_MAX ((VkDeviceSize)512 << 20) /* of a batch's histograms */

/* The storage buffers of each program, in order of their bindings. */
static const uint8_t bindings_of[SHW_PROGRAM_COUNT][9] = {
    [SHW_PROGRAM_CANDIDATES] = {2, SHW_TRAIN_TABLES, SHW_TRAIN_FEATURES},
    [SHW_PROGRAM_PROBES] = {6, SHW_TRAIN_INTEGRALS, SHW_TRAIN_IMAGES, SHW_TRAIN_TABLES, SHW_TRAIN_SAMPLES,
                            SHW_TRAIN_FEATURES, SHW_TRAIN_PROBES},
    [SHW_PROGRAM_THRESHOLDS] = {3, SHW_TRAIN_TABLES, SHW_TRAIN_PROBES, SHW_TRAIN_THRESHOLDS},
    [SHW_PROGRAM_HISTOGRAM] = {7, SHW_TRAIN_INTEGRALS, SHW_TRAIN_IMAGES, SHW_TRAIN_TABLES, SHW_TRAIN_SAMPLES,
                               SHW_TRAIN_FEATURES, SHW_TRAIN_THRESHOLDS, SHW_TRAIN_HISTOGRAM},
    [SHW_PROGRAM_SPLIT] = {5, SHW_TRAIN_TABLES, SHW_TRAIN_THRESHOLDS, SHW_TRAIN_HISTOGRAM, SHW_TRAIN_BESTS,
                           SHW_TRAIN_TIMES_LOG2},
    [SHW_PROGRAM_WINNERS] = {5, SHW_TRAIN_TABLES, SHW_TRAIN_FEATURES, SHW_TRAIN_THRESHOLDS, SHW_TRAIN_BESTS,
                             SHW_TRAIN_WINNERS},
    [SHW_PROGRAM_SIDES] = {6, SHW_TRAIN_INTEGRALS, SHW_TRAIN_IMAGES, SHW_TRAIN_TABLES, SHW_TRAIN_SAMPLES,
                           SHW_TRAIN_WINNERS, SHW_TRAIN_CHILDREN},
    [SHW_PROGRAM_SCAN] = {1, SHW_TRAIN_CHILDREN},
    [SHW_PROGRAM_MOVE] = {5, SHW_TRAIN_TABLES, SHW_TRAIN_SAMPLES, SHW_TRAIN_MOVED, SHW_TRAIN_WINNERS,
                          SHW_TRAIN_CHILDREN},
};

static const struct shw_buffer *buffer_of(const struct shw_train_compute *training, uint32_t binding, uint32_t place)
{
    const struct shw_buffer *buffers[] = {
        [SHW_TRAIN_INTEGRALS] = &training->integrals.places[place].buffer,
        [SHW_TRAIN_IMAGES] = &training->images,
        [SHW_TRAIN_TABLES] = &training->tables,
        [SHW_TRAIN_SAMPLES] = &training->samples,
        [SHW_TRAIN_MOVED] = &training->moved,
        [SHW_TRAIN_FEATURES] = &training->features,
        [SHW_TRAIN_PROBES] = &training->probes,
        [SHW_TRAIN_THRESHOLDS] = &training->thresholds,
        [SHW_TRAIN_HISTOGRAM] = &training->histogram,
        [SHW_TRAIN_BESTS] = &training->bests,
        [SHW_TRAIN_WINNERS] = &training->winners,
        [SHW_TRAIN_CHILDREN] = &training->children,
        [SHW_TRAIN_TIMES_LOG2] = &training->times_log2,
    };

    return buffers[binding];
}

void shw_compute_bind_buffers(struct shw_train_compute *training)
{
    for (uint32_t p = 0; p < SHW_PROGRAM_COUNT; p++)
        for (uint32_t place = 0; place < training->integrals.place_count; place++) {
            VkDescriptorBufferInfo infos[8];
            struct shw_resource resources[8];
            bool complete = true;
            for (uint32_t i = 0; i < bindings_of[p][0]; i++) {
                const struct shw_buffer *buffer = buffer_of(training, bindings_of[p][i + 1], place);
                infos[i] = (VkDescriptorBufferInfo){buffer->handle, 0, VK_WHOLE_SIZE};
                resources[i] = (struct shw_resource){.buffers = &infos[i]};
                complete &= buffer->handle != VK_NULL_HANDLE;
            }
            if (complete)
                shw_set_write(training->device, &training->programs[p], training->sets[p][place], resources);
        }
}

static enum shw_result create_programs(struct shw_train_compute *training, const struct shw_feature_type *feature)
{
    const struct {
        const char *name;
        struct shw_shader shader;
    } programs[SHW_PROGRAM_COUNT] = {
        [SHW_PROGRAM_CANDIDATES] = {"train candidates", shw_feature_shader(feature, SHW_ROLE_CANDIDATES)},
        [SHW_PROGRAM_PROBES] = {"train probes", shw_feature_shader(feature, SHW_ROLE_PROBES)},
        [SHW_PROGRAM_THRESHOLDS] = {"train thresholds", SHW_SHADER(train_thresholds_comp)},
        [SHW_PROGRAM_HISTOGRAM] = {"train histogram", shw_feature_shader(feature, SHW_ROLE_HISTOGRAM)},
        [SHW_PROGRAM_SPLIT] = {"train split", SHW_SHADER(train_split_comp)},
        [SHW_PROGRAM_WINNERS] = {"train winners", SHW_SHADER(train_winners_comp)},
        [SHW_PROGRAM_SIDES] = {"train sides", shw_feature_shader(feature, SHW_ROLE_SIDES)},
        [SHW_PROGRAM_SCAN] = {"train scan", SHW_SHADER(train_scan_comp)},
        [SHW_PROGRAM_MOVE] = {"train move", SHW_SHADER(train_move_comp)},
    };
    const VkSpecializationMapEntry entry = {0, 0, sizeof training->shared_words};
    const VkSpecializationInfo shared = {1, &entry, sizeof training->shared_words, &training->shared_words};

    for (uint32_t p = 0; p < SHW_PROGRAM_COUNT; p++) {
        struct shw_binding bindings[8];
        struct shw_program_params params = {.name = programs[p].name,
                                            .compute = programs[p].shader,
                                            .bindings = bindings,
                                            .binding_count = bindings_of[p][0],
                                            .push_bytes = sizeof(struct shw_train_push),
                                            .specialization = p == SHW_PROGRAM_HISTOGRAM ? &shared : NULL};
        for (uint32_t i = 0; i < bindings_of[p][0]; i++)
            bindings[i] = (struct shw_binding){bindings_of[p][i + 1], VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
        SHW_PROPAGATE(shw_program_create(training->device, &params, &training->programs[p]));
    }
    return SHW_OK;
}

static void destroy_sets(struct shw_train_compute *training)
{
    for (uint32_t p = 0; p < SHW_PROGRAM_COUNT; p++) {
        if (training->pools[p] != VK_NULL_HANDLE)
            training->device->vk.DestroyDescriptorPool(training->device->handle, training->pools[p],
                                                       training->device->allocator);
        training->pools[p] = VK_NULL_HANDLE;
        free(training->sets[p]);
        training->sets[p] = NULL;
    }
    free(training->plan.sweep);
    training->plan.sweep = NULL;
}

/* What there is one of for each place, or chunk, of integral images. */
static enum shw_result create_sets(struct shw_train_compute *training)
{
    uint32_t places = training->integrals.place_count;

    training->plan.sweep = malloc(training->integrals.chunk_count * sizeof *training->plan.sweep);
    if (training->plan.sweep == NULL)
        return shw_fail_memory(training->log, "training on the device");
    for (uint32_t p = 0; p < SHW_PROGRAM_COUNT; p++) {
        training->sets[p] = calloc(places, sizeof *training->sets[p]);
        if (training->sets[p] == NULL)
            return shw_fail_memory(&training->device->log, "descriptor sets");
        SHW_PROPAGATE(
            shw_sets_create(training->device, &training->programs[p], places, &training->pools[p], training->sets[p]));
    }
    return SHW_OK;
}

enum shw_result shw_compute_need(struct shw_train_compute *training, struct shw_buffer *buffer, VkDeviceSize size,
                                 enum shw_memory_kind kind, const char *name)
{
    VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    enum shw_result result;

    size = (size + 15) & ~(VkDeviceSize)15;
    if (buffer->size >= size)
        return SHW_OK;
    if (training->renewed && size <= SMALL) {
        VkDeviceSize step = SMALL_STEP;
        while (step < size)
            step *= 2;
        size = step;
    }
    if (kind == SHW_MEMORY_DEVICE && size > training->range)
        return shw_fail(&training->device->log, SHW_ERROR_LIMIT, SHW_LOG_REQUIREMENT,
                        "%s need a storage buffer of %llu bytes; the device has at most %llu", name,
                        (unsigned long long)size, (unsigned long long)training->range);
    shw_buffer_destroy(training->device, buffer);
    result = shw_buffer_try(training->device, size, usage, kind, name, buffer);
    if (result == SHW_ERROR_DEVICE_MEMORY && !training->may_shrink)
        shw_fail(training->log, result, SHW_LOG_OUT_OF_MEMORY,
                 "not enough device memory for %s (%llu bytes): train with fewer samples, candidates or bins", name,
                 (unsigned long long)size);
    return result;
}

/* Where images are and the logarithms, to be sent with the first round. */
static enum shw_result prepare_constants(struct shw_train_compute *training)
{
    size_t image_bytes = (size_t)training->integrals.set->count * SHW_IMAGE_WORDS * sizeof(uint32_t);
    size_t log_bytes = 2 * SHW_TIMES_LOG2_COUNT * sizeof(uint32_t);
    VkDeviceSize kept;
    uint32_t *words;

    SHW_PROPAGATE(shw_compute_need(training, &training->images, image_bytes, SHW_MEMORY_DEVICE, "image table"));
    SHW_PROPAGATE(shw_compute_need(training, &training->times_log2, log_bytes, SHW_MEMORY_DEVICE, "logarithms"));
    kept = training->constant_upload.size; /* a new buffer is larger, but may well have the old one's handle */
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

/* Shares the memory out: samples, an eighth for each of the large parts of a batch, the rest for integral images. */
static enum shw_result share_memory(struct shw_train_compute *training, const struct shw_trainer *trainer,
                                    VkDeviceSize *images)
{
    const struct shw_trainer_params *params = &trainer->params;
    uint64_t samples = 0;
    VkDeviceSize memory = params->memory, taken;
    struct shw_device_description description;

    shw_device_describe(training->device, &description);
    if (memory == 0)
        memory = description.is_cpu ? description.memory_bytes / 2 : description.memory_bytes / 8 * 7;
    for (uint32_t i = 0; i < trainer->images.count; i++) {
        uint32_t labelled = trainer->images.images[i].labelled_count;
        samples += params->pixels_per_image < labelled ? params->pixels_per_image : labelled;
    }
    training->batch_bytes = memory / 8;
    if (training->batch_bytes > training->range)
        training->batch_bytes = training->range;
    if (training->batch_bytes > BATCH_BYTES_MAX)
        training->batch_bytes = BATCH_BYTES_MAX;
    if (params->splitter != NULL && training->batch_bytes > SHW_SPLITTER_BYTES)
        training->batch_bytes = SHW_SPLITTER_BYTES;
    /* samples twice, 16 bytes each, and once more 12 on their way; histograms, probes and thresholds; tables */
    taken = samples * 44 + 3 * training->batch_bytes + training->batch_bytes / 2;
    if (params->technique == SHW_TECHNIQUE_BLEND)
        taken += samples * 24 + shw_histogram_blend_bytes(training);
    if (taken >= memory)
        return shw_fail(&params->log, SHW_ERROR_LIMIT, SHW_LOG_TRAIN_PARAMETER,
                        "%llu samples need more than the %llu MiB of device memory that training may use: draw fewer "
                        "pixels an image",
                        (unsigned long long)samples, (unsigned long long)memory >> 20);
    *images = memory - taken;
    return SHW_OK;
}

static uint32_t count_shared_words(const struct shw_trainer *trainer, const struct shw_device *device)
{
    uint32_t words = trainer->params.bins * trainer->dataset->class_count;
    uint32_t most = device->properties.limits.maxComputeSharedMemorySize / (uint32_t)sizeof(uint32_t);

    if (words < SHARED_WORDS)
        words = SHARED_WORDS;
    return words < most ? words : most;
}

/* Whether programs made for one training are those of another. */
static bool serves(const struct shw_train_compute *training, const struct shw_trainer *trainer)
{
    return training->blend == NULL && trainer->params.technique == SHW_TECHNIQUE_COMPUTE &&
           training->feature == trainer->params.feature &&
           training->shared_words == count_shared_words(trainer, training->device);
}

static enum shw_result create_training(struct shw_trainer *trainer, struct shw_train_compute **out)
{
    struct shw_device *device = trainer->params.device;
    struct shw_train_compute *training = calloc(1, sizeof *training);

    if (training == NULL)
        return shw_fail_memory(&trainer->params.log, "training on the device");
    *out = training;
    training->device = device;
    training->log = &trainer->params.log;
    training->range = device->properties.limits.maxStorageBufferRange;
    training->feature = trainer->params.feature;
    training->shared_words = count_shared_words(trainer, device);
    SHW_PROPAGATE(shw_compute_clock_create(training));
    return create_programs(training, trainer->params.feature);
}

void shw_compute_rest(struct shw_train_compute *training)
{
    shw_image_feed_destroy(&training->integrals.feed);
    training->plan = (struct shw_compute_plan){.sweep = training->plan.sweep};
    training->renewed = true;
}

enum shw_result shw_compute_renew(struct shw_train_compute **handle, struct shw_trainer *trainer, bool same_images)
{
    VkDeviceSize memory;
    enum shw_result result = SHW_OK;

    if (*handle != NULL && !serves(*handle, trainer))
        shw_compute_destroy(handle);
    same_images = same_images && *handle != NULL;
    if (*handle == NULL)
        SHW_TRY(create_training(trainer, handle));
    SHW_TRY(share_memory(*handle, trainer, &memory));
    if (!same_images || !shw_compute_images_keep(&(*handle)->integrals, trainer, memory)) {
        destroy_sets(*handle);
        shw_compute_images_destroy(&(*handle)->integrals);
        SHW_TRY(shw_compute_images_create((*handle)->device, trainer, memory, (*handle)->range, &(*handle)->integrals));
        SHW_TRY(create_sets(*handle));
    }
    SHW_TRY(prepare_constants(*handle));
    if (trainer->params.technique == SHW_TECHNIQUE_BLEND)
        SHW_TRY(shw_histogram_blend_create(*handle, trainer));
    return SHW_OK;

fail:
    shw_compute_destroy(handle);
    return result;
}

void shw_compute_destroy(struct shw_train_compute **handle)
{
    struct shw_train_compute *training = *handle;
    struct shw_device *device;

    if (training == NULL)
        return;
    device = training->device;
    shw_histogram_blend_destroy(training);
    destroy_sets(training);
    for (uint32_t p = 0; p < SHW_PROGRAM_COUNT; p++)
        shw_program_destroy(device, &training->programs[p]);
    if (training->clock.pool != VK_NULL_HANDLE)
        device->vk.DestroyQueryPool(device->handle, training->clock.pool, device->allocator);
    shw_compute_images_destroy(&training->integrals);
    struct shw_buffer *buffers[] = {&training->images,          &training->times_log2,   &training->tables,
                                    &training->samples,         &training->moved,        &training->features,
                                    &training->probes,          &training->thresholds,   &training->histogram,
                                    &training->bests,           &training->winners,      &training->children,
                                    &training->constant_upload, &training->table_upload, &training->sample_upload,
                                    &training->decisions,       &training->readback};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        shw_buffer_destroy(device, buffers[i]);
    shw_compute_tables_free(&training->round);
    free(training);
    *handle = NULL;
}

#define PACK_BLOCK 65536u

/* What the threads that pack share. */
struct pack {
    const struct shw_samples *samples;
    uint32_t *words;
};

static void pack_block(void *user, uint32_t index, uint32_t thread)
{
    const struct pack *pack = user;
    const struct shw_samples *samples = pack->samples;
    size_t count = samples->count, begin = (size_t)index * PACK_BLOCK, left = count - begin;
    size_t end = begin + (left < PACK_BLOCK ? left : PACK_BLOCK);
    uint32_t *words = pack->words;

    (void)thread;
    for (size_t i = begin; i < end; i++) {
        words[i] = samples->x[i] | (uint32_t)samples->y[i] << 16;
        words[count + i] = samples->image[i];
        words[2 * count + i] = samples->label[i];
    }
}

enum shw_result shw_compute_samples(struct shw_train_compute *training, struct shw_thread_pool *pool,
                                    const struct shw_samples *samples)
{
    size_t count = samples->count, word = sizeof(uint32_t);
    struct pack pack = {.samples = samples};

    training->sample_capacity = samples->count;
    SHW_PROPAGATE(shw_compute_need(training, &training->samples, 4 * count * word, SHW_MEMORY_DEVICE, "samples"));
    SHW_PROPAGATE(shw_compute_need(training, &training->moved, 4 * count * word, SHW_MEMORY_DEVICE, "samples"));
    SHW_PROPAGATE(shw_compute_need(training, &training->sample_upload, 3 * count * word, SHW_MEMORY_UPLOAD, "samples"));
    pack.words = training->sample_upload.mapped;
    shw_thread_pool_run(pool, (uint32_t)((count + PACK_BLOCK - 1) / PACK_BLOCK), pack_block, &pack);
    if (training->blend != NULL)
        SHW_PROPAGATE(shw_histogram_blend_samples(training, samples));
    training->plan.samples = true;
    return SHW_OK;
}
