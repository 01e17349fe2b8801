/* Menus, and the icons of the toolbar and of panels. */
#include <algorithm>
#include <cmath>
#include <cstring>
#include <imgui_internal.h>

#include <unistd.h>

extern "C" {
#include "files/io/module.h"
}
#include "ui/fonts.h"
#include "ui/mark.h"
#include "ui/ui.h"

/* Icons: glyphs of Font Awesome 4, and a few that are drawn because that font has none. */

namespace
{
enum drawing { NOT_DRAWN, LASSO, POLYGON, SMOOTH, RECTANGLE, LEFT_COLUMN, RIGHT_COLUMN };

struct icon {
    unsigned codepoint;
    drawing drawn;
};

/* In the order of enum view_ui_glyph. */
const icon icons[VIEW_ICON_COUNT] = {
    /* NONE */ {0, NOT_DRAWN},
    /* OPEN */ {0xf115, NOT_DRAWN},
    /* SAVE */ {0xf0c7, NOT_DRAWN},
    /* BACK */ {0xf053, NOT_DRAWN},
    /* NEXT */ {0xf054, NOT_DRAWN},
    /* UNDO */ {0xf0e2, NOT_DRAWN},
    /* REDO */ {0xf01e, NOT_DRAWN},
    /* MOVE */ {0xf256, NOT_DRAWN},
    /* BRUSH */ {0xf1fc, NOT_DRAWN},
    /* ERASER */ {0xf12d, NOT_DRAWN},
    /* FILL */ {0xf043, NOT_DRAWN},
    /* LASSO */ {0, LASSO},
    /* POLYGON */ {0, POLYGON},
    /* WAND */ {0xf0d0, NOT_DRAWN},
    /* RECTANGLE */ {0, RECTANGLE},
    /* PICTURE */ {0xf03e, NOT_DRAWN},
    /* CLASSES */ {0xf009, NOT_DRAWN},
    /* HEAT */ {0xf06d, NOT_DRAWN},
    /* BLEND */ {0xf042, NOT_DRAWN},
    /* UNCERTAIN */ {0xf128, NOT_DRAWN},
    /* TRUTH */ {0xf00c, NOT_DRAWN},
    /* ERRORS */ {0xf00d, NOT_DRAWN},
    /* DEPTH */ {0xf1b2, NOT_DRAWN},
    /* SMOOTH */ {0, SMOOTH},
    /* CONTOURS */ {0xf10c, NOT_DRAWN},
    /* STROKES */ {0xf06e, NOT_DRAWN},
    /* FIT */ {0xf065, NOT_DRAWN},
    /* PIXELS */ {0xf00a, NOT_DRAWN},
    /* LEFT_COLUMN */ {0, LEFT_COLUMN},
    /* RIGHT_COLUMN */ {0, RIGHT_COLUMN},
    /* OTHER_SIDE */ {0xf0ec, NOT_DRAWN},
    /* CLOSE */ {0xf00d, NOT_DRAWN},
    /* SCREEN */ {0xf108, NOT_DRAWN},
    /* LOCK */ {0xf023, NOT_DRAWN},
    /* DELETE */ {0xf014, NOT_DRAWN},
};

ImFont *icon_font; /* of the current context; nullptr: the font is missing */
bool words_shown;  /* instead of icons */
} // namespace

static void load_icons(const char *path, float scale, const ImWchar *ranges)
{
    if (icon_font == nullptr && access(path, R_OK) == 0)
        icon_font = ImGui::GetIO().Fonts->AddFontFromFileTTF(path, float(int(15.0f * scale + 0.5f)), nullptr, ranges);
}

/* Below a second of the usual letters, for the same line height. */
void view_ui_icons_load(float scale)
{
    static const char *const paths[] = {"/usr/share/fonts/truetype/font-awesome/fontawesome-webfont.ttf",
                                        "/usr/share/fonts-font-awesome/fonts/fontawesome-webfont.ttf",
                                        "/usr/share/fonts/TTF/fontawesome-webfont.ttf",
                                        "/usr/share/fonts/fontawesome4/fontawesome-webfont.ttf",
                                        "/usr/share/fonts/fontawesome/fontawesome-webfont.ttf"};
    static ImVector<ImWchar> ranges; /* must live as long as the atlas */
    ImFontGlyphRangesBuilder builder;
    char beside[PATH_MAX];

    icon_font = nullptr;
    for (const icon &known : icons)
        if (known.codepoint != 0)
            builder.AddChar(ImWchar(known.codepoint));
    ranges.clear();
    builder.BuildRanges(&ranges);
    if (shw_module_find("fontawesome-webfont.ttf", beside)) /* as archives have it */
        load_icons(beside, scale, ranges.Data);
    for (const char *path : paths)
        load_icons(path, scale, ranges.Data);
}

bool view_ui_has_icons(void)
{
    return icon_font != nullptr && !words_shown;
}

void view_ui_show_words(bool shown)
{
    words_shown = shown;
}

static void draw_line(ImDrawList *list, ImVec2 middle, float unit, const float (*points)[2], int count, ImU32 colour,
                      bool closed)
{
    for (int i = 0; i < count; i++)
        list->PathLineTo(ImVec2(middle.x + unit * points[i][0], middle.y + unit * points[i][1]));
    list->PathStroke(colour, closed ? ImDrawFlags_Closed : ImDrawFlags_None, view_ui_points(1.5f));
}

static void draw_lasso(ImDrawList *list, ImVec2 middle, float unit, ImU32 colour)
{
    const float width = view_ui_points(1.5f);

    for (int i = 0; i < 20; i++) {
        const float turn = 2.0f * 3.14159265f * float(i) / 20.0f;
        list->PathLineTo(
            ImVec2(middle.x + 0.95f * unit * std::cos(turn), middle.y - unit * (0.25f - 0.6f * std::sin(turn))));
    }
    list->PathStroke(colour, ImDrawFlags_Closed, width);
    list->PathLineTo(ImVec2(middle.x - 0.45f * unit, middle.y + 0.28f * unit));
    list->PathBezierCubicCurveTo(ImVec2(middle.x - 0.9f * unit, middle.y + 0.7f * unit),
                                 ImVec2(middle.x - 0.1f * unit, middle.y + 0.6f * unit),
                                 ImVec2(middle.x - 0.35f * unit, middle.y + 1.0f * unit));
    list->PathStroke(colour, ImDrawFlags_None, width);
}

static void draw_polygon(ImDrawList *list, ImVec2 middle, float unit, ImU32 colour)
{
    static const float corners[][2] = {{-0.9f, -0.3f}, {0.1f, -0.85f}, {0.9f, -0.1f}, {0.45f, 0.8f}, {-0.65f, 0.65f}};

    draw_line(list, middle, unit, corners, 5, colour, true);
    for (const float *corner : corners)
        list->AddCircleFilled(ImVec2(middle.x + unit * corner[0], middle.y + unit * corner[1]), view_ui_points(2),
                              colour);
}

/* A curve over the steps that it smooths. */
static void draw_smooth(ImDrawList *list, ImVec2 middle, float unit, ImU32 colour)
{
    static const float steps[][2] = {{-0.95f, 0.75f}, {-0.35f, 0.75f}, {-0.35f, 0.0f},
                                     {0.3f, 0.0f},    {0.3f, -0.75f},  {0.95f, -0.75f}};
    const ImU32 faint =
        (colour & ~IM_COL32_A_MASK) | ((((colour >> IM_COL32_A_SHIFT) & 0xffu) / 2) << IM_COL32_A_SHIFT);

    draw_line(list, middle, unit, steps, 6, faint, false);
    list->PathLineTo(ImVec2(middle.x - 0.95f * unit, middle.y + 0.75f * unit));
    list->PathBezierCubicCurveTo(ImVec2(middle.x + 0.1f * unit, middle.y + 0.75f * unit),
                                 ImVec2(middle.x - 0.1f * unit, middle.y - 0.75f * unit),
                                 ImVec2(middle.x + 0.95f * unit, middle.y - 0.75f * unit));
    list->PathStroke(colour, ImDrawFlags_None, view_ui_points(1.8f));
}

/* A frame with handles. */
static void draw_rectangle(ImDrawList *list, ImVec2 middle, float unit, ImU32 colour)
{
    static const float corners[][2] = {{-0.85f, -0.65f}, {0.85f, -0.65f}, {0.85f, 0.65f}, {-0.85f, 0.65f}};
    const float handle = view_ui_points(2);

    draw_line(list, middle, unit, corners, 4, colour, true);
    for (const float *corner : corners) {
        const ImVec2 at(middle.x + unit * corner[0], middle.y + unit * corner[1]);
        list->AddRectFilled(ImVec2(at.x - handle, at.y - handle), ImVec2(at.x + handle, at.y + handle), colour);
    }
}

static void draw_column(ImDrawList *list, ImVec2 middle, float unit, ImU32 colour, bool right)
{
    static const float corners[][2] = {{-0.9f, -0.75f}, {0.9f, -0.75f}, {0.9f, 0.75f}, {-0.9f, 0.75f}};
    const float from = right ? 0.25f : -0.9f, to = right ? 0.9f : -0.25f;

    draw_line(list, middle, unit, corners, 4, colour, true);
    list->AddRectFilled(ImVec2(middle.x + unit * from, middle.y - unit * 0.75f),
                        ImVec2(middle.x + unit * to, middle.y + unit * 0.75f), colour);
}

static void draw_glyph(ImDrawList *list, ImVec2 middle, unsigned codepoint, ImU32 colour)
{
    const ImFontGlyph *glyph = icon_font->FindGlyph(ImWchar(codepoint));

    if (glyph == nullptr)
        return;
    const ImVec2 at(std::floor(middle.x - (glyph->X0 + glyph->X1) / 2.0f + 0.5f),
                    std::floor(middle.y - (glyph->Y0 + glyph->Y1) / 2.0f + 0.5f));
    icon_font->RenderChar(list, icon_font->FontSize, at, colour, ImWchar(codepoint));
}

static void draw_icon(ImDrawList *list, ImVec2 middle, enum view_ui_glyph glyph, ImU32 colour)
{
    const float unit = view_ui_points(7);

    switch (icons[glyph].drawn) {
    case LASSO: draw_lasso(list, middle, unit, colour); break;
    case POLYGON: draw_polygon(list, middle, unit, colour); break;
    case SMOOTH: draw_smooth(list, middle, unit, colour); break;
    case RECTANGLE: draw_rectangle(list, middle, unit, colour); break;
    case LEFT_COLUMN: draw_column(list, middle, unit, colour, false); break;
    case RIGHT_COLUMN: draw_column(list, middle, unit, colour, true); break;
    case NOT_DRAWN: draw_glyph(list, middle, icons[glyph].codepoint, colour); break;
    }
}

void view_ui_small_icon(enum view_ui_glyph glyph, const char *word)
{
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax(),
                 middle((low.x + high.x) / 2.0f, (low.y + high.y) / 2.0f);
    const ImU32 colour = ImGui::GetColorU32(ImGui::IsItemHovered() ? ImGuiCol_Text : ImGuiCol_TextDisabled);

    if (view_ui_has_icons()) {
        draw_icon(ImGui::GetWindowDrawList(), middle, glyph, colour);
        return;
    }
    const ImVec2 text = ImGui::CalcTextSize(word);
    ImGui::GetWindowDrawList()->AddText(ImVec2(low.x, std::floor(middle.y - text.y / 2.0f)), colour, word);
}

float view_ui_icon_width(const char *word)
{
    return view_ui_has_icons() ? VIEW_UI_ICON : view_ui_text_width(word) + 10.0f;
}

bool view_ui_icon(enum view_ui_glyph glyph, const char *word, bool chosen, bool possible, const char *help)
{
    const ImVec2 size(view_ui_points(view_ui_icon_width(word)), view_ui_points(VIEW_UI_ICON));

    ImGui::PushID(word);
    ImGui::BeginDisabled(!possible);
    const bool clicked = view_ui_mark(word, ImGui::InvisibleButton("icon", size));
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax(),
                 middle((low.x + high.x) / 2.0f, (low.y + high.y) / 2.0f);
    const bool hovered = ImGui::IsItemHovered();
    ImDrawList *list = ImGui::GetWindowDrawList();
    if (chosen)
        list->AddRectFilled(low, high, ImGui::GetColorU32(view_ui_chosen), view_ui_points(3));
    else if (hovered)
        list->AddRectFilled(low, high,
                            ImGui::GetColorU32(ImGui::IsItemActive() ? ImGuiCol_ButtonActive : ImGuiCol_ButtonHovered),
                            view_ui_points(3));
    const ImU32 colour = ImGui::GetColorU32(ImGuiCol_Text);
    if (view_ui_has_icons()) {
        draw_icon(list, middle, glyph, colour);
    } else {
        const ImVec2 text = ImGui::CalcTextSize(word);
        list->AddText(ImVec2(std::floor(middle.x - text.x / 2.0f), std::floor(middle.y - text.y / 2.0f)), colour, word);
    }
    ImGui::EndDisabled();
    ImGui::PopID();
    if (help != nullptr)
        view_ui_tooltip("%s", help);
    return clicked;
}

void view_ui_flow(float width, float gap)
{
    ImGui::SameLine(0.0f, view_ui_points(gap));
    if (ImGui::GetContentRegionAvail().x < view_ui_points(width))
        ImGui::NewLine();
}

void view_ui_bar_line(void)
{
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float inset = view_ui_points(4);

    ImGui::Dummy(ImVec2(1.0f, view_ui_points(VIEW_UI_ICON)));
    ImGui::GetWindowDrawList()->AddLine(ImVec2(at.x, at.y + inset),
                                        ImVec2(at.x, at.y + view_ui_points(VIEW_UI_ICON) - inset),
                                        ImGui::GetColorU32(ImGuiCol_Border));
}

void view_ui_gap(float width)
{
    ImGui::Dummy(ImVec2(view_ui_points(std::max(width, 0.0f)), 1.0f));
}

void view_ui_bar_frames_begin(void)
{
    ImGui::PushStyleVar(
        ImGuiStyleVar_FramePadding,
        ImVec2(ImGui::GetStyle().FramePadding.x, (view_ui_points(VIEW_UI_ICON) - ImGui::GetFontSize()) / 2.0f));
}

void view_ui_bar_frames_end(void)
{
    ImGui::PopStyleVar();
}

void view_ui_dot(const uint8_t colour[3])
{
    const float side = ImGui::GetTextLineHeight(), inset = view_ui_points(2);
    const ImVec2 at = ImGui::GetCursorScreenPos();

    ImGui::Dummy(ImVec2(side, side));
    ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(at.x + inset, at.y + inset),
                                              ImVec2(at.x + side - inset, at.y + side - inset),
                                              IM_COL32(colour[0], colour[1], colour[2], 255), view_ui_points(2));
}

/* Menus. */

bool view_ui_menus_begin(float height)
{
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(view_ui_points(6), (height - ImGui::GetFontSize()) / 2.0f));
    const bool shown = ImGui::BeginMainMenuBar();
    ImGui::PopStyleVar();
    return shown;
}

void view_ui_menus_end(void)
{
    ImGui::EndMainMenuBar();
}

bool view_ui_menu_begin(const char *label)
{
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(view_ui_points(10), view_ui_points(4)));
    if (view_ui_mark(label, ImGui::BeginMenu(label)))
        return true;
    ImGui::PopStyleVar();
    return false;
}

void view_ui_menu_end(void)
{
    ImGui::EndMenu();
    ImGui::PopStyleVar();
}

bool view_ui_menu_item(const char *label, const char *key, bool chosen, bool possible)
{
    return view_ui_mark(label, ImGui::MenuItem(label, key, chosen, possible));
}
