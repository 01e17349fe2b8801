/* Settings of the overlay and of the view. */
#include "ui/panel.h"

#define GAP 6.0f /* points between two items on a line */

static void modes(struct view_panel_context *context, const struct view_scene *scene)
{
    const struct view_picture *picture = scene->picture;
    bool labels = scene->forest != NULL, truth = picture != NULL && picture->labels != NULL;
    const struct {
        uint32_t mode;
        const char *label, *line, *help;
        bool possible;
    } choices[] = {
        {VIEW_MODE_NONE, "Picture", "overlay none", "the picture alone", true},
        {VIEW_MODE_ARGMAX, "Classes", "overlay argmax", "the most likely class of each pixel", labels},
        {VIEW_MODE_HEAT, "Heat", "overlay heat", "the probability of the chosen class", labels},
        {VIEW_MODE_BLEND, "Blend", "overlay blend", "all classes' colours, by probability", labels},
        {VIEW_MODE_ENTROPY, "Entropy", "overlay entropy", "how uncertain each pixel is", labels},
        {VIEW_MODE_TRUTH, "Truth", "overlay truth", "ground truth that came with the picture", truth},
        {VIEW_MODE_ERRORS, "Errors", "overlay errors", "where the most likely class is wrong", labels && truth},
        {VIEW_MODE_DEPTH, "Depth", "overlay depth", "depth that came with the picture",
         picture != NULL && view_picture_depth(picture) != NULL}};
    const float width = (view_ui_width() - 3 * GAP) / 4.0f;

    for (uint32_t m = 0; m < sizeof choices / sizeof *choices; m++) {
        if (m % 4 != 0)
            view_ui_same_line(0.0f);
        view_ui_disabled_begin(!choices[m].possible);
        view_panel_button(context, choices[m].label, choices[m].line, choices[m].help, width,
                          scene->settings.mode == choices[m].mode);
        view_ui_disabled_end();
    }
}

/* The meaning of the colours of probabilities. */
static void scale_of_colours(const struct view_scene *scene)
{
    static const uint8_t heat[][3] = {{0, 0, 0}, {255, 0, 0}, {255, 255, 0}, {255, 255, 255}};
    const struct view_classes classes = view_scene_classes(scene);
    uint32_t chosen = scene->settings.chosen;

    if (scene->settings.mode == VIEW_MODE_ENTROPY)
        view_ui_ramp(&heat[0], 4, "certain", "uncertain");
    if (scene->settings.mode != VIEW_MODE_HEAT)
        return;
    view_ui_ramp(&heat[0], 4, "0 %", "100 %");
    if (classes.list != NULL && chosen < classes.count)
        view_ui_dim_text("of %s", classes.list[chosen].name);
}

static void zoom(struct view_panel_context *context, bool fitted)
{
    const float width = (view_ui_width() - 3 * GAP) / 4.0f;

    view_panel_button(context, "Fit", "zoom fit", "fit the picture into the window", width, fitted);
    view_ui_same_line(0.0f);
    view_panel_button(context, "1 : 1", "zoom 1", "pixel for pixel", width, false);
    view_ui_same_line(0.0f);
    view_panel_button(context, "-", "zoom out", "zoom out", width, false);
    view_ui_same_line(0.0f);
    view_panel_button(context, "+", "zoom in", "zoom in", width, false);
}

void view_panel_overlay(struct view_panel_context *context, void *user)
{
    const struct view_scene *scene = user;

    modes(context, scene);
    scale_of_colours(scene);
    view_panel_slider(context, "Opacity", 70.0f, (int)scene->settings.opacity, 0, 100, "%d %%", "opacity",
                      "opacity of the overlay; keys [ and ]");
    view_panel_slider(context, "Wipe", 70.0f, (int)scene->settings.wipe, 0, 100, "%d %%", "wipe",
                      "part of the width that shows the picture without overlay; keys , and .");
    view_panel_toggle(context, "Contours", scene->settings.contours, "contours", "contour lines between classes");
    view_ui_same_line(0.0f);
    view_ui_dim_text("  zoom %.3g %%", 100.0 * scene->place.zoom / VIEW_ZOOM_ONE);
    zoom(context, scene->fitted);
}
