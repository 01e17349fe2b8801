/* Settings of the overlay and of the view. */
#include "ui/panel.h"

static void modes(struct view_panel_context *context, const struct view_scene *scene)
{
    const struct view_picture *picture = scene->picture;
    bool labels = scene->forest != NULL, truth = picture != NULL && picture->labels != NULL;
    const uint32_t mode = scene->settings.mode;
    const struct view_panel_item items[] = {
        {"Picture", "overlay none", "the picture alone", mode == VIEW_MODE_NONE, false},
        {"Classes", "overlay argmax", "the most likely class of each pixel", mode == VIEW_MODE_ARGMAX, !labels},
        {"Heat", "overlay heat", "the probability of the chosen class", mode == VIEW_MODE_HEAT, !labels},
        {"Blend", "overlay blend", "all classes' colours, by probability", mode == VIEW_MODE_BLEND, !labels},
        {"Entropy", "overlay entropy", "how uncertain each pixel is", mode == VIEW_MODE_ENTROPY, !labels},
        {"Truth", "overlay truth", "ground truth that came with the picture", mode == VIEW_MODE_TRUTH, !truth},
        {"Errors", "overlay errors", "where the most likely class is wrong", mode == VIEW_MODE_ERRORS,
         !labels || !truth},
        {"Depth", "overlay depth", "depth that came with the picture", mode == VIEW_MODE_DEPTH,
         picture == NULL || view_picture_depth(picture) == NULL}};

    view_panel_buttons(context, items, sizeof items / sizeof *items);
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
    const struct view_panel_item items[] = {{"Fit", "zoom fit", "fit the picture into the window", fitted, false},
                                            {"1 : 1", "zoom 1", "pixel for pixel", false, false},
                                            {"-", "zoom out", "zoom out", false, false},
                                            {"+", "zoom in", "zoom in", false, false}};

    view_panel_buttons(context, items, sizeof items / sizeof *items);
}

void view_panel_overlay(struct view_panel_context *context, void *user)
{
    const struct view_scene *scene = user;
    const double percent = 100.0 * scene->place.zoom / VIEW_ZOOM_ONE;

    modes(context, scene);
    scale_of_colours(scene);
    view_panel_slider(context, "Opacity", 70.0f, (int)scene->settings.opacity, 0, 100, 100, "%d %%", "opacity",
                      "opacity of the overlay; keys [ and ]");
    view_panel_slider(context, "Wipe", 70.0f, (int)scene->settings.wipe, 0, 100, 100, "%d %%", "wipe",
                      "part of the width that shows the picture without overlay; keys , and .");
    view_panel_toggle(context, "Contours", scene->settings.contours, "contours", "contour lines between classes");
    view_panel_toggle(context, "For colour-blind people", scene->colour_blind, "colour-blind",
                      "show other default colours; classes keep theirs, and chosen colours are shown as they are");
    view_ui_dim_text(percent < 100.0 ? "zoom %.3g %%" : "zoom %.0f %%", percent);
    zoom(context, scene->fitted);
}
