/* Messages that are shown for some seconds. */
#include "ui/toasts.h"

#include <stdio.h>
#include <string.h>

#include "testing/testing.h"

TESTING_CASE(they_stay_fade_and_go)
{
    struct view_toasts toasts;
    struct view_toast list[VIEW_TOASTS];

    view_toasts_init(&toasts);
    assert_false(view_toasts_age(&toasts, 1.0));
    view_toasts_add(&toasts, false, "a warning");
    view_toasts_add(&toasts, true, "an error");
    assert_true(view_toasts_age(&toasts, 2.0));
    assert_false(view_toasts_age(&toasts, 3.0)); /* nothing to draw anew */
    assert_int_equal(view_toasts_list(&toasts, list), 2);
    assert_string_equal(list[0].text, "a warning");
    assert_true(list[1].error && !list[0].error && list[0].opacity == 1.0f && list[1].times == 1);
    assert_true(view_toasts_age(&toasts, 2.0 + 6.0 - 0.25));
    assert_int_equal(view_toasts_list(&toasts, list), 2);
    assert_true(list[0].opacity == 0.5f && list[1].opacity == 1.0f);
    assert_true(view_toasts_age(&toasts, 8.0));
    assert_int_equal(view_toasts_list(&toasts, list), 1);
    assert_string_equal(list[0].text, "an error");
    assert_true(view_toasts_age(&toasts, 12.0));
    assert_int_equal(view_toasts_list(&toasts, list), 0);
    view_toasts_destroy(&toasts);
}

TESTING_CASE(what_is_said_again_stays_longer_and_is_counted)
{
    struct view_toasts toasts;
    struct view_toast list[VIEW_TOASTS];

    view_toasts_init(&toasts);
    view_toasts_add(&toasts, false, "again");
    view_toasts_add(&toasts, true, "again");
    view_toasts_age(&toasts, 0.0);
    view_toasts_add(&toasts, false, "again");
    assert_true(view_toasts_age(&toasts, 5.0));
    view_toasts_age(&toasts, 9.0);
    assert_int_equal(view_toasts_list(&toasts, list), 2);
    assert_true(list[0].error && list[0].times == 1 && !list[1].error && list[1].times == 2);
    view_toasts_destroy(&toasts);
}

TESTING_CASE(the_oldest_make_room_and_long_texts_end)
{
    struct view_toasts toasts;
    struct view_toast list[VIEW_TOASTS];
    char text[2000];

    view_toasts_init(&toasts);
    for (unsigned i = 0; i < VIEW_TOASTS + 2; i++) {
        snprintf(text, sizeof text, "number %u", i);
        view_toasts_add(&toasts, true, text);
    }
    assert_int_equal(view_toasts_list(&toasts, list), VIEW_TOASTS);
    assert_string_equal(list[0].text, "number 2");
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    view_toasts_add(&toasts, true, text);
    assert_int_equal(view_toasts_list(&toasts, list), VIEW_TOASTS);
    assert_int_equal(strlen(list[VIEW_TOASTS - 1].text), sizeof list->text - 1);
    view_toasts_clear(&toasts);
    assert_int_equal(view_toasts_list(&toasts, list), 0);
    view_toasts_destroy(&toasts);
}
