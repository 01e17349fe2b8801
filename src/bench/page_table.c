/* The table of a group of rows. */
#include <string.h>

#include "bench/chart.h"
#include "bench/markup.h"
#include "bench/page.h"

void shw_page_write_technique(FILE *out, unsigned style, const char *technique)
{
    fprintf(out, "<span class=\"technique\"><svg class=\"key t%u\" viewBox=\"0 0 14 14\" aria-hidden=\"true\">", style);
    shw_chart_mark(out, style, 7, 7);
    fputs("</svg>", out);
    shw_markup_text(out, technique);
    fputs("</span>", out);
}

#define OPEN_ROWS_MAX 12u

/* The columns that any row of the group uses. */
struct columns {
    bool device, wall, rate, bound, published;
};

static struct columns find_columns(const struct shw_page_group *group)
{
    struct columns columns = {false};

    for (size_t i = 0; i < group->count; i++) {
        const json_t *row = group->rows[i].row;
        columns.device |= json_is_object(json_object_get(row, "device_ms"));
        columns.wall |= json_is_object(json_object_get(row, "wall_ms"));
        columns.rate |= json_is_object(json_object_get(row, "throughput"));
        columns.bound |= json_is_object(json_object_get(row, "bound"));
        columns.published |= json_array_size(json_object_get(row, "published")) > 0;
    }
    return columns;
}

static void write_head(FILE *out, const struct shw_page_group *group, const struct columns *columns)
{
    fputs("<thead><tr><th>", out);
    shw_markup_text(out, *group->series != '\0' ? group->series : "setting");
    fputs("</th><th>technique</th>", out);
    if (columns->device)
        fputs("<th class=\"n\" title=\"median by the device's timestamps, and half of the interquartile "
              "range\">latency, "
              "device<small>ms</small></th>",
              out);
    if (columns->wall)
        fputs("<th class=\"n\" title=\"median by the host's clock, from recording to completion\">latency, "
              "wall<small>ms"
              "</small></th>",
              out);
    if (columns->rate)
        fputs("<th class=\"n\" title=\"with many in flight\">throughput<small>a second</small></th>", out);
    if (columns->bound)
        fputs("<th class=\"n\" title=\"the minimum time that the limit allows\">ideal<small>ms</small></th><th "
              "class=\"n\" "
              "title=\"device time to ideal time\">times its limit</th>",
              out);
    fputs("<th title=\"whether the result is that of cpu, bit for bit\">= cpu</th>", out);
    if (columns->published)
        fputs("<th>published</th>", out);
    fputs("</tr></thead>\n", out);
}

static void write_timing(FILE *out, const json_t *timing, bool best)
{
    double median = shw_number_member(timing, "median"),
           spread = shw_number_member(timing, "q3") - shw_number_member(timing, "q1");
    char number[SHW_NUMBER_SIZE];

    if (!(median > 0)) {
        fputs("<td class=\"n none\">\xe2\x80\x93</td>", out);
        return;
    }
    fprintf(out, "<td class=\"n%s\" data-value=\"%.9g\" title=\"%.0f runs, from %.6g to %.6g ms\">%s",
            best ? " best" : "", median, shw_number_member(timing, "runs"), shw_number_member(timing, "min"),
            shw_number_member(timing, "max"), shw_number(number, median));
    if (spread >= 0)
        fprintf(out, "<small>\xc2\xb1%.1f\xe2\x80\xaf%%</small>", 50 * spread / median);
    fputs("</td>", out);
}

static void write_rate(FILE *out, const json_t *throughput)
{
    char number[SHW_NUMBER_SIZE];
    double rate = shw_number_member(throughput, "per_second");

    if (!(rate > 0)) {
        fputs("<td class=\"n none\">\xe2\x80\x93</td>", out);
        return;
    }
    fprintf(out, "<td class=\"n\" data-value=\"%.9g\" title=\"%.0f in flight\">%s<small>", rate,
            shw_number_member(throughput, "in_flight"), shw_number_short(number, rate));
    shw_markup_text(out, shw_text_member(throughput, "unit"));
    fputs("</small></td>", out);
}

static void write_bound(FILE *out, const json_t *bound)
{
    double ideal = shw_number_member(bound, "ideal_ms"), ratio = shw_number_member(bound, "ratio");
    char number[SHW_NUMBER_SIZE];

    if (!(ideal > 0) || !(ratio > 0)) {
        fputs("<td class=\"n none\">\xe2\x80\x93</td><td class=\"n none\">\xe2\x80\x93</td>", out);
        return;
    }
    fprintf(out, "<td class=\"n\" data-value=\"%.9g\" title=\"", ideal);
    shw_markup_text(out, shw_text_member(bound, "limit"));
    fprintf(out, "\">%s</td>", shw_number(number, ideal));
    fprintf(out,
            "<td class=\"n\" data-value=\"%.9g\"><span class=\"reach\" style=\"--share:%.0f%%\">%s\xc3\x97</span></td>",
            ratio, 100 / (ratio > 1 ? ratio : 1), shw_number(number, ratio));
}

static void write_equality(FILE *out, const json_t *row)
{
    const json_t *equals = json_object_get(row, "equals_cpu");

    if (json_is_true(equals)) {
        fputs("<td class=\"same\">same</td>", out);
    } else if (json_is_false(equals)) {
        fputs("<td class=\"differs\">DIFFERS</td>", out);
    } else {
        fputs("<td class=\"none\" title=\"", out);
        shw_markup_text(out, shw_text_member(row, "unchecked"));
        fputs("\">not compared</td>", out);
    }
}

static void write_published(FILE *out, const struct shw_page_row *row)
{
    const json_t *list = json_object_get(row->row, "published"), *entry;
    char number[SHW_NUMBER_SIZE];
    size_t i;

    fputs("<td class=\"published\">", out);
    json_array_foreach(list, i, entry)
    {
        double ms = shw_number_member(entry, "ms");
        fprintf(out, "%s%s ms, ", i > 0 ? "<br>" : "", shw_number(number, ms));
        shw_markup_text(out, shw_text_member(entry, "who"));
        fputs(" <small>", out);
        shw_markup_text(out, shw_text_member(entry, "hardware"));
        if (*shw_text_member(entry, "where") != '\0')
            fputs(", ", out);
        shw_markup_text(out, shw_text_member(entry, "where"));
        if (row->ms > 0 && ms > 0)
            fprintf(out, "; ours %s\xc3\x97 as %s", shw_number(number, ms >= row->ms ? ms / row->ms : row->ms / ms),
                    ms >= row->ms ? "fast" : "long");
        fputs("</small>", out);
    }
    fputs("</td>", out);
}

static void write_row(FILE *out, const struct shw_page *page, const struct shw_page_group *group,
                      const struct shw_page_row *row, const struct columns *columns)
{
    const json_t *device = json_object_get(row->row, "device_ms"), *wall = json_object_get(row->row, "wall_ms");
    const char *skipped = shw_text_member(row->row, "skipped");
    int span = columns->device + columns->wall + columns->rate + 2 * columns->bound + 1;
    bool best = row->ms > 0 && row->ms <= page->best[row->setting], by_device = shw_row_timing(row->row) == device;
    char label[SHW_PAGE_LABEL_SIZE];

    fputs("<tr data-id=\"", out);
    shw_markup_text(out, shw_text_member(row->row, "id"));
    fprintf(out, "\"><td data-value=\"%.9g\" title=\"", row->x);
    shw_markup_text(out, shw_text_member(row->row, "id"));
    fputs("\">", out);
    if (*shw_page_parts(label, group, row, true, true) == '\0')
        shw_page_parts(label, group, row, false, true);
    shw_markup_text(out, label);
    fputs("</td><td>", out);
    shw_page_write_technique(out, row->style, shw_text_member(row->row, "technique"));
    if (json_is_true(json_object_get(row->row, "custom")))
        fputs("<small title=\"a custom technique\">custom</small>", out);
    fputs("</td>", out);
    if (*skipped != '\0') {
        fprintf(out, "<td class=\"skipped\" colspan=\"%d\">not run: ", span + columns->published);
        shw_markup_text(out, skipped);
        fputs("</td></tr>\n", out);
        return;
    }
    if (columns->device)
        write_timing(out, device, best && by_device);
    if (columns->wall)
        write_timing(out, wall, best && !by_device);
    if (columns->rate)
        write_rate(out, json_object_get(row->row, "throughput"));
    if (columns->bound)
        write_bound(out, json_object_get(row->row, "bound"));
    write_equality(out, row->row);
    if (columns->published)
        write_published(out, row);
    fputs("</tr>\n", out);
}

void shw_page_write_table(FILE *out, const struct shw_page *page, const struct shw_page_group *group)
{
    const struct columns columns = find_columns(group);
    char label[SHW_PAGE_LABEL_SIZE];

    fprintf(out, "<details%s><summary>", group->count <= OPEN_ROWS_MAX ? " open" : "");
    if (*group->series != '\0') {
        fputs("by ", out);
        shw_markup_text(out, group->series);
        fputs(": ", out);
    }
    fprintf(out, "%zu row%s", group->count, group->count == 1 ? "" : "s");
    shw_page_parts(label, group, &group->rows[0], false, true);
    if (*label != '\0') {
        fputs(", all ", out);
        shw_markup_text(out, label);
    }
    fputs("</summary><div class=\"scroll\"><table>\n", out);
    write_head(out, group, &columns);
    fputs("<tbody>\n", out);
    for (size_t i = 0; i < group->count; i++)
        write_row(out, page, group, &group->rows[i], &columns);
    fputs("</tbody></table></div></details>\n", out);
}
