/* What is known of the pixel under the mouse. */
#include <stdio.h>

#include "inspect/inspect.h"
#include "inspect/under.h"
#include "ui/bars.h"
#include "ui/panel.h"

static void show_samples(const struct shw_image *image, uint32_t x, uint32_t y)
{
    uint16_t samples[3];

    if (view_inspect_samples(image, x, y, samples) == 1)
        view_ui_text("%u, %u:  value %u", x, y, samples[0]);
    else
        view_ui_text("%u, %u:  %u  %u  %u", x, y, samples[0], samples[1], samples[2]);
}

void view_panel_pixel(struct view_panel_context *context, void *user)
{
    const struct view_parts *parts = user;
    const struct view_scene *scene = parts->scene;
    const struct view_under *under = parts->under;
    const struct shw_forest_info *info = scene->forest != NULL ? shw_forest_get_info(scene->forest->forest) : NULL;
    const bool explains = parts->inside->inspect.on;

    if (scene->picture == NULL || !under->pointed)
        view_ui_dim_text("no pixel under the mouse");
    else
        show_samples(&scene->picture->image, under->x, under->y);
    if (info != NULL)
        view_panel_probabilities(scene, info,
                                 under->pointed && under->classes == info->class_count ? under->distribution : NULL);
    view_ui_disabled_begin(info == NULL);
    view_panel_button(context, explains ? "Explaining pixels" : "Why this class?", "inspect toggle",
                      "the path of the pixel through each tree, and what its tests read", view_ui_width(), explains);
    view_ui_disabled_end();
}
