/* Settings of the overlay and of the view. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "teach/accuracy.h"
#include "teach/teaching.h"
#include "ui/panel.h"

static bool can_be_shown(const struct view_scene *scene, const struct view_overlay_kind *kind)
{
    const struct view_picture *picture = scene->picture;

    return (kind->labels != VIEW_OWN_LABELS || scene->forest != NULL) &&
           ((kind->needs & VIEW_NEEDS_TRUTH) == 0 || (picture != NULL && picture->labels != NULL)) &&
           (kind->plane != VIEW_DEPTH_PLANE || (picture != NULL && view_picture_depth(picture) != NULL));
}

void view_panel_overlays(struct view_panel_context *context, const struct view_scene *scene,
                         enum view_overlay_panel panel)
{
    char lines[VIEW_MODE_COUNT][32];
    struct view_panel_item items[VIEW_MODE_COUNT];
    uint32_t count = 0;

    for (uint32_t mode = 0; mode < VIEW_MODE_COUNT; mode++) {
        const struct view_overlay_kind *kind = &view_overlay_kinds[mode];
        if (kind->panel != panel)
            continue;
        snprintf(lines[count], sizeof *lines, "overlay %s", kind->name);
        items[count] = (struct view_panel_item){kind->button, lines[count], kind->tip, scene->settings.mode == mode,
                                                !can_be_shown(scene, kind)};
        count++;
    }
    view_panel_buttons(context, items, count);
}

/* The meaning of the colours of probabilities. */
static void scale_of_colours(const struct view_scene *scene)
{
    static const uint8_t heat[][3] = {{0, 0, 0}, {255, 0, 0}, {255, 255, 0}, {255, 255, 255}};
    const struct view_classes classes = view_scene_classes(scene);
    const struct view_overlay_kind *kind = &view_overlay_kinds[scene->settings.mode];
    uint32_t chosen = scene->settings.chosen;

    if (kind->scale_begins != NULL)
        view_ui_ramp(&heat[0], 4, kind->scale_begins, kind->scale_ends);
    if ((kind->needs & VIEW_NEEDS_CLASS) != 0 && classes.list != NULL && chosen < classes.count)
        view_ui_dim_text("of %s", classes.list[chosen].name);
}

static void zoom(struct view_panel_context *context, bool fitted)
{
    const struct view_panel_item items[] = {{"Fit", "zoom fit", "fit the picture into the window", fitted, false},
                                            {"1 : 1", "zoom 1", "pixel for pixel", false, false},
                                            {"-", "zoom out", "zoom out", false, false},
                                            {"+", "zoom in", "zoom in", false, false}};

    view_panel_buttons(context, items, sizeof items / sizeof *items);
}

/* Its radius is also a project's. */
static void smoothing(struct view_panel_context *context, const struct view_scene *scene)
{
    view_ui_disabled_begin(scene->forest == NULL);
    view_panel_slider(context, "Smoothing", 90.0f, (int)view_scene_radius(scene), 0, 64, (int)SHW_SMOOTHING_RADIUS_MAX,
                      "%d pixels", "smoothing",
                      "radius of smoothing, 0: none; an open project keeps it, and forests trained on it do");
    view_ui_disabled_end();
}

void view_panel_overlay(struct view_panel_context *context, void *user)
{
    const struct view_scene *scene = user;
    const double percent = 100.0 * scene->place.zoom / VIEW_ZOOM_ONE;

    view_panel_overlays(context, scene, VIEW_ON_OVERLAY_PANEL);
    scale_of_colours(scene);
    view_panel_slider(context, "Opacity", 70.0f, (int)scene->settings.opacity, 0, 100, 100, "%d %%", "opacity",
                      "opacity of the overlay; keys [ and ]");
    view_panel_slider(context, "Wipe", 70.0f, (int)scene->settings.wipe, 0, 100, 100, "%d %%", "wipe",
                      "part of the width that shows the picture without overlay; keys , and .");
    view_panel_toggle(context, "Contours", scene->settings.contours, "contours", "contour lines between classes");
    view_ui_same_line(0.0f);
    view_panel_toggle(context, "Smooth", view_scene_radius(scene) > 0 && !scene->smoothing.off, "smoothing",
                      "smooth labels up to the edges in the picture, or show them as the forest says them");
    view_panel_toggle(context, "For colour-blind people", scene->colour_blind, "colour-blind",
                      "show other default colours; classes keep theirs, and chosen colours are shown as they are");
    smoothing(context, scene);
    view_panel_toggle(context, "Compare with labels not smoothed", scene->comparison.on, "compare-smoothing",
                      "left of the wipe's line, show the labels before smoothing");
    view_ui_dim_text(percent < 100.0 ? "zoom %.3g %%" : "zoom %.0f %%", percent);
    zoom(context, scene->fitted);
}

/* The legend: the classes with their colours, which can be hidden, their shares of the picture and, of a project, how
 * well they are learned. */

#define FILTER_FROM 12u   /* classes */
#define ROWS_LEAST  80.0f /* points */
#define UNDER_ROWS  18.0f
#define NAMES_LEAST 70.0f /* before the accuracy is left to the tooltip */

struct legend {
    struct view_panel_context *context;
    const struct view_teaching *teaching;
    bool of_project;                   /* there is one */
    const uint64_t *pixels;            /* painted, of each of the project's classes; NULL: not known yet */
    const struct shw_held_out *judged; /* NULL: not measured yet */
    bool accuracy;                     /* has a column */
    uint32_t *numbers;                 /* of the classes that are listed */
    uint32_t count;
};

static bool has_text(const char *name, const char *text)
{
    const size_t length = strlen(text);

    for (; *name != '\0'; name++)
        if (strncasecmp(name, text, length) == 0)
            return true;
    return length == 0;
}

/* What is known of a class of the project; "" for others. */
static void tell_taught(const struct legend *legend, uint32_t number, char accuracy[16], char help[512])
{
    const struct shw_held_out_class *judged =
        legend->judged != NULL && number < legend->judged->class_count ? &legend->judged->classes[number] : NULL;
    char text[VIEW_ACCURACY_TEXT] = "not measured yet", painted[24] = "...";

    accuracy[0] = help[0] = '\0';
    if (!legend->of_project || number >= legend->teaching->class_count)
        return;
    if (judged != NULL)
        view_accuracy_of_class(legend->judged, number, text);
    if (judged != NULL && judged->pixels > 0)
        snprintf(accuracy, 16, "%.0f %% of %u", 100.0 * (double)judged->right / (double)judged->pixels,
                 judged->strokes);
    else if (judged != NULL && judged->painted_strokes == 1)
        snprintf(accuracy, 16, "1 stroke");
    if (legend->pixels != NULL)
        snprintf(painted, sizeof painted, "%llu", (unsigned long long)legend->pixels[number]);
    snprintf(help, 512, "\n%s pixels painted%s\naccuracy: %s", painted,
             shw_project_get_class(legend->teaching->project.data, number)->locked ? ", locked" : "", text);
}

static void choose(struct view_panel_context *context, uint32_t number)
{
    if (view_ui_double_clicked())
        view_panel_run(context, "visible #%u alone", number);
    else
        view_panel_run(context, "class #%u", number);
}

static void show_row(void *user, uint32_t row)
{
    const struct legend *legend = user;
    const struct view_scene *scene = legend->teaching->scene;
    const struct view_class_shares *shares = &scene->shares;
    const uint32_t number = legend->numbers[row];
    const bool known = view_labelling_has_labels(&scene->labelling) && shares->known > 0 && number < shares->classes,
               hidden = scene->hidden[number];
    char buffer[32], share[16] = "", accuracy[16], taught[512], help[1024];
    const char *name = view_scene_class_name(scene, number, buffer);
    uint8_t colour[3];

    view_scene_class_colour(scene, number, colour);
    if (known)
        snprintf(share, sizeof share, "%.1f %%", 100.0 * (double)shares->shares[number]);
    tell_taught(legend, number, accuracy, taught);
    snprintf(help, sizeof help,
             "%s\nchoose it for the brush and the overlay Heat; double-click: show only its colour%s", name, taught);
    switch (view_ui_named_row(name, scene->settings.chosen == number, !hidden, colour,
                              known ? shares->shares[number] : -1.0f,
                              hidden ? "show the colour of this class" : "hide the colour of this class", help)) {
    case VIEW_UI_SWATCH_CLICKED:
        view_panel_run(legend->context, "visible #%u %s", number, hidden ? "on" : "off");
        break;
    case VIEW_UI_ROW_CLICKED: choose(legend->context, number); break;
    case VIEW_UI_NOT_CLICKED: break;
    }
    view_ui_row_value(share);
    if (legend->accuracy)
        view_ui_row_value(accuracy);
}

/* The row of the chosen class, while it has to be scrolled into view. */
static uint32_t row_to_show(const struct legend *legend)
{
    struct view_legend *shown = &legend->context->legend;
    struct view_scene *scene = legend->teaching->scene;

    if (shown->chosen != scene->settings.chosen)
        shown->scroll = VIEW_LEGEND_SCROLL;
    shown->chosen = scene->settings.chosen;
    if (shown->scroll == 0)
        return UINT32_MAX;
    shown->scroll--;
    scene->redraw = true;
    for (uint32_t i = 0; i < legend->count; i++)
        if (legend->numbers[i] == shown->chosen)
            return i;
    return UINT32_MAX;
}

/* Whether it was left with Enter. */
static bool show_filter(const struct legend *legend)
{
    struct view_legend *shown = &legend->context->legend;
    bool entered;

    if (view_scene_class_total(legend->teaching->scene) <= FILTER_FROM && shown->filter[0] == '\0' && !shown->focus &&
        !shown->typing)
        return false;
    legend->teaching->scene->redraw = legend->teaching->scene->redraw || shown->focus;
    view_ui_focus(&shown->focus);
    view_ui_next_width(-1.0f);
    if (view_ui_text_field("##class-filter", shown->filter, sizeof shown->filter, "part of a name; Enter chooses",
                           true))
        shown->chosen = UINT32_MAX;
    entered = view_ui_entered();
    shown->typing = view_ui_has_focus();
    view_panel_tip(legend->context, "list only classes with this in their names", "find-class");
    return entered;
}

static void find_listed(struct legend *legend)
{
    const struct view_scene *scene = legend->teaching->scene;
    const char *filter = legend->context->legend.filter;
    char buffer[32];

    for (uint32_t c = 0; c < view_scene_class_total(scene); c++)
        if (has_text(view_scene_class_name(scene, c, buffer), filter))
            legend->numbers[legend->count++] = c;
}

/* Enter chooses the first class that is listed. */
static void choose_found(struct legend *legend)
{
    struct view_legend *shown = &legend->context->legend;

    if (shown->filter[0] == '\0' || legend->count == 0)
        return;
    view_panel_run(legend->context, "class #%u", legend->numbers[0]);
    shown->filter[0] = '\0';
    shown->chosen = UINT32_MAX;
    legend->teaching->scene->redraw = true;
}

/* Beside the swatch, a name and the share. */
static bool has_room_for_accuracy(void)
{
    const float swatch_and_gaps = 54.0f;

    return view_ui_width() >=
           NAMES_LEAST + swatch_and_gaps + view_ui_text_width("100.0 %") + view_ui_text_width("100 % of 99");
}

static void show_rows(struct legend *legend)
{
    static const char *const titles[] = {"", "share", "accuracy"}, *const widest[] = {NULL, "100.0 %", "100 % of 99"};
    struct view_ui_rows rows = {
        .label = "##classes", .titles = titles, .widest = widest, .row = show_row, .user = legend};
    bool entered;

    legend->accuracy = legend->of_project && has_room_for_accuracy();
    rows.columns = legend->accuracy ? 3 : 2;
    entered = show_filter(legend);
    find_listed(legend);
    if (entered)
        choose_found(legend);
    rows.height = legend->context->room - view_ui_height_used() - UNDER_ROWS;
    rows.height = rows.height > ROWS_LEAST ? rows.height : ROWS_LEAST;
    rows.count = legend->count;
    rows.show = row_to_show(legend);
    view_ui_rows(&rows);
}

void view_panel_classes(struct view_panel_context *context, void *user)
{
    struct view_teaching *teaching = user;
    const uint32_t count = view_scene_class_total(teaching->scene);
    struct legend legend = {.context = context, .teaching = teaching};
    const struct view_panel_item items[] = {
        {"Show all", "visible all on", "show the colours of all classes", false, false},
        {"Hide all", "visible all off", "hide the colours of all classes", false, false}};

    if (count == 0) {
        view_ui_wrapped_text("No classes yet: open a forest (.ktx2), or train one.");
        return;
    }
    legend.numbers = malloc(count * sizeof *legend.numbers);
    if (teaching->project.data != NULL) {
        legend.of_project = true;
        if (view_painting_prepare(&teaching->painting))
            legend.pixels = view_painting_count_labels(&teaching->painting);
        legend.judged = view_teaching_accuracy(teaching);
    }
    view_panel_buttons(context, items, 2);
    if (legend.numbers != NULL)
        show_rows(&legend);
    free(legend.numbers);
}
