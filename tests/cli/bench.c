/* 'shadewood bench': what it measures on small images, its files, and what goes wrong. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

enum { FAILURE = 1, USAGE = 2, NO_DEVICE = 3, INTERRUPTED = 130 };

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

TESTING_CASE(test_every_stage_by_every_technique)
{
    static const char *const stages[] = {"channels", "integrate", "evaluate", "whole", "label"};
    static const char *const techniques[] = {"cpu", "compute", "fragment"};
    struct run result;
    json_t *document;

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

/* Sharp's tables: besides rows of random content there is one of a trained forest, with the work of the paths that its
 * pixels take. */
TESTING_CASE(test_a_trained_forest_among_random_ones)
{
    json_t *document;
    const json_t *row;
    unsigned trained = 0, random = 0;
    size_t i;

    assert_success(run_blind("shadewood bench sharp --runs 3 --seconds 60 -q --json sharp.json"));
    document = parse_file("sharp.json");
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        const json_t *setting = json_object_get(row, "setting");
        const char *content = json_string_value(json_object_get(setting, "content"));
        double path = json_number_value(json_object_get(setting, "path_length"));
        if (content == NULL || strcmp(text(row, "stage"), "evaluate") != 0)
            continue;
        assert_true(json_is_true(json_object_get(row, "equals_cpu")));
        random += strcmp(content, "random") == 0;
        if (strcmp(content, "trained") != 0)
            continue;
        trained++;
        assert_non_null(strstr(text(row, "id"), "/classes-23/argmax/trained/"));
        assert_in_range(json_integer_value(json_object_get(setting, "leaves")), 16, 256);
        assert_true(path > 2 && path < json_number_value(json_object_get(setting, "depth")));
        assert_true(fabs(json_number_value(json_object_get(json_object_get(row, "work"), "amount")) -
                         320 * 240 * 8 * path) < 1);
    }
    assert_int_equal(trained, 1);
    assert_int_equal(random, 8);
    json_decref(document);
}

/* The forest is trained on the splits Train and Val, and labels an image of the split Test. */
TESTING_CASE(test_a_trained_forest_of_given_data)
{
    json_t *document;
    const json_t *row;
    unsigned trained = 0;
    size_t i;

    assert_success(
        run("shadewood synth -o made --count 4 --size 64x48 -q && mkdir -p data/images data/labels data/splits"));
    assert_success(run("for i in 0 1 2 3; do cp made/0000${i}_colors.png data/images/$i.png && "
                       "cp made/0000${i}_ground_truth.png data/labels/$i.png; done; cp made/palette.json data"));
    assert_success(run("shadewood synth -o larger --seed 9 --size 40x30 -q && cp larger/00000_colors.png "
                       "data/images/9.png && cp larger/00000_ground_truth.png data/labels/9.png"));
    assert_success(run("printf '0\\n1\\n2\\n' >data/splits/Train.txt && echo 3 >data/splits/Val.txt && "
                       "echo 9 >data/splits/Test.txt"));
    assert_success(run_blind("shadewood bench sharp --runs 3 --seconds 60 -q --data data --json given.json"));
    document = parse_file("given.json");
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        const json_t *setting = json_object_get(row, "setting");
        if (strstr(text(row, "id"), "/trained/") == NULL)
            continue;
        trained++;
        assert_int_equal(json_integer_value(json_object_get(setting, "width")), 40);
        assert_int_equal(json_integer_value(json_object_get(setting, "classes")), 20);
    }
    assert_int_equal(trained, 1);
    json_decref(document);
    assert_success(run("echo 77 >data/splits/Test.txt"));
    assert_one_line(run_blind("shadewood bench sharp --runs 3 --seconds 60 -q --data data"), FAILURE, "77", NULL);
}

TESTING_CASE(test_techniques_can_be_chosen)
{
    json_t *document;

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

TESTING_CASE(test_without_a_device_cpu_is_timed)
{
    json_t *document;

    assert_success(run_blind("shadewood bench pipeline embed " SMALL " --json blind.json"));
    document = parse_file("blind.json");
    assert_true(json_is_null(json_object_get(document, "device")));
    assert_all_equal_cpu(document);
    assert_int_equal(count_rows(document, "whole", "cpu"), 1);
    assert_int_equal(count_rows(document, "whole", "compute"), 0);
    json_decref(document);
    assert_one_line(run_blind("shadewood bench pipeline " SMALL " --device 0"), NO_DEVICE, "Vulkan", NULL);
}

TESTING_CASE(test_pictures_of_many_planes)
{
    json_t *document;

    if (run("shadewood devices --json").code != 0)
        testing_skip("no Vulkan device");
    assert_success(run("shadewood bench planes " SMALL " --technique cpu,compute --json planes.json"));
    document = parse_file("planes.json");
    assert_all_equal_cpu(document);
    assert_int_equal(count_rows(document, "channels", "compute"), 4);
    assert_int_equal(count_rows(document, "whole", "cpu"), 4);
    json_decref(document);
}

/* Rows are compared with the limits of a stored run, if it is one of the same device. */
TESTING_CASE(test_limits_of_another_run)
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

TESTING_CASE(test_what_is_asked_wrongly)
{
    assert_one_line(run("shadewood bench pipelin"), USAGE, "'pipelin'", "'pipeline'", NULL);
    assert_one_line(run("shadewood bench frobnication"), USAGE, "'frobnication'", "--list", NULL);
    assert_one_line(run("shadewood bench --technique cpu,gpu pipeline"), USAGE, "'gpu'", "compute", NULL);
    assert_one_line(run("shadewood bench --technique '' pipeline"), USAGE, "--technique", NULL);
    assert_one_line(run("shadewood bench --size 8x8 pipeline"), USAGE, "--size", "from 16", NULL);
    assert_one_line(run("shadewood bench --runs 0 pipeline"), USAGE, "--runs", "from 1", NULL);
    assert_one_line(run("shadewood bench --seconds 0 pipeline"), USAGE, "--seconds", "from 1", NULL);
    assert_one_line(run("shadewood bench --device 77 pipeline"), USAGE, "--device", NULL);
}

/* Before anything is timed. */
TESTING_CASE(test_files_that_cannot_be_written)
{
    assert_one_line(run("shadewood bench pipeline --json none/x.json"), FAILURE, "none/x.json", NULL);
    assert_one_line(run("shadewood bench pipeline --json x.json --csv none/x.csv"), FAILURE, "none/x.csv", NULL);
    assert_false(exists("x.json"));
    assert_one_line(run("shadewood bench training -q --data none --json x.json"), FAILURE, "none", NULL);
    assert_false(exists("x.json"));
}

static const json_t *find_row(const json_t *document, const char *stage, const char *technique)
{
    const json_t *row;
    size_t i;

    json_array_foreach(json_object_get(document, "rows"), i,
                       row) if (strcmp(text(row, "stage"), stage) == 0 &&
                                strcmp(text(row, "technique"), technique) == 0) return row;
    fail_msg("no row of %s by %s", stage, technique);
    return NULL;
}

static const json_t *setting_of(const json_t *row, const char *key)
{
    return json_object_get(json_object_get(row, "setting"), key);
}

/* Spencer's tree and times, with generated records or given ones; sweeps; each result as that of serial. */
static void check_records(const char *name, bool is_generated)
{
    json_t *document = parse_file(name);
    const json_t *row, *serial = find_row(document, "experiment-outer", "serial"), *timing;
    size_t i;

    assert_string_equal(json_string_value(setting_of(serial, "data")), is_generated ? "generated" : "uci_segment");
    assert_int_equal(json_integer_value(setting_of(serial, "nodes")), 31);
    assert_int_equal(json_integer_value(setting_of(serial, "depth")), 11);
    assert_int_equal(json_integer_value(setting_of(serial, "attributes")), 19);
    assert_true(json_number_value(setting_of(serial, "accuracy")) > 0.5);
    assert_null(json_object_get(serial, "published")); /* of 65536 records */
    timing = json_object_get(serial, "wall_ms");
    assert_true(json_number_value(json_object_get(timing, "mean")) >=
                json_number_value(json_object_get(timing, "min")));
    assert_true(json_number_value(json_object_get(timing, "mean")) <=
                json_number_value(json_object_get(timing, "max")));
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        bool is_copy = strcmp(text(row, "technique"), "copy") == 0, was_run = json_object_get(row, "skipped") == NULL;
        if (was_run && !is_copy && !json_is_true(json_object_get(row, "equals_cpu")))
            fail_msg("%s differs", text(row, "id"));
        assert_true(was_run || strstr(text(row, "skipped"), "tests of all nodes") != NULL);
        assert_true(json_integer_value(setting_of(row, "records")) <= 64);
        assert_true(json_number_value(setting_of(row, "path_length")) <= json_number_value(setting_of(row, "depth")));
    }
    assert_true(count_rows(document, "shapes", "serial") >= 4);
    assert_int_equal(count_rows(document, "order", "serial"), 2);
    json_decref(document);
}

TESTING_CASE(test_records_without_a_device)
{
    struct run result;

    result = run_blind("SHADEWOOD_DATA=none shadewood bench records --records 64 --runs 3 -q --json blind.json");
    assert_success(result);
    assert_non_null(strstr(result.out, "records: experiment-outer"));
    assert_non_null(strstr(result.out, "  microseconds        mean"));
    check_records("blind.json", true);
    assert_success(run("mkdir -p wrong/uci_segment && printf 'SKY,1,2\\n' >wrong/uci_segment/segmentation.data"));
    assert_one_line(run_blind("shadewood bench records --records 64 --runs 3 -q --data wrong"), FAILURE,
                    "wrong/uci_segment/segmentation.data, line 1", NULL);
}

TESTING_CASE(test_records_on_a_device)
{
    json_t *document;

    if (run("shadewood devices --json").code != 0)
        testing_skip("no Vulkan device");
    assert_success(run("SHADEWOOD_DATA=none shadewood bench records --records 64 --runs 3 -q --technique "
                       "serial,compute,speculative-mapped --json device.json"));
    check_records("device.json", true);
    document = parse_file("device.json");
    assert_int_equal(count_rows(document, "experiment-inner", "compute"), 1);
    assert_int_equal(count_rows(document, "experiment-inner", "serial"), 0);
    assert_int_equal(count_rows(document, "large-outer", "copy"), 1);
    assert_int_equal(count_rows(document, "shapes", "cpu"), 0);
    json_decref(document);
}

/* The signal comes when the third row has begun, so that there are two; rows take a second, and there are many. */
TESTING_CASE(test_only_devices_that_are_there)
{
    need_device();
    assert_one_line(run("shadewood bench --device 63 pipeline"), NO_DEVICE, "63", NULL);
}

TESTING_CASE(test_interrupted_rows_are_written)
{
    struct run result = run("\"$SHADEWOOD_PROGRAM\" bench pipeline --technique cpu --size 640x480 --runs 1001 "
                            "--seconds 1 --json part.json >part.txt 2>part.log & child=$!; "
                            "until [ $(grep -c /cpu part.log) -ge 3 ] || ! kill -0 $child; do sleep 0.05; done; "
                            "kill -INT $child; wait $child");
    json_t *document = parse_file("part.json");

    assert_int_equal(result.code, INTERRUPTED);
    assert_in_range(json_array_size(json_object_get(document, "rows")), 2, 4);
    json_decref(document);
    assert_success(run("grep -q interrupted part.log && grep -q channels part.txt"));
}

/* Bare and scattered points and whole histograms are timed equally often, and count the same points. */
TESTING_CASE(test_histograms_by_blending)
{
    static const char *const stages[] = {"bare", "scattered", "histogram"};
    json_t *document;
    const json_t *row;
    double points = 0;
    size_t i;

    if (run("shadewood devices --json").code != 0)
        testing_skip("no Vulkan device");
    assert_success(run("shadewood bench blending --runs 3 --seconds 60 -q --json blending.json"));
    document = parse_file("blending.json");
    if (json_object_get(json_array_get(json_object_get(document, "rows"), 0), "skipped") != NULL) {
        json_decref(document);
        testing_skip("the device does not blend");
    }
    assert_int_equal(json_array_size(json_object_get(document, "rows")), 3);
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        const json_t *rate = json_object_get(row, "throughput");

        assert_string_equal(text(row, "stage"), stages[i]);
        assert_int_equal(json_integer_value(json_object_get(json_object_get(row, "device_ms"), "runs")), 3);
        assert_string_equal(text(rate, "unit"), "points");
        assert_true(json_number_value(json_object_get(rate, "per_second")) > 0);
        if (i == 0)
            points = json_number_value(json_object_get(json_object_get(row, "work"), "amount"));
        assert_true(json_number_value(json_object_get(json_object_get(row, "work"), "amount")) == points);
    }
    assert_true(points > 0);
    json_decref(document);
}

/* Without a device, so that it is quick: the stages that the CPU has, with and without smoothing, and two levels. */
TESTING_CASE(test_smoothing_and_levels)
{
    json_t *document;

    assert_success(
        run("shadewood bench smoothing --quick --technique cpu --size 48x36 --runs 3 -q --json smoothing.json"));
    document = parse_file("smoothing.json");
    assert_all_equal_cpu(document);
    assert_int_equal(count_rows(document, "smooth", "cpu"), 2);
    assert_int_equal(count_rows(document, "label", "cpu"), 5);
    json_decref(document);
}

TESTING_CASE(test_the_list_of_suites)
{
    struct run result = run("shadewood bench --list");

    assert_success(result);
    for (const char *const *name =
             (const char *const[]){"roofline", "pipeline", "sharp", "curfil", "embed", "viewer", "training", "blending",
                                   "boosting", "records", "smoothing", "planes", "texts", NULL};
         *name != NULL; name++)
        assert_non_null(strstr(result.out, *name));
}
