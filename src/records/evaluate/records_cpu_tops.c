/* Tops of trees: the upper levels, all of whose tests are made. */
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "records/evaluate/records_cpu.h"

/* Levels of a top, beyond which walking takes less time. */
#define MOST_8  8u
#define MOST_16 6u
#define MOST_32 5u

#define NONE            UINT32_MAX
#define NODES_MAX       (1u << SHW_RECORD_TOP_MAX)
#define PLACES_PER_NODE 4u /* at most, so that tops of unbalanced trees do not take much more memory than these */

/* Levels above the first test of a set; all of them if there is none. */
static uint32_t levels_without_sets(const struct shw_record_tree *tree, const struct shw_record_node *nodes)
{
    uint32_t level = 0, end = 1, splits = 0;

    for (uint32_t n = 0; n < tree->node_count; n++) {
        if (n == end) {
            level++;
            end = 1 + 2 * splits;
        }
        if (nodes[n].is_set)
            return level;
        splits += nodes[n].is_split;
    }
    return tree->depth;
}

static uint32_t levels_for(const struct shw_record_tree *tree, uint32_t levels, enum shw_record_width width)
{
    const uint32_t most = width == SHW_RECORD_RANK_8 ? MOST_8 : width == SHW_RECORD_RANK_16 ? MOST_16 : MOST_32;

    levels = shw_min_u32(levels, most);

    while (levels > 0 && 1u << levels > PLACES_PER_NODE * tree->node_count)
        levels--;
    return levels;
}

/* The number of nodes on the upper levels and on the one below them. */
static uint32_t count_upper(const struct shw_record_node *nodes, uint32_t node_count, uint32_t levels)
{
    uint32_t n = 0, end = 1;

    for (uint32_t level = 0; level < levels && n < end; level++) {
        uint32_t splits = 0;
        for (; n < end; n++)
            splits += nodes[n].is_split;
        end += 2 * splits;
    }
    return shw_min_u32(end, node_count);
}

struct place_counts {
    size_t nodes, places, set_words;
};

/* The words of a test of a set that has a bit for each rank. */
static uint32_t words_of_set(const struct shw_record_axes *axes, const struct shw_record_node *node)
{
    return shw_record_axis_of(axes, node->attribute)->threshold_count / 32 + 1;
}

static struct place_counts measure(const struct shw_record_forest_info *info, const struct shw_record_axes *axes,
                                   struct shw_record_top *trees)
{
    struct place_counts total = {0};

    for (uint32_t t = 0; t < info->tree_count; t++) {
        const struct shw_record_tree *tree = &info->trees[t];
        const struct shw_record_node *nodes = info->nodes + tree->first_node;
        uint32_t plain = info->set_word_count > 0 ? levels_without_sets(tree, nodes) : tree->depth;
        uint32_t levels = levels_for(tree, plain, axes->width);
        uint32_t lower = tree->node_count - count_upper(nodes, tree->node_count, levels);
        trees[t] = (struct shw_record_top){.levels = levels,
                                           .steps = tree->depth - levels,
                                           .has_sets = plain < tree->depth,
                                           .first_node = total.nodes,
                                           .first_place = total.places};
        total.nodes += ((size_t)1 << levels) - 1;
        total.places += ((size_t)1 << levels) + lower;
        for (uint32_t n = 0; trees[t].has_sets && axes->width != SHW_RECORD_CODE_32 && n < tree->node_count; n++)
            total.set_words += nodes[n].is_set ? words_of_set(axes, &nodes[n]) : 0;
    }
    return total;
}

/* A tree whose tables are filled in. */
struct filling {
    struct shw_record_tops *tops;
    const struct shw_record_tree *tree;
    struct shw_record_top *top;
    const struct shw_record_node *nodes;
    uint32_t upper;             /* nodes */
    uint32_t set_words;         /* of this tree and those before */
    uint32_t at[2 * NODES_MAX]; /* the node at each of the top's positions, level by level */
};

static uint32_t repeat(int32_t limit, enum shw_record_width width)
{
    uint32_t word = (uint32_t)limit;

    return width == SHW_RECORD_RANK_8    ? (word & 0xffu) * 0x01010101u
           : width == SHW_RECORD_RANK_16 ? (word & 0xffffu) * 0x00010001u
                                         : word;
}

/* A test that all records pass to the left, if there is no node or a leaf. */
static struct shw_record_top_node top_node(const struct shw_record_axes *axes, const struct shw_record_node *node)
{
    uint32_t column = 0;
    int32_t limit = 0;

    if (node != NULL && node->is_split && shw_record_axes_limit(axes, node, &limit)) {
        column = shw_record_column_of(axes->columns, node);
        limit++;
    } else
        limit = 0;
    return (struct shw_record_top_node){column * SHW_RECORD_LINE, repeat(limit, axes->width)};
}

/* The bit of its eight if a node of the top is a test. */
static uint32_t bit_of_eight(const struct shw_record_top_node *test, uint32_t number)
{
    uint32_t level = 0;

    while (number >= (2u << level) - 1)
        level++;
    return test->offset > 0 && level >= 3 ? 1u << SHW_RECORD_EIGHT(level, (number - (1u << level) + 1) / 8) : 0;
}

static void fill_top(struct filling *filling)
{
    struct shw_record_top_node *tests = filling->tops->nodes + filling->top->first_node;

    filling->at[0] = 0;
    for (uint32_t k = 0; k + 1 < 1u << filling->top->levels; k++) {
        uint32_t n = filling->at[k];
        const struct shw_record_node *node = n != NONE ? &filling->nodes[n] : NULL;
        bool is_split = node != NULL && node->is_split;
        tests[k] = top_node(filling->tops->axes, node);
        filling->top->eights |= bit_of_eight(&tests[k], k);
        filling->at[2 * k + 1] = is_split ? node->left : n;
        filling->at[2 * k + 2] = is_split ? node->left + 1 : NONE;
    }
}

/* The test of a set, if the node has one, by ranks. */
static void fill_set(struct filling *filling, size_t at, const struct shw_record_node *node)
{
    const struct shw_record_tops *tops = filling->tops;
    const struct shw_record_axis *axis;

    tops->sets[at] = SHW_RECORD_NO_SET;
    if (!node->is_set)
        return;
    axis = shw_record_axis_of(tops->axes, node->attribute);
    tops->sets[at] = filling->set_words;
    shw_record_set_ranks(tops->info->sets + (uint32_t)node->threshold, node->missing_right,
                         tops->axes->thresholds + axis->first_threshold, axis->threshold_count,
                         tops->set_words + filling->set_words);
    filling->set_words += words_of_set(tops->axes, node);
}

/* Node n, or NONE, at a place. */
static void fill_place(struct filling *filling, uint32_t place, uint32_t n)
{
    static const struct shw_record_node none = {0};
    const struct shw_record_tops *tops = filling->tops;
    const struct shw_record_node *node = n != NONE ? &filling->nodes[n] : &none;
    const size_t at = filling->top->first_place + place, per_leaf = tops->info->values_per_leaf;
    const uint32_t column = shw_record_column_of(tops->axes->columns, node);
    uint32_t left = node->is_split ? (1u << filling->top->levels) + node->left - filling->upper - place : 0;
    int32_t limit = INT32_MAX;

    tops->leaves[at] = node->leaf;
    if (tops->values != NULL)
        memcpy(tops->values + at * per_leaf,
               tops->info->leaf_values + ((size_t)filling->tree->first_leaf + node->leaf) * per_leaf,
               per_leaf * sizeof *tops->values);
    if (filling->top->steps == 0)
        return;
    if (node->is_split && !node->is_set)
        shw_record_axes_limit(tops->axes, node, &limit);
    if (tops->sets != NULL)
        fill_set(filling, at, node);
    if (tops->walks != NULL)
        tops->walks[at] = shw_record_walk_node_of(tops->axes->columns, node, limit, left);
    else
        tops->ranks[at] = (struct shw_record_rank_node){left, (uint16_t)column, (int16_t)shw_min_i32(limit, INT16_MAX)};
}

static void fill_tree(struct filling *filling)
{
    const uint32_t places = 1u << filling->top->levels;

    fill_top(filling);
    for (uint32_t p = 0; p < places; p++)
        fill_place(filling, p, filling->at[places - 1 + p]);
    for (uint32_t n = filling->upper; n < filling->tree->node_count; n++)
        fill_place(filling, places + n - filling->upper, n);
}

/* A place that adds nothing, in which a record stays. */
static void fill_nowhere(struct shw_record_tops *tops, size_t place)
{
    const uint32_t per_leaf = tops->info->values_per_leaf;

    tops->nowhere = place;
    tops->leaves[place] = 0;
    for (uint32_t v = 0; tops->values != NULL && v < per_leaf; v++)
        tops->values[place * per_leaf + v] = 0;
    if (tops->ranks != NULL)
        tops->ranks[place] = (struct shw_record_rank_node){.limit = INT16_MAX};
    if (tops->sets != NULL)
        tops->sets[place] = SHW_RECORD_NO_SET;
}

/* One place more than are counted. */
static bool allocate(struct shw_record_tops *tops, struct place_counts counts)
{
    const bool is_rank = tops->axes->width != SHW_RECORD_CODE_32,
               has_values = tops->info->values_per_leaf <= SHW_RECORD_PLACE_VALUES,
               has_sets = is_rank && tops->info->set_word_count > 0;

    tops->nodes = malloc((counts.nodes + 1) * sizeof *tops->nodes);
    counts.places++;
    tops->leaves = malloc(counts.places * sizeof *tops->leaves);
    tops->values = has_values ? malloc(counts.places * tops->info->values_per_leaf * sizeof *tops->values) : NULL;
    tops->ranks = is_rank ? malloc(counts.places * sizeof *tops->ranks) : NULL;
    tops->walks = is_rank ? NULL : malloc(counts.places * sizeof *tops->walks);
    tops->sets = has_sets ? malloc(counts.places * sizeof *tops->sets) : NULL;
    tops->set_words = has_sets ? calloc(counts.set_words + 1, sizeof *tops->set_words) : NULL;
    if (has_sets && (tops->sets == NULL || tops->set_words == NULL))
        return false;
    return tops->nodes != NULL && tops->leaves != NULL && (!has_values || tops->values != NULL) &&
           (is_rank ? tops->ranks != NULL : tops->walks != NULL);
}

enum shw_result shw_record_tops_make(const struct shw_record_forest_info *info, const struct shw_record_axes *axes,
                                     const struct shw_log *log, struct shw_record_tops *tops)
{
    struct filling *filling = malloc(sizeof *filling);
    struct place_counts counts = {0};

    *tops = (struct shw_record_tops){.info = info, .axes = axes};
    tops->trees = malloc(info->tree_count * sizeof *tops->trees);
    if (tops->trees != NULL)
        counts = measure(info, axes, tops->trees);
    if (filling == NULL || tops->trees == NULL || !allocate(tops, counts)) {
        free(filling);
        return shw_fail_memory(log, "tables of a record forest");
    }
    filling->set_words = 1; /* after the word that nodes without sets look at */
    for (uint32_t t = 0; t < info->tree_count; t++) {
        *filling = (struct filling){
            .tops = tops, .tree = &info->trees[t], .top = &tops->trees[t], .set_words = filling->set_words};
        filling->nodes = info->nodes + filling->tree->first_node;
        filling->upper = count_upper(filling->nodes, filling->tree->node_count, filling->top->levels);
        fill_tree(filling);
    }
    free(filling);
    fill_nowhere(tops, counts.places);
    return SHW_OK;
}

void shw_record_tops_free(struct shw_record_tops *tops)
{
    free(tops->trees);
    free(tops->nodes);
    free(tops->ranks);
    free(tops->walks);
    free(tops->leaves);
    free(tops->values);
    free(tops->sets);
    free(tops->set_words);
}

#define SIDE_BY_SIDE 8u /* records, which take turns, since each test waits for the one before */
#define LEVELS       8u /* between tests whether all have reached leaves */

/* A loop for each type of nodes and values: the records of a group. `SIDE` is 1 if record `r` at `node` goes right. */
#define DESCEND(name, node_type, value_type, SIDE)                                                                     \
    static void name(const node_type *nodes, const uint32_t *sets, const uint32_t *words, uint32_t steps,              \
                     const value_type *values, uint32_t *places)                                                       \
    {                                                                                                                  \
        const uint32_t group = SHW_RECORD_LINE / sizeof *values;                                                       \
                                                                                                                       \
        (void)sets;                                                                                                    \
        (void)words;                                                                                                   \
        for (uint32_t first = 0; first < group; first += SIDE_BY_SIDE) {                                               \
            uint32_t place[SIDE_BY_SIDE], moved = 1;                                                                   \
            memcpy(place, places + first, sizeof place);                                                               \
            for (uint32_t left = steps; left > 0 && moved;) {                                                          \
                uint32_t begin[SIDE_BY_SIDE];                                                                          \
                memcpy(begin, place, sizeof begin);                                                                    \
                for (uint32_t end = left - shw_min_u32(left, LEVELS); left > end; left--)                              \
                    for (uint32_t s = 0; s < SIDE_BY_SIDE; s++) {                                                      \
                        const node_type *node = &nodes[place[s]];                                                      \
                        const uint32_t r = first + s;                                                                  \
                        place[s] += node->left + (SIDE);                                                               \
                    }                                                                                                  \
                moved = memcmp(begin, place, sizeof begin) != 0;                                                       \
            }                                                                                                          \
            memcpy(places + first, place, sizeof place);                                                               \
        }                                                                                                              \
    }

DESCEND(descend_8, struct shw_record_rank_node, int8_t, values[node->column * group + r] > node->limit)
DESCEND(descend_16, struct shw_record_rank_node, int16_t, values[node->column * group + r] > node->limit)
DESCEND(descend_32, struct shw_record_walk_node, int32_t, values[node->column * group + r] > node->limit)

/* By rank, whichever test it is: thresholds compare as above, sets have a bit for each. Both are found out, which takes
 * less time than a branch that nobody can predict. */
static inline uint32_t rank_side(int32_t value, int32_t lowest, int32_t limit, uint32_t set, const uint32_t *words)
{
    const uint32_t rank = (uint32_t)(value - lowest), has_set = 0u - (set != SHW_RECORD_NO_SET);
    const uint32_t bit = words[set + (rank / 32 & has_set)] >> rank % 32 & 1u;

    return (bit & has_set) | ((uint32_t)(value > limit) & ~has_set);
}

DESCEND(descend_sets_8, struct shw_record_rank_node, int8_t,
        rank_side(values[node->column * group + r], INT8_MIN, node->limit, sets[place[s]], words))
DESCEND(descend_sets_16, struct shw_record_rank_node, int16_t,
        rank_side(values[node->column * group + r], INT16_MIN, node->limit, sets[place[s]], words))
DESCEND(descend_sets_32, struct shw_record_walk_node, int32_t, shw_record_walk_side(node, words, values + r, group))

/* Trees without sets have loops of their own, which know none. */
void shw_record_tops_descend(const struct shw_record_tops *tops, uint32_t tree, const uint8_t *lines, uint32_t groups,
                             uint32_t *places)
{
    const struct shw_record_top *top = &tops->trees[tree];
    const uint32_t group = shw_record_axes_group(tops->axes), steps = top->steps;
    const bool has_sets = top->has_sets;
    const struct shw_record_rank_node *ranks = tops->ranks != NULL ? tops->ranks + top->first_place : NULL;
    const struct shw_record_walk_node *walks = tops->walks != NULL ? tops->walks + top->first_place : NULL;
    const uint32_t *sets = tops->sets != NULL ? tops->sets + top->first_place : NULL;
    const uint32_t *words = tops->sets != NULL ? tops->set_words : tops->info->sets;

    for (uint32_t g = 0; g < groups; g++, places += group) {
        const void *values = lines + (size_t)g * tops->axes->columns->count * SHW_RECORD_LINE;
        switch (tops->axes->width) {
        case SHW_RECORD_RANK_8:
            (has_sets ? descend_sets_8 : descend_8)(ranks, sets, words, steps, values, places);
            break;
        case SHW_RECORD_RANK_16:
            (has_sets ? descend_sets_16 : descend_16)(ranks, sets, words, steps, values, places);
            break;
        case SHW_RECORD_CODE_32:
            (has_sets ? descend_sets_32 : descend_32)(walks, sets, words, steps, values, places);
            break;
        }
    }
}

/* A loop for each type of nodes and values, as above: one record in several trees. */
#define DESCEND_TREES(name, node_type, value_type, SIDE)                                                               \
    static void name(const node_type *nodes, const uint32_t *sets, const uint32_t *words, uint32_t steps,              \
                     const value_type *values, uint32_t count, uint64_t *places)                                       \
    {                                                                                                                  \
        (void)sets;                                                                                                    \
        (void)words;                                                                                                   \
        for (uint32_t first = 0; first < count; first += SIDE_BY_SIDE) {                                               \
            uint64_t place[SIDE_BY_SIDE], moved = 1;                                                                   \
            memcpy(place, places + first, sizeof place);                                                               \
            for (uint32_t left = steps; left > 0 && moved > 0;) {                                                      \
                for (uint32_t end = left - shw_min_u32(left, LEVELS); left > end; left--)                              \
                    for (uint32_t s = 0; s < SIDE_BY_SIDE; s++) {                                                      \
                        const node_type *node = &nodes[place[s]];                                                      \
                        place[s] += node->left + (SIDE);                                                               \
                    }                                                                                                  \
                moved = 0;                                                                                             \
                for (uint32_t s = 0; s < SIDE_BY_SIDE; s++)                                                            \
                    moved |= nodes[place[s]].left;                                                                     \
            }                                                                                                          \
            memcpy(places + first, place, sizeof place);                                                               \
        }                                                                                                              \
    }

DESCEND_TREES(descend_trees_8, struct shw_record_rank_node, int8_t, values[node->column] > node->limit)
DESCEND_TREES(descend_trees_16, struct shw_record_rank_node, int16_t, values[node->column] > node->limit)
DESCEND_TREES(descend_trees_sets_8, struct shw_record_rank_node, int8_t,
              rank_side(values[node->column], INT8_MIN, node->limit, sets[place[s]], words))
DESCEND_TREES(descend_trees_sets_16, struct shw_record_rank_node, int16_t,
              rank_side(values[node->column], INT16_MIN, node->limit, sets[place[s]], words))

void shw_record_tops_descend_trees(const struct shw_record_tops *tops, const void *values, uint32_t count,
                                   uint32_t steps, bool has_sets, uint64_t *places)
{
    if (tops->axes->width == SHW_RECORD_RANK_8)
        (has_sets ? descend_trees_sets_8 : descend_trees_8)(tops->ranks, tops->sets, tops->set_words, steps, values,
                                                            count, places);
    else
        (has_sets ? descend_trees_sets_16 : descend_trees_16)(tops->ranks, tops->sets, tops->set_words, steps, values,
                                                              count, places);
}
