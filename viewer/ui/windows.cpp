/* Windows, sheets and the panels in them. */
#include "ui/mark.h"
#include "ui/ui.h"

#include <algorithm>
#include <cstring>

#include <imgui_internal.h>

void view_ui_window_begin(enum view_ui_window kind, const char *title, float x, float y, float width, float height,
                          float opacity)
{
    const ImGuiWindowFlags fixed = ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
                                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav;
    const ImGuiWindowFlags column = fixed | ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoBringToFrontOnFocus;
    const ImGuiWindowFlags note =
        fixed | ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoFocusOnAppearing;
    const ImGuiWindowFlags flags[] = {column | ImGuiWindowFlags_NoBackground, column, note};
    const bool rounded = kind == VIEW_UI_NOTE;

    ImGui::SetNextWindowPos(ImVec2(x, y));
    ImGui::SetNextWindowSize(ImVec2(width, height));
    ImGui::PushStyleVar(ImGuiStyleVar_Alpha, opacity);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, rounded ? view_ui_points(5) : 0.0f);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, rounded ? 1.0f : 0.0f);
    ImGui::Begin(title, nullptr, flags[kind]);
}

void view_ui_window_end(void)
{
    ImGui::End();
    ImGui::PopStyleVar(3);
}

float view_ui_window_height(const char *title)
{
    const ImGuiWindow *window = ImGui::FindWindowByName(title);

    return window != nullptr ? window->Size.y : 0.0f;
}

bool view_ui_edge(const char *title, float height, float *x)
{
    const float reach = view_ui_points(4);
    const ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                   ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoSavedSettings |
                                   ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoFocusOnAppearing;
    const ImGuiIO &io = ImGui::GetIO();
    bool moved = false;

    ImGui::SetNextWindowPos(ImVec2(*x - reach, 0.0f));
    ImGui::SetNextWindowSize(ImVec2(2.0f * reach, height));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0.0f, 0.0f));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1.0f, 1.0f));
    ImGui::Begin(title, nullptr, flags);
    view_ui_mark(title, ImGui::InvisibleButton("edge", ImVec2(2.0f * reach, height)));
    float *const grabbed = ImGui::GetStateStorage()->GetFloatRef(ImGui::GetID("edge"), 0.0f);
    if (ImGui::IsItemActivated())
        *grabbed = io.MousePos.x - *x;
    if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
        ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(*x - view_ui_points(1), 0.0f),
                                                  ImVec2(*x + view_ui_points(1), height),
                                                  ImGui::GetColorU32(ImGuiCol_SliderGrab));
        view_ui_tooltip("drag to change the width; double-click: the usual width");
    }
    if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
        *x = -1.0f;
        moved = true;
    } else if (ImGui::IsItemActive() && io.MouseDelta.x != 0.0f) {
        *x = std::max(io.MousePos.x - *grabbed, 0.0f);
        moved = true;
    }
    ImGui::End();
    ImGui::PopStyleVar(2);
    return moved;
}

bool view_ui_sheet_begin(const char *title, float width, float height, bool *open)
{
    const ImVec2 canvas = ImGui::GetIO().DisplaySize;

    if (!ImGui::IsPopupOpen(title))
        ImGui::OpenPopup(title);
    width = std::min(width, canvas.x);
    height = std::min(height, canvas.y);
    ImGui::SetNextWindowPos(ImVec2(float(int((canvas.x - width) / 2.0f)), float(int((canvas.y - height) / 2.0f))));
    ImGui::SetNextWindowSize(ImVec2(width, height));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, view_ui_points(5));
    ImGui::PushStyleVar(ImGuiStyleVar_PopupBorderSize, 1.0f);
    if (ImGui::BeginPopupModal(title, open,
                               ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
                                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav))
        return true;
    ImGui::PopStyleVar(2);
    return false;
}

void view_ui_sheet_end(void)
{
    ImGui::EndPopup();
    ImGui::PopStyleVar(2);
}

bool view_ui_panel_begin(const char *title, bool *open)
{
    ImGui::SetNextItemOpen(*open);
    ImGui::PushStyleColor(ImGuiCol_Header, ImVec4(0.20f, 0.20f, 0.20f, 1.0f));
    *open = view_ui_mark(title, ImGui::CollapsingHeader(title));
    ImGui::PopStyleColor();
    if (!*open)
        return false;
    ImGui::PushID(title);
    return true;
}

void view_ui_panel_end(void)
{
    ImGui::Dummy(ImVec2(0.0f, view_ui_points(4)));
    ImGui::PopID();
}

/* Finds items in panels by their labels. */

/* The label to find, and the position where it was seen. */
static const char *wanted;
static ImVec2 found;
static bool seen;

static bool same_label(const char *label, const char *other)
{
    const size_t length = size_t(ImGui::FindRenderedTextEnd(label) - label);

    return (strlen(other) == length && strncmp(label, other, length) == 0) ||
           strcmp(ImGui::FindRenderedTextEnd(label), other) == 0;
}

bool view_ui_mark(const char *label, bool result)
{
    if (wanted != nullptr && !seen && ImGui::IsItemVisible() && same_label(label, wanted)) {
        const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
        found = ImVec2((low.x + std::min(high.x, low.x + ImGui::CalcItemWidth())) / 2.0f, (low.y + high.y) / 2.0f);
        seen = true;
    }
    return result;
}

void view_ui_find_begin(const char *label)
{
    wanted = label;
    seen = false;
}

bool view_ui_find_end(float *x, float *y)
{
    wanted = nullptr;
    *x = found.x;
    *y = found.y;
    return seen;
}
