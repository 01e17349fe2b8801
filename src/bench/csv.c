#include <string.h>

#include "base/csv.h"
#include "bench/output.h"

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

static void print_head(FILE *stream, json_t *keys)
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

static void print_row(FILE *stream, const json_t *row, json_t *keys)
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

    print_head(stream, keys);
    json_array_foreach(rows, i, row) print_row(stream, row, keys);
    json_decref(keys);
}
