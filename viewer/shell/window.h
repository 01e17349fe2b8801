/* A window that shows the canvas, with GLFW and a swapchain; receives keys, mouse events and dropped files. For the
 * main thread. */
#ifndef VIEW_SHELL_WINDOW_H
#define VIEW_SHELL_WINDOW_H

#include "shell/app.h"
#include "shell/script.h"

struct view_window;

/* Connects to a display. The instance extensions that a window needs are valid until view_window_end(). Errors:
 * UNSUPPORTED. */
enum shw_result view_window_begin(const struct shw_log *log, const char *const **extensions, uint32_t *count);
void view_window_end(void);

/* Opens a window of the size of the app's canvas, which follows the window's size from then on. Errors: UNSUPPORTED,
 * MEMORY, DEVICE_MEMORY. */
enum shw_result view_window_create(struct view_app *app, struct view_window **window);
void view_window_destroy(struct view_window **window);

/* Shows frames and handles keys, mouse and script until the user or an action ends the program. Returns fatal errors
 * only: MEMORY, DEVICE_MEMORY, DEVICE_LOST, UNSUPPORTED, and those of the script. */
enum shw_result view_window_run(struct view_window *window, struct view_script *script);

#endif
