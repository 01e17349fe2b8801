/* The technique `compute`: windows of HAAR and LBP by integrals, those of other kinds by one of several variants. */

#include "base/integers.h"
#include "base/log.h"
#include "detection/detect/device.h"

/* The walker of HAAR and LBP, for the technique `compute`, all of whose variants are the same for them. */

enum direction { COLUMNS, TO_THE_RIGHT, TO_THE_LEFT, DIRECTION_COUNT };

SHW_SHADER_DECLARE(detect_rectangle_rows_comp);
SHW_SHADER_DECLARE(detect_rectangle_lines_comp);
SHW_SHADER_DECLARE(detect_rectangle_first_haar_comp);
SHW_SHADER_DECLARE(detect_rectangle_first_lbp_comp);
SHW_SHADER_DECLARE(detect_rectangle_windows_haar_comp);
SHW_SHADER_DECLARE(detect_rectangle_windows_lbp_comp);

struct rectangles {
    struct shw_program rows, lines[DIRECTION_COUNT], first, windows;
};

static bool has_tilted(const struct shw_detect_device *device)
{
    return shw_device_integrals(device->info) > 2;
}

/* What the first stage says: a pair of words for each row of a tile. */
static enum shw_result add_rectangles(struct shw_detect_device *device, void *state)
{
    (void)state;
    return shw_detect_device_add(device, device->most.tiles * SHW_DETECT_TILE_HEIGHT * 2 * sizeof(uint32_t), 0,
                                 "windows of the first stage", &device->survivors);
}

static enum shw_result create_rectangles_program(struct shw_detect_device *device, const char *name,
                                                 struct shw_shader shader, const uint32_t *data, uint32_t count,
                                                 struct shw_program *program)
{
    static const VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}, {2, 8, 4}, {3, 12, 4}};
    const VkSpecializationInfo constants = {count, entries, count * sizeof *data, data};

    return shw_detect_device_program(device, name, shader, &constants, sizeof(struct shw_detect_walk_push), program);
}

static enum shw_result create_integrals(struct shw_detect_device *device, struct rectangles *rectangles)
{
    uint32_t data[] = {shw_device_integrals(device->info) > 1, has_tilted(device), 0};

    SHW_PROPAGATE(create_rectangles_program(device, "sums of rows", SHW_SHADER(detect_rectangle_rows_comp), data, 2,
                                            &rectangles->rows));
    for (uint32_t d = 0; d < (has_tilted(device) ? DIRECTION_COUNT : COLUMNS + 1); d++) {
        data[2] = d;
        SHW_PROPAGATE(create_rectangles_program(device, "sums of lines", SHW_SHADER(detect_rectangle_lines_comp), data,
                                                3, &rectangles->lines[d]));
    }
    return SHW_OK;
}

static enum shw_result create_rectangles(struct shw_detect_device *device, void *state)
{
    struct rectangles *rectangles = state;
    const struct shw_cascade_info *info = device->info;
    const uint32_t data[] = {info->window_width, info->window_height, info->restarts, device->params.scan.step == 0};
    bool has_sums = shw_cascade_get_traits(info->kind)->test == SHW_CASCADE_TEST_SUM;

    SHW_PROPAGATE(create_integrals(device, rectangles));
    SHW_PROPAGATE(create_rectangles_program(device, "the first stage",
                                            has_sums ? SHW_SHADER(detect_rectangle_first_haar_comp)
                                                     : SHW_SHADER(detect_rectangle_first_lbp_comp),
                                            data, 4, &rectangles->first));
    return create_rectangles_program(device, "windows",
                                     has_sums ? SHW_SHADER(detect_rectangle_windows_haar_comp)
                                              : SHW_SHADER(detect_rectangle_windows_lbp_comp),
                                     data, 4, &rectangles->windows);
}

static void release_rectangles(struct shw_detect_device *device, void *state)
{
    struct rectangles *rectangles = state;

    shw_program_destroy(device->device, &rectangles->rows);
    for (uint32_t d = 0; d < DIRECTION_COUNT; d++)
        shw_program_destroy(device->device, &rectangles->lines[d]);
    shw_program_destroy(device->device, &rectangles->first);
    shw_program_destroy(device->device, &rectangles->windows);
    device->survivors = (struct shw_buffer){0};
}

/* A work group for each of the tiles, after what was recorded before. */
static void record_pass(const struct shw_detect_device *device, VkCommandBuffer commands, uint32_t slot,
                        const struct shw_program *program, struct shw_detect_walk_push push, uint32_t first,
                        uint32_t count)
{
    uint32_t most = device->device->properties.limits.maxComputeWorkGroupCount[0];

    shw_detect_device_barrier(device, commands, false);
    for (uint32_t part; count > 0; count -= part, first += part) {
        part = shw_min_u32(count, most);
        push.first_tile = first;
        shw_program_dispatch(device->device, commands, program, device->sets.handles[slot], &push, part, 1, 1);
    }
}

static void record_rectangles(struct shw_detect_device *device, void *state, VkCommandBuffer commands, uint32_t slot)
{
    const struct rectangles *rectangles = state;
    const struct shw_device_tables *layout = &device->slots[slot].layout;
    const struct shw_cascade_info *info = device->info;
    struct shw_detect_walk_push push = shw_detect_device_push(device, slot);
    uint32_t lines = layout->first_level_tile + layout->row_tiles, tiles = (uint32_t)layout->tiles;

    record_pass(device, commands, slot, &rectangles->rows, push, layout->first_level_tile, layout->row_tiles);
    if (has_tilted(device)) {
        record_pass(device, commands, slot, &rectangles->lines[TO_THE_RIGHT], push, lines, layout->line_tiles);
        record_pass(device, commands, slot, &rectangles->lines[TO_THE_LEFT], push, lines, layout->line_tiles);
    }
    record_pass(device, commands, slot, &rectangles->lines[COLUMNS], push, lines, layout->line_tiles);
    push.end_tree = info->stages[0].tree_count;
    record_pass(device, commands, slot, &rectangles->first, push, 0, tiles);
    push.end_tree = info->tree_count;
    record_pass(device, commands, slot, &rectangles->windows, push, 0, tiles);
}

/* Other kinds. */

SHW_SHADER_DECLARE(detect_best_pixels_comp);
SHW_SHADER_DECLARE(detect_best_scaled_comp);
SHW_SHADER_DECLARE(detect_windows_pixels_comp);
SHW_SHADER_DECLARE(detect_windows_scaled_comp);
SHW_SHADER_DECLARE(detect_windows_pixels_shared_comp);
SHW_SHADER_DECLARE(detect_windows_scaled_shared_comp);

#define PIECE_TILES  8192u /* at once, which bounds the lists of survivors */
#define LISTS        2u
#define LIST_WINDOWS 128u /* that a work group takes of a list at most: few, so that all processors have some */
#define BEST_WINDOWS 8u   /* the same of `best`, which has several lanes for each */

/* Trees from `first` to `end`, at windows of tiles in the first phase and of a list in later ones. */
struct phase {
    uint32_t first, end;
};
#define PHASES_MAX (SHW_DETECT_REGROUP_MAX + 1)

struct compute {
    struct phase phases[PHASES_MAX];
    uint32_t phase_count;
    uint32_t list_windows; /* that a group takes of a list */
    uint64_t list_size;    /* in pairs */
    struct shw_program first, later;
};

/* What variants differ in. */
struct variant {
    bool is_by_level;   /* one level after the other, as a device without a mipmap image would do it */
    bool is_shared;     /* trees in shared memory */
    bool is_regrouping; /* with lists of survivors */
    bool is_in_lanes;   /* several lanes a window in late stages */
};
static const struct variant variants[] = {[SHW_DETECT_BEST] = {.is_regrouping = true, .is_in_lanes = true},
                                          [SHW_DETECT_GLOBAL] = {.is_by_level = true},
                                          [SHW_DETECT_SHARED] = {.is_by_level = true, .is_shared = true},
                                          [SHW_DETECT_MIPMAP] = {.is_shared = true},
                                          [SHW_DETECT_REGROUP] = {.is_shared = true, .is_regrouping = true}};
_Static_assert(sizeof variants / sizeof *variants == SHW_DETECT_VARIANT_COUNT, "an entry for each variant");

static const struct variant *variant_of(const struct shw_detect_device *device)
{
    return &variants[device->params.variant];
}

/* Of the windows at one angle of the level that a piece can have: whole tiles. With trees in shared memory, all windows
 * of a work group have the same tests, so that a piece has one angle. */
static bool has_one_angle(const struct shw_detect_device *device)
{
    return variant_of(device)->is_regrouping && variant_of(device)->is_shared && device->has_pyramid;
}

static uint64_t pieces_most(const struct shw_detect_device *device)
{
    return device->most.tiles / PIECE_TILES + (has_one_angle(device) ? device->params.scan.angle_count : 1);
}

/* The stages after which survivors are regrouped. By the record of survivors, REGROUP does it whenever a fifth is left
 * of those that were regrouped before (Jurak 2015, 5.6.3); BEST, whose groups regroup by themselves, does it once, when
 * few are left, to distribute them anew among the groups. */
static uint32_t choose_stages(const struct shw_detect_device *device, uint32_t stages[SHW_DETECT_REGROUP_MAX])
{
    static const uint32_t defaults[] = {8, 32, 128, 512}, default_in_lanes = 128;
    bool once = variant_of(device)->is_in_lanes;
    uint32_t default_count = once ? 1 : sizeof defaults / sizeof *defaults, most = once ? 1 : SHW_DETECT_REGROUP_MAX;
    const uint64_t *survivors = device->info->survivors;
    uint32_t count = 0, before = 0;

    if (survivors == NULL) {
        for (; count < default_count; count++)
            stages[count] = once ? default_in_lanes : defaults[count];
        return count;
    }
    for (uint32_t s = 1; s < device->info->stage_count && count < most; s++)
        if (survivors[s] < survivors[before] / (once ? 25 : 5)) {
            stages[count++] = s;
            before = s;
        }
    return count;
}

static void choose_phases(const struct shw_detect_device *device, struct compute *compute)
{
    const struct shw_cascade_info *info = device->info;
    uint32_t stages[SHW_DETECT_REGROUP_MAX], count = 0;

    if (variant_of(device)->is_regrouping && device->params.regroup_count > 0)
        for (; count < device->params.regroup_count; count++)
            stages[count] = device->params.regroup[count];
    else if (variant_of(device)->is_regrouping)
        count = choose_stages(device, stages);
    compute->phases[0].first = 0;
    compute->phase_count = 1;
    for (uint32_t r = 0; r < count && stages[r] < info->stage_count; r++) {
        uint32_t tree = info->stages[stages[r]].first_tree;
        compute->phases[compute->phase_count - 1].end = tree;
        compute->phases[compute->phase_count++].first = tree;
    }
    compute->phases[compute->phase_count - 1].end = info->tree_count;
}

static enum shw_result add(struct shw_detect_device *device, void *state)
{
    struct compute *compute = state;
    uint64_t lists = pieces_most(device) * (PHASES_MAX - 1);

    choose_phases(device, compute);
    if (!variant_of(device)->is_regrouping)
        return SHW_OK;
    compute->list_size = shw_min_u64(device->most.tiles, PIECE_TILES) * SHW_DETECT_TILE;
    SHW_PROPAGATE(shw_detect_device_add(device, LISTS * compute->list_size * 2 * sizeof(uint32_t), 0,
                                        "lists of windows", &device->survivors));
    return shw_detect_device_add(device, lists * SHW_DETECT_COUNTER_WORDS * sizeof(uint32_t),
                                 VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, "lengths of lists", &device->counters);
}

static struct shw_shader shader_of(const struct shw_detect_device *device)
{
    if (variant_of(device)->is_in_lanes)
        return device->has_pyramid ? SHW_SHADER(detect_best_pixels_comp) : SHW_SHADER(detect_best_scaled_comp);
    if (variant_of(device)->is_shared)
        return device->has_pyramid ? SHW_SHADER(detect_windows_pixels_shared_comp)
                                   : SHW_SHADER(detect_windows_scaled_shared_comp);
    return device->has_pyramid ? SHW_SHADER(detect_windows_pixels_comp) : SHW_SHADER(detect_windows_scaled_comp);
}

static enum shw_result create_program(struct shw_detect_device *device, bool from_list, struct shw_program *program)
{
    const uint32_t data[] = {device->trees.complete, device->trees.depth, device->info->restarts, device->trees.margin,
                             from_list};
    VkSpecializationMapEntry entries[sizeof data / sizeof *data];
    VkSpecializationInfo constants = {sizeof data / sizeof *data, entries, sizeof data, data};

    for (uint32_t i = 0; i < constants.mapEntryCount; i++)
        entries[i] = (VkSpecializationMapEntry){i, (uint32_t)(i * sizeof *data), sizeof *data};
    return shw_detect_device_program(device, from_list ? "windows of a list" : "windows", shader_of(device), &constants,
                                     sizeof(struct shw_detect_walk_push), program);
}

static enum shw_result create(struct shw_detect_device *device, void *state)
{
    struct compute *compute = state;

    compute->list_windows = variant_of(device)->is_in_lanes ? BEST_WINDOWS : LIST_WINDOWS;
    SHW_PROPAGATE(create_program(device, false, &compute->first));
    return compute->phase_count > 1 ? create_program(device, true, &compute->later) : SHW_OK;
}

static void release(struct shw_detect_device *device, void *state)
{
    struct compute *compute = state;

    shw_program_destroy(device->device, &compute->first);
    shw_program_destroy(device->device, &compute->later);
    device->survivors = device->counters = (struct shw_buffer){0};
}

/* Windows of some tiles, without lists. */
static void record_tiles(const struct shw_detect_device *device, const struct compute *compute,
                         VkCommandBuffer commands, uint32_t slot, uint32_t first, uint32_t count)
{
    struct shw_detect_walk_push push = shw_detect_device_push(device, slot);

    for (uint32_t part; count > 0; count -= part, first += part) {
        part = shw_min_u32(count, PIECE_TILES);
        push.first_tile = first;
        shw_detect_device_barrier(device, commands, false);
        shw_program_dispatch(device->device, commands, &compute->first, device->sets.handles[slot], &push, part, 1, 1);
    }
}

static void record_by_level(const struct shw_detect_device *device, const struct compute *compute,
                            VkCommandBuffer commands, uint32_t slot)
{
    const struct shw_detect_plan *plan = &device->plan;
    const struct shw_scan *scan = &device->params.scan;

    for (uint32_t level = 0; level < plan->level_count; level++) {
        uint32_t first = 0;
        if (device->has_pyramid) {
            shw_detect_device_barrier(device, commands, false);
            shw_detect_device_levels(device, commands, slot, level, 1);
        }
        for (uint32_t a = 0; a < scan->angle_count; a++)
            for (uint32_t l = 0; l < plan->level_count; l++) {
                uint32_t tiles = shw_device_tables_tiles(&plan->levels[l], scan->angles[a]);
                if (l == level)
                    record_tiles(device, compute, commands, slot, first, tiles);
                first += tiles;
            }
    }
}

/* All phases of the windows of some tiles, whose lists have the counters of piece `piece`. */
static void record_piece(const struct shw_detect_device *device, const struct compute *compute,
                         VkCommandBuffer commands, uint32_t slot, uint32_t piece, uint32_t first, uint32_t count)
{
    const struct shw_device *vulkan = device->device;
    struct shw_detect_walk_push push = shw_detect_device_push(device, slot);
    uint32_t counter = piece * (PHASES_MAX - 1) * SHW_DETECT_COUNTER_WORDS;

    push.first_tile = first;
    push.windows = push.next_windows = compute->list_windows;
    for (uint32_t p = 0; p < compute->phase_count; p++) {
        push.first_tree = compute->phases[p].first;
        push.end_tree = compute->phases[p].end;
        push.to = (uint32_t)(p % LISTS * compute->list_size);
        push.counter_to = counter;
        if (p == 0) {
            shw_program_dispatch(vulkan, commands, &compute->first, device->sets.handles[slot], &push, count, 1, 1);
        } else {
            shw_detect_device_barrier(device, commands, true);
            shw_program_dispatch_indirect(vulkan, commands, &compute->later, device->sets.handles[slot], &push,
                                          device->counters.handle, push.counter_from * sizeof(uint32_t));
        }
        push.from = push.to;
        push.counter_from = push.counter_to;
        counter += SHW_DETECT_COUNTER_WORDS;
    }
}

/* Tiles of all angles, or of one, in pieces. */
static void record_in_pieces(const struct shw_detect_device *device, const struct compute *compute,
                             VkCommandBuffer commands, uint32_t slot, uint32_t first, uint32_t count, uint32_t *piece)
{
    for (uint32_t part; count > 0; count -= part, first += part) {
        part = shw_min_u32(count, PIECE_TILES);
        shw_detect_device_barrier(device, commands, false);
        record_piece(device, compute, commands, slot, (*piece)++, first, part);
    }
}

static void record(struct shw_detect_device *device, void *state, VkCommandBuffer commands, uint32_t slot)
{
    const struct compute *compute = state;
    const struct shw_scan *scan = &device->params.scan;
    uint32_t tiles = (uint32_t)device->slots[slot].layout.tiles, piece = 0, first = 0;

    if (variant_of(device)->is_by_level) {
        record_by_level(device, compute, commands, slot);
        return;
    }
    if (device->has_pyramid) {
        shw_detect_device_barrier(device, commands, false);
        shw_detect_device_levels(device, commands, slot, 0, device->plan.level_count);
    }
    if (!variant_of(device)->is_regrouping)
        record_tiles(device, compute, commands, slot, 0, tiles);
    else if (!has_one_angle(device))
        record_in_pieces(device, compute, commands, slot, 0, tiles, &piece);
    else
        for (uint32_t a = 0; a < scan->angle_count; a++) {
            uint32_t count = 0;
            for (uint32_t l = 0; l < device->plan.level_count; l++)
                count += shw_device_tables_tiles(&device->plan.levels[l], scan->angles[a]);
            record_in_pieces(device, compute, commands, slot, first, count, &piece);
            first += count;
        }
}

static const struct shw_detect_walker device_rectangles = {.add = add_rectangles,
                                                           .create = create_rectangles,
                                                           .release = release_rectangles,
                                                           .record = record_rectangles,
                                                           .size = sizeof(struct rectangles)};

static const struct shw_detect_walker walker = {
    .add = add, .create = create, .release = release, .record = record, .size = sizeof(struct compute)};

static bool has_features(const struct shw_detector_params *params)
{
    return shw_cascade_get_info(params->cascade)->features != NULL;
}

static enum shw_result create_detector(const struct shw_detector_params *params, void **state)
{
    return shw_detect_device_create(params, has_features(params) ? &device_rectangles : &walker, state);
}

const struct shw_detect_technique shw_detect_compute = {.id = SHW_TECHNIQUE_COMPUTE,
                                                        .check = shw_detect_device_check,
                                                        .create = create_detector,
                                                        .destroy = shw_detect_device_destroy,
                                                        .run = shw_detect_device_run,
                                                        .record = shw_detect_device_record};
