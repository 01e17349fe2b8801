/* Shared by the files that wrap Dear ImGui. */
#ifndef VIEW_UI_MARK_H
#define VIEW_UI_MARK_H

#include <string>

#include <imgui.h>

#include "ui/ui.h"

/* Of what is chosen. */
inline const ImVec4 view_ui_chosen(0.25f, 0.40f, 0.54f, 1.0f);

/* Converts a size in points to pixels. */
inline float view_ui_points(float size)
{
    return size * ImGui::GetFontSize() / 14.0f;
}

/* The text, shortened in its middle if it is wider than that many pixels. */
std::string view_ui_shortened(const char *text, float width);

/* Draws an icon, or the word without icons, over the last item. */
void view_ui_small_icon(enum view_ui_glyph glyph, const char *word);

/* Called after each item with a label, so that scripts can find it. Returns `result`. */
bool view_ui_mark(const char *label, bool result);

#endif
