/* The panel Classes: the legend, and the classes of a project, to be named, coloured and locked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "teach/accuracy.h"
#include "teach/teaching.h"
#include "ui/panel.h"

/* The chosen class's name and colour, and whether it is locked. */
static void show_chosen(struct view_panel_context *context, struct view_teaching *teaching)
{
    const uint32_t chosen = teaching->scene->settings.chosen;
    const float gap = 6.0f, after = view_ui_icon_width("Lock") + view_ui_icon_width("Delete") + 2.0f * gap;
    char line[48], hint[128];
    uint8_t colour[3];
    bool locked;

    if (chosen >= teaching->class_count)
        return;
    locked = shw_project_get_class(teaching->project.data, chosen)->locked;
    view_scene_class_colour(teaching->scene, chosen, colour);
    if (view_ui_colour("##colour", colour))
        view_panel_run(context, "colour #%u #%02x%02x%02x", chosen, colour[0], colour[1], colour[2]);
    view_panel_tip(context, "the chosen class's colour", NULL);
    view_ui_same_line(0.0f);
    snprintf(hint, sizeof hint, "rename %s", teaching->classes[chosen].name);
    view_ui_next_width(-after);
    if (view_ui_text_field("##rename", teaching->fields.rename, sizeof teaching->fields.rename, hint, false) &&
        teaching->fields.rename[0] != '\0') {
        view_panel_run(context, "rename-class #%u %s", chosen, teaching->fields.rename);
        teaching->fields.rename[0] = '\0';
    }
    view_ui_same_line(0.0f);
    snprintf(line, sizeof line, "lock #%u toggle", chosen);
    if (view_ui_icon(VIEW_ICON_LOCK, "Lock", locked, true, "protect the chosen class from being painted over"))
        view_panel_run(context, "%s", line);
    view_ui_same_line(0.0f);
    if (view_ui_icon(VIEW_ICON_DELETE, "Delete", false, true,
                     "delete the chosen class with everything painted of it; can be undone"))
        view_panel_run(context, "delete-class #%u", chosen);
}

/* The name of a new class. Without a project, the first one begins a project. */
static void show_field(struct view_panel_context *context, struct view_teaching *teaching)
{
    view_ui_next_width(-1.0f);
    teaching->scene->redraw = teaching->scene->redraw || teaching->fields.more;
    view_ui_focus(&teaching->fields.more);
    if (!view_ui_text_field("##class", teaching->fields.add, sizeof teaching->fields.add, "name of a new class",
                            false) ||
        teaching->fields.add[0] == '\0')
        return;
    if (teaching->project.data == NULL)
        view_panel_run(context, "project new");
    view_panel_run(context, "add-class %s", teaching->fields.add);
    teaching->fields.add[0] = '\0';
    teaching->fields.more = true; /* classes are often added one after the other */
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
    if (view_scene_shares_are_final(scene))
        view_ui_row_value(share);
    else
        view_ui_row_dim_value(share);
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
    static const char *const widest[] = {NULL, "100.0 %", "100 % of 99"};
    const char *const titles[] = {"", view_scene_shares_are_final(legend->teaching->scene) ? "share" : "so far",
                                  "accuracy"};
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

/* How to begin, as long as there is nothing to choose from. */
static void invite(struct view_panel_context *context, struct view_teaching *teaching)
{
    if (teaching->project.data == NULL)
        view_ui_dim_text("Name two classes and paint a stroke of each: labels follow. Or open a forest.");
    else
        view_ui_dim_text("Name two classes, then paint a stroke of each.");
    show_field(context, teaching);
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
        invite(context, teaching);
        return;
    }
    legend.numbers = malloc(count * sizeof *legend.numbers);
    if (teaching->project.data != NULL) {
        legend.of_project = true;
        if (view_painting_prepare(&teaching->painting))
            legend.pixels = view_painting_count_labels(&teaching->painting);
        legend.judged = view_teaching_accuracy(teaching);
        show_field(context, teaching);
        show_chosen(context, teaching);
    }
    view_panel_buttons(context, items, 2);
    if (legend.numbers != NULL)
        show_rows(&legend);
    free(legend.numbers);
}
