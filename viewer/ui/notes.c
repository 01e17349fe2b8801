/* Messages in the lower right corner of the picture. */
#include "ui/sheets.h"

#include <stdio.h>

/* In the middle, while there is no picture. */
static void invite(const struct view_panel_context *context, const struct view_scene *scene)
{
    static const char title[] = "invitation";
    float scale = view_ui_scale(context->ui), width = 330.0f * scale, height = view_ui_window_height(title);

    if (scene->picture != NULL || scene->player->opening || width > (float)context->frame.area.width)
        return;
    view_ui_window_begin(
        VIEW_UI_NOTE, title,
        (float)(int)((float)context->frame.area.x + ((float)context->frame.area.width - width) / 2.0f),
        (float)(int)((float)context->frame.area.y + ((float)context->frame.area.height - height) / 2.0f), width, 0.0f,
        1.0f);
    view_ui_wrapped_text("Drop a picture, a folder or a video here, or press Ctrl+O to choose one.");
    view_ui_space();
    view_ui_wrapped_text("Then drop a forest (.ktx2) to label it with, or press Ctrl+N to teach classes by painting.");
    view_ui_space();
    view_ui_dim_text("F1 lists all keys.");
    view_ui_window_end();
}

/* In the lower left corner, while labels are not exact. */
static void tell_preview(const struct view_panel_context *context, const struct view_scene *scene)
{
    static const char title[] = "preview";
    float scale = view_ui_scale(context->ui), margin = 10.0f * scale;

    if (scene->instead.on || !view_overlay_shows_labels(scene->settings.mode) ||
        !view_labelling_is_preview(&scene->labelling))
        return;
    view_ui_window_begin(VIEW_UI_NOTE, title, (float)context->frame.area.x + margin,
                         (float)context->frame.area.y + (float)context->frame.area.height - margin -
                             view_ui_window_height(title),
                         80.0f * scale, 0.0f, 0.8f);
    view_ui_text("preview");
    view_ui_window_end();
}

static void show_heading(const struct view_toast *toast)
{
    static const uint8_t red[3] = {240, 120, 100}, amber[3] = {230, 190, 90}, green[3] = {120, 200, 140};
    const uint8_t *colour = toast->error ? red : toast->news ? green : amber;
    const char *heading = toast->error ? "Error" : toast->news ? "Done" : "Warning";

    if (toast->times > 1)
        view_ui_coloured_text(colour, "%s, %u times", heading, toast->times);
    else
        view_ui_coloured_text(colour, "%s", heading);
}

void view_notes_show(const struct view_panel_context *context, const struct view_scene *scene,
                     struct view_toasts *toasts)
{
    struct view_toast list[VIEW_TOASTS];
    uint32_t count = view_toasts_list(toasts, list);
    float scale = view_ui_scale(context->ui), margin = 10.0f * scale;
    float width = (float)context->frame.area.width - 2.0f * margin, height;
    float bottom = (float)context->frame.area.y + (float)context->frame.area.height - margin;

    invite(context, scene);
    tell_preview(context, scene);
    width = width > 380.0f * scale ? 380.0f * scale : width;
    while (count-- > 0) {
        char title[16];
        snprintf(title, sizeof title, "note %u", count);
        height = view_ui_window_height(title);
        view_ui_window_begin(VIEW_UI_NOTE, title,
                             (float)context->frame.area.x + (float)context->frame.area.width - margin - width,
                             bottom - height, width, 0.0f, list[count].opacity);
        show_heading(&list[count]);
        view_ui_wrapped_text("%s", list[count].text);
        view_ui_window_end();
        bottom -= height + 0.6f * margin;
    }
}
