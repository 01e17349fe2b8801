/* The list of classes when there are many: what is visible in it, and how a class is found. */
#include "seen.h"

#include <stdio.h>
#include <string.h>

static void many_classes(void)
{
    script("open %s\nproject new", seen_picture);
    for (unsigned c = 0; c < 60; c++)
        script("add-class Kind %c%u", 'a' + c % 26, c);
    script("panels on\nwait 6\nkey Escape\nwait 2");
}

/* Whether the class is visible after the lines: it can be clicked. */
static bool is_visible(const char *lines, const char *name)
{
    const char *said;

    many_classes();
    script("%s\nwait 8\nclick %s", lines, name);
    return run_script(SEEN_WIDTH, SEEN_HEIGHT, &said) == 0;
}

TESTING_CASE(the_chosen_class_is_scrolled_to)
{
    assert_true(is_visible("wait 1", "Kind h59")); /* the last one, just added */
    assert_false(is_visible("wait 1", "Kind a0"));
    assert_true(is_visible("class #0", "Kind a0"));
    if (!testing_is_slow())
        return;
    assert_false(is_visible("class #0", "Kind e30"));
    assert_true(is_visible("class #0\nwait 5\nclass Kind e30", "Kind e30"));
    assert_true(is_visible("key Ctrl+3", "Kind c2"));
    assert_false(is_visible("key Ctrl+3", "Kind e30"));
}

/* Panels above it scroll; it stays. */
TESTING_CASE(the_legend_stays)
{
    assert_true(is_visible("class #0\nmouse move 500 560\nwait 2\nmouse wheel -40", "Kind a0"));
    assert_true(is_visible("class #0\nmouse move 500 560\nwait 2\nmouse wheel -40", "Show all"));
    assert_true(is_visible("class #0\nscale 1.5\npanels width right 220", "Kind a0"));
}

TESTING_CASE(a_filter_leaves_what_is_looked_for)
{
    assert_true(is_visible("class #0\nfind-class KIND e", "Kind e30"));
    assert_true(is_visible("class #0\nfind-class 56", "Kind e56"));
    assert_false(is_visible("class #0\nfind-class 56", "Kind a0"));
    assert_true(is_visible("class #0\nkey Ctrl+F\ntype e5", "Kind e56"));
    if (!testing_is_slow())
        return;
    assert_false(is_visible("class #0\nfind-class no class has this", "Kind a0"));
    assert_false(is_visible("class #0\nkey Ctrl+F\ntype e5", "Kind a0"));
}

/* Compared with choosing it by its number. */
TESTING_CASE(typing_chooses)
{
    many_classes();
    script("class #0\nwait 5\nclass #56\nwait 5\nmouse move 600 5\nwait 5\nscreenshot %s", seen_path(0));
    script("class #0\nwait 5\nkey Ctrl+F\ntype e5\nkey Enter\nwait 12\nmouse move 600 5\nwait 5\nscreenshot %s",
           seen_path(1));
    script("class #0\nwait 5\nkey Ctrl+F\nwait 9\ntype kind 59\nkey Backspace\nkey Backspace\nkey Backspace\n"
           "key Escape\nwait 12\nclass #56\nwait 6\nscreenshot %s",
           seen_path(2));
    assert_int_equal(run_script(SEEN_WIDTH, SEEN_HEIGHT, NULL), 0);
    assert_int_equal(seen_differences(0, 1, 0), 0);
    assert_int_equal(seen_differences(0, 2, 0), 0);
}

/* Few classes have a filter while it is wanted. */
TESTING_CASE(few_classes_are_found_too)
{
    static const char project[] =
        "open %s\nproject new\nadd-class zebra\nadd-class apple\npanels on\nwait 8\nkey Escape\n"
        "wait 2\n%s\nwait 12\nmouse move 600 5\nwait 5\nscreenshot %s";

    script(project, seen_picture, "class zebra", seen_path(0));
    script("panels off");
    script(project, seen_picture, "key Ctrl+F\nwait 20\ntype zeb\nkey Enter", seen_path(1));
    assert_int_equal(run_script(SEEN_WIDTH, SEEN_HEIGHT, NULL), 0);
    assert_int_equal(seen_differences(0, 1, 0), 0);
}

/* A new project has none of the classes of the forest before it. */
TESTING_CASE(a_new_project_begins_with_none)
{
    const char *said;

    script("forest %s\nopen %s\npanels on\nwait 6\nclick class 4\nproject new\nadd-class "
           "first\nwait 8\nclick first\nwait 4\nclass #0\nclick class 1",
           seen_forest, seen_picture);
    assert_int_equal(run_script(SEEN_WIDTH, SEEN_HEIGHT, &said), 1);
    if (strstr(said, "class 1 is not a label that is visible") == NULL)
        fail_msg("%s", said);
    script("forest %s\nopen %s\nproject new\nadd-class first\nclass #1", seen_forest, seen_picture);
    assert_int_equal(run_script(SEEN_WIDTH, SEEN_HEIGHT, &said), 1);
}

TESTING_FIXTURE(seen_open_files, NULL)
