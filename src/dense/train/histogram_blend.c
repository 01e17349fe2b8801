/* Resources of the technique `blend`: programs, textures, and samples in groups. */
#include "dense/train/histogram_blend.h"

#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "dense/feature/feature_code.h"
#include "dense/train/passes_blend.h"
#include "dense/train/samples_blend.h"

SHW_SHADER_DECLARE(train_blend_scatter_vert);
SHW_SHADER_DECLARE(train_blend_one_frag);
SHW_SHADER_DECLARE(train_blend_flush_comp);

#define BYTES_MIN        ((uint64_t)1 << 20) /* of all textures; less would not help */
#define BINDINGS_MAX     6u
#define FRAGMENT_OUTPUTS (SHW_BLEND_TOGETHER + 4u) /* attachments and storage buffers of the response pass */

/* Bindings of each program: their number, then storage buffers, then textures. */
static const uint8_t bindings_of[SHW_BLEND_PROGRAM_COUNT][1 + BINDINGS_MAX] = {
    [SHW_BLEND_LEAF_PASS] = {4, SHW_TRAIN_INTEGRALS, SHW_TRAIN_IMAGES, SHW_TRAIN_SAMPLES, SHW_BLEND_NODES},
    [SHW_BLEND_RESPOND_PASS] = {5, SHW_TRAIN_INTEGRALS, SHW_TRAIN_IMAGES, SHW_TRAIN_SAMPLES, SHW_TRAIN_FEATURES,
                                SHW_BLEND_LEAVES},
    [SHW_BLEND_SCATTER_FIRST] = {5, SHW_TRAIN_TABLES, SHW_TRAIN_SAMPLES, SHW_TRAIN_THRESHOLDS, SHW_BLEND_LEAVES,
                                 SHW_BLEND_RESPONSES},
    [SHW_BLEND_SCATTER_MORE] = {5, SHW_TRAIN_TABLES, SHW_TRAIN_SAMPLES, SHW_TRAIN_THRESHOLDS, SHW_BLEND_LEAVES,
                                SHW_BLEND_RESPONSES},
    [SHW_BLEND_FLUSH_PASS] = {2, SHW_TRAIN_HISTOGRAM, SHW_BLEND_COUNTS},
};

static bool is_texture(uint32_t binding)
{
    return binding == SHW_BLEND_LEAVES || binding == SHW_BLEND_RESPONSES || binding == SHW_BLEND_COUNTS;
}

static struct shw_resource resource_of(const struct shw_train_compute *training, uint32_t binding, uint32_t place)
{
    const struct shw_histogram_blend *blend = training->blend;

    switch (binding) {
    case SHW_BLEND_LEAVES: return (struct shw_resource){.view = blend->leaf_target.views[0]};
    case SHW_BLEND_RESPONSES: return (struct shw_resource){.view = blend->responses.view};
    case SHW_BLEND_COUNTS: return (struct shw_resource){.view = blend->counts.view};
    case SHW_TRAIN_SAMPLES: return (struct shw_resource){.buffer = blend->points.handle};
    case SHW_BLEND_NODES: return (struct shw_resource){.buffer = blend->nodes.handle};
    default: return (struct shw_resource){.buffer = shw_compute_buffer(training, binding, place)->handle};
    }
}

/* Points the descriptor sets to the current buffers and textures. */
static void bind(struct shw_train_compute *training)
{
    struct shw_histogram_blend *blend = training->blend;

    for (uint32_t p = 0; p < SHW_BLEND_PROGRAM_COUNT; p++)
        for (uint32_t place = 0; place < training->integrals.place_count; place++) {
            struct shw_resource resources[BINDINGS_MAX];
            for (uint32_t i = 0; i < bindings_of[p][0]; i++)
                resources[i] = resource_of(training, bindings_of[p][i + 1], place);
            shw_set_write(training->device, &blend->programs[p], blend->sets[p].handles[place], resources);
        }
}

static VkFormat count_format_of(const struct shw_histogram_blend *blend)
{
    return blend->limits.half ? VK_FORMAT_R16_SFLOAT : VK_FORMAT_R32_SFLOAT;
}

static enum shw_result create_programs(struct shw_train_compute *training, const struct shw_feature_type *feature)
{
    struct shw_histogram_blend *blend = training->blend;
    const VkFormat leaf_format = VK_FORMAT_R32G32B32A32_UINT, count_format = count_format_of(blend);
    VkFormat response_formats[SHW_BLEND_TOGETHER];
    struct shw_train_specialization constants;
    const struct shw_shader scatter = SHW_SHADER(train_blend_scatter_vert), one = SHW_SHADER(train_blend_one_frag);
    struct shw_program_params list[SHW_BLEND_PROGRAM_COUNT] = {
        [SHW_BLEND_LEAF_PASS] = {.name = "train blend leaves",
                                 .fragment = shw_feature_shader(feature, SHW_ROLE_BLEND_LEAVES),
                                 .attachment_count = 1,
                                 .attachments = &leaf_format,
                                 .load = VK_ATTACHMENT_LOAD_OP_DONT_CARE},
        [SHW_BLEND_RESPOND_PASS] = {.name = "train blend responses",
                                    .fragment = shw_feature_shader(feature, SHW_ROLE_BLEND_RESPOND),
                                    .attachment_count = SHW_BLEND_TOGETHER,
                                    .attachments = response_formats,
                                    .load = VK_ATTACHMENT_LOAD_OP_DONT_CARE},
        [SHW_BLEND_SCATTER_FIRST] = {.name = "train blend first points",
                                     .vertex = scatter,
                                     .fragment = one,
                                     .attachment_count = 1,
                                     .attachments = &count_format,
                                     .load = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                     .additive = true,
                                     .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST},
        [SHW_BLEND_FLUSH_PASS] = {.name = "train blend flush", .compute = SHW_SHADER(train_blend_flush_comp)},
    };

    shw_train_specialize(training, &constants);
    list[SHW_BLEND_LEAF_PASS].specialization = list[SHW_BLEND_RESPOND_PASS].specialization = &constants.info;
    list[SHW_BLEND_SCATTER_MORE] = list[SHW_BLEND_SCATTER_FIRST];
    list[SHW_BLEND_SCATTER_MORE].name = "train blend points";
    list[SHW_BLEND_SCATTER_MORE].load = VK_ATTACHMENT_LOAD_OP_LOAD;
    for (uint32_t i = 0; i < SHW_BLEND_TOGETHER; i++)
        response_formats[i] = VK_FORMAT_R32G32B32A32_SINT;
    for (uint32_t p = 0; p < SHW_BLEND_PROGRAM_COUNT; p++) {
        struct shw_binding bindings[BINDINGS_MAX];
        for (uint32_t i = 0; i < bindings_of[p][0]; i++) {
            uint32_t binding = bindings_of[p][i + 1];
            bindings[i] = (struct shw_binding){binding, is_texture(binding) ? VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE
                                                                            : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
        }
        list[p].bindings = bindings;
        list[p].binding_count = bindings_of[p][0];
        list[p].push_bytes = sizeof(struct shw_blend_push);
        SHW_PROPAGATE(shw_program_create(training->device, &list[p], &blend->programs[p]));
        SHW_PROPAGATE(
            shw_sets_create(training->device, &blend->programs[p], training->integrals.place_count, &blend->sets[p]));
    }
    return SHW_OK;
}

/* The largest power of two that fits textures and viewports, at most `most`. */
static uint32_t widest(const VkPhysicalDeviceLimits *limits, uint32_t most)
{
    const uint32_t sides[] = {limits->maxImageDimension2D, limits->maxFramebufferWidth, limits->maxFramebufferHeight,
                              limits->maxViewportDimensions[0], limits->maxViewportDimensions[1]};
    uint32_t width = SHW_BLEND_FLUSH_SIZE;

    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        most = sides[i] < most ? sides[i] : most;
    while (width <= most / 2)
        width *= 2;
    return width;
}

/* Bytes of leaf images and responses, and their limit. */
static VkDeviceSize sample_bytes(const struct shw_histogram_blend *blend)
{
    return (VkDeviceSize)blend->slot_max * (1 + blend->layers) * 4 * sizeof(uint32_t);
}

static VkDeviceSize sample_bytes_max(const struct shw_train_compute *training)
{
    return training->batch_bytes / 2;
}

static VkDeviceSize get_memory(const struct shw_train_compute *training, uint64_t samples)
{
    return samples * 24 + sample_bytes_max(training) + training->batch_bytes;
}

static enum shw_result create(struct shw_train_compute *training, const struct shw_trainer *trainer)
{
    const VkPhysicalDeviceLimits *limits = &training->device->properties.limits;
    struct shw_histogram_blend *blend;

    if (limits->maxFragmentCombinedOutputResources < FRAGMENT_OUTPUTS)
        return shw_fail(&trainer->params.log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                        "the technique blend needs %u outputs and buffers in fragment shaders; the device has %u: use "
                        "the technique compute",
                        FRAGMENT_OUTPUTS, limits->maxFragmentCombinedOutputResources);
    training->blend = calloc(1, sizeof *training->blend);
    if (training->blend == NULL)
        return shw_fail_memory(&trainer->params.log, "the technique blend");
    blend = training->blend;
    blend->limits = trainer->blend_limits != NULL
                        ? *trainer->blend_limits
                        : (struct shw_blend_limits){SHW_BLEND_POINTS, UINT32_MAX, SHW_BLEND_BYTES, false};
    if (blend->limits.bytes > training->batch_bytes)
        blend->limits.bytes = training->batch_bytes;
    blend->image_count = trainer->images.count;
    blend->slot_max = SHW_BLEND_SLOT_MAX;
    blend->layers = (uint32_t)shw_align_up(trainer->candidate_count, SHW_BLEND_TOGETHER);
    if (blend->layers > SHW_BLEND_LAYERS_MAX)
        blend->layers = SHW_BLEND_LAYERS_MAX;
    while (sample_bytes(blend) > sample_bytes_max(training) && blend->layers > SHW_BLEND_TOGETHER)
        blend->layers -= SHW_BLEND_TOGETHER;
    while (sample_bytes(blend) > sample_bytes_max(training) && blend->slot_max > SHW_BLEND_WIDTH)
        blend->slot_max -= SHW_BLEND_WIDTH;
    blend->width_max = widest(limits, blend->limits.side);
    return create_programs(training, trainer->params.feature);
}

static void destroy_counts(struct shw_device *device, struct shw_histogram_blend *blend)
{
    for (uint32_t i = 0; i < SHW_BLEND_TEXTURES_MAX; i++)
        shw_target_destroy(device, &blend->count_targets[i]);
    shw_vulkan_image_destroy(device, &blend->counts);
}

static void destroy(struct shw_train_compute *training)
{
    struct shw_histogram_blend *blend = training->blend;
    struct shw_device *device = training->device;

    if (blend == NULL)
        return;
    shw_blend_samples_destroy(device, blend);
    destroy_counts(device, blend);
    for (uint32_t p = 0; p < SHW_BLEND_PROGRAM_COUNT; p++) {
        shw_sets_destroy(device, &blend->sets[p]);
        shw_program_destroy(device, &blend->programs[p]);
    }
    shw_buffer_destroy(device, &blend->points);
    shw_buffer_destroy(device, &blend->nodes);
    shw_buffer_destroy(device, &blend->point_upload);
    shw_buffer_destroy(device, &blend->node_upload);
    free(blend->groups);
    free(blend);
    training->blend = NULL;
}

struct shw_blend_tiling shw_blend_tile(size_t cells, uint32_t width_max, uint32_t layers_max, VkDeviceSize bytes_max)
{
    struct shw_blend_tiling tiling = {.width_shift = 6};
    size_t width, rows, rows_max, textures_max;

    while ((size_t)1 << tiling.width_shift < width_max && (size_t)1 << 2 * tiling.width_shift < cells)
        tiling.width_shift++;
    width = (size_t)1 << tiling.width_shift;
    rows = (cells + width - 1) / width;
    rows_max = bytes_max / sizeof(float) / width;
    rows_max = rows_max > 0 ? rows_max : 1;
    tiling.height = (uint32_t)(rows < width ? rows : width);
    tiling.height = (uint32_t)(tiling.height < rows_max ? tiling.height : rows_max);
    textures_max = rows_max / tiling.height;
    textures_max = textures_max < layers_max ? textures_max : layers_max;
    textures_max = textures_max < SHW_BLEND_TEXTURES_MAX ? textures_max : SHW_BLEND_TEXTURES_MAX;
    tiling.textures = (uint32_t)((rows + tiling.height - 1) / tiling.height);
    tiling.textures = (uint32_t)(tiling.textures < textures_max ? tiling.textures : textures_max);
    tiling.sweep_cells = tiling.textures * width * tiling.height;
    return tiling;
}

static enum shw_result make_counts(struct shw_train_compute *training, struct shw_blend_tiling tiling)
{
    struct shw_histogram_blend *blend = training->blend;
    struct shw_device *device = training->device;

    destroy_counts(device, blend);
    SHW_PROPAGATE(shw_vulkan_image_try(
        device, count_format_of(blend), 1u << tiling.width_shift, tiling.height, tiling.textures,
        VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT, "counts", &blend->counts));
    for (uint32_t t = 0; t < tiling.textures; t++)
        SHW_PROPAGATE(shw_target_create(device, &blend->programs[SHW_BLEND_SCATTER_MORE], &blend->counts, &t,
                                        &blend->count_targets[t]));
    return SHW_OK;
}

/* Creates textures for the largest batch; if device memory runs out, smaller ones, which need more sweeps. */
static enum shw_result need_counts(struct shw_train_compute *training)
{
    struct shw_histogram_blend *blend = training->blend;
    enum shw_result result;

    for (;;) {
        const struct shw_blend_tiling *tiling = &blend->tiling;
        blend->tiling = shw_blend_tile(training->round.histogram_words, blend->width_max,
                                       training->device->properties.limits.maxImageArrayLayers, blend->limits.bytes);
        if (blend->counts.width == 1u << tiling->width_shift && blend->counts.height >= tiling->height &&
            blend->counts.layers >= tiling->textures)
            return SHW_OK;
        result = make_counts(training, *tiling);
        if (result != SHW_ERROR_DEVICE_MEMORY)
            return result;
        if (blend->limits.bytes < 2 * BYTES_MIN)
            return training->may_shrink
                       ? result
                       : shw_fail(training->log, result, SHW_LOG_OUT_OF_MEMORY,
                                  "not enough device memory for counts (%llu bytes): train with fewer samples",
                                  (unsigned long long)blend->limits.bytes);
        blend->limits.bytes /= 2;
    }
}

/* Uploads the tree in the form that traverse.h reads. */
static enum shw_result send_nodes(struct shw_train_compute *training, const struct shw_tree_builder *builder)
{
    struct shw_histogram_blend *blend = training->blend;
    size_t count = (size_t)builder->node_count * SHW_NODE_TEXELS * 4;
    uint32_t *words;

    blend->node_bytes = count * sizeof *words;
    SHW_PROPAGATE(shw_compute_need(training, &blend->nodes, blend->node_bytes, SHW_MEMORY_DEVICE, "nodes"));
    SHW_PROPAGATE(shw_compute_need(training, &blend->node_upload, blend->node_bytes, SHW_MEMORY_UPLOAD, "nodes"));
    words = blend->node_upload.mapped;
    for (uint32_t n = 0; n < builder->node_count; n++, words += SHW_NODE_TEXELS * 4) {
        const struct shw_node *node = &builder->nodes[n];
        const uint32_t *feature = node->feature.words;
        uint32_t leaf[8] = {n, 0, SHW_BLEND_NONE}, split[4] = {node->left, feature[0] | 1u << SHW_NODE_SPLIT_SHIFT,
                                                               (uint32_t)node->t0, (uint32_t)node->t1};
        memcpy(words, leaf, sizeof leaf);
        if (!node->is_split)
            continue;
        memcpy(words, split, sizeof split);
        memcpy(words + 4, feature + 1, 4 * sizeof *words);
    }
    words = blend->node_upload.mapped;
    for (uint32_t o = 0; o < builder->open_count; o++)
        words[(size_t)builder->open[o].node * SHW_NODE_TEXELS * 4 + 2] = o;
    blend->depth = builder->depth;
    return SHW_OK;
}

static enum shw_result begin(struct shw_train_compute *training, const struct shw_trainer *trainer)
{
    SHW_PROPAGATE(send_nodes(training, &trainer->builder));
    SHW_PROPAGATE(need_counts(training));
    bind(training);
    return SHW_OK;
}

const struct shw_histogram_counter shw_counter_blend = {
    .get_memory = get_memory,
    .create = create,
    .begin_tree = shw_blend_samples_begin,
    .begin = begin,
    .record = shw_blend_record,
    .destroy = destroy,
};
