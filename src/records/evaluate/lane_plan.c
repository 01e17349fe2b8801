#include "records/evaluate/lane_plan.h"

#include "base/integers.h"

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

/* What a plan is made from. */
struct choice {
    const struct shw_record_tuning *tuning;
    struct shw_lane_sizes sizes;
    const struct shw_subgroup *subgroup;
    const VkPhysicalDeviceLimits *limits;
};

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

static bool is_whole(const struct shw_lane_plan *plan, uint32_t depth, uint32_t entries)
{
    return plan->form == SHW_LANES_BALLOT ||
           (plan->order == SHW_LANES_OF_WINDOWS ? depth <= plan->levels : entries <= plan->entries);
}

static void count(struct shw_lane_plan *plan, const struct choice *choice, uint32_t entries)
{
    plan->whole = is_whole(plan, choice->sizes.depth, entries);
    plan->iterations = count_iterations(plan, choice, entries);
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
