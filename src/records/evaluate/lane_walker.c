/* Evaluation by groups of lanes: the techniques `speculative`, `speculative-mapped` and `windowed` (Spencer 2021,
 * Procedures 4 and 5 and section 6), which differ in their plan (records/evaluate/lane_plan.h). */
#include <stdlib.h>

#include "base/integers.h"
#include "base/log.h"
#include "records/evaluate/device.h"
#include "records/evaluate/lane_plan.h"

SHW_SHADER_DECLARE(record_ballot_comp);
SHW_SHADER_DECLARE(record_paths_subgroup_comp);
SHW_SHADER_DECLARE(record_paths_shared_comp);
SHW_SHADER_DECLARE(record_paths_shared_half_comp);

struct walker {
    struct shw_lane_plan plan;
    uint32_t width; /* BALLOT: entries of a tree */
    struct shw_program program;
};

static struct shw_lane_sizes find_sizes(const struct shw_record_forest_info *info)
{
    struct shw_lane_sizes sizes = {0};

    for (uint32_t t = 0; t < info->tree_count; t++) {
        sizes.nodes = shw_max_u32(sizes.nodes, info->trees[t].node_count);
        sizes.depth = shw_max_u32(sizes.depth, info->trees[t].depth);
    }
    return sizes;
}

/* Elements of a tree. */
static uint64_t count_elements(const struct walker *walker, const struct shw_record_tree *tree)
{
    if (walker->plan.form == SHW_LANES_BALLOT)
        return 1 + (walker->width > 32 ? 2 : 1) * (uint64_t)walker->width;
    return 1 + (uint64_t)shw_lane_entries(tree, walker->plan.order);
}

static enum shw_result place_trees(const struct shw_record_device *device, const struct walker *walker, uint32_t *first)
{
    uint64_t elements = 0;

    for (uint32_t t = 0; t < device->info->tree_count; t++) {
        first[t] = (uint32_t)elements;
        elements += count_elements(walker, &device->info->trees[device->order.trees[t]]);
        if (elements > UINT32_MAX)
            return shw_fail(&device->params->log, SHW_ERROR_LIMIT, SHW_LOG_REQUIREMENT,
                            "records: the forest has too many nodes for the technique %s: use compute",
                            shw_record_technique_name(device->params->technique));
    }
    first[device->info->tree_count] = (uint32_t)elements;
    return SHW_OK;
}

static enum shw_result fill_trees(const struct shw_record_device *device, const struct walker *walker,
                                  const uint32_t *first, shw_uint4 *elements)
{
    const struct shw_record_forest_info *info = device->info;

    for (uint32_t t = 0; t < info->tree_count; t++) {
        const struct shw_record_tree *tree = &info->trees[device->order.trees[t]];
        const struct shw_record_node *nodes = info->nodes + tree->first_node;
        shw_uint4 *at = elements + first[t];
        *at++ =
            (shw_uint4){.x = shw_lane_entries(tree, walker->plan.order), .y = tree->depth == 0 ? SHW_LANES_LEAF : 0};
        if (walker->plan.form == SHW_LANES_BALLOT)
            shw_lane_fill_ballot(tree, nodes, walker->width, at);
        else
            SHW_PROPAGATE(
                shw_lane_fill(tree, nodes, walker->plan.order, walker->plan.levels, &device->params->log, at));
    }
    return SHW_OK;
}

static enum shw_result create_tables(struct shw_record_device *device, struct walker *walker)
{
    uint32_t *first = calloc((size_t)device->info->tree_count + 1, sizeof *first);
    struct shw_record_layout layout = {.first_node = first};
    shw_uint4 *elements = NULL;
    enum shw_result result;
    uint64_t count;

    if (first == NULL)
        return shw_fail_memory(&device->params->log, "the trees of a record forest");
    SHW_TRY(place_trees(device, walker, first));
    count = first[device->info->tree_count];
    elements = calloc(count, sizeof *elements);
    if (elements == NULL) {
        result = shw_fail_memory(&device->params->log, "the trees of a record forest");
        goto fail;
    }
    SHW_TRY(fill_trees(device, walker, first, elements));
    SHW_TRY(shw_record_device_upload(device, elements, sizeof *elements * count, "trees for lanes", &device->nodes));
    SHW_TRY(shw_record_device_tables(device, &layout));

fail:
    free(elements);
    free(first);
    return result;
}

static enum shw_result create_program(struct shw_record_device *device, struct walker *walker)
{
    const struct shw_lane_plan *plan = &walker->plan;
    const struct shw_shader shaders[SHW_LANES_FORM_COUNT] = {
        [SHW_LANES_BALLOT] = SHW_SHADER(record_ballot_comp),
        [SHW_LANES_SUBGROUP] = SHW_SHADER(record_paths_subgroup_comp),
        [SHW_LANES_SHARED] = SHW_SHADER(record_paths_shared_comp),
        [SHW_LANES_SHARED_HALF] = SHW_SHADER(record_paths_shared_half_comp),
    };
    const uint32_t own[] = {plan->lanes, plan->entries, plan->reductions,  plan->order == SHW_LANES_OF_WINDOWS,
                            plan->whole, plan->groups,  walker->width > 32};

    return shw_record_device_program(device, shw_record_technique_name(device->params->technique), shaders[plan->form],
                                     plan->lanes * plan->groups, own, sizeof own / sizeof *own, &walker->program);
}

/* The trees of one dispatch. */
static uint32_t trees_at_once(const struct shw_record_device *device)
{
    return device->in_passes ? device->passes.trees : device->info->tree_count;
}

/* So that an invocation does not have too many iterations, trees are evaluated in passes. */
static enum shw_result limit_trees(struct shw_record_device *device, const struct walker *walker)
{
    uint64_t most = SHW_LANE_ITERATIONS_MOST / walker->plan.iterations;

    if (most == 0)
        return shw_fail(&device->params->log, SHW_ERROR_LIMIT, SHW_LOG_REQUIREMENT,
                        "records: a tree with %u nodes and depth %u is too large for the technique %s: use windowed",
                        find_sizes(device->info).nodes, find_sizes(device->info).depth,
                        shw_record_technique_name(device->params->technique));
    if (most >= device->info->tree_count)
        return SHW_OK;
    device->in_passes = true;
    device->passes.trees = (uint32_t)shw_min_u64(device->passes.trees, most);
    device->passes.chunk_trees = shw_min_u32(device->passes.chunk_trees, device->passes.trees);
    return SHW_OK;
}

/* So that no dispatch takes too long, however large the trees are, and has more work groups than devices take. */
static void limit_records(struct shw_record_device *device, const struct walker *walker)
{
    uint64_t entries = 0, work_groups = device->device->properties.limits.maxComputeWorkGroupCount[0];
    uint64_t each = SHW_LANE_ITERATIONS_MOST / (walker->plan.iterations * trees_at_once(device));

    for (uint32_t t = 0; t < device->info->tree_count; t++)
        entries += shw_lane_entries(&device->info->trees[t], walker->plan.order);
    device->records_most = (uint32_t)shw_min_u64(
        shw_max_u64(SHW_RECORD_VISITS_MOST / shw_max_u64(entries, 1), 1024),
        shw_min_u64(work_groups * walker->plan.groups * shw_max_u64(each, 1), device->records_most));
}

static enum shw_result create(struct shw_record_device *device, void *state)
{
    struct walker *walker = state;

    walker->plan = shw_lane_plan_make(device->params->technique, &device->params->tuning, find_sizes(device->info),
                                      &device->device->subgroup, &device->device->properties.limits);
    if (walker->plan.form == SHW_LANES_BALLOT)
        walker->width = walker->plan.lanes * walker->plan.entries;
    SHW_PROPAGATE(limit_trees(device, walker));
    limit_records(device, walker);
    SHW_PROPAGATE(create_tables(device, walker));
    return create_program(device, walker);
}

static void release(struct shw_record_device *device, void *state)
{
    struct walker *walker = state;

    shw_program_destroy(device->device, &walker->program);
}

static void record(struct shw_record_device *device, void *state, VkCommandBuffer commands,
                   const struct shw_record_piece *piece)
{
    const struct walker *walker = state;
    struct shw_record_piece own = *piece;
    uint32_t records =
        shw_lane_plan_records(&walker->plan, &device->params->tuning, piece->push.count, trees_at_once(device),
                              device->device->properties.limits.maxComputeWorkGroupCount[0]);
    uint32_t per_work_group = records * walker->plan.groups;

    own.push.own = records;
    shw_record_device_dispatch(device, commands, &walker->program, &own,
                               (piece->push.count + per_work_group - 1) / per_work_group, 1);
}

static enum shw_result create_evaluator(const struct shw_record_evaluator_params *params, void **state)
{
    static const struct shw_record_walker walker = {
        .create = create, .release = release, .record = record, .size = sizeof(struct walker)};

    return shw_record_device_create(params, &walker, NULL, state);
}

const struct shw_record_variant shw_record_variant_lanes = {.create = create_evaluator,
                                                            .destroy = shw_record_device_destroy,
                                                            .run = shw_record_device_run,
                                                            .record = shw_record_device_record};
