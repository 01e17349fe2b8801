/* Tables and lists in panels. */
#include <algorithm>
#include <cmath>
#include <cstring>
#include <imgui_internal.h>
#include <string>

#include "ui/fonts.h"
#include "ui/mark.h"
#include "ui/ui.h"

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

bool view_ui_matrix_begin(const char *label, uint32_t columns, const char *const *headers, uint32_t rows,
                          const char *widest)
{
    const float line = ImGui::GetTextLineHeight() + 2.0f * ImGui::GetStyle().CellPadding.y,
                padding = 2.0f * ImGui::GetStyle().CellPadding.x, width = ImGui::CalcTextSize(widest).x,
                least = view_ui_points(64), room = ImGui::GetContentRegionAvail().x;
    const float name = room - (width + padding + 1.0f) * float(columns - 1) - padding;
    const bool fits = name >= least;
    const float height = fits ? 0.0f : line * float(rows + 1) + ImGui::GetStyle().ScrollbarSize + 2.0f;

    if (!ImGui::BeginTable(label, int(columns),
                           ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingFixedFit |
                               ImGuiTableFlags_NoSavedSettings | (fits ? 0 : ImGuiTableFlags_ScrollX),
                           ImVec2(room, height)))
        return false;
    for (uint32_t c = 0; c < columns; c++)
        ImGui::TableSetupColumn(headers[c], ImGuiTableColumnFlags_WidthFixed, c > 0 ? width : fits ? name : least);
    ImGui::TableSetupScrollFreeze(1, 1);
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

namespace
{
/* Either of the two describes rows. */
struct row_source {
    const char *(*name)(void *user, uint32_t index);
    void (*describe)(void *user, uint32_t index, struct view_ui_list_row *row);
    void *user;
};

ImRect list_place;
int list_frame = -2; /* when it was shown last */
} // namespace

bool view_ui_list_is_at(float x, float y)
{
    return list_frame + 1 >= ImGui::GetFrameCount() && list_place.Contains(ImVec2(x, y));
}

#define SMALL_WIDTH  36.0f /* points, of a small picture */
#define SMALL_HEIGHT 27.0f

/* As corners of triangles with colours: Dear ImGui draws no image but that of its letters. */
static void draw_small(const view_ui_list_row &row, ImVec2 place)
{
    const float room_x = view_ui_points(SMALL_WIDTH), room_y = view_ui_points(SMALL_HEIGHT),
                zoom = std::min(room_x / float(row.width), room_y / float(row.height));
    const ImVec2 low(std::floor(place.x + (room_x - zoom * float(row.width)) / 2.0f),
                     std::floor(place.y + (room_y - zoom * float(row.height)) / 2.0f));
    const unsigned across = row.width + 1, down = row.height + 1;
    ImDrawList *list = ImGui::GetWindowDrawList();
    const ImVec2 white = ImGui::GetFontTexUvWhitePixel();

    list->PrimReserve(int(row.width * row.height * 6), int(across * down));
    const unsigned first = list->_VtxCurrentIdx;
    for (unsigned y = 0; y < down; y++)
        for (unsigned x = 0; x < across; x++) {
            const uint8_t *colour = row.picture[std::min(y, row.height - 1) * row.width + std::min(x, row.width - 1)];
            list->PrimWriteVtx(ImVec2(low.x + zoom * float(x), low.y + zoom * float(y)), white,
                               IM_COL32(colour[0], colour[1], colour[2], 255));
        }
    for (unsigned y = 0; y < row.height; y++)
        for (unsigned x = 0; x < row.width; x++) {
            const unsigned corner = first + y * across + x;
            for (const unsigned place_of :
                 {corner, corner + 1, corner + across, corner + 1, corner + across + 1, corner + across})
                list->PrimWriteIdx(ImDrawIdx(place_of));
        }
}

/* The small picture, the name and what is known of it. Returns whether the name is shortened. */
static bool draw_marked(const view_ui_list_row &row, ImVec2 place, float right)
{
    const float radius = view_ui_points(4), step = view_ui_points(11), line = ImGui::GetTextLineHeight(),
                left = place.x + view_ui_points(SMALL_WIDTH + 6.0f), below = place.y + line + view_ui_points(1);
    const std::string name = view_ui_shortened(row.name, right - left);
    ImDrawList *list = ImGui::GetWindowDrawList();
    const float count = ImGui::CalcTextSize(row.count).x;
    float x = right - radius - (count > 0.0f ? count + view_ui_points(4) : 0.0f);

    if (row.picture != nullptr && row.width > 0)
        draw_small(row, ImVec2(place.x, place.y + view_ui_points(1)));
    else
        list->AddRect(ImVec2(place.x, place.y + view_ui_points(1)),
                      ImVec2(place.x + view_ui_points(SMALL_WIDTH), place.y + view_ui_points(SMALL_HEIGHT + 1.0f)),
                      ImGui::GetColorU32(ImGuiCol_Border));
    list->AddText(ImVec2(left, place.y), ImGui::GetColorU32(ImGuiCol_Text), name.c_str());
    for (uint32_t d = row.dot_count; d > 0; d--, x -= step)
        list->AddCircleFilled(ImVec2(x, below + line / 2.0f), radius,
                              IM_COL32(row.dots[d - 1][0], row.dots[d - 1][1], row.dots[d - 1][2], 255));
    list->AddText(ImVec2(right - count, below), ImGui::GetColorU32(ImGuiCol_TextDisabled), row.count);
    list->AddText(ImVec2(left, below), ImGui::GetColorU32(ImGuiCol_TextDisabled),
                  view_ui_shortened(row.value, x - left).c_str());
    return name != view_ui_letters(row.name);
}

static uint32_t show_list(const char *label, float height, uint32_t count, uint32_t chosen, const row_source &rows)
{
    const bool marked = rows.describe != nullptr;
    const float spacing = ImGui::GetStyle().ItemSpacing.y,
                line = marked ? view_ui_points(VIEW_UI_MARKED_ROW) : ImGui::GetTextLineHeightWithSpacing();
    uint32_t clicked = UINT32_MAX;
    ImGuiListClipper clipper;

    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(view_ui_points(6), view_ui_points(4)));
    ImGui::BeginChild(label, ImVec2(0.0f, view_ui_points(height)), true, ImGuiWindowFlags_NoNav);
    ImGui::PopStyleVar();
    int *last = ImGui::GetStateStorage()->GetIntRef(ImGui::GetID("chosen"), -1);
    if (*last != int(chosen) && chosen < count)
        ImGui::SetScrollY(std::max(line * float(chosen) - (view_ui_points(height) - line) / 2.0f, 0.0f));
    *last = int(chosen);
    clipper.Begin(int(count), line);
    while (clipper.Step())
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; i++) {
            const ImVec2 place = ImGui::GetCursorScreenPos();
            const float right = place.x + ImGui::GetContentRegionAvail().x;
            view_ui_list_row row = {};
            if (marked)
                rows.describe(rows.user, uint32_t(i), &row);
            else
                row.name = rows.name(rows.user, uint32_t(i));
            ImGui::PushID(i);
            if (view_ui_mark(row.name,
                             ImGui::Selectable("##row", uint32_t(i) == chosen, ImGuiSelectableFlags_AllowDoubleClick,
                                               ImVec2(0.0f, marked ? line - spacing : 0.0f))))
                clicked = uint32_t(i);
            if (marked) {
                if (draw_marked(row, place, right))
                    view_ui_tooltip("%s", row.name);
            } else {
                const std::string shown = view_ui_shortened(row.name, right - place.x);
                ImGui::SameLine(0.0f, 0.0f);
                ImGui::TextUnformatted(shown.c_str());
                if (shown != view_ui_letters(row.name))
                    view_ui_tooltip("%s", row.name);
            }
            ImGui::PopID();
        }
    ImGui::EndChild();
    return clicked;
}

uint32_t view_ui_long_list(const char *label, float height, uint32_t count, uint32_t chosen,
                           const char *(*name)(void *user, uint32_t index), void *user)
{
    return show_list(label, height, count, chosen, {name, nullptr, user});
}

uint32_t view_ui_marked_list(const char *label, float height, uint32_t count, uint32_t chosen,
                             void (*describe)(void *user, uint32_t index, struct view_ui_list_row *row), void *user)
{
    const uint32_t clicked = show_list(label, height, count, chosen, {nullptr, describe, user});

    list_frame = ImGui::GetFrameCount();
    list_place = ImRect(ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    return clicked;
}

/* Tables of many rows, of which only the visible ones are described. */

/* Scrolls the rows below the titles until one of them is visible. */
static void scroll_to(uint32_t row, float pitch, float titles)
{
    const float top = pitch * float(row), room = ImGui::GetWindowHeight() - titles, now = ImGui::GetScrollY();

    if (top < now)
        ImGui::SetScrollY(top);
    else if (top + pitch > now + room)
        ImGui::SetScrollY(top + pitch - room);
}

static void show_titles(const struct view_ui_rows *rows)
{
    ImGui::TableSetupScrollFreeze(0, 1);
    for (uint32_t c = 0; c < rows->columns; c++) {
        const char *const widest = rows->widest[c];
        const float width =
            widest == nullptr ? 0.0f : std::max(ImGui::CalcTextSize(widest).x, ImGui::CalcTextSize(rows->titles[c]).x);
        ImGui::TableSetupColumn(
            rows->titles[c], widest == nullptr ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed,
            width);
    }
    ImGui::TableNextRow();
    for (uint32_t c = 0; c < rows->columns; c++) {
        ImGui::TableNextColumn();
        if (rows->widest[c] != nullptr)
            ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x -
                                 ImGui::CalcTextSize(rows->titles[c]).x);
        ImGui::TextDisabled("%s", rows->titles[c]);
    }
}

void view_ui_rows(const struct view_ui_rows *rows)
{
    const float padding = 2.0f * ImGui::GetStyle().CellPadding.y, pitch = ImGui::GetFrameHeight() + padding,
                titles = ImGui::GetTextLineHeight() + padding;
    const float height = std::min(view_ui_points(rows->height), titles + pitch * float(rows->count) + 1.0f);
    ImGuiListClipper clipper;

    if (!ImGui::BeginTable(rows->label, int(rows->columns),
                           ImGuiTableFlags_ScrollY | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings |
                               ImGuiTableFlags_BordersOuter,
                           ImVec2(0.0f, height)))
        return;
    show_titles(rows);
    if (rows->show < rows->count)
        scroll_to(rows->show, pitch, titles);
    clipper.Begin(int(rows->count), pitch);
    while (clipper.Step())
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; i++) {
            ImGui::TableNextRow(ImGuiTableRowFlags_None, pitch);
            ImGui::PushID(i);
            rows->row(rows->user, uint32_t(i));
            ImGui::PopID();
        }
    ImGui::EndTable();
}

enum view_ui_row_click view_ui_named_row(const char *name, bool chosen, bool on, const uint8_t colour[3],
                                         float fraction, const char *swatch_help, const char *help)
{
    const float height = ImGui::GetFrameHeight();
    enum view_ui_row_click click = VIEW_UI_NOT_CLICKED;

    ImGui::TableNextColumn();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    ImGui::PushStyleColor(ImGuiCol_Header, view_ui_chosen);
    if (view_ui_mark(name,
                     ImGui::Selectable("##row", chosen,
                                       ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowItemOverlap |
                                           ImGuiSelectableFlags_AllowDoubleClick,
                                       ImVec2(0.0f, height))))
        click = VIEW_UI_ROW_CLICKED;
    ImGui::PopStyleColor();
    ImGui::SetItemAllowOverlap();
    view_ui_tooltip("%s", help);
    ImGui::SetCursorScreenPos(at);
    if (view_ui_swatch("##swatch", colour, on))
        click = VIEW_UI_SWATCH_CLICKED;
    view_ui_tooltip("%s", swatch_help);
    const ImVec2 text(at.x + height + view_ui_points(4), at.y + (height - ImGui::GetTextLineHeight()) / 2.0f - 1.0f);
    const float room = at.x + width - text.x;
    ImGui::GetWindowDrawList()->AddText(text, ImGui::GetColorU32(ImGuiCol_Text), view_ui_shortened(name, room).c_str());
    if (fraction > 0.0f)
        ImGui::GetWindowDrawList()->AddRectFilled(
            ImVec2(text.x, at.y + height - view_ui_points(3)),
            ImVec2(text.x + std::max(room * std::min(fraction, 1.0f), 1.0f), at.y + height),
            IM_COL32(colour[0], colour[1], colour[2], 255), view_ui_points(1));
    return click;
}

static void row_value(const char *text, ImGuiCol colour)
{
    ImGui::TableNextColumn();
    ImGui::SetCursorPos(ImVec2(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text).x,
                               ImGui::GetCursorPosY() + ImGui::GetStyle().FramePadding.y - 1.0f));
    ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(colour));
    ImGui::TextUnformatted(text);
    ImGui::PopStyleColor();
}

void view_ui_row_value(const char *text)
{
    row_value(text, ImGuiCol_Text);
}

void view_ui_row_dim_value(const char *text)
{
    row_value(text, ImGuiCol_TextDisabled);
}

void view_ui_scroll_here(void)
{
    ImGui::SetScrollHereY(0.0f);
}

float view_ui_height_used(void)
{
    return (ImGui::GetCursorPosY() + ImGui::GetScrollY()) / view_ui_points(1);
}

/* Windows, sheets and the panels in them. */

void view_ui_window_begin(enum view_ui_window kind, const char *title, float x, float y, float width, float height,
                          float opacity)
{
    const ImGuiWindowFlags fixed = ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
                                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav;
    const ImGuiWindowFlags column = fixed | ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoBringToFrontOnFocus;
    const ImGuiWindowFlags note =
        fixed | ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoFocusOnAppearing;
    const ImGuiWindowFlags bar = column | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
    const ImGuiWindowFlags flags[] = {column | ImGuiWindowFlags_NoBackground, column, note, bar};
    const bool rounded = kind == VIEW_UI_NOTE, low = kind == VIEW_UI_BAR;

    ImGui::SetNextWindowPos(ImVec2(x, y));
    ImGui::SetNextWindowSize(ImVec2(width, height));
    ImGui::PushStyleVar(ImGuiStyleVar_Alpha, opacity);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, rounded ? view_ui_points(5) : 0.0f);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, rounded ? 1.0f : 0.0f);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding,
                        low ? ImVec2(view_ui_points(6), view_ui_points(3)) : ImGui::GetStyle().WindowPadding);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing,
                        low ? ImVec2(view_ui_points(2), view_ui_points(3)) : ImGui::GetStyle().ItemSpacing);
    ImGui::Begin(title, nullptr, flags[kind]);
}

void view_ui_window_end(void)
{
    ImGui::End();
    ImGui::PopStyleVar(5);
}

float view_ui_window_height(const char *title)
{
    const ImGuiWindow *window = ImGui::FindWindowByName(title);

    return window != nullptr ? window->Size.y : 0.0f;
}

bool view_ui_edge(const char *title, float top, float bottom, float *x)
{
    const float reach = view_ui_points(4), height = bottom - top;
    const ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                   ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoSavedSettings |
                                   ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoFocusOnAppearing;
    const ImGuiIO &io = ImGui::GetIO();
    bool moved = false;

    ImGui::SetNextWindowPos(ImVec2(*x - reach, top));
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
        ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(*x - view_ui_points(1), top),
                                                  ImVec2(*x + view_ui_points(1), bottom),
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

/* At the end of a title, for somebody whose mouse is on it. */
static void show_requests(const char *title, enum view_ui_request *request)
{
    static const struct {
        enum view_ui_glyph glyph;
        const char *word, *help;
        enum view_ui_request request;
    } buttons[] = {{VIEW_ICON_OTHER_SIDE, "move", "move it to the other side of the picture", VIEW_UI_OTHER_SIDE},
                   {VIEW_ICON_CLOSE, "hide", "hide it; the menu View shows it again", VIEW_UI_CLOSE}};
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax(), after = ImGui::GetCursorScreenPos();
    const bool hovered = ImGui::IsMouseHoveringRect(low, high) && ImGui::IsWindowHovered();
    float x = high.x - view_ui_points(4);

    *request = VIEW_UI_NO_REQUEST;
    for (int b = 1; b >= 0; b--) {
        const float side = high.y - low.y, width = view_ui_has_icons() ? side : ImGui::CalcTextSize(buttons[b].word).x;
        const std::string label = std::string(buttons[b].word) + " " + title;
        x -= width + view_ui_points(2);
        ImGui::SetCursorScreenPos(ImVec2(x, low.y));
        ImGui::PushID(label.c_str());
        if (view_ui_mark(label.c_str(), ImGui::InvisibleButton("request", ImVec2(width, side))))
            *request = buttons[b].request;
        view_ui_tooltip("%s", buttons[b].help);
        if (hovered)
            view_ui_small_icon(buttons[b].glyph, buttons[b].word);
        ImGui::PopID();
    }
    ImGui::SetCursorScreenPos(after);
}

bool view_ui_panel_begin(const char *title, bool *open, enum view_ui_request *request)
{
    ImGui::SetNextItemOpen(*open);
    ImGui::PushStyleColor(ImGuiCol_Header, ImVec4(0.20f, 0.20f, 0.20f, 1.0f));
    *open = view_ui_mark(title, ImGui::CollapsingHeader(title, ImGuiTreeNodeFlags_AllowItemOverlap));
    ImGui::PopStyleColor();
    show_requests(title, request);
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
