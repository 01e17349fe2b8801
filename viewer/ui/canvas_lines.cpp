/* What is drawn over the picture, below the panels. */
#include "ui/ui.h"

#include <imgui.h>
#include <imgui_internal.h>

static ImU32 colour_of(const uint8_t colour[3], float opacity)
{
    return IM_COL32(colour[0], colour[1], colour[2], int(opacity * 255.0f + 0.5f));
}

void view_ui_canvas_clip(float x, float y, float width, float height)
{
    ImDrawList *list = ImGui::GetBackgroundDrawList();

    if (list->_ClipRectStack.Size > 1)
        list->PopClipRect();
    list->PushClipRect(ImVec2(x, y), ImVec2(x + width, y + height));
}

void view_ui_canvas_circle(float x, float y, float radius, const uint8_t colour[3], float opacity, float width)
{
    ImGui::GetBackgroundDrawList()->AddCircle(ImVec2(x, y), radius, colour_of(colour, opacity), 0, width);
}
