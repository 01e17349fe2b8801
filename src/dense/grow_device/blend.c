/* The technique `blend`: samples in groups, the passes that count them, and their resources. */
#include "dense/grow_device/blend.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/integers.h"
#include "base/log.h"
#include "dense/feature/feature_code.h"
#include "dense/grow_device/round.h"
#include "vulkan/commands.h"

/* Destroys the textures. */
static void blend_samples_destroy(struct shw_device *device, struct shw_histogram_blend *blend)
{
    shw_target_destroy(device, &blend->leaf_target);
    for (uint32_t i = 0; i < SHW_BLEND_LAYERS_MAX / SHW_BLEND_TOGETHER; i++)
        shw_target_destroy(device, &blend->respond_targets[i]);
    shw_vulkan_image_destroy(device, &blend->leaves);
    shw_vulkan_image_destroy(device, &blend->responses);
}

/* Creates textures for components of up to `slot` samples and responses to as many candidates as allowed. */
static enum shw_result need_samples(struct shw_train_compute *training, uint32_t slot)
{
    struct shw_histogram_blend *blend = training->blend;
    struct shw_device *device = training->device;
    const VkImageUsageFlags usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
    uint32_t height = (slot + SHW_BLEND_WIDTH - 1) / SHW_BLEND_WIDTH, first = 0;

    if (blend->leaves.height >= height)
        return SHW_OK;
    blend_samples_destroy(device, blend);
    SHW_PROPAGATE(shw_vulkan_image_create(device, VK_FORMAT_R32G32B32A32_UINT, SHW_BLEND_WIDTH, height, 1, usage,
                                          "leaf images", &blend->leaves));
    SHW_PROPAGATE(shw_vulkan_image_create(device, VK_FORMAT_R32G32B32A32_SINT, SHW_BLEND_WIDTH, height, blend->layers,
                                          usage, "responses", &blend->responses));
    SHW_PROPAGATE(
        shw_target_create(device, &blend->programs[SHW_BLEND_LEAF_PASS], &blend->leaves, &first, &blend->leaf_target));
    for (uint32_t l = 0; l < blend->layers; l += SHW_BLEND_TOGETHER) {
        uint32_t list[SHW_BLEND_TOGETHER];
        for (uint32_t i = 0; i < SHW_BLEND_TOGETHER; i++)
            list[i] = l + i;
        SHW_PROPAGATE(shw_target_create(device, &blend->programs[SHW_BLEND_RESPOND_PASS], &blend->responses, list,
                                        &blend->respond_targets[l / SHW_BLEND_TOGETHER]));
    }
    return SHW_OK;
}

static struct shw_blend_group *add_group(struct shw_histogram_blend *blend)
{
    return SHW_RESERVE(blend->groups, blend->group_capacity, blend->group_count + 1u)
               ? &blend->groups[blend->group_count++]
               : NULL;
}

/* Fills a component with samples of whole images as long as they fit, or with a part of an image that would not fit
 * into any. `image` is that of the next sample; `ends` is where those of each image end. */
static uint32_t fill_component(const struct shw_train_compute *training, const uint32_t *ends, uint32_t first,
                               uint32_t chunk, uint32_t most, uint32_t *image)
{
    uint32_t end = first;

    for (; *image < training->blend->image_count; ++*image) {
        if (ends[*image] == end)
            continue;
        if (training->integrals.table[*image * SHW_IMAGE_WORDS + 2] != chunk)
            return end;
        if (ends[*image] - first > most)
            return end > first ? end : first + most;
        end = ends[*image];
    }
    return end;
}

/* False if out of memory. */
static bool make_groups(struct shw_train_compute *training, const uint32_t *ends, uint32_t count, uint32_t slot)
{
    struct shw_histogram_blend *blend = training->blend;
    uint32_t image = 0;

    blend->group_count = 0;
    for (uint32_t first = 0; first < count;) {
        struct shw_blend_group *group = add_group(blend);
        uint32_t end = first;
        if (group == NULL)
            return false;
        while (ends[image] == first)
            image++;
        *group =
            (struct shw_blend_group){.chunk = training->integrals.table[image * SHW_IMAGE_WORDS + 2], .first = first};
        for (uint32_t c = 0; c < 4; c++) {
            uint32_t room = blend->limits.points - (end - first);
            group->begins[c] = end - first;
            end = fill_component(training, ends, end, group->chunk, slot < room ? slot : room, &image);
        }
        group->count = end - first;
        first = end;
    }
    return true;
}

/* Writes the samples sorted by image, and to `ends` where those of each image end. Returns the largest number of
 * samples in an image. */
static uint32_t sort_samples(const struct shw_samples *samples, uint32_t image_count, uint32_t *ends, uint32_t *words)
{
    size_t count = samples->count;
    uint32_t begin = 0, most = 0;

    memset(ends, 0, image_count * sizeof *ends);
    for (size_t i = 0; i < count; i++)
        ends[samples->image[i]]++;
    for (uint32_t image = 0; image < image_count; image++) {
        uint32_t has = ends[image];
        most = has > most ? has : most;
        ends[image] = begin;
        begin += has;
    }
    for (size_t i = 0; i < count; i++) {
        size_t to = ends[samples->image[i]]++;
        words[to] = samples->x[i] | (uint32_t)samples->y[i] << 16;
        words[count + to] = samples->image[i];
        words[2 * count + to] = samples->label[i];
    }
    return most;
}

/* As begin_tree in struct shw_histogram_counter. */
static enum shw_result blend_samples_begin(struct shw_train_compute *training, const struct shw_samples *samples)
{
    struct shw_histogram_blend *blend = training->blend;
    VkDeviceSize bytes = 3 * (VkDeviceSize)shw_max_u32(samples->count, 1) * sizeof(uint32_t);
    uint32_t *ends = malloc(blend->image_count * sizeof *ends), slot;
    enum shw_result result = SHW_ERROR_MEMORY;

    if (ends == NULL) {
        shw_fail_memory(training->log, "groups of samples");
        goto fail;
    }
    SHW_TRY(shw_compute_need(training, &blend->points, bytes, SHW_MEMORY_DEVICE, "samples"));
    SHW_TRY(shw_compute_need(training, &blend->point_upload, bytes, SHW_MEMORY_UPLOAD, "samples"));
    /* If possible, components are as long as the four of a single group would be. */
    slot = samples->count / 4 + sort_samples(samples, blend->image_count, ends, blend->point_upload.mapped);
    slot = shw_max_u32(slot < blend->slot_max ? slot : blend->slot_max, 1);
    blend->point_bytes = samples->count > 0 ? bytes : 0;
    SHW_TRY(need_samples(training, slot));
    if (!make_groups(training, ends, samples->count, slot))
        result = shw_fail_memory(training->log, "groups of samples");

fail:
    free(ends);
    return result;
}

/* The passes. */

static VkDescriptorSet set_of(const struct shw_train_compute *training, enum shw_blend_program program, uint32_t chunk)
{
    return training->blend->sets[program].handles[training->integrals.chunks[chunk].place];
}

static const struct shw_use draw_read = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                         VK_PIPELINE_STAGE_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
                                         VK_ACCESS_SHADER_READ_BIT};

struct shw_blend_push shw_blend_push_of(const struct shw_histogram_blend *blend, const struct shw_train_push *push,
                                        const struct shw_blend_group *group)
{
    return (struct shw_blend_push){.chunk = push->chunk,
                                   .open_begin = push->open_begin,
                                   .open_count = push->open_count,
                                   .candidate_count = push->candidate_count,
                                   .sample_capacity = push->sample_capacity,
                                   .bins = push->bins,
                                   .scheme = push->scheme,
                                   .all_bins = push->all_bins,
                                   .depth = blend->depth,
                                   .first = group->first,
                                   .begins = {group->begins[0], group->begins[1], group->begins[2], group->begins[3]},
                                   .count = group->count,
                                   .width_shift = blend->tiling.width_shift};
}

/* The number of texture rows that hold samples. */
static uint32_t rows_of(const struct shw_blend_push *push)
{
    uint32_t most = push->count - push->begins[3];

    for (uint32_t c = 0; c < 3; c++)
        most = push->begins[c + 1] - push->begins[c] > most ? push->begins[c + 1] - push->begins[c] : most;
    return (most + SHW_BLEND_WIDTH - 1) / SHW_BLEND_WIDTH;
}

void shw_blend_record_leaves(struct shw_train_compute *training, VkCommandBuffer commands,
                             const struct shw_blend_push *push)
{
    struct shw_histogram_blend *blend = training->blend;
    struct shw_device *device = training->device;

    shw_image_barrier(device, commands, blend->leaves.handle, shw_use_nothing, shw_use_attachment);
    shw_program_draw(device, commands, &blend->programs[SHW_BLEND_LEAF_PASS],
                     set_of(training, SHW_BLEND_LEAF_PASS, push->chunk), push, blend->leaf_target.framebuffer,
                     SHW_BLEND_WIDTH, rows_of(push));
    shw_image_barrier(device, commands, blend->leaves.handle, shw_use_attachment, draw_read);
    shw_compute_clock_mark(training, commands, SHW_CLOCK_LEAVES);
}

void shw_blend_record_responses(struct shw_train_compute *training, VkCommandBuffer commands,
                                struct shw_blend_push push, uint32_t layers)
{
    struct shw_histogram_blend *blend = training->blend;
    struct shw_device *device = training->device;
    const struct shw_program *program = &blend->programs[SHW_BLEND_RESPOND_PASS];

    shw_image_barrier(device, commands, blend->responses.handle, shw_use_nothing, shw_use_attachment);
    for (uint32_t l = 0; l < layers; l += SHW_BLEND_TOGETHER, push.candidate += SHW_BLEND_TOGETHER)
        shw_program_draw(device, commands, program, set_of(training, SHW_BLEND_RESPOND_PASS, push.chunk), &push,
                         blend->respond_targets[l / SHW_BLEND_TOGETHER].framebuffer, SHW_BLEND_WIDTH, rows_of(&push));
    shw_image_barrier(device, commands, blend->responses.handle, shw_use_attachment, shw_use_vertex_sampled);
    shw_compute_clock_mark(training, commands, SHW_CLOCK_RESPONSES);
}

void shw_blend_record_points(struct shw_train_compute *training, VkCommandBuffer commands,
                             const struct shw_program *program, VkDescriptorSet set, const struct shw_blend_push *push,
                             uint32_t layers)
{
    struct shw_histogram_blend *blend = training->blend;
    struct shw_device *device = training->device;
    uint32_t side = 1u << push->width_shift;
    VkClearValue clear = {0};
    VkRect2D area = {.extent = {side, (push->cell_count + side - 1) >> push->width_shift}};
    VkViewport viewport = {.width = (float)side, .height = (float)side, .maxDepth = 1.0f};
    VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                   .renderPass = program->render_pass,
                                   .framebuffer = blend->count_targets[push->layer].framebuffer,
                                   .renderArea = area,
                                   .clearValueCount = 1,
                                   .pClearValues = &clear};

    device->vk.CmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    device->vk.CmdSetViewport(commands, 0, 1, &viewport);
    device->vk.CmdSetScissor(commands, 0, 1, &area);
    shw_program_bind(device, commands, program, set, push);
    device->vk.CmdDraw(commands, push->count, layers, 0, 0);
    device->vk.CmdEndRenderPass(commands);
}

/* The work for a chunk and a range of cells of the batch's histogram. A piece of it is some candidates of one group. */
struct sweep {
    struct shw_train_compute *training;
    VkCommandBuffer commands;
    size_t begin, end; /* cells */
    uint32_t textures;
    uint32_t points;       /* points of one candidate since the last flush: an upper bound for any cell */
    bool drawn;            /* anything since the last flush */
    uint32_t piece, first; /* numbers over all sweeps: the next piece, and the first one to record */
    uint64_t work, work_max;
};

static void set_texture(const struct sweep *sweep, uint32_t texture, struct shw_blend_push *push)
{
    const struct shw_blend_tiling *tiling = &sweep->training->blend->tiling;
    size_t cells = (size_t)tiling->height << tiling->width_shift, begin = sweep->begin + texture * cells;

    push->layer = texture;
    push->cell_begin = (uint32_t)begin;
    push->cell_count = (uint32_t)(sweep->end - begin < cells ? sweep->end - begin : cells);
}

static void flush(struct sweep *sweep, struct shw_blend_push push)
{
    struct shw_histogram_blend *blend = sweep->training->blend;
    struct shw_device *device = sweep->training->device;
    uint32_t side = 1u << push.width_shift;

    if (sweep->drawn) {
        shw_image_barrier(device, sweep->commands, blend->counts.handle, shw_use_blended, shw_use_compute_sampled);
        /* Each cell is in one texture, so only an earlier flush can have written to the same cell. */
        shw_memory_barrier(device, sweep->commands, shw_use_compute_write, shw_use_compute_write);
        for (uint32_t t = 0; t < sweep->textures; t++) {
            set_texture(sweep, t, &push);
            shw_program_dispatch(device, sweep->commands, &blend->programs[SHW_BLEND_FLUSH_PASS],
                                 set_of(sweep->training, SHW_BLEND_FLUSH_PASS, push.chunk), &push,
                                 side / SHW_BLEND_FLUSH_SIZE, (push.cell_count + side - 1) >> push.width_shift, 1);
        }
        shw_compute_clock_mark(sweep->training, sweep->commands, SHW_CLOCK_SCATTER);
    }
    sweep->points = 0;
    sweep->drawn = false;
}

/* Adds `layers` candidates of a group to the textures. */
static void add_candidates(struct sweep *sweep, struct shw_blend_push push, uint32_t layers)
{
    struct shw_train_compute *training = sweep->training;
    struct shw_histogram_blend *blend = training->blend;
    enum shw_blend_program scatter = sweep->drawn ? SHW_BLEND_SCATTER_MORE : SHW_BLEND_SCATTER_FIRST;

    shw_blend_record_responses(training, sweep->commands, push, layers);
    shw_image_barrier(training->device, sweep->commands, blend->counts.handle,
                      sweep->drawn ? shw_use_blended : shw_use_nothing, shw_use_blended);
    for (uint32_t t = 0; t < sweep->textures; t++) {
        set_texture(sweep, t, &push);
        shw_blend_record_points(training, sweep->commands, &blend->programs[scatter],
                                set_of(training, scatter, push.chunk), &push, layers);
    }
    shw_compute_clock_mark(training, sweep->commands, SHW_CLOCK_SCATTER);
    sweep->drawn = true;
    sweep->work += (uint64_t)push.count * layers * sweep->textures;
}

/* Records pieces of a group; false if the work limit leaves some of them. */
static bool record_group(struct sweep *sweep, struct shw_blend_push push)
{
    const struct shw_histogram_blend *blend = sweep->training->blend;
    bool begun = false;

    for (push.candidate = 0; push.candidate < push.candidate_count; push.candidate += blend->layers, sweep->piece++) {
        uint32_t left = push.candidate_count - push.candidate;
        if (sweep->piece < sweep->first)
            continue;
        if (sweep->work >= sweep->work_max)
            return false;
        if (!begun) {
            if (sweep->points + push.count > blend->limits.points)
                flush(sweep, push);
            shw_blend_record_leaves(sweep->training, sweep->commands, &push);
            sweep->points += push.count;
        }
        begun = true;
        add_candidates(sweep, push, left < blend->layers ? left : blend->layers);
    }
    return true;
}

/* False if pieces are left. */
static bool record_sweep(struct sweep *sweep, const struct shw_train_push *push)
{
    const struct shw_histogram_blend *blend = sweep->training->blend;
    struct shw_blend_push group_push = {0};
    bool complete = true;

    for (uint32_t g = 0; g < blend->group_count && complete; g++)
        if (blend->groups[g].chunk == push->chunk) {
            group_push = shw_blend_push_of(blend, push, &blend->groups[g]);
            complete = record_group(sweep, group_push);
        }
    flush(sweep, group_push);
    return complete;
}

/* Records the upload of samples and nodes if they are new. */
static void copy_uploads(struct shw_train_compute *training, VkCommandBuffer commands)
{
    struct shw_histogram_blend *blend = training->blend;
    const struct shw_device *device = training->device;
    VkBufferCopy points = {.size = blend->point_bytes}, nodes = {.size = blend->node_bytes};

    if (points.size + nodes.size == 0)
        return;
    if (points.size > 0)
        device->vk.CmdCopyBuffer(commands, blend->point_upload.handle, blend->points.handle, 1, &points);
    if (nodes.size > 0)
        device->vk.CmdCopyBuffer(commands, blend->node_upload.handle, blend->nodes.handle, 1, &nodes);
    shw_memory_barrier(device, commands, shw_use_copy_target, draw_read);
    blend->point_bytes = blend->node_bytes = 0;
}

bool shw_blend_record(struct shw_train_compute *training, VkCommandBuffer commands, struct shw_train_push *push,
                      const struct shw_compute_batch *batch, uint32_t *piece, uint64_t *work)
{
    const struct shw_blend_tiling *tiling = &training->blend->tiling;
    size_t texture = (size_t)tiling->height << tiling->width_shift, cells = batch->histogram_words;
    struct sweep sweep = {
        .training = training, .commands = commands, .first = *piece, .work_max = *work > 0 ? *work : 1};
    bool complete = true;

    copy_uploads(training, commands);
    shw_memory_barrier(training->device, commands, shw_use_compute_write, draw_read);
    for (size_t begin = 0; begin < cells && complete; begin += tiling->sweep_cells) {
        sweep.begin = begin;
        sweep.end = cells - begin < tiling->sweep_cells ? cells : begin + tiling->sweep_cells;
        sweep.textures = (uint32_t)((sweep.end - begin + texture - 1) / texture);
        complete = record_sweep(&sweep, push);
    }
    /* What the passes have read may be overwritten. */
    shw_memory_barrier(training->device, commands, draw_read, shw_use_compute_write);
    *work = sweep.work;
    *piece = sweep.piece;
    return complete;
}

/* Programs, textures and buffers. */

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
    static const enum shw_feature_role roles[2] = {SHW_ROLE_BLEND_LEAVES, SHW_ROLE_BLEND_RESPOND};
    VkFormat response_formats[SHW_BLEND_TOGETHER];
    struct shw_train_specialization constants;
    struct shw_shader shaders[2];
    const struct shw_shader scatter = SHW_SHADER(train_blend_scatter_vert), one = SHW_SHADER(train_blend_one_frag);
    struct shw_program_params list[SHW_BLEND_PROGRAM_COUNT] = {
        [SHW_BLEND_LEAF_PASS] = {.name = "train blend leaves",
                                 .attachment_count = 1,
                                 .attachments = &leaf_format,
                                 .load = VK_ATTACHMENT_LOAD_OP_DONT_CARE},
        [SHW_BLEND_RESPOND_PASS] = {.name = "train blend responses",
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

    SHW_PROPAGATE(shw_feature_shaders(feature, 2, roles, training->log, shaders));
    list[SHW_BLEND_LEAF_PASS].fragment = shaders[0];
    list[SHW_BLEND_RESPOND_PASS].fragment = shaders[1];
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
    blend_samples_destroy(device, blend);
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
    .begin_tree = blend_samples_begin,
    .begin = begin,
    .record = shw_blend_record,
    .destroy = destroy,
};

/* The back end `blend` (Sharp 2008, section 4): `compute` with histograms counted by the graphics pipeline. */

static const char *find_missing(const struct shw_device_description *device)
{
    return !device->has_graphics        ? "a queue family with graphics"
           : !device->blends_r32_sfloat ? "additive blending of R32_SFLOAT"
                                        : NULL;
}

static enum shw_result create_backend(struct shw_trainer *trainer, struct shw_train_images *before, void **state)
{
    return shw_compute_create(trainer, before, &shw_counter_blend, state);
}

const struct shw_train_backend shw_train_backend_blend = {
    .technique = SHW_TECHNIQUE_BLEND,
    .find_missing = find_missing,
    .create = create_backend,
    SHW_COMPUTE_FUNCTIONS,
};
