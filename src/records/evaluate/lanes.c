/* Trees for groups of lanes: the table of a tree, the plan for a device, and the walk. */
#include "records/evaluate/lanes.h"

#include <stdlib.h>

#include "base/integers.h"
#include "base/log.h"
#include "records/evaluate/device.h"

/* Iterations of all loops together that an invocation may have: llvmpipe ends them after 65,535, without a word. */
#define SHW_LANE_ITERATIONS_MOST 32768u

uint32_t shw_lane_entries(const struct shw_record_tree *tree, enum shw_lane_order order)
{
    return order == SHW_LANES_OF_NODES ? tree->node_count : tree->node_count / 2;
}

/* The entry of the node for lanes: attribute, flags and threshold. */
static void lane_test(const struct shw_record_node *node, shw_uint4 *entry)
{
    uint32_t flags = (uint32_t)node->missing_right | (uint32_t)node->zero_missing << 1;

    *entry = (shw_uint4){.x = node->attribute | flags << SHW_LANES_FLAGS_SHIFT | (node->is_set ? SHW_LANES_SET : 0),
                         .y = (uint32_t)node->threshold};
}

/* Where each split's entry is. `window` is its window's root and `place` its place there. */
struct position {
    uint32_t entry, root, place;
};

/* The index of a split among the splits of its tree. */
static uint32_t split_of(const struct shw_record_node *node)
{
    return (node->left - 1) / 2;
}

static uint32_t target(const struct shw_record_node *nodes, const struct position *positions, uint32_t root,
                       uint32_t child)
{
    const struct position *position;

    if (!nodes[child].is_split)
        return SHW_LANES_LEAF | nodes[child].leaf;
    position = &positions[split_of(&nodes[child])];
    return position->entry | (position->root == root ? SHW_LANES_INSIDE : 0);
}

/* Of an entry that leads to one place, whatever the record: no code is above the highest one. */
static shw_uint4 constant_entry(uint32_t target)
{
    return (shw_uint4){.y = INT32_MAX, .z = target, .w = target};
}

static void fill_nodes(const struct shw_record_tree *tree, const struct shw_record_node *nodes, shw_uint4 *entries)
{
    for (uint32_t n = 0; n < tree->node_count; n++) {
        if (!nodes[n].is_split) {
            entries[n] = constant_entry(SHW_LANES_LEAF | nodes[n].leaf);
            continue;
        }
        lane_test(&nodes[n], &entries[n]);
        entries[n].z = SHW_LANES_INSIDE | nodes[n].left;
        entries[n].w = SHW_LANES_INSIDE | (nodes[n].left + 1);
    }
}

static void fill_splits(const struct shw_record_tree *tree, const struct shw_record_node *nodes,
                        const struct position *positions, shw_uint4 *entries)
{
    for (uint32_t n = 0; n < tree->node_count; n++)
        if (nodes[n].is_split) {
            const struct position *position = &positions[split_of(&nodes[n])];
            shw_uint4 *entry = &entries[position->entry];
            lane_test(&nodes[n], entry);
            entry->x |= position->place << SHW_LANES_PLACE_SHIFT;
            entry->z = target(nodes, positions, position->root, nodes[n].left);
            entry->w = target(nodes, positions, position->root, nodes[n].left + 1);
        }
}

/* What a plan is made from. */
struct choice {
    const struct shw_record_tuning *tuning;
    struct shw_lane_sizes sizes;
    const struct shw_subgroup *subgroup;
    const VkPhysicalDeviceLimits *limits;
};

static bool is_whole(const struct shw_lane_plan *plan, uint32_t depth, uint32_t entries)
{
    return plan->form == SHW_LANES_BALLOT ||
           (plan->order == SHW_LANES_OF_WINDOWS ? depth <= plan->levels : entries <= plan->entries);
}

/* How often entries are evaluated for a record, of which each time those are left behind. */
static uint32_t count_steps(const struct shw_lane_plan *plan, const struct choice *choice, uint32_t entries)
{
    uint32_t depth = choice->sizes.depth;

    if (plan->whole)
        return 1;
    if (plan->order == SHW_LANES_OF_WINDOWS)
        return (depth + plan->levels - 1) / plan->levels;
    return shw_min_u32(depth, (entries + plan->entries - 1) / plan->entries);
}

/* As the shaders have them, unless loops are unrolled. */
static uint64_t count_iterations(const struct shw_lane_plan *plan, const struct choice *choice, uint32_t entries)
{
    uint32_t length = plan->order == SHW_LANES_OF_WINDOWS ? plan->levels : choice->sizes.depth, turns = 0;
    uint32_t paths = plan->form == SHW_LANES_SHARED_HALF ? 2 : 1, words = (plan->entries + paths - 1) / paths;
    uint64_t rounds = (words + plan->lanes - 1) / plan->lanes, step;

    if (plan->form == SHW_LANES_BALLOT)
        return 3 * (uint64_t)plan->entries + 2;
    for (uint64_t reach = 1; reach < length; reach *= plan->reductions + 1)
        turns++;
    if (plan->form == SHW_LANES_SUBGROUP)
        step = 2 + (uint64_t)turns * (1 + plan->reductions);
    else
        step =
            1 + rounds + turns * (1 + rounds * (1 + paths * plan->reductions)) + (uint64_t)plan->groups * (turns + 2);
    return 1 + count_steps(plan, choice, entries) * step;
}

static void count(struct shw_lane_plan *plan, const struct choice *choice, uint32_t entries)
{
    plan->whole = is_whole(plan, choice->sizes.depth, entries);
    plan->iterations = count_iterations(plan, choice, entries);
}

/* Windows in breadth-first order, each with its splits in that order. `queue` has room for all splits: first the roots
 * of windows that wait, and in place of them, when a window is done, its splits' nodes. */
static void place_windows(const struct shw_record_node *nodes, uint32_t levels, uint32_t *roots, uint32_t *window,
                          struct position *positions)
{
    uint32_t root_count = 1, placed = 0;

    roots[0] = 0;
    for (uint32_t r = 0; r < root_count; r++) {
        uint32_t root = placed, count = 1, level_end = 1, level = 0;
        window[0] = roots[r];
        for (uint32_t i = 0; i < count; i++) {
            const struct shw_record_node *node = &nodes[window[i]];
            if (i == level_end) {
                level++;
                level_end = count;
            }
            positions[split_of(node)] = (struct position){placed++, root, i};
            for (uint32_t child = node->left; child <= node->left + 1; child++) {
                if (nodes[child].is_split && level + 1 < levels)
                    window[count++] = child;
                else if (nodes[child].is_split)
                    roots[root_count++] = child;
            }
        }
    }
}

enum shw_result shw_lane_fill(const struct shw_record_tree *tree, const struct shw_record_node *nodes,
                              enum shw_lane_order order, uint32_t levels, const struct shw_log *log, shw_uint4 *entries)
{
    uint32_t splits = tree->node_count / 2, *queues;
    struct position *positions;

    if (order == SHW_LANES_OF_NODES) {
        fill_nodes(tree, nodes, entries);
        return SHW_OK;
    }
    if (splits == 0)
        return SHW_OK;
    positions = calloc(splits, sizeof *positions);
    queues = calloc(splits, 2 * sizeof *queues);
    if (positions == NULL || queues == NULL) {
        free(positions);
        free(queues);
        return shw_fail_memory(log, "the tables of a tree");
    }
    if (order == SHW_LANES_OF_WINDOWS)
        place_windows(nodes, levels, queues, queues + splits, positions);
    else
        for (uint32_t s = 0; s < splits; s++)
            positions[s] = (struct position){s, 0, 0};
    fill_splits(tree, nodes, positions, entries);
    free(positions);
    free(queues);
    return SHW_OK;
}

/* The sides that lead to a node: those of its parent's mask and value, and of the parent itself. */
struct sides {
    uint64_t mask, value;
};

void shw_lane_fill_ballot(const struct shw_record_tree *tree, const struct shw_record_node *nodes, uint32_t width,
                          shw_uint4 *entries)
{
    struct sides sides[2 * 64 + 1] = {{0, 0}};

    for (uint32_t i = 0; i < width; i++) {
        entries[i] = constant_entry(0);
        entries[i].w = 1; /* never */
        if (width > 32)
            entries[width + i] = (shw_uint4){0};
    }
    for (uint32_t n = 0; n < tree->node_count; n++) {
        if (nodes[n].is_split) {
            uint32_t split = split_of(&nodes[n]);
            shw_uint4 exit = entries[split];
            lane_test(&nodes[n], &entries[split]);
            entries[split].z = exit.z;
            entries[split].w = exit.w;
            for (uint32_t side = 0; side < 2; side++)
                sides[nodes[n].left + side] =
                    (struct sides){sides[n].mask | (uint64_t)1 << split, sides[n].value | (uint64_t)side << split};
        } else if (nodes[n].leaf < width) {
            entries[nodes[n].leaf].z = (uint32_t)sides[n].mask;
            entries[nodes[n].leaf].w = (uint32_t)sides[n].value;
            if (width > 32)
                entries[width + nodes[n].leaf] =
                    (shw_uint4){.x = (uint32_t)(sides[n].mask >> 32), .y = (uint32_t)(sides[n].value >> 32)};
        }
    }
}

#define WORK_GROUP        128u  /* lanes, where record groups are parts of subgroups */
#define SHARED_WORK_GROUP 64u   /* lanes at least, where they share memory */
#define SHARED_LANES      256u  /* of a record group, where nothing is said */
#define WORDS_MOST        1024u /* paths in whole words: what every device has room for */
#define HALVES_MOST       16384u
#define BALLOT_BITS       64u
#define BALLOT_ENTRIES    8u      /* of a lane, which are in registers */
#define WINDOW_LEVELS     2u      /* the fastest on an NVIDIA H200 (docs/record-speculation.md) */
#define DEVICE_LANES      131072u /* that records are distributed among before a group gets several */
#define BALLOT_RECORDS    4u      /* that a group evaluates at once */
#define RECORDS_MOST      16u     /* of a group, where nothing is said: more has no benefit (Spencer 2021, 4.3) */

#define BALLOT_OPERATIONS (VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT)
#define PATH_OPERATIONS   (VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT)

static uint32_t power_of_two_from(uint32_t value)
{
    uint32_t power = 1;

    while (power < value)
        power *= 2;
    return power;
}

static uint32_t power_of_two_to(uint32_t value)
{
    uint32_t power = 1;

    while (power <= value / 2)
        power *= 2;
    return power;
}

static bool has_operations(const struct shw_subgroup *subgroup, VkSubgroupFeatureFlags operations)
{
    return subgroup->size > 0 && (subgroup->operations & operations) == operations;
}

static uint32_t choose_levels(const struct choice *choice)
{
    uint32_t levels = choice->tuning->window_levels > 0 ? choice->tuning->window_levels : WINDOW_LEVELS;

    return shw_max_u32(shw_min_u32(levels, choice->sizes.depth), 1);
}

/* One ends the path of a record in two levels. */
static uint32_t choose_reductions(const struct shw_lane_plan *plan, const struct choice *choice)
{
    if (plan->order == SHW_LANES_OF_NODES)
        return 1;
    if (choice->tuning->reductions > 0)
        return choice->tuning->reductions;
    return plan->order == SHW_LANES_OF_WINDOWS && plan->levels <= 2 ? 1 : 2;
}

/* The entries of the largest tree or window. */
static uint32_t count_entries(const struct shw_lane_plan *plan, const struct choice *choice)
{
    uint32_t splits = shw_max_u32(choice->sizes.nodes / 2, 1);

    switch (plan->order) {
    case SHW_LANES_OF_NODES: return choice->sizes.nodes;
    case SHW_LANES_OF_SPLITS: return splits;
    case SHW_LANES_OF_WINDOWS: break;
    }
    return plan->levels < 31 ? shw_min_u32((1u << plan->levels) - 1, splits) : splits;
}

static bool plan_ballot(struct shw_lane_plan *plan, const struct choice *choice, uint32_t entries)
{
    uint32_t size = choice->subgroup->size, lanes = choice->tuning->group_lanes;

    if (plan->order != SHW_LANES_OF_SPLITS || choice->tuning->reductions > 0 ||
        !has_operations(choice->subgroup, BALLOT_OPERATIONS) || lanes > shw_min_u32(size, 32))
        return false;
    if (lanes == 0)
        lanes = shw_min_u32(power_of_two_from(entries), shw_min_u32(size, 32));
    plan->form = SHW_LANES_BALLOT;
    plan->lanes = lanes;
    plan->entries = (entries + lanes - 1) / lanes;
    return plan->entries <= BALLOT_ENTRIES && plan->entries * lanes <= BALLOT_BITS;
}

static bool plan_subgroup(struct shw_lane_plan *plan, const struct choice *choice, uint32_t entries)
{
    uint32_t lanes = choice->tuning->group_lanes;

    if (lanes == 0)
        lanes = power_of_two_from(shw_min_u32(entries, SHARED_LANES));
    if (!has_operations(choice->subgroup, PATH_OPERATIONS) || entries > lanes || lanes > choice->subgroup->size)
        return false;
    plan->form = SHW_LANES_SUBGROUP;
    plan->lanes = plan->entries = lanes;
    return true;
}

/* Each path twice, and a word for each group. */
static uint32_t bytes_of_group(const struct shw_lane_plan *plan)
{
    return (plan->form == SHW_LANES_SHARED_HALF ? 2 * 2 : 2 * 4) * plan->entries + 4;
}

static void plan_shared(struct shw_lane_plan *plan, const struct choice *choice, uint32_t entries)
{
    const VkPhysicalDeviceLimits *limits = choice->limits;
    uint32_t lanes_most =
        power_of_two_to(shw_min_u32(limits->maxComputeWorkGroupInvocations, limits->maxComputeWorkGroupSize[0]));
    uint32_t lanes = choice->tuning->group_lanes, room = limits->maxComputeSharedMemorySize;

    plan->form = entries > WORDS_MOST ? SHW_LANES_SHARED_HALF : SHW_LANES_SHARED;
    plan->entries = entries;
    if (plan->form == SHW_LANES_SHARED_HALF)
        plan->entries = shw_min_u32(entries, shw_min_u32((room - 4) / 4 & ~1u, HALVES_MOST));
    if (lanes == 0)
        lanes = shw_min_u32(power_of_two_from(plan->entries), SHARED_LANES);
    plan->lanes = shw_min_u32(lanes, lanes_most);
    plan->groups = 1;
    count(plan, choice, entries);
    while (plan->iterations > SHW_LANE_ITERATIONS_MOST && plan->lanes < lanes_most) {
        plan->lanes *= 2;
        count(plan, choice, entries);
    }
    plan->groups = shw_min_u32(shw_max_u32(SHARED_WORK_GROUP / plan->lanes, 1), SHW_LANES_GROUPS_MAX);
    count(plan, choice, entries);
    while (plan->groups > 1 &&
           (plan->groups * bytes_of_group(plan) > room || plan->iterations > SHW_LANE_ITERATIONS_MOST)) {
        plan->groups /= 2;
        count(plan, choice, entries);
    }
}

static enum shw_lane_order order_of(enum shw_record_technique technique)
{
    if (technique == SHW_RECORD_WINDOWED)
        return SHW_LANES_OF_WINDOWS;
    return technique == SHW_RECORD_SPECULATIVE ? SHW_LANES_OF_NODES : SHW_LANES_OF_SPLITS;
}

struct shw_lane_plan shw_lane_plan_make(enum shw_record_technique technique, const struct shw_record_tuning *tuning,
                                        struct shw_lane_sizes sizes, const struct shw_subgroup *subgroup,
                                        const VkPhysicalDeviceLimits *limits)
{
    const struct choice choice = {tuning, sizes, subgroup, limits};
    struct shw_lane_plan plan = {.order = order_of(technique)};
    uint32_t entries;

    plan.levels = choose_levels(&choice);
    plan.reductions = choose_reductions(&plan, &choice);
    entries = count_entries(&plan, &choice);
    if (plan_ballot(&plan, &choice, entries) || plan_subgroup(&plan, &choice, entries))
        plan.groups = shw_max_u32(WORK_GROUP, subgroup->size) / plan.lanes;
    else
        plan_shared(&plan, &choice, entries);
    count(&plan, &choice, entries);
    return plan;
}

uint32_t shw_lane_plan_records(const struct shw_lane_plan *plan, const struct shw_record_tuning *tuning, uint32_t count,
                               uint32_t trees, uint32_t work_groups_most)
{
    uint32_t records = tuning->records_per_group;
    uint32_t groups_most = (uint32_t)shw_min_u64((uint64_t)plan->groups * work_groups_most, UINT32_MAX);

    if (records == 0)
        records = (uint32_t)shw_clamp_i64((int64_t)((uint64_t)count * plan->lanes / DEVICE_LANES),
                                          plan->form == SHW_LANES_BALLOT ? BALLOT_RECORDS : 1, RECORDS_MOST);
    records = (uint32_t)shw_min_u64(records, SHW_LANE_ITERATIONS_MOST / (plan->iterations * trees));
    records = shw_max_u32(records, count / groups_most + 1);
    return shw_max_u32(shw_min_u32(records, count), 1);
}

/* Evaluation by groups of lanes: the techniques `speculative`, `speculative-mapped` and `windowed` (Spencer 2021,
 * Procedures 4 and 5 and section 6), which differ in their plan (records/evaluate/lanes.h). */

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
