/* Kinds that are compiled from a header, on a device: each pass goes from the source images, and planes of earlier
 * passes, to its plane or to the channels of an entry. */
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "dense/channels/channel_maker.h"
#include "dense/channels/channels_stage.h"
#include "dense/channels/pixels.h"
#include "vulkan/formats.h"

bool shw_channel_reads_other(const struct shw_channel_code *code)
{
    return code->reads_previous || code->reads_plane || code->samples > 1;
}

const struct shw_channel_maker shw_channel_code_maker = {.is_together = true,
                                                         .cpu = shw_channel_code_cpu,
                                                         .fragment = &shw_channel_code_device,
                                                         .compute = &shw_channel_code_device};

static uint32_t input_of(const struct shw_channel_entry *entry, uint32_t role)
{
    return role == SHW_INPUT_COLOUR ? entry->source : entry->input;
}

#define WORK           8u /* per pixel, in units of a filter tap */
#define PASSED_BINDING 4u /* of the first plane of a pass, or of the buffer that has all */

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

static struct shw_channel_reading reading_of(const struct shw_code_step *step)
{
    return shw_channel_reading_of(step->entry.kind->code, step->pass);
}

static bool is_last(const struct shw_code_step *step)
{
    return step->pass == step->entry.kind->code->pass_count;
}

/* How many programs the views ask for that the pass reads. */
static uint32_t variants_of(const struct shw_code_step *step)
{
    return shw_channel_variants(reading_of(step).inputs, shw_channel_reads_other(step->entry.kind->code));
}

/* Those of a text may have to be made first. */
static enum shw_result find_shaders(const struct shw_code_step *step, bool is_fragment, const struct shw_log *log,
                                    struct shw_channel_shader shaders[SHW_CHANNEL_VIEWS])
{
    const struct shw_channel_code *code = step->entry.kind->code;
    const struct shw_channel_pass *pass = is_last(step) ? NULL : &code->passes[step->pass];

    if (code->get_shaders != NULL)
        return code->get_shaders(code, step->pass, is_fragment, variants_of(step), log, shaders);
    if (pass != NULL)
        memcpy(shaders, is_fragment ? pass->fragment : pass->compute, sizeof pass->compute);
    else
        memcpy(shaders, is_fragment ? code->fragment : code->compute, sizeof code->compute);
    return SHW_OK;
}

static enum shw_result create_programs(struct shw_device *device, bool is_fragment, struct shw_code_step *step)
{
    static const VkFormat attachments[] = {VK_FORMAT_R16_SINT, VK_FORMAT_R16_SINT, VK_FORMAT_R16_SINT,
                                           VK_FORMAT_R16_SINT};
    const struct shw_channel_code *code = step->entry.kind->code;
    const uint32_t planes = reading_of(step).planes;
    struct shw_channel_shader shaders[SHW_CHANNEL_VIEWS];
    struct shw_binding bindings[4 + SHW_CHANNEL_PASSES_MAX] = {{0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE}};
    struct shw_program_params program = {
        .bindings = bindings, .binding_count = 1, .push_bytes = sizeof(struct push), .in_pieces = true};

    if (code->has_table)
        bindings[program.binding_count++] = (struct shw_binding){1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    if (!is_fragment)
        bindings[program.binding_count++] = (struct shw_binding){2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    if (shw_channel_reads_other(code))
        bindings[program.binding_count++] = (struct shw_binding){3, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE};
    if (planes != 0 && !is_fragment)
        bindings[program.binding_count++] = (struct shw_binding){PASSED_BINDING, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    for (uint32_t p = 0; planes >> p != 0 && is_fragment; p++)
        if ((planes >> p & 1) != 0)
            bindings[program.binding_count++] =
                (struct shw_binding){PASSED_BINDING + p, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE};
    SHW_PROPAGATE(find_shaders(step, is_fragment, &device->log, shaders));
    for (uint32_t views = 0; views < variants_of(step); views++) {
        const struct shw_channel_shader *shader = &shaders[views];
        program.name = views == 0 ? "source of normalised values" : "source of integers";
        if (is_fragment) {
            program.fragment = (struct shw_shader){shader->words, *shader->size};
            program.attachments = attachments;
            program.load = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
            program.attachment_count = is_last(step) ? code->channel_count : 1;
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
    *step = (struct shw_code_step){
        .entry = *entry, .pass = entry->kind->code->pass_count, .targets = targets, .slots = slots, .form = form};
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
    struct shw_resource resources[4 + SHW_CHANNEL_PASSES_MAX] = {{.view = views[step->entry.source]}};
    const uint32_t planes = reading_of(step).planes;
    uint32_t count = 1;

    if (step->table.handle != VK_NULL_HANDLE)
        resources[count++].buffer = step->table.handle;
    if (step->render_targets == NULL)
        resources[count++].buffer = step->targets[slot].buffer.handle;
    if (shw_channel_reads_other(step->entry.kind->code))
        resources[count++].view = views[step->entry.input];
    if (planes != 0 && step->render_targets == NULL)
        resources[count++].buffer = step->passed[slot].buffer.handle;
    for (uint32_t p = 0; planes >> p != 0 && step->render_targets != NULL; p++)
        if ((planes >> p & 1) != 0)
            resources[count++].view = step->passed[p * step->slots + slot].image.view;
    shw_set_write(device, &step->programs[0], step->sets.handles[slot], resources);
}

void shw_code_step_record(const struct shw_code_step *step, struct shw_recording *recording, uint32_t slot,
                          const struct shw_channel_source *sources, const struct shw_region *region)
{
    const struct shw_planes *target = &step->targets[slot];
    uint32_t roles = shw_channel_reads_other(step->entry.kind->code) ? SHW_INPUT_ROLES : 1, views = 0;
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
        if (source->has_stored && scale.x == SHW_SCALE_STORED)
            push.scale[role][1] = SHW_STORED_IN_ALPHA;
    }
    program = &step->programs[views % variants_of(step)];
    if (step->render_targets != NULL)
        shw_recording_draw(recording, program, step->sets.handles[slot], &push, step->render_targets[slot].framebuffer,
                           region->width, region->height, WORK * region->width);
    else
        shw_recording_dispatch(recording, program, step->sets.handles[slot], &push, (region->width + 63) / 64,
                               (region->height + 3) / 4, 1, 4 * WORK * region->width);
}

/* All passes of an entry. */
struct passing {
    struct shw_planes
        *passed;    /* of its passes: an image for each, [pass * slots + slot], or a buffer for all, [slot] */
    uint32_t count; /* of passes, without the last, which makes the channels */
    struct shw_code_step steps[SHW_CHANNEL_PASSES_MAX + 1];
};

/* Of all entries of a list whose kinds have code. */
struct code {
    bool is_fragment;
    uint32_t slots, sets;
    const struct shw_planes *outputs; /* one per slot */
    uint32_t entry_count;
    struct passing entries[];
};

#define LAST_PHASE (SHW_CHANNEL_PHASES - 1)

/* Sets of `slots` planes. */
static uint32_t passed_sets(const struct code *code, const struct passing *passing)
{
    return code->is_fragment ? passing->count : passing->count > 0;
}

static void destroy(struct shw_device *device, void *instance)
{
    struct code *code = instance;

    for (uint32_t e = 0; e < code->entry_count; e++) {
        for (uint32_t p = 0; p <= code->entries[e].count; p++)
            shw_code_step_destroy(device, &code->entries[e].steps[p]);
        free(code->entries[e].passed);
    }
    free(code);
}

static enum shw_result add_passed(struct shw_arena *arena, struct code *code, struct passing *passing)
{
    const struct shw_planes *output = &code->outputs[0];
    const uint32_t sets = passed_sets(code, passing);

    if (sets == 0)
        return SHW_OK;
    passing->passed = calloc((size_t)sets * code->slots, sizeof *passing->passed);
    if (passing->passed == NULL)
        return shw_fail_memory(&arena->device->log, "the channels stage");
    for (uint32_t s = 0; s < sets; s++)
        SHW_PROPAGATE(shw_planes_add_scratch(arena, VK_FORMAT_R16_SINT, output->width, output->height,
                                             code->is_fragment ? 1 : passing->count,
                                             code->is_fragment ? SHW_PLANES_IMAGE : SHW_PLANES_BUFFER,
                                             "planes of passes", code->sets, passing->passed + s * code->slots));
    return SHW_OK;
}

/* A pass writes its own plane, as if that were the first channel of an entry. */
static enum shw_result add_entry(struct shw_arena *arena, struct code *code, const struct shw_channel_entry *entry,
                                 struct passing *passing)
{
    const enum shw_planes_form form = code->is_fragment ? SHW_PLANES_IMAGE : SHW_PLANES_BUFFER;

    passing->count = entry->kind->code->pass_count;
    SHW_PROPAGATE(add_passed(arena, code, passing));
    for (uint32_t p = 0; p <= passing->count; p++) {
        struct shw_channel_entry target = *entry;
        const struct shw_planes *planes = code->outputs;

        if (p < passing->count) {
            target.first = code->is_fragment ? 0 : p;
            planes = passing->passed + (code->is_fragment ? p * code->slots : 0);
        }
        SHW_PROPAGATE(shw_code_step_add(arena, &target, planes, code->slots, form, &passing->steps[p]));
        passing->steps[p].pass = p;
        passing->steps[p].passed = passing->passed;
    }
    return SHW_OK;
}

static enum shw_result add(struct shw_arena *arena, const struct shw_channel_list *list,
                           const struct shw_channel_outputs *outputs, void **instance)
{
    struct code *code = calloc(1, sizeof *code + list->entry_count * sizeof code->entries[0]);
    enum shw_result result;

    if (code == NULL)
        return shw_fail_memory(&arena->device->log, "the channels stage");
    code->is_fragment = outputs->form == SHW_PLANES_IMAGE;
    code->slots = outputs->slots;
    code->sets = outputs->sets;
    code->outputs = outputs->planes;
    for (uint32_t i = 0; i < list->entry_count; i++)
        if (shw_channel_maker_of(list->entries[i].kind) == &shw_channel_code_maker)
            SHW_TRY(add_entry(arena, code, &list->entries[i], &code->entries[code->entry_count++]));
    *instance = code;
    return SHW_OK;

fail:
    destroy(arena->device, code);
    return result;
}

static enum shw_result create(struct shw_device *device, void *instance)
{
    struct code *code = instance;

    for (uint32_t e = 0; e < code->entry_count; e++) {
        struct passing *passing = &code->entries[e];

        for (uint32_t s = 0; s < passed_sets(code, passing); s++)
            shw_planes_share(passing->passed + s * code->slots, code->slots, code->sets);
        for (uint32_t p = 0; p <= passing->count; p++)
            SHW_PROPAGATE(shw_code_step_create(device, &passing->steps[p]));
    }
    return SHW_OK;
}

static void bind(void *instance, struct shw_device *device, uint32_t slot, const VkImageView *views)
{
    struct code *code = instance;

    for (uint32_t e = 0; e < code->entry_count; e++)
        for (uint32_t p = 0; p <= code->entries[e].count; p++)
            shw_code_step_bind(&code->entries[e].steps[p], device, slot, views);
}

/* The number of the pass that runs in a phase, or -1; the last pass runs in the last phase. */
static int pass_in(const struct passing *passing, int phase)
{
    const int pass = phase - (LAST_PHASE - (int)passing->count);

    return pass >= 0 ? pass : -1;
}

/* The first phase in which an entry of the list has a pass. */
static int first_phase_of(const struct shw_channel_list *list)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < list->entry_count; i++)
        if (shw_channel_maker_of(list->entries[i].kind) == &shw_channel_code_maker)
            most = shw_max_u32(most, list->entries[i].kind->code->pass_count);
    return LAST_PHASE - (int)most;
}

static void prepare_images(const struct code *code, const struct passing *passing, struct shw_recording *recording,
                           uint32_t slot, uint32_t pass)
{
    const struct shw_planes *passed = passing->passed + slot;

    if (pass > 0)
        shw_recording_image_barrier(recording, passed[(pass - 1) * code->slots].image.handle, shw_use_attachment,
                                    shw_use_fragment_sampled);
    if (pass < passing->count)
        shw_recording_image_barrier(recording, passed[pass * code->slots].image.handle, shw_use_discarded,
                                    shw_use_attachment);
}

static void prepare(void *instance, struct shw_recording *recording, uint32_t slot, int phase)
{
    const struct code *code = instance;

    for (uint32_t e = 0; e < code->entry_count; e++) {
        const struct passing *passing = &code->entries[e];
        const int pass = pass_in(passing, phase);

        if (passing->count == 0 || pass < 0)
            continue;
        if (code->is_fragment)
            prepare_images(code, passing, recording, slot, (uint32_t)pass);
        else if (pass > 0)
            shw_recording_buffer_barrier(recording, passing->passed[slot].buffer.handle, shw_use_compute_write,
                                         shw_use_compute_read);
    }
}

static void record(void *instance, struct shw_recording *recording, uint32_t slot, int phase,
                   const struct shw_channel_source *sources, const struct shw_region *region)
{
    struct code *code = instance;

    for (uint32_t e = 0; e < code->entry_count; e++) {
        struct passing *passing = &code->entries[e];
        const int pass = pass_in(passing, phase);

        if (pass < 0)
            continue;
        if (passing->count > 0 && !code->is_fragment) {
            /* Rows are as long as those of the outputs, which may change from image to image. */
            passing->passed[slot].stride = code->outputs[slot].stride;
            passing->passed[slot].height = code->outputs[slot].height;
        }
        shw_code_step_record(&passing->steps[pass], recording, slot, sources, region);
    }
}

const struct shw_channel_device_maker shw_channel_code_device = {.first_phase = LAST_PHASE,
                                                                 .get_first_phase = first_phase_of,
                                                                 .add = add,
                                                                 .create = create,
                                                                 .destroy = destroy,
                                                                 .bind = bind,
                                                                 .prepare = prepare,
                                                                 .record = record};
