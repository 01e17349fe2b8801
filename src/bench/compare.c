#include "bench/compare.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "bench/document.h"

/* The interquartile range. */
static void quartiles(const json_t *timing, double range[2])
{
    double median = shw_bench_number(timing, "median");

    range[0] = shw_bench_number(timing, "q1");
    range[1] = shw_bench_number(timing, "q3");
    if (!(range[0] <= median && median <= range[1]))
        range[0] = range[1] = median;
}

static bool choose_timing(struct shw_bench_change *change, const char *key)
{
    const json_t *a = json_object_get(change->a, key), *b = json_object_get(change->b, key);

    if (!(shw_bench_number(a, "median") > 0) || !(shw_bench_number(b, "median") > 0))
        return false;
    change->a_timing = a;
    change->b_timing = b;
    return true;
}

static void judge(struct shw_bench_change *change, double threshold)
{
    double a[2], b[2];

    change->verdict = SHW_BENCH_UNTIMED;
    change->by_device = choose_timing(change, "device_ms");
    if (change->by_device || choose_timing(change, "wall_ms")) {
        quartiles(change->a_timing, a);
        quartiles(change->b_timing, b);
        change->ratio = shw_bench_number(change->b_timing, "median") / shw_bench_number(change->a_timing, "median");
        change->beyond_noise = a[1] < b[0] || b[1] < a[0];
        change->beyond_threshold = change->ratio > 1 + threshold || change->ratio * (1 + threshold) < 1;
        change->verdict = !change->beyond_threshold ? SHW_BENCH_ALIKE
                          : !change->beyond_noise   ? SHW_BENCH_NOISE
                          : change->ratio > 1       ? SHW_BENCH_SLOWER
                                                    : SHW_BENCH_FASTER;
    }
    if (json_is_false(json_object_get(change->b, "equals_cpu")) &&
        !json_is_false(json_object_get(change->a, "equals_cpu")))
        change->verdict = SHW_BENCH_DIFFERENT;
}

/* The number of a stage in the comparison, to which it is added if it is new; SIZE_MAX: out of memory. `names` maps
 * names to numbers. */
static size_t stage_of(struct shw_bench_comparison *comparison, json_t *names, const json_t *row)
{
    const char *suite = shw_bench_text(row, "suite"), *stage = shw_bench_text(row, "stage");
    size_t length = strlen(suite) + strlen(stage) + 2, number = comparison->stage_count;
    char *name = malloc(length);
    const json_t *known;

    if (name == NULL)
        return SIZE_MAX;
    snprintf(name, length, "%s\n%s", suite, stage);
    known = json_object_get(names, name);
    if (known != NULL) {
        number = (size_t)json_integer_value(known);
    } else if (json_object_set_new(names, name, json_integer((json_int_t)number)) == 0) {
        comparison->stages[comparison->stage_count++] = (struct shw_bench_stage_change){.suite = suite, .stage = stage};
    } else {
        number = SIZE_MAX;
    }
    free(name);
    return number;
}

/* Finds the stage of each row that A and B share, and reserves space for the changes of each stage. False: out of
 * memory. */
static bool number_stages(struct shw_bench_comparison *comparison, const json_t *ids, size_t *numbers)
{
    const json_t *rows = json_object_get(comparison->a, "rows"), *row;
    json_t *names = json_object();
    bool good = names != NULL;
    size_t i;

    json_array_foreach(rows, i, row)
    {
        if (!good)
            break;
        if (json_object_get(ids, shw_bench_text(row, "id")) == NULL)
            continue;
        numbers[i] = stage_of(comparison, names, row);
        good = numbers[i] != SIZE_MAX;
        if (good)
            comparison->stages[numbers[i]].count++;
    }
    for (size_t s = 1; s < comparison->stage_count; s++)
        comparison->stages[s].first = comparison->stages[s - 1].first + comparison->stages[s - 1].count;
    json_decref(names);
    return good;
}

static void judge_rows(struct shw_bench_comparison *comparison, const json_t *ids, const size_t *numbers)
{
    const json_t *rows = json_object_get(comparison->a, "rows"), *row;
    size_t i;

    for (size_t s = 0; s < comparison->stage_count; s++)
        comparison->stages[s].count = 0;
    json_array_foreach(rows, i, row)
    {
        const json_t *other = json_object_get(ids, shw_bench_text(row, "id"));
        struct shw_bench_stage_change *stage = &comparison->stages[numbers[i]];
        struct shw_bench_change *change;
        if (other == NULL)
            continue;
        change = &comparison->changes[stage->first + stage->count++];
        *change = (struct shw_bench_change){.a = row, .b = other};
        judge(change, comparison->threshold);
        comparison->verdicts[change->verdict]++;
        comparison->change_count++;
    }
}

static void average_stages(struct shw_bench_comparison *comparison)
{
    for (size_t s = 0; s < comparison->stage_count; s++) {
        struct shw_bench_stage_change *stage = &comparison->stages[s];
        double logarithms = 0;
        size_t timed = 0;
        for (size_t i = stage->first; i < stage->first + stage->count; i++)
            if (comparison->changes[i].ratio > 0) {
                logarithms += log(comparison->changes[i].ratio);
                timed++;
            }
        stage->ratio = timed > 0 ? exp(logarithms / (double)timed) : 0;
        comparison->slower_stages += stage->ratio > 1 + comparison->threshold;
    }
}

/* B's rows by id. NULL: out of memory. */
static json_t *index_rows(const json_t *rows)
{
    json_t *ids = json_object(), *row;
    size_t i;

    if (ids == NULL)
        return NULL;
    json_array_foreach(rows, i, row) if (json_object_set(ids, shw_bench_text(row, "id"), row) != 0)
    {
        json_decref(ids);
        return NULL;
    }
    return ids;
}

static const json_t **rows_without(const json_t *rows, const json_t *ids, size_t *count)
{
    const json_t **left = malloc((json_array_size(rows) + 1) * sizeof *left), *row;
    size_t i;

    *count = 0;
    if (left != NULL)
        json_array_foreach(rows, i, row) if (json_object_get(ids, shw_bench_text(row, "id")) == NULL) left[(*count)++] =
            row;
    return left;
}

enum shw_result shw_bench_compare(const json_t *a, const json_t *b, double threshold, const struct shw_log *log,
                                  struct shw_bench_comparison *comparison)
{
    const json_t *rows_a = json_object_get(a, "rows"), *rows_b = json_object_get(b, "rows");
    json_t *ids_a = index_rows(rows_a), *ids_b = index_rows(rows_b);
    size_t *numbers = calloc(json_array_size(rows_a) + 1, sizeof *numbers);
    enum shw_result result = SHW_OK;

    *comparison = (struct shw_bench_comparison){.a = a, .b = b, .threshold = threshold};
    comparison->changes = malloc((json_array_size(rows_a) + 1) * sizeof *comparison->changes);
    comparison->stages = malloc((json_array_size(rows_a) + 1) * sizeof *comparison->stages);
    comparison->only_a = rows_without(rows_a, ids_b, &comparison->only_a_count);
    comparison->only_b = rows_without(rows_b, ids_a, &comparison->only_b_count);
    if (ids_a == NULL || ids_b == NULL || numbers == NULL || comparison->changes == NULL ||
        comparison->stages == NULL || comparison->only_a == NULL || comparison->only_b == NULL ||
        !number_stages(comparison, ids_b, numbers)) {
        shw_bench_comparison_free(comparison);
        result = shw_fail_memory(log, "the comparison");
        goto end;
    }
    judge_rows(comparison, ids_b, numbers);
    average_stages(comparison);

end:
    free(numbers);
    json_decref(ids_a);
    json_decref(ids_b);
    return result;
}

void shw_bench_comparison_free(struct shw_bench_comparison *comparison)
{
    free(comparison->changes);
    free(comparison->stages);
    free(comparison->only_a);
    free(comparison->only_b);
    *comparison = (struct shw_bench_comparison){0};
}

bool shw_bench_regressed(const struct shw_bench_comparison *comparison)
{
    return comparison->verdicts[SHW_BENCH_SLOWER] > 0 || comparison->verdicts[SHW_BENCH_DIFFERENT] > 0 ||
           comparison->slower_stages > 0;
}

/* Its name, such as "slower". */
static const char *verdict_name(enum shw_bench_verdict verdict)
{
    static const char *const names[] = {"alike",  "within noise",         "faster",
                                        "slower", "no longer equals cpu", "not timed"};

    return names[verdict];
}

/* Calls report(user, what, a, b) for each of device, driver, Shadewood's version and processor in which the two
 * documents differ; "none" if one has no device. */
static void compare_origins(const json_t *a, const json_t *b,
                            void (*report)(void *user, const char *what, const char *a, const char *b), void *user)
{
    static const char *const members[][3] = {{"device", "name", "devices"},
                                             {"device", "driver", "drivers"},
                                             {NULL, "shadewood", "versions of Shadewood"},
                                             {"host", "processor", "processors"}};

    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const json_t *left = members[i][0] != NULL ? json_object_get(a, members[i][0]) : a;
        const json_t *right = members[i][0] != NULL ? json_object_get(b, members[i][0]) : b;
        const char *left_text = shw_bench_text(left, members[i][1]), *right_text = shw_bench_text(right, members[i][1]);
        if (strcmp(left_text, right_text) != 0)
            report(user, members[i][2], *left_text != '\0' ? left_text : "none",
                   *right_text != '\0' ? right_text : "none");
    }
}

#define ID_WIDTH 64

static void print_origin(char letter, const char *name, const json_t *document, FILE *stream)
{
    const json_t *device = json_object_get(document, "device");

    fprintf(stream, "%c  %s: Shadewood %s, %s, %s\n", letter, name, shw_bench_text(document, "shadewood"),
            shw_bench_text(document, "date"),
            json_is_object(device) ? shw_bench_text(device, "name")
                                   : shw_bench_text(json_object_get(document, "host"), "processor"));
}

static void tell_difference(void *user, const char *what, const char *a, const char *b)
{
    fprintf(user, "the %s differ: %s; %s\n", what, a, b);
}

static double median_of(const json_t *timing)
{
    return shw_bench_number(timing, "median");
}

/* The id without suite and stage, which are in the heading. */
static const char *short_id(const struct shw_bench_change *change, const struct shw_bench_stage_change *stage)
{
    const char *id = shw_bench_text(change->b, "id"), *words[] = {stage->suite, stage->stage};

    for (size_t i = 0; i < 2; i++) {
        size_t length = strlen(words[i]);
        if (strncmp(id, words[i], length) == 0 && id[length] == '/')
            id += length + 1;
    }
    return id;
}

static void print_change(const struct shw_bench_change *change, const char *id, FILE *stream)
{
    const char *skipped = shw_bench_text(change->b, "skipped"), *clock = change->by_device ? "" : " (wall)";
    const char *verdict = change->verdict == SHW_BENCH_ALIKE ? "" : verdict_name(change->verdict);

    if (change->verdict == SHW_BENCH_UNTIMED && *skipped != '\0')
        verdict = skipped;
    fprintf(stream, "  %-*s ", ID_WIDTH, id);
    if (change->ratio > 0)
        fprintf(stream, "%10.4g %10.4g %7.3f%s%s%s\n", median_of(change->a_timing), median_of(change->b_timing),
                change->ratio, clock, *verdict != '\0' ? "  " : "", verdict);
    else
        fprintf(stream, "%10s %10s %7s  %s\n", "-", "-", "-", verdict);
}

/* Repeated at the end, where they are seen. */
static void print_regressions(const struct shw_bench_comparison *comparison, FILE *stream)
{
    bool any = false;

    for (size_t i = 0; i < comparison->change_count; i++) {
        const struct shw_bench_change *change = &comparison->changes[i];
        if (change->verdict != SHW_BENCH_SLOWER && change->verdict != SHW_BENCH_DIFFERENT)
            continue;
        fputs(any ? "" : "\nregressions\n", stream);
        print_change(change, shw_bench_text(change->b, "id"), stream);
        any = true;
    }
}

static void print_only(const char *head, const json_t *const *rows, size_t count, FILE *stream)
{
    if (count > 0)
        fprintf(stream, "\n%s\n", head);
    for (size_t i = 0; i < count; i++)
        fprintf(stream, "  %s\n", shw_bench_text(rows[i], "id"));
}

static void print_summary(const struct shw_bench_comparison *comparison, FILE *stream)
{
    const size_t *verdicts = comparison->verdicts;
    double percent = 100 * comparison->threshold;

    fprintf(stream,
            "\ncompared: %zu rows; %zu slower and %zu faster by more than %g %%, %zu alike, %zu that differ by more "
            "within noise, "
            "%zu not timed\n",
            comparison->change_count, verdicts[SHW_BENCH_SLOWER], verdicts[SHW_BENCH_FASTER], percent,
            verdicts[SHW_BENCH_ALIKE], verdicts[SHW_BENCH_NOISE], verdicts[SHW_BENCH_UNTIMED]);
    if (verdicts[SHW_BENCH_DIFFERENT] > 0)
        fprintf(stream, "%zu no longer give what cpu gives\n", verdicts[SHW_BENCH_DIFFERENT]);
    for (size_t i = 0; i < comparison->stage_count; i++)
        if (comparison->stages[i].ratio > 1 + comparison->threshold)
            fprintf(stream, "%s %s is slower as a whole: %.3f times\n", comparison->stages[i].suite,
                    comparison->stages[i].stage, comparison->stages[i].ratio);
}

void shw_bench_print_comparison(const struct shw_bench_comparison *comparison, const char *a_name, const char *b_name,
                                FILE *stream)
{
    print_origin('A', a_name, comparison->a, stream);
    print_origin('B', b_name, comparison->b, stream);
    compare_origins(comparison->a, comparison->b, tell_difference, stream);
    for (size_t s = 0; s < comparison->stage_count; s++) {
        const struct shw_bench_stage_change *stage = &comparison->stages[s];
        fprintf(stream, "\n%s: %s", stage->suite, stage->stage);
        if (stage->ratio > 0)
            fprintf(stream, ", %.3f on average", stage->ratio);
        fprintf(stream, "\n  %-*s %10s %10s %7s\n", ID_WIDTH, "", "A ms", "B ms", "B / A");
        for (size_t i = stage->first; i < stage->first + stage->count; i++)
            print_change(&comparison->changes[i], short_id(&comparison->changes[i], stage), stream);
    }
    print_only("only in A", comparison->only_a, comparison->only_a_count, stream);
    print_only("only in B", comparison->only_b, comparison->only_b_count, stream);
    print_regressions(comparison, stream);
    print_summary(comparison, stream);
}
