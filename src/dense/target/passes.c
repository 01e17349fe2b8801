#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "dense/target/target.h"
#include "shared/target.h"
#include "vulkan/formats.h"

SHW_SHADER_DECLARE(target_comp);
SHW_SHADER_DECLARE(target_frag);
SHW_SHADER_DECLARE(target_overlay_comp);
SHW_SHADER_DECLARE(target_overlay_frag);
SHW_SHADER_DECLARE(target_overlay_uint_comp);
SHW_SHADER_DECLARE(target_overlay_uint_frag);

#define WORK         4u /* per texel, in units of a filter tap */
#define VIEWS        2u /* of a colour image: of normalised values or floats, and of integers */
#define BINDINGS_MAX 5u

/* A target that is converted. */
struct making {
    const struct shw_target_storing *storing; /* NULL: it is not */
    uint32_t layers;
    struct shw_planes *planes; /* one per slot */
    struct shw_program programs[VIEWS];
    struct shw_sets sets;        /* one per slot */
    struct shw_target **targets; /* of fragments: for each layer, one per slot */
    struct shw_buffer *colours;  /* of overlays: one per slot */
};

struct shw_target_passes {
    struct shw_device *device;
    struct shw_target_params params;
    struct making making[SHW_TARGETS];
};

static bool is_fragment(const struct shw_target_passes *passes)
{
    return passes->params.form == SHW_PLANES_IMAGE;
}

static bool is_overlay(uint32_t target)
{
    return shw_target_get(target)->made_from == SHW_MAKE_OVERLAY;
}

/* The results that a target is made from, one per slot. */
static const struct shw_planes *results_of(const struct shw_target_passes *passes, uint32_t target)
{
    const char *name = shw_target_get(target)->results;

    if (strcmp(name, SHW_LEAVES) == 0)
        return passes->params.leaves;
    return strcmp(name, SHW_ARGMAX) == 0 ? passes->params.argmax : passes->params.distribution;
}

/* Of overlays; without distributions, something that is not read. */
static const struct shw_planes *probabilities_of(const struct shw_target_passes *passes)
{
    return passes->params.distribution != NULL ? passes->params.distribution : passes->params.argmax;
}

/* Memory. */

static enum shw_result add_making(struct shw_arena *arena, struct shw_target_passes *passes, uint32_t target)
{
    const struct shw_target_params *params = &passes->params;
    struct making *making = &passes->making[target];
    struct shw_span span = {params->step, params->step, 0};

    if (params->keeps_planes)
        span = shw_span_always;
    making->planes = calloc(params->slots, sizeof *making->planes);
    making->colours = calloc(params->slots, sizeof *making->colours);
    if (making->planes == NULL || making->colours == NULL)
        return shw_fail_memory(&arena->device->log, "targets");
    for (span.set = 0; span.set < params->sets; span.set++)
        SHW_PROPAGATE(shw_planes_add(arena, span, span, making->storing->planes, params->width, params->height,
                                     making->layers, params->form, shw_target_get(target)->name,
                                     &making->planes[span.set]));
    shw_planes_share(making->planes, params->slots, params->sets);
    for (uint32_t slot = 0; slot < params->slots && is_overlay(target); slot++)
        SHW_PROPAGATE(shw_arena_add_buffer(arena, shw_span_always, sizeof(uint32_t) * params->classes,
                                           VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, SHW_MEMORY_TABLE, "colours of classes",
                                           &making->colours[slot]));
    return SHW_OK;
}

enum shw_result shw_target_passes_add(struct shw_arena *arena, const struct shw_target_params *params,
                                      struct shw_target_passes **out)
{
    struct shw_target_passes *passes = calloc(1, sizeof *passes);
    enum shw_result result;

    if (passes == NULL)
        return shw_fail_memory(&arena->device->log, "targets");
    passes->device = arena->device;
    passes->params = *params;
    for (uint32_t t = 0; t < SHW_TARGETS; t++) {
        const VkFormat format = shw_target_format_of(&params->formats, t);
        if (!shw_target_is_made(&params->formats, t, format))
            continue;
        passes->making[t].storing = shw_target_storing_of(t, format);
        passes->making[t].layers = shw_target_layers_of(t, params->trees, params->classes);
        SHW_TRY(add_making(arena, passes, t));
    }
    *out = passes;
    return SHW_OK;

fail:
    shw_target_passes_destroy(&passes);
    return result;
}

/* Programs, sets and framebuffers. */

static uint32_t list_bindings(const struct shw_target_passes *passes, uint32_t target,
                              struct shw_binding bindings[BINDINGS_MAX])
{
    const VkDescriptorType results =
        is_fragment(passes) ? VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    uint32_t count = 0;

    bindings[count++] = (struct shw_binding){SHW_MAKE_RESULTS, results};
    if (is_overlay(target)) {
        bindings[count++] = (struct shw_binding){SHW_MAKE_PROBABILITIES, results};
        bindings[count++] = (struct shw_binding){SHW_MAKE_COLOURS, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
        bindings[count++] = (struct shw_binding){SHW_MAKE_SOURCE, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE};
    }
    if (!is_fragment(passes))
        bindings[count++] = (struct shw_binding){SHW_MAKE_TEXELS, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    return count;
}

/* `view` is the colour image's. */
static void write_set(const struct shw_target_passes *passes, uint32_t target, uint32_t slot, VkImageView view)
{
    const struct making *making = &passes->making[target];
    const struct shw_planes *results = &results_of(passes, target)[slot];
    struct shw_resource resources[BINDINGS_MAX];
    uint32_t count = 0;

    resources[count++] = (struct shw_resource){.view = results->image.view, .buffer = results->buffer.handle};
    if (is_overlay(target)) {
        const struct shw_planes *probabilities = &probabilities_of(passes)[slot];
        resources[count++] =
            (struct shw_resource){.view = probabilities->image.view, .buffer = probabilities->buffer.handle};
        resources[count++] = (struct shw_resource){.buffer = making->colours[slot].handle};
        resources[count++] = (struct shw_resource){.view = view};
    }
    if (!is_fragment(passes))
        resources[count++] = (struct shw_resource){.buffer = making->planes[slot].buffer.handle};
    shw_set_write(passes->device, &making->programs[0], making->sets.handles[slot], resources);
}

static enum shw_result create_programs(struct shw_target_passes *passes, uint32_t target)
{
    const struct shw_shader plain[2] = {SHW_SHADER(target_comp), SHW_SHADER(target_frag)};
    const struct shw_shader overlay[VIEWS][2] = {
        {SHW_SHADER(target_overlay_comp), SHW_SHADER(target_overlay_frag)},
        {SHW_SHADER(target_overlay_uint_comp), SHW_SHADER(target_overlay_uint_frag)}};
    struct making *making = &passes->making[target];
    struct shw_binding bindings[BINDINGS_MAX];
    struct shw_program_params params = {.name = shw_target_get(target)->name,
                                        .bindings = bindings,
                                        .binding_count = list_bindings(passes, target, bindings),
                                        .push_bytes = sizeof(struct shw_target_push),
                                        .in_pieces = true};

    for (uint32_t v = 0; v < (is_overlay(target) ? VIEWS : 1); v++) {
        const struct shw_shader shader = (is_overlay(target) ? overlay[v] : plain)[is_fragment(passes)];
        if (is_fragment(passes)) {
            params.fragment = shader;
            params.attachments = &making->storing->planes;
            params.attachment_count = 1;
            params.load = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
        } else {
            params.compute = shader;
        }
        SHW_PROPAGATE(shw_program_create(passes->device, &params, &making->programs[v]));
    }
    return SHW_OK;
}

static enum shw_result create_making(struct shw_target_passes *passes, uint32_t target)
{
    struct making *making = &passes->making[target];

    shw_planes_share(making->planes, passes->params.slots, passes->params.sets);
    SHW_PROPAGATE(create_programs(passes, target));
    SHW_PROPAGATE(shw_sets_create(passes->device, &making->programs[0], passes->params.slots, &making->sets));
    for (uint32_t slot = 0; slot < passes->params.slots && !is_overlay(target); slot++)
        write_set(passes, target, slot, VK_NULL_HANDLE);
    if (!is_fragment(passes))
        return SHW_OK;
    making->targets = calloc(making->layers, sizeof *making->targets);
    if (making->targets == NULL)
        return shw_fail_memory(&passes->device->log, "targets");
    for (uint32_t layer = 0; layer < making->layers; layer++)
        SHW_PROPAGATE(shw_targets_create(passes->device, &making->programs[0], making->planes, passes->params.slots,
                                         &layer, &making->targets[layer]));
    return SHW_OK;
}

enum shw_result shw_target_passes_create(struct shw_target_passes *passes)
{
    for (uint32_t t = 0; t < SHW_TARGETS; t++)
        if (passes->making[t].storing != NULL)
            SHW_PROPAGATE(create_making(passes, t));
    return SHW_OK;
}

void shw_target_passes_destroy(struct shw_target_passes **handle)
{
    struct shw_target_passes *passes = *handle;

    if (passes == NULL)
        return;
    for (uint32_t t = 0; t < SHW_TARGETS; t++) {
        struct making *making = &passes->making[t];
        for (uint32_t layer = 0; making->targets != NULL && layer < making->layers; layer++)
            shw_targets_destroy(passes->device, passes->params.slots, &making->targets[layer]);
        free(making->targets);
        shw_sets_destroy(passes->device, &making->sets);
        for (uint32_t v = 0; v < VIEWS; v++)
            shw_program_destroy(passes->device, &making->programs[v]);
        free(making->planes);
        free(making->colours);
    }
    free(passes);
    *handle = NULL;
}

/* Recording. */

static void write_colours(const struct making *making, uint32_t slot, const struct shw_target_job *job)
{
    const struct shw_overlay_style style = shw_overlay_style_of(job->overlay);
    uint32_t *words = making->colours[slot].mapped;

    for (uint32_t c = 0; c < job->info->class_count; c++) {
        const struct shw_class_paint paint = shw_overlay_paint(&style, job->info, c);
        words[c] = paint.colour[0] | (uint32_t)paint.colour[1] << 8 | (uint32_t)paint.colour[2] << 16 |
                   (uint32_t)paint.opacity << 24;
    }
}

static void set_strides(const struct shw_planes *planes, shw_uint *row, shw_uint *plane)
{
    *row = planes->stride * planes->element / 4;
    *plane = *row * planes->height;
}

static struct shw_target_push push_of(const struct shw_target_passes *passes, uint32_t slot,
                                      const struct shw_target_job *job)
{
    const struct making *making = &passes->making[job->target];
    const struct shw_planes *results = &results_of(passes, job->target)[slot];
    struct shw_target_push push = {.width = (int32_t)job->width,
                                   .height = (int32_t)job->height,
                                   .x = (int32_t)job->x,
                                   .y = (int32_t)job->y,
                                   .made_from = shw_target_get(job->target)->made_from,
                                   .form = job->storing->codes,
                                   .is_swapped = job->storing->is_swapped,
                                   .count = job->info->class_count,
                                   .none = results->element == 4 ? SHW_LEAF_NONE : SHW_LABEL_VOID,
                                   .bits = 8 * results->element,
                                   .texel_bytes = making->planes[slot].element};

    set_strides(results, &push.row, &push.plane);
    set_strides(&making->planes[slot], &push.made_row, &push.made_plane);
    if (is_overlay(job->target)) {
        const struct shw_source_reading *reading = shw_source_reading_of(job->source->format);
        push.source_x = (int32_t)job->source_x;
        push.source_y = (int32_t)job->source_y;
        push.step = job->step;
        push.source = reading->code | (reading->format.grey ? 128u : 0);
        push.by_probability = job->overlay->by_probability;
        set_strides(&probabilities_of(passes)[slot], &push.probability_row, &push.probability_plane);
    }
    return push;
}

static void draw(const struct making *making, struct shw_recording *recording, uint32_t slot,
                 const struct shw_program *program, struct shw_target_push push, uint32_t layers)
{
    for (push.layer = 0; push.layer < layers; push.layer++)
        shw_recording_draw(recording, program, making->sets.handles[slot], &push,
                           making->targets[push.layer][slot].framebuffer, (uint32_t)push.width, (uint32_t)push.height,
                           (uint64_t)WORK * (uint32_t)push.width);
}

/* Results in images become readable by a fragment pass, or by copies again. */
static void show_results(const struct shw_target_passes *passes, struct shw_recording *recording, uint32_t slot,
                         uint32_t target, bool shown)
{
    const struct shw_planes *results = &results_of(passes, target)[slot];
    const struct shw_use before = shown ? shw_use_copy_source : shw_use_fragment_sampled;
    const struct shw_use after = shown ? shw_use_fragment_sampled : shw_use_copy_source;

    shw_recording_image_barrier(recording, results->image.handle, before, after);
    if (is_overlay(target) && &probabilities_of(passes)[slot] != results)
        shw_recording_image_barrier(recording, probabilities_of(passes)[slot].image.handle, before, after);
}

void shw_target_passes_record(struct shw_target_passes *passes, struct shw_recording *recording, uint32_t slot,
                              const struct shw_target_job *job)
{
    const struct making *making = &passes->making[job->target];
    const struct shw_planes *planes = &making->planes[slot];
    const uint32_t layers = shw_target_layers(job->target, job->info);
    const struct shw_target_push push = push_of(passes, slot, job);
    const struct shw_program *program = &making->programs[0];

    if (is_overlay(job->target)) {
        program = &making->programs[shw_source_reading_of(job->source->format)->is_uint];
        if (job->is_first && shw_recording_step(recording, 1)) {
            write_set(passes, job->target, slot, job->source->view);
            write_colours(making, slot, job);
        }
    }
    if (is_fragment(passes)) {
        show_results(passes, recording, slot, job->target, true);
        shw_recording_image_barrier(recording, planes->image.handle, shw_use_discarded, shw_use_attachment);
        draw(making, recording, slot, program, push, layers);
        shw_recording_image_barrier(recording, planes->image.handle, shw_use_attachment, shw_use_copy_source);
        show_results(passes, recording, slot, job->target, false);
    } else {
        shw_recording_dispatch(recording, program, making->sets.handles[slot], &push,
                               (job->width + 32 * SHW_TARGET_COLUMNS - 1) / (32 * SHW_TARGET_COLUMNS),
                               (job->height + 3) / 4, layers, (uint64_t)4 * WORK * job->width);
        shw_recording_buffer_barrier(recording, planes->buffer.handle, shw_use_compute_write, shw_use_copy_source);
    }
}

const struct shw_planes *shw_target_passes_made(const struct shw_target_passes *passes, uint32_t target, uint32_t slot)
{
    return &passes->making[target].planes[slot];
}
