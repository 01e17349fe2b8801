#include "records/records_compute.h"

#include "base/integers.h"

SHW_SHADER_DECLARE(records_compute_comp);

#define LANES_MOST   256u
#define LANES_LEAST  32u
#define LANES_OF_CPU 64u
#define CHUNK_NODES  2048u /* elements of 8 bytes */

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

/* Elements of the largest tree, or of all. */
static uint64_t count_nodes(const struct shw_record_device *device, const struct shw_record_compute_plan *plan,
                            bool of_all)
{
    const struct shw_record_forest_info *info = device->info;
    uint64_t factor = plan->wide ? 2 : 1, most = 0;

    if (plan->complete)
        return (uint64_t)(of_all ? info->tree_count : 1) << device->order.depth;
    for (uint32_t t = 0; t < info->tree_count; t++)
        most = shw_max_u64(most, info->trees[t].node_count);
    return factor * (of_all ? info->node_count : most);
}

/* Words from record to record, if those of a record are together: odd, so that lanes use different banks. */
static uint32_t pitch_of(const struct shw_record_device *device)
{
    return device->order.column_count | 1;
}

static uint32_t code_words(const struct shw_record_device *device, const struct shw_record_compute_plan *plan)
{
    if (!plan->codes_shared)
        return 1;
    return plan->lanes * (plan->codes_in_rows ? pitch_of(device) : shw_max_u32(device->order.column_count, 1));
}

static bool fits(const struct shw_record_device *device, const struct shw_record_compute_plan *plan)
{
    return sizeof(uint32_t) * ((uint64_t)code_words(device, plan) + 2 * plan->chunk_nodes) <=
           device->device->properties.limits.maxComputeSharedMemorySize;
}

/* Whether a record's walks read more attributes than it has: loading all of them first then costs less, and on a device
 * that loads several at the same time, even if they are fewer. */
static bool reads_most_columns(const struct shw_record_device *device)
{
    bool is_cpu = device->device->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    uint64_t columns = device->order.column_count;

    return is_cpu ? device->order.depths > 2 * columns : 4 * device->order.depths > columns;
}

/* The most lanes whose codes and whose chunk of nodes fit shared memory. */
static void plan_sharing(const struct shw_record_device *device, uint32_t lanes_most,
                         struct shw_record_compute_plan *plan)
{
    uint64_t all = count_nodes(device, plan, true), one = count_nodes(device, plan, false),
             chunk = shw_min_u64(all, CHUNK_NODES);
    bool is_cpu = device->device->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;

    plan->nodes_shared = !is_cpu && one <= chunk && all > 0;
    plan->chunk_nodes = plan->nodes_shared ? (uint32_t)chunk : 0;
    plan->codes_shared = reads_most_columns(device);
    for (plan->lanes = lanes_most; plan->lanes > LANES_LEAST; plan->lanes /= 2)
        if (fits(device, plan))
            return;
    if (!fits(device, plan)) {
        plan->codes_shared = false;
        plan->lanes = lanes_most;
    }
}

struct shw_record_compute_plan shw_record_compute_plan_of(const struct shw_record_device *device)
{
    const VkPhysicalDeviceProperties *properties = &device->device->properties;
    uint32_t most = shw_min_u32(properties->limits.maxComputeWorkGroupInvocations, LANES_MOST);
    struct shw_record_compute_plan plan = {.complete = shw_record_compute_can_complete(device),
                                           .rounds = shw_max_u32(device->params->tuning.records_per_group, 1),
                                           .column_bits = bits_for(device->order.column_count)};

    plan.rounds = (uint32_t)shw_max_u64(
        shw_min_u64(plan.rounds, device->depths_most / (device->order.depths + device->info->tree_count + 1)), 1);
    plan.wide = !plan.complete && shw_record_compute_is_wide(device, plan.column_bits);
    plan.at_once = plan.complete && properties->deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU ? 4 : 2;
    while (plan.at_once > 1 && plan.at_once > device->info->tree_count)
        plan.at_once /= 2;
    plan_sharing(device, properties->deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU ? LANES_OF_CPU : most, &plan);
    return plan;
}

static uint32_t group_records(const struct compute *compute)
{
    return compute->plan.lanes * compute->plan.rounds;
}

static enum shw_result create_program(struct shw_record_device *device, struct compute *compute)
{
    const struct shw_record_compute_plan *plan = &compute->plan;
    uint32_t columns = device->order.column_count;
    uint64_t all = count_nodes(device, plan, true);
    bool is_once = plan->nodes_shared && all <= plan->chunk_nodes;
    const uint32_t constants[] = {plan->complete,
                                  device->order.depth,
                                  plan->wide,
                                  plan->column_bits,
                                  plan->codes_shared,
                                  columns,
                                  code_words(device, plan),
                                  plan->nodes_shared,
                                  is_once,
                                  is_once              ? (uint32_t)all
                                  : plan->nodes_shared ? plan->chunk_nodes
                                                       : 1,
                                  plan->at_once,
                                  plan->rounds,
                                  plan->codes_in_rows ? pitch_of(device) : 0};

    return shw_record_device_program(device, "records, data-parallel", SHW_SHADER(records_compute_comp), plan->lanes,
                                     constants, sizeof constants / sizeof *constants, &compute->program);
}

static enum shw_result upload(struct shw_record_device *device, const struct shw_record_compute_plan *plan,
                              const struct shw_record_compute_nodes *nodes)
{
    const struct shw_record_layout layout = {.first_node = nodes->first_node,
                                             .chunk_nodes = plan->chunk_nodes,
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
    SHW_PROPAGATE(shw_record_compute_nodes_make(device, &compute->plan, &nodes));
    result = upload(device, &compute->plan, &nodes);
    shw_record_compute_nodes_free(&nodes);
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

const struct shw_record_way shw_record_way_compute = {.id = SHW_RECORD_COMPUTE,
                                                      .create = create_evaluator,
                                                      .destroy = shw_record_device_destroy,
                                                      .run = shw_record_device_run,
                                                      .record = shw_record_device_record};
