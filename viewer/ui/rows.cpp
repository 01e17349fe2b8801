/* Tables of many rows, of which only the visible ones are described. */
#include "ui/mark.h"
#include "ui/ui.h"

#include <algorithm>

#include <imgui_internal.h>

/* Scrolls the rows below the titles until one of them is visible. */
static void scroll_to(uint32_t row, float pitch, float titles)
{
    const float top = pitch * float(row), room = ImGui::GetWindowHeight() - titles, now = ImGui::GetScrollY();

    if (top < now)
        ImGui::SetScrollY(top);
    else if (top + pitch > now + room)
        ImGui::SetScrollY(top + pitch - room);
}

static void show_titles(const struct view_ui_rows *rows)
{
    ImGui::TableSetupScrollFreeze(0, 1);
    for (uint32_t c = 0; c < rows->columns; c++) {
        const char *const widest = rows->widest[c];
        const float width =
            widest == nullptr ? 0.0f : std::max(ImGui::CalcTextSize(widest).x, ImGui::CalcTextSize(rows->titles[c]).x);
        ImGui::TableSetupColumn(
            rows->titles[c], widest == nullptr ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed,
            width);
    }
    ImGui::TableNextRow();
    for (uint32_t c = 0; c < rows->columns; c++) {
        ImGui::TableNextColumn();
        if (rows->widest[c] != nullptr)
            ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x -
                                 ImGui::CalcTextSize(rows->titles[c]).x);
        ImGui::TextDisabled("%s", rows->titles[c]);
    }
}

void view_ui_rows(const struct view_ui_rows *rows)
{
    const float padding = 2.0f * ImGui::GetStyle().CellPadding.y, pitch = ImGui::GetFrameHeight() + padding,
                titles = ImGui::GetTextLineHeight() + padding;
    const float height = std::min(view_ui_points(rows->height), titles + pitch * float(rows->count) + 1.0f);
    ImGuiListClipper clipper;

    if (!ImGui::BeginTable(rows->label, int(rows->columns),
                           ImGuiTableFlags_ScrollY | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings |
                               ImGuiTableFlags_BordersOuter,
                           ImVec2(0.0f, height)))
        return;
    show_titles(rows);
    if (rows->show < rows->count)
        scroll_to(rows->show, pitch, titles);
    clipper.Begin(int(rows->count), pitch);
    while (clipper.Step())
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; i++) {
            ImGui::TableNextRow(ImGuiTableRowFlags_None, pitch);
            ImGui::PushID(i);
            rows->row(rows->user, uint32_t(i));
            ImGui::PopID();
        }
    ImGui::EndTable();
}

enum view_ui_row_click view_ui_named_row(const char *name, bool chosen, bool on, const uint8_t colour[3],
                                         float fraction, const char *swatch_help, const char *help)
{
    const float height = ImGui::GetFrameHeight();
    enum view_ui_row_click click = VIEW_UI_NOT_CLICKED;

    ImGui::TableNextColumn();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    ImGui::PushStyleColor(ImGuiCol_Header, view_ui_chosen);
    if (view_ui_mark(name,
                     ImGui::Selectable("##row", chosen,
                                       ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowItemOverlap |
                                           ImGuiSelectableFlags_AllowDoubleClick,
                                       ImVec2(0.0f, height))))
        click = VIEW_UI_ROW_CLICKED;
    ImGui::PopStyleColor();
    ImGui::SetItemAllowOverlap();
    view_ui_tooltip("%s", help);
    ImGui::SetCursorScreenPos(at);
    if (view_ui_swatch("##swatch", colour, on))
        click = VIEW_UI_SWATCH_CLICKED;
    view_ui_tooltip("%s", swatch_help);
    const ImVec2 text(at.x + height + view_ui_points(4), at.y + (height - ImGui::GetTextLineHeight()) / 2.0f - 1.0f);
    const float room = at.x + width - text.x;
    ImGui::GetWindowDrawList()->AddText(text, ImGui::GetColorU32(ImGuiCol_Text), view_ui_shortened(name, room).c_str());
    if (fraction > 0.0f)
        ImGui::GetWindowDrawList()->AddRectFilled(
            ImVec2(text.x, at.y + height - view_ui_points(3)),
            ImVec2(text.x + std::max(room * std::min(fraction, 1.0f), 1.0f), at.y + height),
            IM_COL32(colour[0], colour[1], colour[2], 255), view_ui_points(1));
    return click;
}

void view_ui_row_value(const char *text)
{
    ImGui::TableNextColumn();
    ImGui::SetCursorPos(ImVec2(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text).x,
                               ImGui::GetCursorPosY() + ImGui::GetStyle().FramePadding.y - 1.0f));
    ImGui::TextUnformatted(text);
}

float view_ui_height_used(void)
{
    return (ImGui::GetCursorPosY() + ImGui::GetScrollY()) / view_ui_points(1);
}
