/* The page of an empty window: its window, large buttons, and cards with small pictures. */
#include <algorithm>
#include <cmath>
#include <imgui_internal.h>

#include "ui/mark.h"
#include "ui/ui.h"

/* Above the contents of the page, which are as tall as they were in the last frame. */
static float page_top;

void view_ui_page_begin(const char *title, float x, float y, float width, float height, float most)
{
    const float room = width - view_ui_points(34), used = std::min(room, view_ui_points(most));

    view_ui_window_begin(VIEW_UI_COVER, title, x, y, width, height, 1.0f);
    const float *const tall = ImGui::GetStateStorage()->GetFloatRef(ImGui::GetID("tall"), 0.0f);
    page_top = std::floor(std::max((ImGui::GetContentRegionAvail().y - *tall) * 0.4f, 0.0f));
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + page_top);
    ImGui::Indent(std::floor(std::max((room - used) / 2.0f, 1.0f)));
    ImGui::PushItemWidth(used);
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + used);
}

void view_ui_page_end(void)
{
    const ImGuiWindow *const window = ImGui::GetCurrentWindow();
    *ImGui::GetStateStorage()->GetFloatRef(ImGui::GetID("tall"), 0.0f) =
        window->DC.CursorMaxPos.y - window->DC.CursorStartPos.y - page_top;
    ImGui::PopTextWrapPos();
    ImGui::PopItemWidth();
    view_ui_window_end();
}

float view_ui_page_width(void)
{
    return ImGui::CalcItemWidth() / view_ui_points(1);
}

void view_ui_title(const char *text)
{
    ImGui::SetWindowFontScale(1.7f);
    ImGui::TextUnformatted(text);
    ImGui::SetWindowFontScale(1.0f);
}

static void draw_line(ImDrawList *list, ImVec2 at, float room, const char *text, ImGuiCol colour)
{
    list->AddText(at, ImGui::GetColorU32(colour), view_ui_shortened(text, room).c_str());
}

bool view_ui_offer(const char *label, const char *help, float width, bool chosen)
{
    const float line = ImGui::GetTextLineHeight(), pad = view_ui_points(10), wide = view_ui_points(width);
    const ImVec2 at = ImGui::GetCursorScreenPos(),
                 size(wide, 2.0f * pad + line + (help != nullptr ? line + view_ui_points(3) : 0.0f)),
                 end(at.x + size.x, at.y + size.y);
    const bool clicked = view_ui_mark(label, ImGui::InvisibleButton(label, size));
    ImDrawList *list = ImGui::GetWindowDrawList();
    const ImVec4 plain = chosen ? view_ui_chosen : ImGui::GetStyleColorVec4(ImGuiCol_Button),
                 hovered =
                     chosen ? ImVec4(0.29f, 0.46f, 0.62f, 1.0f) : ImGui::GetStyleColorVec4(ImGuiCol_ButtonHovered);
    const ImVec2 text(at.x + pad, at.y + pad);

    list->AddRectFilled(at, end, ImGui::GetColorU32(ImGui::IsItemHovered() ? hovered : plain), view_ui_points(4));
    list->PushClipRect(at, end, true);
    list->AddText(text, ImGui::GetColorU32(ImGuiCol_Text), label, ImGui::FindRenderedTextEnd(label));
    if (help != nullptr)
        draw_line(list, ImVec2(text.x, text.y + line + view_ui_points(3)), wide - 2.0f * pad, help,
                  chosen ? ImGuiCol_Text : ImGuiCol_TextDisabled);
    list->PopClipRect();
    return clicked;
}

/* A grid of vertices at the centres of the pixels, between which colours are interpolated: the backend has one texture,
 * that of the font. */
static void draw_mesh(ImDrawList *list, ImVec2 low, float scale, const struct view_ui_card *card)
{
    const uint32_t width = card->width + 2, height = card->height + 2; /* with the edges */
    const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
    const auto place = [](uint32_t i, uint32_t count) {
        return i == 0 ? 0.0f : i == count + 1 ? float(count) : float(i) - 0.5f;
    };
    const auto pixel = [](uint32_t i, uint32_t count) { return std::min(i > 0 ? i - 1 : 0, count - 1); };

    list->PrimReserve(int(6 * (width - 1) * (height - 1)), int(width * height));
    const unsigned first = list->_VtxCurrentIdx;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            const uint8_t *rgb = card->rgb + 3 * (size_t(pixel(y, card->height)) * card->width + pixel(x, card->width));
            list->PrimWriteVtx(ImVec2(low.x + scale * place(x, card->width), low.y + scale * place(y, card->height)),
                               white, IM_COL32(rgb[0], rgb[1], rgb[2], 255));
        }
    for (uint32_t y = 0; y + 1 < height; y++)
        for (uint32_t x = 0; x + 1 < width; x++) {
            const unsigned at = first + y * width + x, below = at + width;
            const unsigned corners[] = {at, at + 1, below + 1, at, below + 1, below};
            for (const unsigned corner : corners)
                list->PrimWriteIdx(ImDrawIdx(corner));
        }
}

/* What has no picture: a tree for forests, nested frames for what is found, and so on. */
static void draw_symbol(ImDrawList *list, ImVec2 centre, enum view_ui_symbol symbol)
{
    const float u = view_ui_points(9);
    const ImU32 colour = ImGui::GetColorU32(ImVec4(0.47f, 0.60f, 0.72f, 1.0f));
    const auto at = [&](float x, float y) { return ImVec2(centre.x + u * x, centre.y + u * y); };
    const float thin = view_ui_points(1.5f);

    switch (symbol) {
    case VIEW_UI_SYMBOL_FOREST:
        for (int tree = -1; tree <= 1; tree++) {
            const float x = 1.9f * float(tree), size = tree == 0 ? 1.0f : 0.75f;
            list->AddTriangleFilled(at(x, -2.4f * size), at(x - 1.0f * size, 0.4f), at(x + 1.0f * size, 0.4f), colour);
            list->AddTriangleFilled(at(x, -1.0f * size), at(x - 1.2f * size, 1.5f), at(x + 1.2f * size, 1.5f), colour);
            list->AddRectFilled(at(x - 0.15f, 1.5f), at(x + 0.15f, 2.1f), colour);
        }
        break;
    case VIEW_UI_SYMBOL_FRAMES:
        list->AddRect(at(-2.6f, -1.8f), at(0.6f, 1.0f), colour, 0.0f, 0, thin);
        list->AddRect(at(-0.6f, -0.6f), at(2.6f, 1.9f), colour, 0.0f, 0, thin);
        break;
    case VIEW_UI_SYMBOL_CAMERA:
        list->AddRectFilled(at(-2.2f, -1.2f), at(1.0f, 1.2f), colour, view_ui_points(3));
        list->AddTriangleFilled(at(1.2f, 0.0f), at(2.6f, -1.1f), at(2.6f, 1.1f), colour);
        break;
    case VIEW_UI_SYMBOL_PICTURE:
        list->AddRect(at(-2.6f, -1.9f), at(2.6f, 1.9f), colour, view_ui_points(2), 0, thin);
        list->AddTriangleFilled(at(-2.2f, 1.5f), at(-0.7f, -0.5f), at(0.8f, 1.5f), colour);
        list->AddTriangleFilled(at(0.0f, 1.5f), at(1.2f, 0.2f), at(2.3f, 1.5f), colour);
        list->AddCircleFilled(at(1.5f, -0.9f), 0.45f * u, colour);
        break;
    }
}

static void draw_picture(ImDrawList *list, ImVec2 low, ImVec2 high, const struct view_ui_card *card)
{
    const ImVec2 centre((low.x + high.x) / 2.0f, (low.y + high.y) / 2.0f);

    list->AddRectFilled(low, high, ImGui::GetColorU32(ImVec4(0.10f, 0.10f, 0.10f, 1.0f)), view_ui_points(3));
    if (card->rgb == nullptr) {
        draw_symbol(list, centre, card->symbol);
        return;
    }
    const float across = (high.x - low.x) / float(card->width), down = (high.y - low.y) / float(card->height);
    const float scale = std::min({across, down, 3.0f * view_ui_points(1)});
    draw_mesh(list,
              ImVec2(std::floor(centre.x - scale * float(card->width) / 2.0f),
                     std::floor(centre.y - scale * float(card->height) / 2.0f)),
              scale, card);
}

#define CARD_PAD   3.0f
#define CARD_LINES 3.0f

float view_ui_card_height(float width)
{
    return width * 2.0f / 3.0f + CARD_LINES * (ImGui::GetTextLineHeight() / view_ui_points(1) + 1.0f) + 3.0f * CARD_PAD;
}

/* The cross that removes a card, in its upper right corner. */
static bool show_cross(const struct view_ui_card *card, ImVec2 low, float right, bool *hovered)
{
    const float side = view_ui_points(18);
    const ImVec2 at(right - side - view_ui_points(CARD_PAD), low.y + view_ui_points(CARD_PAD));

    ImGui::SetCursorScreenPos(at);
    const bool clicked = view_ui_mark(card->remove, ImGui::InvisibleButton("remove", ImVec2(side, side)));
    view_ui_tooltip("remove it from this list; the file itself stays");
    *hovered = ImGui::IsItemHovered();
    return clicked;
}

static void draw_cross(ImDrawList *list, ImVec2 low, float right, bool hovered)
{
    const float side = view_ui_points(18), third = side / 3.0f;
    const ImVec2 at(right - side - view_ui_points(CARD_PAD), low.y + view_ui_points(CARD_PAD));
    const ImU32 colour = ImGui::GetColorU32(ImGuiCol_Text);

    list->AddRectFilled(at, ImVec2(at.x + side, at.y + side),
                        ImGui::GetColorU32(ImVec4(0.0f, 0.0f, 0.0f, hovered ? 0.9f : 0.6f)), view_ui_points(3));
    list->AddLine(ImVec2(at.x + third, at.y + third), ImVec2(at.x + 2.0f * third, at.y + 2.0f * third), colour,
                  view_ui_points(1.3f));
    list->AddLine(ImVec2(at.x + third, at.y + 2.0f * third), ImVec2(at.x + 2.0f * third, at.y + third), colour,
                  view_ui_points(1.3f));
}

enum view_ui_card_click view_ui_card(const struct view_ui_card *card, float width)
{
    const float wide = view_ui_points(width), high = view_ui_points(view_ui_card_height(width)),
                pad = view_ui_points(CARD_PAD), line = ImGui::GetTextLineHeight() + view_ui_points(1);
    const ImVec2 low = ImGui::GetCursorScreenPos(), end(low.x + wide, low.y + high);
    const ImVec2 picture(end.x - pad, low.y + pad + view_ui_points(width) * 2.0f / 3.0f - 2.0f * pad);
    ImDrawList *list = ImGui::GetWindowDrawList();
    bool at_cross;
    enum view_ui_card_click click = VIEW_UI_CARD_LEFT;

    if (show_cross(card, low, end.x, &at_cross))
        click = VIEW_UI_CARD_REMOVED;
    ImGui::SetCursorScreenPos(low);
    if (view_ui_mark(card->name, ImGui::InvisibleButton("card", ImVec2(wide, high))) && !card->missing)
        click = VIEW_UI_CARD_OPENED;
    const bool hovered = ImGui::IsItemHovered();
    view_ui_tooltip("%s", card->help);
    if (!ImGui::IsItemVisible())
        return click;
    list->AddRectFilled(low, end,
                        ImGui::GetColorU32(hovered && !card->missing ? ImGuiCol_ButtonHovered : ImGuiCol_FrameBg),
                        view_ui_points(4));
    draw_picture(list, ImVec2(low.x + pad, low.y + pad), picture, card);
    if (card->missing)
        list->AddRectFilled(ImVec2(low.x + pad, low.y + pad), picture, IM_COL32(20, 20, 20, 190), view_ui_points(3));
    const float left = low.x + 2.0f * pad, room = wide - 4.0f * pad;
    float y = picture.y + pad;
    draw_line(list, ImVec2(left, y), room, card->name, card->missing ? ImGuiCol_TextDisabled : ImGuiCol_Text);
    draw_line(list, ImVec2(left, y += line), room, card->place, ImGuiCol_TextDisabled);
    draw_line(list, ImVec2(left, y + line), room, card->note, ImGuiCol_TextDisabled);
    if (hovered || at_cross || card->missing)
        draw_cross(list, low, end.x, at_cross);
    return click;
}
