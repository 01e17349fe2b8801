/* Settings of the overlay and of the view. */
#include <stdio.h>

#include "ui/panel.h"

bool view_overlay_is_possible(const struct view_scene *scene, uint32_t mode)
{
    const struct view_overlay_kind *kind = &view_overlay_kinds[mode];
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
                                                !view_overlay_is_possible(scene, mode)};
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

    view_ui_dim_text("%s", view_overlay_kinds[scene->settings.mode].tip);
    scale_of_colours(scene);
    view_panel_slider(context, "Opacity", 70.0f, (int)scene->settings.opacity, 0, 100, 100, "%d %%", "opacity",
                      "opacity of the overlay; keys [ and ]");
    view_panel_slider(context, "Wipe", 70.0f, (int)scene->settings.wipe, 0, 100, 100, "%d %%", "wipe",
                      "part of the width that shows the picture without overlay; keys , and .");
    smoothing(context, scene);
    view_panel_toggle(context, "Before and after smoothing", scene->comparison.on, "compare-smoothing",
                      "left of the wipe's line, show the labels before smoothing");
    view_panel_toggle(context, "For colour-blind people", scene->colour_blind, "colour-blind",
                      "show other default colours; classes keep theirs, and chosen colours are shown as they are");
}
