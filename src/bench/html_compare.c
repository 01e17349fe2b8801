/* The page of a comparison. */
#include "bench/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "bench/chart.h"
#include "bench/markup.h"

#define PLOT_ROWS_MAX 16u
#define OPEN_ROWS_MAX 40u

static const char *const verdict_class[] = {"", "noise", "faster", "slower", "differs", "none"};

/* Grey squares for unchanged rows; colours and shapes for changed ones. */
static unsigned verdict_style(enum shw_bench_verdict verdict)
{
    static const unsigned styles[] = {0, 0, 3, 2, 4, 0};

    return styles[verdict];
}

static void tell_difference(void *user, const char *what, const char *a, const char *b)
{
    FILE *out = user;

    fprintf(out, "<li>The %s differ: ", what);
    shw_markup_text(out, a);
    fputs("; ", out);
    shw_markup_text(out, b);
    fputs(".</li>\n", out);
}

/* Larger changes first. */
static int by_change(const void *a, const void *b)
{
    const struct shw_bench_change *left = *(const struct shw_bench_change *const *)a;
    const struct shw_bench_change *right = *(const struct shw_bench_change *const *)b;
    double size_left = fabs(log(left->ratio)), size_right = fabs(log(right->ratio));

    if (size_left != size_right)
        return size_left < size_right ? 1 : -1;
    return left < right ? -1 : 1;
}

static int by_ratio(const void *a, const void *b)
{
    const struct shw_bench_change *left = *(const struct shw_bench_change *const *)a;
    const struct shw_bench_change *right = *(const struct shw_bench_change *const *)b;

    return (left->ratio < right->ratio) - (left->ratio > right->ratio);
}

/* The range of the ratio, by the quartiles of both. */
static struct shw_dot dot_of(const struct shw_bench_change *change)
{
    double a1 = shw_number_member(change->a_timing, "q1"), a3 = shw_number_member(change->a_timing, "q3");
    double b1 = shw_number_member(change->b_timing, "q1"), b3 = shw_number_member(change->b_timing, "q3");

    return (struct shw_dot){.value = change->ratio,
                            .low = a3 > 0 && b1 > 0 ? b1 / a3 : 0,
                            .high = a1 > 0 && b3 > 0 ? b3 / a1 : 0,
                            .style = verdict_style(change->verdict),
                            .row = change->b};
}

/* The id without suite and stage. */
static const char *short_id(const struct shw_bench_change *change, const struct shw_bench_stage_change *stage)
{
    const char *id = shw_text_member(change->b, "id"), *words[] = {stage->suite, stage->stage};

    for (size_t i = 0; i < 2; i++) {
        size_t length = strlen(words[i]);
        if (strncmp(id, words[i], length) == 0 && id[length] == '/')
            id += length + 1;
    }
    return id;
}

static void write_figure(FILE *out, const struct shw_bench_comparison *comparison, const char *title,
                         const struct shw_dot_row *rows, size_t count, const char *more)
{
    fputs("<figure class=\"dots\"><figcaption><b>", out);
    shw_markup_text(out, title);
    fprintf(out, "</b> shaded: less than %g %% apart%s</figcaption>\n", 100 * comparison->threshold, more);
    shw_dot_plot_write(out, &(struct shw_dot_plot){.title = title,
                                                   .x_title = "faster to the left, slower to the right",
                                                   .unit = "times",
                                                   .rows = rows,
                                                   .row_count = count,
                                                   .reference = 1,
                                                   .beyond = comparison->threshold});
    fputs("</figure>\n", out);
}

static enum shw_result write_plot(FILE *out, const struct shw_bench_comparison *comparison,
                                  const struct shw_bench_stage_change *stage, const struct shw_log *log)
{
    const struct shw_bench_change **sorted = malloc((stage->count + 1) * sizeof *sorted);
    struct shw_dot dots[PLOT_ROWS_MAX];
    struct shw_dot_row rows[PLOT_ROWS_MAX];
    char title[256];
    size_t count = 0, shown;

    if (sorted == NULL)
        return shw_fail_memory(log, "a chart");
    for (size_t i = stage->first; i < stage->first + stage->count; i++)
        if (comparison->changes[i].ratio > 0)
            sorted[count++] = &comparison->changes[i];
    shown = count < PLOT_ROWS_MAX ? count : PLOT_ROWS_MAX;
    if (shown > 0) {
        qsort(sorted, count, sizeof *sorted, by_change);
        qsort(sorted, shown, sizeof *sorted, by_ratio);
        for (size_t i = 0; i < shown; i++) {
            dots[i] = dot_of(sorted[i]);
            rows[i] = (struct shw_dot_row){.label = short_id(sorted[i], stage), .dots = &dots[i], .count = 1};
        }
        shw_text_format(title, sizeof title, "%s, %s: times of B to those of A", stage->suite, stage->stage);
        write_figure(out, comparison, title, rows, shown, shown < count ? "; the largest changes only" : "");
    }
    free(sorted);
    return SHW_OK;
}

static void write_number(FILE *out, double value, const char *after)
{
    char number[SHW_NUMBER_SIZE];

    if (value > 0)
        fprintf(out, "<td class=\"n\" data-value=\"%.9g\">%s%s</td>", value, shw_number(number, value), after);
    else
        fputs("<td class=\"n none\">\xe2\x80\x93</td>", out);
}

static void write_change(FILE *out, const struct shw_bench_change *change, const struct shw_bench_stage_change *stage)
{
    const char *skipped = shw_text_member(change->b, "skipped");

    fputs("<tr data-id=\"", out);
    shw_markup_text(out, shw_text_member(change->b, "id"));
    fputs("\"><td>", out);
    shw_markup_text(out, short_id(change, stage));
    fputs("</td>", out);
    write_number(out, shw_number_member(change->a_timing, "median"), "");
    write_number(out, shw_number_member(change->b_timing, "median"), "");
    write_number(out, change->ratio, "\xc3\x97");
    fprintf(out, "<td>%s</td><td class=\"%s\">%s", change->ratio > 0 ? change->by_device ? "device" : "wall" : "",
            verdict_class[change->verdict], shw_bench_verdict_name(change->verdict));
    if (change->verdict == SHW_BENCH_UNTIMED && *skipped != '\0') {
        fputs(": ", out);
        shw_markup_text(out, skipped);
    }
    fputs("</td></tr>\n", out);
}

static enum shw_result write_stage(FILE *out, const struct shw_bench_comparison *comparison,
                                   const struct shw_bench_stage_change *stage, const struct shw_log *log)
{
    char number[SHW_NUMBER_SIZE];

    fputs("<section><h2>", out);
    shw_markup_text(out, stage->suite);
    fputs(", ", out);
    shw_markup_text(out, stage->stage);
    fputs("</h2>\n", out);
    if (stage->ratio > 0)
        fprintf(out, "<p>B takes <b>%s times</b> as long as A in the geometric mean of %zu rows.</p>\n",
                shw_number(number, stage->ratio), stage->count);
    SHW_PROPAGATE(write_plot(out, comparison, stage, log));
    fprintf(out,
            "<details%s><summary>%zu row%s</summary><div class=\"scroll\"><table><thead><tr><th>row</th><th "
            "class=\"n\">A<small>ms</small></th><th "
            "class=\"n\">B<small>ms</small></th><th class=\"n\">B / "
            "A</th><th>clock</th><th>verdict</th></tr></thead>\n<tbody>\n",
            stage->count <= OPEN_ROWS_MAX ? " open" : "", stage->count, stage->count == 1 ? "" : "s");
    for (size_t i = stage->first; i < stage->first + stage->count; i++)
        write_change(out, &comparison->changes[i], stage);
    fputs("</tbody></table></div></details></section>\n", out);
    return SHW_OK;
}

static void write_only(FILE *out, const char *title, const json_t *const *rows, size_t count)
{
    if (count == 0)
        return;
    fprintf(out, "<section><h2>%s</h2>\n<ul>\n", title);
    for (size_t i = 0; i < count; i++) {
        fputs("<li><code>", out);
        shw_markup_text(out, shw_text_member(rows[i], "id"));
        fputs("</code></li>\n", out);
    }
    fputs("</ul></section>\n", out);
}

static void write_counts(FILE *out, const struct shw_bench_comparison *comparison)
{
    const size_t *verdicts = comparison->verdicts;
    bool bad = shw_bench_regressed(comparison);

    fprintf(out, "<p class=\"verdict%s\">%s</p>\n<ul class=\"summary\">\n", bad ? " bad" : "",
            bad ? "There are regressions." : "There is no regression.");
    shw_bench_compare_origins(comparison->a, comparison->b, tell_difference, out);
    fprintf(out, "<li>Rows in both: %zu. ", comparison->change_count);
    fprintf(out,
            "<span class=\"slower\">%zu slower</span> and <span class=\"faster\">%zu faster</span> by more than %g %%, "
            "%zu alike, ",
            verdicts[SHW_BENCH_SLOWER], verdicts[SHW_BENCH_FASTER], 100 * comparison->threshold,
            verdicts[SHW_BENCH_ALIKE]);
    fprintf(out, "%zu that differ by more, but within noise: the ranges between their quartiles overlap.</li>\n",
            verdicts[SHW_BENCH_NOISE]);
    if (verdicts[SHW_BENCH_DIFFERENT] > 0)
        fprintf(out, "<li class=\"differs\">%zu result%s no longer that of cpu.</li>\n", verdicts[SHW_BENCH_DIFFERENT],
                verdicts[SHW_BENCH_DIFFERENT] == 1 ? " is" : "s are");
    for (size_t i = 0; i < comparison->stage_count; i++)
        if (comparison->stages[i].ratio > 1 + comparison->threshold) {
            fputs("<li class=\"slower\">", out);
            shw_markup_text(out, comparison->stages[i].suite);
            fputs(", ", out);
            shw_markup_text(out, comparison->stages[i].stage);
            fprintf(out, " is slower as a whole: %.3f times.</li>\n", comparison->stages[i].ratio);
        }
    fputs("</ul>\n", out);
}

/* The stages side by side. */
static void write_overview(FILE *out, const struct shw_bench_comparison *comparison)
{
    size_t most = comparison->stage_count < OPEN_ROWS_MAX ? comparison->stage_count : OPEN_ROWS_MAX, count = 0;
    struct shw_dot dots[OPEN_ROWS_MAX];
    struct shw_dot_row rows[OPEN_ROWS_MAX];
    char labels[OPEN_ROWS_MAX][64];

    for (size_t i = 0; i < most; i++) {
        const struct shw_bench_stage_change *stage = &comparison->stages[i];
        bool slower = stage->ratio > 1 + comparison->threshold, faster = stage->ratio * (1 + comparison->threshold) < 1;
        if (!(stage->ratio > 0))
            continue;
        shw_text_format(labels[count], sizeof labels[count], "%s, %s", stage->suite, stage->stage);
        dots[count] = (struct shw_dot){.value = stage->ratio,
                                       .style = verdict_style(slower   ? SHW_BENCH_SLOWER
                                                              : faster ? SHW_BENCH_FASTER
                                                                       : SHW_BENCH_ALIKE)};
        rows[count] = (struct shw_dot_row){.label = labels[count], .dots = &dots[count], .count = 1};
        count++;
    }
    if (count == 0)
        return;
    write_figure(out, comparison, "every stage: geometric means of the times of B to those of A", rows, count, "");
}

static void write_document(FILE *out, const char *letter, const char *name, const json_t *document)
{
    fprintf(out, "<div><h3>%s: <code>", letter);
    shw_markup_text(out, name);
    fputs("</code></h3>\n", out);
    shw_html_origin(out, document);
    fputs("</div>\n", out);
}

enum shw_result shw_bench_write_comparison_html(const struct shw_bench_comparison *comparison, const char *a_name,
                                                const char *b_name, const struct shw_log *log, FILE *out)
{
    shw_html_open(out, "Shadewood: comparison of two runs of the bench");
    fputs("<header><p class=\"kicker\">shadewood bench compare</p><h1>What changed from A to B</h1>\n<div "
          "class=\"pair\">\n",
          out);
    write_document(out, "A", a_name, comparison->a);
    write_document(out, "B", b_name, comparison->b);
    fputs("</div></header>\n<section><h2>In short</h2>\n", out);
    write_counts(out, comparison);
    write_overview(out, comparison);
    fputs("</section>\n", out);
    for (size_t i = 0; i < comparison->stage_count; i++)
        SHW_PROPAGATE(write_stage(out, comparison, &comparison->stages[i], log));
    write_only(out, "Only in A", comparison->only_a, comparison->only_a_count);
    write_only(out, "Only in B", comparison->only_b, comparison->only_b_count);
    shw_html_close(out);
    return SHW_OK;
}
