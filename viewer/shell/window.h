/* A window that shows the canvas: GLFW and a swapchain. Keys, the mouse and dropped files come in here. For the main
 * thread. */
#ifndef VIEW_SHELL_WINDOW_H
#define VIEW_SHELL_WINDOW_H

#include "shell/app.h"
#include "shell/script.h"

struct view_window;

/* Looks for a display. The instance extensions that a window needs are the loader's until view_window_end(). Errors:
 * UNSUPPORTED. */
enum shw_result view_window_begin(const struct shw_log *log, const char *const **extensions, uint32_t *count);
void view_window_end(void);

/* Opens a window as large as the app's canvas, which follows it from now on. Errors: UNSUPPORTED, MEMORY,
 * DEVICE_MEMORY. */
enum shw_result view_window_create(struct view_app *app, struct view_window **window);
/* Writes down its size and place. */
void view_window_remember(const struct view_window *window, struct view_settings *remembered);
void view_window_destroy(struct view_window **window);

/* Shows frames and does what keys, mouse and script say, until the user or an action ends the program. Only what is
 * fatal is an error: MEMORY, DEVICE_MEMORY, DEVICE_LOST, UNSUPPORTED, and those of the script. */
enum shw_result view_window_run(struct view_window *window, struct view_script *script);

#endif
