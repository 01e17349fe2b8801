/* Pages of the bench: what they say, how they group and chart rows, and that nothing in a report can break out of its
 * place. */
#include "testing/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/axis.h"
#include "bench/html.h"
#include "bench/markup.h"
#include "bench/page.h"

static json_t *timing(double median)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:i}", "median", median, "min", 0.9 * median, "max", 1.2 * median, "q1",
                     0.95 * median, "q3", 1.05 * median, "runs", 21);
}

/* A row of suite `pipeline`; `series` may be NULL, `x` is its value. */
static json_t *row(const char *id, const char *stage, const char *technique, const char *series, double x, double ms)
{
    json_t *made = json_pack("{s:s, s:s, s:s, s:s, s:o, s:b}", "id", id, "suite", "pipeline", "stage", stage,
                             "technique", technique, "device_ms", timing(ms), "equals_cpu", 1);

    assert_non_null(made);
    if (series != NULL) {
        json_object_set_new(made, "series", json_string(series));
        json_object_set_new(made, "setting", json_pack("{s:f}", series, x));
    }
    return made;
}

/* Takes the rows. */
static json_t *document(json_t *rows)
{
    return json_pack("{s:s, s:i, s:s, s:s, s:s, s:{s:s, s:i, s:s}, s:{s:s, s:s}, s:[], s:o}", "format",
                     "shadewood-bench", "version", 1, "shadewood", "0.1.0", "date", "2026-11-21T14:00:00Z", "command",
                     "shadewood bench --json x", "host", "processor", "A processor", "processors", 2, "system", "Linux",
                     "device", "name", "A device", "driver", "Driver 1", "limits", "rows", rows);
}

/* Trees 1, 2 and 4 by two techniques; compute is the faster but for one tree. */
static json_t *by_trees(void)
{
    json_t *rows = json_array();

    for (int trees = 1; trees <= 4; trees *= 2)
        for (int t = 0; t < 2; t++) {
            const char *technique = t == 0 ? "fragment" : "compute";
            char id[128];
            snprintf(id, sizeof id, "pipeline/evaluate/by-trees/640x480/trees-%d/argmax/%s", trees, technique);
            json_array_append_new(rows, row(id, "evaluate", technique, "trees", trees,
                                            t == 0 ? 2.0 * trees : 1.0 + trees * 0.5 + 3.0 * (trees == 1)));
        }
    return document(rows);
}

static char *page_of(const json_t *report)
{
    static char *text; /* GCC would not see that fclose() sets it */
    static size_t size;
    FILE *stream = open_memstream(&text, &size);

    assert_non_null(stream);
    assert_int_equal(shw_bench_write_html(report, NULL, stream), SHW_OK);
    fclose(stream);
    return text;
}

static size_t occurrences(const char *text, const char *of)
{
    size_t count = 0;

    for (; (text = strstr(text, of)) != NULL; text++)
        count++;
    return count;
}

static void assert_says(const char *page, const char *text)
{
    if (strstr(page, text) == NULL)
        fail_msg("no '%s' in:\n%s", text, strstr(page, "</style>") != NULL ? strstr(page, "</style>") : page);
}

static void test_numbers(void **state)
{
    static const struct {
        double value;
        const char *plain, *brief;
    } cases[] = {{0, "0.0000", "0"},        {0.0521, "0.0521", "0.0521"},
                 {0.5, "0.500", "0.500"},   {1.234, "1.23", "1.23"},
                 {12.34, "12.3", "12.3"},   {812, "812", "812"},
                 {99.96, "100", "100"},     {1234, "1234", "1.23 k"},
                 {2e12, "2.00e+12", "2 T"}, {1e-5, "1.00e-05", "1.00e-05"},
                 {9.996, "10.0", "10.0"},   {1e30, "1.00e+30", "1.00e+15 P"}};
    char text[SHW_NUMBER_SIZE];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(shw_number(text, cases[i].value), cases[i].plain);
        assert_string_equal(shw_number_short(text, cases[i].value), cases[i].brief);
    }
}

static void test_text_is_cut_between_characters(void **state)
{
    char text[10];

    (void)state;
    assert_string_equal(shw_text_format(text, sizeof text, "%s", "123456789"), "123456789");
    assert_string_equal(shw_text_format(text, sizeof text, "%s", "1234567890"), "123456\xe2\x80\xa6");
    assert_string_equal(shw_text_format(text, sizeof text, "%s",
                                        "12345\xc3\x97"
                                        "890"),
                        "12345\xe2\x80\xa6");
    assert_string_equal(shw_text_format(text, sizeof text, "%s",
                                        "123\xf0\x9f\x8c\xb2"
                                        "4567"),
                        "123\xe2\x80\xa6");
    assert_int_equal(shw_text_length("12\xc3\x97\xf0\x9f\x8c\xb2"), 4);
}

static void test_axes_hold_their_values_and_have_ticks(void **state)
{
    static const double ranges[][2] = {{1, 1},        {0.05, 0.08},    {1, 64},     {1e-3, 1e4},
                                       {1e-12, 1e12}, {1e-300, 1e300}, {0.95, 1.02}};

    (void)state;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        for (int logarithmic = 0; logarithmic < 2; logarithmic++) {
            struct shw_axis axis = shw_axis_make(logarithmic, ranges[i][0], ranges[i][1], 100, 500);
            double low = shw_axis_place(&axis, ranges[i][0]), high = shw_axis_place(&axis, ranges[i][1]);
            assert_true(low >= 100 && low <= high && high <= 500);
            assert_in_range(axis.tick_count, 1, SHW_TICKS_MAX);
            for (size_t t = 0; t < axis.tick_count; t++)
                assert_true(isfinite(axis.ticks[t]) && (t == 0 || axis.ticks[t] > axis.ticks[t - 1]));
            assert_true(shw_axis_place(&axis, -1) <= low && isfinite(shw_axis_place(&axis, 0)));
        }
}

static void test_rows_are_grouped(void **state)
{
    json_t *report = by_trees();
    struct shw_page page;
    char label[SHW_PAGE_LABEL_SIZE];

    (void)state;
    json_array_append_new(json_object_get(report, "rows"),
                          row("pipeline/whole/640x480/cpu", "whole", "cpu", NULL, 0, 9));
    assert_int_equal(shw_page_create(report, NULL, &page), SHW_OK);
    assert_int_equal(page.group_count, 2);
    assert_int_equal(page.setting_count, 4);
    assert_int_equal(page.groups[0].count, 6);
    assert_int_equal(page.groups[0].family_count, 1);
    assert_int_equal(page.groups[0].rows[0].setting, page.groups[0].rows[1].setting);
    assert_string_equal(shw_page_parts(label, &page.groups[0], &page.groups[0].rows[4], true, true), "trees 4");
    assert_string_equal(shw_page_parts(label, &page.groups[0], &page.groups[0].rows[4], false, true),
                        "640\xc3\x97"
                        "480 \xc2\xb7 argmax");
    assert_string_equal(shw_page_series_label(label, &page.groups[0], &page.groups[0].rows[4]), "4");
    assert_string_equal(page.groups[1].rows[0].parts[0], "640\xc3\x97"
                                                         "480");
    shw_page_free(&page);
    json_decref(report);
}

static void test_a_page_says_who_wins_where(void **state)
{
    json_t *report = by_trees();
    char *page;

    (void)state;
    page = page_of(report);
    assert_says(page, "<h1>A device</h1>");
    assert_says(page, "compute</span> is the fastest in 2 of 3 settings, ");
    assert_says(page, "fragment</span> in 1 (trees 1)");
    assert_says(page, "; the next takes 2.25 times as long in the median, from 2.00 to 2.67.");
    assert_says(page, "All 6 results that were compared equal those of <b>cpu</b>, bit for bit.");
    assert_int_equal(occurrences(page, "<tr data-id="), 6);
    assert_int_equal(occurrences(page, "class=\"line\""), 2);
    assert_null(strstr(page, "class=\"ideal\" d=\"M"));
    free(page);
    json_decref(report);
}

static void test_a_page_shows_limits_and_what_is_published(void **state)
{
    json_t *report = by_trees(), *rows = json_object_get(report, "rows");
    char *page;

    (void)state;
    for (size_t i = 0; i < json_array_size(rows); i++)
        json_object_set_new(
            json_array_get(rows, i), "bound",
            json_pack("{s:s, s:f, s:f}", "limit", "compute_buffer_loads", "ideal_ms", 0.5, "ratio", 2.5));
    json_object_set_new(json_array_get(rows, 5), "published",
                        json_pack("[{s:s, s:s, s:f, s:s}]", "who", "Sharp 2008", "hardware", "GeForce 7900 GTX", "ms",
                                  30.0, "where", "Figure 10"));
    json_object_set_new(report, "limits",
                        json_pack("[{s:s, s:s, s:f, s:s}, {s:s, s:s, s:s, s:s}]", "limit", "compute_buffer_loads",
                                  "title", "coherent loads", "per_second", 2.3e12, "unit", "loads", "limit",
                                  "point_blends", "title", "points", "unit", "points", "skipped", "it does not blend"));
    page = page_of(report);
    assert_says(page, "<b>2.30 T</b> <small>loads</small>");
    assert_says(page, "not measured: it does not blend");
    assert_says(page, "The fastest takes 2.50 times the minimum of its limit in the median.");
    assert_says(page, "<b>Sharp 2008</b> published 30.0 ms on GeForce 7900 GTX for evaluate");
    assert_says(page, "10.0 times as fast.");
    assert_says(page, "class=\"name\"");
    assert_int_equal(occurrences(page, "class=\"ideal\" d=\"M"), 2);
    free(page);
    json_decref(report);
}

static void test_what_differs_or_was_not_run_is_told(void **state)
{
    json_t *report = by_trees(), *rows = json_object_get(report, "rows");
    char *page;

    (void)state;
    json_object_set_new(json_array_get(rows, 0), "equals_cpu", json_false());
    json_object_set_new(json_array_get(rows, 1), "skipped", json_string("too little memory"));
    json_object_set_new(json_array_get(rows, 1), "device_ms", json_null());
    json_object_set_new(json_array_get(rows, 2), "equals_cpu", json_null());
    json_object_set_new(json_array_get(rows, 2), "unchecked", json_string("nothing to compare with"));
    page = page_of(report);
    assert_says(page, "1 results DIFFER from those of cpu.");
    assert_says(page, "not run: too little memory");
    assert_says(page, "title=\"nothing to compare with\">not compared");
    assert_says(page, "3 results that were compared equal those of <b>cpu</b>, bit for bit; 1 were not compared, 1 "
                      "rows were not run");
    free(page);
    json_decref(report);
}

/* Every text of the report, made hostile in turn; all at once would hide some. */
static void make_hostile(json_t *value, const char *text)
{
    const char *key;
    json_t *member;
    size_t i;
    void *next;

    if (json_is_array(value)) {
        json_array_foreach(value, i, member) if (json_is_string(member))
            json_array_set_new(value, i, json_string(text));
        else make_hostile(member, text);
    }
    json_object_foreach_safe(value, next, key, member)
    {
        if (json_is_string(member))
            json_object_set_new(value, key,
                                json_sprintf("%s%s", text, strcmp(key, "id") == 0 ? json_string_value(member) : ""));
        else
            make_hostile(member, text);
    }
}

static void test_nothing_breaks_out_of_its_place(void **state)
{
    static const char *const texts[] = {"</script><script>alert(1)</script>",
                                        "\"><img src=x onerror=alert(1)>",
                                        "' onload='alert(1)",
                                        "</style></title><b>&amp;",
                                        "<!--",
                                        "]]>",
                                        "\xf0\x9f\x8c\xb2\xc3\xa9/\xe2\x80\xae"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json_t *report = by_trees(), *other;
        struct shw_bench_comparison comparison;
        char *page, *plain = page_of(report), *compared = NULL;
        size_t size;
        FILE *stream;

        json_object_set_new(json_array_get(json_object_get(report, "rows"), 0), "published",
                            json_pack("[{s:s, s:s, s:f, s:s}]", "who", "a", "hardware", "b", "ms", 30.0, "where", "c"));
        json_object_set_new(json_array_get(json_object_get(report, "rows"), 1), "skipped", json_string("why"));
        json_object_set_new(
            report, "limits",
            json_pack("[{s:s, s:s, s:s, s:s}]", "limit", "a", "title", "b", "unit", "c", "skipped", "d"));
        make_hostile(report, texts[i]);
        page = page_of(report);
        assert_int_equal(occurrences(page, "<script"), 1);
        assert_int_equal(occurrences(page, "</script"), 1);
        assert_int_equal(occurrences(page, "</style"), 1);
        assert_int_equal(occurrences(page, "</title></head>") + occurrences(page, "</title>\n<style>"), 1);
        assert_null(strstr(page, "<img"));
        assert_null(strstr(page, "<!--"));
        assert_null(strstr(page, "\"><b>"));
        assert_int_equal(occurrences(page, "<tr data-id="), occurrences(plain, "<tr data-id="));
        other = json_deep_copy(report);
        assert_int_equal(shw_bench_compare(report, other, 0.1, NULL, &comparison), SHW_OK);
        stream = open_memstream(&compared, &size);
        assert_int_equal(shw_bench_write_comparison_html(&comparison, texts[i], texts[i], NULL, stream), SHW_OK);
        fclose(stream);
        assert_int_equal(occurrences(compared, "<script"), 1);
        assert_int_equal(occurrences(compared, "</style"), 1);
        assert_null(strstr(compared, "<img"));
        assert_null(strstr(compared, "<!--"));
        shw_bench_comparison_free(&comparison);
        json_decref(report);
        json_decref(other);
        free(compared);
        free(plain);
        free(page);
    }
}

/* Names that do not follow the usual form, times without sense, more techniques than styles. */
static void test_odd_reports_make_pages(void **state)
{
    static const char *const ids[] = {"",
                                      "/",
                                      "//////////////////////////",
                                      "pipeline/",
                                      "pipeline/evaluate",
                                      "pipeline/evaluate/by-x",
                                      "x",
                                      "cpu",
                                      "pipeline/evaluate/1x",
                                      "pipeline/evaluate/x1-2-3/cpu",
                                      "/cpu",
                                      "-"};
    json_t *rows = json_array(), *report;
    char *page;

    (void)state;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        char technique[16];
        snprintf(technique, sizeof technique, "own %zu", i);
        json_array_append_new(rows, row(ids[i], "evaluate", i % 2 != 0 ? "cpu" : technique, i % 3 != 0 ? "x" : NULL,
                                        (double)i,
                                        i == 4   ? 1e300
                                        : i == 5 ? 1e-300
                                                 : (double)i));
    }
    for (int i = 0; i < 60; i++) {
        char id[64], technique[32];
        snprintf(technique, sizeof technique, "technique %d", i / 2);
        snprintf(id, sizeof id, "pipeline/many/x-%d/%s", i % 2 + 1, technique);
        json_array_append_new(rows, row(id, "many", technique, "x", i % 2 + 1, i + 1));
    }
    report = document(rows);
    json_object_set_new(report, "device", json_null());
    page = page_of(report);
    assert_says(page, "<h1>A processor</h1>");
    assert_int_equal(occurrences(page, "<tr data-id="), 72);
    assert_null(strstr(page, "nan"));
    assert_null(strstr(page, "inf\""));
    free(page);
    json_decref(report);
    report = document(json_array());
    page = page_of(report);
    assert_says(page, "how to read this");
    free(page);
    json_decref(report);
}

static void test_nothing_comes_from_a_network(void **state)
{
    json_t *report = by_trees();
    char *page = page_of(report);

    (void)state;
    assert_int_equal(occurrences(page, "http"),
                     occurrences(page, "http://www.w3.org/2000/svg") + occurrences(page, "http-equiv"));
    assert_null(strstr(page, "url("));
    assert_null(strstr(page, "@import"));
    assert_says(page, "default-src 'none'");
    assert_says(page, "prefers-color-scheme: dark");
    free(page);
    json_decref(report);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_text_is_cut_between_characters),
        cmocka_unit_test(test_axes_hold_their_values_and_have_ticks),
        cmocka_unit_test(test_rows_are_grouped),
        cmocka_unit_test(test_a_page_says_who_wins_where),
        cmocka_unit_test(test_a_page_shows_limits_and_what_is_published),
        cmocka_unit_test(test_what_differs_or_was_not_run_is_told),
        cmocka_unit_test(test_nothing_breaks_out_of_its_place),
        cmocka_unit_test(test_odd_reports_make_pages),
        cmocka_unit_test(test_nothing_comes_from_a_network),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
