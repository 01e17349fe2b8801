/* HAAR and LBP on a device: integrals of all levels, what the first stage says of all windows, and the other stages at
 * those that OpenCV's rule leaves. */
#include "detection/detect/device_rectangles.h"

#include "base/integers.h"
#include "base/log.h"

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
static enum shw_result add(struct shw_detect_device *device, void *state)
{
    (void)state;
    return shw_detect_device_add(device, device->most.tiles * SHW_DETECT_TILE_HEIGHT * 2 * sizeof(uint32_t), 0,
                                 "windows of the first stage", &device->survivors);
}

static enum shw_result create_program(struct shw_detect_device *device, const char *name, struct shw_shader shader,
                                      const uint32_t *data, uint32_t count, struct shw_program *program)
{
    static const VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}, {2, 8, 4}, {3, 12, 4}};
    const VkSpecializationInfo constants = {count, entries, count * sizeof *data, data};

    return shw_detect_device_program(device, name, shader, &constants, sizeof(struct shw_detect_walk_push), program);
}

static enum shw_result create_integrals(struct shw_detect_device *device, struct rectangles *rectangles)
{
    uint32_t data[] = {shw_device_integrals(device->info) > 1, has_tilted(device), 0};

    SHW_PROPAGATE(
        create_program(device, "sums of rows", SHW_SHADER(detect_rectangle_rows_comp), data, 2, &rectangles->rows));
    for (uint32_t d = 0; d < (has_tilted(device) ? DIRECTION_COUNT : COLUMNS + 1); d++) {
        data[2] = d;
        SHW_PROPAGATE(create_program(device, "sums of lines", SHW_SHADER(detect_rectangle_lines_comp), data, 3,
                                     &rectangles->lines[d]));
    }
    return SHW_OK;
}

static enum shw_result create(struct shw_detect_device *device, void *state)
{
    struct rectangles *rectangles = state;
    const struct shw_cascade_info *info = device->info;
    const uint32_t data[] = {info->window_width, info->window_height, info->restarts, device->params.scan.step == 0};
    bool is_haar = info->kind == SHW_CASCADE_HAAR;

    SHW_PROPAGATE(create_integrals(device, rectangles));
    SHW_PROPAGATE(create_program(device, "the first stage",
                                 is_haar ? SHW_SHADER(detect_rectangle_first_haar_comp)
                                         : SHW_SHADER(detect_rectangle_first_lbp_comp),
                                 data, 4, &rectangles->first));
    return create_program(device, "windows",
                          is_haar ? SHW_SHADER(detect_rectangle_windows_haar_comp)
                                  : SHW_SHADER(detect_rectangle_windows_lbp_comp),
                          data, 4, &rectangles->windows);
}

static void release(struct shw_detect_device *device, void *state)
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

static void record(struct shw_detect_device *device, void *state, VkCommandBuffer commands, uint32_t slot)
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

const struct shw_detect_walker shw_device_rectangles = {
    .add = add, .create = create, .release = release, .record = record, .size = sizeof(struct rectangles)};
