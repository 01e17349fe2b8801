/* What the files that wrap Dear ImGui share. */
#ifndef VIEW_UI_MARK_H
#define VIEW_UI_MARK_H

#include <imgui.h>

/* A size in points, in pixels. */
inline float view_ui_points(float size)
{
    return size * ImGui::GetFontSize() / 14.0f;
}

/* After each thing that has a label, which scripts may look for. Returns `result`. */
bool view_ui_mark(const char *label, bool result);

#endif
