#include "formats/record_branches.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "records/model/record_forest.h"
#include "shared/record.h"

#define WHOLE_END     (1u << 23) /* from there on, numbers have no fractions */
#define WORDS_FREE    256u       /* a set may have so many words, and more with so many cuts */
#define WORDS_PER_CUT 64u
#define BITS          32u
#define NO_CATEGORY   UINT32_MAX

static uint32_t word_count(const struct shw_record_range *ranges, uint32_t count)
{
    return (ranges[count - 1].end - 1) / BITS - ranges[0].first / BITS + 1;
}

uint32_t shw_record_set_count_words(const struct shw_record_range *ranges, uint32_t count)
{
    return SHW_RECORD_SET_MEMBERS + word_count(ranges, count);
}

uint32_t *shw_record_set_of_ranges(const struct shw_record_range *ranges, uint32_t count, uint32_t flags)
{
    const uint32_t first_word = ranges[0].first / BITS, words = word_count(ranges, count);
    uint32_t *set = calloc(SHW_RECORD_SET_MEMBERS + (size_t)words, sizeof *set);

    if (set == NULL)
        return NULL;
    set[0] = flags | first_word;
    set[1] = words;
    for (uint32_t r = 0; r < count; r++)
        for (uint32_t c = ranges[r].first; c < ranges[r].end; c++)
            set[SHW_RECORD_SET_MEMBERS + c / BITS - first_word] |= 1u << c % BITS;
    return set;
}

static bool is_member(const uint32_t *set, uint32_t bit)
{
    return (set[SHW_RECORD_SET_MEMBERS + bit / BITS] >> bit % BITS & 1u) != 0;
}

bool shw_record_set_find_range(const uint32_t *set, uint32_t from, struct shw_record_range *range)
{
    const uint32_t begin = (set[0] & SHW_RECORD_SET_FIRST) * BITS, count = set[1] * BITS;
    uint32_t first = from > begin ? from - begin : 0, end;

    while (first < count && !is_member(set, first))
        first++;
    for (end = first; end < count && is_member(set, end);)
        end++;
    *range = (struct shw_record_range){begin + first, begin + end};
    return first < count;
}

/* The least number above a cut, if it is a category or the end of all. */
static uint32_t category_above(int32_t cut)
{
    const float number = cut < INT32_MAX ? shw_record_code_value(cut + 1) : NAN;

    if (!(number >= 0 && number <= SHW_RECORD_CATEGORIES) || number != floorf(number) ||
        shw_record_threshold_below((double)number) != cut)
        return NO_CATEGORY;
    return (uint32_t)number;
}

static bool read_range(const int32_t cuts[2], uint32_t flags, struct shw_record_range *range)
{
    const bool is_from_below = (flags & SHW_RECORD_SET_FROM_BELOW) != 0 && cuts[0] == shw_record_threshold_at_most(-1);

    range->first = is_from_below ? 0 : category_above(cuts[0]);
    if (range->first == NO_CATEGORY)
        return false;
    if ((flags & SHW_RECORD_SET_WHOLE) == 0) {
        range->end = category_above(cuts[1]);
        return range->end != NO_CATEGORY && range->end > range->first;
    }
    range->end = range->first + 1;
    return range->first < WHOLE_END && shw_record_threshold_at_most((double)range->first) == cuts[1];
}

static bool read_ranges(const int32_t *cuts, uint32_t count, uint32_t flags, struct shw_record_range *ranges)
{
    for (uint32_t r = 0; r < count; r++)
        if (!read_range(cuts + 2 * (size_t)r, flags, &ranges[r]))
            return false;
    return true;
}

/* LightGBM rounds towards zero, so that numbers above -1 are category 0. Otherwise negative numbers are not members,
 * and fractions may be (XGBoost) or not (ONNX). */
static bool choose_flags(const int32_t *cuts, uint32_t count, struct shw_record_range *ranges, uint32_t *flags)
{
    *flags = cuts[0] == shw_record_threshold_at_most(-1) ? SHW_RECORD_SET_FROM_BELOW : 0;
    if (read_ranges(cuts, count, *flags, ranges))
        return true;
    *flags = SHW_RECORD_SET_WHOLE;
    return read_ranges(cuts, count, *flags, ranges);
}

bool shw_record_set_of_cuts(const int32_t *cuts, uint32_t count, bool members_right, uint32_t **set)
{
    const uint32_t range_count = count / 2;
    struct shw_record_range *ranges;
    uint32_t flags;
    bool is_whole = true;

    *set = NULL;
    if (count < 2 || count % 2 != 0)
        return true;
    ranges = malloc(range_count * sizeof *ranges);
    if (ranges == NULL)
        return false;
    if (choose_flags(cuts, range_count, ranges, &flags) &&
        (word_count(ranges, range_count) <= WORDS_FREE || word_count(ranges, range_count) / WORDS_PER_CUT <= count)) {
        *set =
            shw_record_set_of_ranges(ranges, range_count, flags | (members_right ? SHW_RECORD_SET_MEMBERS_RIGHT : 0));
        is_whole = *set != NULL;
    }
    free(ranges);
    return is_whole;
}

/* The most nodes of a tree per branch. It may always have NODES_FREE, as long as the forest has no more than
 * FOREST_FREE. */
#define NODES_PER_BRANCH 64u
#define NODES_FREE       65536u
#define FOREST_FREE      (1u << 22)

/* Sets as thresholds are evaluated faster by the technique cpu, unless they multiply the nodes of a tree by more than
 * this. */
#define NODES_WITHOUT_SETS 2u

#define NODES_ABOVE 64u /* nodes above that are checked for what they let through */

#define NO_NODE  UINT32_MAX
#define FINISHED 4

/* A pending task: slices `low` to `high` of the numbers at a branch, as the child of a node. */
struct task {
    uint32_t branch, low, high;
    uint32_t parent; /* NO_NODE: none, it is the root */
    bool is_right;
};

/* Of which node a node is a child. */
struct link {
    uint32_t parent;
    bool is_right;
};

/* The set that a branch tests, made on first use; NULL if it is split by thresholds. */
struct set {
    bool is_known;
    uint32_t *words;
};

struct expansion {
    const struct shw_branches *branches;
    const struct shw_branches_place *place;
    uint32_t nodes_before; /* of other trees */
    struct shw_record_builder_node *nodes;
    struct link *links; /* of nodes */
    bool has_sets;      /* tests may be of some */
    struct set *sets;   /* of branches; NULL until one may have some */
    uint64_t set_words; /* of all of these */
    struct task *tasks;
    uint32_t node_count, node_capacity, link_capacity, task_count, task_capacity;
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

/* A depth-first walk that keeps which branches are above the current one. */
struct walk {
    const struct shw_branches *branches;
    uint32_t *path;
    uint8_t *entered; /* 0: not yet; 1 to 3: on the path, with that many children less one entered */
    uint32_t depth, reached;
};

static void enter(struct walk *walk, uint32_t branch)
{
    walk->path[walk->depth++] = branch;
    walk->entered[branch] = 1;
    walk->reached++;
}

static enum shw_result refuse(const struct shw_branches_place *place, const struct shw_branch *branch, const char *what)
{
    return shw_fail(place->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s, tree %u, %s %u: it is %s", place->file,
                    place->tree, branch->is_split ? "node" : "leaf", branch->source, what);
}

/* Enters the next child, or finishes a branch without any left. */
static enum shw_result step(struct walk *walk, const struct shw_branches_place *place)
{
    const uint32_t current = walk->path[walk->depth - 1];
    const struct shw_branch *items = walk->branches->items, *item = &items[current];
    uint8_t child = walk->entered[current] - 1;

    if (!item->is_split || child == 2) {
        walk->entered[current] = FINISHED;
        walk->depth--;
        return SHW_OK;
    }
    walk->entered[current]++;
    if (walk->entered[item->child[child]] == 0)
        enter(walk, item->child[child]);
    else if (walk->entered[item->child[child]] != FINISHED)
        return refuse(place, &items[item->child[child]], "below itself");
    else if (!place->may_share)
        return refuse(place, &items[item->child[child]], "the child of more than one node");
    return SHW_OK;
}

static enum shw_result check_walk(struct walk *walk, uint32_t root, const struct shw_branches_place *place)
{
    const struct shw_branches *branches = walk->branches;
    uint32_t branch = 0;

    enter(walk, root);
    while (walk->depth > 0)
        SHW_PROPAGATE(step(walk, place));
    if (walk->reached == branches->count || place->may_have_more)
        return SHW_OK;
    while (walk->entered[branch] != 0)
        branch++;
    return refuse(place, &branches->items[branch], "not reached from the root");
}

static enum shw_result check(const struct shw_branches *branches, uint32_t root, const struct shw_branches_place *place)
{
    struct walk walk = {.branches = branches,
                        .path = calloc(branches->count, sizeof *walk.path),
                        .entered = calloc(branches->count, sizeof *walk.entered)};
    enum shw_result result = walk.path != NULL && walk.entered != NULL ? check_walk(&walk, root, place)
                                                                       : shw_fail_memory(place->log, place->file);

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

static uint8_t child_of_slice(const struct shw_branch *branch, uint32_t slice)
{
    return (branch->lowest + slice) & 1;
}

/* What the nodes above a place let through of an attribute: codes above `low` up to `high`, and what is missing. */
struct passage {
    int64_t low, high;
    bool has_missing;
};

static struct passage find_passage(const struct expansion *expansion, struct link link, uint32_t attribute)
{
    struct passage passage = {INT64_MIN, INT64_MAX, true};

    for (uint32_t steps = 0; steps < NODES_ABOVE && link.parent != NO_NODE; steps++) {
        const struct shw_record_builder_node *node = &expansion->nodes[link.parent];
        if (node->attribute == attribute) {
            const bool is_plain = node->set == NULL && !node->zero_missing;
            passage.has_missing = passage.has_missing && node->missing_right == link.is_right;
            if (link.is_right && is_plain && node->threshold > passage.low)
                passage.low = node->threshold;
            if (!link.is_right && is_plain && node->threshold < passage.high)
                passage.high = node->threshold;
        }
        link = expansion->links[link.parent];
    }
    return passage;
}

/* Drops slices that no number reaches because the attribute was tested above; one is kept where missing values could
 * otherwise not be distinguished from numbers. Trees without tests of sets are unchanged. */
static void narrow(const struct expansion *expansion, struct task *task)
{
    const struct shw_branch *branch = &expansion->branches->items[task->branch];
    const int32_t *cuts = expansion->branches->cuts + branch->first_cut;
    struct passage passage;

    task->low = 0;
    task->high = branch->cut_count;
    if (!branch->is_split || branch->cut_count < 2 || branch->zero_missing)
        return;
    passage = find_passage(expansion, (struct link){task->parent, task->is_right}, branch->attribute);
    while (task->low < task->high && cuts[task->low] <= passage.low)
        task->low++;
    while (task->high > task->low && cuts[task->high - 1] >= passage.high)
        task->high--;
    if (task->low < task->high || !passage.has_missing || child_of_slice(branch, task->low) == branch->missing)
        return;
    if (task->low > 0)
        task->low--;
    else
        task->high++;
}

/* Descends while the task is a single slice of a split, which is a whole child. */
static struct task descend(const struct expansion *expansion, struct task task)
{
    const struct shw_branch *branch = &expansion->branches->items[task.branch];

    while (branch->is_split && task.low == task.high) {
        task.branch = branch->child[child_of_slice(branch, task.low)];
        branch = &expansion->branches->items[task.branch];
        narrow(expansion, &task);
    }
    return task;
}

/* Whether thresholds are as good: there is one, or there are two and the child that occurs twice is a leaf. */
static bool needs_no_set(const struct expansion *expansion, const struct task *task)
{
    const struct shw_branch *branch = &expansion->branches->items[task->branch];
    const uint32_t cuts = task->high - task->low;

    return !expansion->has_sets || cuts < 2 || branch->zero_missing ||
           (cuts == 2 && !expansion->branches->items[branch->child[child_of_slice(branch, task->low)]].is_split);
}

/* The set that a branch tests, made on first use; NULL if it tests none. False if memory is exhausted. */
static bool find_set(struct expansion *expansion, const struct task *task, const uint32_t **set)
{
    const struct shw_branch *branch = &expansion->branches->items[task->branch];
    struct set *own;

    *set = NULL;
    if (needs_no_set(expansion, task))
        return true;
    if (expansion->sets == NULL)
        expansion->sets = calloc(expansion->branches->count, sizeof *expansion->sets);
    if (expansion->sets == NULL)
        return false;
    own = &expansion->sets[task->branch];
    if (!own->is_known && expansion->set_words <= SHW_RECORD_SET_WORDS_MAX) {
        if (!shw_record_set_of_cuts(expansion->branches->cuts + branch->first_cut, branch->cut_count,
                                    branch->lowest == 0, &own->words))
            return false;
        expansion->set_words += own->words != NULL ? own->words[1] : 0;
    }
    own->is_known = true;
    *set = own->words;
    return true;
}

static bool push_child(struct expansion *expansion, const struct task *task, uint32_t node, bool is_right)
{
    struct task child = {
        .branch = expansion->branches->items[task->branch].child[is_right], .parent = node, .is_right = is_right};

    narrow(expansion, &child);
    return push(expansion, &child);
}

/* A node that tests a set has the children of its branch. */
static bool split_by_set(struct expansion *expansion, const struct task *task, const uint32_t *set, uint32_t node)
{
    const struct shw_branch *branch = &expansion->branches->items[task->branch];

    expansion->nodes[node] = (struct shw_record_builder_node){
        .is_split = true,
        .missing_right = branch->missing == 1,
        .attribute = branch->attribute,
        .set = set,
        .source = branch->source,
    };
    return push_child(expansion, task, node, true) && push_child(expansion, task, node, false);
}

/* The greatest double that goes left by the cut of a set, whose categories begin with whole numbers. */
static double limit_of(int32_t cut)
{
    const double next = (double)shw_record_code_value(cut + 1);

    return next >= 0 && next == floor(next) ? nextafter(next, -INFINITY) : (double)shw_record_code_value(cut);
}

/* Divides the slices of a task in the middle; records without the attribute go to the first slice of their child. */
static bool divide(struct expansion *expansion, const struct task *task, uint32_t node)
{
    const struct shw_branch *branch = &expansion->branches->items[task->branch];
    const uint32_t middle = task->low + (task->high - task->low - 1) / 2;
    const uint32_t missing_slice = task->low + (child_of_slice(branch, task->low) != branch->missing);

    expansion->nodes[node] = (struct shw_record_builder_node){
        .is_split = true,
        .missing_right = missing_slice > middle,
        .zero_missing = branch->zero_missing,
        .attribute = branch->attribute,
        .threshold = expansion->branches->cuts[branch->first_cut + middle],
        .has_limit = branch->has_limit,
        .limit =
            branch->cut_count == 1 ? branch->limit : limit_of(expansion->branches->cuts[branch->first_cut + middle]),
        .source = branch->source,
    };
    return push(expansion, &(struct task){task->branch, middle + 1, task->high, node, true}) &&
           push(expansion, &(struct task){task->branch, task->low, middle, node, false});
}

static bool grows_too_much(const struct expansion *expansion)
{
    const uint32_t count = expansion->node_count;

    return count / NODES_PER_BRANCH >= expansion->branches->count &&
           (count >= NODES_FREE || expansion->nodes_before + count >= FOREST_FREE);
}

/* Names the split with the most places, if one has several. */
static enum shw_result refuse_growth(const struct expansion *expansion)
{
    const struct shw_branches *branches = expansion->branches;
    const struct shw_branch *most = branches->items;
    const char *reason = "nodes that are the child of several ones repeated";
    char sets[80];

    for (uint32_t b = 0; b < branches->count; b++)
        if (branches->items[b].cut_count > most->cut_count)
            most = &branches->items[b];
    if (most->cut_count > 1) {
        snprintf(sets, sizeof sets, "its tests of sets, such as that of node %u, written out as thresholds",
                 most->source);
        reason = sets;
    }
    return shw_fail(expansion->place->log, SHW_ERROR_LIMIT, SHW_LOG_FILE_READ,
                    "%s, tree %u: with %s, it has more than %u nodes, and all trees before it %u",
                    expansion->place->file, expansion->place->tree, reason, expansion->node_count,
                    expansion->nodes_before);
}

static enum shw_result run_task(struct expansion *expansion)
{
    const struct task task = descend(expansion, expansion->tasks[--expansion->task_count]);
    const struct shw_branch *branch = &expansion->branches->items[task.branch];
    const uint32_t node = expansion->node_count, *set = NULL;

    if (grows_too_much(expansion))
        return refuse_growth(expansion);
    if (!SHW_RESERVE(expansion->nodes, expansion->node_capacity, (size_t)node + 1) ||
        !SHW_RESERVE(expansion->links, expansion->link_capacity, (size_t)node + 1))
        return shw_fail_memory(expansion->place->log, expansion->place->file);
    expansion->links[expansion->node_count++] = (struct link){task.parent, task.is_right};
    if (task.parent != NO_NODE) {
        struct shw_record_builder_node *parent = &expansion->nodes[task.parent];
        *(task.is_right ? &parent->right : &parent->left) = node;
    }
    if (!branch->is_split)
        expansion->nodes[node] = (struct shw_record_builder_node){
            .source = branch->source, .values = expansion->branches->values + branch->first_value};
    else if (!find_set(expansion, &task, &set) ||
             !(set != NULL ? split_by_set(expansion, &task, set, node) : divide(expansion, &task, node)))
        return shw_fail_memory(expansion->place->log, expansion->place->file);
    return SHW_OK;
}

/* Whether a tree should be made again, with sets. */
static bool needs_sets(const struct expansion *expansion)
{
    return !expansion->has_sets && expansion->node_count / NODES_WITHOUT_SETS > expansion->branches->count;
}

static enum shw_result run_tasks(struct expansion *expansion, uint32_t root)
{
    const struct task first = {root, 0, expansion->branches->items[root].cut_count, NO_NODE, false};

    expansion->node_count = expansion->task_count = 0;
    if (!push(expansion, &first))
        return shw_fail_memory(expansion->place->log, expansion->place->file);
    while (expansion->task_count > 0 && !needs_sets(expansion))
        SHW_PROPAGATE(run_task(expansion));
    return SHW_OK;
}

enum shw_result shw_branches_build(const struct shw_branches *branches, uint32_t root,
                                   const struct shw_branches_place *place, uint32_t output,
                                   struct shw_record_builder *builder)
{
    struct expansion expansion = {
        .branches = branches, .place = place, .nodes_before = shw_record_builder_count_nodes(builder)};
    enum shw_result result;

    SHW_PROPAGATE(check(branches, root, place));
    result = run_tasks(&expansion, root);
    if (result == SHW_OK && needs_sets(&expansion)) {
        expansion.has_sets = true;
        result = run_tasks(&expansion, root);
    }
    if (result == SHW_OK)
        result = shw_record_builder_add(builder, expansion.nodes, expansion.node_count, output);
    for (uint32_t b = 0; expansion.sets != NULL && b < branches->count; b++)
        free(expansion.sets[b].words);
    free(expansion.sets);
    free(expansion.tasks);
    free(expansion.links);
    free(expansion.nodes);
    return result;
}
