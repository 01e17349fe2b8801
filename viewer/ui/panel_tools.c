/* The tools of the panel Teaching: what the mouse does, its size, undo and redo. */
#include "teach/tools.h"
#include "ui/panel.h"

#include <stdio.h>

static void show_hands(struct view_panel_context *context, const struct view_teaching *teaching)
{
    struct view_panel_item items[VIEW_HAND_COUNT];
    char lines[VIEW_HAND_COUNT][64];

    for (uint32_t hand = 0; hand < VIEW_HAND_COUNT; hand++) {
        const struct view_tool *tool = view_tools[hand];
        snprintf(lines[hand], sizeof lines[hand], "hand %s", tool->name);
        items[hand] =
            (struct view_panel_item){tool->label, lines[hand], tool->help, (uint32_t)teaching->hand == hand, false};
    }
    view_panel_buttons(context, items, VIEW_HAND_COUNT);
}

static void show_size(struct view_panel_context *context, struct view_teaching *teaching)
{
    const struct view_size *size = view_tool_size(teaching);
    bool screen = size->screen;

    view_ui_disabled_begin(view_tool_in_hand(teaching)->size == NULL);
    view_panel_slider(context, "Radius##size", 140.0f, (int)size->radius, 0, 64, (int)SHW_STROKE_RADIUS_MAX, "%d",
                      "radius", "radius of the brush or the eraser, in pixels; keys < and >, or Ctrl and the wheel");
    view_ui_same_line(0.0f);
    if (view_ui_toggle("Screen", &screen))
        view_panel_run(context, "radius %s", screen ? "screen" : "picture");
    view_panel_tip(context, "the radius is in pixels of the screen, the same at any zoom; otherwise of the picture",
                   NULL);
    view_ui_disabled_end();
}

void view_panel_tools(struct view_panel_context *context, struct view_teaching *teaching)
{
    const struct view_panel_item items[] = {
        {"Undo", "undo", "undo the last stroke or change of classes", false, false},
        {"Redo", "redo", "redo what was undone", false, false},
        {"Strokes", "strokes toggle", "show or hide strokes", !teaching->hide_strokes, false}};

    show_hands(context, teaching);
    show_size(context, teaching);
    view_panel_buttons(context, items, sizeof items / sizeof *items);
}
