/* 'shadewood bench': what it measures on small images, its files, and what goes wrong. */
#include <stdlib.h>
#include <string.h>

#include "program.h"

enum { FAILURE = 1, USAGE = 2, NO_DEVICE = 3 };

#define SMALL "--size 32x24 --runs 3 -q"

static json_t *parse_file(const char *name)
{
    size_t size;
    char *bytes = file_bytes(name, &size);
    json_t *document = parse_json(bytes);

    free(bytes);
    return document;
}

static const char *text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));

    assert_non_null(value);
    return value;
}

/* The rows of a stage and a technique. */
static unsigned count_rows(const json_t *document, const char *stage, const char *technique)
{
    const json_t *row;
    unsigned count = 0;
    size_t i;

    json_array_foreach(json_object_get(document, "rows"), i, row) count +=
        strcmp(text(row, "stage"), stage) == 0 && strcmp(text(row, "technique"), technique) == 0;
    return count;
}

static void assert_all_equal_cpu(const json_t *document)
{
    const json_t *row;
    size_t i;

    assert_true(json_array_size(json_object_get(document, "rows")) > 0);
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        if (!json_is_true(json_object_get(row, "equals_cpu")))
            fail_msg("%s does not equal cpu", text(row, "id"));
        assert_true(json_number_value(json_object_get(json_object_get(row, "wall_ms"), "median")) > 0);
        assert_in_range(json_integer_value(json_object_get(json_object_get(row, "wall_ms"), "runs")), 3, 12);
    }
}

static void test_every_stage_by_every_technique(void **state)
{
    static const char *const stages[] = {"channels", "integrate", "evaluate", "whole", "label"};
    static const char *const techniques[] = {"cpu", "compute", "fragment"};
    struct run result;
    json_t *document;

    (void)state;
    if (run("shadewood devices --json").code != 0)
        testing_skip("no Vulkan device");
    result = run("shadewood bench pipeline " SMALL " --samples --json bench.json --csv bench.csv");
    assert_success(result);
    assert_string_equal(result.err, "");
    assert_non_null(strstr(result.out, "pipeline: evaluate"));
    document = parse_file("bench.json");
    assert_string_equal(text(document, "format"), "shadewood-bench");
    assert_string_equal(text(document, "command"),
                        "shadewood bench pipeline " SMALL " --samples --json bench.json --csv bench.csv");
    assert_all_equal_cpu(document);
    for (int s = 0; s < 5; s++)
        for (int t = 0; t < 3; t++)
            assert_int_equal(count_rows(document, stages[s], techniques[t]), 1);
    json_decref(document);
    assert_success(run("test $(wc -l <bench.csv) = 16"));
    assert_success(run("shadewood bench compare bench.json bench.json"));
}

static void test_techniques_can_be_chosen(void **state)
{
    json_t *document;

    (void)state;
    if (run("shadewood devices --json").code != 0)
        testing_skip("no Vulkan device");
    assert_success(run("shadewood bench pipeline embed " SMALL " --technique compute --json compute.json"));
    document = parse_file("compute.json");
    assert_all_equal_cpu(document);
    assert_int_equal(count_rows(document, "evaluate", "compute"), 1);
    assert_int_equal(count_rows(document, "frame", "compute"), 1);
    assert_int_equal(count_rows(document, "evaluate", "cpu"), 0);
    assert_int_equal(count_rows(document, "frame", "fragment"), 0);
    json_decref(document);
}

static void test_without_a_device_cpu_is_timed(void **state)
{
    json_t *document;

    (void)state;
    assert_success(run_blind("shadewood bench pipeline embed " SMALL " --json blind.json"));
    document = parse_file("blind.json");
    assert_true(json_is_null(json_object_get(document, "device")));
    assert_all_equal_cpu(document);
    assert_int_equal(count_rows(document, "whole", "cpu"), 1);
    assert_int_equal(count_rows(document, "whole", "compute"), 0);
    json_decref(document);
    assert_one_line(run_blind("shadewood bench pipeline " SMALL " --device 0"), NO_DEVICE, "Vulkan", NULL);
}

/* Rows are compared with the limits of a stored run, if it is one of the same device. */
static void test_limits_of_another_run(void **state)
{
    static const char limits[] =
        "{\"format\": \"shadewood-bench\", \"version\": 1, \"shadewood\": \"0.1.0\", \"date\": "
        "\"2026-11-21T14:00:00Z\", \"command\": \"shadewood bench\", \"host\": {\"processor\": \"P\"}, "
        "\"device\": %s, \"limits\": [{\"limit\": \"cpu_gathers\", \"per_second\": 1e6, \"unit\": "
        "\"loads\"}], \"rows\": []}";
    char here[1024], elsewhere[1024];
    const json_t *row;
    unsigned bound = 0;
    json_t *document;
    size_t i;

    (void)state;
    snprintf(here, sizeof here, limits, "null");
    snprintf(elsewhere, sizeof elsewhere, limits, "{\"name\": \"Another device\", \"driver\": \"1\"}");
    make_file("here.json", here, strlen(here));
    make_file("elsewhere.json", elsewhere, strlen(elsewhere));
    assert_success(run_blind("shadewood bench pipeline " SMALL " --limits here.json --json bound.json"));
    document = parse_file("bound.json");
    json_array_foreach(json_object_get(document, "rows"), i, row) if (json_is_object(json_object_get(row, "bound")))
    {
        assert_string_equal(text(json_object_get(row, "bound"), "limit"), "cpu_gathers");
        bound++;
    }
    assert_int_equal(bound, 1); /* evaluate */
    json_decref(document);
    assert_one_line(run_blind("shadewood bench pipeline " SMALL " --limits elsewhere.json"), FAILURE, "elsewhere.json",
                    "Another device", NULL);
    assert_one_line(run_blind("shadewood bench pipeline " SMALL " --limits none.json"), FAILURE, "none.json", NULL);
    assert_one_line(run_blind("shadewood bench --limits here.json"), USAGE, "roofline", NULL);
}

static void test_what_is_asked_wrongly(void **state)
{
    (void)state;
    assert_one_line(run("shadewood bench pipelin"), USAGE, "'pipelin'", "'pipeline'", NULL);
    assert_one_line(run("shadewood bench frobnication"), USAGE, "'frobnication'", "--list", NULL);
    assert_one_line(run("shadewood bench --technique cpu,gpu pipeline"), USAGE, "'gpu'", "compute", NULL);
    assert_one_line(run("shadewood bench --technique '' pipeline"), USAGE, "--technique", NULL);
    assert_one_line(run("shadewood bench --size 8x8 pipeline"), USAGE, "--size", "from 16", NULL);
    assert_one_line(run("shadewood bench --runs 0 pipeline"), USAGE, "--runs", "from 1", NULL);
    assert_one_line(run("shadewood bench --seconds 0 pipeline"), USAGE, "--seconds", "from 1", NULL);
    assert_one_line(run("shadewood bench --device 77 pipeline"), USAGE, "--device", NULL);
    assert_one_line(run("shadewood bench --device 63 pipeline"), NO_DEVICE, "63", NULL);
}

/* Before anything is timed. */
static void test_files_that_cannot_be_written(void **state)
{
    (void)state;
    assert_one_line(run("shadewood bench pipeline --json none/x.json"), FAILURE, "none/x.json", NULL);
    assert_one_line(run("shadewood bench pipeline --json x.json --csv none/x.csv"), FAILURE, "none/x.csv", NULL);
    assert_false(exists("x.json"));
    assert_one_line(run("shadewood bench training -q --data none --json x.json"), FAILURE, "none", NULL);
    assert_false(exists("x.json"));
}

static void test_the_list_of_suites(void **state)
{
    struct run result = run("shadewood bench --list");

    (void)state;
    assert_success(result);
    for (const char *const *name =
             (const char *const[]){"roofline", "pipeline", "sharp", "curfil", "embed", "training", "blending", NULL};
         *name != NULL; name++)
        assert_non_null(strstr(result.out, *name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_stage_by_every_technique),
        cmocka_unit_test(test_techniques_can_be_chosen),
        cmocka_unit_test(test_without_a_device_cpu_is_timed),
        cmocka_unit_test(test_limits_of_another_run),
        cmocka_unit_test(test_what_is_asked_wrongly),
        cmocka_unit_test(test_files_that_cannot_be_written),
        cmocka_unit_test(test_the_list_of_suites),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
