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

void view_ui_canvas_line(float x0, float y0, float x1, float y1, const uint8_t colour[3], float opacity, float width)
{
    ImGui::GetBackgroundDrawList()->AddLine(ImVec2(x0, y0), ImVec2(x1, y1), colour_of(colour, opacity), width);
}

void view_ui_canvas_rectangle(float x0, float y0, float x1, float y1, const uint8_t colour[3], float opacity, float width)
{
    ImDrawList *list = ImGui::GetBackgroundDrawList();

    if (width > 0.0f)
        list->AddRect(ImVec2(x0, y0), ImVec2(x1, y1), colour_of(colour, opacity), 0.0f, 0, width);
    else
        list->AddRectFilled(ImVec2(x0, y0), ImVec2(x1, y1), colour_of(colour, opacity));
}

void view_ui_canvas_circle(float x, float y, float radius, const uint8_t colour[3], float opacity, float width)
{
    ImDrawList *list = ImGui::GetBackgroundDrawList();

    if (width > 0.0f)
        list->AddCircle(ImVec2(x, y), radius, colour_of(colour, opacity), 0, width);
    else
        list->AddCircleFilled(ImVec2(x, y), radius, colour_of(colour, opacity));
}

void view_ui_canvas_text(float x, float y, const uint8_t colour[3], const char *text)
{
    ImGui::GetBackgroundDrawList()->AddText(ImVec2(x, y), colour_of(colour, 1.0f), text);
}
