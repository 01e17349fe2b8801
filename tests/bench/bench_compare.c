/* Comparing two documents of the bench, and reading documents that are not as they should be. */
#include "testing/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/compare.h"
#include "bench/document.h"

static json_t *timing(double median, double spread)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:i}", "median", median, "min", median - 2 * spread, "max",
                     median + 2 * spread, "q1", median - spread, "q3", median + spread, "runs", 21);
}

/* `equals`: 1, 0, or -1 for null. The timings are taken. */
static json_t *row(const char *id, const char *stage, json_t *device_ms, json_t *wall_ms, int equals)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "id", id, "suite", "pipeline", "stage", stage, "technique",
                     "compute", "device_ms", device_ms != NULL ? device_ms : json_null(), "wall_ms",
                     wall_ms != NULL ? wall_ms : json_null(), "equals_cpu",
                     equals < 0 ? json_null() : json_boolean(equals));
}

/* A row with a device time. */
static json_t *timed(const char *id, const char *stage, double median, double spread)
{
    return row(id, stage, timing(median, spread), NULL, 1);
}

/* Takes the rows. */
static json_t *document(json_t *rows)
{
    json_t *made =
        json_pack("{s:s, s:i, s:s, s:s, s:s, s:{s:s, s:i, s:s}, s:{s:s, s:s}, s:[], s:o}", "format", "shadewood-bench",
                  "version", 1, "shadewood", "0.1.0", "date", "2026-11-21T14:00:00Z", "command", "shadewood bench",
                  "host", "processor", "A processor", "processors", 2, "system", "Linux", "device", "name", "A device",
                  "driver", "Driver 1", "limits", "rows", rows);

    assert_non_null(made);
    return made;
}

static struct shw_bench_comparison compare(const json_t *a, const json_t *b)
{
    struct shw_bench_comparison comparison;

    assert_int_equal(shw_bench_compare(a, b, 0.1, NULL, &comparison), SHW_OK);
    return comparison;
}

static const struct shw_bench_change *find(const struct shw_bench_comparison *comparison, const char *id)
{
    for (size_t i = 0; i < comparison->change_count; i++)
        if (strcmp(json_string_value(json_object_get(comparison->changes[i].a, "id")), id) == 0)
            return &comparison->changes[i];
    fail_msg("no change of %s", id);
    return NULL;
}

/* The verdict about one row, and whether it is a regression. */
static void assert_verdict(json_t *a_row, json_t *b_row, enum shw_bench_verdict verdict, bool regressed)
{
    json_t *a = document(json_pack("[o]", a_row)), *b = document(json_pack("[o]", b_row));
    struct shw_bench_comparison comparison = compare(a, b);

    assert_int_equal(comparison.change_count, 1);
    assert_int_equal(comparison.changes[0].verdict, verdict);
    assert_int_equal(comparison.verdicts[verdict], 1);
    assert_int_equal(shw_bench_regressed(&comparison), regressed);
    shw_bench_comparison_free(&comparison);
    json_decref(a);
    json_decref(b);
}

TESTING_CASE(test_verdicts)
{
    assert_verdict(timed("r", "s", 1, 0.01), timed("r", "s", 1.09, 0.01), SHW_BENCH_ALIKE, false);
    assert_verdict(timed("r", "s", 1, 0.01), timed("r", "s", 1.12, 0.01), SHW_BENCH_SLOWER, true);
    assert_verdict(timed("r", "s", 1.12, 0.01), timed("r", "s", 1, 0.01), SHW_BENCH_FASTER, false);
    /* 1 / 1.1 is as far from 1 as 1.1 is */
    assert_verdict(timed("r", "s", 1.099, 0.001), timed("r", "s", 1, 0.001), SHW_BENCH_ALIKE, false);
    assert_verdict(timed("r", "s", 1, 0.01), timed("r", "s", 0.5, 0.6), SHW_BENCH_NOISE, false);
    assert_verdict(timed("r", "s", 1, 0), timed("r", "s", 1, 0), SHW_BENCH_ALIKE, false);
    assert_verdict(row("r", "s", NULL, NULL, 1), timed("r", "s", 1, 0), SHW_BENCH_UNTIMED, false);
    assert_verdict(timed("r", "s", 0, 0), timed("r", "s", 1, 0), SHW_BENCH_UNTIMED, false);
}

TESTING_CASE(test_a_result_that_is_no_longer_equal_is_a_regression)
{
    assert_verdict(row("r", "s", timing(1, 0), NULL, 1), row("r", "s", timing(0.5, 0), NULL, 0), SHW_BENCH_DIFFERENT,
                   true);
    assert_verdict(row("r", "s", timing(1, 0), NULL, -1), row("r", "s", timing(1, 0), NULL, 0), SHW_BENCH_DIFFERENT,
                   true);
    assert_verdict(row("r", "s", NULL, NULL, 1), row("r", "s", NULL, NULL, 0), SHW_BENCH_DIFFERENT, true);
    assert_verdict(row("r", "s", timing(1, 0), NULL, 0), row("r", "s", timing(1, 0), NULL, 0), SHW_BENCH_ALIKE, false);
    assert_verdict(row("r", "s", timing(1, 0), NULL, 0), row("r", "s", timing(1, 0), NULL, 1), SHW_BENCH_ALIKE, false);
}

TESTING_CASE(test_the_device_clock_goes_first_where_both_have_it)
{
    assert_verdict(row("r", "s", timing(1, 0), timing(1, 0), 1), row("r", "s", timing(1, 0), timing(2, 0), 1),
                   SHW_BENCH_ALIKE, false);
    assert_verdict(row("r", "s", timing(1, 0), timing(1, 0), 1), row("r", "s", NULL, timing(2, 0), 1), SHW_BENCH_SLOWER,
                   true);
    assert_verdict(row("r", "s", NULL, timing(2, 0), 1), row("r", "s", NULL, timing(1, 0), 1), SHW_BENCH_FASTER, false);
    assert_verdict(row("r", "s", timing(1, 0), NULL, 1), row("r", "s", NULL, timing(1, 0), 1), SHW_BENCH_UNTIMED,
                   false);
}

/* Quartiles that do not hold their own median cannot excuse it. */
TESTING_CASE(test_quartiles_that_cannot_be_are_not_believed)
{
    json_t *wrong = timing(1, 0.1);

    json_object_set_new(wrong, "median", json_real(1.3));
    assert_verdict(timed("r", "s", 1, 0.1), row("r", "s", wrong, NULL, 1), SHW_BENCH_SLOWER, true);
}

/* Twelve rows, each slower by a fifth and each within its own noise, are slower together. */
TESTING_CASE(test_a_stage_that_is_slower_on_average_is_a_regression)
{
    json_t *a_rows = json_array(), *b_rows = json_array(), *a, *b;
    struct shw_bench_comparison comparison;

    for (int i = 0; i < 12; i++) {
        char id[16];
        snprintf(id, sizeof id, "row %d", i);
        json_array_append_new(a_rows, timed(id, "s", 1 + i, 0.5 * (1 + i)));
        json_array_append_new(b_rows, timed(id, "s", 1.2 * (1 + i), 0.5 * (1 + i)));
    }
    a = document(a_rows);
    b = document(b_rows);
    comparison = compare(a, b);
    assert_int_equal(comparison.verdicts[SHW_BENCH_NOISE], 12);
    assert_int_equal(comparison.stage_count, 1);
    assert_true(fabs(comparison.stages[0].ratio - 1.2) < 1e-9);
    assert_true(shw_bench_regressed(&comparison));
    shw_bench_comparison_free(&comparison);
    comparison = compare(b, a);
    assert_false(shw_bench_regressed(&comparison));
    shw_bench_comparison_free(&comparison);
    json_decref(a);
    json_decref(b);
}

TESTING_CASE(test_rows_are_matched_by_id_and_grouped_by_stage)
{
    json_t *a = document(json_pack("[o, o, o, o]", timed("1", "first", 1, 0), timed("2", "second", 2, 0),
                                   timed("3", "first", 3, 0), timed("gone", "first", 1, 0)));
    json_t *b =
        document(json_pack("[o, o, o, o, o]", timed("new 1", "third", 1, 0), timed("3", "first", 6, 0),
                           timed("2", "second", 2, 0), timed("1", "first", 2, 0), timed("new 2", "first", 1, 0)));
    struct shw_bench_comparison comparison = compare(a, b);

    assert_int_equal(comparison.change_count, 3);
    assert_int_equal(comparison.stage_count, 2);
    assert_string_equal(comparison.stages[0].stage, "first");
    assert_int_equal(comparison.stages[0].count, 2);
    assert_true(fabs(comparison.stages[0].ratio - 2) < 1e-9);
    assert_int_equal(comparison.stages[1].first, 2);
    assert_true(fabs(comparison.stages[1].ratio - 1) < 1e-9);
    assert_true(find(&comparison, "3")->ratio > 1.99 && find(&comparison, "1")->ratio > 1.99);
    assert_int_equal(find(&comparison, "2")->verdict, SHW_BENCH_ALIKE);
    assert_int_equal(comparison.only_a_count, 1);
    assert_string_equal(json_string_value(json_object_get(comparison.only_a[0], "id")), "gone");
    assert_int_equal(comparison.only_b_count, 2);
    assert_string_equal(json_string_value(json_object_get(comparison.only_b[1], "id")), "new 2");
    shw_bench_comparison_free(&comparison);
    json_decref(a);
    json_decref(b);
}

static char *text_of(const struct shw_bench_comparison *comparison)
{
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    assert_non_null(stream);
    shw_bench_print_comparison(comparison, "a.json", "b.json", stream);
    fclose(stream);
    return text;
}

TESTING_CASE(test_the_text_tells_what_differs)
{
    json_t *a = document(json_pack("[o, o]", timed("slow", "first", 1, 0), timed("gone", "first", 1, 0)));
    json_t *b = document(json_pack("[o, o]", timed("slow", "first", 3, 0), timed("new", "first", 1, 0)));
    static const char *const expected[] = {"the devices differ: A device; Another\n",
                                           "the versions of Shadewood differ: 0.1.0; 0.2.0\n",
                                           "  3.000  slower\n",
                                           "only in A\n  gone\n",
                                           "only in B\n  new\n",
                                           "\nregressions\n  slow ",
                                           "compared: 1 rows; 1 slower and 0 faster by more than 10 %",
                                           "pipeline first is slower as a whole: 3.000 times"};
    struct shw_bench_comparison comparison;
    char *text;

    json_object_set_new(json_object_get(b, "device"), "name", json_string("Another"));
    json_object_set_new(b, "shadewood", json_string("0.2.0"));
    comparison = compare(a, b);
    text = text_of(&comparison);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (strstr(text, expected[i]) == NULL)
            fail_msg("no '%s' in:\n%s", expected[i], text);
    assert_null(strstr(text, "drivers differ"));
    free(text);
    shw_bench_comparison_free(&comparison);
    comparison = compare(a, a);
    text = text_of(&comparison);
    assert_null(strstr(text, "differ:"));
    assert_null(strstr(text, "only in"));
    free(text);
    shw_bench_comparison_free(&comparison);
    json_decref(a);
    json_decref(b);
}

/* A document as text, with `from` replaced by `to`; must be refused with one message that contains `why`. */
static void assert_refused(const char *from, const char *to, enum shw_result expected, const char *why)
{
    json_t *good = document(json_pack("[o, o]", timed("one", "s", 1, 0.5), timed("two", "s", 1, 0.5))), *read;
    char *text = json_dumps(good, 0), *at = strstr(text, from), *changed;
    struct testing_log memory = {0};
    struct shw_log log = testing_log(&memory);
    size_t size;

    assert_non_null(at);
    changed = malloc(strlen(text) + strlen(to) + 1);
    assert_non_null(changed);
    size = (size_t)sprintf(changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    assert_int_equal(shw_bench_decode(changed, size, "bad.json", &log, &read), expected);
    assert_null(read);
    assert_int_equal(memory.errors, 1);
    if (strstr(memory.last, why) == NULL || strncmp(memory.last, "bad.json", 8) != 0)
        fail_msg("'%s' does not tell '%s'", memory.last, why);
    free(changed);
    free(text);
    json_decref(good);
}

TESTING_CASE(test_documents_that_are_refused)
{
    assert_refused("{\"format\"", "\"format\"", SHW_ERROR_FORMAT, "is not JSON: line 1");
    assert_refused("\"shadewood-bench\"", "\"another\"", SHW_ERROR_FORMAT,
                   "is not a report of 'shadewood bench --json'");
    assert_refused("\"version\": 1", "\"version\": 2", SHW_ERROR_VERSION, "version 2, by a newer Shadewood");
    assert_refused("\"version\": 1", "\"version\": 1.0", SHW_ERROR_FORMAT, "\"version\" is not a positive integer");
    assert_refused("\"id\": \"two\"", "\"id\": \"one\"", SHW_ERROR_FORMAT, "the id one occurs twice");
    assert_refused("\"id\": \"two\", ", "", SHW_ERROR_FORMAT, "\"rows[1].id\" is missing");
    assert_refused("\"id\": \"two\"", "\"id\": 2", SHW_ERROR_FORMAT, "\"rows[1].id\" is not a string");
    assert_refused("\"id\": \"two\"", "\"id\": \"t\\u001b[31mwo\"", SHW_ERROR_FORMAT, "\"rows[1].id\" is not one line");
    assert_refused("\"id\": \"two\"", "\"id\": \"t\\u009b31mwo\"", SHW_ERROR_FORMAT, "\"rows[1].id\" is not one line");
    assert_refused("\"median\": 1.0", "\"median\": -1.0", SHW_ERROR_FORMAT, "\"rows[0].device_ms.median\" is negative");
    assert_refused("\"median\": 1.0", "\"median\": 1e19", SHW_ERROR_FORMAT,
                   "\"rows[0].device_ms.median\" is not between");
    assert_refused("\"median\": 1.0", "\"median\": 1e-13", SHW_ERROR_FORMAT,
                   "\"rows[0].device_ms.median\" is not between");
    assert_refused("\"median\": 1.0", "\"median\": 1e999", SHW_ERROR_FORMAT, "is not JSON");
    assert_refused("\"median\": 1.0", "\"median\": \"1\"", SHW_ERROR_FORMAT,
                   "\"rows[0].device_ms.median\" is not a number");
    assert_refused("\"wall_ms\": null", "\"wall_ms\": 3", SHW_ERROR_FORMAT,
                   "\"rows[0].wall_ms\" is neither an object nor null");
    assert_refused("\"wall_ms\": null", "\"setting\": {\"a\": [1]}", SHW_ERROR_FORMAT,
                   "\"rows[0].setting.a\" is not a number");
    assert_refused("\"equals_cpu\": true", "\"equals_cpu\": 1", SHW_ERROR_FORMAT, "\"rows[0].equals_cpu\" is neither");
    assert_refused("\"limits\": []", "\"limits\": {}", SHW_ERROR_FORMAT, "\"limits\" is not a list");
    assert_refused("\"limits\": []", "\"limits\": [7]", SHW_ERROR_FORMAT, "\"limits[0]\" is not an object");
    assert_refused("\"device\": {", "\"device\": {\"name\": \"x\", ", SHW_ERROR_FORMAT, "is not JSON");
    assert_refused("\"rows\"", "\"rowing\"", SHW_ERROR_FORMAT, "\"rows\" is missing");
}

TESTING_CASE(test_what_a_report_may_have_besides_is_no_error)
{
    json_t *made = document(json_pack("[o]", timed("one", "s", 1, 0.5))), *read;
    struct testing_log memory = {0};
    struct shw_log log = testing_log(&memory);
    char *text;

    json_object_set_new(made, "future", json_pack("[i]", 1));
    json_object_set_new(made, "device", json_null());
    text = json_dumps(made, 0);
    assert_int_equal(shw_bench_decode(text, strlen(text), "good.json", &log, &read), SHW_OK);
    assert_int_equal(memory.errors, 0);
    assert_true(json_equal(made, read));
    json_decref(read);
    json_decref(made);
    free(text);
}

TESTING_CASE(test_files_that_cannot_be_read)
{
    struct testing_log memory = {0};
    struct shw_log log = testing_log(&memory);
    const char *path = testing_path("huge.json");
    json_t *read;
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fseek(file, (long)SHW_BENCH_DOCUMENT_BYTES + 1, SEEK_SET), 0);
    assert_int_equal(fputc('}', file), '}');
    fclose(file);
    assert_int_equal(shw_bench_load(path, &log, &read), SHW_ERROR_LIMIT);
    assert_non_null(strstr(memory.last, "larger than 64 MiB"));
    assert_int_equal(shw_bench_load(testing_path("nothing.json"), &log, &read), SHW_ERROR_IO);
    assert_int_equal(memory.errors, 2);
    assert_null(read);
}
