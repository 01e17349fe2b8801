/* The technique `compute`: the arrangement of nodes, and a record a lane. */
#include "records/evaluate/device.h"

#include <stdlib.h>

#include "base/integers.h"
#include "base/log.h"
#include "shared/record.h"

/* The nodes as shaders/records/evaluate/records_compute.comp reads them. */
struct shw_record_compute_nodes {
    uint32_t *words;                       /* elements of two */
    uint32_t *first_node;                  /* of each tree, and the end: elements */
    uint32_t *first_place, *leaf_of_place; /* complete trees only */
};

#define DEPTH_MOST    12u /* of complete trees */
#define PADDING       4u  /* times as many splits as they may have */
#define PADDED_ANYWAY 256u

static uint64_t splits_of(const struct shw_record_forest_info *info)
{
    return info->node_count - info->leaf_count;
}

/* Whether trees can be padded, and whether links need elements of their own. */
static bool record_compute_can_complete(const struct shw_record_device *device)
{
    const struct shw_record_forest_info *info = device->info;

    return device->order.depth <= DEPTH_MOST &&
           (uint64_t)info->tree_count << device->order.depth <= PADDING * splits_of(info) + PADDED_ANYWAY;
}

/* How many flags a node of a linked tree has. */
static uint32_t flag_bits(const struct shw_record_forest_info *info)
{
    return info->set_word_count > 0 ? 3 : 2;
}

bool shw_record_compute_is_wide(const struct shw_record_device *device, uint32_t column_bits)
{
    const struct shw_record_forest_info *info = device->info;
    uint32_t most = UINT32_MAX >> (column_bits + flag_bits(info));

    for (uint32_t t = 0; t < info->tree_count; t++)
        for (uint32_t n = 0; n < info->trees[t].node_count; n++)
            if (info->nodes[info->trees[t].first_node + n].left - n > most)
                return true;
    return false;
}

/* What is made. */
struct work {
    const struct shw_record_device *device;
    const struct shw_record_compute_plan *plan;
    struct shw_record_compute_nodes *nodes;
};

static uint32_t column_of(const struct work *work, const struct shw_record_node *node)
{
    return work->device->order.column_of[node->attribute];
}

/* Column and flags in a linked tree. */
static uint32_t linked_test(const struct work *work, const struct shw_record_node *node)
{
    return column_of(work, node) |
           ((uint32_t)node->missing_right | (uint32_t)node->zero_missing << 1 | (uint32_t)node->is_set << 2)
               << work->plan->column_bits;
}

/* And in a complete one. */
static uint32_t complete_test(const struct work *work, const struct shw_record_node *node)
{
    return column_of(work, node) | (uint32_t)node->is_set << SHW_RECORD_COMPLETE_SET_SHIFT |
           (uint32_t)node->zero_missing << SHW_RECORD_COMPLETE_ZERO_SHIFT |
           (uint32_t)node->missing_right << SHW_RECORD_COMPLETE_RIGHT_SHIFT;
}

static const struct shw_record_tree *tree_at(const struct work *work, uint32_t number)
{
    return &work->device->info->trees[work->device->order.trees[number]];
}

static void link_tree(const struct work *work, const struct shw_record_tree *tree, uint32_t *words)
{
    const struct shw_record_node *nodes = work->device->info->nodes + tree->first_node;

    for (uint32_t n = 0; n < tree->node_count; n++) {
        uint32_t distance = nodes[n].left - n;
        *words++ = nodes[n].is_split ? (uint32_t)nodes[n].threshold : nodes[n].leaf;
        *words++ = (nodes[n].is_split ? linked_test(work, &nodes[n]) : 0) |
                   (work->plan->wide ? 0 : distance << (work->plan->column_bits + flag_bits(work->device->info)));
        if (work->plan->wide) {
            *words++ = 2 * distance;
            *words++ = 0;
        }
    }
}

/* Node `n` of a tree and what is below it, from node `at` of the complete tree on. A leaf above the last level gets
 * tests that send every record to the left. */
static void complete_tree(const struct work *work, const struct shw_record_node *nodes, uint32_t n, uint32_t at,
                          uint32_t level, uint32_t *words, uint32_t *leaves)
{
    const struct shw_record_node *node = &nodes[n];
    uint32_t depth = work->device->order.depth;

    if (level == depth) {
        leaves[at - (1u << depth)] = node->leaf;
        return;
    }
    words[2 * at] = (uint32_t)INT32_MAX;
    if (node->is_split)
        words[2 * at] =
            (uint32_t)(node->is_set ? node->threshold : shw_record_ordered(node->threshold, node->missing_right));
    words[2 * at + 1] = node->is_split ? complete_test(work, node) : 0;
    complete_tree(work, nodes, node->left, 2 * at, level + 1, words, leaves);
    complete_tree(work, nodes, node->is_split ? node->left + 1 : n, 2 * at + 1, level + 1, words, leaves);
}

static uint64_t elements_of(const struct work *work, uint32_t number)
{
    if (work->plan->complete)
        return (uint64_t)1 << work->device->order.depth;
    return (uint64_t)tree_at(work, number)->node_count * (work->plan->wide ? 2 : 1);
}

static enum shw_result measure(const struct work *work)
{
    uint32_t trees = work->device->info->tree_count;
    uint64_t end = 0, most = work->device->device->properties.limits.maxStorageBufferRange / 8;

    for (uint32_t t = 0; t < trees; t++) {
        work->nodes->first_node[t] = (uint32_t)end;
        end += elements_of(work, t);
        if (end > most)
            return shw_fail(&work->device->params->log, SHW_ERROR_LIMIT, SHW_LOG_REQUIREMENT,
                            "records: the nodes take a storage buffer of more than the %llu bytes that the device has "
                            "at most: use the technique cpu",
                            (unsigned long long)most * 8);
    }
    work->nodes->first_node[trees] = (uint32_t)end;
    return SHW_OK;
}

static void write_tree(const struct work *work, uint32_t number)
{
    const struct shw_record_tree *tree = tree_at(work, number);
    uint32_t first = work->nodes->first_node[number], *words = work->nodes->words + 2 * (size_t)first;

    if (!work->plan->complete) {
        link_tree(work, tree, words);
        return;
    }
    work->nodes->first_place[number] = first; /* a complete tree has as many places as elements */
    complete_tree(work, work->device->info->nodes + tree->first_node, 0, 1, 0, words,
                  work->nodes->leaf_of_place + first);
}

static enum shw_result make(const struct work *work)
{
    struct shw_record_compute_nodes *nodes = work->nodes;
    size_t trees = work->device->info->tree_count, elements;

    nodes->first_node = calloc(trees + 1, sizeof *nodes->first_node);
    nodes->first_place = calloc(trees + 1, sizeof *nodes->first_place);
    if (nodes->first_node == NULL || nodes->first_place == NULL)
        return shw_fail_memory(&work->device->params->log, "nodes");
    SHW_PROPAGATE(measure(work));
    elements = nodes->first_node[trees];
    nodes->words = calloc(elements + 1, 2 * sizeof *nodes->words);
    nodes->leaf_of_place = work->plan->complete ? calloc(elements + 1, sizeof *nodes->leaf_of_place) : NULL;
    if (nodes->words == NULL || (work->plan->complete && nodes->leaf_of_place == NULL))
        return shw_fail_memory(&work->device->params->log, "nodes");
    for (uint32_t t = 0; t < trees; t++)
        write_tree(work, t);
    nodes->first_place[trees] = (uint32_t)elements;
    return SHW_OK;
}

static void record_compute_nodes_free(struct shw_record_compute_nodes *nodes)
{
    free(nodes->words);
    free(nodes->first_node);
    free(nodes->first_place);
    free(nodes->leaf_of_place);
    *nodes = (struct shw_record_compute_nodes){0};
}

/* Errors: MEMORY, LIMIT. */
static enum shw_result record_compute_nodes_make(const struct shw_record_device *device,
                                                 const struct shw_record_compute_plan *plan,
                                                 struct shw_record_compute_nodes *nodes)
{
    const struct work work = {device, plan, nodes};
    enum shw_result result;

    *nodes = (struct shw_record_compute_nodes){0};
    result = make(&work);
    if (result != SHW_OK)
        record_compute_nodes_free(nodes);
    return result;
}

SHW_SHADER_DECLARE(records_compute_comp);

#define LANES        64u
#define LANES_LEAST  32u
#define SHARED_NODES 256u /* elements of 8 bytes; more of them leave room for fewer work groups */

/* Trees that a lane walks at once: as many as registers last for, by figures of an NVIDIA H200
 * (docs/record-devices.md). */
#define AT_ONCE_CPU        2u
#define AT_ONCE_LINKED     4u
#define AT_ONCE_COMPLETE   20u
#define AT_ONCE_FEW_VALUES 16u
#define AT_ONCE_VALUES     8u
#define FEW_VALUES         4u

/* Tests on the way, as multiples of the columns, from which on sharing the codes pays. Walks of linked trees mostly end
 * long before the deepest leaf, and need the cache for nodes. */
#define TESTS_COMPLETE 1u
#define TESTS_LINKED   64u
#define TESTS_CPU      2u

struct compute {
    struct shw_record_compute_plan plan;
    struct shw_program program;
};

static uint32_t bits_for(uint32_t count)
{
    uint32_t bits = 0;

    while (count > 1u << bits)
        bits++;
    return bits;
}

/* Elements of 8 bytes. */
static uint64_t count_nodes(const struct shw_record_device *device, const struct shw_record_compute_plan *plan)
{
    const struct shw_record_forest_info *info = device->info;

    if (plan->complete)
        return (uint64_t)info->tree_count << device->order.depth;
    return (plan->wide ? 2 : 1) * (uint64_t)info->node_count;
}

/* What there is room for in shared memory, one at least. */
static uint64_t node_elements(const struct shw_record_device *device, const struct shw_record_compute_plan *plan)
{
    return plan->nodes_shared ? shw_max_u64(count_nodes(device, plan), 1) : 1;
}

static uint32_t code_words(const struct shw_record_device *device, const struct shw_record_compute_plan *plan)
{
    return plan->codes_shared ? plan->lanes * shw_max_u32(device->order.column_count, 1) : 1;
}

uint64_t shw_record_compute_shared_bytes(const struct shw_record_device *device,
                                         const struct shw_record_compute_plan *plan)
{
    return sizeof(uint32_t) * (code_words(device, plan) + 2 * node_elements(device, plan));
}

static bool fits(const struct shw_record_device *device, const struct shw_record_compute_plan *plan)
{
    return shw_record_compute_shared_bytes(device, plan) <=
           device->device->properties.limits.maxComputeSharedMemorySize;
}

static bool is_cpu(const struct shw_record_device *device)
{
    return device->device->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

/* Whether a record's walks read so many attributes that loading all of them first costs less. */
static bool reads_most_columns(const struct shw_record_device *device, const struct shw_record_compute_plan *plan)
{
    uint64_t tests = is_cpu(device) ? TESTS_CPU : plan->complete ? TESTS_COMPLETE : TESTS_LINKED;

    return device->order.depths > tests * device->order.column_count;
}

/* Without codes in shared memory every lane has as much work; with them, a subgroup need not wait for another one. */
static uint32_t lanes_for(const struct shw_record_device *device, const struct shw_record_compute_plan *plan)
{
    uint32_t most = shw_min_u32(device->device->properties.limits.maxComputeWorkGroupInvocations, LANES);

    if (is_cpu(device) || !plan->codes_shared || plan->nodes_shared)
        return most;
    return shw_min_u32(shw_max_u32(device->device->subgroup.size, LANES_LEAST), most);
}

/* As many lanes as have room for their codes in shared memory. */
static void plan_sharing(const struct shw_record_device *device, struct shw_record_compute_plan *plan)
{
    plan->nodes_shared = !is_cpu(device) && count_nodes(device, plan) <= SHARED_NODES;
    plan->codes_shared = reads_most_columns(device, plan);
    for (plan->lanes = lanes_for(device, plan); plan->lanes > LANES_LEAST; plan->lanes /= 2)
        if (fits(device, plan))
            return;
    if (!fits(device, plan)) {
        plan->codes_shared = false;
        plan->lanes = lanes_for(device, plan);
    }
}

/* So that the last turn over the trees of an output has as many as the others, or nearly. */
static uint32_t choose_at_once(const struct shw_record_device *device, bool complete)
{
    const struct shw_record_forest_info *info = device->info;
    uint32_t outputs = info->values_per_leaf == info->output_count ? 1 : info->output_count;
    uint32_t trees = shw_max_u32((info->tree_count + outputs - 1) / outputs, 1), most = AT_ONCE_COMPLETE, turns;

    if (info->values_per_leaf > 1)
        most = info->values_per_leaf <= FEW_VALUES ? AT_ONCE_FEW_VALUES : AT_ONCE_VALUES;
    if (!complete)
        most = AT_ONCE_LINKED;
    if (is_cpu(device))
        most = AT_ONCE_CPU;
    turns = (trees + most - 1) / most;
    return (trees + turns - 1) / turns;
}

struct shw_record_compute_plan shw_record_compute_plan_of(const struct shw_record_device *device)
{
    struct shw_record_compute_plan plan = {.complete = record_compute_can_complete(device),
                                           .rounds = shw_max_u32(device->params->tuning.records_per_group, 1),
                                           .column_bits = bits_for(device->order.column_count)};

    plan.rounds = (uint32_t)shw_max_u64(
        shw_min_u64(plan.rounds, device->depths_most / (device->order.depths + device->info->tree_count + 1)), 1);
    plan.wide = !plan.complete && shw_record_compute_is_wide(device, plan.column_bits);
    plan.at_once = choose_at_once(device, plan.complete);
    plan_sharing(device, &plan);
    return plan;
}

static uint32_t group_records(const struct compute *compute)
{
    return compute->plan.lanes * compute->plan.rounds;
}

static enum shw_result create_program(struct shw_record_device *device, struct compute *compute)
{
    const struct shw_record_compute_plan *plan = &compute->plan;
    const uint32_t constants[] = {plan->complete,
                                  device->order.depth,
                                  plan->wide,
                                  plan->column_bits,
                                  plan->codes_shared,
                                  device->order.column_count,
                                  code_words(device, plan),
                                  plan->nodes_shared ? (uint32_t)count_nodes(device, plan) : 0,
                                  (uint32_t)node_elements(device, plan),
                                  plan->at_once,
                                  plan->rounds};

    return shw_record_device_program(device, "records, data-parallel", SHW_SHADER(records_compute_comp), plan->lanes,
                                     constants, sizeof constants / sizeof *constants, &compute->program);
}

static enum shw_result upload(struct shw_record_device *device, const struct shw_record_compute_plan *plan,
                              const struct shw_record_compute_nodes *nodes)
{
    const struct shw_record_layout layout = {.first_node = nodes->first_node,
                                             .first_place = plan->complete ? nodes->first_place : NULL,
                                             .leaf_of_place = nodes->leaf_of_place};

    SHW_PROPAGATE(shw_record_device_upload(device, nodes->words,
                                           2 * sizeof(uint32_t) * (uint64_t)nodes->first_node[device->info->tree_count],
                                           "nodes", &device->nodes));
    return shw_record_device_tables(device, &layout);
}

static enum shw_result create(struct shw_record_device *device, void *state)
{
    const struct shw_record_compute_plan *wanted = device->settings;
    struct compute *compute = state;
    struct shw_record_compute_nodes nodes;
    enum shw_result result;

    compute->plan = wanted != NULL ? *wanted : shw_record_compute_plan_of(device);
    SHW_PROPAGATE(record_compute_nodes_make(device, &compute->plan, &nodes));
    result = upload(device, &compute->plan, &nodes);
    record_compute_nodes_free(&nodes);
    SHW_PROPAGATE(result);
    device->records_most = (uint32_t)shw_min_u64(
        UINT32_MAX, (uint64_t)device->device->properties.limits.maxComputeWorkGroupCount[0] * group_records(compute));
    return create_program(device, compute);
}

static void release(struct shw_record_device *device, void *state)
{
    struct compute *compute = state;

    shw_program_destroy(device->device, &compute->program);
}

static void record(struct shw_record_device *device, void *state, VkCommandBuffer commands,
                   const struct shw_record_piece *piece)
{
    const struct compute *compute = state;
    uint64_t groups = ((uint64_t)piece->push.count + group_records(compute) - 1) / group_records(compute);

    shw_record_device_dispatch(device, commands, &compute->program, piece, (uint32_t)groups, 1);
}

static const struct shw_record_walker walker = {
    .create = create, .release = release, .record = record, .size = sizeof(struct compute)};

enum shw_result shw_record_compute_create(const struct shw_record_evaluator_params *params,
                                          const struct shw_record_compute_plan *plan, void **state)
{
    return shw_record_device_create(params, &walker, plan, state);
}

static enum shw_result create_evaluator(const struct shw_record_evaluator_params *params, void **state)
{
    return shw_record_compute_create(params, NULL, state);
}

const struct shw_record_variant shw_record_variant_compute = {.create = create_evaluator,
                                                              .destroy = shw_record_device_destroy,
                                                              .run = shw_record_device_run,
                                                              .record = shw_record_device_record};
