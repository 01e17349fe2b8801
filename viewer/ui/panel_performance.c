/* Times by stage, and the techniques used for labels. */
#include <stdio.h>

#include <shadewood/technique.h>

#include "ui/panel.h"

#define PLOT_HEIGHT 26.0f /* points */

/* `stage` NULL: all stages together; `asked` is SHW_TECHNIQUE_CUSTOM if they have different techniques. */
static void technique_of(struct view_panel_context *context, const char *stage, const char *label,
                         enum shw_technique asked)
{
    const char *names[SHW_TECHNIQUE_COMPUTE + 2];
    uint32_t chosen, choices = SHW_TECHNIQUE_COMPUTE + 1;
    bool mixture = asked == SHW_TECHNIQUE_CUSTOM;

    for (uint32_t t = 0; t < choices; t++)
        names[t] = shw_technique_name((enum shw_technique)t);
    names[choices] = "a mixture";
    chosen = mixture ? choices : (uint32_t)asked;
    view_ui_next_width(-80.0f);
    if (view_ui_combo(label, &chosen, names, choices + mixture) && chosen < choices)
        view_panel_run(context, "technique %s%s%s", stage != NULL ? stage : "", stage != NULL ? " " : "",
                       names[chosen]);
    view_panel_tip(context, "cpu: on threads in the background; the others: in the frames", NULL);
}

static void techniques(struct view_panel_context *context, const struct view_labelling *labelling)
{
    const enum shw_technique *asked = labelling->techniques;
    enum shw_technique used[SHW_STAGE_COUNT];
    bool same = asked[0] == asked[1] && asked[1] == asked[2];

    technique_of(context, NULL, "all stages", same ? asked[0] : SHW_TECHNIQUE_CUSTOM);
    for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++) {
        const char *name = shw_stage_name((enum shw_stage)s);
        technique_of(context, name, name, asked[s]);
    }
    view_labelling_techniques(labelling, used);
    view_ui_dim_text("in use: %s, %s, %s, %s", shw_technique_name(used[0]), shw_technique_name(used[1]),
                     shw_technique_name(used[2]),
                     view_labelling_is_async(labelling) ? "in the background" : "in the frames");
    view_panel_slider(
        context, "budget", 80.0f, (int)(labelling->budget + 0.5), 0, 100, 100, "%d ms", "budget",
        "time per frame for labels; the rest is done in the next frames; 0: complete labels in every frame");
}

static void plots(const struct view_times *times)
{
    char label[96];

    for (uint32_t kind = 0; kind < VIEW_TIME_COUNT; kind++) {
        const struct view_ring *ring = &times->rings[kind];
        uint32_t kept = view_ring_kept(ring);
        double high = view_ring_percentile(ring, 99);
        if (kept == 0)
            continue;
        snprintf(label, sizeof label, "##%s", view_time_names[kind]);
        view_ui_text("%s", view_time_names[kind]);
        view_ui_same_line(70.0f);
        view_ui_next_width(view_ui_width());
        view_ui_plot(label, ring->values, kept, ring->count > kept ? (uint32_t)(ring->count % VIEW_TIMES_KEPT) : 0,
                     0.0f, high > 0.0 ? (float)(1.2 * high) : 1.0f, PLOT_HEIGHT);
        view_ui_tooltip("%s: last %.2f ms; percentiles: 5 %% %.2f, median %.2f, 95 %% %.2f, 99 %% %.2f ms",
                        view_time_names[kind], view_ring_last(ring), view_ring_percentile(ring, 5),
                        view_ring_percentile(ring, 50), view_ring_percentile(ring, 95), high);
    }
}

static void table(const struct view_times *times)
{
    static const char *const headers[] = {"ms", "median", "95 %", "99 %"};

    if (!view_ui_table_begin("times", 4, headers, 0.0f))
        return;
    for (uint32_t kind = 0; kind < VIEW_TIME_COUNT; kind++) {
        const struct view_ring *ring = &times->rings[kind];
        if (ring->count == 0)
            continue;
        view_ui_table_row();
        view_ui_table_cell();
        view_ui_text("%s", view_time_names[kind]);
        view_ui_table_cell();
        view_ui_text("%.2f", view_ring_percentile(ring, 50));
        view_ui_table_cell();
        view_ui_text("%.2f", view_ring_percentile(ring, 95));
        view_ui_table_cell();
        view_ui_text("%.2f", view_ring_percentile(ring, 99));
    }
    view_ui_table_end();
}

static void tell_watch(const struct view_watch *watch)
{
    view_ui_dim_text("longest between events: %.1f ms", 1e3 * watch->longest);
    view_ui_tooltip(
        "the longest time in which the window's thread did not look at the mouse and the keys; with waits for "
        "the display %.1f ms",
        1e3 * watch->longest_in_all);
    view_ui_dim_text("%llu times more than %.0f ms", (unsigned long long)watch->late, 1e3 * VIEW_WATCH_LATE);
}

void view_panel_performance(struct view_panel_context *context, void *user)
{
    const struct view_scene *scene = user;
    const struct view_times *times = &scene->labelling.params.frames->times;
    double median = view_ring_percentile(&times->rings[VIEW_TIME_FRAME], 50);

    techniques(context, &scene->labelling);
    view_ui_separator();
    if (median > 0.0)
        view_ui_text("%.0f frames per second", 1000.0 / median);
    plots(times);
    table(times);
    tell_watch(&scene->labelling.params.frames->watch);
    view_panel_button(context, "Reset", "forget", "reset the times", 0.0f, false);
}
