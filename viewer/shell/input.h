/* Mouse and key events, from a window or a script, in their order: keys wait until it is known whether a text field has
 * the focus, and what comes after them waits with them. Mouse events go to the panels under the cursor, otherwise to
 * the brush, otherwise they move the picture; keys go to the focused text field, otherwise they run actions. For the
 * main thread. */
#ifndef VIEW_SHELL_INPUT_H
#define VIEW_SHELL_INPUT_H

#include "shell/app.h"

enum view_button { VIEW_LEFT, VIEW_RIGHT, VIEW_MIDDLE, VIEW_BUTTONS };

void view_input_move(struct view_app *app, double x, double y);
/* The cursor has left the window. */
void view_input_leave(struct view_app *app);
void view_input_button(struct view_app *app, enum view_button button, bool down);
void view_input_wheel(struct view_app *app, double notches);
/* Modifiers that are held from now on. */
void view_input_hold(struct view_app *app, bool control, bool shift);
/* Keys are written as in struct view_key. Errors: those of the key's action, if it did not have to wait; they are
 * logged in any case. */
enum shw_result view_input_key(struct view_app *app, const char *key);
/* A character was typed; outside text fields it may be the key of an action. Errors: as above. */
enum shw_result view_input_character(struct view_app *app, uint32_t codepoint);
/* Handles the events that have waited, as far as possible. After each frame of the panels. */
void view_input_go_on(struct view_app *app);
/* A file or folder was dropped onto the window. Errors: those of opening it. */
enum shw_result view_input_drop(struct view_app *app, const char *path);

/* The shape of the pointer, which shows what the mouse would do. */
enum view_pointer { VIEW_POINTER_ARROW, VIEW_POINTER_TEXT, VIEW_POINTER_SIDEWAYS, VIEW_POINTER_TOOL, VIEW_POINTERS };
enum view_pointer view_input_pointer(const struct view_app *app);

#endif
