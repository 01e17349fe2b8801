/* Mouse and key events that wait until what came before them has taken effect. For the main thread. */
#ifndef VIEW_SHELL_INPUT_QUEUE_H
#define VIEW_SHELL_INPUT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

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
/* False: out of memory, and the event is lost. */
bool view_input_queue_put(struct view_input_queue *queue, const struct view_input *input);
/* Takes the oldest one; false: there is none. */
bool view_input_queue_take(struct view_input_queue *queue, struct view_input *input);

#endif
