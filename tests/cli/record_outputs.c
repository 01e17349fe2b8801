/* What the commands of record forests write, and where: standard output, and files that cannot be written. */
#include <stdio.h>
#include <string.h>

#include "program.h"

#define FAILURE 1
#define USAGE   2

static int prepare(void **state)
{
    static const char table[] = "a,b,class\n1,2,x\n2,3,y\n3,4,y\n1,1,x\n";

    (void)state;
    make_file("train.csv", table, strlen(table));
    assert_success(run("shadewood train-records train.csv -o forest.ktx2 --trees 2 -t cpu -q"));
    return 0;
}

/* Whatever reads it finds nothing then, instead of a table without records. */
TESTING_CASE(test_standard_output_is_empty_if_the_table_is_refused)
{
    assert_one_line(run("shadewood records forest.ktx2 missing.csv -t cpu -o -"), FAILURE, "missing.csv", NULL);
    assert_one_line(run("printf 'a,c\\n1,2\\n' | shadewood records forest.ktx2 - -t cpu -o -"), FAILURE, "lacks 1",
                    NULL);
    assert_one_line(run("printf 'a,b\\n1,red\\n' | shadewood records forest.ktx2 - -t cpu -o -"), FAILURE, "'red'",
                    NULL);
    assert_string_equal(run("printf 'a,b\\n' | shadewood records forest.ktx2 - -t cpu -o -").out, "class\r\n");
}

TESTING_CASE(test_trees_are_exported_to_standard_output)
{
    assert_success(run("shadewood export --to trees forest.ktx2 -o - >trees.json"));
    assert_false(exists("-"));
    assert_success(run("shadewood import trees.json -o trees.ktx2 -q && for f in forest trees; do "
                       "shadewood inspect $f.ktx2 --json | grep '\"hash\"' >$f.txt; done; cmp forest.txt trees.txt"));
    assert_one_line(run("shadewood export --to trees forest.ktx2 -o - >/dev/full"), FAILURE, "standard output", NULL);
    assert_one_line(run("shadewood export --to trees forest.ktx2 -o - --json"), USAGE, "--json", "--output -", NULL);
}

TESTING_CASE(test_what_is_no_stream_does_not_go_to_standard_output)
{
    assert_one_line(run("shadewood train-records train.csv -o -"), USAGE, "a record forest", "standard output", NULL);
    assert_one_line(run("shadewood import trees.json -o -"), USAGE, "a record forest", "standard output", NULL);
    assert_one_line(run("shadewood synth -n 1 -o -"), USAGE, "a folder", "standard output", NULL);
    assert_false(exists("-"));
    assert_success(run("shadewood import trees.json -o ./- -q && rm ./-"));
}

/* Of the limit's signal the program would die without a word. */
TESTING_CASE(test_the_limit_of_file_sizes_is_an_error_like_others)
{
    static const char limited[] = "(ulimit -f 1; exec \"$SHADEWOOD_PROGRAM\" %s)";
    unsigned before;

    skip_on_windows("limits of file sizes are not for what Wine runs");
    assert_success(run("seq 10 2000 | sed 's/.*\\(.\\)\\(.\\)$/\\1,\\2/' >long.csv"));
    before = entry_count(".");
    assert_one_line(run(limited, "records forest.ktx2 long.csv -t cpu -q -w sums,leaves -o full.csv"), FAILURE,
                    "cannot write full.csv: File too large", NULL);
    assert_one_line(run(limited, "records forest.ktx2 long.csv -t cpu -q -w sums -o full.npy"), FAILURE,
                    "cannot write full.npy: File too large", NULL);
    assert_one_line(run(limited, "train-records long.csv --class-column 2 --trees 40 -t cpu -q -o full.ktx2"), FAILURE,
                    "cannot write full.ktx2: File too large", NULL);
    assert_int_equal(entry_count("."), before);
    assert_one_line(run(limited, "synth -n 1 -o scene -q"), FAILURE, "File too large", NULL);
    assert_int_equal(entry_count("scene"), 0);
    assert_int_equal(run("(ulimit -f 1; exec \"$SHADEWOOD_PROGRAM\" records forest.ktx2 long.csv -t cpu -o - "
                         ">stream.csv)")
                         .code,
                     FAILURE);
}

TESTING_CASE(test_numbers_and_nouns_agree)
{
    struct run result;

    make_file("one.csv", "a,class\n1,x\n2,y\n", 16);
    make_file("single.csv", "a,class\n1,x\n", 12);
    result = run("shadewood train-records one.csv -o one.ktx2 --trees 1 --records 100 -t cpu");
    assert_success(result);
    assert_non_null(strstr(result.out, "one.ktx2: 1 tree, 2 leaves, 2 classes, from 2 records of 1 attribute in "));
    result = run("shadewood export --to trees one.ktx2 -o one.json");
    assert_string_equal(result.out, "one.json: 1 tree\n");
    result = run("shadewood import one.json -o two.ktx2");
    assert_non_null(strstr(result.out, "two.ktx2: 1 tree, 3 nodes, depth 1, 1 attribute, 2 classes (hash "));
    result = run("shadewood inspect one.ktx2");
    assert_non_null(strstr(result.out, "of trees: 1 to 1 test\n"));
    result = run("shadewood records one.ktx2 single.csv -t cpu -o single_out.csv");
    assert_success(result);
    assert_non_null(strstr(result.out, "100.00 %, 1 of 1 record\n"));
    assert_non_null(strstr(result.out, "\n1 record, in single_out.csv\n"));
}

TESTING_CASE(test_arrays_are_called_by_their_names)
{
    struct run result;

    make_file("pair.csv", "a,class\n1,x\n2,y\n", 16);
    assert_success(run("shadewood train-records pair.csv -o pair.ktx2 --trees 1 --records 100 -t cpu -q"));
    result = run("shadewood records pair.ktx2 pair.csv -t cpu -o pair.npy -w classes,leaves");
    assert_success(result);
    assert_non_null(strstr(result.out, "\n2 records, in pair_classes.npy, pair_leaves.npy\n"));
    result = run("shadewood records pair.ktx2 pair.csv -t cpu -o OTHER.NPY -w classes,sums");
    assert_success(result);
    assert_non_null(strstr(result.out, "\n2 records, in OTHER_classes.NPY, OTHER_sums.NPY\n"));
    assert_success(run("cmp pair_classes.npy OTHER_classes.NPY"));
    result = run("shadewood records pair.ktx2 pair.csv -t cpu -o ALONE.NPY");
    assert_non_null(strstr(result.out, "\n2 records, in ALONE.NPY\n"));
    assert_success(run("cmp pair_classes.npy ALONE.NPY"));
}

/* Otherwise it could not be said which of them a table has. */
TESTING_CASE(test_classes_of_one_name_are_numbered)
{
    static const char model[] =
        "{\"format\": \"record-trees\", \"version\": 1, \"task\": \"classes\", \"attributes\": 1, "
        "\"classes\": [\"x\", \"x (class 2)\", \"x\", \"x\"], \"trees\": [{\"children_left\": [1, -1, -1], "
        "\"children_right\": [2, -1, -1], \"feature\": [0, 0, 0], \"threshold\": [0.5, 0, 0], "
        "\"value\": [0, [1, 0, 0, 0], [0, 0, 1, 0]]}]}";
    static const char warning[] =
        "shadewood: warning: twins.json: classes 0 and 2 are both called 'x': here, the latter is "
        "'x (class 2) (class 2)', and others are numbered in the same way\n";
    struct run result;

    make_file("twins.json", model, strlen(model));
    make_file("twins.csv", "a,class\n0,x\n1,x\n", 16);
    result = run("shadewood import twins.json -o twins.ktx2");
    assert_success(result);
    assert_string_equal(result.err, warning);
    result = run("shadewood records twins.ktx2 twins.csv -t cpu -o - --by-position");
    assert_success(result);
    assert_string_equal(result.err, "");
    assert_string_equal(result.out, "class\r\nx\r\nx (class 2) (class 2)\r\n");
    result = run("shadewood records twins.json twins.csv -t cpu --class-names x,y,z,v");
    assert_success(result);
    assert_non_null(strstr(result.out, "50.00 %, 1 of 2 records"));
}

TESTING_FIXTURE(prepare, NULL)
