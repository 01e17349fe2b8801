#include "bench/report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include <shadewood/shadewood.h>

#include "base/log.h"
#include "bench/document.h"
#include "bench/statistics.h"

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
