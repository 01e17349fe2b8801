/* The tools of the panel Teaching: what the mouse does, its size, undo and redo. */
#include "teach/tools.h"
#include "ui/panel.h"

#include <stdio.h>

#define GAP     6.0f /* points between two items on a line */
#define COLUMNS 4u

static void show_hands(struct view_panel_context *context, const struct view_teaching *teaching)
{
    const float width = (view_ui_width() - GAP * (float)(COLUMNS - 1)) / (float)COLUMNS;
    char line[64];

    for (uint32_t hand = 0; hand < VIEW_HAND_COUNT; hand++) {
        const struct view_tool *tool = view_tools[hand];
        if (hand % COLUMNS > 0)
            view_ui_same_line(0.0f);
        snprintf(line, sizeof line, "hand %s", tool->name);
        view_panel_button(context, tool->label, line, tool->help, width, teaching->hand == hand);
    }
}

static void show_size(struct view_panel_context *context, struct view_teaching *teaching)
{
    const struct view_size *size = view_tool_size(teaching);
    bool screen = size->screen;

    view_ui_disabled_begin(view_tool_in_hand(teaching)->size == NULL);
    view_panel_slider(context, "Radius##size", 140.0f, (int)size->radius, 0, 64, "%d", "radius",
                      "radius of the brush or the eraser, in pixels; keys < and >, or Ctrl and the wheel");
    view_ui_same_line(0.0f);
    if (view_ui_toggle("Screen", &screen))
        view_panel_run(context, "radius %s", screen ? "screen" : "picture");
    view_panel_tip(context, "the radius is in pixels of the screen, the same at any zoom; otherwise of the picture",
                   NULL);
    view_ui_disabled_end();
}

void view_panel_tools(struct view_panel_context *context, struct view_teaching *teaching)
{
    float width;

    show_hands(context, teaching);
    show_size(context, teaching);
    width = (view_ui_width() - 2.0f * GAP) / 3.0f;
    view_panel_button(context, "Undo", "undo", "undo the last stroke or change of classes", width, false);
    view_ui_same_line(0.0f);
    view_panel_button(context, "Redo", "redo", "redo what was undone", width, false);
    view_ui_same_line(0.0f);
    view_panel_button(context, "Strokes", "strokes toggle", "show or hide strokes", width, !teaching->hide_strokes);
}
