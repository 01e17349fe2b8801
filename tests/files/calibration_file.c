/* Files of calibrations: what is stored comes back, and what is damaged does not. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/output/calibration_file.h"

static const struct shw_device_description device = {.name = "a device",
                                                     .driver = "a driver 1.2",
                                                     .vendor_id = 0x10de,
                                                     .device_id = 0x2335,
                                                     .driver_version = 7,
                                                     .pipeline_cache_uuid = {1, 2, 3, 0xff}};

static const struct shw_log quiet;
static char path[4096];
static json_t *document; /* as it was stored */

static struct shw_stored_calibration example(void)
{
    struct shw_stored_calibration stored = {.calibration = {.version = SHW_CALIBRATION_VERSION,
                                                            .vendor_id = device.vendor_id,
                                                            .device_id = device.device_id,
                                                            .driver_version = device.driver_version,
                                                            .pipeline_cache_uuid = {1, 2, 3, 0xff},
                                                            .threads = 3,
                                                            .training_ns = {0, 17.25, 0, 0, 3.5},
                                                            .work = {512, 384, 16, 4, 32, 16, 8, 0, false},
                                                            .frame_count = 2,
                                                            .milliseconds = 876.5}};

    for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++)
        for (uint32_t t = SHW_TECHNIQUE_CPU; t <= SHW_TECHNIQUE_COMPUTE; t++)
            if (s + t != 3)
                stored.calibration.stages[s][t] = (struct shw_cost){true, 0.25 * s, 1.5 * t};
    for (uint32_t h = 0; h < SHW_HAND_OVER_COUNT; h++)
        stored.calibration.hand_overs[h] = (struct shw_cost){true, 0.125 * h, h};
    for (uint32_t f = 0; f < 2; f++)
        stored.calibration.frames[f] = (struct shw_calibration_frame){
            {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT}, 1.5 + f, 2};
    return stored;
}

static void write_text(const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static int prepare(void **state)
{
    struct shw_stored_calibration stored = example();
    const char *folder = testing_path("cache");
    char below[4096];
    struct testing_log memory;
    const struct shw_log log = testing_log(&memory);

    (void)state;
    setenv("XDG_CACHE_HOME", folder, 1);
    assert_true(shw_calibration_file_path(&device, path, sizeof path));
    assert_memory_equal(path, folder, strlen(folder));
    assert_true(shw_calibration_file_folder(below, sizeof below));
    assert_memory_equal(path, below, strlen(below));
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(shw_calibration_file_store(&device, &log, &stored), SHW_ERROR_IO); /* there is no such folder */
    assert_int_equal(memory.errors, 1);
    assert_int_equal(mkdir(below, 0700), 0);
    assert_int_equal(shw_calibration_file_store(&device, &quiet, &stored), SHW_OK);
    document = json_load_file(path, 0, NULL);
    assert_non_null(document);
    return 0;
}

static int forget(void **state)
{
    (void)state;
    json_decref(document);
    return 0;
}

static bool load(struct shw_stored_calibration *stored)
{
    return shw_calibration_file_load(&device, &quiet, stored);
}

TESTING_CASE(what_is_stored_comes_back)
{
    struct shw_stored_calibration expected = example(), stored, again;

    assert_true(load(&stored));
    assert_int_equal(strlen(stored.date), 20);
    assert_int_equal(stored.date[19], 'Z');
    memset(stored.date, 0, sizeof stored.date);
    /* field by field: there is padding */
    assert_true(shw_calibration_fits(&stored.calibration, &device));
    assert_int_equal(stored.calibration.threads, 3);
    assert_true(stored.calibration.milliseconds == 876.5);
    assert_memory_equal(stored.calibration.training_ns, expected.calibration.training_ns,
                        sizeof expected.calibration.training_ns);
    for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++)
        for (uint32_t t = 0; t < SHW_TECHNIQUE_COUNT; t++) {
            struct shw_cost a = stored.calibration.stages[s][t], b = expected.calibration.stages[s][t];
            assert_true(a.measured == b.measured && a.fixed_ms == b.fixed_ms && a.unit_ns == b.unit_ns);
        }
    for (uint32_t h = 0; h < SHW_HAND_OVER_COUNT; h++) {
        struct shw_cost a = stored.calibration.hand_overs[h], b = expected.calibration.hand_overs[h];
        assert_true(a.measured == b.measured && a.fixed_ms == b.fixed_ms && a.unit_ns == b.unit_ns);
    }
    assert_int_equal(stored.calibration.frame_count, 2);
    for (uint32_t f = 0; f < 2; f++) {
        struct shw_calibration_frame a = stored.calibration.frames[f], b = expected.calibration.frames[f];
        assert_memory_equal(a.techniques, b.techniques, sizeof a.techniques);
        assert_true(a.predicted_ms == b.predicted_ms && a.measured_ms == b.measured_ms);
    }
    assert_int_equal(stored.calibration.work.width, 512);
    assert_int_equal(stored.calibration.work.outputs, 8);
    assert_int_equal(shw_calibration_file_store(&device, &quiet, &stored), SHW_OK);
    assert_true(load(&again));
}

TESTING_CASE(damaged_files_are_ignored)
{
    static const struct {
        const char *key, *value; /* with dots between keys; JSON */
    } changes[] = {
        {"format", "\"shadewood-bench\""},
        {"version", "2"},
        {"version", "\"1\""},
        {"device.vendor_id", "1"},
        {"device.driver", "\"another\""},
        {"device.driver_version", "-1"},
        {"device.pipeline_cache_uuid", "\"00\""},
        {"device", "[]"},
        {"date", "\"yesterday\""},
        {"date", "\"\\u001b[2J\""},
        {"date", "\"2026-11-21T14:00:00Z00000000000\""},
        {"threads", "0"},
        {"threads", "2.5"},
        {"milliseconds", "-1"},
        {"stages.channels.cpu.unit_ns", "-0.5"},
        {"stages.channels.cpu.unit_ns", "1e300"},
        {"stages.channels.cpu.fixed_ms", "null"},
        {"stages.integrate.compute", "7"},
        {"stages.evaluate", "{}"},
        {"hand_overs.submission.fixed_ms", "\"0\""},
        {"training_ns.cpu", "[]"},
        {"training_ns", "null"},
        {"work.width", "4294967296"},
        {"work", "null"},
        {"frames", "null"},
        {"frames", "[1]"},
        {"frames", "[{\"techniques\": [\"cpu\", \"cpu\"], \"predicted_ms\": 1, \"measured_ms\": 1}]"},
        {"frames", "[{\"techniques\": [\"cpu\", \"cpu\", \"blend\"], \"predicted_ms\": 1, \"measured_ms\": 1}]"},
        {"frames", "[{\"techniques\": [\"cpu\", \"cpu\", \"cpu\"], \"predicted_ms\": 0, \"measured_ms\": 1}]"},
        {"frames", "[0,0,0,0,0,0,0,0,0]"},
    };
    struct shw_stored_calibration stored;

    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        json_t *changed = json_deep_copy(document), *at = changed;
        char keys[64], *key = keys, *dot, *text;
        snprintf(keys, sizeof keys, "%s", changes[i].key);
        for (; (dot = strchr(key, '.')) != NULL; key = dot + 1) {
            *dot = '\0';
            at = json_object_get(at, key);
            assert_non_null(at);
        }
        assert_int_equal(json_object_set_new(at, key, json_loads(changes[i].value, JSON_DECODE_ANY, NULL)), 0);
        text = json_dumps(changed, 0);
        write_text(text, strlen(text));
        if (load(&stored))
            fail_msg("%s may be %s", changes[i].key, changes[i].value);
        assert_int_equal(stored.calibration.version, 0);
        free(text);
        json_decref(changed);
    }
}

TESTING_CASE(what_is_no_json_is_ignored)
{
    struct shw_stored_calibration stored;
    char *text = json_dumps(document, 0), *twice = malloc(strlen(text) + 32), *large = calloc(1, 70000);
    size_t size = strlen(text);

    assert_true(twice != NULL && large != NULL);
    for (size_t cut = 0; cut < size; cut += 1 + cut % 13) {
        write_text(text, cut);
        assert_false(load(&stored));
    }
    write_text(text, size);
    assert_true(load(&stored));
    sprintf(twice, "{\"threads\": 4, %s", text + 1);
    write_text(twice, strlen(twice));
    assert_false(load(&stored));
    memset(large, ' ', 70000);
    memcpy(large, text, size);
    write_text(large, 70000);
    assert_false(load(&stored));
    assert_int_equal(unlink(path), 0);
    assert_false(load(&stored));
    assert_int_equal(mkfifo(path, 0600), 0); /* nobody writes to it: reading would wait for ever */
    assert_false(load(&stored));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(load(&stored));
    assert_int_equal(rmdir(path), 0);
    free(text);
    free(twice);
    free(large);
}

TESTING_CASE(devices_and_drivers_have_their_own_files)
{
    struct shw_device_description other = device;
    char other_path[4096];

#define DIFFERS(member)                                                                                                \
    other = device;                                                                                                    \
    other.member ^= 1;                                                                                                 \
    assert_true(shw_calibration_file_path(&other, other_path, sizeof other_path));                                     \
    assert_string_not_equal(other_path, path)
    DIFFERS(vendor_id);
    DIFFERS(device_id);
    DIFFERS(driver_version);
    DIFFERS(pipeline_cache_uuid[15]);
#undef DIFFERS
    assert_false(shw_calibration_file_path(&device, other_path, 40));
}

TESTING_CASE(the_folder_is_a_cache_of_the_user)
{
    static const char place[] =
        "/.cache/shadewood/calibration-10de-2335-00000007-010203ff000000000000000000000000.json";
    const char *home = testing_path("home");
    struct shw_stored_calibration stored = example();
    struct testing_log memory;
    const struct shw_log log = testing_log(&memory);
    char there[4096];

    setenv("HOME", home, 1);
    setenv("XDG_CACHE_HOME", "relative", 1);
    assert_true(shw_calibration_file_path(&device, there, sizeof there));
    assert_memory_equal(there, home, strlen(home));
    assert_string_equal(there + strlen(home), place);
    unsetenv("XDG_CACHE_HOME");
    assert_true(shw_calibration_file_path(&device, there, sizeof there));
    assert_string_equal(there + strlen(home), place);
    unsetenv("HOME");
    assert_false(shw_calibration_file_path(&device, there, sizeof there));
    assert_false(shw_calibration_file_folder(there, sizeof there));
    assert_int_equal(shw_calibration_file_store(&device, &log, &stored), SHW_ERROR_IO);
    assert_int_equal(memory.errors, 1);
}

TESTING_FIXTURE(prepare, forget)
