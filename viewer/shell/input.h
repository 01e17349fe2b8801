/* Mouse and key events, from a window or a script, in their order: keys wait until it is known whether a text field has
 * the focus, and what comes after them waits with them. Mouse events go to the panels under the cursor, otherwise to
 * the brush, otherwise they move the picture; keys go to the focused text field, otherwise they run actions. For the
 * main thread. */
#ifndef VIEW_SHELL_INPUT_H
#define VIEW_SHELL_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/log.h>

struct view_app;

/* Events that wait until what came before them has taken effect. */

enum view_input_kind {
    VIEW_INPUT_MOVE,
    VIEW_INPUT_LEAVE,
    VIEW_INPUT_BUTTON,
    VIEW_INPUT_WHEEL,
    VIEW_INPUT_HOLD,
    VIEW_INPUT_KEY,
    VIEW_INPUT_CHARACTER
};

struct view_input {
    enum view_input_kind kind;
    double x, y;         /* moved to, in pixels of the canvas; notches of the wheel: y */
    unsigned button;     /* enum view_button */
    bool down;           /* the button */
    bool control, shift; /* held from now on */
    uint32_t codepoint;
    char key[24]; /* as in struct view_key */
};

/* The oldest one first. Zero-initialised: empty. */
struct view_input_queue {
    struct view_input *list;
    uint32_t first, count, capacity;
};

void view_input_queue_free(struct view_input_queue *queue);

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
