/* Finds items in panels by their labels. */
#include "ui/mark.h"
#include "ui/ui.h"

#include <algorithm>
#include <cstring>

#include <imgui_internal.h>

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
