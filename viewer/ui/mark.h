/* Shared by the files that wrap Dear ImGui. */
#ifndef VIEW_UI_MARK_H
#define VIEW_UI_MARK_H

#include <imgui.h>

/* Converts a size in points to pixels. */
inline float view_ui_points(float size)
{
    return size * ImGui::GetFontSize() / 14.0f;
}

/* Called after each item with a label, so that scripts can find it. Returns `result`. */
bool view_ui_mark(const char *label, bool result);

#endif
