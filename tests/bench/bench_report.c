/* The bench's numbers and texts: statistics, the document, CSV, table. */
#include "testing/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/document.h"
#include "bench/records.h"
#include "bench/timing.h"

/* The k-th smallest, counted from 0, by counting. */
static double kth(const double *values, uint32_t count, uint32_t k)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t below = 0, equal = 0;
        for (uint32_t j = 0; j < count; j++) {
            below += values[j] < values[i];
            equal += values[j] == values[i];
        }
        if (below <= k && k < below + equal)
            return values[i];
    }
    fail_msg("no value has the place %u", k);
    return 0;
}

/* In quarters of a step, so that no place is rounded. */
static double quarter(const double *values, uint32_t count, uint32_t quarters)
{
    uint32_t place = quarters * (count - 1), below = place / 4, part = place % 4;
    double low = kth(values, count, below), high = kth(values, count, below + (part > 0));

    return (low * (4 - part) + high * part) / 4;
}

TESTING_CASE(test_quartiles_are_those_of_plain_counting)
{
    struct testing_random random = {1};

    for (uint32_t round = 0; round < 300; round++) {
        uint32_t count = 1 + testing_random_below(&random, 60);
        double values[60], sorted[60];
        for (uint32_t i = 0; i < count; i++)
            sorted[i] = values[i] = testing_random_range(&random, 0, round % 2 == 0 ? 5 : 100000) / 8.0;
        struct shw_bench_statistics got = shw_bench_summarise(sorted, count);
        assert_true(fabs(got.median - quarter(values, count, 2)) < 1e-9);
        assert_true(fabs(got.q1 - quarter(values, count, 1)) < 1e-9);
        assert_true(fabs(got.q3 - quarter(values, count, 3)) < 1e-9);
        double sum = 0, squares = 0;
        for (uint32_t i = 0; i < count; i++)
            sum += values[i];
        for (uint32_t i = 0; i < count; i++)
            squares += (values[i] - sum / count) * (values[i] - sum / count);
        assert_true(fabs(got.mean - sum / count) < 1e-9);
        assert_true(fabs(got.deviation - (count > 1 ? sqrt(squares / (count - 1)) : 0)) < 1e-6);
        assert_true(got.min == kth(values, count, 0) && got.max == kth(values, count, count - 1));
    }
}

/* How many of the records make each number of tests in the first tree. */
static void count_tests(const struct shw_record_forest *forest, const float *values, uint32_t count, uint32_t *tests)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);

    for (uint32_t r = 0; r < count; r++) {
        uint32_t n = 0, made = 0;
        for (; info->nodes[n].is_split; made++) {
            const struct shw_record_node *node = &info->nodes[n];
            float value = values[(size_t)r * info->attribute_count + node->attribute];
            n = node->left + (value > shw_record_code_value(node->threshold) ? 1 : 0);
        }
        tests[made]++;
    }
}

/* A chain lets an equal part of its records out at each test, however few attributes there are. */
TESTING_CASE(test_generated_records_take_all_paths)
{
    enum { COUNT = 20000, DEPTH = 6 };

    for (uint32_t full = 0; full <= DEPTH; full += 2)
        for (uint32_t attributes = 1; attributes <= 9; attributes += 8) {
            const struct shw_bench_record_trees params = {
                .trees = 2, .depth = DEPTH, .full_levels = full, .attributes = attributes};
            struct shw_record_forest *forest = NULL;
            float *values = shw_bench_record_values(COUNT, attributes);
            uint32_t tests[DEPTH + 1] = {0}, ends = full < DEPTH ? DEPTH - full : 1;
            assert_non_null(values);
            assert_int_equal(shw_bench_record_forest(&params, NULL, &forest), SHW_OK);
            assert_int_equal(shw_record_forest_get_info(forest)->node_count,
                             2 * (2 * shw_bench_record_splits(&params) + 1));
            assert_int_equal(shw_record_forest_get_info(forest)->trees[1].depth, DEPTH);
            count_tests(forest, values, COUNT, tests);
            for (uint32_t made = 0; made <= DEPTH; made++) {
                bool ends_here = full < DEPTH ? made > full : made == DEPTH;
                if (abs((int)tests[made] - (ends_here ? COUNT / (int)ends : 0)) > COUNT / 50)
                    fail_msg("%u full levels: %u of %u records make %u tests", full, tests[made], COUNT, made);
            }
            free(values);
            shw_record_forest_destroy(&forest);
        }
}

/* A run without a device and with two rows: one timed, one skipped, their texts full of what files must quote. */
#define TRAP "a \"b\", c\r\nd"

static void fill_bench(struct shw_bench *bench, struct shw_bench_times *times, bool samples)
{
    static const struct shw_bench_published published[] = {{"Somebody, 2008", "GPU", "Figure \"1\"", 25.9},
                                                           {"Her", "CPU", "1", 99}};
    const struct shw_bench_row timed = {.suite = "pipeline",
                                        .stage = "evaluate",
                                        .technique = "compute",
                                        .title = TRAP,
                                        .series = "trees",
                                        .id = "pipeline/evaluate/by-trees/trees-8/compute",
                                        .setting = json_pack("{s:i, s:s}", "trees", 8, "with, comma", "x"),
                                        .times = times,
                                        .unit = "images",
                                        .work = 1000,
                                        .work_unit = "node visits",
                                        .equals_cpu = 1,
                                        .published = published,
                                        .published_count = 2};
    const struct shw_bench_row skipped = {.suite = "pipeline",
                                          .stage = "evaluate",
                                          .technique = "fragment",
                                          .series = "trees",
                                          .id = "pipeline/evaluate/by-trees/trees-8/fragment",
                                          .setting = json_pack("{s:i, s:i}", "trees", 8, "depth", 4),
                                          .skipped = "too large, by far",
                                          .unit = "images",
                                          .equals_cpu = -1};

    bench->options.samples = samples;
    bench->document = shw_bench_document(NULL, 2, "shadewood bench");
    assert_non_null(bench->document);
    assert_non_null(shw_bench_add(bench, &timed));
    assert_non_null(shw_bench_add(bench, &skipped));
    assert_int_equal(shw_bench_add_limit(bench, "copy", "bytes", 2e9, "bytes", times), SHW_OK);
}

static struct shw_bench_times *times_of(uint32_t runs)
{
    struct shw_bench_times *times = calloc(1, sizeof *times);

    assert_non_null(times);
    times->runs = times->device_runs = runs;
    for (uint32_t i = 0; i < runs; i++) {
        times->device[i] = runs - i;
        times->wall[i] = 2.0 * (runs - i);
    }
    times->in_flight = 16;
    times->back_to_back = 0.5;
    times->back_to_back_device = 0.25;
    return times;
}

static const json_t *row(const struct shw_bench *bench, size_t index)
{
    return json_array_get(json_object_get(bench->document, "rows"), index);
}

static double number(const json_t *object, const char *member, const char *key)
{
    const json_t *value = json_object_get(json_object_get(object, member), key);

    assert_true(json_is_number(value));
    return json_number_value(value);
}

TESTING_CASE(test_rows_say_what_was_measured)
{
    struct shw_bench bench = {0};
    struct shw_bench_times *times = times_of(5);

    fill_bench(&bench, times, true);
    assert_true(number(row(&bench, 0), "device_ms", "median") == 3);
    assert_true(number(row(&bench, 0), "device_ms", "q1") == 2);
    assert_true(number(row(&bench, 0), "wall_ms", "max") == 10);
    assert_true(number(row(&bench, 0), "wall_ms", "runs") == 5);
    assert_true(number(row(&bench, 0), "throughput", "per_second") == 2000);
    assert_true(number(row(&bench, 0), "throughput", "device_ms") == 0.25);
    assert_true(number(row(&bench, 0), "throughput", "in_flight") == 16);
    /* samples stay in the order of the runs */
    assert_true(json_real_value(
                    json_array_get(json_object_get(json_object_get(row(&bench, 0), "device_ms"), "samples"), 0)) == 5);
    assert_true(json_is_true(json_object_get(row(&bench, 0), "equals_cpu")));
    assert_true(json_is_null(json_object_get(row(&bench, 1), "device_ms")));
    assert_true(json_is_null(json_object_get(row(&bench, 1), "throughput")));
    assert_true(json_is_null(json_object_get(row(&bench, 1), "equals_cpu")));
    assert_string_equal(json_string_value(json_object_get(row(&bench, 1), "skipped")), "too large, by far");
    json_decref(bench.document);
    free(times);
}

TESTING_CASE(test_throughput_without_many_is_that_of_one)
{
    struct shw_bench bench = {0};
    struct shw_bench_times *times = times_of(4);

    times->device_runs = times->in_flight = 0;
    fill_bench(&bench, times, false);
    assert_true(json_is_null(json_object_get(row(&bench, 0), "device_ms")));
    assert_true(number(row(&bench, 0), "throughput", "per_second") == 200);
    assert_true(number(row(&bench, 0), "throughput", "in_flight") == 1);
    assert_null(json_object_get(json_object_get(row(&bench, 0), "wall_ms"), "samples"));
    json_decref(bench.document);
    free(times);
}

/* What is written can be read again by whoever reads stored documents. */
TESTING_CASE(test_the_document_is_well_formed)
{
    struct shw_device_description device = {
        .name = "A device", .driver = "Driver 1", .api_version = VK_API_VERSION_1_1};
    json_t *document = shw_bench_document(&device, 2, "shadewood bench"), *again;
    char *text = json_dumps(document, 0);

    assert_non_null(text);
    assert_int_equal(shw_bench_decode(text, strlen(text), "it", NULL, &again), SHW_OK);
    assert_string_equal(json_string_value(json_object_get(json_object_get(again, "device"), "api_version")), "1.1.0");
    json_decref(document);
    json_decref(again);
    free(text);
}

/* The text of an output function, to be freed. */
static char *text_of(void (*print)(const json_t *, FILE *), const json_t *document)
{
    static char *text;
    static size_t size;
    FILE *stream = open_memstream(&text, &size);

    assert_non_null(stream);
    print(document, stream);
    assert_int_equal(fclose(stream), 0);
    return text;
}

/* One field of RFC 4180 at *at, which is moved behind its separator; *last: it ends its record. */
static void read_field(const char **at, char *field, size_t size, bool *last)
{
    size_t length = 0;
    bool quoted = **at == '"';

    *at += quoted;
    while (quoted ? !((*at)[0] == '"' && (*at)[1] != '"') : **at != ',' && **at != '\r') {
        assert_true(**at != '\0' && length + 1 < size && (quoted || **at != '"'));
        *at += **at == '"'; /* the first of two */
        field[length++] = *(*at)++;
    }
    field[length] = '\0';
    *at += quoted;
    *last = **at == '\r';
    assert_true(*last ? (*at)[1] == '\n' : **at == ',');
    *at += *last ? 2 : 1;
}

TESTING_CASE(test_csv_gives_back_every_text)
{
    struct shw_bench bench = {0};
    struct shw_bench_times *times = times_of(5);
    char names[64][32], field[512], *text;
    const char *at;
    unsigned columns = 0, seen = 0;
    bool last = false;

    fill_bench(&bench, times, false);
    text = text_of(shw_bench_print_csv, bench.document);
    for (at = text; !last; columns++)
        read_field(&at, names[columns], sizeof *names, &last);
    for (unsigned line = 0; line < 2; line++) {
        for (unsigned c = 0; c < columns; c++) {
            const char *expected[2] = {NULL, NULL};
            read_field(&at, field, sizeof field, &last);
            assert_true(last == (c + 1 == columns));
            if (strcmp(names[c], "title") == 0)
                expected[0] = TRAP, expected[1] = "evaluate";
            else if (strcmp(names[c], "with, comma") == 0)
                expected[0] = "x", expected[1] = "";
            else if (strcmp(names[c], "depth") == 0)
                expected[0] = "", expected[1] = "4";
            else if (strcmp(names[c], "device_ms_median") == 0)
                expected[0] = "3", expected[1] = "";
            else if (strcmp(names[c], "skipped") == 0)
                expected[0] = "", expected[1] = "too large, by far";
            else if (strcmp(names[c], "published") == 0)
                expected[0] = "Somebody, 2008, GPU: 25.9 ms (Figure \"1\"); Her, CPU: 99 ms (1)", expected[1] = "";
            if (expected[line] != NULL)
                assert_string_equal(field, expected[line]);
            seen += expected[line] != NULL;
        }
    }
    assert_int_equal(seen, 12);
    assert_int_equal(*at, '\0');
    json_decref(bench.document);
    free(text);
    free(times);
}

TESTING_CASE(test_the_table_fits_its_width)
{
    static char long_text[400];
    struct shw_bench bench = {0};
    struct shw_bench_times *times = times_of(5);
    struct shw_bench_published published = {long_text, long_text, long_text, 123456.789};
    struct shw_bench_row wide = {.suite = long_text,
                                 .stage = long_text,
                                 .technique = long_text,
                                 .series = long_text,
                                 .id = long_text,
                                 .times = times,
                                 .unit = "images",
                                 .equals_cpu = 0,
                                 .published = &published,
                                 .published_count = 1};
    char *text;

    memset(long_text, 'w', sizeof long_text - 1);
    fill_bench(&bench, times, false);
    for (int i = 0; i < 2; i++) {
        wide.setting = json_object();
        assert_non_null(shw_bench_add(&bench, &wide));
        wide.skipped = long_text;
        for (uint32_t r = 0; r < 5; r++)
            times->wall[r] = times->device[r] = 1e12 * (r + 1);
    }
    assert_int_equal(shw_bench_add_limit(&bench, long_text, long_text, 1e30, long_text, times), SHW_OK);
    text = text_of(shw_bench_print_table, bench.document);
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= SHW_BENCH_TABLE_WIDTH);
    assert_non_null(strstr(text, "trees-8"));
    assert_non_null(strstr(text, "25.9 ms Somebody"));
    assert_non_null(strstr(text, "too large, by far"));
    assert_non_null(strstr(text, "DIFF"));
    json_decref(bench.document);
    free(text);
    free(times);
}

/* Rows of one group stand together, whatever lies between them in the document. */
TESTING_CASE(test_the_table_has_each_group_once)
{
    struct shw_bench bench = {.document = shw_bench_document(NULL, 1, "shadewood bench")};
    static const char *const stages[] = {"one", "two", "one", "two"};
    char id[32], *text, *one;

    for (int i = 0; i < 4; i++) {
        const struct shw_bench_row made = {.suite = "s",
                                           .stage = stages[i],
                                           .technique = "cpu",
                                           .id = id,
                                           .setting = json_object(),
                                           .skipped = "no",
                                           .equals_cpu = -1};
        snprintf(id, sizeof id, "s/%s/place-%d/cpu", stages[i], i);
        assert_non_null(shw_bench_add(&bench, &made));
    }
    text = text_of(shw_bench_print_table, bench.document);
    one = strstr(text, "s: one");
    assert_non_null(one);
    assert_null(strstr(one + 1, "s: one"));
    assert_true(strstr(text, "place-2") < strstr(text, "place-1"));
    json_decref(bench.document);
    free(text);
}
