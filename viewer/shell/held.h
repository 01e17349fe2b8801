/* Which modifier keys are held, by the events of a window. A key that is released while another window has the keyboard
 * sends no event: what every event says is held is believed more than the keys that were seen. */
#ifndef VIEW_SHELL_HELD_H
#define VIEW_SHELL_HELD_H

#include <stdbool.h>

enum view_held_side { VIEW_HELD_LEFT = 1, VIEW_HELD_RIGHT = 2 };

/* Sides of the keyboard whose keys are held. */
struct view_held {
    unsigned control, shift;
};

/* What an event says was held when it came. */
void view_held_note(struct view_held *held, bool control, bool shift);

/* After that, if the event is one of such a key itself. */
void view_held_change(unsigned *keys, enum view_held_side side, bool down);

#endif
