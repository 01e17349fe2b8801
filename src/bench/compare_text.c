/* A comparison as text. */
#include "bench/compare.h"

#include <string.h>

#define ID_WIDTH 82

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

static void print_origin(char letter, const char *name, const json_t *document, FILE *stream)
{
    const json_t *device = json_object_get(document, "device");

    fprintf(stream, "%c  %s: Shadewood %s, %s, %s\n", letter, name, text_of(document, "shadewood"), text_of(document, "date"),
            json_is_object(device) ? text_of(device, "name") : text_of(json_object_get(document, "host"), "processor"));
}

static void tell_difference(void *user, const char *what, const char *a, const char *b)
{
    fprintf(user, "the %s differ: %s; %s\n", what, a, b);
}

static double median_of(const json_t *timing)
{
    return json_number_value(json_object_get(timing, "median"));
}

static void print_change(const struct shw_bench_change *change, FILE *stream)
{
    const char *skipped = text_of(change->b, "skipped");
    const char *verdict = shw_bench_verdict_name(change->verdict);

    fprintf(stream, "  %-*s ", ID_WIDTH, text_of(change->b, "id"));
    if (change->ratio > 0)
        fprintf(stream, "%10.4g %10.4g %7.3f  %s%s\n", median_of(change->a_timing), median_of(change->b_timing), change->ratio,
                change->verdict == SHW_BENCH_ALIKE ? "" : verdict, change->by_device ? "" : " (wall)");
    else
        fprintf(stream, "%10s %10s %7s  %s\n", "-", "-", "-",
                change->verdict == SHW_BENCH_UNTIMED && *skipped != '\0' ? skipped : verdict);
}

static void print_only(const char *head, const json_t *const *rows, size_t count, FILE *stream)
{
    if (count > 0)
        fprintf(stream, "\n%s\n", head);
    for (size_t i = 0; i < count; i++)
        fprintf(stream, "  %s\n", text_of(rows[i], "id"));
}

static void print_summary(const struct shw_bench_comparison *comparison, FILE *stream)
{
    const size_t *verdicts = comparison->verdicts;
    double percent = 100 * comparison->threshold;

    fprintf(stream,
            "\n%zu rows compared: %zu slower and %zu faster by more than %g %%, %zu alike, %zu that differ by more within noise, "
            "%zu not timed\n",
            comparison->change_count, verdicts[SHW_BENCH_SLOWER], verdicts[SHW_BENCH_FASTER], percent, verdicts[SHW_BENCH_ALIKE],
            verdicts[SHW_BENCH_NOISE], verdicts[SHW_BENCH_UNTIMED]);
    if (verdicts[SHW_BENCH_DIFFERENT] > 0)
        fprintf(stream, "%zu rows no longer equal cpu\n", verdicts[SHW_BENCH_DIFFERENT]);
    for (size_t i = 0; i < comparison->stage_count; i++)
        if (comparison->stages[i].ratio > 1 + comparison->threshold)
            fprintf(stream, "%s %s is slower as a whole: %.3f times\n", comparison->stages[i].suite, comparison->stages[i].stage,
                    comparison->stages[i].ratio);
}

void shw_bench_print_comparison(const struct shw_bench_comparison *comparison, const char *a_name, const char *b_name,
                                FILE *stream)
{
    print_origin('A', a_name, comparison->a, stream);
    print_origin('B', b_name, comparison->b, stream);
    shw_bench_compare_origins(comparison->a, comparison->b, tell_difference, stream);
    for (size_t s = 0; s < comparison->stage_count; s++) {
        const struct shw_bench_stage_change *stage = &comparison->stages[s];
        fprintf(stream, "\n%s: %s", stage->suite, stage->stage);
        if (stage->ratio > 0)
            fprintf(stream, ", %.3f on average", stage->ratio);
        fprintf(stream, "\n  %-*s %10s %10s %7s\n", ID_WIDTH, "", "A ms", "B ms", "B / A");
        for (size_t i = stage->first; i < stage->first + stage->count; i++)
            print_change(&comparison->changes[i], stream);
    }
    print_only("only in A", comparison->only_a, comparison->only_a_count, stream);
    print_only("only in B", comparison->only_b, comparison->only_b_count, stream);
    print_summary(comparison, stream);
}
