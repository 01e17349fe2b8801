/* Inspection: why the pixel under the cursor has its label, which channels the forest reads, and its texture. */
#include <stdio.h>

#include <shadewood/technique.h>

#include "inspect/inspect.h"
#include "label/classes.h"
#include "ui/panel.h"

#define BARS_MAX    6u
#define LINE_HEIGHT 19.0f /* points */
#define ROWS_MAX    8u    /* rows of a list without scrolling */

/* The likeliest classes, in descending order. Returns how many. */
static uint32_t likeliest(const struct shw_forest_info *info, const uint16_t *distribution, uint32_t shown[BARS_MAX])
{
    uint32_t count = 0;

    for (uint32_t c = 0; c < info->class_count; c++) {
        uint32_t place = count;
        while (place > 0 && distribution[c] > distribution[shown[place - 1]])
            place--;
        if (distribution[c] == 0 || place == BARS_MAX)
            continue;
        count += count < BARS_MAX;
        for (uint32_t i = count - 1; i > place; i--)
            shown[i] = shown[i - 1];
        shown[place] = c;
    }
    return count;
}

/* As many rows for every pixel, and without one, so that what is below stays where it is: all classes in their order if
 * they are few, otherwise the likeliest. */
void view_panel_probabilities(const struct view_scene *scene, const struct shw_forest_info *info,
                              const uint16_t *distribution)
{
    uint32_t shown[BARS_MAX], count = 0, rows = info->class_count < BARS_MAX ? info->class_count : BARS_MAX;
    char value[16] = "";

    if (info->class_count <= BARS_MAX)
        for (; count < rows; count++)
            shown[count] = count;
    else if (distribution != NULL)
        count = likeliest(info, distribution, shown);
    for (uint32_t i = 0; i < count; i++) {
        const struct shw_class *class = &info->classes[shown[i]];
        const uint32_t probability = distribution != NULL ? distribution[shown[i]] : 0;
        uint8_t colour[3];
        view_shown_colour(scene->colour_blind, class->colour, colour);
        if (distribution != NULL)
            snprintf(value, sizeof value, "%.1f %%", 100.0 * probability / 65535);
        view_ui_bar(class->name, (float)probability / 65535.0f, colour, value);
    }
    for (uint32_t i = count; i < rows; i++)
        view_ui_text(" ");
}

static void begin_list(const char *label, uint32_t rows)
{
    view_ui_list_begin(label, (float)(rows < ROWS_MAX ? rows : ROWS_MAX) * LINE_HEIGHT + 17.0f);
}

static void trees(struct view_panel_context *context, const struct view_inspect *inspect,
                  const struct shw_forest_info *info)
{
    const struct shw_explanation *explanation = inspect->explanation;
    char label[160];

    if (explanation->argmax == SHW_LABEL_VOID) {
        view_ui_wrapped_text("Void: the forest divides by the depth, and there is none at this pixel.");
        return;
    }
    begin_list("trees", explanation->tree_count);
    for (uint32_t t = 0; t < explanation->tree_count; t++) {
        const uint16_t *distribution = explanation->trees[t].distribution;
        uint32_t best = view_likeliest(distribution, info->class_count);
        snprintf(label, sizeof label, "Tree %u: %s, %.0f %%", t, info->classes[best].name,
                 100.0 * distribution[best] / 65535);
        if (view_ui_row(label, &explanation->trees[t] == view_inspect_tree(inspect)))
            view_panel_run(context, "tree %u", t);
        view_ui_tooltip("leaf %u, after %u tests; J: next tree", explanation->trees[t].leaf,
                        explanation->trees[t].test_count);
    }
    view_ui_list_end();
}

static void tell_test(const struct shw_explained_test *test, const struct shw_channel_list *set)
{
    char low[16] = "", high[16] = "", regions[SHW_FEATURE_REGIONS_MAX * 96] = "";
    size_t length = 0;

    if (test->split.t0 > INT32_MIN)
        snprintf(low, sizeof low, "%d <= ", test->split.t0);
    if (test->split.t1 < INT32_MAX)
        snprintf(high, sizeof high, " < %d", test->split.t1);
    for (uint32_t i = 0; i < test->region_count && length < sizeof regions; i++) {
        const struct shw_explained_region *region = &test->regions[i];
        struct shw_image_rectangle rect = region->rectangle;
        length +=
            (size_t)snprintf(regions + length, sizeof regions - length, "\n%s: %s over %u..%u, %u..%u is %d",
                             region->region.subtracted ? "blue" : "orange", set->channels[region->region.channel].name,
                             rect.x0, rect.x1 - 1, rect.y0, rect.y1 - 1, region->value);
    }
    view_ui_tooltip("node %u: right if %sit%s%s", test->node, low, high, regions);
}

static void name_test(const struct shw_explained_test *test, const struct shw_channel_list *set, uint32_t number,
                      char *label, size_t size)
{
    char response[16] = "undefined";
    size_t length = (size_t)snprintf(label, size, "%u: ", number);

    if (!test->undefined)
        snprintf(response, sizeof response, "%d", test->response);
    for (uint32_t r = 0; r < test->region_count && length < size; r++) {
        const struct shw_feature_region *region = &test->regions[r].region;
        length += (size_t)snprintf(label + length, size - length, "%s%s",
                                   region->subtracted ? " - "
                                   : r > 0            ? " + "
                                                      : "",
                                   set->channels[region->channel].name);
    }
    if (length < size)
        snprintf(label + length, size - length, " = %s, %s", response, test->right ? "right" : "left");
}

/* One row per test; choosing the chosen one again draws all of them. */
static void path(struct view_panel_context *context, uint32_t chosen_test, const struct shw_explained_tree *tree,
                 const struct shw_channel_list *set)
{
    char label[160];

    begin_list("tests", ROWS_MAX);
    for (uint32_t i = 0; i < tree->test_count; i++) {
        const struct shw_explained_test *test = &tree->tests[i];
        bool chosen = chosen_test == i;
        name_test(test, set, i, label, sizeof label);
        if (view_ui_row(label, chosen)) {
            if (chosen)
                view_panel_run(context, "test all");
            else
                view_panel_run(context, "test %u", i);
        }
        tell_test(test, set);
    }
    view_ui_list_end();
}

/* As high while it is being computed, so that what is below stays where it is. */
static void smoothed(const struct view_inside *inside, const struct shw_forest_info *info)
{
    const struct view_smoothed *smoothed = &inside->inspect.smoothed;
    const uint32_t raw = inside->inspect.explanation->argmax;
    char text[160];

    if (smoothed->distribution == NULL && !view_smoothed_is_running(smoothed))
        return;
    snprintf(text, sizeof text, "Smoothed, radius %u", smoothed->smoothing.radius);
    view_ui_heading(text);
    if (smoothed->distribution == NULL) {
        for (uint32_t i = 0; i < (info->class_count < BARS_MAX ? info->class_count : BARS_MAX) + 1; i++)
            view_ui_text(" ");
        return;
    }
    view_panel_probabilities(inside->scene, info, smoothed->distribution);
    snprintf(text, sizeof text, smoothed->argmax == raw ? "without, too: %s" : "without: %s", info->classes[raw].name);
    view_ui_name(text, NULL);
}

static void explanation(struct view_panel_context *context, const struct view_inside *inside)
{
    const struct view_inspect *inspect = &inside->inspect;
    const struct shw_explained_tree *tree = view_inspect_tree(inspect);
    const struct shw_forest_info *info = tree != NULL ? shw_forest_get_info(inspect->forest->forest) : NULL;
    uint16_t samples[3] = {0};

    if (!inspect->pointed || inside->scene->picture == NULL) {
        view_ui_dim_text("No pixel is under the cursor.");
        return;
    }
    if (view_inspect_samples(&inside->scene->picture->image, inspect->x, inspect->y, samples) == 1)
        view_ui_text("Pixel %u, %u: %u", inspect->x, inspect->y, samples[0]);
    else
        view_ui_text("Pixel %u, %u: %u, %u, %u", inspect->x, inspect->y, samples[0], samples[1], samples[2]);
    if (tree == NULL) {
        view_ui_dim_text("There is no forest.");
        return;
    }
    view_ui_heading("All trees");
    view_panel_probabilities(inside->scene, info, inspect->explanation->distribution);
    smoothed(inside, info);
    view_ui_heading("Trees");
    trees(context, inspect, info);
    view_panel_probabilities(inside->scene, info, tree->distribution);
    view_ui_heading("Tests on the path");
    path(context, inspect->test, tree, info->channel_list);
}

static void channels(struct view_panel_context *context, const struct view_inside *inside)
{
    const struct shw_channel_list *set = view_channels_list(inside->scene);
    const char *names[SHW_CHANNELS_MAX];
    uint32_t chosen = inside->channels.chosen;
    const enum view_overlay_plane plane = view_overlay_kinds[inside->scene->settings.mode].plane;
    enum view_levels levels = inside->channels.levels;
    const struct view_panel_item limits[] = {
        {"Picture's levels", "levels auto", "black and white are the extremes in this picture",
         levels == VIEW_LEVELS_AUTO, false},
        {"All levels", "levels full", "black and white are the possible extremes", levels == VIEW_LEVELS_FULL, false}};

    view_ui_heading("Channels");
    for (uint32_t c = 0; c < set->channel_count; c++)
        names[c] = set->channels[c].name;
    view_ui_next_width(view_ui_width());
    if (view_ui_combo("##channel", &chosen, names, set->channel_count))
        view_panel_run(context, "channel %u", chosen);
    view_panel_tip(context, "a channel that the forest's tests read; keys ' and ;", NULL);
    view_panel_overlays(context, inside->scene, VIEW_ON_INSPECT_PANEL);
    view_panel_buttons(context, limits, 2);
    if (inside->channels.planes[VIEW_OVERVIEW].filled && (plane == VIEW_CHANNEL_PLANE || plane == VIEW_INTEGRAL_PLANE))
        view_ui_dim_text("from %lld to %lld", (long long)inside->channels.low, (long long)inside->channels.high);
}

static void texture(struct view_panel_context *context, const struct view_inside *inside)
{
    const struct view_texture *texture = &inside->texture;
    bool on = inside->scene->instead.on;
    char text[512];

    view_ui_heading("Forest texture");
    view_panel_button(context, on ? "Back to the picture" : "Show the texture", "texture toggle",
                      "the forest as the device reads it, one pixel per texel", view_ui_width(), on);
    if (!on)
        return;
    if (texture->picture == NULL) {
        view_ui_dim_text("There is no forest.");
    } else if (texture->pointed) {
        view_texture_tell(texture->forest->forest, texture->x, texture->y, text, sizeof text);
        view_ui_wrapped_text("%u, %u: %s", texture->x, texture->y, text);
    } else {
        view_ui_dim_text("No texel is under the cursor.");
    }
}

void view_panel_inspect(struct view_panel_context *context, void *user)
{
    const struct view_inside *inside = user;
    bool pinned = inside->inspect.pinned;

    view_panel_toggle(context, "Explain pixels", inside->inspect.on, "inspect",
                      "explain why the pixel under the cursor has its label");
    view_ui_same_line(0.0f);
    if (view_ui_toggle("Stay", &pinned))
        view_panel_run(context, "inspect stay");
    view_panel_tip(context, "keep this pixel", "inspect stay");
    if (inside->inspect.on && !inside->scene->instead.on)
        explanation(context, inside);
    channels(context, inside);
    texture(context, inside);
}

/* Times by stage, and the techniques used for labels. */

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

/* In four characters, as long as it is less than a second. */
static void show_time(double ms)
{
    view_ui_table_cell();
    view_ui_text("%.*f", ms < 10.0 ? 2 : ms < 100.0 ? 1 : 0, ms);
}

static void table(const struct view_times *times)
{
    static const uint32_t percentiles[] = {50, 95, 99};
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
        for (int p = 0; p < 3; p++)
            show_time(view_ring_percentile(ring, percentiles[p]));
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
