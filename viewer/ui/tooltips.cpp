/* Tooltips: when they are shown, and where. */
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdarg>
#include <cstdio>

#include <imgui_internal.h>

#include "ui/fonts.h"
#include "ui/mark.h"
#include "ui/ui.h"

#define WIDEST 300.0f /* points, of a line */
#define GAP    4.0f   /* points, between an item and its tooltip */

namespace
{
double delay;

/* What the mouse rests on. */
struct {
    ImRect item;
    double since;
    int frame = -2; /* when that was seen last */
    bool shown;
} rest;

double now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool same(const ImRect &one, const ImRect &other)
{
    return one.Min.x == other.Min.x && one.Min.y == other.Min.y && one.Max.x == other.Max.x && one.Max.y == other.Max.y;
}

/* Whether the mouse has rested on the item for long enough. */
bool is_due(const ImRect &item)
{
    if (rest.frame + 1 < ImGui::GetFrameCount() || !same(rest.item, item)) {
        rest.item = item;
        rest.since = now();
    }
    rest.frame = ImGui::GetFrameCount();
    rest.shown = now() - rest.since >= delay;
    return rest.shown;
}

/* Beside a column, over the picture; otherwise below the item, or above it. */
ImVec2 place_for(const ImRect &item, const ImVec2 &size)
{
    const ImVec2 canvas = ImGui::GetIO().DisplaySize;
    const ImGuiWindow *window = ImGui::GetCurrentWindow()->RootWindow;
    const float gap = view_ui_points(GAP), right = window->Pos.x + window->Size.x;
    ImVec2 place(item.Min.x, item.Max.y + gap);

    if (place.y + size.y > canvas.y)
        place.y = item.Min.y - gap - size.y;
    if ((window->Flags & ImGuiWindowFlags_Popup) == 0 && window->Size.x < canvas.x / 2.0f) {
        if (right + gap + size.x <= canvas.x)
            place = ImVec2(right + gap, item.Min.y);
        else if (window->Pos.x - gap - size.x >= 0.0f)
            place = ImVec2(window->Pos.x - gap - size.x, item.Min.y);
    }
    place.x = std::max(std::min(place.x, canvas.x - size.x), 0.0f);
    place.y = std::max(std::min(place.y, canvas.y - size.y), 0.0f);
    return place;
}
} // namespace

void view_ui_tooltip(const char *format, ...)
{
    char written[4096];
    va_list arguments;

    if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
        return;
    const ImRect item(ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    if (!is_due(item))
        return;
    va_start(arguments, format);
    vsnprintf(written, sizeof written, format, arguments);
    va_end(arguments);
    const char *text = view_ui_letters(written);
    const ImVec2 padding = ImGui::GetStyle().WindowPadding,
                 inside = ImGui::CalcTextSize(text, nullptr, false, view_ui_points(WIDEST));
    ImGui::SetNextWindowPos(place_for(item, ImVec2(inside.x + 2.0f * padding.x, inside.y + 2.0f * padding.y)));
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(padding.x + view_ui_points(WIDEST));
    ImGui::TextUnformatted(text);
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

void view_ui_delay_tooltips(double seconds)
{
    delay = seconds;
}

double view_ui_tooltip_due(void)
{
    if (ImGui::GetCurrentContext() == nullptr || rest.frame != ImGui::GetFrameCount() || rest.shown)
        return HUGE_VAL;
    return std::max(rest.since + delay - now(), 0.0);
}
