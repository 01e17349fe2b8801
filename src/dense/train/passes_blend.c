#include "dense/train/passes_blend.h"

#include "vulkan/commands.h"

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
static bool add_group(struct sweep *sweep, struct shw_blend_push push)
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
            complete = add_group(sweep, group_push);
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
