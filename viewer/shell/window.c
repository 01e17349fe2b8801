#include "shell/window.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "base/log.h"
#include "gpu/canvas.h"
#include "shell/held.h"
#include "shell/input.h"

#define TOOLTIP_SECONDS 0.5 /* that the mouse rests on an item before its tooltip is shown */

struct view_window {
    struct view_app *app;
    GLFWwindow *handle;
    VkSurfaceKHR surface;
    struct view_swapchain swapchain;
    GLFWcursor *cursors[VIEW_POINTERS];
    enum view_pointer pointer; /* the one shown */
    struct view_held held;
    bool renew; /* the swapchain must be created again */
    char title[256];
};

/* GLFW's errors have no user pointer. */
static struct shw_log glfw_log;

static void receive_error(int code, const char *text)
{
    if (code != GLFW_FORMAT_UNAVAILABLE)
        shw_log_message(&glfw_log, SHW_LOG_WARNING, SHW_LOG_REQUIREMENT, "the window system: %s", text);
}

enum shw_result view_window_begin(const struct shw_log *log, const char *const **extensions, uint32_t *count)
{
    glfw_log = *log;
    glfwSetErrorCallback(receive_error);
    if (!glfwInit())
        return shw_fail(log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                        "there is no display; use --headless without one");
    *extensions = (const char *const *)glfwGetRequiredInstanceExtensions(count);
    if (*extensions != NULL)
        return SHW_OK;
    glfwTerminate();
    return shw_fail(log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT, "Vulkan cannot draw into this display's windows");
}

void view_window_end(void)
{
    glfwTerminate();
}

/* Takes over the modifiers of an event; the wheel has none, and what was held before holds. */
static void hold_modifiers(struct view_window *window, int modifiers)
{
    view_held_note(&window->held, (modifiers & GLFW_MOD_CONTROL) != 0, (modifiers & GLFW_MOD_SHIFT) != 0);
    view_input_hold(window->app, window->held.control != 0, window->held.shift != 0);
}

/* The same of a key, whose modifiers do not include the key itself. */
static void hold_key(struct view_window *window, int key, bool down, int modifiers)
{
    view_held_note(&window->held, (modifiers & GLFW_MOD_CONTROL) != 0, (modifiers & GLFW_MOD_SHIFT) != 0);
    if (key == GLFW_KEY_LEFT_CONTROL || key == GLFW_KEY_RIGHT_CONTROL)
        view_held_change(&window->held.control, key == GLFW_KEY_LEFT_CONTROL ? VIEW_HELD_LEFT : VIEW_HELD_RIGHT, down);
    if (key == GLFW_KEY_LEFT_SHIFT || key == GLFW_KEY_RIGHT_SHIFT)
        view_held_change(&window->held.shift, key == GLFW_KEY_LEFT_SHIFT ? VIEW_HELD_LEFT : VIEW_HELD_RIGHT, down);
    view_input_hold(window->app, window->held.control != 0, window->held.shift != 0);
}

/* The window that an event is for: the thread has looked now. */
static struct view_window *take_event(GLFWwindow *handle)
{
    struct view_window *window = glfwGetWindowUserPointer(handle);

    view_watch_looks(&window->app->frames.watch);
    return window;
}

/* Handles keys without a character, and keys pressed with Ctrl, whose letters depend on the layout. Other keys arrive
 * as characters. */
static void key_pressed(GLFWwindow *handle, int key, int scancode, int action, int modifiers)
{
    static const struct {
        int key;
        const char *name;
    } names[] = {{GLFW_KEY_SPACE, "Space"},    {GLFW_KEY_PAGE_DOWN, "PageDown"},
                 {GLFW_KEY_PAGE_UP, "PageUp"}, {GLFW_KEY_LEFT, "Left"},
                 {GLFW_KEY_RIGHT, "Right"},    {GLFW_KEY_UP, "Up"},
                 {GLFW_KEY_DOWN, "Down"},      {GLFW_KEY_TAB, "Tab"},
                 {GLFW_KEY_HOME, "Home"},      {GLFW_KEY_END, "End"},
                 {GLFW_KEY_INSERT, "Insert"},  {GLFW_KEY_DELETE, "Delete"},
                 {GLFW_KEY_ENTER, "Enter"},    {GLFW_KEY_BACKSPACE, "Backspace"},
                 {GLFW_KEY_ESCAPE, "Escape"},  {GLFW_KEY_KP_ENTER, "Enter"}};
    struct view_window *window = take_event(handle);
    const char *letter = glfwGetKeyName(key, scancode);
    const char *shift = (modifiers & GLFW_MOD_SHIFT) != 0 ? "Shift+" : "";
    const char *control = (modifiers & GLFW_MOD_CONTROL) != 0 ? "Ctrl+" : "";
    char name[32] = "";

    hold_key(window, key, action != GLFW_RELEASE, modifiers);
    if (action == GLFW_RELEASE)
        return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].key == key)
            snprintf(name, sizeof name, "%s%s%s", control, shift, names[i].name);
    if (key >= GLFW_KEY_F1 && key <= GLFW_KEY_F12)
        snprintf(name, sizeof name, "%s%sF%d", control, shift, key - GLFW_KEY_F1 + 1);
    if (*control != '\0' && key >= GLFW_KEY_0 &&
        key <= GLFW_KEY_9) /* digits by position, for layouts with other characters there */
        snprintf(name, sizeof name, "%s%s%c", control, shift, key - GLFW_KEY_0 + '0');
    if (*control != '\0' && letter != NULL && letter[0] >= 'a' && letter[0] <= 'z' && letter[1] == '\0')
        snprintf(name, sizeof name, "%s%s%c", control, shift, letter[0] - 'a' + 'A');
    if (name[0] != '\0')
        view_input_key(window->app, name);
}

static void character_typed(GLFWwindow *handle, unsigned codepoint)
{
    struct view_window *window = take_event(handle);

    view_input_character(window->app, codepoint);
}

static void cursor_moved(GLFWwindow *handle, double x, double y)
{
    struct view_window *window = take_event(handle);
    VkExtent2D canvas = window->app->canvas.image.extent;
    int width, height;

    glfwGetWindowSize(handle, &width, &height);
    view_input_move(window->app, x * (width > 0 ? (double)canvas.width / width : 1.0),
                    y * (height > 0 ? (double)canvas.height / height : 1.0));
}

static void cursor_entered(GLFWwindow *handle, int entered)
{
    struct view_window *window = take_event(handle);

    if (entered)
        return;
    view_input_leave(window->app);
    if (!glfwGetWindowAttrib(handle, GLFW_FOCUSED)) /* keys that are released out there send no event */
        hold_modifiers(window, 0);
}

/* The same. */
static void focus_changed(GLFWwindow *handle, int focused)
{
    struct view_window *window = take_event(handle);

    if (!focused)
        hold_modifiers(window, 0);
}

static void button_pressed(GLFWwindow *handle, int button, int action, int modifiers)
{
    struct view_window *window = take_event(handle);

    hold_modifiers(window, modifiers);
    if (button == GLFW_MOUSE_BUTTON_LEFT || button == GLFW_MOUSE_BUTTON_RIGHT || button == GLFW_MOUSE_BUTTON_MIDDLE)
        view_input_button(window->app,
                          button == GLFW_MOUSE_BUTTON_LEFT    ? VIEW_LEFT
                          : button == GLFW_MOUSE_BUTTON_RIGHT ? VIEW_RIGHT
                                                              : VIEW_MIDDLE,
                          action == GLFW_PRESS);
}

static void scrolled(GLFWwindow *handle, double x, double y)
{
    struct view_window *window = take_event(handle);

    (void)x;
    view_input_wheel(window->app, y);
}

static void dropped(GLFWwindow *handle, int count, const char **paths)
{
    struct view_window *window = take_event(handle);

    for (int i = 0; i < count; i++)
        view_input_drop(window->app, paths[i]);
}

static void scale_changed(GLFWwindow *handle, float x, float y)
{
    struct view_window *window = take_event(handle);

    (void)y;
    window->app->display_scale = fminf(fmaxf(x, (float)VIEW_SCALE_MIN), (float)VIEW_SCALE_MAX);
    if (window->app->remembered.scale == 0.0f) {
        view_panels_scale(&window->app->panels, window->app->display_scale);
        if (window->app->panels.moved)
            view_app_fit_panels(window->app);
    }
}

static void resized(GLFWwindow *handle, int width, int height)
{
    struct view_window *window = take_event(handle);

    (void)width, (void)height;
    window->renew = true;
}

static void refreshed(GLFWwindow *handle)
{
    struct view_window *window = take_event(handle);

    window->app->scene.redraw = true;
}

static enum shw_result create_surface(struct view_window *window)
{
    const struct view_gpu *gpu = &window->app->gpu;
    VkBool32 supported = VK_FALSE;

    VIEW_PROPAGATE(gpu, glfwCreateWindowSurface, gpu->instance, window->handle, NULL, &window->surface);
    VIEW_PROPAGATE(gpu, vkGetPhysicalDeviceSurfaceSupportKHR, gpu->physical, gpu->family, window->surface, &supported);
    if (!supported)
        return shw_fail(&gpu->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                        "%s cannot draw into this display's windows; another one may (--device)",
                        gpu->properties.deviceName);
    return SHW_OK;
}

/* Not every display system can report or set the position of a window; not worth a warning. */
static void place(struct view_window *window)
{
    const int32_t x = window->app->remembered.window.x, y = window->app->remembered.window.y;
    GLFWmonitor **monitors;
    int count, left, top, width, height;

    if (window->app->remembered.window.width == 0)
        return;
    glfwSetErrorCallback(NULL);
    monitors = glfwGetMonitors(&count);
    for (int i = 0; i < count; i++) {
        glfwGetMonitorWorkarea(monitors[i], &left, &top, &width, &height);
        if (x >= left && y >= top && x < left + width && y < top + height)
            glfwSetWindowPos(window->handle, x, y);
    }
    glfwSetErrorCallback(receive_error);
}

static const char *get_clipboard(void *user)
{
    return glfwGetClipboardString(user);
}

static void set_clipboard(void *user, const char *text)
{
    glfwSetClipboardString(user, text);
}

/* Stores the window's size and position. */
static void remember_window(void *user, struct view_settings *remembered)
{
    const struct view_window *window = user;
    VkExtent2D canvas = window->app->canvas.image.extent;
    int x = 0, y = 0;

    glfwSetErrorCallback(NULL);
    glfwGetWindowPos(window->handle, &x, &y);
    glfwSetErrorCallback(receive_error);
    remembered->window.x = x;
    remembered->window.y = y;
    remembered->window.width = canvas.width;
    remembered->window.height = canvas.height;
}

enum shw_result view_window_create(struct view_app *app, struct view_window **window)
{
    struct view_window *made = calloc(1, sizeof *made);
    VkExtent2D canvas = app->canvas.image.extent;
    float scale = 1.0f;
    enum shw_result result;

    if (made == NULL)
        return shw_fail_memory(&app->log, "the window");
    made->app = app;
    app->interactive = true;
    view_ui_delay_tooltips(TOOLTIP_SECONDS);
    glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
    made->handle = glfwCreateWindow((int)canvas.width, (int)canvas.height, "Shadewood", NULL, NULL);
    if (made->handle == NULL) {
        free(made);
        return shw_fail(&app->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT, "a window cannot be opened");
    }
    glfwSetWindowUserPointer(made->handle, made);
    app->remember_window = remember_window;
    app->window = made;
    glfwSetKeyCallback(made->handle, key_pressed);
    glfwSetCharCallback(made->handle, character_typed);
    glfwSetCursorPosCallback(made->handle, cursor_moved);
    glfwSetCursorEnterCallback(made->handle, cursor_entered);
    glfwSetWindowFocusCallback(made->handle, focus_changed);
    glfwSetMouseButtonCallback(made->handle, button_pressed);
    glfwSetScrollCallback(made->handle, scrolled);
    glfwSetDropCallback(made->handle, dropped);
    glfwSetFramebufferSizeCallback(made->handle, resized);
    glfwSetWindowRefreshCallback(made->handle, refreshed);
    glfwSetWindowContentScaleCallback(made->handle, scale_changed);
    SHW_TRY(create_surface(made));
    glfwGetWindowContentScale(made->handle, &scale, NULL);
    scale_changed(made->handle, scale, scale);
    if (app->remembered.scale > 0.0f)
        app->panels.scale = app->remembered.scale;
    app->panels.clipboard = (struct view_ui_clipboard){made->handle, get_clipboard, set_clipboard};
    SHW_TRY(view_panels_switch(&app->panels, !app->remembered.panels_off));
    view_app_fit_panels(app);
    place(made);
    made->renew = true;
    *window = made;
    return SHW_OK;

fail:
    view_window_destroy(&made);
    return result;
}

void view_window_destroy(struct view_window **window)
{
    struct view_window *old = *window;

    if (old == NULL)
        return;
    old->app->remember_window = NULL;
    for (uint32_t p = 0; p < VIEW_POINTERS; p++)
        if (old->cursors[p] != NULL)
            glfwDestroyCursor(old->cursors[p]);
    view_swapchain_destroy(&old->app->gpu, &old->swapchain);
    vkDestroySurfaceKHR(old->app->gpu.instance, old->surface, NULL);
    old->app->panels.clipboard = (struct view_ui_clipboard){0};
    glfwDestroyWindow(old->handle);
    free(old);
    *window = NULL;
}

/* Makes swapchain and canvas as large as the window. While it is minimised, there is nothing to draw to. */
static enum shw_result renew(struct view_window *window)
{
    struct view_app *app = window->app;
    VkExtent2D wanted, canvas = app->canvas.image.extent;
    int width, height;

    glfwGetFramebufferSize(window->handle, &width, &height);
    wanted = (VkExtent2D){(uint32_t)width, (uint32_t)height};
    SHW_PROPAGATE(view_swapchain_create(&app->gpu, window->surface, wanted, app->vsync, &window->swapchain));
    window->renew = false;
    wanted = window->swapchain.extent;
    if (wanted.width > 0 && (wanted.width != canvas.width || wanted.height != canvas.height))
        SHW_PROPAGATE(view_app_resize(app, wanted));
    app->scene.redraw = true;
    return SHW_OK;
}

/* Requests the size that an action wants, and gives the window system a second for it. */
static void request_size(struct view_window *window)
{
    VkExtent2D *size = &window->app->size;
    double deadline = glfwGetTime() + 1.0;
    int width = 0, height = 0;

    if (size->width == 0)
        return;
    glfwGetFramebufferSize(window->handle, &width, &height);
    if ((uint32_t)width != size->width || (uint32_t)height != size->height) {
        int points, pixels = width > 0 ? width : 1;
        glfwGetWindowSize(window->handle, &points, NULL);
        glfwSetWindowSize(window->handle, (int)((int64_t)size->width * points / pixels),
                          (int)((int64_t)size->height * points / pixels));
    }
    while (((uint32_t)width != size->width || (uint32_t)height != size->height) && glfwGetTime() < deadline) {
        glfwWaitEventsTimeout(0.01);
        glfwGetFramebufferSize(window->handle, &width, &height);
    }
    size->width = 0;
    window->renew = true;
}

static enum shw_result heed(struct view_window *window, enum view_swapchain_state state)
{
    const struct view_gpu *gpu = &window->app->gpu;

    if (state == VIEW_SWAPCHAIN_GOOD)
        return SHW_OK;
    if (state == VIEW_SWAPCHAIN_FAILED)
        return SHW_ERROR_DEVICE_LOST;
    window->renew = true;
    if (state == VIEW_SWAPCHAIN_OLD)
        return SHW_OK;
    view_swapchain_destroy(gpu, &window->swapchain);
    vkDestroySurfaceKHR(gpu->instance, window->surface, NULL);
    window->surface = VK_NULL_HANDLE;
    return create_surface(window);
}

static void record_copy(void *user, VkCommandBuffer commands)
{
    struct view_window *window = user;

    view_swapchain_record(&window->swapchain, &window->app->canvas.image, commands);
}

static enum shw_result show_frame(struct view_window *window)
{
    struct view_app *app = window->app;
    struct view_frame extra = {.user = window, .present = record_copy};
    enum view_swapchain_state state;
    double began;
    uint32_t slot;

    SHW_PROPAGATE(view_frames_next(&app->gpu, &app->frames, &slot));
    began = view_block_begin();
    state = view_swapchain_acquire(&app->gpu, &window->swapchain, slot);
    view_block_end(VIEW_BLOCK_PRESENT, began);
    if (state != VIEW_SWAPCHAIN_GOOD)
        return heed(window, state);
    extra.wait = window->swapchain.acquired[slot];
    extra.signal = window->swapchain.drawn[window->swapchain.current];
    app->scene.redraw = false;
    SHW_PROPAGATE(view_app_frame_anyhow(app, &extra));
    began = view_block_begin();
    state = view_swapchain_present(&app->gpu, &window->swapchain);
    view_block_end(VIEW_BLOCK_PRESENT, began);
    return heed(window, state);
}

static void set_cursor(struct view_window *window)
{
    static const int shapes[VIEW_POINTERS] = {[VIEW_POINTER_TEXT] = GLFW_IBEAM_CURSOR,
                                              [VIEW_POINTER_SIDEWAYS] = GLFW_HRESIZE_CURSOR,
                                              [VIEW_POINTER_TOOL] = GLFW_CROSSHAIR_CURSOR};
    enum view_pointer pointer = view_input_pointer(window->app);

    if (pointer == window->pointer)
        return;
    window->pointer = pointer;
    if (window->cursors[pointer] == NULL && shapes[pointer] != 0)
        window->cursors[pointer] = glfwCreateStandardCursor(shapes[pointer]);
    glfwSetCursor(window->handle, window->cursors[pointer]);
}

static void set_title(struct view_window *window)
{
    const struct view_picture *picture = window->app->scene.picture;
    const struct view_project *project = &window->app->teaching.project;
    const char *name = picture != NULL && picture->name != NULL ? picture->name : "";
    const char *slash = project->path != NULL ? strrchr(project->path, '/') : NULL;
    const char *file = project->path == NULL ? "new project" : slash != NULL ? slash + 1 : project->path;
    char title[sizeof window->title];

    if (project->data != NULL)
        snprintf(title, sizeof title, "%s%s%s%s - Shadewood", file,
                 view_project_is_unsaved(project) ? " (not saved)" : "", name[0] != '\0' ? " - " : "", name);
    else
        snprintf(title, sizeof title, "%s%sShadewood", name, name[0] != '\0' ? " - " : "");
    if (strcmp(title, window->title) == 0)
        return;
    strcpy(window->title, title);
    glfwSetWindowTitle(window->handle, title);
}

/* Unsaved work keeps the window open until the question about it is answered. */
static bool is_closed(const struct view_window *window)
{
    if (glfwWindowShouldClose(window->handle)) {
        glfwSetWindowShouldClose(window->handle, GLFW_FALSE);
        view_app_run_action(window->app, "leave", "");
    }
    return window->app->quit;
}

/* Waits for events: while nothing changes, no frames are drawn. */
static void wait_events(const struct view_window *window)
{
    const struct view_app *app = window->app;

    if (window->swapchain.handle == VK_NULL_HANDLE && !window->renew)
        glfwWaitEventsTimeout(0.1);
    else if (view_app_needs_frame(app))
        glfwPollEvents();
    else
        glfwWaitEventsTimeout(view_app_patience(app));
}

enum shw_result view_window_run(struct view_window *window, struct view_script *script)
{
    struct view_app *app = window->app;
    enum shw_result result;
    bool waits;

    while (!is_closed(window)) {
        view_watch_waits(&app->frames.watch);
        wait_events(window);
        view_watch_looks(&app->frames.watch);
        request_size(window);
        if (window->renew || window->swapchain.vsync != app->vsync)
            SHW_PROPAGATE(renew(window));
        result = view_app_poll(app, glfwGetTime());
        if (result == SHW_ERROR_DEVICE_LOST || (result != SHW_OK && script->next != NULL))
            return result;
        SHW_PROPAGATE(view_teaching_waits(&app->teaching, &waits));
        SHW_PROPAGATE(view_script_step(script, app));
        set_title(window);
        set_cursor(window);
        if (window->swapchain.handle == VK_NULL_HANDLE || !view_app_needs_frame(app))
            continue;
        app->wait -= app->wait > 0;
        SHW_PROPAGATE(show_frame(window));
    }
    return SHW_OK;
}
