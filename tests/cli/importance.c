/* `inspect --importance`: shares that agree with the nodes that `inspect --tree` lists, of forests with what was gained
 * and of those without. */
#include "program.h"

#include <math.h>
#include <string.h>

static int prepare(void **state)
{
    (void)state;
    assert_success(run_blind("shadewood synth -q -o scenes --count 4 --size 48x40"));
    assert_success(run_blind("shadewood train -d scenes -t cpu --trees 3 --depth 6 --offset 8 --pixels 200 "
                             "--channels rgb,log:1,log:2 --single 30 --levels 2 --folds 2 -q -o scenes.ktx2"));
    return 0;
}

static double number(const json_t *object, const char *name, const char *member)
{
    const json_t *value = json_object_get(json_object_get(object, name), member);

    assert_true(json_is_number(value));
    return json_number_value(value);
}

/* Adds, to each channel, what share the tests below a node have of 1 in a forest that counts `unit` for a test, or for
 * each leaf below it. Returns the number of leaves. */
static double add_tests(const json_t *nodes, size_t index, bool by_leaves, double unit, json_t *sums)
{
    const json_t *node = json_array_get(nodes, index), *rectangles = json_object_get(node, "rectangles"), *rectangle;
    size_t left = (size_t)json_integer_value(json_object_get(node, "left")), i;
    double leaves;

    if (rectangles == NULL)
        return 1;
    leaves = add_tests(nodes, left, by_leaves, unit, sums) + add_tests(nodes, left + 1, by_leaves, unit, sums);
    json_array_foreach(rectangles, i, rectangle)
    {
        const char *name = json_string_value(json_object_get(rectangle, "channel"));
        double before = json_number_value(json_object_get(sums, name));
        double share = (by_leaves ? leaves : 1) * unit / (double)json_array_size(rectangles);

        json_object_set_new(sums, name, json_real(before + share));
    }
    return leaves;
}

static void assert_shares(const char *file, const char *options, const json_t *channels, bool by_leaves,
                          const char *member, uint32_t trees)
{
    json_t *sums = json_object(), *value;
    const char *name;
    double all = 0;

    for (uint32_t t = 0; t < trees; t++) {
        json_t *tree = parse_json(run("shadewood inspect %s %s --tree %u --json", file, options, t).out);
        const json_t *nodes = json_object_get(tree, "nodes");
        double leaves = (double)json_array_size(nodes) / 2 + 0.5;

        add_tests(nodes, 0, by_leaves, by_leaves ? 1 / leaves : 1, sums);
        json_decref(tree);
    }
    json_object_foreach(sums, name, value) all += json_number_value(value);
    json_object_foreach((json_t *)(uintptr_t)channels, name, value)
    {
        double expected = json_number_value(json_object_get(sums, name)) / all, got = number(channels, name, member);

        if (fabs(got - expected) > 1e-3)
            fail_msg("%s of %s: %f, not %f", member, name, got, expected);
    }
    json_decref(sums);
}

/* Kinds, levels and pairs have the same sum. */
static void assert_sums(const json_t *importance, const char *member)
{
    const json_t *value;
    const char *name;
    double kinds = 0, levels = 0, pairs = 0, level_kinds = 0;
    size_t i;

    json_object_foreach(json_object_get(importance, "kinds"), name, value) kinds +=
        json_number_value(json_object_get(value, member));
    json_array_foreach(json_object_get(importance, "levels"), i, value)
    {
        const json_t *kind;

        levels += json_number_value(json_object_get(value, member));
        json_object_foreach(json_object_get(value, "kinds"), name, kind) level_kinds +=
            json_number_value(json_object_get(kind, member));
    }
    json_array_foreach(json_object_get(importance, "pairs"), i, value) pairs +=
        json_number_value(json_object_get(value, member));
    assert_true(fabs(kinds - 1) < 1e-9 && fabs(levels - 1) < 1e-9 && fabs(pairs - 1) < 1e-9);
    assert_true(fabs(level_kinds - 1) < 1e-9);
}

TESTING_CASE(shares_are_those_of_the_trees)
{
    for (int level = 1; level <= 2; level++) {
        const char *options = level == 1 ? "--level 1" : "";
        json_t *document = parse_json(run("shadewood inspect scenes.ktx2 %s --json", options).out);
        const json_t *importance = json_object_get(document, "importance");

        assert_string_equal(json_string_value(json_object_get(importance, "measure")), "gain");
        assert_true(json_real_value(json_object_get(importance, "bits")) > 0.1);
        assert_shares("scenes.ktx2", options, json_object_get(importance, "channels"), false, "tests", 3);
        assert_sums(importance, "gain");
        assert_sums(importance, "tests");
        assert_true((json_object_get(json_object_get(importance, "kinds"), "posterior") != NULL) == (level == 2));
        json_decref(document);
    }
}

TESTING_CASE(tests_are_weighted_without_gains)
{
    json_t *document = parse_json(run("shadewood inspect " EARLIER_FOREST " --json").out);
    const json_t *importance = json_object_get(document, "importance");
    uint32_t trees = (uint32_t)json_integer_value(json_object_get(document, "trees"));

    assert_string_equal(json_string_value(json_object_get(importance, "measure")), "leaves");
    assert_null(json_object_get(importance, "bits"));
    assert_shares(EARLIER_FOREST, "", json_object_get(importance, "channels"), true, "gain", trees);
    assert_shares(EARLIER_FOREST, "", json_object_get(importance, "channels"), false, "tests", trees);
    assert_sums(importance, "gain");
    json_decref(document);
    assert_non_null(strstr(run("shadewood inspect " EARLIER_FOREST).out, "what they gained is not known"));
}

TESTING_CASE(text_has_all_tables)
{
    struct run result = run("shadewood inspect scenes.ktx2");

    assert_success(result);
    assert_non_null(strstr(result.out, "bits gained by a sample in a tree"));
    assert_non_null(strstr(result.out, "kind of channel"));
    assert_null(strstr(result.out, "pair of channels  "));
    result = run("shadewood inspect scenes.ktx2 --importance");
    assert_success(result);
    assert_non_null(strstr(result.out, "pair of channels  "));
    assert_non_null(strstr(result.out, " alone "));
    assert_non_null(strstr(result.out, "posterior-0"));
}

TESTING_FIXTURE(prepare, NULL)
