/* Forests that are merged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define DATA  "--data data --images '{}.png' --labels '{}_L.png'"
#define QUICK "--depth 4 --candidates 20 --pixels 100 --offset 10 --size 9 -t cpu -q"
#define TRAIN "shadewood train " DATA " " QUICK " "

static int prepare(void **state)
{
    (void)state;
    make_data("data", 3);
    make_data("fewer", 2);
    assert_success(run_blind(TRAIN "--trees 2 -o first.ktx2"));
    assert_success(run_blind(TRAIN "--trees 1 --first-tree 2 -o second.ktx2"));
    assert_success(run_blind(TRAIN "--trees 2 --seed 5 -o seed.ktx2"));
    return 0;
}

TESTING_CASE(test_parts_are_one_training)
{
    struct run result;
    size_t sizes[2];
    char *files[2];

    assert_success(run_blind(TRAIN "--trees 3 -o whole.ktx2"));
    result = run_blind("shadewood merge -o parts.ktx2 second.ktx2 first.ktx2");
    assert_success(result);
    assert_non_null(strstr(result.out, "parts.ktx2: 3 trees of 2 forests, 3 classes (hash "));
    files[0] = file_bytes("whole.ktx2", &sizes[0]);
    files[1] = file_bytes("parts.ktx2", &sizes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(files[0], files[1], sizes[0]);
    free(files[0]);
    free(files[1]);
}

TESTING_CASE(test_levels_below_must_be_the_same)
{
    struct run result;

    assert_success(run_blind(TRAIN "--trees 2 --levels 2 --folds 2 -o level-a.ktx2"));
    assert_success(run_blind(TRAIN "--trees 2 --levels 2 --folds 2 --first-tree 2 -o level-b.ktx2"));
    result = run_blind("shadewood merge -o levels.ktx2 level-a.ktx2 level-b.ktx2");
    assert_int_equal(result.code, 1);
    assert_non_null(strstr(result.err, "different levels below"));
    assert_success(run_blind(TRAIN "--trees 2 --folds 2 -o below.ktx2"));
    assert_success(run_blind(TRAIN "--trees 2 --below below.ktx2 -o above-a.ktx2"));
    assert_success(run_blind(TRAIN "--trees 2 --below below.ktx2 --first-tree 2 -o above-b.ktx2"));
    assert_success(run_blind(TRAIN "--trees 4 --below below.ktx2 -o above.ktx2"));
    assert_success(run_blind("shadewood merge -o merged.ktx2 above-a.ktx2 above-b.ktx2"));
    assert_success(run("cmp above.ktx2 merged.ktx2"));
}

/* The members of a forest's provenance. */
static json_t *training_of(const char *forest)
{
    struct run result = run_blind("shadewood inspect --json %s", forest);

    assert_success(result);
    return parse_json(result.out);
}

TESTING_CASE(test_others_say_from_what)
{
    struct run result = run_blind("shadewood merge --json -q -o mixed.ktx2 seed.ktx2 second.ktx2");
    json_t *document, *inspected, *parts, *training;

    assert_success(result);
    document = parse_json(result.out);
    assert_int_equal(json_integer_value(json_object_get(document, "trees")), 3);
    assert_int_equal(json_integer_value(json_object_get(document, "forests")), 2);
    json_decref(document);
    inspected = training_of("mixed.ktx2");
    parts = json_object_get(json_object_get(inspected, "training"), "merged");
    assert_int_equal(json_array_size(parts), 2);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(parts, 0), "trees")), 2);
    assert_int_equal(strlen(json_string_value(json_object_get(json_array_get(parts, 1), "hash"))), 16);
    training = json_object_get(json_array_get(parts, 0), "training");
    assert_int_equal(json_integer_value(json_object_get(training, "seed")), 5);
    training = json_object_get(json_array_get(parts, 1), "training");
    assert_int_equal(json_integer_value(json_object_get(training, "first_tree")), 2);
    json_decref(inspected);
    assert_success(run_blind("shadewood label mixed.ktx2 data/00.png -t cpu -o labelled"));
    /* Trees 0, 1 and 3 are no training of their own. */
    assert_success(run_blind(TRAIN "--trees 1 --first-tree 3 -o fourth.ktx2"));
    assert_success(run_blind("shadewood merge -o gap.ktx2 fourth.ktx2 first.ktx2"));
    inspected = training_of("gap.ktx2");
    assert_int_equal(json_array_size(json_object_get(json_object_get(inspected, "training"), "merged")), 2);
    json_decref(inspected);
}

TESTING_CASE(test_refusals)
{
    assert_one_line(run_blind("shadewood merge -o x.ktx2 first.ktx2"), 2, "at least two forests", NULL);
    assert_one_line(run_blind("shadewood merge first.ktx2 second.ktx2"), 2, "--output FILE", NULL);
    assert_one_line(run_blind("shadewood merge -o x.ktx2 first.ktx2 first.ktx2"), 1, "are the same forest", NULL);
    assert_success(run_blind(TRAIN "--trees 3 -o whole.ktx2"));
    assert_one_line(run_blind("shadewood merge -o x.ktx2 second.ktx2 whole.ktx2"), 1, "both have tree 2", NULL);
    assert_success(run_blind(TRAIN "--trees 1 --channels rgb -o rgb.ktx2"));
    assert_one_line(run_blind("shadewood merge -o x.ktx2 first.ktx2 rgb.ktx2"), 1,
                    "rgb.ktx2 cannot be merged with first.ktx2: its channels are rgb, not winn16", NULL);
    assert_success(run_blind(TRAIN "--trees 1 --feature sum-difference -o sum.ktx2"));
    assert_one_line(run_blind("shadewood merge -o x.ktx2 first.ktx2 sum.ktx2"), 1,
                    "its feature type is sum-difference, not mean-difference", NULL);
    assert_success(run_blind(TRAIN "--trees 1 --combine vote -o vote.ktx2"));
    assert_one_line(run_blind("shadewood merge -o x.ktx2 first.ktx2 vote.ktx2"), 1,
                    "its trees are combined by vote, not mean", NULL);
    assert_success(run_blind("sed 's/green/other/' data/palette.json > fewer/palette.json && shadewood train --data "
                             "fewer --images '{}.png' --labels "
                             "'{}_L.png' --trees 1 " QUICK " -o names.ktx2"));
    assert_one_line(run_blind("shadewood merge -o x.ktx2 first.ktx2 names.ktx2"), 1, "its class 1 is other, not green",
                    NULL);
    assert_false(exists("x.ktx2"));
}

TESTING_CASE(test_files_are_protected)
{
    make_file("mine.ktx2", "mine", 4);
    make_file("damaged.ktx2", "damaged", 7);
    assert_one_line(run_blind("shadewood merge -o mine.ktx2 first.ktx2 seed.ktx2"), 1, "mine.ktx2", "--overwrite",
                    NULL);
    assert_success(run_blind("shadewood merge -o mine.ktx2 --overwrite first.ktx2 seed.ktx2"));
    assert_one_line(run_blind("shadewood merge -o first.ktx2 first.ktx2 seed.ktx2"), 2, "first.ktx2", "input", NULL);
    assert_one_line(run_blind("shadewood merge -o y.ktx2 first.ktx2 missing.ktx2"), 1, "missing.ktx2", NULL);
    assert_one_line(run_blind("shadewood merge -o y.ktx2 first.ktx2 damaged.ktx2"), 1, "damaged.ktx2", NULL);
    assert_one_line(
        run_blind("shadewood train --data data --images '{}.png' --labels '{}_L.png' --trees 3 --first-tree "
                  "4095 -o z.ktx2 -q -t cpu"),
        1, "first_tree is 4095", NULL);
}

TESTING_CASE(test_checkpoints_are_not_finished)
{
    assert_success(run_blind("\"$SHADEWOOD_PROGRAM\" train " DATA " " QUICK
                             " --trees 4000 -o never.ktx2 --checkpoint part.ktx2 "
                             "--checkpoint-every 0 & while [ ! -s part.ktx2 ]; do sleep 0.05; done; kill -INT $!; "
                             "wait $!; [ -s part.ktx2 ]"));
    assert_one_line(run_blind("shadewood merge -o x.ktx2 first.ktx2 part.ktx2"), 1, "part.ktx2 is a checkpoint", NULL);
}

TESTING_FIXTURE(prepare, NULL)
