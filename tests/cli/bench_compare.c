/* 'shadewood bench compare': what it says, and how it ends. */
#include <stdio.h>
#include <string.h>

#include "program.h"

enum { REGRESSED = 1, USAGE = 2 };

/* A report of one row of `median` ms, whose result equals that of cpu or does not. */
static void make_report(const char *name, const char *device, double median, bool equal)
{
    char text[1024];
    int length =
        snprintf(text, sizeof text,
                 "{\"format\": \"shadewood-bench\", \"version\": 1, \"shadewood\": \"0.1.0\", \"date\": "
                 "\"2026-11-21T14:00:00Z\", \"command\": \"shadewood bench\", \"host\": {\"processor\": \"P\"}, "
                 "\"device\": {\"name\": \"%s\", \"driver\": \"D\"}, \"limits\": [], \"rows\": [{\"id\": "
                 "\"pipeline/channels/640x480/compute\", \"suite\": \"pipeline\", \"stage\": \"channels\", "
                 "\"technique\": \"compute\", \"device_ms\": {\"median\": %g, \"min\": %g, \"max\": %g, \"q1\": %g, "
                 "\"q3\": %g, \"runs\": 21}, \"wall_ms\": null, \"equals_cpu\": %s}]}",
                 device, median, 0.98 * median, 1.02 * median, 0.99 * median, 1.01 * median, equal ? "true" : "false");

    assert_in_range(length, 1, sizeof text - 1);
    make_file(name, text, (size_t)length);
}

static int prepare(void **state)
{
    (void)state;
    make_report("a.json", "One", 2, true);
    make_report("alike.json", "One", 2.1, true);
    make_report("slower.json", "One", 2.4, true);
    make_report("faster.json", "Two", 1, true);
    make_report("different.json", "One", 2, false);
    make_file("half.json", "{\"format\": \"shadewood-ben", 25);
    make_file("empty.json", "", 0);
    make_file("list.json", "[1, 2]", 6);
    return 0;
}

static void assert_says(const char *arguments, int code, const char *said)
{
    struct run result = run("shadewood bench compare %s", arguments);

    assert_int_equal(result.code, code);
    assert_string_equal(result.err, "");
    if (strstr(result.out, said) == NULL)
        fail_msg("%s: no '%s' in: %s", arguments, said, result.out);
}

TESTING_CASE(test_the_exit_code_tells_of_regressions)
{
    assert_says("a.json a.json", 0, "compared: 1 rows; 0 slower and 0 faster by more than 10 %");
    assert_says("a.json alike.json", 0, "1.050\n");
    assert_says("a.json slower.json", REGRESSED, "1.200  slower\n");
    assert_says("a.json slower.json --threshold 25", 0, "by more than 25 %");
    assert_says("a.json alike.json --threshold 3", REGRESSED, "slower");
    assert_says("slower.json faster.json", 0, "faster\n");
    assert_says("a.json faster.json", 0, "the devices differ: One; Two\n");
    assert_says("a.json different.json", REGRESSED, "no longer equals cpu");
}

TESTING_CASE(test_quiet_says_nothing)
{
    struct run result = run("shadewood bench compare -q a.json slower.json");

    assert_int_equal(result.code, REGRESSED);
    assert_string_equal(result.out, "");
    assert_string_equal(result.err, "");
}

TESTING_CASE(test_what_cannot_be_compared)
{
    assert_one_line(run("shadewood bench compare a.json nothing.json"), USAGE, "nothing.json", "No such file", NULL);
    assert_one_line(run("shadewood bench compare half.json a.json"), USAGE, "half.json is not JSON", "line 1", NULL);
    assert_one_line(run("shadewood bench compare a.json empty.json"), USAGE, "empty.json is not JSON", NULL);
    assert_one_line(run("shadewood bench compare a.json list.json"), USAGE, "list.json is not a report", "bench --json",
                    NULL);
    assert_one_line(run("shadewood bench compare a.json ."), USAGE, "not a regular file", NULL);
    assert_one_line(run("shadewood bench compare a.json"), USAGE, "two reports are needed", "--help", NULL);
    assert_one_line(run("shadewood bench compare a.json a.json a.json"), USAGE, "two reports are needed", NULL);
    assert_one_line(run("shadewood bench compare a.json a.json --threshold few"), USAGE, "'few'", "--threshold", NULL);
}

TESTING_CASE(test_the_help_tells_all)
{
    struct run result = run("shadewood bench compare --help");

    assert_success(result);
    assert_non_null(strstr(result.out, "usage: shadewood bench compare [OPTION...] A.json B.json"));
    assert_non_null(strstr(result.out, "--threshold PERCENT"));
    assert_non_null(strstr(run("shadewood bench --help").out, "bench compare"));
}

TESTING_FIXTURE(prepare, NULL)
