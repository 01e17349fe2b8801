/* Tables and lists in panels. */
#include "ui/mark.h"
#include "ui/ui.h"

#include <algorithm>

#include <imgui_internal.h>

bool view_ui_table_begin(const char *label, uint32_t columns, const char *const *headers, float height)
{
    ImGuiTableFlags flags =
        ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_NoSavedSettings;

    if (height > 0.0f)
        flags |= ImGuiTableFlags_ScrollY;
    if (!ImGui::BeginTable(label, int(columns), flags, ImVec2(0.0f, view_ui_points(height))))
        return false;
    if (headers == nullptr)
        return true;
    for (uint32_t c = 0; c < columns; c++)
        ImGui::TableSetupColumn(headers[c]);
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableHeadersRow();
    return true;
}

bool view_ui_key_table_begin(const char *label)
{
    if (!ImGui::BeginTable(label, 2, ImGuiTableFlags_NoSavedSettings))
        return false;
    ImGui::TableSetupColumn("key", ImGuiTableColumnFlags_WidthFixed, view_ui_points(76));
    ImGui::TableSetupColumn("help", ImGuiTableColumnFlags_WidthStretch);
    return true;
}

void view_ui_table_row(void)
{
    ImGui::TableNextRow();
}

void view_ui_table_cell(void)
{
    ImGui::TableNextColumn();
}

void view_ui_table_end(void)
{
    ImGui::EndTable();
}

void view_ui_column_begin(uint32_t number, uint32_t count)
{
    const float gap = view_ui_points(14),
                full = ImGui::GetWindowContentRegionMax().x - ImGui::GetWindowContentRegionMin().x;

    if (number > 0)
        ImGui::SameLine(0.0f, gap);
    ImGui::PushID(int(number));
    ImGui::PushStyleColor(ImGuiCol_ChildBg, ImVec4(0.0f, 0.0f, 0.0f, 0.0f));
    ImGui::BeginChild("column", ImVec2(float(int((full - gap * float(count - 1)) / float(count))), 0.0f), false,
                      ImGuiWindowFlags_NoNav);
}

void view_ui_column_end(void)
{
    ImGui::EndChild();
    ImGui::PopStyleColor();
    ImGui::PopID();
}

void view_ui_list_begin(const char *label, float height)
{
    ImGui::BeginChild(label, ImVec2(0.0f, view_ui_points(height)), true, ImGuiWindowFlags_NoNav);
}

void view_ui_list_end(void)
{
    ImGui::EndChild();
}

void view_ui_bring_into_sight(void)
{
    ImGui::ScrollToItem(ImGuiScrollFlags_KeepVisibleEdgeY);
}

uint32_t view_ui_long_list(const char *label, float height, uint32_t count, uint32_t chosen,
                           const char *(*name)(void *user, uint32_t index), void *user)
{
    const float row = ImGui::GetTextLineHeightWithSpacing();
    uint32_t clicked = UINT32_MAX;
    ImGuiListClipper clipper;

    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(view_ui_points(6), view_ui_points(4)));
    ImGui::BeginChild(label, ImVec2(0.0f, view_ui_points(height)), true, ImGuiWindowFlags_NoNav);
    ImGui::PopStyleVar();
    int *last = ImGui::GetStateStorage()->GetIntRef(ImGui::GetID("chosen"), -1);
    if (*last != int(chosen) && chosen < count)
        ImGui::SetScrollY(std::max(row * float(chosen) - (view_ui_points(height) - row) / 2.0f, 0.0f));
    *last = int(chosen);
    clipper.Begin(int(count), row);
    while (clipper.Step())
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; i++) {
            const char *text = name(user, uint32_t(i));
            ImGui::PushID(i);
            if (view_ui_mark(text,
                             ImGui::Selectable("##row", uint32_t(i) == chosen, ImGuiSelectableFlags_AllowDoubleClick)))
                clicked = uint32_t(i);
            ImGui::SameLine(0.0f, 0.0f);
            ImGui::TextUnformatted(text);
            ImGui::PopID();
        }
    ImGui::EndChild();
    return clicked;
}
