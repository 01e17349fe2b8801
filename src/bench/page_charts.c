/* The charts of a group of rows. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "bench/chart.h"
#include "bench/markup.h"
#include "bench/page.h"

#define DOT_ROWS_MAX 48u
#define SOURCES_MAX  8u
#define MS_TITLE     "milliseconds"

static int by_line(const void *a, const void *b)
{
    const struct shw_page_row *left = *(const struct shw_page_row *const *)a,
                              *right = *(const struct shw_page_row *const *)b;

    if (left->family != right->family)
        return left->family < right->family ? -1 : 1;
    if (left->style != right->style)
        return left->style < right->style ? -1 : 1;
    if (strcmp(shw_text_member(left->row, "technique"), shw_text_member(right->row, "technique")) != 0)
        return strcmp(shw_text_member(left->row, "technique"), shw_text_member(right->row, "technique"));
    return (left->x > right->x) - (left->x < right->x);
}

static int by_setting(const void *a, const void *b)
{
    const struct shw_page_row *left = *(const struct shw_page_row *const *)a,
                              *right = *(const struct shw_page_row *const *)b;

    if (left->setting != right->setting)
        return left->setting < right->setting ? -1 : 1;
    return (left->style > right->style) - (left->style < right->style);
}

static int by_x(const void *a, const void *b)
{
    const struct shw_page_row *left = *(const struct shw_page_row *const *)a,
                              *right = *(const struct shw_page_row *const *)b;

    return (left->x > right->x) - (left->x < right->x);
}

static struct shw_chart_point point_of(const struct shw_page_row *row)
{
    const json_t *timing = shw_row_timing(row->row);

    return (struct shw_chart_point){.x = row->x,
                                    .y = row->ms,
                                    .low = shw_number_member(timing, "q1"),
                                    .high = shw_number_member(timing, "q3"),
                                    .ideal = shw_number_member(json_object_get(row->row, "bound"), "ideal_ms"),
                                    .row = row->row};
}

/* A line chart under construction. */
struct lines {
    const struct shw_page_group *group;
    const struct shw_page_row **rows; /* of one family */
    size_t count;
    struct shw_chart_line lines[SHW_CHART_LINES_MAX];
    size_t line_count;
    struct shw_chart_tick *ticks;
    char (*labels)[SHW_PAGE_LABEL_SIZE];
    size_t tick_count;
    struct shw_chart_point *points; /* of all techniques; published lines have their own */
};

/* The values of x, and their labels. */
static bool make_ticks(struct lines *made)
{
    const struct shw_page_row **sorted = malloc(made->count * sizeof *sorted);

    made->ticks = malloc(made->count * sizeof *made->ticks);
    made->labels = malloc(made->count * sizeof *made->labels);
    if (sorted == NULL || made->ticks == NULL || made->labels == NULL) {
        free(sorted);
        return false;
    }
    memcpy(sorted, made->rows, made->count * sizeof *sorted);
    qsort(sorted, made->count, sizeof *sorted, by_x);
    for (size_t i = 0; i < made->count; i++)
        if (made->tick_count == 0 || sorted[i]->x > made->ticks[made->tick_count - 1].x) {
            made->ticks[made->tick_count] = (struct shw_chart_tick){
                sorted[i]->x, shw_page_series_label(made->labels[made->tick_count], made->group, sorted[i])};
            made->tick_count++;
        }
    free(sorted);
    return true;
}

static bool same_technique(const struct shw_page_row *a, const struct shw_page_row *b)
{
    return strcmp(shw_text_member(a->row, "technique"), shw_text_member(b->row, "technique")) == 0;
}

static bool make_lines(struct lines *made)
{
    made->points = malloc(made->count * sizeof *made->points);
    for (size_t i = 0; made->points != NULL && i < made->count; i++) {
        made->points[i] = point_of(made->rows[i]);
        if (i > 0 && same_technique(made->rows[i], made->rows[i - 1])) {
            if (made->line_count > 0 &&
                made->lines[made->line_count - 1].points + made->lines[made->line_count - 1].count == &made->points[i])
                made->lines[made->line_count - 1].count++;
        } else if (made->line_count < SHW_CHART_LINES_MAX) {
            made->lines[made->line_count++] =
                (struct shw_chart_line){.name = shw_text_member(made->rows[i]->row, "technique"),
                                        .style = made->rows[i]->style,
                                        .points = &made->points[i],
                                        .count = 1};
        }
    }
    return made->points != NULL;
}

/* The line of a publication; NULL: too many, or out of memory. */
static struct shw_chart_line *published_line(struct lines *made, size_t first, const char *who, const char *hardware)
{
    struct shw_chart_line *line;

    for (size_t i = first; i < made->line_count; i++)
        if (strcmp(made->lines[i].name, who) == 0 && strcmp(made->lines[i].more, hardware) == 0)
            return &made->lines[i];
    if (made->line_count == SHW_CHART_LINES_MAX)
        return NULL;
    line = &made->lines[made->line_count];
    *line = (struct shw_chart_line){.name = who, .more = hardware, .style = SHW_CHART_PUBLISHED};
    line->points = malloc(made->tick_count * sizeof *line->points);
    made->line_count += line->points != NULL;
    return line->points != NULL ? line : NULL;
}

/* Keeps the points in order of x, one per x. */
static void add_published(struct shw_chart_line *line, double x, double ms, const json_t *row)
{
    size_t at = line->count;

    for (size_t i = 0; i < line->count; i++)
        if (!(line->points[i].x < x) && !(line->points[i].x > x))
            return;
    for (; at > 0 && line->points[at - 1].x > x; at--)
        line->points[at] = line->points[at - 1];
    line->points[at] = (struct shw_chart_point){.x = x, .y = ms, .row = row};
    line->count++;
}

static void make_published(struct lines *made)
{
    size_t first = made->line_count;

    for (size_t i = 0; i < made->count; i++) {
        const json_t *list = json_object_get(made->rows[i]->row, "published"), *entry;
        size_t e;
        json_array_foreach(list, e, entry)
        {
            struct shw_chart_line *line =
                published_line(made, first, shw_text_member(entry, "who"), shw_text_member(entry, "hardware"));
            if (line != NULL && shw_number_member(entry, "ms") > 0)
                add_published(line, made->rows[i]->x, shw_number_member(entry, "ms"), NULL);
        }
    }
}

static void open_figure(FILE *out, const char *kind, const char *stage, const char *series, const char *setting)
{
    fprintf(out, "<figure class=\"%s\"><figcaption><b>", kind);
    shw_markup_text(out, stage);
    if (*series != '\0') {
        fputs(", by ", out);
        shw_markup_text(out, series);
    }
    fputs("</b> ", out);
    shw_markup_text(out, setting);
    fputs("</figcaption>\n", out);
}

/* The common parts of all rows of the family. */
static const char *family_label(char label[SHW_PAGE_LABEL_SIZE], const struct shw_page_group *group,
                                const struct shw_page_row *row)
{
    const struct shw_page_group all = {.series = group->series}; /* every part is shown */

    return shw_page_parts(label, &all, row, true, false);
}

static void write_lines(FILE *out, const struct lines *made)
{
    char setting[SHW_PAGE_LABEL_SIZE], title[2 * SHW_PAGE_LABEL_SIZE];
    struct shw_chart chart = {.x_title = made->group->series,
                              .y_title = MS_TITLE,
                              .lines = made->lines,
                              .line_count = made->line_count,
                              .ticks = made->ticks,
                              .tick_count = made->tick_count};

    family_label(setting, made->group, made->rows[0]);
    shw_text_format(title, sizeof title, "%s by %s", made->group->stage, made->group->series);
    chart.title = title;
    open_figure(out, "chart", made->group->stage, made->group->series, setting);
    shw_chart_write(out, &chart);
    fputs("</figure>\n", out);
}

/* Writes a line chart of a family, unless x has only one value; *written: whether it did. */
static bool try_lines(FILE *out, const struct shw_page_group *group, const struct shw_page_row **rows, size_t count,
                      bool *written)
{
    struct lines *made = calloc(1, sizeof *made);
    bool good = made != NULL;

    *written = false;
    if (!good)
        return false;
    *made = (struct lines){.group = group, .rows = rows, .count = count};
    good = make_ticks(made);
    if (good && made->tick_count > 1) {
        good = make_lines(made);
        if (good) {
            make_published(made);
            write_lines(out, made);
            *written = true;
        }
    }
    for (size_t i = 0; i < made->line_count; i++)
        if (made->lines[i].style == SHW_CHART_PUBLISHED)
            free(made->lines[i].points);
    free(made->points);
    free(made->labels);
    free(made->ticks);
    free(made);
    return good;
}

/* A dot plot under construction. */
struct dots {
    struct shw_dot *dots;
    struct shw_dot_row *rows;
    char (*labels)[SHW_PAGE_LABEL_SIZE];
    const json_t *sources[SOURCES_MAX]; /* sources of published times */
    size_t dot_count, row_count, source_count;
};

/* For `count` measured rows with that many published times. */
static bool create_dots(struct dots *made, size_t count, size_t published)
{
    *made = (struct dots){.dots = malloc((count + published + 1) * sizeof *made->dots),
                          .rows = malloc((count + 1) * sizeof *made->rows),
                          .labels = malloc((count + 1) * sizeof *made->labels)};
    return made->dots != NULL && made->rows != NULL && made->labels != NULL;
}

static void free_dots(struct dots *made)
{
    free(made->labels);
    free(made->rows);
    free(made->dots);
}

/* Next to the marks, if there is more than one source. */
static const char *const source_names[SOURCES_MAX] = {"a", "b", "c", "d", "e", "f", "g", "h"};

static bool same_source(const json_t *a, const json_t *b)
{
    return strcmp(shw_text_member(a, "who"), shw_text_member(b, "who")) == 0 &&
           strcmp(shw_text_member(a, "hardware"), shw_text_member(b, "hardware")) == 0;
}

/* The number of the time's source; SOURCES_MAX: too many. */
static size_t source_of(struct dots *made, const json_t *entry)
{
    size_t i = 0;

    while (i < made->source_count && !same_source(made->sources[i], entry))
        i++;
    if (i == made->source_count && i < SOURCES_MAX)
        made->sources[made->source_count++] = entry;
    return i;
}

static void add_published_dots(struct dots *made, struct shw_dot_row *to, const json_t *row)
{
    const json_t *list = json_object_get(row, "published"), *entry;
    size_t e;

    json_array_foreach(list, e, entry)
    {
        size_t source = source_of(made, entry);
        bool known = source == SOURCES_MAX || !(shw_number_member(entry, "ms") > 0);
        for (size_t d = 0; d < to->count && !known; d++)
            known = to->dots[d].name == source_names[source];
        if (known)
            continue;
        made->dots[made->dot_count++] = (struct shw_dot){
            .value = shw_number_member(entry, "ms"), .style = SHW_CHART_PUBLISHED, .name = source_names[source]};
        to->count++;
    }
}

static size_t count_published(const struct shw_page_row *const *rows, size_t count)
{
    size_t published = 0;

    for (size_t i = 0; i < count; i++)
        published += json_array_size(json_object_get(rows[i]->row, "published"));
    return published;
}

/* Adds the first setting of `rows`, which are sorted by setting. Returns its number of rows; the caller sets its label.
 */
static size_t add_setting(struct dots *made, const struct shw_page_row *const *rows, size_t count)
{
    struct shw_dot_row *row = &made->rows[made->row_count];
    size_t end = 0;

    *row = (struct shw_dot_row){.label = made->labels[made->row_count], .dots = &made->dots[made->dot_count]};
    made->row_count++;
    for (; end < count && rows[end]->setting == rows[0]->setting; end++) {
        struct shw_chart_point point = point_of(rows[end]);
        made->dots[made->dot_count++] = (struct shw_dot){.value = point.y,
                                                         .low = point.low,
                                                         .high = point.high,
                                                         .ideal = point.ideal,
                                                         .style = rows[end]->style,
                                                         .row = point.row};
        row->count++;
    }
    for (size_t i = 0; i < end; i++)
        add_published_dots(made, row, rows[i]->row);
    return end;
}

static void write_legend(FILE *out, const struct dots *made, const struct shw_page_row *const *rows, size_t count)
{
    bool shown[SHW_CHART_STYLES] = {false};

    fputs("<p class=\"legend\">", out);
    for (size_t i = 0; i < count; i++)
        if (!shown[rows[i]->style]) {
            shw_page_write_technique(out, rows[i]->style, shw_text_member(rows[i]->row, "technique"));
            shown[rows[i]->style] = true;
        }
    for (size_t i = 0; i < made->source_count; i++) {
        char name[2 * SHW_PAGE_LABEL_SIZE];
        shw_text_format(name, sizeof name, "%s%s%s, %s", made->source_count > 1 ? source_names[i] : "",
                        made->source_count > 1 ? ": " : "", shw_text_member(made->sources[i], "who"),
                        shw_text_member(made->sources[i], "hardware"));
        shw_page_write_technique(out, SHW_CHART_PUBLISHED, name);
    }
    fputs("</p>\n", out);
}

static void write_plot(FILE *out, struct dots *made, const struct shw_page_row *const *rows, size_t count,
                       const char *title)
{
    for (size_t i = 0; made->source_count < 2 && i < made->dot_count; i++)
        made->dots[i].name = NULL;
    write_legend(out, made, rows, count);
    shw_dot_plot_write(
        out, &(struct shw_dot_plot){
                 .title = title, .x_title = MS_TITLE, .unit = "ms", .rows = made->rows, .row_count = made->row_count});
    fputs("</figure>\n", out);
}

static bool write_dots(FILE *out, const struct shw_page_group *group, const struct shw_page_row **rows, size_t count)
{
    struct dots made;
    char setting[SHW_PAGE_LABEL_SIZE], title[2 * SHW_PAGE_LABEL_SIZE];
    bool good;

    if (count == 0)
        return true;
    qsort(rows, count, sizeof *rows, by_setting);
    good = create_dots(&made, count, count_published(rows, count));
    for (size_t i = 0; i < count && good;) {
        const struct shw_page_row *row = rows[i];
        i += add_setting(&made, &rows[i], count - i);
        if (*shw_page_parts(made.labels[made.row_count - 1], group, row, true, true) == '\0')
            shw_page_parts(made.labels[made.row_count - 1], group, row, false, true);
    }
    if (good && made.dot_count > 1 && made.row_count <= DOT_ROWS_MAX) {
        shw_text_format(title, sizeof title, "%s: %s", group->stage, MS_TITLE);
        open_figure(out, "dots", group->stage, group->series, shw_page_parts(setting, group, rows[0], false, true));
        write_plot(out, &made, rows, count, title);
    }
    free_dots(&made);
    return good;
}

/* Whether the group is in the overview: no series, and only the technique differs. */
static bool is_in_overview(const struct shw_page_group *group)
{
    for (size_t i = 1; i < group->count; i++)
        if (group->rows[i].setting != group->rows[0].setting)
            return false;
    return *group->series == '\0';
}

enum shw_result shw_page_write_overview(FILE *out, const struct shw_page_group *groups, size_t count,
                                        const struct shw_log *log)
{
    const struct shw_page_row **rows;
    struct dots made = {0};
    size_t all = 0, used = 0;
    bool good;

    for (size_t g = 0; g < count; g++)
        all += groups[g].count;
    rows = malloc((all + 1) * sizeof *rows);
    if (rows == NULL)
        return shw_fail_memory(log, "a chart");
    for (size_t g = 0; g < count; g++)
        for (size_t i = 0; i < groups[g].count && is_in_overview(&groups[g]); i++)
            if (groups[g].rows[i].ms > 0)
                rows[used++] = &groups[g].rows[i];
    good = create_dots(&made, used, count_published(rows, used));
    for (size_t i = 0; i < used && good;) {
        const struct shw_page_row *row = rows[i];
        i += add_setting(&made, &rows[i], used - i);
        shw_text_format(made.labels[made.row_count - 1], SHW_PAGE_LABEL_SIZE, "%s", shw_text_member(row->row, "stage"));
    }
    if (good && made.dot_count > 1 && made.row_count <= DOT_ROWS_MAX) {
        char setting[SHW_PAGE_LABEL_SIZE];
        open_figure(out, "dots", "every stage", "",
                    shw_page_parts(setting, &(struct shw_page_group){.series = ""}, rows[used - 1], true, true));
        write_plot(out, &made, rows, used, "every stage");
    }
    free_dots(&made);
    free(rows);
    return good ? SHW_OK : shw_fail_memory(log, "a chart");
}

enum shw_result shw_page_write_charts(FILE *out, const struct shw_page_group *group, const struct shw_log *log)
{
    const struct shw_page_row **sorted = malloc((group->count + 1) * sizeof *sorted);
    const struct shw_page_row **left = malloc((group->count + 1) * sizeof *left);
    size_t count = 0, left_count = 0, end;
    bool good = sorted != NULL && left != NULL;

    for (size_t i = 0; good && i < group->count && !is_in_overview(group); i++)
        if (group->rows[i].ms > 0)
            sorted[count++] = &group->rows[i];
    if (count > 0)
        qsort(sorted, count, sizeof *sorted, by_line);
    for (size_t i = 0; good && i < count; i = end) {
        bool written = false, numeric = *group->series != '\0';
        for (end = i; end < count && sorted[end]->family == sorted[i]->family; end++)
            numeric = numeric && sorted[end]->x > 0;
        if (numeric)
            good = try_lines(out, group, &sorted[i], end - i, &written);
        for (size_t k = i; good && !written && k < end; k++)
            left[left_count++] = sorted[k];
    }
    good = good && write_dots(out, group, left, left_count);
    free(left);
    free(sorted);
    return good ? SHW_OK : shw_fail_memory(log, "charts");
}
