/* Training record forests: trees against plain code that tries every test, ranks, drawn attributes, odd records, and
 * the accuracy on a real set. */
#include "testing/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feature/feature_code.h"
#include "record_train/attribute_feature.h"
#include "record_train/rank.h"
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

static struct shw_record_forest *train(const struct shw_record_trainer_params *params,
                                       const struct shw_record_examples *examples)
{
    struct shw_record_trainer_params own = *params;
    struct shw_record_forest *forest = NULL;
    struct testing_log memory = {0};

    own.log = testing_log(&memory);
    own.threads = 2;
    assert_int_equal(shw_record_train(&own, examples, &forest), SHW_OK);
    assert_int_equal(memory.errors, 0);
    return forest;
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

static void trees_are_those_of_plain_code(void **state)
{
    static struct problem problem;
    static struct plain_node nodes[2 * RECORDS_MAX];

    (void)state;
    for (uint32_t number = 0; number < 400; number++) {
        struct shw_record_examples examples;
        struct shw_record_forest *forest;
        uint32_t count;
        make_problem(number, &problem);
        examples = examples_of(&problem);
        forest = train(&problem.params, &examples);
        count = grow(&problem, nodes);
        if (shw_record_forest_get_info(forest)->node_count != count)
            fail_msg("problem %u: %u nodes instead of %u", number, shw_record_forest_get_info(forest)->node_count,
                     count);
        check_node(&problem, nodes, 0, shw_record_forest_get_info(forest), 0, number);
        shw_record_forest_destroy(&forest);
    }
}

/* Candidates of a node are different attributes, and each choice of three of seven is equally likely. */
static void attributes_are_drawn_evenly(void **state)
{
    enum { ATTRIBUTES = 7, DRAWN = 3, NODES = 35000, CHOICES = 35 };
    const struct shw_candidate_space space = {.key = 17, .channels = 1, .size_max = 1, .offset_max = 7};
    uint32_t seen[1 << ATTRIBUTES] = {0}, firsts[ATTRIBUTES] = {0}, choices = 0;
    double squares = 0, of_firsts = 0;

    (void)state;
    for (uint32_t node = 0; node < NODES; node++) {
        uint32_t choice = 0;
        for (uint32_t c = 0; c < DRAWN; c++) {
            struct shw_feature feature = shw_feature_attribute.code->draw(NULL, &space, node, c);
            assert_true((feature.words[0] | feature.words[2] | feature.words[3]) == 0 && feature.words[1] < ATTRIBUTES);
            assert_int_equal(choice >> feature.words[1] & 1, 0);
            choice |= 1u << feature.words[1];
            if (c == 0)
                firsts[feature.words[1]]++;
        }
        seen[choice]++;
    }
    for (uint32_t choice = 0; choice < 1 << ATTRIBUTES; choice++) {
        double expected = (double)NODES / CHOICES;
        if (__builtin_popcount(choice) != DRAWN)
            continue;
        choices++;
        squares += (seen[choice] - expected) * (seen[choice] - expected) / expected;
    }
    for (uint32_t a = 0; a < ATTRIBUTES; a++)
        of_firsts += (firsts[a] - 5000.0) * (firsts[a] - 5000.0) / 5000.0;
    assert_int_equal(choices, CHOICES);
    assert_true(squares < 65.2);   /* 34 degrees of freedom: once in 1000 */
    assert_true(of_firsts < 22.5); /* 6 */
}

/* All of them are drawn, whatever their number, and a question each if values may be missing. */
static void attributes_are_all_drawn(void **state)
{
    static const uint32_t counts[] = {2, 33, 200};

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (uint32_t flags = 0; flags < 4; flags++) {
            uint32_t shift = (uint32_t)i, rows = ((counts[i] - 1) >> shift) + 1;
            uint32_t asked = flags >> SHW_ATTRIBUTE_ABSENT_SHIFT != 0 ? SHW_ATTRIBUTE_ASKED : 1;
            struct shw_candidate_space space = {.key = 3,
                                                .channels = 1,
                                                .offset_max = rows,
                                                .size_max = (rows << shift) - counts[i] + 1,
                                                .single_percent = flags | shift << SHW_ATTRIBUTE_BLOCKS_SHIFT};
            uint8_t seen[200][SHW_ATTRIBUTE_ASKED] = {0};
            for (uint32_t c = 0; c < counts[i] * asked; c++) {
                struct shw_feature feature = shw_feature_attribute.code->draw(NULL, &space, 5, c);
                uint32_t attribute = shw_attribute_of(&feature, rows);
                assert_true(attribute < counts[i] && shw_attribute_asked(&feature) == c % asked);
                assert_true(seen[attribute][c % asked]++ == 0);
                if ((flags >> SHW_ATTRIBUTE_ALL_SHIFT & 1) != 0)
                    assert_int_equal(attribute, c / asked);
            }
        }
}

/* Ranks rise with values, also in groups of about the same size; only what is missing has none. */
static void check_ranks(const float *values, uint32_t records, const struct shw_ranks *ranks, uint32_t most)
{
    uint32_t *sizes = calloc(SHW_ATTRIBUTE_RANKS, sizeof *sizes);

    for (uint32_t r = 0; r < records; r++) {
        uint32_t rank = ranks->stored[r] - 2u;
        int32_t code = shw_record_code_of(values[r]);
        if (isnan(values[r])) {
            assert_int_equal(ranks->stored[r], 1);
            continue;
        }
        assert_true(rank < SHW_ATTRIBUTE_RANKS);
        sizes[rank]++;
        assert_true(ranks->lowest[0][rank] <= code);
    }
    for (uint32_t r = 0; r < records; r++) {
        uint32_t rank = ranks->stored[r] - 2u;
        if (!isnan(values[r]) && rank + 1 < SHW_ATTRIBUTE_RANKS && sizes[rank + 1] > 0)
            assert_true(shw_record_code_of(values[r]) < ranks->lowest[0][rank + 1]);
    }
    for (uint32_t rank = 0; rank < SHW_ATTRIBUTE_RANKS; rank++)
        assert_true(sizes[rank] <= most);
    free(sizes);
}

static void many_values_are_ranked_in_groups(void **state)
{
    static const uint32_t counts[] = {65533, 65534, 65535, 65536, 150000};
    static float values[150000];
    static uint32_t classes[150000];
    struct testing_random random = {9};
    struct shw_thread_pool *pool = NULL;

    (void)state;
    assert_int_equal(shw_thread_pool_create(2, &pool), SHW_OK);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct shw_record_examples examples = {.records = {.values = values, .count = counts[i], .attribute_count = 1},
                                               .classes = classes,
                                               .class_count = 2};
        struct shw_ranks ranks;
        for (uint32_t r = 0; r < counts[i]; r++) /* all different, in no order */
            values[r] = (float)((int64_t)((uint64_t)r * 77773 % counts[i]) - 30000);
        assert_int_equal(shw_ranks_make(&examples, pool, NULL, &ranks), SHW_OK);
        assert_false(ranks.is_missing_known);
        check_ranks(values, counts[i], &ranks, counts[i] <= SHW_ATTRIBUTE_RANKS ? 1 : counts[i] == 150000 ? 3 : 2);
        shw_ranks_free(&ranks);
        for (uint32_t r = 0; r < counts[i]; r += 1 + testing_random_below(&random, 9))
            values[r] = r % 2 == 0 ? NAN : 12345.5F;
        assert_int_equal(shw_ranks_make(&examples, pool, NULL, &ranks), SHW_OK);
        assert_true(ranks.is_missing_known);
        check_ranks(values, counts[i], &ranks, UINT32_MAX);
        shw_ranks_free(&ranks);
    }
    shw_thread_pool_destroy(&pool);
}

/* One attribute with more values than ranks, and classes that a value divides. */
static void groups_do_not_blur_thresholds(void **state)
{
    enum { RECORDS = 100000 };
    static float values[RECORDS];
    static uint32_t classes[RECORDS];
    const struct shw_record_trainer_params params = {.tree_count = 1, .records_percent = 100};
    struct shw_record_examples examples = {
        .records = {.values = values, .count = RECORDS, .attribute_count = 1}, .classes = classes, .class_count = 2};
    struct shw_record_forest *forest;
    const struct shw_record_forest_info *info;
    uint32_t right = 0;

    (void)state;
    for (uint32_t r = 0; r < RECORDS; r++) {
        values[r] = (float)((uint64_t)r * 77773 % RECORDS);
        classes[r] = values[r] >= 31234;
    }
    forest = train(&params, &examples);
    info = shw_record_forest_get_info(forest);
    for (uint32_t r = 0; r < RECORDS; r++) {
        const struct shw_record_node *node = info->nodes;
        while (node->is_split)
            node = &info->nodes[node->left + (shw_record_code_of(values[r]) > node->threshold)];
        right += info->leaf_values[(size_t)2 * node->leaf + classes[r]] > 1 << 29;
    }
    assert_true(right >= RECORDS - 5); /* two neighbours share a group, and large nodes look at few of their records */
    shw_record_forest_destroy(&forest);
}

static void odd_sets_are_trained_on(void **state)
{
    const float values[] = {1, NAN, 5, 2, NAN, 5, 3, NAN, 5, NAN, NAN, NAN};
    const uint32_t one_class[] = {2, 2, 2, 2}, other[] = {0, 1, SHW_RECORD_CLASS_NONE, 0};
    const char *const attributes[] = {"a", "b", "c"}, *const classes[] = {"x", "y", "z"};
    struct shw_record_examples examples = {.records = {.values = values, .count = 4, .attribute_count = 3},
                                           .classes = one_class,
                                           .class_count = 3,
                                           .attribute_names = attributes,
                                           .class_names = classes};
    const struct shw_record_trainer_params params = {.records_percent = 100, .tree_count = 2, .notes = "{\"n\":1}"};
    struct shw_record_forest *forest = train(&params, &examples);
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);

    (void)state;
    assert_true(info->tree_count == 2 && info->node_count == 2 && info->class_count == 3 && info->mean);
    assert_int_equal(info->leaf_values[2], 1 << 30);
    assert_string_equal(info->attribute_names[1], "b");
    assert_string_equal(info->class_names[2], "z");
    assert_non_null(strstr(info->training, "\"n\":1"));
    assert_non_null(strstr(info->training, "\"class_records\":[0,0,4]"));
    shw_record_forest_destroy(&forest);
    /* Of the constant attribute, of that which is always missing, and of the record without a class, nothing is asked.
     */
    examples.classes = other;
    forest = train(&(struct shw_record_trainer_params){.records_percent = 100,
                                                       .tree_count = 1,
                                                       .attributes = SHW_RECORD_ATTRIBUTES_ALL},
                   &examples);
    info = shw_record_forest_get_info(forest);
    assert_true(info->node_count == 3 && info->nodes[0].attribute == 0 && !info->nodes[0].missing_right);
    assert_int_equal(info->nodes[0].threshold, shw_record_code_of(1.5F));
    shw_record_forest_destroy(&forest);
    /* A number that means missing, and attributes one after the other. */
    examples.records.count = 3;
    examples.records.attribute_count = 2;
    examples.records.values = (const float[]){7, -9, 7, 1, 2, 3};
    examples.records.record_stride = 1;
    examples.records.attribute_stride = 3;
    examples.records.has_missing = true;
    examples.records.missing = -9;
    examples.attribute_names = NULL;
    examples.classes = (const uint32_t[]){0, 1, 0};
    forest = train(&(struct shw_record_trainer_params){.records_percent = 100,
                                                       .tree_count = 1,
                                                       .attributes = SHW_RECORD_ATTRIBUTES_ALL},
                   &examples);
    info = shw_record_forest_get_info(forest);
    assert_true(info->node_count == 3 && info->nodes[0].attribute == 0 && info->nodes[0].missing_right);
    assert_int_equal(info->nodes[0].threshold, shw_record_code_of(INFINITY));
    shw_record_forest_destroy(&forest);
}

static void wrong_parameters_are_refused(void **state)
{
    static const struct {
        struct shw_record_trainer_params params;
        const char *message;
    } wrong[] = {
        {{.bins = 256}, "bins is 256; it must be from 2 to 255"},
        {{.bins = 1}, "bins is 1; it must be from 2 to 255"},
        {{.records_percent = 101}, "records_percent is 101; it must be from 1 to 100"},
        {{.attributes = 3}, "attributes is 3; it must be from 1 to 2"},
        {{.depth = 65}, "depth is 65; it must be from 1 to 64"},
        {{.tree_count = 4097}, "trees is 4097; it must be from 1 to 4096"},
        {{.notes = "[]"}, "the notes must be a JSON object"},
        {{.out_of_bag = true, .records_percent = 100},
         "every tree is trained on all records, so none are out of bag: lower records_percent"},
        {{.weighting = SHW_WEIGHTING_GIVEN}, "class_weights require the weighting `given`, and it requires them"},
    };
    const float values[] = {1, 2, 3, 4};
    uint32_t classes[] = {0, 1};
    struct shw_record_examples examples = {
        .records = {.values = values, .count = 2, .attribute_count = 2}, .classes = classes, .class_count = 2};
    struct shw_record_trainer_params params = {0};
    struct shw_record_forest *forest = NULL;
    struct testing_log memory = {0};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        params = wrong[i].params;
        params.log = testing_log(&memory);
        assert_int_equal(shw_record_train(&params, &examples, &forest), SHW_ERROR_ARGUMENT);
        assert_string_equal(memory.last, wrong[i].message);
    }
    params = (struct shw_record_trainer_params){.log = testing_log(&memory)};
    classes[1] = 2;
    assert_int_equal(shw_record_train(&params, &examples, &forest), SHW_ERROR_FORMAT);
    assert_string_equal(memory.last, "record 1 has class 2; there are 2 classes");
    classes[0] = classes[1] = SHW_RECORD_CLASS_NONE;
    assert_int_equal(shw_record_train(&params, &examples, &forest), SHW_ERROR_FORMAT);
    assert_string_equal(memory.last, "none of the 2 records has a class");
    examples.class_count = 1;
    assert_int_equal(shw_record_train(&params, &examples, &forest), SHW_ERROR_ARGUMENT);
}

/* Noise cannot be told: what the forest has learned by heart does not count. */
static void out_of_bag_is_honest(void **state)
{
    enum { RECORDS = 600, ATTRIBUTES = 3 };
    static float values[RECORDS * ATTRIBUTES];
    static uint32_t classes[RECORDS];
    struct shw_record_examples examples = {
        .records = {.values = values, .count = RECORDS, .attribute_count = ATTRIBUTES},
        .classes = classes,
        .class_count = 2};
    struct testing_random random = {23};
    struct shw_record_trainer_params params = {.tree_count = 20, .threads = 2, .out_of_bag = true};

    (void)state;
    for (uint32_t i = 0; i < RECORDS * ATTRIBUTES; i++)
        values[i] = (float)testing_random_below(&random, 1000);
    for (int told = 0; told < 2; told++) {
        struct shw_record_trainer *trainer = NULL;
        struct shw_record_out_of_bag found;
        bool finished = false;
        for (uint32_t r = 0; r < RECORDS; r++)
            classes[r] = told != 0 ? values[r * ATTRIBUTES + 1] > 500 : testing_random_below(&random, 2);
        assert_int_equal(shw_record_trainer_create(&params, &examples, &trainer), SHW_OK);
        assert_int_equal(shw_record_trainer_get_out_of_bag(trainer, &found), SHW_ERROR_ARGUMENT);
        while (!finished)
            assert_int_equal(shw_record_trainer_step(trainer, &finished), SHW_OK);
        assert_int_equal(shw_record_trainer_get_out_of_bag(trainer, &found), SHW_OK);
        assert_true(found.records > RECORDS * 99 / 100 && found.records <= RECORDS);
        if (told != 0)
            assert_true(found.right > found.records * 97 / 100);
        else
            assert_true(found.right > found.records * 40 / 100 && found.right < found.records * 60 / 100);
        shw_record_trainer_destroy(&trainer);
    }
}

/* Reads a file of UCI's image segmentation set; returns the number of records. */
static uint32_t read_segments(const char *name, float *values, uint32_t *classes)
{
    static const char *const names[] = {"BRICKFACE", "SKY", "FOLIAGE", "CEMENT", "WINDOW", "PATH", "GRASS"};
    FILE *file = fopen(testing_data(name), "r");
    char line[1024];
    uint32_t count = 0;

    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        char *at = strchr(line, ',');
        uint32_t class = 0;
        while (at != NULL && class < 7 && strncmp(line, names[class], (size_t)(at - line)) != 0)
            class ++;
        if (at == NULL || class == 7)
            continue;
        for (uint32_t a = 0; a < 19; a++)
            values[19 * count + a] = strtof(at + 1, &at);
        classes[count++] = class;
    }
    fclose(file);
    return count;
}

/* scikit-learn's random forest of 100 trees has 95.6 % (docs/accuracy.md). */
static void segments_are_told(void **state)
{
    static float values[2][2100 * 19];
    static uint32_t classes[2][2100], found[2100];
    uint32_t right = 0, records = read_segments("uci_segment/segmentation.data", values[0], classes[0]);
    struct shw_record_examples examples = {.records = {.values = values[0], .count = records, .attribute_count = 19},
                                           .classes = classes[0],
                                           .class_count = 7};

    (void)state;
    assert_int_equal(records, 210);
    assert_int_equal(read_segments("uci_segment/segmentation.test", values[1], classes[1]), 2100);
    for (uint32_t seed = 0; seed < 5; seed++) {
        struct shw_record_forest *forest = train(&(struct shw_record_trainer_params){.seed = seed}, &examples);
        const struct shw_record_evaluator_params params = {.forest = forest, .technique = SHW_RECORD_CPU};
        const struct shw_records unseen = {.values = values[1], .count = 2100, .attribute_count = 19};
        struct shw_record_evaluator *evaluator = NULL;
        assert_int_equal(shw_record_evaluator_create(&params, &evaluator), SHW_OK);
        assert_int_equal(shw_record_evaluator_run(evaluator, &unseen, &(struct shw_record_results){.classes = found}),
                         SHW_OK);
        for (uint32_t r = 0; r < 2100; r++)
            right += found[r] == classes[1][r];
        shw_record_evaluator_destroy(&evaluator);
        shw_record_forest_destroy(&forest);
    }
    print_message("accuracy: %.2f %%\n", right / 105.0);
    assert_true(right >= 5 * 2100 * 946 / 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_are_those_of_plain_code),
        cmocka_unit_test(attributes_are_drawn_evenly),
        cmocka_unit_test(attributes_are_all_drawn),
        cmocka_unit_test(many_values_are_ranked_in_groups),
        cmocka_unit_test(groups_do_not_blur_thresholds),
        cmocka_unit_test(odd_sets_are_trained_on),
        cmocka_unit_test(wrong_parameters_are_refused),
        cmocka_unit_test(out_of_bag_is_honest),
        cmocka_unit_test(segments_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
