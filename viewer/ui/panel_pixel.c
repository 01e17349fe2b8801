/* What is known of the pixel under the mouse. */
#include <stdio.h>

#include "inspect/inspect.h"
#include "inspect/under.h"
#include "ui/bars.h"
#include "ui/panel.h"

void view_panel_pixel(struct view_panel_context *context, void *user)
{
    const struct view_parts *parts = user;
    const struct view_scene *scene = parts->scene;
    const struct view_under *under = parts->under;
    const bool explains = parts->inside->inspect.on;
    uint16_t samples[3];
    uint32_t count;

    if (scene->picture == NULL || !under->pointed) {
        view_ui_dim_text("Rest the mouse on the picture: its pixel is told here.");
    } else {
        count = view_inspect_samples(&scene->picture->image, under->x, under->y, samples);
        if (count == 1)
            view_ui_text("%u, %u:  value %u", under->x, under->y, samples[0]);
        else
            view_ui_text("%u, %u:  %u  %u  %u", under->x, under->y, samples[0], samples[1], samples[2]);
        if (scene->forest != NULL && under->distribution != NULL)
            view_panel_probabilities(scene, shw_forest_get_info(scene->forest->forest), under->distribution);
    }
    view_ui_disabled_begin(scene->forest == NULL);
    view_panel_button(context, explains ? "Explaining pixels" : "Why this class?", "inspect toggle",
                      "the path of the pixel through each tree, and what its tests read", view_ui_width(), explains);
    view_ui_disabled_end();
}
