/* Letters that the program does not have from the beginning, and those that nobody has. The fonts of Debian's package
 * fonts-dejavu-core, which the viewer uses, have all that are shown here. */
#include "seen.h"

#include <stdio.h>
#include <string.h>

static bool begun; /* the project of this run */

/* What the list of classes looks like with one class of that name; returns the picture's number. */
static unsigned named(const char *name)
{
    static const char begin[] = "project new\nteach off\nadd-class A\npanels on\npanel teach off\npanel overlay off\n";
    char lines[400];

    snprintf(lines, sizeof lines, "%srename-class #0 %s\npanels on\nwait 6", begun ? "" : begin, name);
    begun = true;
    return seen_after(lines);
}

#define ALIKE 8

TESTING_CASE(letters_are_found_when_they_occur)
{
    static const char *const names[ALIKE][2] = {
        {"\u0416", "\u0429"},         /* Cyrillic */
        {"\u03a8", "\u03a9"},         /* Greek */
        {"\u0531", "\u0532"},         /* Armenian */
        {"\u10d0", "\u10d1"},         /* Georgian */
        {"\u05d0", "\u05d1"},         /* Hebrew */
        {"\u0639", "\u0641"},         /* Arabic */
        {"\u2654", "\u2655"},         /* chess */
        {"\U0001f600", "\U0001f608"}, /* emoji */
    };
    unsigned box = named("\u25a1"), question = named("?");

    for (int i = 0; i < ALIKE; i++)
        for (int k = 0; k < 2; k++)
            named(names[i][k]);
    begun = false;
    seen_run();
    assert_true(seen_differences(box, question, 0) > 0);
    for (unsigned i = 0; i < ALIKE; i++) {
        assert_true(seen_differences(2 + 2 * i, 3 + 2 * i, 0) > 0);
        for (unsigned k = 0; k < 2; k++) {
            assert_true(seen_differences(box, 2 + 2 * i + k, 0) > 0);
            assert_true(seen_differences(question, 2 + 2 * i + k, 0) > 0);
        }
    }
}

/* Code points without a character, in and beyond the first 65536. */
TESTING_CASE(what_no_font_has_is_a_box)
{
    unsigned box = named("\u25a1");

    named("\u0378");
    named("\U000e0fff");
    begun = false;
    seen_run();
    assert_int_equal(seen_differences(box, box + 1, 0), 0);
    assert_int_equal(seen_differences(box, box + 2, 0), 0);
}

TESTING_FIXTURE(seen_open_files, NULL)
