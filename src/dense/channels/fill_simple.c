/* A missing pixel, 0, becomes the nearest depth to the right in its row, otherwise the nearest to the left. A row
 * without any becomes the nearest row above that has some, otherwise the nearest below. Nothing is missing afterwards
 * unless everything was: four sweeps over the image, each of which copies depth from a neighbour (Waldvogel's thesis,
 * 5.1). Integers alone, so that it is the same everywhere. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dense/channels/channel_maker.h"
#include "dense/channels/fill.h"
#include "dense/channels/pixels.h"
#include "shared/fill_push.h"
#include "vulkan/commands.h"
#include "vulkan/planes.h"

struct sweep {
    const struct shw_image *image;
    shw_uint4 scale;
    uint16_t *row;   /* the row read last, filled */
    uint16_t *found; /* the row that rows without depth become */
};

/* Fills a row, and returns whether it has depth. */
static bool fill_row(uint16_t *row, uint32_t width)
{
    for (uint32_t x = width - 1; x-- > 0;)
        row[x] = row[x] != 0 ? row[x] : row[x + 1];
    for (uint32_t x = 1; x < width; x++)
        row[x] = row[x] != 0 ? row[x] : row[x - 1];
    return row[0] != 0;
}

/* Reads a row; if it has depth, it is the one that is found. */
static bool find(struct sweep *sweep, uint32_t y)
{
    uint16_t *row = sweep->row;

    shw_plane_row(sweep->image, sweep->scale, y, (int16_t *)row);
    if (!fill_row(row, sweep->image->width))
        return false;
    sweep->row = sweep->found;
    sweep->found = row;
    return true;
}

/* For a first row without depth: looks above, then below. */
static bool find_near(struct sweep *sweep, uint32_t y)
{
    for (uint32_t above = y; above-- > 0;)
        if (find(sweep, above))
            return true;
    for (uint32_t below = y + 1; below < sweep->image->height; below++)
        if (find(sweep, below))
            return true;
    return false;
}

enum shw_result shw_fill_simple(const struct shw_input *depth, struct shw_rect rect, uint16_t *filled, size_t stride)
{
    uint32_t width = depth->image.width;
    uint16_t *lines = calloc(2, width * sizeof *lines);
    struct sweep sweep = {&depth->image, shw_depth_scale(&depth->depth), lines, lines + width};
    bool any = true; /* row `found`, unless no row has depth */

    if (lines == NULL)
        return SHW_ERROR_MEMORY;
    for (int32_t y = rect.y0; y < rect.y1; y++, filled += stride) {
        if (any && !find(&sweep, (uint32_t)y) && y == rect.y0)
            any = find_near(&sweep, (uint32_t)y);
        memcpy(filled, sweep.found + rect.x0, (size_t)(rect.x1 - rect.x0) * sizeof *filled);
    }
    free(lines);
    return SHW_OK;
}

/* On a device: fragment passes or compute. */

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

struct passes {
    struct shw_fill_passes interface; /* first */
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

static enum shw_result add_planes(struct shw_arena *arena, struct passes *passes)
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

static enum shw_result create_programs(struct passes *passes)
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

static enum shw_result create_sets(struct passes *passes)
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

static enum shw_result create(struct shw_fill_passes *interface)
{
    struct passes *passes = (struct passes *)interface;

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

static void destroy(struct shw_fill_passes *interface)
{
    struct passes *passes = (struct passes *)interface;

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
}

/* Before planes are written, and after that, before the next pass or the next stage reads them. */
static void prepare(const struct passes *passes, struct shw_recording *recording, uint32_t slot, uint32_t planes)
{
    if (passes->is_fragment)
        shw_recording_image_barrier(recording, passes->planes[planes][slot].image.handle, shw_use_discarded,
                                    shw_use_attachment);
}

static void finish(const struct passes *passes, struct shw_recording *recording, uint32_t slot, uint32_t planes)
{
    if (passes->is_fragment)
        shw_recording_image_barrier(recording, passes->planes[planes][slot].image.handle, shw_use_attachment,
                                    shw_use_fragment_sampled);
    else
        shw_recording_memory_barrier(recording, shw_use_compute_write, shw_use_compute_write);
}

static void record_depth(struct passes *passes, struct shw_recording *recording, uint32_t slot, uint32_t width,
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

static void record_pass(const struct passes *passes, struct shw_recording *recording, uint32_t slot, uint32_t pass,
                        uint32_t width, uint32_t height)
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
static void record_copy(const struct passes *passes, struct shw_recording *recording, uint32_t slot, uint32_t width,
                        uint32_t height)
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

static void record(struct shw_fill_passes *interface, struct shw_recording *recording, uint32_t slot, uint32_t width,
                   uint32_t height, struct shw_stage_source *sources)
{
    struct passes *passes = (struct passes *)interface;
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

enum shw_result shw_fill_simple_add(struct shw_arena *arena, const struct shw_channel_list *list,
                                    enum shw_planes_form form, struct shw_fill_size size, struct shw_fill_passes **out)
{
    struct passes *passes = calloc(1, sizeof *passes);
    struct shw_channel_entry entry = {.kind = &stored_depth, .input = shw_fill_input(list)};
    enum shw_result result;

    if (passes == NULL)
        return shw_fail_memory(&arena->device->log, "the filling of depth");
    passes->interface = (struct shw_fill_passes){create, destroy, record};
    passes->device = arena->device;
    passes->is_fragment = form == SHW_PLANES_IMAGE;
    passes->size = size;
    passes->input = entry.input;
    SHW_TRY(add_planes(arena, passes));
    SHW_TRY(shw_code_step_add(arena, &entry, passes->planes[SHW_FILL_DEPTH], size.slots, form, &passes->depth));
    *out = &passes->interface;
    return SHW_OK;

fail:
    destroy(&passes->interface);
    return result;
}
