#include "bench/document.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include <shadewood/shadewood.h>

#include "base/file_bytes.h"
#include "base/log.h"
#include "base/text.h"
#include "bench/timing.h"

/* The processor's name on Linux; elsewhere its architecture. */
static void processor_name(char *name, size_t size, const char *machine)
{
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "r");

    snprintf(name, size, "%s", machine);
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *value = strstr(line, ": ");
        if (value != NULL && strncmp(line, "model name", 10) == 0) {
            value[strcspn(value, "\n")] = '\0';
            snprintf(name, size, "%s", value + 2);
            break;
        }
    }
    if (file != NULL)
        fclose(file);
}

static json_t *host(uint32_t processors)
{
    struct utsname system = {0};
    char name[256], text[256];

    uname(&system);
    processor_name(name, sizeof name, system.machine);
    snprintf(text, sizeof text, "%.64s %.64s %.64s", system.sysname, system.release, system.machine);
    return json_pack("{s:s, s:i, s:s}", "processor", name, "processors", (int)processors, "system", text);
}

static json_t *device_of(const struct shw_device_description *device)
{
    char version[32];

    if (device == NULL)
        return json_null();
    snprintf(version, sizeof version, "%u.%u.%u", VK_API_VERSION_MAJOR(device->api_version),
             VK_API_VERSION_MINOR(device->api_version), VK_API_VERSION_PATCH(device->api_version));
    return json_pack("{s:s, s:s, s:s, s:b, s:I, s:f, s:i}", "name", device->name, "driver", device->driver,
                     "api_version", version, "is_cpu", device->is_cpu, "memory_bytes", (json_int_t)device->memory_bytes,
                     "timestamp_period_ns", device->timestamp_period_ns, "subgroup_size", (int)device->subgroup_size);
}

json_t *shw_bench_document(const struct shw_device_description *device, uint32_t processors, const char *command)
{
    char version[32], date[32];
    time_t now = time(NULL);
    struct tm utc;

    snprintf(version, sizeof version, "%d.%d.%d", SHW_VERSION_MAJOR, SHW_VERSION_MINOR, SHW_VERSION_PATCH);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    return json_pack("{s:s, s:i, s:s, s:s, s:s, s:o, s:o, s:[], s:[]}", "format", SHW_BENCH_FORMAT, "version", 1,
                     "shadewood", version, "date", date, "command", command, "host", host(processors), "device",
                     device_of(device), "limits", "rows");
}

/* Of `count` values in milliseconds; null if there are none. */
static json_t *describe_timing(const double *ms, uint32_t count, bool samples)
{
    struct shw_bench_statistics statistics;
    json_t *timing, *list;
    double *sorted;

    if (count == 0)
        return json_null();
    sorted = malloc(count * sizeof *sorted);
    if (sorted == NULL)
        return NULL;
    memcpy(sorted, ms, count * sizeof *sorted);
    statistics = shw_bench_summarise(sorted, count);
    free(sorted);
    timing = json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:i}", "median", statistics.median, "mean", statistics.mean,
                       "deviation", statistics.deviation, "min", statistics.min, "max", statistics.max, "q1",
                       statistics.q1, "q3", statistics.q3, "runs", (int)count);
    if (!samples || timing == NULL)
        return timing;
    list = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, json_real(ms[i]));
    json_object_set_new(timing, "samples", list);
    return timing;
}

/* 0 if memory is exhausted. */
static double median_of(const double *ms, uint32_t count)
{
    double *sorted = malloc(count * sizeof *sorted), median = 0;

    if (sorted == NULL)
        return 0;
    memcpy(sorted, ms, count * sizeof *sorted);
    median = shw_bench_summarise(sorted, count).median;
    free(sorted);
    return median;
}

static json_t *throughput(const struct shw_bench_row *row)
{
    const struct shw_bench_times *times = row->times;
    bool has_units = row->units > 0, by_device = times != NULL && has_units && times->device_runs > 0;
    double one, units = has_units ? row->units : 1;

    if (times == NULL || row->unit == NULL || (times->runs == 0 && !by_device))
        return json_null();
    if (times->in_flight == 0) {
        one = by_device ? median_of(times->device, times->device_runs) : median_of(times->wall, times->runs);
        return one > 0 ? json_pack("{s:f, s:s, s:i, s:n}", "per_second", 1e3 * units / one, "unit", row->unit,
                                   "in_flight", 1, "device_ms")
                       : NULL;
    }
    one = by_device ? times->back_to_back_device : times->back_to_back;
    return json_pack("{s:f, s:s, s:i, s:o}", "per_second", 1e3 * units / one, "unit", row->unit, "in_flight",
                     (int)times->in_flight, "device_ms",
                     times->device_runs > 0 ? json_real(times->back_to_back_device) : json_null());
}

static json_t *published(const struct shw_bench_row *row)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < row->published_count; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:f, s:s}", "who", row->published[i].who, "hardware",
                                              row->published[i].hardware, "ms", row->published[i].ms, "where",
                                              row->published[i].where));
    return list;
}

json_t *shw_bench_add(struct shw_bench *bench, const struct shw_bench_row *row)
{
    const struct shw_bench_times *times = row->times;
    bool samples = bench->options.samples;
    json_t *made = json_pack(
        "{s:s, s:s, s:s, s:s, s:b, s:s, s:o, s:o, s:o, s:o, s:o, s:n, s:o}", "id", row->id, "suite", row->suite,
        "stage", row->stage, "technique", row->technique, "custom", row->custom, "title",
        row->title != NULL ? row->title : row->stage, "setting", row->setting, "device_ms",
        times != NULL ? describe_timing(times->device, times->device_runs, samples) : json_null(), "wall_ms",
        times != NULL ? describe_timing(times->wall, times->runs, samples) : json_null(), "throughput", throughput(row),
        "work", row->work > 0 ? json_pack("{s:f, s:s}", "amount", row->work, "unit", row->work_unit) : json_null(),
        "bound", "equals_cpu", row->equals_cpu < 0 ? json_null() : json_boolean(row->equals_cpu));

    if (made == NULL) {
        shw_fail_memory(&bench->log, "a row of the bench");
        return NULL;
    }
    if (row->series != NULL)
        json_object_set_new(made, "series", json_string(row->series));
    if (row->unchecked != NULL)
        json_object_set_new(made, "unchecked", json_string(row->unchecked));
    if (row->published_count > 0)
        json_object_set_new(made, "published", published(row));
    if (row->skipped != NULL)
        json_object_set_new(made, "skipped", json_string(row->skipped));
    json_array_append_new(json_object_get(bench->document, "rows"), made);
    return made;
}

enum shw_result shw_bench_add_limit(struct shw_bench *bench, const char *limit, const char *title, double per_second,
                                    const char *unit, const struct shw_bench_times *times)
{
    bool samples = bench->options.samples;
    json_t *made = json_pack("{s:s, s:s, s:f, s:s, s:o, s:o}", "limit", limit, "title", title, "per_second", per_second,
                             "unit", unit, "device_ms", describe_timing(times->device, times->device_runs, samples),
                             "wall_ms", describe_timing(times->wall, times->runs, samples));

    if (made == NULL)
        return shw_fail_memory(&bench->log, "a limit of the bench");
    json_array_append_new(json_object_get(bench->document, "limits"), made);
    return SHW_OK;
}

static bool is_bench_report(const char *path, const char *name)
{
    return shw_json_has_format(path, SHW_BENCH_DOCUMENT_BYTES, name);
}

const struct shw_file_kind shw_file_bench_report = {SHW_BENCH_FORMAT, "a report of the bench", is_bench_report, false};

#define TEXT_MAX      4096u /* bytes */
#define PUBLISHED_MAX 64u
#define NUMBER_LEAST  1e-12 /* except zero; quotients of valid numbers are finite */
#define NUMBER_MOST   1e18

enum kind {
    TEXT,    /* one line */
    NUMBER,  /* not negative */
    BOOLEAN, /* or null */
    TIMING,  /* or null: an object of timing_members */
    MEMBERS, /* or null: an object of other members */
    LIST,    /* of such objects */
    SETTING, /* an object of strings and numbers */
    SAMPLES  /* a list of numbers */
};

struct member {
    const char *key;
    enum kind kind;
    bool needed;
    const struct member *members; /* MEMBERS, LIST */
};

#define END                                                                                                            \
    {                                                                                                                  \
        NULL, TEXT, false, NULL                                                                                        \
    }

static const struct member timing_members[] = {{"median", NUMBER, true, NULL},    {"min", NUMBER, true, NULL},
                                               {"max", NUMBER, true, NULL},       {"q1", NUMBER, true, NULL},
                                               {"q3", NUMBER, true, NULL},        {"runs", NUMBER, true, NULL},
                                               {"mean", NUMBER, false, NULL},     {"deviation", NUMBER, false, NULL},
                                               {"samples", SAMPLES, false, NULL}, END};

static const struct member throughput_members[] = {
    {"per_second", NUMBER, true, NULL}, {"unit", TEXT, true, NULL}, {"in_flight", NUMBER, false, NULL}, END};

static const struct member work_members[] = {{"amount", NUMBER, true, NULL}, {"unit", TEXT, true, NULL}, END};

static const struct member bound_members[] = {
    {"limit", TEXT, true, NULL}, {"ideal_ms", NUMBER, true, NULL}, {"ratio", NUMBER, false, NULL}, END};

static const struct member published_members[] = {{"who", TEXT, true, NULL},
                                                  {"hardware", TEXT, true, NULL},
                                                  {"ms", NUMBER, true, NULL},
                                                  {"where", TEXT, false, NULL},
                                                  END};

static const struct member row_members[] = {{"id", TEXT, true, NULL},
                                            {"suite", TEXT, true, NULL},
                                            {"stage", TEXT, true, NULL},
                                            {"technique", TEXT, true, NULL},
                                            {"custom", BOOLEAN, false, NULL},
                                            {"title", TEXT, false, NULL},
                                            {"series", TEXT, false, NULL},
                                            {"setting", SETTING, false, NULL},
                                            {"device_ms", TIMING, false, NULL},
                                            {"wall_ms", TIMING, false, NULL},
                                            {"throughput", MEMBERS, false, throughput_members},
                                            {"work", MEMBERS, false, work_members},
                                            {"bound", MEMBERS, false, bound_members},
                                            {"equals_cpu", BOOLEAN, false, NULL},
                                            {"unchecked", TEXT, false, NULL},
                                            {"published", LIST, false, published_members},
                                            {"skipped", TEXT, false, NULL},
                                            END};

static const struct member limit_members[] = {{"limit", TEXT, true, NULL},         {"title", TEXT, false, NULL},
                                              {"per_second", NUMBER, false, NULL}, {"unit", TEXT, true, NULL},
                                              {"device_ms", TIMING, false, NULL},  {"wall_ms", TIMING, false, NULL},
                                              {"skipped", TEXT, false, NULL},      END};

static const struct member host_members[] = {
    {"processor", TEXT, false, NULL}, {"processors", NUMBER, false, NULL}, {"system", TEXT, false, NULL}, END};

static const struct member device_members[] = {{"name", TEXT, true, NULL},
                                               {"driver", TEXT, true, NULL},
                                               {"api_version", TEXT, false, NULL},
                                               {"is_cpu", BOOLEAN, false, NULL},
                                               {"memory_bytes", NUMBER, false, NULL},
                                               {"timestamp_period_ns", NUMBER, false, NULL},
                                               {"subgroup_size", NUMBER, false, NULL},
                                               END};

static const struct member document_members[] = {{"shadewood", TEXT, true, NULL},
                                                 {"date", TEXT, true, NULL},
                                                 {"command", TEXT, false, NULL},
                                                 {"host", MEMBERS, false, host_members},
                                                 {"device", MEMBERS, false, device_members},
                                                 {"limits", LIST, false, limit_members},
                                                 {"rows", LIST, true, row_members},
                                                 END};

/* The position of the check and the error there, for the message. */
struct place {
    char path[256];
    const char *wrong;
};

static void enter(struct place *place, size_t length, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Appends to the path at `length` bytes. */
static void enter(struct place *place, size_t length, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(place->path + length, sizeof place->path - length, format, arguments);
    va_end(arguments);
}

static bool refuse(struct place *place, const char *wrong)
{
    place->wrong = wrong;
    return false;
}

/* One line of UTF-8, as jansson guarantees, without control characters. */
static bool is_line(const char *text)
{
    for (const char *at = text; *at != '\0'; at++)
        if (shw_control_character(at) != 0)
            return false;
    return strlen(text) <= TEXT_MAX;
}

static bool check_members(const json_t *object, const struct member *members, struct place *place);

static bool check_list(const json_t *list, const struct member *members, struct place *place)
{
    size_t length = strlen(place->path), i;
    const json_t *entry;

    if (!json_is_array(list))
        return refuse(place, "is not a list");
    if (members == published_members && json_array_size(list) > PUBLISHED_MAX)
        return refuse(place, "has more than 64 entries");
    json_array_foreach(list, i, entry)
    {
        enter(place, length, "[%zu]", i);
        if (!json_is_object(entry))
            return refuse(place, "is not an object");
        if (!check_members(entry, members, place))
            return false;
    }
    return true;
}

static bool check_number(const json_t *value, struct place *place)
{
    double number;

    if (!json_is_number(value))
        return refuse(place, "is not a number");
    number = json_number_value(value);
    if (number < 0)
        return refuse(place, "is negative");
    return !(number > 0) || (number >= NUMBER_LEAST && number <= NUMBER_MOST) ||
           refuse(place, "is not between 1e-12 and 1e18");
}

static bool check_text(const json_t *value, struct place *place)
{
    if (!json_is_string(value))
        return refuse(place, "is not a string");
    return is_line(json_string_value(value)) ||
           refuse(place, "is not one line of at most 4096 bytes without control characters");
}

static bool check_setting(const json_t *setting, struct place *place)
{
    size_t length = strlen(place->path);
    json_t *value;
    const char *key;

    if (!json_is_object(setting))
        return refuse(place, "is not an object");
    json_object_foreach((json_t *)(uintptr_t)setting, key, value)
    {
        if (!is_line(key))
            return refuse(place, "has a name with control characters");
        enter(place, length, ".%s", key);
        if (!(json_is_string(value) ? check_text(value, place) : check_number(value, place)))
            return false;
    }
    return true;
}

static bool check_samples(const json_t *samples, struct place *place)
{
    const json_t *sample;
    size_t i;

    if (!json_is_array(samples))
        return refuse(place, "is not a list");
    json_array_foreach(samples, i, sample) if (!check_number(sample, place)) return false;
    return true;
}

static bool check_value(const json_t *value, const struct member *member, struct place *place)
{
    switch (member->kind) {
    case TEXT: return check_text(value, place);
    case NUMBER: return check_number(value, place);
    case BOOLEAN:
        return json_is_boolean(value) || json_is_null(value) || refuse(place, "is neither true nor false nor null");
    case TIMING:
    case MEMBERS:
        if (json_is_null(value))
            return true;
        if (!json_is_object(value))
            return refuse(place, "is neither an object nor null");
        return check_members(value, member->kind == TIMING ? timing_members : member->members, place);
    case LIST: return check_list(value, member->members, place);
    case SETTING: return check_setting(value, place);
    default: return check_samples(value, place);
    }
}

static bool check_members(const json_t *object, const struct member *members, struct place *place)
{
    size_t length = strlen(place->path);

    for (; members->key != NULL; members++) {
        const json_t *value = json_object_get(object, members->key);
        enter(place, length, "%s%s", length > 0 ? "." : "", members->key);
        if (value == NULL && members->needed)
            return refuse(place, "is missing");
        if (value != NULL && !check_value(value, members, place))
            return false;
    }
    place->path[length] = '\0';
    return true;
}

/* Whether ids are unique. */
static enum shw_result check_ids(const json_t *rows, const char *name, const struct shw_log *log)
{
    json_t *seen = json_object();
    enum shw_result result = SHW_OK;
    const json_t *row;
    size_t i;

    if (seen == NULL)
        return shw_fail_memory(log, name);
    json_array_foreach(rows, i, row)
    {
        const char *id = json_string_value(json_object_get(row, "id"));
        if (json_object_get(seen, id) != NULL) {
            result = shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_BENCH_REPORT, "%s: the id %.200s occurs twice", name, id);
            break;
        }
        if (json_object_set_new(seen, id, json_true()) != 0) {
            result = shw_fail_memory(log, name);
            break;
        }
    }
    json_decref(seen);
    return result;
}

static enum shw_result check(const json_t *root, const char *name, const struct shw_log *log)
{
    const json_t *format = json_object_get(root, "format"), *version = json_object_get(root, "version");
    const json_t *rows = json_object_get(root, "rows");
    struct place place = {.path = ""};

    if (!json_is_string(format) || strcmp(json_string_value(format), SHW_BENCH_FORMAT) != 0)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_BENCH_REPORT,
                        "%s is not a report of 'shadewood bench --json': its \"format\" is not \"%s\"", name,
                        SHW_BENCH_FORMAT);
    if (!json_is_integer(version) || json_integer_value(version) < 1)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_BENCH_REPORT, "%s: \"version\" is not a positive integer", name);
    if (json_integer_value(version) != SHW_BENCH_VERSION)
        return shw_fail(log, SHW_ERROR_VERSION, SHW_LOG_BENCH_REPORT,
                        "%s is a report of version %lld, by a newer Shadewood; this one reads version %d", name,
                        (long long)json_integer_value(version), SHW_BENCH_VERSION);
    if (json_array_size(rows) > SHW_BENCH_ROWS_MAX)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_BENCH_REPORT, "%s has %zu rows; at most %u are read", name,
                        json_array_size(rows), SHW_BENCH_ROWS_MAX);
    if (!check_members(root, document_members, &place))
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_BENCH_REPORT, "%s: \"%s\" %s", name, place.path, place.wrong);
    return check_ids(rows, name, log);
}

enum shw_result shw_bench_decode(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                                 json_t **document)
{
    json_error_t error;
    const char *text = shw_skip_byte_order_mark(bytes, &size);
    enum shw_result result;

    *document = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (*document == NULL && json_error_code(&error) == json_error_out_of_memory)
        return shw_fail_memory(log, name);
    if (*document == NULL)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_BENCH_REPORT, "%s is not JSON: line %d, column %d: %s", name,
                        error.line, error.column, error.text);
    result = check(*document, name, log);
    if (result != SHW_OK) {
        json_decref(*document);
        *document = NULL;
    }
    return result;
}

enum shw_result shw_bench_load(const char *path, const struct shw_log *log, json_t **document)
{
    struct shw_file_bytes file = {0};
    enum shw_result result;

    *document = NULL;
    result = shw_file_bytes_read(path, SHW_BENCH_DOCUMENT_BYTES, log, &file);
    if (result == SHW_OK)
        result = shw_bench_decode(file.bytes, file.size, path, log, document);
    shw_file_bytes_free(&file);
    return result;
}
