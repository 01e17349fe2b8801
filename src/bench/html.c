#include "bench/html.h"

#include "base/log.h"
#include "bench/markup.h"
#include "bench/page.h"

extern const char shw_bench_page_css[], shw_bench_page_js[];

void shw_html_open(FILE *out, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
          "script-src "
          "'unsafe-inline'\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" "
          "content=\"light "
          "dark\">\n<title>",
          out);
    shw_markup_text(out, title);
    fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", shw_bench_page_css);
}

void shw_html_close(FILE *out)
{
    fprintf(out, "</main>\n<script>\n%s</script>\n</body>\n</html>\n", shw_bench_page_js);
}

void shw_html_fact(FILE *out, const char *name, const char *value)
{
    if (*value == '\0')
        return;
    fprintf(out, "<dt>%s</dt><dd>", name);
    shw_markup_text(out, value);
    fputs("</dd>\n", out);
}

void shw_html_origin(FILE *out, const json_t *document)
{
    const json_t *device = json_object_get(document, "device"), *host = json_object_get(document, "host");
    char text[256], number[SHW_NUMBER_SIZE];

    fputs("<dl class=\"facts\">\n", out);
    shw_html_fact(out, "date", shw_text_member(document, "date"));
    shw_html_fact(out, "Shadewood", shw_text_member(document, "shadewood"));
    shw_html_fact(out, "device", json_is_object(device) ? shw_text_member(device, "name") : "none");
    shw_html_fact(out, "driver", shw_text_member(device, "driver"));
    if (shw_number_member(device, "memory_bytes") > 0) {
        shw_text_format(text, sizeof text, "%sB, subgroups of %.0f, Vulkan %s",
                        shw_number_short(number, shw_number_member(device, "memory_bytes")),
                        shw_number_member(device, "subgroup_size"), shw_text_member(device, "api_version"));
        shw_html_fact(out, "memory", text);
    }
    shw_text_format(text, sizeof text, "%s, %.0f in use", shw_text_member(host, "processor"),
                    shw_number_member(host, "processors"));
    shw_html_fact(out, "processors", *shw_text_member(host, "processor") != '\0' ? text : "");
    shw_html_fact(out, "system", shw_text_member(host, "system"));
    if (*shw_text_member(document, "command") != '\0') {
        fputs("<dt>command</dt><dd><code>", out);
        shw_markup_text(out, shw_text_member(document, "command"));
        fputs("</code></dd>\n", out);
    }
    fputs("</dl>\n", out);
}

static void write_limit(FILE *out, const json_t *limit)
{
    char number[SHW_NUMBER_SIZE];
    const char *skipped = shw_text_member(limit, "skipped");

    fputs("<tr><td><code>", out);
    shw_markup_text(out, shw_text_member(limit, "limit"));
    fputs("</code></td><td>", out);
    shw_markup_text(out, shw_text_member(limit, "title"));
    if (*skipped != '\0') {
        fputs("</td><td class=\"skipped\">not measured: ", out);
        shw_markup_text(out, skipped);
    } else {
        fprintf(out, "</td><td class=\"n\" data-value=\"%.9g\"><b>%s</b> <small>",
                shw_number_member(limit, "per_second"),
                shw_number_short(number, shw_number_member(limit, "per_second")));
        shw_markup_text(out, shw_text_member(limit, "unit"));
        fputs("</small>", out);
    }
    fputs("</td></tr>\n", out);
}

static void write_limits(FILE *out, const json_t *limits)
{
    const json_t *limit;
    size_t i;

    if (json_array_size(limits) == 0)
        return;
    fputs("<section id=\"limits\"><h2>Limits of this machine</h2>\n<p>Measured by the suite <i>roofline</i>, in "
          "this run or in the stored one that --limits named. Ideal times are the work of a stage at these "
          "rates.</p>\n<div "
          "class=\"scroll\"><table><thead><tr><th>limit</th><th>what</th><th "
          "class=\"n\">a second</th></tr></thead>\n<tbody>\n",
          out);
    json_array_foreach(limits, i, limit) write_limit(out, limit);
    fputs("</tbody></table></div></section>\n", out);
}

static bool same_stage(const struct shw_page_group *a, const struct shw_page_group *b)
{
    return a->suite_number == b->suite_number && a->stage_number == b->stage_number;
}

/* The charts of all groups of a stage side by side, and their tables below. */
static enum shw_result write_stage(FILE *out, const struct shw_page *page, size_t first, size_t end,
                                   const struct shw_log *log)
{
    fputs("<h3>", out);
    shw_markup_text(out, page->groups[first].stage);
    fputs("</h3>\n<div class=\"charts\">\n", out);
    for (size_t g = first; g < end; g++)
        SHW_PROPAGATE(shw_page_write_charts(out, &page->groups[g], log));
    fputs("</div>\n", out);
    for (size_t g = first; g < end; g++)
        shw_page_write_table(out, page, &page->groups[g]);
    return SHW_OK;
}

static enum shw_result write_stages(FILE *out, const struct shw_page *page, const struct shw_log *log)
{
    for (size_t g = 0, end; g < page->group_count; g = end) {
        const struct shw_page_group *group = &page->groups[g];
        if (g == 0 || page->groups[g - 1].suite_number != group->suite_number) {
            fprintf(out, "%s<section><h2 id=\"suite-%zu\">Suite ", g > 0 ? "</section>\n" : "", group->suite_number);
            shw_markup_text(out, group->suite);
            fputs("</h2>\n<div class=\"charts\">\n", out);
            for (end = g; end < page->group_count && page->groups[end].suite_number == group->suite_number; end++)
                continue;
            SHW_PROPAGATE(shw_page_write_overview(out, group, end - g, log));
            fputs("</div>\n", out);
        }
        for (end = g; end < page->group_count && same_stage(group, &page->groups[end]); end++)
            continue;
        SHW_PROPAGATE(write_stage(out, page, g, end, log));
    }
    fputs(page->group_count > 0 ? "</section>\n" : "", out);
    return SHW_OK;
}

/* Links to the suites. */
static void write_contents(FILE *out, const struct shw_page *page)
{
    fputs("<nav>", out);
    if (json_array_size(json_object_get(page->document, "limits")) > 0)
        fputs("<a href=\"#limits\">limits</a> ", out);
    for (size_t g = 0; g < page->group_count; g++)
        if (g == 0 || page->groups[g].suite_number != page->groups[g - 1].suite_number) {
            fprintf(out, "<a href=\"#suite-%zu\">", page->groups[g].suite_number);
            shw_markup_text(out, page->groups[g].suite);
            fputs("</a> ", out);
        }
    fputs("<a href=\"#reading\">how to read this</a></nav>\n", out);
}

static void write_reading(FILE *out)
{
    fputs("<section id=\"reading\"><h2>How to read this</h2>\n<dl class=\"terms\">\n"
          "<dt>latency</dt><dd>The time of one run with nothing else in flight: the median of many runs, and half "
          "of the interquartile range. <i>Device</i>: by the device's timestamps around the work. <i>Wall</i>: by the "
          "host's clock, from recording to completion. Charts and comparisons use the device's clock if there is one, "
          "and the host's for the technique <b>cpu</b>.</dd>\n"
          "<dt>throughput</dt><dd>Runs per second with many in flight. It is not the inverse of the "
          "latency.</dd>\n"
          "<dt>ideal</dt><dd>The minimum time for the work of a stage at the rate of its limit: a dashed line in "
          "charts. <i>Times its limit</i> is the device's time divided by it; the bar shows how much of the limit is "
          "reached.</dd>\n"
          "<dt>= cpu</dt><dd>Every technique must give the same result as <b>cpu</b>, bit for bit. <i>Same</i>: they "
          "were compared and are equal.</dd>\n"
          "<dt>published</dt><dd>Times that others reported, on their hardware of that time: diamonds in "
          "charts.</dd>\n</dl></section>\n",
          out);
}

enum shw_result shw_bench_write_html(const json_t *document, const struct shw_log *log, FILE *out)
{
    const json_t *device = json_object_get(document, "device");
    const char *name = json_is_object(device) ? shw_text_member(device, "name")
                                              : shw_text_member(json_object_get(document, "host"), "processor");
    struct shw_page page = {0};
    char title[512];
    enum shw_result result;

    SHW_TRY(shw_page_create(document, log, &page));
    shw_text_format(title, sizeof title, "Shadewood on %s", name);
    shw_html_open(out, title);
    fputs("<header><p class=\"kicker\">shadewood bench</p><h1>", out);
    shw_markup_text(out, name);
    fputs("</h1>\n", out);
    shw_html_origin(out, document);
    write_contents(out, &page);
    fputs("</header>\n<section><h2>In short</h2>\n", out);
    SHW_TRY(shw_page_write_summary(out, &page, log));
    fputs("</section>\n", out);
    write_limits(out, json_object_get(document, "limits"));
    SHW_TRY(write_stages(out, &page, log));
    write_reading(out);
    shw_html_close(out);

fail:
    shw_page_free(&page);
    return result;
}
