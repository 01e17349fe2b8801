/* Trees of records against plain code that tries every test. */
#include "record_train_tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shared/attribute_ranks.h"

enum { RECORDS_MAX = 60, ATTRIBUTES_MAX = 5, CLASSES = 3 };

/* A small training set, and how to train on it. */
struct problem {
    uint32_t records, attributes;
    float values[RECORDS_MAX * ATTRIBUTES_MAX];
    uint32_t classes[RECORDS_MAX];
    struct shw_record_trainer_params params;
};

static struct shw_record_examples examples_of(const struct problem *problem)
{
    return (struct shw_record_examples){
        .records = {.values = problem->values, .count = problem->records, .attribute_count = problem->attributes},
        .classes = problem->classes,
        .class_count = CLASSES};
}

/* Numbers that are hard to order, few enough that records share them. */
static float odd_value(struct testing_random *random, uint32_t missing_percent)
{
    static const float odd[] = {0,         -0.0F,  1,       1.0000001F, -1,       3e38F,    -3e38F, INFINITY,
                                -INFINITY, 1e-45F, -1e-45F, 0.5F,       16777216, 16777218, 2,      -7.25F};

    if (testing_random_below(random, 100) < missing_percent)
        return NAN;
    return odd[testing_random_below(random, sizeof odd / sizeof *odd)];
}

static void make_problem(uint32_t number, struct problem *problem)
{
    struct testing_random random = {number};
    uint32_t missing = number % 3 == 0 ? 0 : testing_random_below(&random, 60);

    *problem = (struct problem){.records = 1 + testing_random_below(&random, RECORDS_MAX),
                                .attributes = 1 + testing_random_below(&random, ATTRIBUTES_MAX)};
    for (uint32_t i = 0; i < problem->records * problem->attributes; i++)
        problem->values[i] = odd_value(&random, missing);
    for (uint32_t r = 0; r < problem->records; r++)
        problem->classes[r] = testing_random_below(&random, CLASSES);
    problem->params = (struct shw_record_trainer_params){
        .tree_count = 1,
        .records_percent = 100,
        .attributes = SHW_RECORD_ATTRIBUTES_ALL,
        .score = number % 2 == 0 ? SHW_SCORE_GINI : SHW_SCORE_MISCLASSIFICATION,
        .samples_min = number % 5 == 0 ? 3 : 0,
        .depth = number % 7 == 0 ? 2 : 0,
        .leaf_max = number % 11 == 0 ? 4 : 0,
    };
}

/* A node of the plain tree: the records that reach it, and its test. */
struct plain_node {
    uint32_t members[RECORDS_MAX], count, depth;
    bool is_split, missing_right;
    uint32_t attribute, left;
    int32_t threshold;
};

/* A partition of a node: the records that go with the greater values, or are missing, as the question has it. */
struct plain_test {
    uint32_t attribute, asked;
    float bound; /* values from this on are the greater ones */
};

static float value_of(const struct problem *problem, uint32_t record, uint32_t attribute)
{
    return problem->values[record * problem->attributes + attribute];
}

static bool goes_greater(const struct problem *problem, const struct plain_test *test, uint32_t record)
{
    float value = value_of(problem, record, test->attribute);

    if (isnan(value))
        return test->asked != SHW_ATTRIBUTE_FALLING;
    return test->asked != SHW_ATTRIBUTE_ABSENT && value >= test->bound;
}

static void count_sides(const struct problem *problem, const struct plain_node *node, const struct plain_test *test,
                        uint64_t counts[2][CLASSES], uint64_t sides[2])
{
    memset(counts, 0, 2 * sizeof counts[0]);
    sides[0] = sides[1] = 0;
    for (uint32_t i = 0; i < node->count; i++) {
        int side = test != NULL && goes_greater(problem, test, node->members[i]);
        counts[side][problem->classes[node->members[i]]]++;
        sides[side]++;
    }
}

/* As a fraction. */
struct plain_score {
    uint64_t numerator, denominator;
};

static struct plain_score score_of(enum shw_score score, uint64_t counts[2][CLASSES], const uint64_t sides[2])
{
    uint64_t squares[2] = {0}, most[2] = {0}, n[2] = {sides[0] > 0 ? sides[0] : 1, sides[1] > 0 ? sides[1] : 1};

    for (int s = 0; s < 2; s++)
        for (int c = 0; c < CLASSES; c++) {
            squares[s] += counts[s][c] * counts[s][c];
            most[s] = counts[s][c] > most[s] ? counts[s][c] : most[s];
        }
    if (score == SHW_SCORE_MISCLASSIFICATION)
        return (struct plain_score){most[0] + most[1], 1};
    return (struct plain_score){squares[0] * n[1] + squares[1] * n[0], n[0] * n[1]};
}

static bool is_better(struct plain_score a, struct plain_score b)
{
    return a.numerator * b.denominator > b.numerator * a.denominator;
}

static int ascending(const void *a, const void *b)
{
    float left = *(const float *)a, right = *(const float *)b;

    return left < right ? -1 : left > right;
}

/* The values of the attribute at the node, each once, ascending. */
static uint32_t list_values(const struct problem *problem, const struct plain_node *node, uint32_t attribute,
                            float values[RECORDS_MAX])
{
    uint32_t count = 0, kept = 0;

    for (uint32_t i = 0; i < node->count; i++)
        if (!isnan(value_of(problem, node->members[i], attribute)))
            values[count++] = value_of(problem, node->members[i], attribute);
    qsort(values, count, sizeof *values, ascending);
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || values[i] != values[kept - 1])
            values[kept++] = values[i];
    return kept;
}

/* The best test, the first among equals in the order of the trainer's candidates and thresholds. */
static bool find_best(const struct problem *problem, const struct plain_node *node, bool has_missing,
                      struct plain_test *best)
{
    uint32_t least = problem->params.samples_min > 0 ? problem->params.samples_min : 1;
    uint64_t counts[2][CLASSES], sides[2];
    struct plain_score best_score;
    bool found = false;

    count_sides(problem, node, NULL, counts, sides);
    best_score = score_of(problem->params.score, counts, sides);
    for (uint32_t candidate = 0; candidate < problem->attributes * (has_missing ? 3 : 1); candidate++) {
        struct plain_test test = {candidate / (has_missing ? 3 : 1), has_missing ? candidate % 3 : 0, 0};
        float values[RECORDS_MAX];
        uint32_t count = list_values(problem, node, test.attribute, values);
        for (uint32_t i = 1; i < (test.asked == SHW_ATTRIBUTE_ABSENT ? 2 : count); i++) {
            struct plain_score score;
            test.bound = test.asked == SHW_ATTRIBUTE_RISING    ? values[i]
                         : test.asked == SHW_ATTRIBUTE_FALLING ? values[count - i]
                                                               : 0;
            count_sides(problem, node, &test, counts, sides);
            score = score_of(problem->params.score, counts, sides);
            if (sides[0] < least || sides[1] < least || !is_better(score, best_score))
                continue;
            best_score = score;
            *best = test;
            found = true;
        }
    }
    return found;
}

/* Where the threshold of a test lies, and where records without the attribute go. */
static void settle(const struct problem *problem, const struct plain_test *test, struct plain_node *node)
{
    float below = -INFINITY, from = INFINITY;
    uint32_t lesser = 0, greater = 0, missing = 0;
    double middle;

    for (uint32_t i = 0; i < node->count; i++) {
        float value = value_of(problem, node->members[i], test->attribute);
        missing += isnan(value) ? 1 : 0;
        lesser += value < test->bound;
        greater += value >= test->bound;
        below = value < test->bound && value > below ? value : below;
        from = value >= test->bound && value < from ? value : from;
    }
    node->attribute = test->attribute;
    node->missing_right = missing > 0 ? test->asked != SHW_ATTRIBUTE_FALLING : lesser <= greater;
    middle = ((double)below + (double)from) / 2;
    node->threshold = test->asked == SHW_ATTRIBUTE_ABSENT ? shw_record_code_of(INFINITY)
                      : isfinite(middle)                  ? shw_record_threshold_at_most(middle)
                                                          : shw_record_code_of(below);
}

/* Whether the node would be looked at in the next round. */
static bool is_open(const struct problem *problem, const struct plain_node *node)
{
    uint32_t depth = problem->params.depth > 0 ? problem->params.depth : SHW_DEPTH_MAX;
    uint32_t least = problem->params.samples_min > 0 ? problem->params.samples_min : 1;
    uint64_t counts[2][CLASSES], sides[2];
    uint32_t classes = 0;

    count_sides(problem, node, NULL, counts, sides);
    for (int c = 0; c < CLASSES; c++)
        classes += counts[0][c] > 0;
    return node->depth < depth && node->count >= 2 * least && classes >= 2;
}

static void divide(const struct problem *problem, const struct plain_test *test, const struct plain_node *node,
                   struct plain_node children[2])
{
    for (int side = 0; side < 2; side++)
        children[side] = (struct plain_node){.depth = node->depth + 1};
    for (uint32_t i = 0; i < node->count; i++) {
        struct plain_node *child = &children[goes_greater(problem, test, node->members[i])];
        child->members[child->count++] = node->members[i];
    }
}

/* The trainer numbers nodes round by round, the child that missing records go to as the right one, and that is the
 * order in which a limit of leaves is used up. */
static uint32_t grow(const struct problem *problem, struct plain_node *nodes)
{
    uint32_t count = 1, leaves = 1;
    bool has_missing = false;

    for (uint32_t i = 0; i < problem->records * problem->attributes; i++)
        has_missing = has_missing || isnan(problem->values[i]);
    nodes[0] = (struct plain_node){.count = problem->records};
    for (uint32_t r = 0; r < problem->records; r++)
        nodes[0].members[r] = r;
    for (uint32_t n = 0; n < count; n++) {
        struct plain_test test;
        struct plain_node children[2];
        bool falls;
        if ((problem->params.leaf_max > 0 && leaves >= problem->params.leaf_max) || !is_open(problem, &nodes[n]) ||
            !find_best(problem, &nodes[n], has_missing, &test))
            continue;
        settle(problem, &test, &nodes[n]);
        divide(problem, &test, &nodes[n], children);
        nodes[n].is_split = true;
        nodes[n].left = count; /* of the lesser values, for now */
        falls = test.asked == SHW_ATTRIBUTE_FALLING;
        nodes[count + falls] = children[0];
        nodes[count + 1 - falls] = children[1];
        nodes[n].left |= falls ? 0x80000000u : 0;
        count += 2;
        leaves++;
    }
    return count;
}

static void check_leaf(const struct problem *problem, const struct plain_node *node, const int32_t *values,
                       uint32_t number)
{
    uint64_t counts[2][CLASSES], sides[2];
    int64_t sum = 0;

    count_sides(problem, node, NULL, counts, sides);
    for (int c = 0; c < CLASSES; c++) {
        double share = ldexp((double)counts[0][c] / (double)node->count, 30);
        sum += values[c];
        if (fabs(values[c] - share) > 1)
            fail_msg("problem %u: %d of class %d instead of %g", number, values[c], c, share);
    }
    assert_int_equal(sum, 1 << 30);
}

/* Compares the subtrees below both nodes. */
static void check_node(const struct problem *problem, const struct plain_node *plain, uint32_t p,
                       const struct shw_record_forest_info *info, uint32_t n, uint32_t number)
{
    const struct shw_record_node *node = &info->nodes[n];
    uint32_t falls = plain[p].left >> 31, left = plain[p].left & 0x7fffffffu;

    if (node->is_split != plain[p].is_split)
        fail_msg("problem %u, node %u: a split is a leaf, or the other way round", number, n);
    if (!node->is_split) {
        check_leaf(problem, &plain[p], info->leaf_values + (size_t)CLASSES * node->leaf, number);
        return;
    }
    if (node->attribute != plain[p].attribute || node->threshold != plain[p].threshold ||
        node->missing_right != plain[p].missing_right || node->zero_missing)
        fail_msg("problem %u, node %u: attribute %u at %g, missing right %d, instead of %u at %g, %d", number, n,
                 node->attribute, (double)shw_record_code_value(node->threshold), node->missing_right,
                 plain[p].attribute, (double)shw_record_code_value(plain[p].threshold), plain[p].missing_right);
    check_node(problem, plain, left + falls, info, node->left, number);
    check_node(problem, plain, left + 1 - falls, info, node->left + 1, number);
}

TESTING_CASE(trees_are_those_of_plain_code)
{
    static struct problem problem;
    static struct plain_node nodes[2 * RECORDS_MAX];

    for (uint32_t number = 0; number < (TESTING_THREAD_SANITIZED ? 60u : 400u); number++) {
        struct shw_record_examples examples;
        struct shw_record_forest *forest;
        uint32_t count;
        make_problem(number, &problem);
        examples = examples_of(&problem);
        forest = train_records(&problem.params, &examples);
        count = grow(&problem, nodes);
        if (shw_record_forest_get_info(forest)->node_count != count)
            fail_msg("problem %u: %u nodes instead of %u", number, shw_record_forest_get_info(forest)->node_count,
                     count);
        check_node(&problem, nodes, 0, shw_record_forest_get_info(forest), 0, number);
        shw_record_forest_destroy(&forest);
    }
}
