#include "exchange/record_branches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"

/* A tree may have this many nodes, and this many for each of its branches. */
#define NODES_FREE       4096u
#define NODES_PER_BRANCH 16u

#define NO_NODE  UINT32_MAX
#define FINISHED 4

/* What is still to be made: slices `low` to `high` of the numbers at a branch, as the child of a node. */
struct task {
    uint32_t branch, low, high;
    uint32_t parent; /* NO_NODE: none, it is the root */
    bool is_right;
};

struct expansion {
    const struct shw_branches *branches;
    const char *place;
    const struct shw_log *log;
    struct shw_record_builder_node *nodes;
    struct task *tasks;
    uint32_t node_count, node_capacity, task_count, task_capacity;
};

bool shw_branches_add(struct shw_branches *branches, const struct shw_branch *branch)
{
    if (!SHW_RESERVE(branches->items, branches->capacity, (size_t)branches->count + 1))
        return false;
    branches->items[branches->count] = *branch;
    branches->items[branches->count].first_cut = branches->cut_count;
    branches->items[branches->count++].cut_count = 0;
    return true;
}

bool shw_branches_cut(struct shw_branches *branches, int32_t cut)
{
    struct shw_branch *branch = &branches->items[branches->count - 1];

    if (branch->cut_count > 0 && branches->cuts[branches->cut_count - 1] == cut) {
        branch->cut_count--;
        branches->cut_count--;
        return true;
    }
    if (!SHW_RESERVE(branches->cuts, branches->cut_capacity, (size_t)branches->cut_count + 1))
        return false;
    branches->cuts[branches->cut_count++] = cut;
    branch->cut_count++;
    return true;
}

bool shw_branches_end_cuts(struct shw_branches *branches)
{
    struct shw_branch *branch = &branches->items[branches->count - 1];

    if (branch->cut_count > 0)
        return true;
    branch->lowest = !branch->lowest; /* no number is below this cut */
    return shw_branches_cut(branches, shw_record_threshold_below(-INFINITY));
}

void shw_branches_free(struct shw_branches *branches)
{
    free(branches->items);
    free(branches->cuts);
    *branches = (struct shw_branches){0};
}

/* A walk in depth that keeps which branches are above the current one. */
struct walk {
    const struct shw_branches *branches;
    uint32_t *path;
    uint8_t *entered; /* 0: not yet; 1 to 3: it is on the path, and so many of its children, less one, were */
    uint32_t depth, reached;
};

static void enter(struct walk *walk, uint32_t branch)
{
    walk->path[walk->depth++] = branch;
    walk->entered[branch] = 1;
    walk->reached++;
}

/* False if a branch is below itself, which *branch is then. */
static bool step(struct walk *walk, uint32_t *branch)
{
    const uint32_t current = walk->path[walk->depth - 1];
    const struct shw_branch *item = &walk->branches->items[current];
    uint8_t child = walk->entered[current] - 1;

    if (!item->is_split || child == 2) {
        walk->entered[current] = FINISHED;
        walk->depth--;
        return true;
    }
    walk->entered[current]++;
    *branch = item->child[child];
    if (walk->entered[*branch] == 0)
        enter(walk, *branch);
    else if (walk->entered[*branch] != FINISHED)
        return false;
    return true;
}

static enum shw_result check_walk(struct walk *walk, uint32_t root, const char *place, const struct shw_log *log)
{
    uint32_t branch = root;

    enter(walk, root);
    while (walk->depth > 0)
        if (!step(walk, &branch))
            return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s, node %u: it is below itself", place,
                            walk->branches->items[branch].source);
    for (branch = 0; walk->reached < walk->branches->count && walk->entered[branch] != 0;)
        branch++;
    if (walk->reached < walk->branches->count)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s, %s %u: it is not reached from the root", place,
                        walk->branches->items[branch].is_split ? "node" : "leaf", walk->branches->items[branch].source);
    return SHW_OK;
}

static enum shw_result check(const struct shw_branches *branches, uint32_t root, const char *place,
                             const struct shw_log *log)
{
    struct walk walk = {.branches = branches,
                        .path = calloc(branches->count, sizeof *walk.path),
                        .entered = calloc(branches->count, sizeof *walk.entered)};
    enum shw_result result =
        walk.path != NULL && walk.entered != NULL ? check_walk(&walk, root, place, log) : shw_fail_memory(log, place);

    free(walk.entered);
    free(walk.path);
    return result;
}

static bool push(struct expansion *expansion, const struct task *task)
{
    if (!SHW_RESERVE(expansion->tasks, expansion->task_capacity, (size_t)expansion->task_count + 1))
        return false;
    expansion->tasks[expansion->task_count++] = *task;
    return true;
}

/* The next branch, while a task is one slice of a split, which is a child as a whole. */
static struct task descend(const struct expansion *expansion, struct task task)
{
    const struct shw_branch *branch = &expansion->branches->items[task.branch];

    while (branch->is_split && task.low == task.high) {
        task.branch = branch->child[(branch->lowest + task.low) & 1];
        branch = &expansion->branches->items[task.branch];
        task.low = 0;
        task.high = branch->cut_count;
    }
    return task;
}

/* Divides the slices of a task in the middle; records without the attribute go to the first slice of their child. */
static bool divide(struct expansion *expansion, const struct task *task, uint32_t node)
{
    const struct shw_branch *branch = &expansion->branches->items[task->branch];
    const uint32_t middle = task->low + (task->high - task->low - 1) / 2;
    const uint32_t missing_slice = branch->missing != branch->lowest;

    expansion->nodes[node] = (struct shw_record_builder_node){
        .is_split = true,
        .missing_right = missing_slice > middle,
        .zero_missing = branch->zero_missing,
        .attribute = branch->attribute,
        .threshold = expansion->branches->cuts[branch->first_cut + middle],
        .source = branch->source,
    };
    return push(expansion, &(struct task){task->branch, middle + 1, task->high, node, true}) &&
           push(expansion, &(struct task){task->branch, task->low, middle, node, false});
}

static enum shw_result run_task(struct expansion *expansion)
{
    const struct task task = descend(expansion, expansion->tasks[--expansion->task_count]);
    const struct shw_branch *branch = &expansion->branches->items[task.branch];
    const uint32_t node = expansion->node_count;

    if (node >= NODES_FREE && node / NODES_PER_BRANCH >= expansion->branches->count)
        return shw_fail(expansion->log, SHW_ERROR_LIMIT, SHW_LOG_FILE_READ,
                        "%s, node %u: tests of sets of values make a tree of more than %u nodes out of %u",
                        expansion->place, branch->source, node, expansion->branches->count);
    if (!SHW_RESERVE(expansion->nodes, expansion->node_capacity, (size_t)node + 1))
        return shw_fail_memory(expansion->log, expansion->place);
    expansion->node_count++;
    if (task.parent != NO_NODE) {
        struct shw_record_builder_node *parent = &expansion->nodes[task.parent];
        *(task.is_right ? &parent->right : &parent->left) = node;
    }
    if (!branch->is_split)
        expansion->nodes[node] = (struct shw_record_builder_node){
            .source = branch->source, .values = expansion->branches->values + branch->first_value};
    else if (!divide(expansion, &task, node))
        return shw_fail_memory(expansion->log, expansion->place);
    return SHW_OK;
}

static enum shw_result run_tasks(struct expansion *expansion, uint32_t root)
{
    const struct task first = {root, 0, expansion->branches->items[root].cut_count, NO_NODE, false};

    if (!push(expansion, &first))
        return shw_fail_memory(expansion->log, expansion->place);
    while (expansion->task_count > 0)
        SHW_PROPAGATE(run_task(expansion));
    return SHW_OK;
}

enum shw_result shw_branches_build(const struct shw_branches *branches, uint32_t root, const char *place,
                                   const struct shw_log *log, uint32_t output, struct shw_record_builder *builder)
{
    struct expansion expansion = {.branches = branches, .place = place, .log = log};
    enum shw_result result;

    SHW_PROPAGATE(check(branches, root, place, log));
    result = run_tasks(&expansion, root);
    if (result == SHW_OK)
        result = shw_record_builder_add(builder, expansion.nodes, expansion.node_count, output);
    free(expansion.tasks);
    free(expansion.nodes);
    return result;
}
