/* Text in panels. */
#include "ui/mark.h"
#include "ui/ui.h"

#include <cstdarg>

void view_ui_text(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    ImGui::TextV(format, arguments);
    va_end(arguments);
}

void view_ui_dim_text(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    ImGui::TextDisabledV(format, arguments);
    va_end(arguments);
}

void view_ui_wrapped_text(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    ImGui::TextWrappedV(format, arguments);
    va_end(arguments);
}

void view_ui_coloured_text(const uint8_t colour[3], const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    ImGui::PushStyleColor(ImGuiCol_Text, IM_COL32(colour[0], colour[1], colour[2], 255));
    ImGui::TextV(format, arguments);
    ImGui::PopStyleColor();
    va_end(arguments);
}

void view_ui_heading(const char *text)
{
    ImGui::Dummy(ImVec2(0.0f, view_ui_points(1)));
    ImGui::TextColored(ImVec4(0.56f, 0.70f, 0.84f, 1.0f), "%s", text);
}

void view_ui_tooltip(const char *format, ...)
{
    va_list arguments;

    if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
        return;
    va_start(arguments, format);
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(view_ui_points(300));
    ImGui::TextV(format, arguments);
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
    va_end(arguments);
}
