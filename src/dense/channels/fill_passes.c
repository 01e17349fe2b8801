#include "dense/channels/fill_passes.h"

#include <stdlib.h>

#include "base/log.h"
#include "dense/channels/code_step.h"
#include "dense/channels/fill_input.h"
#include "shared/fill_push.h"
#include "vulkan/barrier.h"
#include "vulkan/target.h"

#define DECLARE(pass)                                                                                                  \
    SHW_SHADER_DECLARE(fill_##pass##_frag);                                                                            \
    SHW_SHADER_DECLARE(fill_##pass##_comp)
DECLARE(blocks);
DECLARE(rows);
DECLARE(sources);
DECLARE(filled);

#define PASSES (SHW_FILL_FILLED + 1)
#define PLANES (SHW_FILL_DEPTH + 1) /* those that passes make, by pass, and the depth */
#define WORK   4u                   /* per value, in units of a filter tap */

extern const struct shw_channel_code shw_channel_code_stored_depth;

/* What is filled, as a channel. */
static const struct shw_channel_info stored_channel = {.name = "depth", .max_abs = 32767, .content = SHW_CONTENT_DEPTH};
static const struct shw_channel_kind stored_depth = {.version = SHW_CHANNEL_KIND_VERSION,
                                                     .name = "stored-depth",
                                                     .channel_count = 1,
                                                     .channels = &stored_channel,
                                                     .input = SHW_DEPTH,
                                                     .code = &shw_channel_code_stored_depth};

struct shw_fill_passes {
    struct shw_device *device;
    bool is_fragment;
    struct shw_fill_size size;
    uint32_t input;                    /* SHW_DEPTH, among the list's inputs */
    struct shw_planes *planes[PLANES]; /* one per slot */
    struct shw_code_step depth;
    struct shw_program programs[PASSES];
    struct shw_sets sets;               /* one per slot */
    struct shw_target *targets[PASSES]; /* of fragment passes: one per slot */
    VkImageView *filled;                /* one per set, as plain 2D images */
};

static uint32_t block_count(uint32_t width)
{
    return (width + SHW_FILL_BLOCK - 1) / SHW_FILL_BLOCK;
}

static enum shw_result add_planes(struct shw_arena *arena, struct shw_fill_passes *passes)
{
    uint32_t width = passes->size.width, height = passes->size.height;
    uint32_t form = passes->is_fragment ? SHW_PLANES_IMAGE : SHW_PLANES_BUFFER;
    const struct {
        VkFormat format;
        uint32_t width, height, forms;
        const char *name;
    } made[PLANES] = {[SHW_FILL_BLOCKS] = {VK_FORMAT_R32_UINT, block_count(width), height, form, "blocks of depth"},
                      [SHW_FILL_ROWS] = {VK_FORMAT_R32_UINT, height, 1, form, "rows with depth"},
                      [SHW_FILL_SOURCES] = {VK_FORMAT_R32_UINT, height, 1, form, "rows to fill from"},
                      [SHW_FILL_FILLED] = {VK_FORMAT_R16_UINT, width, height, form | SHW_PLANES_IMAGE, "filled depth"},
                      [SHW_FILL_DEPTH] = {VK_FORMAT_R16_SINT, width, height, form, "depth to fill"}};

    for (uint32_t p = 0; p < PLANES; p++) {
        passes->planes[p] = calloc(passes->size.slots, sizeof *passes->planes[p]);
        if (passes->planes[p] == NULL)
            return shw_fail_memory(&arena->device->log, "the filling of depth");
        for (uint32_t s = 0; s < passes->size.sets; s++) {
            struct shw_span span = shw_arena_scratch(arena, s);
            SHW_PROPAGATE(shw_planes_add(arena, span, span, made[p].format, made[p].width, made[p].height, 1,
                                         made[p].forms, made[p].name, &passes->planes[p][s]));
        }
        shw_planes_share(passes->planes[p], passes->size.slots, passes->size.sets);
    }
    return SHW_OK;
}

enum shw_result shw_fill_passes_add(struct shw_arena *arena, const struct shw_channel_list *list,
                                    enum shw_planes_form form, struct shw_fill_size size, struct shw_fill_passes **out)
{
    struct shw_fill_passes *passes = calloc(1, sizeof *passes);
    struct shw_channel_entry entry = {.kind = &stored_depth, .input = shw_fill_input(list)};
    enum shw_result result;

    if (passes == NULL)
        return shw_fail_memory(&arena->device->log, "the filling of depth");
    passes->device = arena->device;
    passes->is_fragment = form == SHW_PLANES_IMAGE;
    passes->size = size;
    passes->input = entry.input;
    SHW_TRY(add_planes(arena, passes));
    SHW_TRY(shw_code_step_add(arena, &entry, passes->planes[SHW_FILL_DEPTH], size.slots, form, &passes->depth));
    *out = passes;
    return SHW_OK;

fail:
    shw_fill_passes_destroy(&passes);
    return result;
}

static enum shw_result create_programs(struct shw_fill_passes *passes)
{
    const struct shw_shader shaders[PASSES][2] = {
        [SHW_FILL_BLOCKS] = {SHW_SHADER(fill_blocks_comp), SHW_SHADER(fill_blocks_frag)},
        [SHW_FILL_ROWS] = {SHW_SHADER(fill_rows_comp), SHW_SHADER(fill_rows_frag)},
        [SHW_FILL_SOURCES] = {SHW_SHADER(fill_sources_comp), SHW_SHADER(fill_sources_frag)},
        [SHW_FILL_FILLED] = {SHW_SHADER(fill_filled_comp), SHW_SHADER(fill_filled_frag)}};
    struct shw_binding bindings[PLANES];
    uint32_t layer = 0;

    for (uint32_t p = 0; p < PLANES; p++)
        bindings[p] = (struct shw_binding){p, passes->is_fragment ? VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE
                                                                  : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        struct shw_program_params params = {.name = "fill",
                                            .bindings = bindings,
                                            .binding_count = PLANES,
                                            .push_bytes = sizeof(struct shw_fill_push),
                                            .in_pieces = true};
        if (passes->is_fragment) {
            params.fragment = shaders[pass][1];
            params.attachments = &passes->planes[pass][0].format;
            params.attachment_count = 1;
            params.load = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
        } else {
            params.compute = shaders[pass][0];
        }
        SHW_PROPAGATE(shw_program_create(passes->device, &params, &passes->programs[pass]));
        if (passes->is_fragment)
            SHW_PROPAGATE(shw_targets_create(passes->device, &passes->programs[pass], passes->planes[pass],
                                             passes->size.slots, &layer, &passes->targets[pass]));
    }
    return SHW_OK;
}

static enum shw_result create_sets(struct shw_fill_passes *passes)
{
    struct shw_resource resources[PLANES] = {{0}};

    SHW_PROPAGATE(shw_sets_create(passes->device, &passes->programs[0], passes->size.slots, &passes->sets));
    for (uint32_t slot = 0; slot < passes->size.slots; slot++) {
        for (uint32_t p = 0; p < PLANES; p++)
            if (passes->is_fragment)
                resources[p].view = passes->planes[p][slot].image.view;
            else
                resources[p].buffer = passes->planes[p][slot].buffer.handle;
        shw_set_write(passes->device, &passes->programs[0], passes->sets.handles[slot], resources);
    }
    return SHW_OK;
}

enum shw_result shw_fill_passes_create(struct shw_fill_passes *passes)
{
    for (uint32_t p = 0; p < PLANES; p++)
        shw_planes_share(passes->planes[p], passes->size.slots, passes->size.sets);
    SHW_PROPAGATE(shw_code_step_create(passes->device, &passes->depth));
    SHW_PROPAGATE(create_programs(passes));
    SHW_PROPAGATE(create_sets(passes));
    passes->filled = calloc(passes->size.sets, sizeof *passes->filled);
    if (passes->filled == NULL)
        return shw_fail_memory(&passes->device->log, "the filling of depth");
    for (uint32_t s = 0; s < passes->size.sets; s++)
        SHW_PROPAGATE(shw_image_view_create(passes->device, passes->planes[SHW_FILL_FILLED][s].image.handle,
                                            VK_FORMAT_R16_UINT, 0, 1, false, &passes->filled[s]));
    return SHW_OK;
}

void shw_fill_passes_destroy(struct shw_fill_passes **handle)
{
    struct shw_fill_passes *passes = *handle;

    if (passes == NULL)
        return;
    for (uint32_t s = 0; passes->filled != NULL && s < passes->size.sets; s++)
        passes->device->vk.DestroyImageView(passes->device->handle, passes->filled[s], passes->device->allocator);
    free(passes->filled);
    shw_sets_destroy(passes->device, &passes->sets);
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        shw_targets_destroy(passes->device, passes->size.slots, &passes->targets[pass]);
        shw_program_destroy(passes->device, &passes->programs[pass]);
    }
    shw_code_step_destroy(passes->device, &passes->depth);
    for (uint32_t p = 0; p < PLANES; p++)
        free(passes->planes[p]);
    free(passes);
    *handle = NULL;
}

/* Before planes are written, and after that, before the next pass or the next stage reads them. */
static void prepare(const struct shw_fill_passes *passes, struct shw_recording *recording, uint32_t slot,
                    uint32_t planes)
{
    if (passes->is_fragment)
        shw_recording_image_barrier(recording, passes->planes[planes][slot].image.handle, shw_use_discarded,
                                    shw_use_attachment);
}

static void finish(const struct shw_fill_passes *passes, struct shw_recording *recording, uint32_t slot,
                   uint32_t planes)
{
    if (passes->is_fragment)
        shw_recording_image_barrier(recording, passes->planes[planes][slot].image.handle, shw_use_attachment,
                                    shw_use_fragment_sampled);
    else
        shw_recording_memory_barrier(recording, shw_use_compute_write, shw_use_compute_write);
}

static void record_depth(struct shw_fill_passes *passes, struct shw_recording *recording, uint32_t slot, uint32_t width,
                         uint32_t height, const struct shw_stage_source *sources)
{
    const struct shw_region whole = {width, height, 0, 0, width, height};
    struct shw_channel_source given[SHW_INPUTS_MAX] = {0};
    VkImageView views[SHW_INPUTS_MAX] = {VK_NULL_HANDLE};
    const uint32_t read[] = {0, passes->input}; /* colours and depth */

    for (size_t r = 0; r < sizeof read / sizeof *read; r++) {
        const uint32_t i = read[r];
        given[i] = (struct shw_channel_source){
            .view = sources[i].view, .format = sources[i].format, .depth = sources[i].depth};
        views[i] = sources[i].view;
    }
    if (shw_recording_step(recording, 1))
        shw_code_step_bind(&passes->depth, passes->device, slot, views);
    prepare(passes, recording, slot, SHW_FILL_DEPTH);
    shw_code_step_record(&passes->depth, recording, slot, given, &whole);
    finish(passes, recording, slot, SHW_FILL_DEPTH);
}

static void record_pass(const struct shw_fill_passes *passes, struct shw_recording *recording, uint32_t slot,
                        uint32_t pass, uint32_t width, uint32_t height)
{
    const struct shw_fill_push push = {.width = (int32_t)width,
                                       .height = (int32_t)height,
                                       .depth_words = passes->planes[SHW_FILL_DEPTH][slot].stride / 2,
                                       .block_words = passes->planes[SHW_FILL_BLOCKS][slot].stride,
                                       .filled_words = passes->planes[SHW_FILL_FILLED][slot].stride / 2};
    const struct shw_program *program = &passes->programs[pass];
    VkDescriptorSet set = passes->sets.handles[slot];
    bool is_row = pass == SHW_FILL_ROWS || pass == SHW_FILL_SOURCES;
    uint32_t columns = pass == SHW_FILL_BLOCKS ? block_count(width) : is_row ? height : width;
    uint32_t rows = is_row ? 1 : height, per_thread = pass == SHW_FILL_FILLED ? 2 : 1;
    uint32_t group_width = is_row ? 64 : 32 * per_thread, group_height = is_row ? 1 : 4;
    uint64_t work = (uint64_t)WORK * (is_row ? height : width);

    prepare(passes, recording, slot, pass);
    if (passes->is_fragment)
        shw_recording_draw(recording, program, set, &push, passes->targets[pass][slot].framebuffer, columns, rows,
                           work);
    else
        shw_recording_dispatch(recording, program, set, &push, (columns + group_width - 1) / group_width,
                               (rows + group_height - 1) / group_height, 1, work * group_height);
    if (pass != SHW_FILL_FILLED || passes->is_fragment)
        finish(passes, recording, slot, pass);
}

/* Channels read an image. */
static void record_copy(const struct shw_fill_passes *passes, struct shw_recording *recording, uint32_t slot,
                        uint32_t width, uint32_t height)
{
    const struct shw_planes *filled = &passes->planes[SHW_FILL_FILLED][slot];
    struct shw_use copied = shw_use_copy_source;

    copied.access |= shw_use_copy_target.access; /* of memory that compute has used for something else, too */
    shw_recording_memory_barrier(recording, shw_use_compute_write, copied);
    shw_recording_image_barrier(recording, filled->image.handle, shw_use_discarded_by_copy, shw_use_copy_target);
    if (shw_recording_step(recording, 1 + (uint64_t)width * height))
        shw_planes_copy_to_image(passes->device, recording->commands, filled, width, height);
    shw_recording_image_barrier(recording, filled->image.handle, shw_use_copy_target, shw_use_compute_sampled);
}

void shw_fill_passes_record(struct shw_fill_passes *passes, struct shw_recording *recording, uint32_t slot,
                            uint32_t width, uint32_t height, struct shw_stage_source *sources)
{
    struct shw_stage_source *source = &sources[passes->input];

    record_depth(passes, recording, slot, width, height, sources);
    for (uint32_t pass = 0; pass < PASSES; pass++)
        record_pass(passes, recording, slot, pass, width, height);
    if (!passes->is_fragment)
        record_copy(passes, recording, slot, width, height);
    source->view = passes->filled[slot % passes->size.sets];
    source->format = VK_FORMAT_R16_UINT;
    source->depth = (struct shw_depth){SHW_DEPTH_MILLIMETRES, 0, 0, 0};
}
