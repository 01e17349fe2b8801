/* Derived kinds on a device: the filter bank makes the planes that they read, and one pass after it reads them. */
#include <stdlib.h>

#include "dense/channels/derived_kind.h"

/* As in shaders/dense/channels/derived.h. */
struct push {
    int32_t last[2];
    uint32_t parameter, pass;
    uint32_t inputs[SHW_DERIVED_INPUTS];
    uint32_t first_plane, row_words, plane_words;
};

#define LAST_PHASE (SHW_CHANNEL_PHASES - 1)
#define WORK       16u /* per pixel, in units of a filter tap */

struct step {
    struct shw_program program;
    struct shw_sets sets;                               /* one per slot */
    struct shw_target *targets[SHW_DERIVED_PASSES_MAX]; /* one per slot; NULL: buffers are written */
};

struct derived {
    const struct shw_channel_device_maker *bank_maker;
    void *bank;
    struct shw_derived_plan plan;
    bool is_fragment;
    uint32_t slots, sets;
    const struct shw_planes *outputs; /* one per slot, borrowed */
    struct shw_planes *filtered;      /* one per slot */
    struct step steps[SHW_CHANNELS_MAX];
};

static void destroy(struct shw_device *device, void *instance)
{
    struct derived *derived = instance;

    for (uint32_t s = 0; s < derived->plan.step_count; s++) {
        struct step *step = &derived->steps[s];
        for (uint32_t pass = 0; pass < SHW_DERIVED_PASSES_MAX; pass++)
            shw_targets_destroy(device, derived->slots, &step->targets[pass]);
        shw_sets_destroy(device, &step->sets);
        shw_program_destroy(device, &step->program);
    }
    if (derived->bank != NULL)
        derived->bank_maker->destroy(device, derived->bank);
    free(derived->filtered);
    free(derived);
}

static enum shw_result add(struct shw_arena *arena, const struct shw_channel_list *list,
                           const struct shw_channel_outputs *outputs, void **instance)
{
    struct derived *derived = calloc(1, sizeof *derived);
    struct shw_channel_outputs filtered = *outputs;
    enum shw_result result;

    if (derived == NULL)
        return shw_fail_memory(&arena->device->log, "the channels stage");
    shw_derived_plan_make(list, 0, list->channel_count, &derived->plan);
    derived->is_fragment = outputs->form == SHW_PLANES_IMAGE;
    derived->bank_maker = derived->is_fragment ? shw_filter_bank_maker.fragment : shw_filter_bank_maker.compute;
    derived->slots = outputs->slots;
    derived->sets = outputs->sets;
    derived->outputs = outputs->planes;
    derived->filtered = calloc(outputs->slots, sizeof *derived->filtered);
    if (derived->filtered == NULL) {
        result = shw_fail_memory(&arena->device->log, "the channels stage");
        goto fail;
    }
    SHW_TRY(shw_planes_add_scratch(arena, VK_FORMAT_R16_SINT, outputs->planes[0].width, outputs->planes[0].height,
                                   derived->plan.filters.channel_count, outputs->form, "filtered planes", outputs->sets,
                                   derived->filtered));
    filtered.planes = derived->filtered;
    SHW_TRY(derived->bank_maker->add(arena, &derived->plan.filters, &filtered, &derived->bank));
    *instance = derived;
    return SHW_OK;

fail:
    destroy(arena->device, derived);
    return result;
}

static enum shw_result create_program(struct shw_device *device, bool is_fragment, const struct shw_derived_code *code,
                                      struct shw_program *program)
{
    static const VkFormat attachments[] = {VK_FORMAT_R16_SINT, VK_FORMAT_R16_SINT, VK_FORMAT_R16_SINT};
    static const struct shw_binding image[] = {{0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE}};
    static const struct shw_binding buffers[] = {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                                 {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
    const struct shw_channel_shader *shader = is_fragment ? &code->fragment : &code->compute;
    struct shw_program_params params = {.name = "derived channels",
                                        .bindings = is_fragment ? image : buffers,
                                        .binding_count = is_fragment ? 1 : 2,
                                        .push_bytes = sizeof(struct push),
                                        .in_pieces = true};

    if (is_fragment) {
        params.fragment = (struct shw_shader){shader->words, *shader->size};
        params.attachments = attachments;
        params.load = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
        params.attachment_count = code->channel_count / code->pass_count;
    } else {
        params.compute = (struct shw_shader){shader->words, *shader->size};
    }
    return shw_program_create(device, &params, program);
}

static enum shw_result create_step(struct shw_device *device, const struct derived *derived,
                                   const struct shw_derived_step *planned, struct step *step)
{
    uint32_t per_pass = planned->code->channel_count / planned->code->pass_count, layers[SHW_DERIVED_CHANNELS_MAX];

    SHW_PROPAGATE(create_program(device, derived->is_fragment, planned->code, &step->program));
    SHW_PROPAGATE(shw_sets_create(device, &step->program, derived->slots, &step->sets));
    for (uint32_t slot = 0; slot < derived->slots; slot++) {
        struct shw_resource resources[2] = {{.view = derived->filtered[slot].image.view}};
        if (!derived->is_fragment) {
            resources[0] = (struct shw_resource){.buffer = derived->filtered[slot].buffer.handle};
            resources[1] = (struct shw_resource){.buffer = derived->outputs[slot].buffer.handle};
        }
        shw_set_write(device, &step->program, step->sets.handles[slot], resources);
    }
    for (uint32_t c = 0; c < planned->code->channel_count; c++)
        layers[c] = planned->entry.first + c;
    for (uint32_t pass = 0; pass < planned->code->pass_count && derived->is_fragment; pass++)
        SHW_PROPAGATE(shw_targets_create(device, &step->program, derived->outputs, derived->slots,
                                         layers + pass * per_pass, &step->targets[pass]));
    return SHW_OK;
}

static enum shw_result create(struct shw_device *device, void *instance)
{
    struct derived *derived = instance;

    shw_planes_share(derived->filtered, derived->slots, derived->sets);
    SHW_PROPAGATE(derived->bank_maker->create(device, derived->bank));
    for (uint32_t s = 0; s < derived->plan.step_count; s++)
        SHW_PROPAGATE(create_step(device, derived, &derived->plan.steps[s], &derived->steps[s]));
    return SHW_OK;
}

static void bind(void *instance, struct shw_device *device, uint32_t slot, const VkImageView *views)
{
    struct derived *derived = instance;

    derived->bank_maker->bind(derived->bank, device, slot, views);
}

/* The bank's phases are one later, since its planes are read after them. */
static void prepare(void *instance, struct shw_recording *recording, uint32_t slot, int phase)
{
    struct derived *derived = instance;
    const struct shw_planes *filtered = &derived->filtered[slot];

    if (phase < LAST_PHASE)
        derived->bank_maker->prepare(derived->bank, recording, slot, phase + 1);
    if (phase == LAST_PHASE - 1 && derived->is_fragment)
        shw_recording_image_barrier(recording, filtered->image.handle, shw_use_discarded, shw_use_attachment);
    else if (phase == LAST_PHASE && derived->is_fragment)
        shw_recording_image_barrier(recording, filtered->image.handle, shw_use_attachment, shw_use_fragment_sampled);
    else if (phase == LAST_PHASE)
        shw_recording_buffer_barrier(recording, filtered->buffer.handle, shw_use_compute_write, shw_use_compute_read);
}

static void record_step(const struct derived *derived, uint32_t index, struct shw_recording *recording, uint32_t slot,
                        const struct shw_region *region)
{
    const struct shw_derived_step *planned = &derived->plan.steps[index];
    const struct step *step = &derived->steps[index];
    const struct shw_planes *output = &derived->outputs[slot];
    uint32_t per_pass = planned->code->channel_count / planned->code->pass_count;

    for (uint32_t pass = 0; pass < planned->code->pass_count; pass++) {
        struct push push = {.last = {(int32_t)region->width - 1, (int32_t)region->height - 1},
                            .parameter = planned->entry.parameter,
                            .pass = pass,
                            .first_plane = planned->entry.first + pass * per_pass,
                            .row_words = output->stride / 2,
                            .plane_words = output->stride / 2 * output->height};
        for (uint32_t i = 0; i < SHW_DERIVED_INPUTS; i++)
            push.inputs[i] = planned->inputs[i];
        if (derived->is_fragment)
            shw_recording_draw(recording, &step->program, step->sets.handles[slot], &push,
                               step->targets[pass][slot].framebuffer, region->width, region->height,
                               WORK * region->width);
        else
            shw_recording_dispatch(recording, &step->program, step->sets.handles[slot], &push,
                                   (region->width + 63) / 64, (region->height + 3) / 4, 1, 4 * WORK * region->width);
    }
}

static void record(void *instance, struct shw_recording *recording, uint32_t slot, int phase,
                   const struct shw_channel_source *sources, const struct shw_region *region)
{
    struct derived *derived = instance;

    /* Rows are as long as those of the outputs, which may change from image to image. */
    derived->filtered[slot].stride = derived->outputs[slot].stride;
    derived->filtered[slot].height = derived->outputs[slot].height;
    if (phase < LAST_PHASE)
        derived->bank_maker->record(derived->bank, recording, slot, phase + 1, sources, region);
    for (uint32_t s = 0; s < derived->plan.step_count && phase == LAST_PHASE; s++)
        record_step(derived, s, recording, slot, region);
}

const struct shw_channel_device_maker shw_derived_device = {.first_phase = SHW_CHANNEL_PHASES - 4,
                                                            .add = add,
                                                            .create = create,
                                                            .destroy = destroy,
                                                            .bind = bind,
                                                            .prepare = prepare,
                                                            .record = record};
