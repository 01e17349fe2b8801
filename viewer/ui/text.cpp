/* Text in panels. */
#include "ui/mark.h"
#include "ui/ui.h"

#include <cstdarg>
#include <cstring>
#include <vector>

std::string view_ui_shortened(const char *text, float width)
{
    const char *end = text + strlen(text);
    std::vector<const char *> starts; /* of characters */

    if (ImGui::CalcTextSize(text, end).x <= width)
        return std::string(text, end);
    for (const char *byte = text; byte < end; byte++)
        if ((*byte & 0xc0) != 0x80)
            starts.push_back(byte);
    starts.push_back(end);
    const auto keep = [&](size_t kept) {
        return std::string(text, starts[(kept + 1) / 2]) + "\u2026" +
               std::string(starts[starts.size() - 1 - kept / 2], end);
    };
    size_t low = 0, high = starts.size() > 1 ? starts.size() - 2 : 0;
    while (low < high) {
        const size_t kept = (low + high + 1) / 2;
        if (ImGui::CalcTextSize(keep(kept).c_str()).x <= width)
            low = kept;
        else
            high = kept - 1;
    }
    return keep(low);
}

void view_ui_name(const char *name, const char *help)
{
    const std::string shown = view_ui_shortened(name, ImGui::GetContentRegionAvail().x);

    ImGui::TextUnformatted(shown.c_str());
    if (help != nullptr || shown != name)
        view_ui_tooltip("%s", help != nullptr ? help : name);
}

float view_ui_text_width(const char *text)
{
    return ImGui::CalcTextSize(text, nullptr, true).x / view_ui_points(1);
}

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
    ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
    ImGui::TextWrappedV(format, arguments);
    ImGui::PopStyleColor();
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
