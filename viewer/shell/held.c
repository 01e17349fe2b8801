#include "shell/held.h"

/* A key that was pressed elsewhere is held, too. */
static unsigned correct(unsigned keys, bool held)
{
    return !held ? 0 : keys != 0 ? keys : VIEW_HELD_LEFT;
}

void view_held_note(struct view_held *held, bool control, bool shift)
{
    held->control = correct(held->control, control);
    held->shift = correct(held->shift, shift);
}

void view_held_change(unsigned *keys, enum view_held_side side, bool down)
{
    *keys = down ? *keys | side : *keys & ~(unsigned)side;
}
