/* What lies over the picture, and how the picture is looked at. */
#include "ui/panels.h"

#define GAP 6.0f /* points between two things in a line */

static void modes(struct view_app *app)
{
    const struct view_picture *picture = app->picture;
    bool labels = app->forest != NULL, truth = picture != NULL && picture->labels != NULL;
    const struct {
        uint32_t mode;
        const char *label, *line, *help;
        bool possible;
    } choices[] = {
        {VIEW_MODE_NONE, "Picture", "overlay none", "the picture alone", true},
        {VIEW_MODE_ARGMAX, "Classes", "overlay argmax", "the likeliest class of each pixel", labels},
        {VIEW_MODE_HEAT, "Heat", "overlay heat", "the probability of the chosen class", labels},
        {VIEW_MODE_BLEND, "Blend", "overlay blend", "all classes' colours, by probability", labels},
        {VIEW_MODE_ENTROPY, "Entropy", "overlay entropy", "how uncertain each pixel is", labels},
        {VIEW_MODE_TRUTH, "Truth", "overlay truth", "ground truth that came with the picture", truth},
        {VIEW_MODE_ERRORS, "Errors", "overlay errors", "where the likeliest class is not the truth", labels && truth},
        {VIEW_MODE_DEPTH, "Depth", "overlay depth", "depth that came with the picture",
         picture != NULL && picture->depth_mm != NULL}};
    const float width = (view_ui_width() - 3 * GAP) / 4.0f;

    for (uint32_t m = 0; m < sizeof choices / sizeof *choices; m++) {
        if (m % 4 != 0)
            view_ui_same_line(0.0f);
        view_ui_disabled_begin(!choices[m].possible);
        view_panel_button(app, choices[m].label, choices[m].line, choices[m].help, width,
                          app->settings.mode == choices[m].mode);
        view_ui_disabled_end();
    }
}

/* What the colours of probabilities stand for. */
static void scale_of_colours(const struct view_app *app)
{
    static const uint8_t heat[][3] = {{0, 0, 0}, {255, 0, 0}, {255, 255, 0}, {255, 255, 255}};
    const struct shw_class *classes;
    uint32_t count, chosen = app->settings.chosen;

    if (app->settings.mode == VIEW_MODE_ENTROPY)
        view_ui_ramp(&heat[0], 4, "certain", "uncertain");
    if (app->settings.mode != VIEW_MODE_HEAT)
        return;
    view_ui_ramp(&heat[0], 4, "0 %", "100 %");
    count = view_app_classes(app, &classes);
    if (classes != NULL && chosen < count)
        view_ui_dim_text("of %s", classes[chosen].name);
}

static void zoom(struct view_app *app)
{
    const float width = (view_ui_width() - 3 * GAP) / 4.0f;

    view_panel_button(app, "Fit", "zoom fit", "as large as there is room", width, app->fitted);
    view_ui_same_line(0.0f);
    view_panel_button(app, "1 : 1", "zoom 1", "a pixel for a pixel", width, false);
    view_ui_same_line(0.0f);
    view_panel_button(app, "-", "zoom out", "half as large", width, false);
    view_ui_same_line(0.0f);
    view_panel_button(app, "+", "zoom in", "twice as large", width, false);
}

void view_panel_overlay(struct view_app *app)
{
    int opacity = (int)app->settings.opacity, wipe = (int)app->settings.wipe;
    bool contours = app->settings.contours;

    modes(app);
    scale_of_colours(app);
    view_ui_next_width(-70.0f);
    if (view_ui_int_slider("Opacity", &opacity, 0, 100, "%d %%"))
        view_panel_run(app, "opacity %d", opacity);
    view_panel_tip("how much the overlay hides of the picture; keys [ and ]", NULL);
    view_ui_next_width(-70.0f);
    if (view_ui_int_slider("Wipe", &wipe, 0, 100, "%d %%"))
        view_panel_run(app, "wipe %d", wipe);
    view_panel_tip("that much of the width shows the picture alone; keys , and .", NULL);
    if (view_ui_toggle("Contours", &contours))
        view_panel_run(app, "contours %s", contours ? "on" : "off");
    view_panel_tip("lines where classes meet", "contours toggle");
    view_ui_same_line(0.0f);
    view_ui_dim_text("  zoom %.3g %%", 100.0 * app->place.zoom / VIEW_ZOOM_ONE);
    zoom(app);
}
