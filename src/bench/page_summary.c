/* The summary of a page, in sentences. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "bench/chart.h"
#include "bench/markup.h"
#include "bench/page.h"

#define EXAMPLES 3u

/* A stage of a suite: how often each technique wins. */
struct contest {
    const char *suite, *stage;
    size_t settings;                                              /* with two techniques or more */
    size_t wins[SHW_CHART_STYLES];                                /* by style */
    const struct shw_page_row *first[SHW_CHART_STYLES][EXAMPLES]; /* settings that it won */
    const struct shw_page_group *groups[SHW_CHART_STYLES][EXAMPLES];
    double *leads;  /* ratio of the second to the fastest, per setting; sorted by sort() */
    double *ratios; /* to the limit, of winners with one */
    size_t lead_count, ratio_count;
};

/* The best two rows of a setting. */
struct podium {
    const struct shw_page_row *first, *second;
    const struct shw_page_group *group;
};

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, ascending);
    return count % 2 != 0 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void enter(struct podium *podium, const struct shw_page_group *group, const struct shw_page_row *row)
{
    podium->group = group;
    if (podium->first == NULL || row->ms < podium->first->ms) {
        if (podium->first != NULL && podium->first->style != row->style)
            podium->second = podium->first;
        podium->first = row;
    } else if (row->style != podium->first->style && (podium->second == NULL || row->ms < podium->second->ms)) {
        podium->second = row;
    }
}

static void score(struct contest *contest, const struct podium *podium)
{
    unsigned style = podium->first->style;
    double ratio = shw_number_member(json_object_get(podium->first->row, "bound"), "ratio");

    if (ratio > 0)
        contest->ratios[contest->ratio_count++] = ratio;
    if (podium->second == NULL)
        return;
    if (contest->wins[style] < EXAMPLES) {
        contest->first[style][contest->wins[style]] = podium->first;
        contest->groups[style][contest->wins[style]] = podium->group;
    }
    contest->wins[style]++;
    contest->settings++;
    contest->leads[contest->lead_count++] = podium->second->ms / podium->first->ms;
}

static void write_example(FILE *out, const struct shw_page_group *group, const struct shw_page_row *row)
{
    char label[SHW_PAGE_LABEL_SIZE];

    shw_page_parts(label, group, row, true, true);
    shw_markup_text(out, *label != '\0' ? label : shw_page_parts(label, group, row, false, true));
}

/* "compute is the fastest in 20 of 24 settings"; further ones with their settings. */
static void write_winners(FILE *out, const struct shw_page *page, const struct contest *contest)
{
    size_t wins[SHW_CHART_STYLES];
    bool first = true;

    memcpy(wins, contest->wins, sizeof wins);
    for (;;) {
        unsigned most = 0;
        for (unsigned style = 1; style < SHW_CHART_STYLES; style++)
            most = wins[style] > wins[most] ? style : most;
        if (wins[most] == 0)
            return;
        if (!first)
            fputs(wins[most] == contest->wins[most] ? ", " : "", out);
        shw_page_write_technique(out, most, page->techniques[most]);
        if (first && wins[most] == contest->settings)
            fprintf(out, contest->settings == 1 ? " is the fastest" : " is the fastest in all %zu settings",
                    contest->settings);
        else if (first)
            fprintf(out, " is the fastest in %zu of %zu settings", wins[most], contest->settings);
        else
            fprintf(out, " in %zu", wins[most]);
        if (!first) {
            fputs(" (", out);
            for (size_t i = 0; i < EXAMPLES && i < contest->wins[most]; i++) {
                fputs(i > 0 ? "; " : "", out);
                write_example(out, contest->groups[most][i], contest->first[most][i]);
            }
            fputs(contest->wins[most] > EXAMPLES ? "; \xe2\x80\xa6)" : ")", out);
        }
        wins[most] = 0;
        first = false;
    }
}

static void write_contest(FILE *out, const struct shw_page *page, struct contest *contest)
{
    char middle[SHW_NUMBER_SIZE], least[SHW_NUMBER_SIZE], most[SHW_NUMBER_SIZE];

    if (contest->settings == 0)
        return;
    fputs("<li><b>", out);
    shw_markup_text(out, contest->suite);
    fputs(", ", out);
    shw_markup_text(out, contest->stage);
    fputs("</b>: ", out);
    write_winners(out, page, contest);
    shw_number(middle, median(contest->leads, contest->lead_count));
    fprintf(out, "; the next takes %s times as long", middle);
    if (contest->lead_count > 1)
        fprintf(out, " in the median, from %s to %s", shw_number(least, contest->leads[0]),
                shw_number(most, contest->leads[contest->lead_count - 1]));
    if (contest->ratio_count > 0) {
        shw_number(middle, median(contest->ratios, contest->ratio_count));
        fprintf(out, ". The fastest takes %s times the minimum of its limit%s", middle,
                contest->ratio_count > 1 ? " in the median" : "");
    }
    fputs(".</li>\n", out);
}

/* Whether the row repeats one without a series: a basic setting is also a point of every series. `seen` has the rows
 * without a series. */
static bool is_repeated(json_t *seen, const struct shw_page_group *group, const struct shw_page_row *row)
{
    char *setting = json_dumps(json_object_get(row->row, "setting"), JSON_SORT_KEYS | JSON_COMPACT | JSON_ENCODE_ANY);
    json_t *key =
        setting != NULL ? json_sprintf("%zu %zu %s", group->suite_number, group->stage_number, setting) : NULL;
    bool repeated = false;

    if (key != NULL && *group->series != '\0')
        repeated = json_object_get(seen, json_string_value(key)) != NULL;
    else if (key != NULL)
        json_object_set_new(seen, json_string_value(key), json_true());
    json_decref(key);
    free(setting);
    return repeated;
}

static bool write_contests(FILE *out, const struct shw_page *page)
{
    struct podium *podiums = calloc(page->setting_count + 1, sizeof *podiums);
    double *numbers = malloc((2 * page->setting_count + 1) * sizeof *numbers);
    json_t *seen = json_object();
    struct contest contest = {0};

    for (size_t g = 0; podiums != NULL && g < page->group_count; g++)
        for (size_t i = 0; i < page->groups[g].count; i++)
            if (page->groups[g].rows[i].ms > 0)
                enter(&podiums[page->groups[g].rows[i].setting], &page->groups[g], &page->groups[g].rows[i]);
    for (size_t g = 0; podiums != NULL && numbers != NULL && seen != NULL && g < page->group_count; g++) {
        const struct shw_page_group *group = &page->groups[g];
        if (contest.suite == NULL || strcmp(contest.suite, group->suite) != 0 ||
            strcmp(contest.stage, group->stage) != 0) {
            write_contest(out, page, &contest);
            contest = (struct contest){.suite = group->suite,
                                       .stage = group->stage,
                                       .leads = numbers,
                                       .ratios = numbers + page->setting_count};
        }
        for (size_t i = 0; i < group->count; i++)
            if (podiums[group->rows[i].setting].first == &group->rows[i] && !is_repeated(seen, group, &group->rows[i]))
                score(&contest, &podiums[group->rows[i].setting]);
    }
    write_contest(out, page, &contest);
    json_decref(seen);
    free(numbers);
    free(podiums);
    return podiums != NULL && numbers != NULL && seen != NULL;
}

static void write_against(FILE *out, const struct shw_page_row *row, const json_t *entry)
{
    char ours[SHW_NUMBER_SIZE], theirs[SHW_NUMBER_SIZE], times[SHW_NUMBER_SIZE], label[SHW_PAGE_LABEL_SIZE];
    double ms = shw_number_member(entry, "ms");

    fputs("<li><b>", out);
    shw_markup_text(out, shw_text_member(entry, "who"));
    fprintf(out, "</b> published %s ms on ", shw_number(theirs, ms));
    shw_markup_text(out, shw_text_member(entry, "hardware"));
    fputs(" for ", out);
    shw_markup_text(out, shw_text_member(row->row, "stage"));
    fputs(" (", out);
    shw_markup_text(out, shw_page_parts(label, &(struct shw_page_group){.series = ""}, row, true, true));
    fprintf(out, "); here %s ms by ", shw_number(ours, row->ms));
    shw_page_write_technique(out, row->style, shw_text_member(row->row, "technique"));
    if (ms >= row->ms)
        fprintf(out, ", %s times as fast.</li>\n", shw_number(times, ms / row->ms));
    else
        fprintf(out, ", %s times as long.</li>\n", shw_number(times, row->ms / ms));
}

/* The largest published setting of a stage, by hardware, beside the best of ours. */
static bool write_published(FILE *out, const struct shw_page *page)
{
    json_t *largest = json_object();
    bool good = largest != NULL, any = false;

    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < page->row_count && good; i++) {
            const struct shw_page_row *row = &page->rows[i];
            const json_t *list = json_object_get(row->row, "published"), *entry;
            size_t e;
            if (!(row->ms > 0) || row->ms > page->best[row->setting])
                continue;
            json_array_foreach(list, e, entry)
            {
                json_t *key = json_sprintf("%s\n%s\n%s\n%s", shw_text_member(row->row, "suite"),
                                           shw_text_member(row->row, "stage"), shw_text_member(entry, "who"),
                                           shw_text_member(entry, "hardware"));
                const json_t *known = json_object_get(largest, json_string_value(key));
                good = key != NULL;
                if (pass == 0 && good && shw_number_member(entry, "ms") > 0 &&
                    (known == NULL || shw_number_member(entry, "ms") > shw_number_member(known, "ms")))
                    good = json_object_set(largest, json_string_value(key), (json_t *)(uintptr_t)entry) == 0;
                if (pass == 1 && good && known == entry) {
                    fputs(any ? "" : "<h3>Compared with published times</h3>\n<ul class=\"summary small\">\n", out);
                    any = true;
                    write_against(out, row, entry);
                }
                json_decref(key);
            }
        }
    fputs(any ? "</ul>\n" : "", out);
    json_decref(largest);
    return good;
}

static void write_equality(FILE *out, const struct shw_page *page)
{
    size_t same = 0, different = 0, unchecked = 0, skipped = 0;

    for (size_t i = 0; i < page->row_count; i++) {
        const json_t *equals = json_object_get(page->rows[i].row, "equals_cpu");
        if (json_object_get(page->rows[i].row, "skipped") != NULL)
            skipped++;
        else if (json_is_boolean(equals))
            *(json_is_true(equals) ? &same : &different) += 1;
        else
            unchecked++;
    }
    if (different > 0)
        fprintf(out, "<li class=\"differs\">%zu results DIFFER from those of cpu.</li>\n", different);
    if (same > 0)
        fprintf(out, "<li>%s%zu results that were compared equal those of <b>cpu</b>, bit for bit%s",
                different > 0 ? "" : "All ", same, unchecked > 0 || skipped > 0 ? ";" : ".");
    if (same > 0 && unchecked > 0)
        fprintf(out, " %zu were not compared%s", unchecked, skipped > 0 ? "," : ".");
    if (same > 0 && skipped > 0)
        fprintf(out, " %zu rows were not run, and say why.", skipped);
    if (same > 0)
        fputs("</li>\n", out);
}

enum shw_result shw_page_write_summary(FILE *out, const struct shw_page *page, const struct shw_log *log)
{
    bool good;

    fputs("<ul class=\"summary\">\n", out);
    good = write_contests(out, page);
    write_equality(out, page);
    fputs("</ul>\n", out);
    good = good && write_published(out, page);
    return good ? SHW_OK : shw_fail_memory(log, "a summary");
}
