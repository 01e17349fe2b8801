#include <stdlib.h>

#include "base/log.h"
#include "dense/feature/feature_code.h"
#include "dense/traverse/evaluate_stage.h"
#include "vulkan/commands.h"

SHW_SHADER_DECLARE(evaluate_distribution_frag);
SHW_SHADER_DECLARE(evaluate_argmax_frag);

#define TREE_WORK 8u /* per pixel: the cost of walking a tree, in units of adding a leaf's values for eight classes */

/* The passes of one tile, in order: groups of four trees, remaining trees, groups of four classes, argmax. */
struct passes {
    uint32_t tree_groups, first_single, single_trees, class_groups, argmax;
};

static struct passes count_passes(const struct shw_evaluate_stage *stage, uint32_t trees, uint32_t classes)
{
    bool distribution = (stage->outputs & SHW_OUTPUT_DISTRIBUTION) != 0;

    return (struct passes){.tree_groups = trees / SHW_EVALUATE_GROUP,
                           .first_single = trees - trees % SHW_EVALUATE_GROUP,
                           .single_trees = trees % SHW_EVALUATE_GROUP,
                           .class_groups = distribution ? (classes + SHW_EVALUATE_GROUP - 1) / SHW_EVALUATE_GROUP : 0,
                           .argmax = (stage->outputs & SHW_OUTPUT_ARGMAX) != 0};
}

/* The passes that framebuffers are made for. If forests can be replaced, any tree may be a remaining one. */
static struct passes room_passes(const struct shw_evaluate_stage *stage)
{
    struct passes passes = count_passes(stage, stage->room_trees, stage->room_classes);

    if (stage->has_room) {
        passes.first_single = 0;
        passes.single_trees = stage->room_trees;
    }
    return passes;
}

/* `number` is the index of the program's descriptor sets in stage->sets, which are made with the first program that
 * uses them; binding 1 reads integrals or leaves. */
static enum shw_result create_program(struct shw_evaluate_stage *stage, const char *name, struct shw_shader shader,
                                      uint32_t input_binding, VkFormat format, uint32_t attachments, int number,
                                      bool as_ferns, struct shw_program *program)
{
    const struct shw_binding bindings[2] = {{SHW_EVALUATE_FOREST, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE},
                                            {input_binding, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE}};
    const VkBool32 is_ferns = as_ferns;
    const VkSpecializationMapEntry entry = {0, 0, sizeof is_ferns};
    const VkSpecializationInfo specialization = {1, &entry, sizeof is_ferns, &is_ferns};
    const VkFormat formats[SHW_EVALUATE_GROUP] = {format, format, format, format};
    struct shw_program_params params = {.name = name,
                                        .fragment = shader,
                                        .bindings = bindings,
                                        .binding_count = 2,
                                        .push_bytes = sizeof(struct shw_evaluate_push),
                                        .specialization = &specialization,
                                        .attachment_count = attachments,
                                        .attachments = formats,
                                        .load = VK_ATTACHMENT_LOAD_OP_DONT_CARE};

    SHW_PROPAGATE(shw_program_create(stage->device, &params, program));
    if (stage->sets[number].handles != NULL)
        return SHW_OK;
    SHW_PROPAGATE(shw_sets_create(stage->device, program, stage->slots, &stage->sets[number]));
    for (uint32_t s = 0; s < stage->slots; s++) {
        const struct shw_planes *input =
            input_binding == SHW_EVALUATE_INTEGRALS ? &stage->integrals[s] : &stage->slot[s].leaves;
        const struct shw_resource resources[2] = {{.view = shw_evaluate_stage_table(stage, s)->image.view},
                                                  {.view = input->image.view}};
        shw_set_write(stage->device, program, stage->sets[number].handles[s], resources);
    }
    return SHW_OK;
}

static enum shw_result create_leaf_programs(struct shw_evaluate_stage *stage, struct passes passes, bool as_ferns)
{
    const struct shw_feature_type *feature = shw_forest_get_info(stage->forest)->feature;
    struct shw_program *programs = stage->leaves + (as_ferns ? 2 : 0);
    static const enum shw_feature_role roles[2] = {SHW_ROLE_EVALUATE_LEAVES1, SHW_ROLE_EVALUATE_LEAVES4};
    const uint32_t first = passes.single_trees > 0 ? 0 : 1, count = (passes.tree_groups > 0 ? 2 : 1) - first;
    struct shw_shader shaders[2];

    SHW_PROPAGATE(shw_feature_shaders(feature, count, roles + first, &stage->device->log, shaders + first));
    if (passes.single_trees > 0)
        SHW_PROPAGATE(create_program(stage, "evaluate leaves", shaders[0], SHW_EVALUATE_INTEGRALS, VK_FORMAT_R32_UINT,
                                     1, 0, as_ferns, &programs[0]));
    if (passes.tree_groups > 0)
        SHW_PROPAGATE(create_program(stage, "evaluate leaves of four", shaders[1], SHW_EVALUATE_INTEGRALS,
                                     VK_FORMAT_R32_UINT, SHW_EVALUATE_GROUP, 1, as_ferns, &programs[1]));
    return SHW_OK;
}

static enum shw_result create_programs(struct shw_evaluate_stage *stage, struct passes passes)
{
    if (stage->has_room || !stage->as_ferns)
        SHW_PROPAGATE(create_leaf_programs(stage, passes, false));
    if (stage->has_room || stage->as_ferns)
        SHW_PROPAGATE(create_leaf_programs(stage, passes, true));
    if (passes.class_groups > 0)
        SHW_PROPAGATE(create_program(stage, "evaluate distribution", SHW_SHADER(evaluate_distribution_frag),
                                     SHW_EVALUATE_LEAVES, VK_FORMAT_R16_UINT, SHW_EVALUATE_GROUP, 2, false,
                                     &stage->distribution));
    if (passes.argmax > 0)
        SHW_PROPAGATE(create_program(stage, "evaluate argmax", SHW_SHADER(evaluate_argmax_frag), SHW_EVALUATE_LEAVES,
                                     VK_FORMAT_R16_UINT, 1, 3, false, &stage->argmax));
    return SHW_OK;
}

/* Those of the forest: for one tree and for a group. */
static const struct shw_program *leaves_of(const struct shw_evaluate_stage *stage)
{
    return stage->leaves + (stage->as_ferns ? 2 : 0);
}

/* Creates a framebuffer of layers first..first+count-1 of `planes`. */
static enum shw_result add_framebuffer(struct shw_evaluate_stage *stage, const struct shw_program *program,
                                       const struct shw_planes *planes, uint32_t first, uint32_t count,
                                       VkFramebuffer *framebuffer)
{
    VkImageView *views = stage->views + stage->view_count;

    for (uint32_t i = 0; i < count; i++) {
        SHW_PROPAGATE(
            shw_image_view_create(stage->device, planes->image.handle, planes->format, first + i, 1, false, &views[i]));
        stage->view_count++;
    }
    return shw_framebuffer_create(stage->device, program, views, planes->width, planes->height, framebuffer);
}

static enum shw_result create_framebuffers(struct shw_evaluate_stage *stage, struct passes passes, uint32_t slot)
{
    const struct shw_evaluate_slot *planes = &stage->slot[slot];
    const struct shw_program *leaves = leaves_of(stage);
    VkFramebuffer *next = stage->framebuffers + (size_t)slot * stage->framebuffers_per_slot;

    for (uint32_t g = 0; g < passes.tree_groups; g++)
        SHW_PROPAGATE(
            add_framebuffer(stage, &leaves[1], &planes->leaves, g * SHW_EVALUATE_GROUP, SHW_EVALUATE_GROUP, next++));
    for (uint32_t t = 0; t < passes.single_trees; t++)
        SHW_PROPAGATE(add_framebuffer(stage, &leaves[0], &planes->leaves, passes.first_single + t, 1, next++));
    for (uint32_t g = 0; g < passes.class_groups; g++)
        SHW_PROPAGATE(add_framebuffer(stage, &stage->distribution, &planes->distribution, g * SHW_EVALUATE_GROUP,
                                      SHW_EVALUATE_GROUP, next++));
    if (passes.argmax > 0)
        SHW_PROPAGATE(add_framebuffer(stage, &stage->argmax, &planes->argmax, 0, 1, next++));
    return SHW_OK;
}

static enum shw_result create(struct shw_evaluate_stage *stage)
{
    struct passes passes = room_passes(stage);
    uint32_t views =
        (passes.tree_groups + passes.class_groups) * SHW_EVALUATE_GROUP + passes.single_trees + passes.argmax;

    SHW_PROPAGATE(create_programs(stage, passes));
    stage->framebuffers_per_slot = passes.tree_groups + passes.single_trees + passes.class_groups + passes.argmax;
    stage->framebuffers = calloc((size_t)stage->framebuffers_per_slot * stage->slots, sizeof *stage->framebuffers);
    stage->views = calloc((size_t)views * stage->slots, sizeof *stage->views);
    if (stage->framebuffers == NULL || stage->views == NULL)
        return shw_fail_memory(&stage->device->log, "framebuffers");
    for (uint32_t s = 0; s < stage->slots; s++)
        SHW_PROPAGATE(create_framebuffers(stage, passes, s));
    return SHW_OK;
}

/* Draws `count` passes of one program; their tree or class numbers begin at `first` and increase by `step`. */
static void draw_passes(struct shw_recording *recording, const struct shw_program *program, VkDescriptorSet set,
                        struct shw_evaluate_push push, uint32_t count, uint32_t step, uint32_t work,
                        const VkFramebuffer *framebuffers)
{
    for (uint32_t i = 0; i < count; i++, push.first += step)
        shw_recording_draw(recording, program, set, &push, framebuffers[i], push.tile_width, push.tile_height,
                           (uint64_t)work * push.tile_width);
}

static VkDescriptorSet set_of(const struct shw_evaluate_stage *stage, int number, uint32_t slot)
{
    return stage->sets[number].handles != NULL ? stage->sets[number].handles[slot] : VK_NULL_HANDLE;
}

static void record(struct shw_evaluate_stage *stage, struct shw_recording *recording, uint32_t slot,
                   const struct shw_tile *tile)
{
    const struct shw_evaluate_slot *planes = &stage->slot[slot];
    const struct shw_program *leaves = leaves_of(stage);
    struct passes passes = count_passes(stage, stage->trees, stage->classes), room = room_passes(stage);
    struct shw_evaluate_push push = shw_evaluate_push_of(stage, slot, tile);
    const VkFramebuffer *groups = stage->framebuffers + (size_t)slot * stage->framebuffers_per_slot;
    const VkFramebuffer *singles = groups + room.tree_groups, *class_groups = singles + room.single_trees;

    shw_recording_image_barrier(recording, planes->leaves.image.handle, shw_use_discarded, shw_use_attachment);
    draw_passes(recording, &leaves[1], set_of(stage, 1, slot), push, passes.tree_groups, SHW_EVALUATE_GROUP,
                TREE_WORK * SHW_EVALUATE_GROUP, groups);
    push.first = passes.first_single;
    draw_passes(recording, &leaves[0], set_of(stage, 0, slot), push, passes.single_trees, 1, TREE_WORK,
                singles + passes.first_single - room.first_single);
    push.first = 0;
    if (passes.class_groups + passes.argmax == 0) {
        shw_recording_image_barrier(recording, planes->leaves.image.handle, shw_use_attachment, shw_use_copy_source);
        return;
    }
    shw_recording_image_barrier(recording, planes->leaves.image.handle, shw_use_attachment, shw_use_fragment_sampled);
    if (passes.class_groups > 0) {
        shw_recording_image_barrier(recording, planes->distribution.image.handle, shw_use_discarded,
                                    shw_use_attachment);
        draw_passes(recording, &stage->distribution, set_of(stage, 2, slot), push, passes.class_groups,
                    SHW_EVALUATE_GROUP, stage->trees, class_groups);
        shw_recording_image_barrier(recording, planes->distribution.image.handle, shw_use_attachment,
                                    shw_use_copy_source);
    }
    if (passes.argmax > 0) {
        shw_recording_image_barrier(recording, planes->argmax.image.handle, shw_use_discarded, shw_use_attachment);
        draw_passes(recording, &stage->argmax, set_of(stage, 3, slot), push, 1, 0,
                    (stage->classes + 7) / 8 * stage->trees, class_groups + room.class_groups);
        shw_recording_image_barrier(recording, planes->argmax.image.handle, shw_use_attachment, shw_use_copy_source);
    }
    shw_recording_image_barrier(recording, planes->leaves.image.handle, shw_use_fragment_sampled, shw_use_copy_source);
}

static struct shw_evaluate_variant variant = {.form = SHW_PLANES_IMAGE, .create = create, .record = record};

const struct shw_stage_technique shw_evaluate_fragment_technique =
    SHW_EVALUATE_TECHNIQUE("fragment", SHW_PLANES_IMAGE, &variant);
