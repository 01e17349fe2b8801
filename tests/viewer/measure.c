/* What the program tells of its times: to scripts as JSON, to people as a table. */
#include "viewer.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char forest_path[FILE_PATH], picture_path[FILE_PATH];

static int open_files(void **state)
{
    (void)state;
    write_forest_and_picture(60, 40, forest_path, picture_path);
    return 0;
}

/* What the program prints when it runs the lines, after having opened picture and forest. */
static const char *run(const char *lines)
{
    static char output[65536];
    char path[512], command[2048];
    size_t length;
    FILE *file;
    int status;

    snprintf(path, sizeof path, "%s", testing_path("script"));
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "forest %s\nopen %s\n%s", forest_path, picture_path, lines);
    fclose(file);
    snprintf(command, sizeof command, "'%s' --headless --size 900x800 --script '%s' 2>'%s.log'",
             SHADEWOOD_VIEWER_PROGRAM, path, path);
    file = popen(command, "r");
    assert_non_null(file);
    length = fread(output, 1, sizeof output - 1, file);
    output[length] = '\0';
    status = pclose(file);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
        testing_skip("there is no Vulkan device for the viewer");
    assert_int_equal(status, 0);
    return output;
}

static json_t *parse(const char *line)
{
    json_t *json = json_loads(line, JSON_DISABLE_EOF_CHECK, NULL);

    assert_non_null(json);
    return json;
}

static json_int_t count_of(const json_t *json, const char *kind)
{
    return json_integer_value(json_object_get(json_object_get(json_object_get(json, "ms"), kind), "count"));
}

static void assert_techniques(const json_t *json, const char *channels, const char *integrate, const char *evaluate)
{
    const json_t *techniques = json_object_get(json, "techniques");

    assert_string_equal(json_string_value(json_array_get(techniques, 0)), channels);
    assert_string_equal(json_string_value(json_array_get(techniques, 1)), integrate);
    assert_string_equal(json_string_value(json_array_get(techniques, 2)), evaluate);
}

static void assert_percentiles(const json_t *json)
{
    const char *kind;
    json_t *times;

    json_object_foreach(json_object_get(json, "ms"), kind, times)
    {
        static const char *const names[] = {"p5", "median", "p95", "p99"};
        double last = 0.0;
        assert_true(json_integer_value(json_object_get(times, "count")) > 0);
        for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
            double value = json_real_value(json_object_get(times, names[n]));
            assert_true(value >= last);
            last = value;
        }
    }
}

TESTING_CASE(measuring_labels_in_every_frame)
{
    json_t *json = parse(run("technique compute\nmeasure 7\n"));

    assert_int_equal(json_integer_value(json_object_get(json, "frames")), 7);
    assert_int_equal(json_integer_value(json_object_get(json, "labellings")), 7);
    assert_true(json_real_value(json_object_get(json, "frames_per_second")) > 0.0);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(json, "picture"), 0)), 60);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(json, "canvas"), 1)), 800);
    assert_techniques(json, "compute", "compute", "compute");
    assert_int_equal(count_of(json, "labels"), 7);
    assert_int_equal(count_of(json, "worker"), 0);
    if (count_of(json, "device") > 0) { /* there are timestamps */
        assert_int_equal(count_of(json, "channels"), 7);
        assert_int_equal(count_of(json, "evaluate"), 7);
        assert_int_equal(count_of(json, "compose"), 7);
        assert_int_equal(count_of(json, "draw"), 7);
    }
    assert_percentiles(json);
    json_decref(json);
}

TESTING_CASE(a_part_on_the_cpu_takes_the_worker)
{
    json_t *json = parse(run("technique fragment\ntechnique integrate cpu\nmeasure 3\n"));

    assert_techniques(json, "fragment", "cpu", "fragment");
    assert_int_equal(json_integer_value(json_object_get(json, "labellings")), 3);
    assert_int_equal(count_of(json, "worker"), 3);
    assert_int_equal(count_of(json, "channels"), 0);
    assert_percentiles(json);
    json_decref(json);
}

TESTING_CASE(reports_are_of_what_came_since)
{
    json_t *json = parse(run("wait 5\nforget\nwait 3\nreport\n"));

    assert_int_equal(json_integer_value(json_object_get(json, "frames")), 3);
    assert_int_equal(json_integer_value(json_object_get(json, "labellings")), 0);
    assert_int_equal(count_of(json, "labels"), 0);
    json_decref(json);
}

/* The panel's button does what the action does, and its sliders and lists are there. */
TESTING_CASE(the_panel_forgets_and_chooses)
{
    json_t *json = parse(run("panels on\npanel classes off\npanel teach off\npanel pixel off\npanel "
                             "performance on\nwait 20\nclick Reset\nwait 4\nreport\n"));

    assert_true(json_integer_value(json_object_get(json, "frames")) < 9);
    json_decref(json);
}

TESTING_CASE(the_table_is_for_people)
{
    const char *line = run("technique cpu\nwait 2\ntimes\n");
    uint32_t lines = 0;

    assert_memory_equal(line, "ms         times      last       5 %    median      95 %      99 %\n", 67);
    while ((line = strchr(line, '\n')) != NULL && line[1] != '\0') {
        char kind[16];
        unsigned count;
        float last, p5, median, p95, p99;
        line++;
        if (strncmp(line, "the window", strlen("the window")) == 0)
            break;
        assert_int_equal(sscanf(line, "%15s %u %f %f %f %f %f", kind, &count, &last, &p5, &median, &p95, &p99), 7);
        assert_true(count > 0 && p5 <= median && median <= p95 && p95 <= p99);
        lines++;
    }
    assert_true(lines >= 2); /* worker and labels at least */
    assert_non_null(line);
    assert_non_null(strstr(line, "\nit waited for slot "));
}

TESTING_FIXTURE(open_files, NULL)
