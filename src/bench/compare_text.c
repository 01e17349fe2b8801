/* A comparison as text. */
#include "bench/compare.h"

#include <string.h>

#include "bench/document.h"

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
    const char *verdict = change->verdict == SHW_BENCH_ALIKE ? "" : shw_bench_verdict_name(change->verdict);

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
    shw_bench_compare_origins(comparison->a, comparison->b, tell_difference, stream);
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
