/* What the options of train-records and records change, each by what is seen of it. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAILURE 1
#define QUIET   "-t cpu --threads 2 -q"

/* 100 records of two attributes: the first tells the class, the second is noise. */
static int prepare(void **state)
{
    struct testing_random random = {6};
    FILE *file = fopen(place("table.csv"), "w");

    (void)state;
    assert_non_null(file);
    fprintf(file, "a,b,class\n");
    for (int r = 0; r < 100; r++)
        fprintf(file, "%d,%u,%s\n", r, testing_random_below(&random, 100), r < 37 ? "low" : "high");
    assert_int_equal(fclose(file), 0);
    return 0;
}

/* Trains made.ktx2; a number of what is reported about it. */
static json_int_t train(const char *arguments, const char *key)
{
    struct run result = run("shadewood train-records -o made.ktx2 --overwrite --json " QUIET " %s", arguments);
    json_t *document;
    json_int_t number;

    if (result.code != 0)
        fail_msg("%s: %s", arguments, result.err);
    document = parse_json(result.out);
    assert_non_null(json_object_get(document, key));
    number = json_integer_value(json_object_get(document, key));
    json_decref(document);
    return number;
}

static char *hash_after(const char *arguments)
{
    train(arguments, "trees");
    return strdup(run("shadewood inspect made.ktx2 | grep hash").out);
}

static void assert_same_forest(const char *one, const char *other)
{
    char *a = hash_after(one), *b = hash_after(other);

    assert_string_equal(a, b);
    free(a);
    free(b);
}

TESTING_CASE(columns_are_left_out)
{
    assert_int_equal(train("table.csv --trees 3", "attributes"), 2);
    assert_int_equal(train("table.csv --trees 3 --ignore b", "attributes"), 1);
    assert_success(run("cut -d, -f1,3 table.csv >narrow.csv"));
    assert_same_forest("table.csv --trees 3 --ignore 2", "narrow.csv --trees 3");
}

TESTING_CASE(fields_are_delimited_as_told)
{
    assert_success(run("tr , ';' <table.csv >semicolons.csv"));
    assert_same_forest("table.csv --trees 3", "semicolons.csv --trees 3 --delimiter ';'");
    assert_int_equal(run("shadewood train-records semicolons.csv -o none.ktx2 --delimiter , " QUIET).code, FAILURE);
}

TESTING_CASE(the_first_record_is_a_header_or_not)
{
    struct run result;
    json_t *document;

    assert_success(run("printf '1,2\\n3,4\\n5,6\\n7,8\\n' >numbers.csv && printf 'x\\ny\\nx\\ny\\n' >four.csv && "
                       "sed 1d four.csv >three.csv && { echo name; cat three.csv; } >headed.csv"));
    assert_int_equal(train("numbers.csv --labels four.csv --header no --trees 2", "records"), 4);
    assert_int_equal(train("numbers.csv --labels headed.csv --header yes --trees 2", "records"), 3);
    for (int header = 0; header < 2; header++) {
        result = run("shadewood records made.ktx2 numbers.csv --header %s --by-position --json " QUIET,
                     header ? "yes" : "no");
        assert_success(result);
        document = parse_json(result.out);
        assert_int_equal(json_integer_value(json_object_get(document, "records")), header ? 3 : 4);
        json_decref(document);
    }
}

TESTING_CASE(a_number_may_mean_missing)
{
    assert_success(run("awk -F, -v OFS=, 'NR > 1 && NR %% 5 == 0 {$2 = \"\"} {print}' table.csv >holes.csv && "
                       "awk -F, -v OFS=, 'NR > 1 && NR %% 5 == 0 {$2 = -99} {print}' table.csv >coded.csv"));
    assert_same_forest("holes.csv --trees 3 --attributes all", "coded.csv --trees 3 --attributes all --missing -99");
}

/* How many of the 100 records a single test tells. */
static json_int_t told_by_one_test(const char *options)
{
    struct run result;
    json_t *document;
    json_int_t right;
    char arguments[256];

    snprintf(arguments, sizeof arguments, "table.csv --trees 1 --depth 1 --records 100 --attributes all --ignore b %s",
             options);
    train(arguments, "trees");
    result = run("shadewood records made.ktx2 table.csv --json " QUIET);
    assert_success(result);
    document = parse_json(result.out);
    right = json_integer_value(json_object_get(document, "correct"));
    json_decref(document);
    return right;
}

/* With two bins there is one place for a threshold, the middle; with many, there is the right one. */
TESTING_CASE(thresholds_lie_between_bins)
{
    json_int_t few = told_by_one_test("--bins 2");

    assert_int_equal(told_by_one_test(""), 100);
    assert_true(few >= 80 && few < 95);
}

TESTING_CASE(children_have_enough_records)
{
    assert_true(train("table.csv --trees 2 --records 100", "nodes") > 2);
    assert_int_equal(train("table.csv --trees 2 --records 100 --min-samples 51", "nodes"), 2);
}

/* A place where the frequent class is more often than the rare one, but by less than elsewhere. */
TESTING_CASE(classes_are_weighed)
{
    static const char *const weights[] = {"none", "inverse"}, *const classes[] = {"often", "rarely"};

    assert_success(
        run("awk 'BEGIN {print \"a,class\"; for (i = 0; i < 900; i++) print 0 \",often\"; for (i = 0; i < 60; "
            "i++) print 1 \",often\"; for (i = 0; i < 40; i++) print 1 \",rarely\"}' >skew.csv && "
            "printf 'a\\n1\\n' >place.csv"));
    for (int w = 0; w < 2; w++) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "skew.csv --trees 1 --records 100 --weights %s", weights[w]);
        train(arguments, "trees");
        assert_success(run("shadewood records made.ktx2 place.csv -w classes -o - " QUIET " >said"));
        if (run("grep -q %s said", classes[w]).code != 0)
            fail_msg("%s: %s", weights[w], run("cat said").out);
    }
}

/* The same, however little the device has for them. */
TESTING_CASE(records_are_evaluated_in_little_memory)
{
    train("table.csv --trees 3", "trees");
    assert_success(run("shadewood records made.ktx2 table.csv -w sums,leaves -o host.csv " QUIET));
    if (run("shadewood devices").code != 0)
        testing_skip("no Vulkan device");
    assert_success(
        run("shadewood records made.ktx2 table.csv -w sums,leaves -o device.csv -t compute -q --memory 1K && "
            "cmp host.csv device.csv"));
}

TESTING_FIXTURE(prepare, NULL)
