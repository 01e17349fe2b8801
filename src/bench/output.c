#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "bench/document.h"

/* A field; empty if missing. */
static void print_value(FILE *stream, const json_t *value)
{
    switch (value != NULL ? json_typeof(value) : JSON_NULL) {
    case JSON_STRING: shw_print_csv_text(stream, json_string_value(value)); break;
    case JSON_INTEGER: fprintf(stream, "%" JSON_INTEGER_FORMAT, json_integer_value(value)); break;
    case JSON_REAL: fprintf(stream, "%.9g", json_real_value(value)); break;
    case JSON_TRUE: fputs("true", stream); break;
    case JSON_FALSE: fputs("false", stream); break;
    default: break;
    }
}

static const char *const plain[] = {"id", "suite", "stage", "series", "technique", "custom", "title"};

static const char *const timings[] = {"device_ms", "wall_ms"};

static const char *const statistics[] = {"median", "min", "max", "q1", "q3", "runs"};

static const char *const nested[][2] = {
    {"throughput", "per_second"}, {"throughput", "unit"}, {"throughput", "in_flight"},
    {"throughput", "device_ms"},  {"work", "amount"},     {"work", "unit"},
    {"bound", "limit"},           {"bound", "ideal_ms"},  {"bound", "ratio"}};

static const char *const last[] = {"equals_cpu", "unchecked", "skipped"};

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* The keys of all rows' settings, in the order of their first appearance, as an object. */
static json_t *setting_keys(const json_t *rows)
{
    json_t *keys = json_object(), *row, *value;
    const char *key;
    size_t i;

    json_array_foreach(rows, i, row) json_object_foreach(json_object_get(row, "setting"), key, value)
        json_object_set_new(keys, key, json_null());
    return keys;
}

static void print_csv_head(FILE *stream, json_t *keys)
{
    json_t *value;
    const char *key;

    for (size_t i = 0; i < COUNT(plain); i++)
        fprintf(stream, "%s%s", i > 0 ? "," : "", plain[i]);
    json_object_foreach(keys, key, value)
    {
        putc(',', stream);
        shw_print_csv_text(stream, key);
    }
    for (size_t t = 0; t < COUNT(timings); t++)
        for (size_t s = 0; s < COUNT(statistics); s++)
            fprintf(stream, ",%s_%s", timings[t], statistics[s]);
    for (size_t i = 0; i < COUNT(nested); i++)
        fprintf(stream, ",%s_%s", nested[i][0], nested[i][1]);
    for (size_t i = 0; i < COUNT(last); i++)
        fprintf(stream, ",%s", last[i]);
    fputs(",published" SHW_CSV_END, stream);
}

/* All published times in one field. */
static void print_published(FILE *stream, const json_t *list)
{
    char text[512] = "";
    const json_t *entry;
    size_t i;

    json_array_foreach(list, i, entry) snprintf(
        text + strlen(text), sizeof text - strlen(text), "%s%s, %s: %.9g ms (%s)", i > 0 ? "; " : "",
        json_string_value(json_object_get(entry, "who")), json_string_value(json_object_get(entry, "hardware")),
        json_number_value(json_object_get(entry, "ms")), json_string_value(json_object_get(entry, "where")));
    shw_print_csv_text(stream, text);
}

static void print_csv_row(FILE *stream, const json_t *row, json_t *keys)
{
    json_t *value;
    const char *key;

    for (size_t i = 0; i < COUNT(plain); i++) {
        if (i > 0)
            putc(',', stream);
        print_value(stream, json_object_get(row, plain[i]));
    }
    json_object_foreach(keys, key, value)
    {
        putc(',', stream);
        print_value(stream, json_object_get(json_object_get(row, "setting"), key));
    }
    for (size_t t = 0; t < COUNT(timings); t++)
        for (size_t s = 0; s < COUNT(statistics); s++) {
            putc(',', stream);
            print_value(stream, json_object_get(json_object_get(row, timings[t]), statistics[s]));
        }
    for (size_t i = 0; i < COUNT(nested); i++) {
        putc(',', stream);
        print_value(stream, json_object_get(json_object_get(row, nested[i][0]), nested[i][1]));
    }
    for (size_t i = 0; i < COUNT(last); i++) {
        putc(',', stream);
        print_value(stream, json_object_get(row, last[i]));
    }
    putc(',', stream);
    print_published(stream, json_object_get(row, "published"));
    fputs(SHW_CSV_END, stream);
}

void shw_bench_print_csv(const json_t *document, FILE *stream)
{
    const json_t *rows = json_object_get(document, "rows"), *row;
    json_t *keys = setting_keys(rows);
    size_t i;

    print_csv_head(stream, keys);
    json_array_foreach(rows, i, row) print_csv_row(stream, row, keys);
    json_decref(keys);
}

#define SETTING_WIDTH   50
#define TECHNIQUE_WIDTH 9 /* at least; a group with longer names has less room for settings */

/* Four significant digits, without an exponent for numbers of common size. */
static const char *format(char text[16], double value)
{
    if (!(value > 0))
        snprintf(text, 16, "%s", "-");
    else if (value >= 1e7)
        snprintf(text, 16, "%.3g", value);
    else
        snprintf(text, 16, "%.*f",
                 value >= 1000  ? 0
                 : value >= 100 ? 1
                 : value >= 10  ? 2
                 : value >= 0.1 ? 3
                                : 4,
                 value);
    return text;
}

/* Half of the interquartile range, in per cent of the median. */
static void format_spread(char text[16], const json_t *timing)
{
    double median = shw_bench_number(timing, "median");

    if (median > 0 && shw_bench_number(timing, "runs") > 1)
        snprintf(text, 16, "%.0f %%", 50 * (shw_bench_number(timing, "q3") - shw_bench_number(timing, "q1")) / median);
    else
        snprintf(text, 16, "%s", "-");
}

/* The id without suite, stage, series and technique; the title if nothing is left of it. */
static void format_setting(char text[SETTING_WIDTH + 1], const json_t *row)
{
    const char *id = shw_bench_text(row, "id"), *end = strrchr(id, '/');
    const char *parts[] = {shw_bench_text(row, "suite"), shw_bench_text(row, "stage")};

    for (int i = 0; i < 2; i++) {
        size_t length = strlen(parts[i]);
        if (length > 0 && strncmp(id, parts[i], length) == 0 && id[length] == '/')
            id += length + 1;
    }
    if (strncmp(id, "by-", 3) == 0 && strchr(id, '/') != NULL)
        id = strchr(id, '/') + 1;
    if (end == NULL || end < id)
        end = id;
    if (end == id) /* there is one setting: what the row is says more */
        snprintf(text, SETTING_WIDTH + 1, "%s", shw_bench_text(row, "title"));
    else
        snprintf(text, SETTING_WIDTH + 1, "%.*s", (int)(end - id), id);
    for (char *at = text; end != id && (at = strchr(at, '/')) != NULL;)
        *at = ' ';
}

static bool same_group(const json_t *a, const json_t *b)
{
    return strcmp(shw_bench_text(a, "suite"), shw_bench_text(b, "suite")) == 0 &&
           strcmp(shw_bench_text(a, "stage"), shw_bench_text(b, "stage")) == 0 &&
           strcmp(shw_bench_text(a, "series"), shw_bench_text(b, "series")) == 0;
}

/* The width of the techniques' names in a group. */
static int technique_width(const json_t *rows, size_t first)
{
    const json_t *head = json_array_get(rows, first);
    size_t width = TECHNIQUE_WIDTH;

    for (size_t i = first; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        size_t length = strlen(shw_bench_text(row, "technique"));
        if (same_group(head, row) && length > width)
            width = length < SETTING_WIDTH / 2 ? length : SETTING_WIDTH / 2;
    }
    return (int)width;
}

static void print_head(const json_t *row, int technique, FILE *stream)
{
    char title[128];
    int setting = SETTING_WIDTH + TECHNIQUE_WIDTH - technique;
    const char *series = shw_bench_text(row, "series");

    snprintf(title, sizeof title, "%s: %s%s%s", shw_bench_text(row, "suite"), shw_bench_text(row, "stage"),
             *series != '\0' ? ", by " : "", series);
    fprintf(stream, "\n%-*.*s %-*s %9s %6s %8s %8s %7s %4s  %s\n", setting, setting, title, technique, "technique",
            "device ms", "spread", "wall ms", "a second", "x limit", "cpu?", "published");
}

/* GPUs come first, processors last; each is compared with its own kind. */
static const json_t *published_of(const json_t *row)
{
    const json_t *list = json_object_get(row, "published");
    size_t count = json_array_size(list);

    return json_array_get(list, count > 0 && strcmp(shw_bench_text(row, "technique"), "cpu") == 0 ? count - 1 : 0);
}

static void print_row(const json_t *row, int technique, FILE *stream)
{
    int width = SETTING_WIDTH + TECHNIQUE_WIDTH - technique;
    char setting[SETTING_WIDTH + 1], device[16], spread[16], wall[16], rate[16], ratio[16], published[64] = "";
    const json_t *device_ms = json_object_get(row, "device_ms"), *wall_ms = json_object_get(row, "wall_ms");
    const json_t *equals = json_object_get(row, "equals_cpu"), *entry = published_of(row);
    const char *skipped = shw_bench_text(row, "skipped");

    format_setting(setting, row);
    fprintf(stream, "%-*.*s %-*.*s ", width, width, setting, technique, technique, shw_bench_text(row, "technique"));
    if (*skipped != '\0') {
        fprintf(stream, "%.*s\n", SHW_BENCH_TABLE_WIDTH - SETTING_WIDTH - 11, skipped);
        return;
    }
    format_spread(spread, json_is_object(device_ms) ? device_ms : wall_ms);
    if (entry != NULL)
        snprintf(published, sizeof published, "%.4g ms %s", shw_bench_number(entry, "ms"),
                 shw_bench_text(entry, "who"));
    fprintf(stream, "%9s %6s %8s %8s %7s %4s  %.19s\n", format(device, shw_bench_number(device_ms, "median")), spread,
            format(wall, shw_bench_number(wall_ms, "median")),
            format(rate, shw_bench_number(json_object_get(row, "throughput"), "per_second")),
            format(ratio, shw_bench_number(json_object_get(row, "bound"), "ratio")),
            json_is_true(equals)    ? "same"
            : json_is_false(equals) ? "DIFF"
                                    : "-",
            published);
}

static void print_limits(const json_t *limits, FILE *stream)
{
    const json_t *limit;
    size_t i;

    json_array_foreach(limits, i, limit)
    {
        double rate = shw_bench_number(limit, "per_second");
        int thousands = rate > 0 ? (int)(log10(rate) / 3) : 0;
        thousands = thousands < 0 ? 0 : thousands > 4 ? 4 : thousands;
        if (i == 0)
            fprintf(stream, "\n%-32s %s\n", "limits", "a second");
        fprintf(stream, "%-32.32s %7.4g %c%-8.8s %.70s\n", shw_bench_text(limit, "limit"), rate / pow(1000, thousands),
                " kMGT"[thousands], shw_bench_text(limit, "unit"), shw_bench_text(limit, "title"));
    }
}

/* Whether no previous row is in the same group. */
static bool is_first(const json_t *rows, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (same_group(json_array_get(rows, i), json_array_get(rows, index)))
            return false;
    return true;
}

/* Means, extremes and deviations in microseconds, as published ones are given (Spencer 2021, Table 1). */
static void print_moments(const json_t *row, int technique, FILE *stream)
{
    const json_t *timing = json_object_get(row, "device_ms");
    static const char *const keys[] = {"mean", "min", "max", "deviation"};

    if (!json_is_object(timing))
        timing = json_object_get(row, "wall_ms");
    if (!json_is_object(timing))
        return;
    fprintf(stream, "  %-*.*s", technique, technique, shw_bench_text(row, "technique"));
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        fprintf(stream, " %11.3f", 1e3 * shw_bench_number(timing, keys[k]));
    fprintf(stream, " %6.0f\n", shw_bench_number(timing, "runs"));
}

static bool has_moments(const json_t *row)
{
    return strcmp(shw_bench_text(row, "suite"), "records") == 0 &&
           strncmp(shw_bench_text(row, "stage"), "experiment-", 11) == 0;
}

static void print_group(const json_t *rows, size_t first, FILE *stream)
{
    const json_t *head = json_array_get(rows, first);
    int technique = technique_width(rows, first);

    print_head(head, technique, stream);
    for (size_t i = first; i < json_array_size(rows); i++)
        if (same_group(head, json_array_get(rows, i)))
            print_row(json_array_get(rows, i), technique, stream);
    if (!has_moments(head))
        return;
    fprintf(stream, "\n  %-*s %11s %11s %11s %11s %6s\n", technique, "microseconds", "mean", "min", "max", "deviation",
            "runs");
    for (size_t i = first; i < json_array_size(rows); i++)
        if (same_group(head, json_array_get(rows, i)))
            print_moments(json_array_get(rows, i), technique, stream);
}

void shw_bench_print_table(const json_t *document, FILE *stream)
{
    const json_t *device = json_object_get(document, "device"), *host = json_object_get(document, "host");
    const json_t *rows = json_object_get(document, "rows");

    if (json_is_object(device))
        fprintf(stream, "%.60s, %.66s\n", shw_bench_text(device, "name"), shw_bench_text(device, "driver"));
    fprintf(stream, "%.90s, %d processors\n", shw_bench_text(host, "processor"),
            (int)shw_bench_number(host, "processors"));
    print_limits(json_object_get(document, "limits"), stream);
    for (size_t i = 0; i < json_array_size(rows); i++)
        if (is_first(rows, i))
            print_group(rows, i, stream);
}
