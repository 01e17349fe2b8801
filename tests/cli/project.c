/* Training by a project, without a display. */
#include "program.h"

#include <stdlib.h>
#include <string.h>

#include "testing/painting.h"

static int prepare(void **state)
{
    (void)state;
    make_data("pairs", 2);
    make_project("meadow.json", "pairs/00.png");
    return 0;
}

/* The forest's hash as the program tells it. */
static unsigned long long told_hash(struct run result)
{
    json_t *told;
    unsigned long long hash;

    assert_success(result);
    told = parse_json(result.out);
    hash = strtoull(json_string_value(json_object_get(told, "hash")), NULL, 16);
    json_decref(told);
    return hash;
}

TESTING_CASE(test_a_project_trains_as_the_viewer_does)
{
    struct shw_project *project = NULL;
    struct shw_forest *written = NULL;
    unsigned long long hash = told_hash(run_blind("shadewood train meadow.json -o meadow.ktx2 --json -q"));

    assert_int_equal(shw_project_read(testing_path("work/meadow.json"), NULL, &project), SHW_OK);
    assert_true(testing_paint_train(project) == hash);
    assert_int_equal(shw_forest_load(testing_path("work/meadow.ktx2"), NULL, &written), SHW_OK);
    assert_true(shw_forest_hash(written) == hash);
    assert_int_equal(shw_forest_get_info(written)->tree_count, 2);
    /* from another folder, and in pieces */
    assert_true(
        told_hash(run_blind("mkdir -p far && cd far && shadewood train ../meadow.json -o far.ktx2 --checkpoint part "
                            "--json -q")) == hash);
    shw_forest_destroy(&written);
    shw_project_destroy(&project);
}

static json_t *training_of(const char *options)
{
    struct shw_forest *forest = NULL;
    json_t *training;

    assert_success(run_blind("shadewood train meadow.json -q -t cpu --overwrite -o set.ktx2 %s", options));
    assert_int_equal(shw_forest_load(testing_path("work/set.ktx2"), NULL, &forest), SHW_OK);
    training = parse_json(shw_forest_get_info(forest)->training);
    shw_forest_destroy(&forest);
    return training;
}

static void assert_training(const char *options, int single, const char *thresholds, int bins, int smooth)
{
    json_t *training = training_of(options);

    assert_int_equal(json_integer_value(json_object_get(training, "single_percent")), single);
    assert_string_equal(json_string_value(json_object_get(training, "thresholds")), thresholds);
    assert_int_equal(json_integer_value(json_object_get(training, "bins")), bins);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(training, "smooth"), 0)), smooth);
    json_decref(training);
}

TESTING_CASE(test_options_go_before_what_projects_have_in_common)
{
    assert_training("", 50, "random", 10, SHW_PROJECT_SMOOTH);
    assert_training("--single 0 --smooth 0", 0, "random", 10, 0);
    assert_training("--thresholds best --smooth 8", 50, "best", 32, 8);
    assert_training("--thresholds random", 50, "random", 3, SHW_PROJECT_SMOOTH);
    assert_training("--bins 20", 50, "random", 20, SHW_PROJECT_SMOOTH);
    assert_training("--preset strokes", 50, "random", 10, 16);
    assert_training("--preset microscopy", 30, "best", 32, 0);
}

/* While another program holds the lock of the checkpoint or of the forest. */
TESTING_CASE(test_one_training_of_a_project_at_a_time)
{
    static const char train[] =
        "\"$SHADEWOOD_PROGRAM\" train meadow.json -q -t cpu -o alone.ktx2 --checkpoint alone.part";

    skip_on_windows("flock does not hold what Wine has open");
    assert_one_line(run_blind("flock .alone.part.lock.shadewood %s", train), 1, "another shadewood", "alone.part",
                    NULL);
    assert_one_line(run_blind("flock .alone.ktx2.lock.shadewood %s", train), 1, "another shadewood", "alone.ktx2",
                    NULL);
    assert_success(run("! test -e alone.ktx2"));
    assert_success(run_blind("%s", train));
    assert_success(run("test -e alone.ktx2 && ! ls -a | grep alone.*lock"));
}

TESTING_CASE(test_what_a_project_tells_is_not_for_options)
{
    static const char *const options[] = {
        "--data pairs",           "--channels lab", "--trees 3",    "--depth 3",
        "--candidates 3",         "--seed 3",       "--pixels 100", "--weights none --weights inverse",
        "--input previous={}.png"};

    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        assert_one_line(run_blind("shadewood train meadow.json -o never.ktx2 %s", options[i]), 2,
                        "the project 'meadow.json' defines", NULL);
    assert_one_line(run_blind("shadewood train meadow.json -o meadow.json"), 2, "overwritten", NULL);
    assert_one_line(run_blind("shadewood train meadow.json other.json -o never.ktx2"), 2, "other.json", NULL);
    assert_false(exists("never.ktx2"));
}

TESTING_CASE(test_projects_that_are_wrong)
{
    make_file("none.json", "{}", 2);
    make_project("lost.json", "pairs/77.png");
    make_file("empty.json", "{\"format\": \"shadewood-project\", \"version\": 1, \"classes\": [], \"pictures\": []}",
              76);
    assert_one_line(run_blind("shadewood train none.json -o never.ktx2"), 1, "none.json", "\"format\"", NULL);
    assert_one_line(run_blind("shadewood train missing.json -o never.ktx2"), 1, "missing.json", NULL);
    assert_one_line(run_blind("shadewood train lost.json -o never.ktx2 -t cpu"), 1, "pairs/77.png", NULL);
    assert_one_line(run_blind("shadewood train empty.json -o never.ktx2"), 1, "strokes", NULL);
    assert_false(exists("never.ktx2"));
}

TESTING_FIXTURE(prepare, NULL)
