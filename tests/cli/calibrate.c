/* Calibrations: made on request, kept in the cache folder, distrusted when read. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define DATA  "--data data --images '{}.png' --labels '{}_L.png'"
#define QUICK "--trees 2 --depth 3 --candidates 20 --pixels 100 --offset 10 --size 9 --threads 1"

enum { SUCCESS = 0, FAILURE = 1, USAGE = 2, NO_DEVICE = 3 };

static json_t *document; /* as the program has stored it */

/* The path of the first device's file, in the test's folder. */
static const char *stored_path(void)
{
    static char path[600];
    struct dirent *entry;
    DIR *folder = opendir(testing_path("work/cache/shadewood"));

    assert_non_null(folder);
    path[0] = '\0';
    while ((entry = readdir(folder)) != NULL)
        if (strncmp(entry->d_name, "calibration-", 12) == 0)
            snprintf(path, sizeof path, "cache/shadewood/%s", entry->d_name);
    closedir(folder);
    assert_true(path[0] != '\0');
    return path;
}

static int prepare(void **state)
{
    struct run result;
    char *bytes;
    size_t size;

    (void)state;
    make_data("data", 2);
    assert_success(run("shadewood train -t cpu " DATA " " QUICK " -o forest.ktx2 -q"));
    if (run("shadewood devices").code != 0)
        return 0;
    result = run("shadewood devices --calibrate --device 0");
    assert_success(result);
    assert_true(strstr(result.out, "whole frame") != NULL && strchr(result.out, '*') != NULL);
    assert_int_equal(entry_count("cache/shadewood"), 1);
    bytes = file_bytes(stored_path(), &size);
    document = parse_json(bytes);
    free(bytes);
    return 0;
}

static void need_calibration(void)
{
    if (document == NULL)
        testing_skip("no Vulkan device");
}

static int forget(void **state)
{
    (void)state;
    json_decref(document);
    return 0;
}

static void store(const json_t *changed)
{
    char *text = json_dumps(changed, 0);

    assert_non_null(text);
    make_file(stored_path(), text, strlen(text));
    free(text);
}

static json_t *first_device(const char *json)
{
    json_t *all = parse_json(json), *device = json_incref(json_array_get(json_object_get(all, "devices"), 0));

    json_decref(all);
    assert_non_null(device);
    return device;
}

TESTING_CASE(test_a_calibration_is_shown_and_kept)
{
    const char *date;
    struct run result;
    json_t *device;

    need_calibration();
    store(document);
    date = json_string_value(json_object_get(document, "date"));
    result = run("shadewood devices");
    assert_success(result);
    assert_true(strstr(result.out, date) != NULL && strstr(result.out, "auto        channels ") != NULL);
    assert_null(strstr(result.out, "whole frame"));
    result = run("shadewood devices --json");
    device = first_device(result.out);
    assert_string_equal(json_string_value(json_object_get(json_object_get(device, "calibration"), "date")), date);
    assert_true(json_equal(json_object_get(json_object_get(device, "calibration"), "stages"),
                           json_object_get(document, "stages")));
    json_decref(device);
}

static json_t *cost(double ms)
{
    return json_pack("{s:f, s:f}", "fixed_ms", ms, "unit_ns", 0.0);
}

/* A calibration by which the techniques look fastest. */
static json_t *favour(const char *channels, const char *integrate, const char *evaluate, const char *training)
{
    const char *const stages[] = {"channels", "integrate", "evaluate"}, *const mixture[] = {channels, integrate,
                                                                                            evaluate};
    json_t *changed = json_deep_copy(document), *hand_overs = json_object_get(changed, "hand_overs"), *value;
    const char *key;

    for (int s = 0; s < 3; s++) {
        json_t *stage = json_object_get(json_object_get(changed, "stages"), stages[s]);
        json_object_foreach(stage, key, value)
            json_object_set_new(stage, key, cost(strcmp(key, mixture[s]) == 0 ? 1 : 9));
    }
    json_object_foreach(hand_overs, key, value) json_object_set_new(hand_overs, key, cost(0.01));
    json_array_clear(json_object_get(changed, "frames"));
    json_object_set_new(changed, "training_ns", json_pack("{s:f, s:f, s:f}", "cpu", 5.0, "compute", 5.0, "blend", 5.0));
    json_object_set_new(json_object_get(changed, "training_ns"), training, json_real(1));
    return changed;
}

TESTING_CASE(test_auto_goes_by_it_and_changes_nothing)
{
    static const char *const mixtures[][3] = {
        {"cpu", "fragment", "compute"}, {"compute", "cpu", "fragment"}, {"fragment", "compute", "cpu"}};
    static const char *const training[] = {"cpu", "compute", "compute"};
    size_t size, expected_size, forest_size;
    char *expected, *forest;

    need_calibration();
    assert_success(run("shadewood label -t cpu forest.ktx2 data/00.png -o expected -q"));
    expected = file_bytes("expected/00_labels.png", &expected_size);
    forest = file_bytes("forest.ktx2", &forest_size);
    for (int m = 0; m < 3; m++) {
        json_t *changed = favour(mixtures[m][0], mixtures[m][1], mixtures[m][2], training[m]), *techniques, *labelled;
        char line[64], *bytes;
        struct run result;
        store(changed);
        json_decref(changed);
        result = run("shadewood label forest.ktx2 data/00.png -o got --json");
        assert_success(result);
        labelled = parse_json(result.out);
        techniques = json_object_get(labelled, "techniques");
        assert_string_equal(json_string_value(json_object_get(techniques, "channels")), mixtures[m][0]);
        assert_string_equal(json_string_value(json_object_get(techniques, "integrate")), mixtures[m][1]);
        assert_string_equal(json_string_value(json_object_get(techniques, "evaluate")), mixtures[m][2]);
        json_decref(labelled);
        bytes = file_bytes("got/00_labels.png", &size);
        assert_true(size == expected_size && memcmp(bytes, expected, size) == 0);
        free(bytes);
        result = run("shadewood evaluate -v " DATA " forest.ktx2");
        assert_success(result);
        snprintf(line, sizeof line, "integrate by %s, evaluate by %s", mixtures[m][1], mixtures[m][2]);
        assert_non_null(strstr(result.err, line));
        result = run("shadewood train -v " DATA " " QUICK " -o again.ktx2");
        assert_success(result);
        snprintf(line, sizeof line, "training rounds by %s", training[m]);
        assert_non_null(strstr(result.err, line));
        bytes = file_bytes("again.ktx2", &size);
        assert_true(size == forest_size && memcmp(bytes, forest, size) == 0);
        free(bytes);
    }
    free(expected);
    free(forest);
}

/* Every reason is in tests/files/calibration_file.c. */
TESTING_CASE(test_bad_files_are_told)
{
    struct run result;
    json_t *device;

    need_calibration();
    make_file(stored_path(), "{", 1);
    result = run("shadewood devices --json");
    assert_success(result);
    device = first_device(result.out);
    assert_true(json_is_null(json_object_get(device, "calibration")));
    json_decref(device);
    if (strstr(result.err, "is ignored: it cannot be read as JSON") == NULL ||
        strchr(result.err, '\n') != strrchr(result.err, '\n'))
        fail_msg("not one line that tells the reason: %s", result.err);
    assert_string_equal(run("shadewood devices -q").err, "");
    result = run("shadewood label forest.ktx2 data/00.png -o got");
    assert_success(result);
    assert_non_null(strstr(result.err, "is ignored"));
    result = run("shadewood label -t compute forest.ktx2 data/00.png -o got");
    assert_success(result);
    assert_string_equal(result.err, "");
}

TESTING_CASE(test_no_place_to_keep_it)
{
    struct run result;

    need_calibration();
    result = run("unset HOME XDG_CACHE_HOME; shadewood devices --calibrate");
    assert_one_line(result, FAILURE, "XDG_CACHE_HOME or HOME", NULL);
    result = run("unset HOME; XDG_CACHE_HOME=relative; shadewood devices --calibrate");
    assert_one_line(result, FAILURE, "XDG_CACHE_HOME or HOME", NULL);
    result = run("unset HOME XDG_CACHE_HOME; shadewood devices && shadewood label forest.ktx2 data/00.png -o got -q");
    assert_success(result);
    assert_string_equal(result.err, "");
    make_file("plain", "", 0);
    assert_one_line(run("XDG_CACHE_HOME=$PWD/plain; shadewood devices --calibrate"), FAILURE, "plain", NULL);
}

TESTING_CASE(test_only_devices_that_are_there)
{
    need_calibration();
    assert_one_line(run("shadewood devices --calibrate --device 63"), NO_DEVICE, "no device 63", NULL);
    assert_int_equal(run("shadewood devices --calibrate --device 64").code, USAGE);
}

TESTING_FIXTURE(prepare, forget)
