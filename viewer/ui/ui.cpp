/* The context of Dear ImGui: style, input and drawing. */
#include "ui/ui.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <deque>
#include <new>

#include <imgui.h>
#include <imgui_internal.h>

#include <backends/imgui_impl_vulkan.h>

#include "base/log.h"
#include "ui/fonts.h"

namespace
{
struct event {
    enum { MOVE, BUTTON, WHEEL, KEY, CHARACTER } kind;
    float x, y;
    unsigned number; /* button, key or codepoint */
    bool down, control, shift;
};

struct key {
    const char *name;
    ImGuiKey key;
};

const key keys[] = {{"Tab", ImGuiKey_Tab},
                    {"Left", ImGuiKey_LeftArrow},
                    {"Right", ImGuiKey_RightArrow},
                    {"Up", ImGuiKey_UpArrow},
                    {"Down", ImGuiKey_DownArrow},
                    {"Home", ImGuiKey_Home},
                    {"End", ImGuiKey_End},
                    {"Insert", ImGuiKey_Insert},
                    {"Delete", ImGuiKey_Delete},
                    {"Backspace", ImGuiKey_Backspace},
                    {"Enter", ImGuiKey_Enter},
                    {"Escape", ImGuiKey_Escape},
                    {"A", ImGuiKey_A},
                    {"C", ImGuiKey_C},
                    {"V", ImGuiKey_V},
                    {"X", ImGuiKey_X},
                    {"Y", ImGuiKey_Y},
                    {"Z", ImGuiKey_Z}};

VkResult backend_result;

void check(VkResult result)
{
    if (result != VK_SUCCESS)
        backend_result = result;
}
} // namespace

struct view_ui {
    const struct view_gpu *gpu;
    ImGuiContext *context;
    VkRenderPass pass;
    uint32_t slots;
    VkDescriptorPool pool;
    bool backend;
    float scale;
    std::deque<event> events;
    ImGuiKey pressed; /* in the last frame, to be released in the next; ImGuiKey_COUNT: none */
};

static ImVec4 grey(float level, float opacity = 1.0f)
{
    return ImVec4(level, level, level, opacity);
}

static void set_style(float scale)
{
    ImGuiStyle &style = ImGui::GetStyle();
    const ImVec4 accent(0.36f, 0.56f, 0.74f, 1.0f), pale(0.36f, 0.56f, 0.74f, 0.45f), bright(0.47f, 0.67f, 0.86f, 1.0f);

    style = ImGuiStyle();
    style.WindowPadding = ImVec2(10, 8);
    style.FramePadding = ImVec2(6, 3);
    style.ItemSpacing = ImVec2(6, 5);
    style.ItemInnerSpacing = ImVec2(6, 4);
    style.CellPadding = ImVec2(4, 2);
    style.ScrollbarSize = 10;
    style.GrabMinSize = 8;
    style.WindowBorderSize = 0;
    style.PopupBorderSize = 1;
    style.WindowRounding = 0;
    style.PopupRounding = 4;
    style.FrameRounding = style.GrabRounding = style.ScrollbarRounding = 3;
    style.WindowTitleAlign = ImVec2(0.0f, 0.5f);
    style.Colors[ImGuiCol_Text] = grey(0.86f);
    style.Colors[ImGuiCol_TextDisabled] = grey(0.56f);
    style.Colors[ImGuiCol_WindowBg] = grey(float(VIEW_UI_BACKGROUND) / 255.0f);
    style.Colors[ImGuiCol_ChildBg] = grey(0.13f);
    style.Colors[ImGuiCol_PopupBg] = grey(0.10f);
    style.Colors[ImGuiCol_Border] = grey(0.30f);
    style.Colors[ImGuiCol_FrameBg] = grey(0.23f);
    style.Colors[ImGuiCol_FrameBgHovered] = grey(0.28f);
    style.Colors[ImGuiCol_FrameBgActive] = grey(0.32f);
    style.Colors[ImGuiCol_MenuBarBg] = grey(0.13f);
    style.Colors[ImGuiCol_TitleBg] = style.Colors[ImGuiCol_TitleBgActive] = grey(0.20f);
    style.Colors[ImGuiCol_ScrollbarBg] = grey(0.0f, 0.0f);
    style.Colors[ImGuiCol_ScrollbarGrab] = grey(0.32f);
    style.Colors[ImGuiCol_ScrollbarGrabHovered] = grey(0.40f);
    style.Colors[ImGuiCol_ScrollbarGrabActive] = grey(0.46f);
    style.Colors[ImGuiCol_CheckMark] = bright;
    style.Colors[ImGuiCol_SliderGrab] = accent;
    style.Colors[ImGuiCol_SliderGrabActive] = bright;
    style.Colors[ImGuiCol_Button] = grey(0.26f);
    style.Colors[ImGuiCol_ButtonHovered] = grey(0.32f);
    style.Colors[ImGuiCol_ButtonActive] = grey(0.38f);
    style.Colors[ImGuiCol_Header] = grey(0.26f);
    style.Colors[ImGuiCol_HeaderHovered] = grey(0.30f);
    style.Colors[ImGuiCol_HeaderActive] = grey(0.34f);
    style.Colors[ImGuiCol_Separator] = grey(0.26f);
    style.Colors[ImGuiCol_PlotLines] = bright;
    style.Colors[ImGuiCol_PlotHistogram] = accent;
    style.Colors[ImGuiCol_TableHeaderBg] = grey(0.20f);
    style.Colors[ImGuiCol_TableBorderLight] = grey(0.22f);
    style.Colors[ImGuiCol_TextSelectedBg] = pale;
    style.Colors[ImGuiCol_NavHighlight] = grey(0.0f, 0.0f);
    style.Colors[ImGuiCol_ModalWindowDimBg] = grey(0.0f, 0.45f);
    style.ScaleAllSizes(scale);
}

/* Uploads the image of the font's glyphs and waits. */
static enum shw_result upload_font(const struct view_gpu *gpu)
{
    VkCommandBufferAllocateInfo allocate = {};
    VkCommandBufferBeginInfo begin = {};
    VkSubmitInfo submit = {};
    VkCommandBuffer commands = VK_NULL_HANDLE;
    enum shw_result result;

    allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    allocate.commandPool = gpu->pool;
    allocate.commandBufferCount = 1;
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands;
    VIEW_TRY(gpu, vkAllocateCommandBuffers, gpu->device, &allocate, &commands);
    VIEW_TRY(gpu, vkBeginCommandBuffer, commands, &begin);
    ImGui_ImplVulkan_CreateFontsTexture(commands);
    VIEW_TRY(gpu, vkEndCommandBuffer, commands);
    VIEW_TRY(gpu, vkQueueSubmit, gpu->queue, 1, &submit, VK_NULL_HANDLE);
    VIEW_TRY(gpu, vkQueueWaitIdle, gpu->queue);
    ImGui_ImplVulkan_DestroyFontUploadObjects();

fail:
    if (commands != VK_NULL_HANDLE)
        vkFreeCommandBuffers(gpu->device, gpu->pool, 1, &commands);
    return result;
}

static enum shw_result create_pool(struct view_ui *ui)
{
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1};
    VkDescriptorPoolCreateInfo pool = {};

    pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    pool.maxSets = pool.poolSizeCount = 1;
    pool.pPoolSizes = &size;
    VIEW_PROPAGATE(ui->gpu, vkCreateDescriptorPool, ui->gpu->device, &pool, nullptr, &ui->pool);
    return SHW_OK;
}

static enum shw_result create_backend(struct view_ui *ui)
{
    ImGui_ImplVulkan_InitInfo info = {};

    info.Instance = ui->gpu->instance;
    info.PhysicalDevice = ui->gpu->physical;
    info.Device = ui->gpu->device;
    info.QueueFamily = ui->gpu->family;
    info.Queue = ui->gpu->queue;
    info.DescriptorPool = ui->pool;
    info.MinImageCount = info.ImageCount = ui->slots < 2 ? 2 : ui->slots;
    info.MSAASamples = VK_SAMPLE_COUNT_1_BIT;
    info.CheckVkResultFn = check;
    backend_result = VK_SUCCESS;
    ui->backend = ImGui_ImplVulkan_Init(&info, ui->pass);
    SHW_PROPAGATE(view_gpu_check(ui->gpu, backend_result, "ImGui_ImplVulkan_Init"));
    SHW_PROPAGATE(upload_font(ui->gpu));
    return view_gpu_check(ui->gpu, backend_result, "ImGui_ImplVulkan_CreateFontsTexture");
}

enum shw_result view_ui_create(const struct view_gpu *gpu, VkRenderPass pass, uint32_t slots, float scale,
                               struct view_ui **ui)
{
    view_ui *made = new (std::nothrow) view_ui();
    enum shw_result result;

    *ui = nullptr;
    if (made == nullptr)
        return SHW_ERROR_MEMORY;
    made->gpu = gpu;
    made->scale = scale;
    made->pass = pass;
    made->slots = slots;
    made->pressed = ImGuiKey_COUNT;
    made->context = ImGui::CreateContext();
    ImGuiIO &io = ImGui::GetIO();
    io.IniFilename = io.LogFilename = nullptr;
    io.ConfigInputTextCursorBlink = false;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
    for (const key &known : keys)
        io.KeyMap[known.key] = known.key;
    io.KeyMap[ImGuiKey_Enter] = ImGuiKey_Enter;
    set_style(scale);
    view_fonts_add(scale);
    result = create_pool(made);
    if (result == SHW_OK)
        result = create_backend(made);
    if (result != SHW_OK)
        view_ui_destroy(&made);
    *ui = made;
    return result;
}

/* Makes the image of glyphs again, with characters that have occurred. If that fails, nothing more is drawn. */
static void renew_fonts(struct view_ui *ui)
{
    vkQueueWaitIdle(ui->gpu->queue);
    if (ui->backend)
        ImGui_ImplVulkan_Shutdown();
    ui->backend = false;
    vkResetDescriptorPool(ui->gpu->device, ui->pool, 0);
    view_fonts_add(ui->scale);
    if (create_backend(ui) == SHW_OK || !ui->backend)
        return;
    ImGui_ImplVulkan_Shutdown();
    ui->backend = false;
}

void view_ui_destroy(struct view_ui **ui)
{
    view_ui *old = *ui;

    *ui = nullptr;
    if (old == nullptr)
        return;
    ImGui::SetCurrentContext(old->context);
    if (old->backend)
        ImGui_ImplVulkan_Shutdown();
    vkDestroyDescriptorPool(old->gpu->device, old->pool, nullptr);
    ImGui::DestroyContext(old->context);
    delete old;
}

float view_ui_scale(const struct view_ui *ui)
{
    return ui->scale;
}

/* Whether the window has somewhere to go in that direction. */
static bool can_scroll(const ImGuiWindow *window, float notches)
{
    const float at = window->ScrollTarget.y < FLT_MAX ? window->ScrollTarget.y : window->Scroll.y;

    return (window->Flags & ImGuiWindowFlags_NoScrollWithMouse) == 0 &&
           (notches > 0.0f ? at > 0.0f : at < window->ScrollMax.y);
}

/* What is under the mouse: a list, and at the end of the list the column that it is in. */
static void scroll(const ImGuiContext &context, float notches)
{
    ImGuiWindow *window = context.HoveredWindow;

    while (window != nullptr && !can_scroll(window, notches))
        window = (window->Flags & ImGuiWindowFlags_ChildWindow) != 0 ? window->ParentWindow : nullptr;
    if (window == nullptr)
        return;
    const float step = floorf(std::min(5.0f * window->CalcFontSize(), 0.67f * window->InnerRect.GetHeight()));
    const float at = window->ScrollTarget.y < FLT_MAX ? window->ScrollTarget.y : window->Scroll.y;
    ImGui::SetScrollY(window, std::min(std::max(at - notches * step, 0.0f), window->ScrollMax.y));
}

/* Passes the input that one frame can handle: a button or key changes only once, and the mouse does not move while it
 * does. A key is released for a frame before it is pressed again. */
static void take_events(struct view_ui *ui, ImGuiIO &io)
{
    const ImGuiKey released = ui->pressed;
    bool pressed = false, moved = false;

    memset(io.KeysDown, 0, sizeof io.KeysDown);
    ui->pressed = ImGuiKey_COUNT;
    io.KeyCtrl = io.KeyShift = false;
    while (!ui->events.empty()) {
        const event next = ui->events.front();
        if (pressed || (next.kind == event::KEY && next.number == unsigned(released)) ||
            (moved && (next.kind == event::BUTTON || next.kind == event::WHEEL)))
            break;
        io.KeyCtrl = next.control;
        io.KeyShift = next.shift;
        switch (next.kind) {
        case event::MOVE:
            io.MousePos = ImVec2(next.x, next.y);
            moved = true;
            break;
        case event::BUTTON:
            io.MouseDown[next.number] = next.down;
            pressed = true;
            break;
        case event::WHEEL: scroll(*ui->context, next.y); break;
        case event::KEY:
            io.KeysDown[next.number] = true;
            ui->pressed = ImGuiKey(next.number);
            pressed = true;
            break;
        case event::CHARACTER: io.AddInputCharacter(next.number); break;
        }
        ui->events.pop_front();
    }
}

static ImU32 colour_of(const uint8_t colour[3], float opacity)
{
    return IM_COL32(colour[0], colour[1], colour[2], int(opacity * 255.0f + 0.5f));
}

void view_ui_canvas_clip(float x, float y, float width, float height)
{
    ImDrawList *list = ImGui::GetBackgroundDrawList();

    if (list->_ClipRectStack.Size > 1)
        list->PopClipRect();
    list->PushClipRect(ImVec2(x, y), ImVec2(x + width, y + height));
}

void view_ui_canvas_path(const float (*points)[2], uint32_t count, const uint8_t colour[3], float opacity, float width)
{
    static_assert(sizeof(ImVec2) == sizeof *points, "points are passed as they are");
    ImGui::GetBackgroundDrawList()->AddPolyline(reinterpret_cast<const ImVec2 *>(points), int(count),
                                                colour_of(colour, opacity), ImDrawFlags_None, width);
}

void view_ui_canvas_line(float x0, float y0, float x1, float y1, const uint8_t colour[3], float opacity, float width)
{
    ImGui::GetBackgroundDrawList()->AddLine(ImVec2(x0, y0), ImVec2(x1, y1), colour_of(colour, opacity), width);
}

void view_ui_canvas_circle(float x, float y, float radius, const uint8_t colour[3], float opacity, float width)
{
    ImGui::GetBackgroundDrawList()->AddCircle(ImVec2(x, y), radius, colour_of(colour, opacity), 0, width);
}

void view_ui_canvas_text(float x, float y, const char *text, const uint8_t colour[3], const uint8_t background[3])
{
    ImDrawList *list = ImGui::GetBackgroundDrawList();
    text = view_ui_letters(text);
    const ImVec2 size = ImGui::CalcTextSize(text);
    const float pad = 0.15f * size.y;

    x = std::floor(x);
    y = std::floor(y - size.y);
    list->AddRectFilled(ImVec2(x, y), ImVec2(x + size.x + 2.0f * pad, y + size.y), colour_of(background, 0.8f));
    list->AddText(ImVec2(x + pad, y), colour_of(colour, 1.0f), text);
}

void view_ui_begin(struct view_ui *ui, VkExtent2D canvas, double seconds)
{
    ImGui::SetCurrentContext(ui->context);
    ImGuiIO &io = ImGui::GetIO();
    io.DisplaySize = ImVec2(float(canvas.width), float(canvas.height));
    io.DeltaTime = seconds < 1e-4 ? 1e-4f : seconds > 0.1 ? 0.1f : float(seconds);
    take_events(ui, io);
    if (view_fonts_are_wanted())
        renew_fonts(ui);
    ImGui::NewFrame();
    view_ui_canvas_clip(0.0f, 0.0f, io.DisplaySize.x, io.DisplaySize.y);
}

/* Closes sheets that this frame has not described. */
static void close_sheets(const ImGuiContext &context)
{
    if (context.OpenPopupStack.Size > 0 && context.OpenPopupStack[0].Window != nullptr &&
        !context.OpenPopupStack[0].Window->Active)
        ImGui::ClosePopupToLevel(0, false);
}

void view_ui_end(struct view_ui *ui)
{
    close_sheets(*ui->context);
    ImGui::GetBackgroundDrawList()->PopClipRect();
    ImGui::Render();
}

void view_ui_draw(struct view_ui *ui, VkCommandBuffer commands)
{
    ImGui::SetCurrentContext(ui->context);
    if (ui->backend && ImGui::GetDrawData() != nullptr) /* NULL until the first frame is complete */
        ImGui_ImplVulkan_RenderDrawData(ImGui::GetDrawData(), commands);
}

bool view_ui_pending(const struct view_ui *ui)
{
    return !ui->events.empty() || ui->pressed != ImGuiKey_COUNT || view_fonts_are_wanted();
}

static bool is_settling(const ImGuiTable &table)
{
    bool settling = false;

    for (int c = 0; c < table.ColumnsCount; c++)
        settling = settling || table.Columns[c].AutoFitQueue != 0;
    return settling;
}

/* It was measured for the first time, or its contents have grown or shrunk. */
static bool is_settling(const ImGuiWindow &window)
{
    const ImVec2 used(window.DC.CursorMaxPos.x - window.DC.CursorStartPos.x,
                      window.DC.CursorMaxPos.y - window.DC.CursorStartPos.y);

    return window.HiddenFramesCannotSkipItems > 0 || fabsf(floorf(used.x) - window.ContentSize.x) >= 1.0f ||
           fabsf(floorf(used.y) - window.ContentSize.y) >= 1.0f;
}

bool view_ui_is_settling(const struct view_ui *ui)
{
    ImGuiContext &context = *ui->context;
    /* what lies behind a question grows dim, and bright again after it */
    bool settling = context.DimBgRatio > 0.0f && context.DimBgRatio < 1.0f;

    for (const ImGuiWindow *window : context.Windows)
        settling = settling || (window->Active && is_settling(*window));
    for (int n = 0; n < context.Tables.GetMapSize(); n++)
        if (const ImGuiTable *table = context.Tables.TryGetMapData(n))
            settling = settling || (table->LastFrameActive == context.FrameCount && is_settling(*table));
    return settling;
}

bool view_ui_may_change_focus(const struct view_ui *ui)
{
    bool may = ui->pressed == ImGuiKey_Tab; /* the next field gets it a frame later */

    for (const event &next : ui->events)
        may = may || next.kind == event::KEY || next.kind == event::BUTTON;
    return may;
}

void view_ui_move(struct view_ui *ui, float x, float y)
{
    if (!ui->events.empty() && ui->events.back().kind == event::MOVE)
        ui->events.pop_back();
    ui->events.push_back({event::MOVE, x, y, 0, false, false, false});
}

void view_ui_press(struct view_ui *ui, unsigned button, bool down, bool control, bool shift)
{
    if (button < 3)
        ui->events.push_back({event::BUTTON, 0, 0, button, down, control, shift});
}

void view_ui_wheel(struct view_ui *ui, float notches)
{
    ui->events.push_back({event::WHEEL, 0, notches, 0, false, false, false});
}

bool view_ui_key(struct view_ui *ui, const char *name, bool control, bool shift)
{
    for (const key &known : keys)
        if (strcmp(known.name, name) == 0 && (known.name[1] != '\0' || control)) {
            ui->events.push_back({event::KEY, 0, 0, unsigned(known.key), true, control, shift});
            return true;
        }
    return false;
}

void view_ui_character(struct view_ui *ui, uint32_t codepoint)
{
    ui->events.push_back({event::CHARACTER, 0, 0, codepoint, false, false, false});
}

bool view_ui_is_at(const struct view_ui *ui, float x, float y)
{
    const ImGuiContext &context = *ui->context;

    if (context.OpenPopupStack.Size > 0)
        return true;
    for (const ImGuiWindow *window : context.Windows)
        if (window->WasActive && !window->Hidden && (window->Flags & ImGuiWindowFlags_NoMouseInputs) == 0 &&
            window->OuterRectClipped.Contains(ImVec2(x, y)))
            return true;
    return false;
}

void view_ui_set_clipboard(struct view_ui *ui, const struct view_ui_clipboard *clipboard)
{
    ui->context->IO.ClipboardUserData = clipboard->user;
    ui->context->IO.GetClipboardTextFn = clipboard->get;
    ui->context->IO.SetClipboardTextFn = clipboard->set;
}

enum view_ui_cursor view_ui_cursor(const struct view_ui *ui)
{
    switch (ui->context->MouseCursor) {
    case ImGuiMouseCursor_TextInput: return VIEW_UI_TEXT;
    case ImGuiMouseCursor_ResizeEW: return VIEW_UI_SIDEWAYS;
    default: return VIEW_UI_ARROW;
    }
}

bool view_ui_has_list(const struct view_ui *ui)
{
    const ImVector<ImGuiPopupData> &open = ui->context->OpenPopupStack;

    return open.Size > 0 && open.back().Window != nullptr && (open.back().Window->Flags & ImGuiWindowFlags_Modal) == 0;
}

void view_ui_close_list(struct view_ui *ui)
{
    ImGui::SetCurrentContext(ui->context);
    if (view_ui_has_list(ui))
        ImGui::ClosePopupToLevel(ui->context->OpenPopupStack.Size - 1, true);
}

void view_ui_show_pointer(struct view_ui *ui, bool shown)
{
    ui->context->IO.MouseDrawCursor = shown;
}

bool view_ui_wants_text(const struct view_ui *ui)
{
    const ImGuiContext &context = *ui->context; /* its IO is still that of the last frame but one */

    return context.WantTextInputNextFrame == 1 && context.ActiveId != 0 &&
           context.ActiveId == context.InputTextState.ID;
}
