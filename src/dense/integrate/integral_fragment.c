/* Integral images by recursive doubling in render passes (Sharp 2008, 2.4); a pass does two doublings of up to four
 * planes. */
#include <stdlib.h>

#include "dense/integrate/integral.h"
#include "dense/stage/passes.h"
#include "vulkan/planes.h"

#define DECLARE(outputs)                                                                                               \
    SHW_SHADER_DECLARE(integral_first_##outputs##_frag);                                                               \
    SHW_SHADER_DECLARE(integral_next_##outputs##_frag)
DECLARE(1);
DECLARE(2);
DECLARE(3);
DECLARE(4);

#define PASS_OUTPUTS_MAX 4u

/* As in shaders/dense/integrate/integral.frag. */
struct push {
    int32_t step[2];
    int32_t first_plane;
};

enum { FIRST, NEXT, KINDS }; /* programs: reading channels, reading the previous pass */

enum { CHANNELS, OUTPUT, SCRATCH, SOURCES }; /* what a pass may read; it writes OUTPUT or SCRATCH */

struct integral {
    const struct shw_planes *inputs, *outputs;
    uint32_t slots, scratch_sets, group_count;            /* groups of up to four planes */
    struct shw_planes *scratch;                           /* one per slot */
    struct shw_program programs[KINDS][PASS_OUTPUTS_MAX]; /* [attachment count - 1]; only those in use */
    struct shw_sets sets[SOURCES];                        /* one per slot */
    struct shw_target *targets[SOURCES];                  /* of OUTPUT and SCRATCH: [slot * group_count + group] */
};

static uint32_t group_size(const struct integral *fragment, uint32_t group)
{
    uint32_t rest = fragment->inputs->count - group * PASS_OUTPUTS_MAX;

    return rest < PASS_OUTPUTS_MAX ? rest : PASS_OUTPUTS_MAX;
}

static enum shw_result create_programs(struct shw_device *device, struct integral *fragment)
{
    static const VkFormat formats[] = {VK_FORMAT_R32_UINT, VK_FORMAT_R32_UINT, VK_FORMAT_R32_UINT, VK_FORMAT_R32_UINT};
    static const struct shw_binding binding = {0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE};
    const struct shw_shader shaders[KINDS][PASS_OUTPUTS_MAX] = {
        {SHW_SHADER(integral_first_1_frag), SHW_SHADER(integral_first_2_frag), SHW_SHADER(integral_first_3_frag),
         SHW_SHADER(integral_first_4_frag)},
        {SHW_SHADER(integral_next_1_frag), SHW_SHADER(integral_next_2_frag), SHW_SHADER(integral_next_3_frag),
         SHW_SHADER(integral_next_4_frag)}};
    struct shw_program_params params = {.name = "integral",
                                        .bindings = &binding,
                                        .binding_count = 1,
                                        .push_bytes = sizeof(struct push),
                                        .attachments = formats,
                                        .load = VK_ATTACHMENT_LOAD_OP_DONT_CARE};

    for (uint32_t group = 0; group < fragment->group_count; group++) {
        uint32_t size = group_size(fragment, group);
        if (fragment->programs[FIRST][size - 1].pipeline != VK_NULL_HANDLE)
            continue;
        params.attachment_count = size;
        for (uint32_t kind = 0; kind < KINDS; kind++) {
            params.fragment = shaders[kind][size - 1];
            SHW_PROPAGATE(shw_program_create(device, &params, &fragment->programs[kind][size - 1]));
        }
    }
    return SHW_OK;
}

static const struct shw_planes *source_planes(const struct integral *fragment, uint32_t source, uint32_t slot)
{
    const struct shw_planes *const planes[SOURCES] = {fragment->inputs, fragment->outputs, fragment->scratch};

    return &planes[source][slot];
}

static enum shw_result create_sets(struct shw_device *device, struct integral *fragment, uint32_t source)
{
    const struct shw_program *program = &fragment->programs[FIRST][group_size(fragment, 0) - 1];

    SHW_PROPAGATE(shw_sets_create(device, program, fragment->slots, &fragment->sets[source]));
    for (uint32_t slot = 0; slot < fragment->slots; slot++) {
        const struct shw_resource resource = {.view = source_planes(fragment, source, slot)->image.view};
        shw_set_write(device, program, fragment->sets[source].handles[slot], &resource);
    }
    return SHW_OK;
}

static enum shw_result create_targets(struct shw_device *device, struct integral *fragment, uint32_t source)
{
    uint32_t groups = fragment->group_count;

    fragment->targets[source] = calloc((size_t)fragment->slots * groups, sizeof *fragment->targets[source]);
    if (fragment->targets[source] == NULL)
        return shw_fail_memory(&device->log, "the integrate stage");
    for (uint32_t slot = 0; slot < fragment->slots; slot++)
        for (uint32_t group = 0; group < groups; group++) {
            uint32_t first = group * PASS_OUTPUTS_MAX;
            const uint32_t layers[] = {first, first + 1, first + 2, first + 3};
            SHW_PROPAGATE(shw_target_create(device, &fragment->programs[FIRST][group_size(fragment, group) - 1],
                                            &source_planes(fragment, source, slot)->image, layers,
                                            &fragment->targets[source][slot * groups + group]));
        }
    return SHW_OK;
}

static void destroy(struct shw_device *device, void *passes)
{
    struct integral *fragment = passes;

    if (fragment == NULL)
        return;
    for (uint32_t source = 0; source < SOURCES; source++) {
        for (uint32_t i = 0; fragment->targets[source] != NULL && i < fragment->slots * fragment->group_count; i++)
            shw_target_destroy(device, &fragment->targets[source][i]);
        shw_sets_destroy(device, &fragment->sets[source]);
        free(fragment->targets[source]);
    }
    for (uint32_t kind = 0; kind < KINDS; kind++)
        for (uint32_t i = 0; i < PASS_OUTPUTS_MAX; i++)
            shw_program_destroy(device, &fragment->programs[kind][i]);
    free(fragment->scratch);
    free(fragment);
}

static enum shw_result add(struct shw_arena *arena, const struct shw_stage_create *params, enum shw_planes_form form,
                           const struct shw_planes *inputs, const struct shw_planes *outputs, void **passes)
{
    struct integral *fragment = calloc(1, sizeof *fragment);

    *passes = fragment;
    if (fragment == NULL)
        return shw_fail_memory(&arena->device->log, "the integrate stage");
    fragment->inputs = inputs;
    fragment->outputs = outputs;
    fragment->slots = params->slots;
    fragment->scratch_sets = params->scratch_sets;
    fragment->group_count = (inputs->count + PASS_OUTPUTS_MAX - 1) / PASS_OUTPUTS_MAX;
    fragment->scratch = calloc(fragment->slots, sizeof *fragment->scratch);
    if (fragment->scratch == NULL)
        return shw_fail_memory(&arena->device->log, "the integrate stage");
    return shw_planes_add_scratch(arena, VK_FORMAT_R32_UINT, outputs->width, outputs->height, inputs->count, form,
                                  "partial sums", fragment->scratch_sets, fragment->scratch);
}

static enum shw_result create(struct shw_device *device, void *passes)
{
    struct integral *fragment = passes;

    shw_planes_share(fragment->scratch, fragment->slots, fragment->scratch_sets);
    SHW_PROPAGATE(create_programs(device, fragment));
    for (uint32_t source = 0; source < SOURCES; source++) {
        SHW_PROPAGATE(create_sets(device, fragment, source));
        if (source != CHANNELS)
            SHW_PROPAGATE(create_targets(device, fragment, source));
    }
    return SHW_OK;
}

/* The number of passes in one direction over `size` pixels: their steps are 1, 4, 16, ... */
static uint32_t pass_count(uint32_t size)
{
    uint32_t count = 0;

    for (uint64_t span = 1; span < size; span *= 4)
        count++;
    return count;
}

static void record(void *instance, struct shw_recording *recording, uint32_t slot, const struct shw_stage_frame *frame)
{
    const struct integral *fragment = instance;
    uint32_t width = frame->width, height = frame->height;
    /* The first pass is needed to read the channels even if the image is one column wide. */
    uint32_t row_passes = width > 1 ? pass_count(width) : 1, passes = row_passes + pass_count(height);
    uint32_t source = CHANNELS;

    for (uint32_t pass = 0; pass < passes; pass++) {
        uint32_t target = (passes - pass) % 2 == 1 ? OUTPUT : SCRATCH; /* so that the last pass writes the output */
        bool is_column = pass >= row_passes;
        struct push push = {0};

        push.step[is_column] = 1 << 2 * (is_column ? pass - row_passes : pass);
        shw_recording_image_barrier(recording, source_planes(fragment, target, slot)->image.handle, shw_use_discarded,
                                    shw_use_attachment);
        for (uint32_t group = 0; group < fragment->group_count; group++) {
            push.first_plane = (int32_t)(group * PASS_OUTPUTS_MAX);
            shw_recording_draw(recording,
                               &fragment->programs[pass == 0 ? FIRST : NEXT][group_size(fragment, group) - 1],
                               fragment->sets[source].handles[slot], &push,
                               fragment->targets[target][slot * fragment->group_count + group].framebuffer, width + 1,
                               height + 1, (uint64_t)group_size(fragment, group) * width);
        }
        if (pass + 1 < passes)
            shw_recording_image_barrier(recording, source_planes(fragment, target, slot)->image.handle,
                                        shw_use_attachment, shw_use_fragment_sampled);
        source = target;
    }
}

static struct shw_passes passes = {.reads = SHW_CHANNELS,
                                   .makes = SHW_INTEGRALS,
                                   .form = SHW_PLANES_IMAGE,
                                   .add = add,
                                   .create = create,
                                   .destroy = destroy,
                                   .record = record};

const struct shw_stage_technique shw_integral_fragment_technique =
    SHW_PASSES_TECHNIQUE(SHW_STAGE_INTEGRATE, "fragment", SHW_PLANES_IMAGE, &passes);
