/* Smoothing on a device: fragment passes over images, or compute on buffers. */
#include <stdlib.h>

#include "base/integers.h"
#include "base/log.h"
#include "dense/channels/channel_maker.h"
#include "dense/channels/pixels.h"
#include "dense/smooth/smooth.h"
#include "dense/stage/stage_technique.h"
#include "shared/smooth.h"
#include "shared/smooth_push.h"

#define DECLARE(pass)                                                                                                  \
    SHW_SHADER_DECLARE(smooth_##pass##_frag);                                                                          \
    SHW_SHADER_DECLARE(smooth_##pass##_comp)
DECLARE(guide);
DECLARE(guide_rows);
DECLARE(guide_sums);
DECLARE(near);
DECLARE(shares);
DECLARE(share_rows);
DECLARE(models);
DECLARE(model_rows);
DECLARE(means);
DECLARE(values);
DECLARE(totals);
DECLARE(distribution);
DECLARE(labels);

/* Planes of passes. SUMS and MODELS are those of a group of classes, four each. */
enum planes {
    BASE,
    GUIDE,
    GUIDE_ROWS,
    GUIDE_SUMS,
    NEAR,
    SHARES,
    SUMS,
    MODELS,
    VALUES,
    TOTALS,
    OWN, /* those above are scratch planes; those below the caller's */
    GIVEN = OWN,
    DISTRIBUTION,
    ARGMAX,
    PLANES
};

/* How often a pass is done, by classes or parts: the third dimension of a dispatch, or draws. */
enum items { ONCE, PARTS, GROUP, CLASSES };

#define GUIDE_PARTS 3u

/* A pass: what it reads and makes. The last planes that it reads are bound in place of those that it does not. */
struct pass {
    struct shw_shader compute, fragment;
    enum planes reads[SHW_SMOOTH_INPUTS], makes;
    uint8_t attachments; /* planes of an item */
    enum items items;
    bool is_window;
    uint8_t direction; /* of windows: 0 along rows, 1 along columns */
    uint8_t work;      /* of an element: loads of one item, in units of a filter tap; of windows, for each cell */
};

#define SHADERS(pass) SHW_SHADER(smooth_##pass##_comp), SHW_SHADER(smooth_##pass##_frag)
#define PASS_TABLE                                                                                                     \
    {                                                                                                                  \
        [SHW_SMOOTH_GUIDE] = {SHADERS(guide), {BASE, BASE, BASE}, GUIDE, 3, ONCE, false, 0, 48},                       \
        [SHW_SMOOTH_GUIDE_ROWS] = {SHADERS(guide_rows), {GUIDE, GUIDE, GUIDE}, GUIDE_ROWS, 3, PARTS, true, 0, 3},      \
        [SHW_SMOOTH_GUIDE_SUMS] =                                                                                      \
            {SHADERS(guide_sums), {GUIDE_ROWS, GUIDE_ROWS, GUIDE_ROWS}, GUIDE_SUMS, 3, PARTS, true, 1, 3},             \
        [SHW_SMOOTH_NEAR] = {SHADERS(near), {BASE, BASE, BASE}, NEAR, 1, ONCE, true, 1, 15},                           \
        [SHW_SMOOTH_SHARES] = {SHADERS(shares), {GIVEN, GIVEN, GIVEN}, SHARES, 1, GROUP, false, 0, 16},                \
        [SHW_SMOOTH_SHARE_ROWS] = {SHADERS(share_rows), {SHARES, GUIDE, GUIDE}, SUMS, 4, GROUP, true, 0, 4},           \
        [SHW_SMOOTH_MODELS] = {SHADERS(models), {SUMS, GUIDE_SUMS, GUIDE_SUMS}, MODELS, 4, GROUP, true, 1, 8},         \
        [SHW_SMOOTH_MODEL_ROWS] = {SHADERS(model_rows), {MODELS, MODELS, MODELS}, SUMS, 4, GROUP, true, 0, 4},         \
        [SHW_SMOOTH_MEANS] = {SHADERS(means), {SUMS, SUMS, SUMS}, MODELS, 4, GROUP, true, 1, 4},                       \
        [SHW_SMOOTH_VALUES] = {SHADERS(values), {MODELS, NEAR, NEAR}, VALUES, 1, GROUP, false, 0, 16},                 \
        [SHW_SMOOTH_TOTALS] = {SHADERS(totals), {VALUES, GIVEN, GIVEN}, TOTALS, 4, ONCE, false, 0, 4},                 \
        [SHW_SMOOTH_DISTRIBUTION] =                                                                                    \
            {SHADERS(distribution), {VALUES, GIVEN, TOTALS}, DISTRIBUTION, 1, CLASSES, false, 0, 4},                   \
        [SHW_SMOOTH_LABELS] = {SHADERS(labels), {TOTALS, TOTALS, TOTALS}, ARGMAX, 1, ONCE, false, 0, 1},               \
    }

struct shw_smooth_passes {
    struct shw_device *device;
    struct shw_smooth_params params;
    uint32_t group; /* classes whose models are made together */
    struct pass passes[SHW_SMOOTH_PASSES];
    struct shw_planes *own[OWN]; /* one per slot */
    const struct shw_planes *planes[PLANES];
    struct shw_code_step base;
    struct shw_program programs[SHW_SMOOTH_PASSES];
    struct shw_sets sets[SHW_SMOOTH_PASSES];        /* one per slot */
    struct shw_target **targets[SHW_SMOOTH_PASSES]; /* of fragment passes: for each item, one per slot */
    uint32_t target_counts[SHW_SMOOTH_PASSES];
};

extern const struct shw_channel_code shw_channel_code_base;

static const struct shw_channel_kind base_kind = {.code = &shw_channel_code_base};

static bool is_fragment(const struct shw_smooth_passes *passes)
{
    return passes->params.form == SHW_PLANES_IMAGE;
}

static uint32_t bindings_of(const struct shw_smooth_passes *passes)
{
    return is_fragment(passes) ? SHW_SMOOTH_INPUTS : SHW_SMOOTH_INPUTS + 1;
}

static bool is_wanted(const struct shw_smooth_passes *passes, uint32_t pass)
{
    return passes->planes[passes->passes[pass].makes] != NULL;
}

/* Memory. */

#define GROUP_BYTES  (64u << 20) /* of a group's sums, and as many of its models */
#define MODEL_BYTES  16u
#define GUIDE_PLANES (3 * GUIDE_PARTS)

static uint32_t cells_of(uint32_t pixels, uint32_t bits)
{
    return ((pixels + (1u << bits) - 1) >> bits) + 1;
}

static uint32_t group_of(const struct shw_device *device, const struct shw_smooth_params *params)
{
    const uint64_t cells = (uint64_t)cells_of(params->width, params->windows.bits) *
                           (cells_of(params->height, params->windows.bits) + 1ull);
    const uint64_t most = shw_min_u64(GROUP_BYTES, device->properties.limits.maxStorageBufferRange);

    if (params->form == SHW_PLANES_IMAGE)
        return 1;
    return shw_max_u32((uint32_t)shw_min_u64(most / (MODEL_BYTES * cells), params->classes), 1);
}

struct shw_smooth_bytes shw_smooth_bytes(const struct shw_smooth_windows *windows, uint32_t classes)
{
    const uint32_t pixels = 1u << 2 * windows->bits;
    const uint64_t guide = 4ull * GUIDE_PLANES, totals = 16, values = 2ull * classes, base = 8, near = 4;

    if (windows->cells == 0)
        return (struct shw_smooth_bytes){0, 0};
    return (struct shw_smooth_bytes){.total = base + near + totals + values +
                                              (3 * 4 + 2 * guide + 4 + 2 * MODEL_BYTES + pixels - 1) / pixels,
                                     .widest = shw_max_u64(shw_max_u64(totals, values), (guide + pixels - 1) / pixels)};
}

static enum shw_result add_planes(struct shw_arena *arena, struct shw_smooth_passes *passes)
{
    const struct shw_smooth_params *params = &passes->params;
    const uint32_t width = params->width, height = params->height, bits = params->windows.bits;
    const uint32_t columns = cells_of(width, bits), rows = cells_of(height, bits);
    const struct {
        VkFormat format;
        uint32_t width, height, count;
        const char *name;
    } made[OWN] = {[BASE] = {VK_FORMAT_R16_SINT, width, height, SHW_BASE_COUNT, "guide of smoothing"},
                   [GUIDE] = {VK_FORMAT_R32_UINT, columns, rows, 3, "guide of cells"},
                   [GUIDE_ROWS] = {VK_FORMAT_R32_UINT, columns, rows, GUIDE_PLANES, "sums of guides along rows"},
                   [GUIDE_SUMS] = {VK_FORMAT_R32_UINT, columns, rows, GUIDE_PLANES, "sums of guides"},
                   [NEAR] = {VK_FORMAT_R32_UINT, width, height, 1, "guide near pixels"},
                   [SHARES] = {VK_FORMAT_R32_UINT, columns, rows, passes->group, "shares of cells"},
                   [SUMS] = {VK_FORMAT_R32_UINT, columns, rows, 4 * passes->group, "sums of smoothing"},
                   [MODELS] = {VK_FORMAT_R32_UINT, columns, rows, 4 * passes->group, "models of smoothing"},
                   [VALUES] = {VK_FORMAT_R16_UINT, width, height, params->classes, "values of smoothing"},
                   [TOTALS] = {VK_FORMAT_R32_UINT, width, height, 4, "totals of smoothing"}};

    for (uint32_t p = 0; p < OWN; p++) {
        passes->own[p] = calloc(params->slots, sizeof *passes->own[p]);
        if (passes->own[p] == NULL)
            return shw_fail_memory(&arena->device->log, "smoothing");
        arena->now = (struct shw_span){p == BASE ? params->first : params->last, params->last, 0};
        SHW_PROPAGATE(shw_planes_add_scratch(arena, made[p].format, made[p].width, made[p].height, made[p].count,
                                             params->form, made[p].name, params->sets, passes->own[p]));
        shw_planes_share(passes->own[p], params->slots, params->sets);
        passes->planes[p] = passes->own[p];
    }
    return SHW_OK;
}

enum shw_result shw_smooth_passes_add(struct shw_arena *arena, const struct shw_smooth_params *params,
                                      struct shw_smooth_passes **out)
{
    const struct shw_channel_entry entry = {.kind = &base_kind};
    struct shw_smooth_passes *passes = calloc(1, sizeof *passes);
    enum shw_result result;

    if (passes == NULL)
        return shw_fail_memory(&arena->device->log, "smoothing");
    *passes = (struct shw_smooth_passes){
        .device = arena->device,
        .params = *params,
        .group = group_of(arena->device, params),
        .passes = PASS_TABLE,
        .planes = {[GIVEN] = params->given, [DISTRIBUTION] = params->distribution, [ARGMAX] = params->argmax}};
    SHW_TRY(add_planes(arena, passes));
    SHW_TRY(shw_code_step_add(arena, &entry, passes->own[BASE], params->slots, params->form, &passes->base));
    *out = passes;
    return SHW_OK;

fail:
    shw_smooth_passes_destroy(&passes);
    return result;
}

/* Programs, sets and targets. */

static enum shw_result create_program(struct shw_smooth_passes *passes, uint32_t number)
{
    const struct pass *pass = &passes->passes[number];
    const VkDescriptorType type =
        is_fragment(passes) ? VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    struct shw_binding bindings[SHW_SMOOTH_INPUTS + 1];
    VkFormat formats[4];
    struct shw_program_params params = {.name = "smoothing",
                                        .bindings = bindings,
                                        .binding_count = bindings_of(passes),
                                        .push_bytes = sizeof(struct shw_smooth_push),
                                        .in_pieces = true};

    for (uint32_t i = 0; i < params.binding_count; i++)
        bindings[i] = (struct shw_binding){i, type};
    for (uint32_t i = 0; i < pass->attachments; i++)
        formats[i] = passes->planes[pass->makes]->format;
    if (is_fragment(passes)) {
        params.fragment = pass->fragment;
        params.attachments = formats;
        params.attachment_count = pass->attachments;
        params.load = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
    } else {
        params.compute = pass->compute;
    }
    return shw_program_create(passes->device, &params, &passes->programs[number]);
}

static enum shw_result create_sets(struct shw_smooth_passes *passes, uint32_t number)
{
    const struct pass *pass = &passes->passes[number];
    struct shw_resource resources[SHW_SMOOTH_INPUTS + 1];

    SHW_PROPAGATE(
        shw_sets_create(passes->device, &passes->programs[number], passes->params.slots, &passes->sets[number]));
    for (uint32_t slot = 0; slot < passes->params.slots; slot++) {
        for (uint32_t i = 0; i < bindings_of(passes); i++) {
            const struct shw_planes *planes =
                &passes->planes[i < SHW_SMOOTH_INPUTS ? pass->reads[i] : pass->makes][slot];
            resources[i] = (struct shw_resource){.view = planes->image.view, .buffer = planes->buffer.handle};
        }
        shw_set_write(passes->device, &passes->programs[number], passes->sets[number].handles[slot], resources);
    }
    return SHW_OK;
}

/* Each item has layers of its own in what the pass makes; in VALUES, those of all groups. */
static enum shw_result create_targets(struct shw_smooth_passes *passes, uint32_t number)
{
    const struct pass *pass = &passes->passes[number];
    const uint32_t count = pass->makes == VALUES || pass->items == CLASSES ? passes->params.classes
                           : pass->items == PARTS                          ? GUIDE_PARTS
                                                                           : 1;

    passes->targets[number] = calloc(count, sizeof *passes->targets[number]);
    if (passes->targets[number] == NULL)
        return shw_fail_memory(&passes->device->log, "smoothing");
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t first = i * pass->attachments, layers[4] = {first, first + 1, first + 2, first + 3};
        passes->target_counts[number] = i + 1;
        SHW_PROPAGATE(shw_targets_create(passes->device, &passes->programs[number], passes->planes[pass->makes],
                                         passes->params.slots, layers, &passes->targets[number][i]));
    }
    return SHW_OK;
}

enum shw_result shw_smooth_passes_create(struct shw_smooth_passes *passes)
{
    for (uint32_t p = 0; p < OWN; p++)
        shw_planes_share(passes->own[p], passes->params.slots, passes->params.sets);
    SHW_PROPAGATE(shw_code_step_create(passes->device, &passes->base));
    for (uint32_t number = 0; number < SHW_SMOOTH_PASSES; number++) {
        if (!is_wanted(passes, number))
            continue;
        SHW_PROPAGATE(create_program(passes, number));
        SHW_PROPAGATE(create_sets(passes, number));
        if (is_fragment(passes))
            SHW_PROPAGATE(create_targets(passes, number));
    }
    return SHW_OK;
}

void shw_smooth_passes_destroy(struct shw_smooth_passes **handle)
{
    struct shw_smooth_passes *passes = *handle;

    if (passes == NULL)
        return;
    for (uint32_t number = 0; number < SHW_SMOOTH_PASSES; number++) {
        for (uint32_t i = 0; i < passes->target_counts[number]; i++)
            shw_targets_destroy(passes->device, passes->params.slots, &passes->targets[number][i]);
        free(passes->targets[number]);
        shw_sets_destroy(passes->device, &passes->sets[number]);
        shw_program_destroy(passes->device, &passes->programs[number]);
    }
    shw_code_step_destroy(passes->device, &passes->base);
    for (uint32_t p = 0; p < OWN; p++)
        free(passes->own[p]);
    free(passes);
    *handle = NULL;
}

/* Recording. */

/* Before planes are written, and after that, before other passes read them. */
static void prepare(const struct shw_smooth_passes *passes, struct shw_recording *recording, uint32_t slot,
                    enum planes planes)
{
    if (is_fragment(passes))
        shw_recording_image_barrier(recording, passes->planes[planes][slot].image.handle, shw_use_discarded,
                                    shw_use_attachment);
}

static void finish(const struct shw_smooth_passes *passes, struct shw_recording *recording, uint32_t slot,
                   enum planes planes)
{
    const bool is_result = planes >= OWN;

    if (is_fragment(passes))
        shw_recording_image_barrier(recording, passes->planes[planes][slot].image.handle, shw_use_attachment,
                                    is_result ? shw_use_copy_source : shw_use_fragment_sampled);
    else
        shw_recording_memory_barrier(recording, shw_use_compute_write,
                                     is_result ? shw_use_copy_source : shw_use_compute_write);
}

void shw_smooth_passes_record_guide(struct shw_smooth_passes *passes, struct shw_recording *recording, uint32_t slot,
                                    const struct shw_stage_frame *frame)
{
    const struct shw_stage_source *colour = &frame->sources[0];
    const struct shw_channel_source source = {
        .view = colour->view, .format = colour->format, .x = colour->x, .y = colour->y, .depth = colour->depth};
    const struct shw_region region = shw_stage_tile(frame).region;

    if (frame->number == 0 && shw_recording_step(recording, 1))
        shw_code_step_bind(&passes->base, passes->device, slot, &source.view);
    prepare(passes, recording, slot, BASE);
    shw_code_step_record(&passes->base, recording, slot, &source, &region);
    finish(passes, recording, slot, BASE);
}

/* A tile that is recorded. */
struct frame {
    struct shw_region region;
    struct shw_smooth_rect tile; /* in the whole image */
    uint32_t given_x, given_y, classes;
};

static void set_strides(const struct shw_planes *planes, shw_uint *row, shw_uint *plane)
{
    *row = planes->stride * planes->element / 4;
    *plane = *row * planes->height;
}

static struct shw_smooth_push push_of(const struct shw_smooth_passes *passes, const struct pass *pass, uint32_t slot,
                                      const struct frame *frame)
{
    const struct shw_smooth_windows *windows = &passes->params.windows;
    const struct shw_planes *const *planes = passes->planes;
    struct shw_smooth_push push = {.full_width = (int32_t)frame->region.full_width,
                                   .full_height = (int32_t)frame->region.full_height,
                                   .x = (int32_t)frame->tile.x,
                                   .y = (int32_t)frame->tile.y,
                                   .width = (int32_t)frame->tile.width,
                                   .height = (int32_t)frame->tile.height,
                                   .base_x = (int32_t)frame->region.x,
                                   .base_y = (int32_t)frame->region.y,
                                   .given_x = (int32_t)frame->given_x,
                                   .given_y = (int32_t)frame->given_y,
                                   .bits = windows->bits,
                                   .cells = windows->cells,
                                   .epsilon = windows->epsilon,
                                   .class_count = frame->classes};

    set_strides(&planes[pass->reads[0]][slot], &push.a_row, &push.a_plane);
    set_strides(&planes[pass->reads[1]][slot], &push.b_row, &push.b_plane);
    set_strides(&planes[pass->reads[2]][slot], &push.c_row, &push.c_plane);
    set_strides(&planes[pass->makes][slot], &push.out_row, &push.out_plane);
    return push;
}

/* How many elements a pass makes of each plane. */
static VkExtent2D extent_of(const struct shw_smooth_passes *passes, uint32_t pass, const struct frame *frame)
{
    const uint32_t columns[] = {2, 1, 1, 0, 2, 1, 1, 0, 0}, rows[] = {2, 2, 1, 0, 2, 2, 1, 1, 0}; /* windows around */
    const struct shw_region *region = &frame->region;

    if (pass == SHW_SMOOTH_NEAR || pass >= SHW_SMOOTH_VALUES)
        return (VkExtent2D){frame->tile.width, frame->tile.height};
    return (VkExtent2D){
        shw_smooth_cells(&passes->params.windows, &frame->tile, region->full_width, region->full_height, columns[pass])
            .width,
        shw_smooth_cells(&passes->params.windows, &frame->tile, region->full_width, region->full_height, rows[pass])
            .height};
}

static void draw(struct shw_smooth_passes *passes, struct shw_recording *recording, uint32_t slot, uint32_t number,
                 struct shw_smooth_push *push, VkExtent2D extent, uint32_t items, uint64_t work)
{
    const struct pass *pass = &passes->passes[number];

    for (uint32_t i = 0; i < items; i++) {
        const uint32_t target = pass->makes == VALUES ? push->first_class + i : i;
        push->item = i;
        shw_recording_draw(recording, &passes->programs[number], passes->sets[number].handles[slot], push,
                           passes->targets[number][target][slot].framebuffer, extent.width, extent.height,
                           work * extent.width);
    }
}

static void dispatch(struct shw_smooth_passes *passes, struct shw_recording *recording, uint32_t slot, uint32_t number,
                     const struct shw_smooth_push *push, VkExtent2D extent, uint32_t items, uint64_t work)
{
    const struct pass *pass = &passes->passes[number];
    const bool is_half = passes->planes[pass->makes][slot].element == 2;
    const uint32_t across = is_half ? 2 : pass->is_window && pass->direction == 0 ? SHW_SMOOTH_RUN : 1;
    const uint32_t down = pass->is_window && pass->direction == 1 ? SHW_SMOOTH_RUN : 1;

    shw_recording_dispatch(recording, &passes->programs[number], passes->sets[number].handles[slot], push,
                           (extent.width + 32 * across - 1) / (32 * across),
                           (extent.height + 4 * down - 1) / (4 * down), items, work * items * extent.width * 4 * down);
}

/* A pass for the classes from `first` on. */
static void record_pass(struct shw_smooth_passes *passes, struct shw_recording *recording, uint32_t slot,
                        uint32_t number, const struct frame *frame, uint32_t first)
{
    const struct pass *pass = &passes->passes[number];
    const VkExtent2D extent = extent_of(passes, number, frame);
    const uint32_t group = shw_min_u32(passes->group, frame->classes - first);
    const uint32_t items[] = {[ONCE] = 1, [PARTS] = GUIDE_PARTS, [GROUP] = group, [CLASSES] = frame->classes};
    const uint32_t reach = number == SHW_SMOOTH_NEAR ? SHW_SMOOTH_NEAR_REACH : passes->params.windows.cells;
    const uint64_t window = pass->is_window ? 2 * reach + 1 : 1;
    const uint64_t each = number == SHW_SMOOTH_TOTALS ? frame->classes : window;
    struct shw_smooth_push push = push_of(passes, pass, slot, frame);

    push.first_class = first;
    if (first == 0 || pass->makes != VALUES)
        prepare(passes, recording, slot, pass->makes);
    if (is_fragment(passes))
        draw(passes, recording, slot, number, &push, extent, items[pass->items], each * pass->work);
    else
        dispatch(passes, recording, slot, number, &push, extent, items[pass->items], each * pass->work);
    if (first + group == frame->classes || pass->makes != VALUES)
        finish(passes, recording, slot, pass->makes);
}

void shw_smooth_passes_record(struct shw_smooth_passes *passes, struct shw_recording *recording, uint32_t slot,
                              const struct shw_stage_frame *given, uint32_t given_x, uint32_t given_y, uint32_t classes)
{
    const struct shw_tile tile = shw_stage_tile(given);
    const struct frame frame = {.region = tile.region,
                                .tile = {tile.region.x + tile.x, tile.region.y + tile.y, tile.width, tile.height},
                                .given_x = tile.region.x + given_x,
                                .given_y = tile.region.y + given_y,
                                .classes = classes};

    if (is_fragment(passes))
        shw_recording_image_barrier(recording, passes->planes[GIVEN][slot].image.handle, shw_use_copy_source,
                                    shw_use_fragment_sampled);
    for (uint32_t number = SHW_SMOOTH_GUIDE; number < SHW_SMOOTH_SHARES; number++)
        record_pass(passes, recording, slot, number, &frame, 0);
    for (uint32_t first = 0; first < classes; first += passes->group)
        for (uint32_t number = SHW_SMOOTH_SHARES; number <= SHW_SMOOTH_VALUES; number++)
            record_pass(passes, recording, slot, number, &frame, first);
    for (uint32_t number = SHW_SMOOTH_TOTALS; number < SHW_SMOOTH_PASSES; number++)
        if (is_wanted(passes, number))
            record_pass(passes, recording, slot, number, &frame, 0);
}
