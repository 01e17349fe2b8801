/* What lies over the picture, and how the picture is looked at. */
#include "ui/panels.h"

static void modes(struct view_app *app)
{
    static const struct {
        const char *label, *line, *help;
    } choices[] = {{"Picture", "overlay none", "the picture alone"},
                   {"Classes", "overlay argmax", "the likeliest class of each pixel"},
                   {"Heat", "overlay heat", "the probability of one class"},
                   {"Blend", "overlay blend", "all classes' colours, by probability"},
                   {"Entropy", "overlay entropy", "how uncertain each pixel is"},
                   {"Truth", "overlay truth", "ground truth that came with the picture"},
                   {"Errors", "overlay errors", "where the likeliest class is not the truth"}};
    const float width = (view_ui_width() - 3 * 6.0f) / 4.0f;

    for (uint32_t m = 0; m < sizeof choices / sizeof *choices; m++) {
        if (m % 4 != 0)
            view_ui_same_line(0.0f);
        view_panel_button(app, choices[m].label, choices[m].line, choices[m].help, width, app->settings.mode == m);
    }
}

void view_panel_overlay(struct view_app *app)
{
    int opacity = (int)app->settings.opacity, wipe = (int)app->settings.wipe;
    bool contours = app->settings.contours;

    modes(app);
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
}
