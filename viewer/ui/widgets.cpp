/* The widgets of panels. */
#include <algorithm>
#include <cfloat>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <imgui_internal.h>
#include <vector>

#include <imgui.h>

#include "ui/fonts.h"
#include "ui/mark.h"
#include "ui/ui.h"

/* Text in panels. */

/* The text as with vprintf(), as it is shown; valid until the third text from now. */
static const char *letters_of(const char *format, va_list arguments)
{
    static char text[8192];

    vsnprintf(text, sizeof text, format, arguments);
    return view_ui_letters(text);
}

std::string view_ui_shortened(const char *text, float width)
{
    text = view_ui_letters(text);
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
    if (help != nullptr || shown != view_ui_letters(name))
        view_ui_tooltip("%s", help != nullptr ? help : name);
}

static void show_short(const char *text, float width, ImU32 colour)
{
    const std::string shown = view_ui_shortened(text, view_ui_points(width));

    ImGui::PushStyleColor(ImGuiCol_Text, colour);
    ImGui::TextUnformatted(shown.c_str());
    ImGui::PopStyleColor();
    if (shown != text)
        view_ui_tooltip("%s", text);
}

void view_ui_short_text(const char *text, float width)
{
    show_short(text, width, ImGui::GetColorU32(ImGuiCol_Text));
}

void view_ui_marked_text(const char *text, float width)
{
    show_short(text, width, IM_COL32(240, 190, 90, 255));
}

float view_ui_text_width(const char *text)
{
    return ImGui::CalcTextSize(view_ui_letters(text), nullptr, true).x / view_ui_points(1);
}

void view_ui_text(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    ImGui::TextUnformatted(letters_of(format, arguments));
    va_end(arguments);
}

void view_ui_dim_text(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    const char *text = letters_of(format, arguments);
    va_end(arguments);
    ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
    ImGui::TextWrapped("%s", text);
    ImGui::PopStyleColor();
    view_ui_mark(text, false);
}

void view_ui_wrapped_text(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    ImGui::TextWrapped("%s", letters_of(format, arguments));
    va_end(arguments);
}

void view_ui_coloured_text(const uint8_t colour[3], const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    ImGui::PushStyleColor(ImGuiCol_Text, IM_COL32(colour[0], colour[1], colour[2], 255));
    ImGui::TextUnformatted(letters_of(format, arguments));
    ImGui::PopStyleColor();
    va_end(arguments);
}

void view_ui_heading(const char *text)
{
    ImGui::Dummy(ImVec2(0.0f, view_ui_points(1)));
    ImGui::TextColored(ImVec4(0.56f, 0.70f, 0.84f, 1.0f), "%s", view_ui_letters(text));
}

#define FOCUS_FRAMES 30u

static ImU32 colour_of(const uint8_t colour[3])
{
    return IM_COL32(colour[0], colour[1], colour[2], 255);
}

void view_ui_separator(void)
{
    ImGui::Separator();
}

void view_ui_space(void)
{
    ImGui::Dummy(ImVec2(0.0f, view_ui_points(4)));
}

void view_ui_same_line(float at)
{
    ImGui::SameLine(view_ui_points(at));
}

void view_ui_same_line_after(float gap)
{
    ImGui::SameLine(0.0f, view_ui_points(gap));
}

float view_ui_width(void)
{
    return ImGui::GetContentRegionAvail().x / view_ui_points(1);
}

void view_ui_next_width(float width)
{
    ImGui::SetNextItemWidth(view_ui_points(width));
}

bool view_ui_button(const char *label)
{
    return view_ui_mark(label, ImGui::Button(view_ui_letters(label)));
}

bool view_ui_wide_button(const char *label, float width, bool chosen)
{
    const float room = view_ui_points(width) - ImGui::CalcTextSize(label, nullptr, true).x;
    const ImVec2 padding = ImGui::GetStyle().FramePadding;
    bool clicked;

    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                        ImVec2(width > 0.0f ? std::min(padding.x, std::max(room / 2.0f, 0.0f)) : padding.x, padding.y));
    if (chosen) {
        ImGui::PushStyleColor(ImGuiCol_Button, view_ui_chosen);
        ImGui::PushStyleColor(ImGuiCol_ButtonHovered, ImVec4(0.29f, 0.46f, 0.62f, 1.0f));
    }
    clicked = view_ui_mark(label, ImGui::Button(label, ImVec2(view_ui_points(width), 0.0f)));
    ImGui::PopStyleColor(chosen ? 2 : 0);
    ImGui::PopStyleVar();
    return clicked;
}

bool view_ui_toggle(const char *label, bool *state)
{
    return view_ui_mark(label, ImGui::Checkbox(label, state));
}

bool view_ui_row(const char *label, bool chosen)
{
    ImGui::PushID(label);
    const bool clicked = view_ui_mark(label, ImGui::Selectable("##row", chosen, ImGuiSelectableFlags_AllowDoubleClick));
    ImGui::PopID();
    const ImVec2 low = ImGui::GetItemRectMin();
    const float padding = ImGui::GetStyle().ItemSpacing.x / 2.0f;
    ImGui::GetWindowDrawList()->AddText(
        ImVec2(low.x + padding, low.y + ImGui::GetStyle().ItemSpacing.y / 2.0f), ImGui::GetColorU32(ImGuiCol_Text),
        view_ui_shortened(label, ImGui::GetItemRectMax().x - low.x - 2.0f * padding).c_str());
    return clicked;
}

/* The list that is open, if it is a combo's. */
static struct {
    ImGuiID window;
    int64_t marked;  /* its row that Enter chooses */
    int64_t moves;   /* of the mark, by keys since the last frame */
    bool is_entered; /* since then */
} list;

void view_ui_list_key(const char *key)
{
    static const struct {
        const char *key;
        int64_t moves;
    } known[] = {{"Up", -1}, {"Down", 1}, {"Home", -INT32_MAX}, {"End", INT32_MAX}};

    for (const auto &move : known)
        if (strcmp(move.key, key) == 0)
            list.moves += move.moves;
    list.is_entered = list.is_entered || strcmp(key, "Enter") == 0;
}

/* Moves the mark of the list that is being described; whether it has to be scrolled to. */
static bool move_mark(uint32_t chosen, uint32_t count)
{
    const ImGuiID window = ImGui::GetCurrentWindow()->ID;
    const bool appears = list.window != window || ImGui::IsWindowAppearing(), moves = list.moves != 0;

    if (appears)
        list.marked = chosen < count ? chosen : 0;
    list.window = window;
    list.marked = std::max(std::min(list.marked + list.moves, int64_t(count) - 1), int64_t(0));
    list.moves = 0;
    return appears || moves;
}

bool view_ui_combo(const char *label, uint32_t *chosen, const char *const *names, uint32_t count)
{
    uint32_t picked = *chosen;

    const float room = ImGui::CalcItemWidth() - ImGui::GetFrameHeight() - 2.0f * ImGui::GetStyle().FramePadding.x;
    const std::string shown = *chosen < count ? view_ui_shortened(names[*chosen], room) : "";
    if (!view_ui_mark(label, ImGui::BeginCombo(label, shown.c_str())))
        return false;
    const bool scrolls = move_mark(*chosen, count);
    for (uint32_t i = 0; i < count; i++) {
        ImGui::PushID(int(i));
        if (view_ui_mark(names[i], ImGui::Selectable(view_ui_letters(names[i]), int64_t(i) == list.marked)))
            picked = i;
        if (scrolls && int64_t(i) == list.marked)
            ImGui::ScrollToItem(ImGuiScrollFlags_KeepVisibleEdgeY);
        ImGui::PopID();
    }
    if (list.is_entered && count > 0) {
        picked = uint32_t(list.marked);
        ImGui::CloseCurrentPopup();
    }
    list.is_entered = false;
    ImGui::EndCombo();
    if (picked == *chosen)
        return false;
    *chosen = picked;
    return true;
}

bool view_ui_int_slider(const char *label, int *value, int low, int high, int most, const char *format)
{
    const int before = *value;
    const bool changed = ImGui::SliderInt(label, value, low, high, format != nullptr ? format : "%d");

    *value = std::min(std::max(*value, low), most);
    return view_ui_mark(label, changed && *value != before);
}

bool view_ui_float_slider(const char *label, float *value, float low, float high, const char *format)
{
    return view_ui_mark(label, ImGui::SliderFloat(label, value, low, high, format != nullptr ? format : "%.2f",
                                                  ImGuiSliderFlags_AlwaysClamp));
}

bool view_ui_colour(const char *label, uint8_t colour[3])
{
    float parts[3] = {float(colour[0]) / 255.0f, float(colour[1]) / 255.0f, float(colour[2]) / 255.0f};

    if (!view_ui_mark(label,
                      ImGui::ColorEdit3(label, parts, ImGuiColorEditFlags_NoInputs | ImGuiColorEditFlags_NoLabel)))
        return false;
    for (int k = 0; k < 3; k++)
        colour[k] = uint8_t(parts[k] * 255.0f + 0.5f);
    return true;
}

bool view_ui_swatch(const char *label, const uint8_t colour[3], bool on)
{
    const float side = ImGui::GetFrameHeight(), inset = side * 0.18f;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 low(at.x + inset, at.y + inset), high(at.x + side - inset, at.y + side - inset);
    const bool clicked = view_ui_mark(label, ImGui::InvisibleButton(label, ImVec2(side, side)));
    ImDrawList *list = ImGui::GetWindowDrawList();

    if (on)
        list->AddRectFilled(low, high, colour_of(colour), view_ui_points(2));
    else
        list->AddRect(low, high, colour_of(colour), view_ui_points(2), 0, view_ui_points(1.5f));
    if (ImGui::IsItemHovered())
        list->AddRect(ImVec2(at.x + inset / 2, at.y + inset / 2),
                      ImVec2(at.x + side - inset / 2, at.y + side - inset / 2),
                      ImGui::GetColorU32(ImGuiCol_TextDisabled), view_ui_points(3));
    return clicked;
}

/* Of the next text field: whether it is to get the focus, and for how many frames it has not. */
static bool *focus_wanted;
static unsigned focus_frames;

void view_ui_focus(bool *wanted)
{
    ImGuiWindow *const sheet = ImGui::GetTopMostPopupModal();

    if (!*wanted || (sheet != nullptr && !ImGui::IsWindowChildOf(ImGui::GetCurrentWindow(), sheet, false)))
        return;
    ImGui::SetKeyboardFocusHere();
    focus_wanted = wanted;
}

/* Does not wait forever for a field that is not shown for lack of room. */
static void end_focus(bool has_it)
{
    if (focus_wanted == nullptr)
        return;
    focus_frames++;
    if (has_it || focus_frames == FOCUS_FRAMES) {
        *focus_wanted = false;
        focus_frames = 0;
    }
    focus_wanted = nullptr;
}

/* Scrolls to the field that has the focus when it has got that, is typed into, or has been moved by what changed around
 * it; not when somebody scrolls away from it. */
static void keep_in_sight(void)
{
    static ImGuiID field;
    static float place, room;
    const ImGuiWindow *const window = ImGui::GetCurrentWindow();
    const float at = ImGui::GetItemRectMin().y - window->Pos.y + window->Scroll.y,
                height = window->InnerRect.GetHeight();

    if (!ImGui::IsItemActive())
        return;
    if (field != ImGui::GetItemID() || place != at || room != height || ImGui::IsItemEdited())
        ImGui::ScrollToItem(ImGuiScrollFlags_KeepVisibleEdgeY);
    field = ImGui::GetItemID();
    place = at;
    room = height;
}

bool view_ui_text_field(const char *label, char *text, size_t size, const char *hint, bool at_once)
{
    const ImGuiInputTextFlags flags = (at_once ? 0 : ImGuiInputTextFlags_EnterReturnsTrue) |
                                      (focus_wanted != nullptr ? ImGuiInputTextFlags_AutoSelectAll : 0);
    view_ui_letters(text);
    const bool changed = ImGui::InputTextWithHint(label, hint != nullptr ? hint : "", text, size, flags);

    keep_in_sight();
    end_focus(ImGui::IsItemActive());
    return view_ui_mark(label, changed);
}

bool view_ui_has_focus(void)
{
    return ImGui::IsItemActive();
}

bool view_ui_entered(void)
{
    return ImGui::IsItemDeactivated() && ImGui::IsKeyPressedMap(ImGuiKey_Enter);
}

void view_ui_progress(float fraction, const char *text)
{
    text = view_ui_letters(text);
    const ImVec2 size = ImGui::CalcTextSize(text);

    ImGui::PushStyleColor(ImGuiCol_PlotHistogram, view_ui_chosen);
    ImGui::ProgressBar(fraction, ImVec2(-FLT_MIN, 0.0f), "");
    ImGui::PopStyleColor();
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    ImGui::GetWindowDrawList()->AddText(
        ImVec2(float(int((low.x + high.x - size.x) / 2.0f)), float(int((low.y + high.y - size.y) / 2.0f))),
        ImGui::GetColorU32(ImGuiCol_Text), text);
}

void view_ui_bar(const char *label, float fraction, const uint8_t colour[3], const char *value)
{
    const float width = ImGui::GetContentRegionAvail().x, name = std::min(view_ui_points(110), 0.4f * width),
                behind = value != nullptr ? ImGui::CalcTextSize("100.0 %").x + view_ui_points(4) : 0.0f,
                height = ImGui::GetTextLineHeight();
    const float full = std::max(width - name - behind, view_ui_points(16));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 low(at.x + name, at.y + view_ui_points(3)),
        high(at.x + name + full, at.y + height - view_ui_points(2));
    ImDrawList *list = ImGui::GetWindowDrawList();

    ImGui::TextUnformatted(view_ui_shortened(label, name - view_ui_points(6)).c_str());
    list->AddRectFilled(low, high, ImGui::GetColorU32(ImGuiCol_FrameBg), view_ui_points(2));
    fraction = std::min(std::max(fraction, 0.0f), 1.0f);
    if (fraction > 0.0f)
        list->AddRectFilled(low, ImVec2(low.x + std::max(full * fraction, 1.0f), high.y), colour_of(colour),
                            view_ui_points(2));
    if (value != nullptr)
        list->AddText(ImVec2(at.x + name + full + behind - ImGui::CalcTextSize(value).x, at.y),
                      ImGui::GetColorU32(ImGuiCol_Text), value);
}

void view_ui_ramp(const uint8_t (*colours)[3], uint32_t count, const char *low, const char *high)
{
    const float height = ImGui::GetTextLineHeight(), gap = view_ui_points(6), end = ImGui::CalcTextSize(high).x + gap;

    ImGui::TextDisabled("%s", low);
    ImGui::SameLine(0.0f, gap);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float step = std::max(ImGui::GetContentRegionAvail().x - end, 1.0f) / float(count - 1);
    ImGui::Dummy(ImVec2(step * float(count - 1), height));
    for (uint32_t i = 0; i + 1 < count; i++) {
        const ImU32 left = colour_of(colours[i]), right = colour_of(colours[i + 1]);
        ImGui::GetWindowDrawList()->AddRectFilledMultiColor(
            ImVec2(at.x + step * float(i), at.y + view_ui_points(3)),
            ImVec2(at.x + step * float(i + 1), at.y + height - view_ui_points(2)), left, right, right, left);
    }
    ImGui::SameLine(0.0f, gap);
    ImGui::TextDisabled("%s", high);
}

void view_ui_plot(const char *label, const float *values, uint32_t count, uint32_t first, float low, float high,
                  float height)
{
    ImGui::PlotLines(label, values, int(count), int(first), nullptr, low, high,
                     ImVec2(ImGui::CalcItemWidth(), view_ui_points(height)));
}

bool view_ui_double_clicked(void)
{
    return ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
}

#define TREE_LEFT 0.7f /* of the usual indent, which columns have no room for */

bool view_ui_tree_begin(const char *label, bool open_at_first)
{
    if (!view_ui_mark(
            label, ImGui::TreeNodeEx(label, open_at_first ? ImGuiTreeNodeFlags_DefaultOpen : ImGuiTreeNodeFlags_None)))
        return false;
    ImGui::Unindent(TREE_LEFT * ImGui::GetStyle().IndentSpacing);
    return true;
}

void view_ui_tree_end(void)
{
    ImGui::Indent(TREE_LEFT * ImGui::GetStyle().IndentSpacing);
    ImGui::TreePop();
}

void view_ui_disabled_begin(bool disabled)
{
    ImGui::BeginDisabled(disabled);
}

void view_ui_disabled_end(void)
{
    ImGui::EndDisabled();
}

void view_ui_push_id(uint32_t id)
{
    ImGui::PushID(int(id));
}

void view_ui_pop_id(void)
{
    ImGui::PopID();
}
