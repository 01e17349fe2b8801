/* Which modifier keys are held, if events are missing. */
#include "shell/held.h"

#include "testing/testing.h"

TESTING_CASE(keys_are_held_until_the_last_is_released)
{
    struct view_held held = {0};

    view_held_change(&held.control, VIEW_HELD_LEFT, true);
    view_held_note(&held, true, false);
    view_held_change(&held.control, VIEW_HELD_RIGHT, true);
    view_held_note(&held, true, false);
    view_held_change(&held.control, VIEW_HELD_LEFT, false);
    assert_true(held.control != 0 && held.shift == 0);
    view_held_note(&held, true, false);
    view_held_change(&held.control, VIEW_HELD_RIGHT, false);
    assert_true(held.control == 0);
}

/* The next event says so, whatever it is. */
TESTING_CASE(keys_that_were_released_elsewhere_are_not_held)
{
    struct view_held held = {0};

    view_held_change(&held.control, VIEW_HELD_LEFT, true);
    view_held_change(&held.shift, VIEW_HELD_RIGHT, true);
    view_held_note(&held, false, true);
    assert_true(held.control == 0 && held.shift != 0);
    view_held_note(&held, false, false);
    assert_true(held.shift == 0);
}

TESTING_CASE(keys_that_were_pressed_elsewhere_are_held)
{
    struct view_held held = {0};

    view_held_note(&held, true, false);
    assert_true(held.control != 0);
    view_held_change(&held.control, VIEW_HELD_LEFT, false);
    assert_true(held.control == 0);
}
