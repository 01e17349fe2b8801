/* Several devices that train one forest together: --device of `shadewood train`. */
#include "cli/program.h"

#include <stdlib.h>
#include <string.h>

#define TRAIN                                                                                                          \
    "shadewood train -d data --images {}.png --labels {}_L.png --trees 2 --depth 4 --candidates 12 --pixels 60 "

static void begin(void)
{
    if (!exists("data"))
        make_data("data", 4);
    (void)run("rm -f *.ktx2 *.jsonl");
}

TESTING_CASE(any_devices_train_the_same_forest)
{
    static const char *const options[] = {"--device cpu", "--device 0,cpu", "--device cpu,0 --technique blend",
                                          "--device 0 --technique compute --memory 64M",
                                          "--device 0,cpu --memory 512M --threads 1"};

    need_device();
    begin();
    assert_success(run(TRAIN "--technique cpu -o alone.ktx2"));
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        assert_success(run(TRAIN "%s --overwrite -o together.ktx2", options[i]));
        same_file("together.ktx2", "alone.ktx2");
    }
}

/* The processors need no device, and the levels of a forest have the same devices. */
TESTING_CASE(levels_have_the_same_devices)
{
    need_device();
    begin();
    assert_success(run_blind(TRAIN "--levels 2 --folds 2 --device cpu -o alone.ktx2"));
    assert_success(run(TRAIN "--levels 2 --folds 2 --device 0,cpu -o together.ktx2"));
    same_file("together.ktx2", "alone.ktx2");
}

TESTING_CASE(the_log_names_them)
{
    struct run log;
    json_t *start, *helper;

    need_device();
    begin();
    assert_success(run(TRAIN "--device 0,cpu --technique blend --log log.jsonl -o forest.ktx2"));
    log = run("head -n 1 log.jsonl");
    start = parse_json(log.out);
    assert_string_equal(json_string_value(json_object_get(start, "technique")), "cpu");
    assert_int_equal(json_array_size(json_object_get(start, "helpers")), 1);
    helper = json_array_get(json_object_get(start, "helpers"), 0);
    assert_string_equal(json_string_value(json_object_get(helper, "technique")), "blend");
    assert_true(json_string_length(json_object_get(helper, "device")) > 0);
    json_decref(start);
}

TESTING_CASE(what_they_may_use_is_limited)
{
    need_device();
    begin();
    assert_one_line(run(TRAIN "--device 0,cpu --memory 1M -q -o forest.ktx2"), 1,
                    "training with cpu needs at least --memory ", NULL);
    assert_false(exists("forest.ktx2"));
}

TESTING_CASE(lists_that_mean_nothing_are_refused)
{
    static const struct {
        const char *options, *words;
    } cases[] = {
        {"--device 0,0", "--device has 0 twice"},
        {"--device cpu,0,cpu", "--device has cpu twice"},
        {"--device 0,", "not '0,'"},
        {"--device ''", "not ''"},
        {"--device 00", "not '00'"},
        {"--device 256", "not '256'"},
        {"--device 0,gpu", "not '0,gpu'"},
        {"--device -1", "not '-1'"},
        {"--device cpu --technique compute", "does not go with --technique compute"},
        {"--device 0,cpu --technique cpu", "cpu may be one of them"},
        {"--device 0,1,2,3,4,5,6,7,8,9,10,11,12", "--candidates 12 is fewer"},
        {"--device 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", "at most 16"},
    };

    begin();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_one_line(run(TRAIN "%s -q -o forest.ktx2", cases[i].options), 2, cases[i].words, NULL);
    assert_false(exists("forest.ktx2"));
}

/* A device that is not there ends it, although another one is. */
TESTING_CASE(all_devices_must_be_there)
{
    begin();
    assert_one_line(run_blind(TRAIN "--device cpu,0 -q -o forest.ktx2"), 3, NULL);
    assert_false(exists("forest.ktx2"));
}
