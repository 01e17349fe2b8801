/* The legend: colours of classes, their visibility, and their shares of the picture. */
#include "ui/panel.h"

#include <stdio.h>

#define ROWS_MAX 12u

static void row(struct view_panel_context *context, const struct view_scene *scene, uint32_t number, const char *name)
{
    const struct view_class_shares *shares = &scene->shares;
    bool known = scene->labelling.front.filled && shares->known > 0 && number < shares->classes,
         hidden = scene->hidden[number];
    char value[16] = "", help[512], line[32];
    uint8_t colour[3];

    view_scene_class_colour(scene, number, colour);
    if (known)
        snprintf(value, sizeof value, "%.1f %%", 100.0 * (double)shares->shares[number]);
    snprintf(line, sizeof line, "class #%u", number);
    view_ui_push_id(number);
    if (view_ui_swatch("##visible", colour, !hidden))
        view_panel_run(context, "visible #%u %s", number, hidden ? "on" : "off");
    view_ui_tooltip("%s the colour of this class", hidden ? "show" : "hide");
    view_ui_same_line(0.0f);
    if (view_ui_bar_row(name, scene->settings.chosen == number, known ? shares->shares[number] : -1.0f, colour,
                        value)) {
        if (view_ui_double_clicked())
            view_panel_run(context, "visible #%u alone", number);
        else
            view_panel_run(context, "%s", line);
    }
    snprintf(help, sizeof help, "%s\nchoose it for the overlay Heat and the brush; double-click: show only its colour",
             name);
    view_panel_tip(context, help, line);
    view_ui_pop_id();
}

void view_panel_classes(struct view_panel_context *context, void *user)
{
    const struct view_scene *scene = user;
    const struct view_classes classes = view_scene_classes(scene);
    uint32_t rows = scene->class_count < ROWS_MAX ? scene->class_count : ROWS_MAX;
    const float width = (view_ui_width() - 6.0f) / 2.0f;

    if (scene->class_count == 0) {
        view_ui_wrapped_text("No classes yet: open a forest (.ktx2), or train one.");
        return;
    }
    view_panel_button(context, "Show all", "visible all on", "show the colours of all classes", width, false);
    view_ui_same_line(0.0f);
    view_panel_button(context, "Hide all", "visible all off", "hide the colours of all classes", width, false);
    view_panel_toggle(context, "For colour-blind people", scene->colour_blind, "colour-blind",
                      "show other default colours; classes keep theirs, and chosen colours are shown as they are");
    view_ui_list_begin("##classes", 26.0f * (float)rows + 10.0f);
    for (uint32_t c = 0; c < scene->class_count; c++) {
        char name[32];
        snprintf(name, sizeof name, "class %u", c);
        row(context, scene, c, classes.list != NULL && c < classes.count ? classes.list[c].name : name);
    }
    view_ui_list_end();
}
