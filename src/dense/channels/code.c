#include "dense/channels/channel_maker.h"

#include <stdlib.h>
#include <string.h>

#include "dense/channels/channels_stage.h"
#include "dense/channels/pixels.h"
#include "vulkan/formats.h"

/* Kinds that are compiled from a header, on the CPU: row by row. */

struct filling {
    const struct shw_channels_job *job;
    const struct shw_channel_entry *entry;
    const uint32_t *table;
    uint32_t radius, roles;
    shw_uint4 scales[SHW_INPUT_ROLES]; /* of planes */
    int16_t *lines;                    /* per thread: the lines of a struct shw_channel_row, with borders */
};

/* Whether it reads a second input. */
static bool reads_other(const struct shw_channel_code *code)
{
    return code->reads_previous || code->reads_plane || code->samples > 1;
}

static size_t line_size(const struct filling *filling)
{
    return filling->job->images.of[0]->width + 2 * (size_t)filling->radius;
}

static size_t line_count(const struct filling *filling)
{
    return SHW_BASE_COUNT * (2 * (size_t)filling->radius + 1) * filling->roles;
}

static uint32_t input_of(const struct shw_channel_entry *entry, uint32_t role)
{
    return role == SHW_INPUT_COLOUR ? entry->source : entry->input;
}

/* A row of an input, in up to four lines; returns their number. */
static uint32_t read_line(const struct filling *filling, uint32_t role, uint32_t y, int16_t *const *lines)
{
    const struct shw_channel_code *code = filling->entry->kind->code;
    const struct shw_image *image = filling->job->images.of[input_of(filling->entry, role)];
    shw_uint4 scale = filling->scales[role];

    if (role < code->samples) {
        shw_sample_row(image, scale, y, lines[0]);
        return 1;
    }
    if (role != SHW_INPUT_COLOUR && code->reads_plane) {
        shw_plane_row(image, scale, y, lines[0]);
        return 1;
    }
    if (scale.x == SHW_SCALE_STORED) {
        shw_base_row(image, y, lines);
        return SHW_BASE_COUNT;
    }
    shw_grey_row(image, scale, y, lines[0]);
    for (uint32_t b = 1; b < SHW_BASE_COUNT; b++)
        memcpy(lines[b], lines[0], image->width * sizeof *lines[0]);
    return SHW_BASE_COUNT;
}

/* Rows above the first and below the last repeat those. */
static void fill_row(void *user, uint32_t y, uint32_t thread)
{
    const struct filling *filling = user;
    const struct shw_channels_job *job = filling->job;
    const struct shw_channel_code *code = filling->entry->kind->code;
    const struct shw_image *image = job->images.of[0];
    size_t plane = (size_t)image->width * image->height;
    uint32_t rows = 2 * filling->radius + 1;
    int16_t *line = filling->lines + thread * line_count(filling) * line_size(filling);
    int16_t *channels[SHW_CHANNEL_COUNT_MAX];
    int16_t *lines[SHW_BASE_COUNT * (2 * SHW_CHANNEL_CODE_RADIUS_MAX + 1) * SHW_INPUT_ROLES];
    struct shw_channel_row row = {.lines = (const int16_t *const *)lines,
                                  .table = filling->table,
                                  .width = image->width,
                                  .place = {job->region.x, job->region.y + y},
                                  .extent = {job->region.full_width, job->region.full_height}};

    for (size_t i = 0; i < line_count(filling); i++, line += line_size(filling))
        lines[i] = line + filling->radius;
    for (uint32_t i = 0; i < rows * filling->roles; i++) {
        int16_t *const *base = lines + (size_t)SHW_BASE_COUNT * i;
        uint32_t from = (uint32_t)shw_clamp((int32_t)(y + i % rows - filling->radius), 0, (int32_t)image->height - 1);
        uint32_t lines_read = read_line(filling, i / rows, from, base);
        for (uint32_t b = 0; b < lines_read; b++)
            shw_base_clamp(base[b], image->width, filling->radius);
    }
    for (uint32_t c = 0; c < code->channel_count; c++)
        channels[c] = job->planes + (filling->entry->first - job->first + c) * plane + (size_t)y * image->width;
    code->fill_row(&row, filling->entry->parameter, channels);
}

static enum shw_result fill_entry(const struct shw_channels_job *job, const struct shw_channel_entry *entry,
                                  struct shw_thread_pool *pool)
{
    struct filling filling = {.job = job, .entry = entry, .radius = entry->kind->code->radius};
    uint32_t count;

    filling.roles = reads_other(entry->kind->code) ? SHW_INPUT_ROLES : 1;
    for (uint32_t role = 0; role < filling.roles; role++)
        filling.scales[role] = shw_depth_scale(&job->images.depth[input_of(entry, role)]);
    if (entry->kind->code->has_table)
        filling.table = entry->kind->get_table(&count);
    filling.lines =
        malloc(shw_thread_pool_size(pool) * line_count(&filling) * line_size(&filling) * sizeof *filling.lines);
    if (filling.lines == NULL)
        return SHW_ERROR_MEMORY;
    shw_thread_pool_run(pool, job->images.of[0]->height, fill_row, &filling);
    free(filling.lines);
    return SHW_OK;
}

static enum shw_result code_cpu(const struct shw_channels_job *job, struct shw_thread_pool *pool)
{
    for (uint32_t i = 0; i < job->list->entry_count; i++) {
        const struct shw_channel_entry *entry = &job->list->entries[i];
        if (shw_channel_maker_of(entry->kind) == &shw_channel_code_maker && entry->first >= job->first &&
            entry->first < job->first + job->count)
            SHW_PROPAGATE(fill_entry(job, entry, pool));
    }
    return SHW_OK;
}

const struct shw_channel_maker shw_channel_code_maker = {
    .is_together = true, .cpu = code_cpu, .fragment = &shw_channel_code_device, .compute = &shw_channel_code_device};

/* The same on a device: one pass from the source image to the planes of an entry. */

#define WORK 8u /* per pixel, in units of a filter tap */

/* As in shaders/dense/channels/channel.h. */
struct push {
    int32_t size[2], origin[SHW_INPUT_ROLES][2];
    uint32_t place[2], extent[2];
    uint32_t parameter;
    uint32_t first_plane, row_words, plane_words;
    uint32_t sources;
    uint32_t scale[SHW_INPUT_ROLES][4];
};

static enum shw_result add_table(struct shw_arena *arena, struct shw_code_step *step)
{
    uint32_t count;
    const uint32_t *numbers = step->entry.kind->get_table(&count);

    return shw_arena_add_buffer(arena, shw_span_always, count * sizeof *numbers, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                SHW_MEMORY_TABLE, "table of a channel kind", &step->table);
}

static void write_table(const struct shw_code_step *step)
{
    uint32_t count;
    const uint32_t *numbers = step->entry.kind->get_table(&count);

    memcpy(step->table.mapped, numbers, count * sizeof *numbers);
}

static enum shw_result create_programs(struct shw_device *device, bool is_fragment, struct shw_code_step *step)
{
    static const VkFormat attachments[] = {VK_FORMAT_R16_SINT, VK_FORMAT_R16_SINT, VK_FORMAT_R16_SINT,
                                           VK_FORMAT_R16_SINT};
    const struct shw_channel_code *code = step->entry.kind->code;
    const uint32_t count = reads_other(code) ? SHW_CHANNEL_VIEWS : SHW_CHANNEL_VIEWS / 2;
    struct shw_channel_shader shaders[SHW_CHANNEL_VIEWS];
    struct shw_binding bindings[4] = {{0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE}};
    struct shw_program_params program = {
        .bindings = bindings, .binding_count = 1, .push_bytes = sizeof(struct push), .in_pieces = true};

    if (code->has_table)
        bindings[program.binding_count++] = (struct shw_binding){1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    if (!is_fragment)
        bindings[program.binding_count++] = (struct shw_binding){2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    if (reads_other(code))
        bindings[program.binding_count++] = (struct shw_binding){3, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE};
    memcpy(shaders, is_fragment ? code->fragment : code->compute, sizeof shaders);
    if (code->get_shaders != NULL)
        SHW_PROPAGATE(code->get_shaders(code, is_fragment, count, &device->log, shaders));
    for (uint32_t views = 0; views < count; views++) {
        const struct shw_channel_shader *shader = &shaders[views];
        program.name = views == 0 ? "source of normalised values" : "source of integers";
        if (is_fragment) {
            program.fragment = (struct shw_shader){shader->words, *shader->size};
            program.attachments = attachments;
            program.load = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
            program.attachment_count = code->channel_count;
        } else {
            program.compute = (struct shw_shader){shader->words, *shader->size};
        }
        SHW_PROPAGATE(shw_program_create(device, &program, &step->programs[views]));
    }
    return SHW_OK;
}

enum shw_result shw_code_step_add(struct shw_arena *arena, const struct shw_channel_entry *entry,
                                  const struct shw_planes *targets, uint32_t slots, enum shw_planes_form form,
                                  struct shw_code_step *step)
{
    *step = (struct shw_code_step){.entry = *entry, .targets = targets, .slots = slots, .form = form};
    return entry->kind->code->has_table ? add_table(arena, step) : SHW_OK;
}

enum shw_result shw_code_step_create(struct shw_device *device, struct shw_code_step *step)
{
    uint32_t layers[SHW_CHANNEL_COUNT_MAX];

    if (step->entry.kind->code->has_table)
        write_table(step);
    SHW_PROPAGATE(create_programs(device, step->form == SHW_PLANES_IMAGE, step));
    SHW_PROPAGATE(shw_sets_create(device, &step->programs[0], step->slots, &step->sets));
    for (uint32_t i = 0; i < SHW_CHANNEL_COUNT_MAX; i++)
        layers[i] = step->entry.first + i;
    if (step->form == SHW_PLANES_IMAGE)
        SHW_PROPAGATE(
            shw_targets_create(device, &step->programs[0], step->targets, step->slots, layers, &step->render_targets));
    return SHW_OK;
}

void shw_code_step_destroy(struct shw_device *device, struct shw_code_step *step)
{
    shw_targets_destroy(device, step->slots, &step->render_targets);
    shw_sets_destroy(device, &step->sets);
    for (uint32_t views = 0; views < SHW_CHANNEL_VIEWS; views++)
        shw_program_destroy(device, &step->programs[views]);
    *step = (struct shw_code_step){0};
}

void shw_code_step_bind(const struct shw_code_step *step, struct shw_device *device, uint32_t slot,
                        const VkImageView *views)
{
    struct shw_resource resources[4] = {{.view = views[step->entry.source]}};
    uint32_t count = 1;

    if (step->table.handle != VK_NULL_HANDLE)
        resources[count++].buffer = step->table.handle;
    if (step->render_targets == NULL)
        resources[count++].buffer = step->targets[slot].buffer.handle;
    resources[count].view = views[step->entry.input];
    shw_set_write(device, &step->programs[0], step->sets.handles[slot], resources);
}

void shw_code_step_record(const struct shw_code_step *step, struct shw_recording *recording, uint32_t slot,
                          const struct shw_channel_source *sources, const struct shw_region *region)
{
    const struct shw_planes *target = &step->targets[slot];
    uint32_t roles = reads_other(step->entry.kind->code) ? SHW_INPUT_ROLES : 1, views = 0;
    const struct shw_program *program;
    struct push push = {
        .size = {(int32_t)region->width, (int32_t)region->height},
        .place = {region->x, region->y},
        .extent = {region->full_width, region->full_height},
        .parameter = step->entry.parameter,
        .first_plane = step->entry.first,
        .row_words = target->stride / 2,
        .plane_words = target->stride / 2 * target->height,
    };

    for (uint32_t role = 0; role < roles; role++) {
        const struct shw_channel_source *source = &sources[input_of(&step->entry, role)];
        const shw_uint4 scale = shw_depth_scale(&source->depth);
        const struct shw_source_reading *reading = shw_source_reading_of(source->format);
        push.origin[role][0] = (int32_t)source->x;
        push.origin[role][1] = (int32_t)source->y;
        push.sources |= (reading->code | (reading->format.grey ? 128u : 0)) << 8 * role;
        views |= (uint32_t)reading->is_uint << role;
        memcpy(push.scale[role], &scale, sizeof scale);
    }
    program = &step->programs[views];
    if (step->render_targets != NULL)
        shw_recording_draw(recording, program, step->sets.handles[slot], &push, step->render_targets[slot].framebuffer,
                           region->width, region->height, WORK * region->width);
    else
        shw_recording_dispatch(recording, program, step->sets.handles[slot], &push, (region->width + 63) / 64,
                               (region->height + 3) / 4, 1, 4 * WORK * region->width);
}

/* Steps of all entries of a list whose kinds have code. */
struct steps {
    uint32_t count;
    struct shw_code_step step[];
};

static void destroy(struct shw_device *device, void *instance)
{
    struct steps *steps = instance;

    for (uint32_t i = 0; i < steps->count; i++)
        shw_code_step_destroy(device, &steps->step[i]);
    free(steps);
}

static enum shw_result add(struct shw_arena *arena, const struct shw_channel_list *list,
                           const struct shw_channel_outputs *outputs, void **instance)
{
    struct steps *steps = calloc(1, sizeof *steps + list->entry_count * sizeof steps->step[0]);
    enum shw_result result;

    if (steps == NULL)
        return shw_fail_memory(&arena->device->log, "the channels stage");
    for (uint32_t i = 0; i < list->entry_count; i++) {
        const struct shw_channel_entry *entry = &list->entries[i];
        if (shw_channel_maker_of(entry->kind) == &shw_channel_code_maker)
            SHW_TRY(shw_code_step_add(arena, entry, outputs->planes, outputs->slots, outputs->form,
                                      &steps->step[steps->count++]));
    }
    *instance = steps;
    return SHW_OK;

fail:
    destroy(arena->device, steps);
    return result;
}

static enum shw_result create(struct shw_device *device, void *instance)
{
    struct steps *steps = instance;

    for (uint32_t i = 0; i < steps->count; i++)
        SHW_PROPAGATE(shw_code_step_create(device, &steps->step[i]));
    return SHW_OK;
}

static void bind(void *instance, struct shw_device *device, uint32_t slot, const VkImageView *views)
{
    struct steps *steps = instance;

    for (uint32_t i = 0; i < steps->count; i++)
        shw_code_step_bind(&steps->step[i], device, slot, views);
}

static void record(void *instance, struct shw_recording *recording, uint32_t slot, int phase,
                   const struct shw_channel_source *sources, const struct shw_region *region)
{
    struct steps *steps = instance;

    (void)phase; /* always the last one, which writes the channels */
    for (uint32_t i = 0; i < steps->count; i++)
        shw_code_step_record(&steps->step[i], recording, slot, sources, region);
}

const struct shw_channel_device_maker shw_channel_code_device = {.first_phase = SHW_CHANNEL_PHASES - 1,
                                                                 .add = add,
                                                                 .create = create,
                                                                 .destroy = destroy,
                                                                 .bind = bind,
                                                                 .record = record};
