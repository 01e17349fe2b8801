/* The menus and the toolbar: what they offer are actions, and all that keys do. */
#include "seen.h"

#include <stdio.h>
#include <string.h>

#include "shell/app.h"
#include "ui/bars.h"

static const struct view_action *find_action(const char *name, size_t length)
{
    for (const struct view_action_entry *entry = view_action_list; entry->group != NULL; entry++)
        for (const struct view_action *action = entry->group->actions; action->name != NULL; action++)
            if (strlen(action->name) == length && strncmp(action->name, name, length) == 0)
                return action;
    return NULL;
}

TESTING_CASE(entries_are_actions)
{
    for (const struct view_menu *menu = view_menus; menu->title != NULL; menu++)
        for (const struct view_menu_entry *entry = menu->entries; entry->line != NULL; entry++) {
            const size_t length = strcspn(entry->line, " ");
            const struct view_action *action = find_action(entry->line, length);
            if (entry->label == NULL)
                continue;
            if (action == NULL)
                fail_msg("%s > %s runs %s, which is no action", menu->title, entry->label, entry->line);
            assert_true(entry->line[length] == '\0' || action->argument != NULL);
        }
}

static bool is_in_menus(const char *line)
{
    for (const struct view_menu *menu = view_menus; menu->title != NULL; menu++)
        for (const struct view_menu_entry *entry = menu->entries; entry->line != NULL; entry++)
            if (strcmp(entry->line, line) == 0)
                return true;
    return false;
}

/* Except those that choose a number, move, or go on from what is chosen; panels have entries of their own. */
TESTING_CASE(what_keys_do_is_in_the_menus)
{
    static const char *const without[] = {
        "class #",         "pan ",    "wipe ",   "tree ",  "test ", "channel ", "panel ",           "go ",  "seek ",
        "overlay channel", "texture", "levels ", "speed ", "step ", "inspect",  "overlay integral", "times"};

    for (const struct view_action_entry *entry = view_action_list; entry->group != NULL; entry++)
        for (const struct view_key *key = entry->group->keys; key->key != NULL; key++) {
            bool passes = is_in_menus(key->line);
            for (size_t i = 0; i < sizeof without / sizeof *without; i++)
                passes = passes || strncmp(key->line, without[i], strlen(without[i])) == 0;
            if (!passes)
                fail_msg("%s (%s) is in no menu", key->line, key->key);
        }
}

TESTING_CASE(entries_and_tools_do_what_actions_do)
{
    seen_same("panels on\nwait 3\nclick View\nwait 4\nclick Uncertainty\nwait 6" AWAY,
              "panels on\noverlay entropy" AWAY);
    seen_same("panels on\nwait 3\nclick Panels\nwait 4\nclick Detection\nwait 6" AWAY "panel detect off",
              "panels on\npanel detect on" AWAY "panel detect off");
    seen_same("panels on\nwait 3\nclick View\nwait 4\nkey Escape\nwait 4" AWAY, "panels on" AWAY);
    seen_same("panels on\nwait 3\nclick Heat\nwait 4" AWAY, "panels on\noverlay heat" AWAY);
    seen_same("panels on\nwait 3\nclick Smooth\nwait 4" AWAY "smoothing off",
              "panels on\nsmoothing on" AWAY "smoothing off");
    seen_same("panels on\nzoom 8\nwait 3\nclick Fit\nwait 4" AWAY, "panels on" AWAY);
    seen_assert_same();
}

/* Overlays of what there is not are not offered. */
TESTING_CASE(entries_that_cannot_do_anything_do_nothing)
{
    static const char escape[] = "\nwait 4\nkey Escape\nwait 4\nkey Escape\nwait 4";
    static const char *const labels[] = {"Errors", "Ground truth", "Depth"};
    char lines[300];

    for (size_t l = 0; l < sizeof labels / sizeof *labels; l++) {
        snprintf(lines, sizeof lines, "panels on\nwait 3\nclick View\nwait 4\nclick %s%s" AWAY, labels[l], escape);
        seen_same(lines, "panels on" AWAY);
    }
    snprintf(lines, sizeof lines, "panels on\nwait 3\nclick File\nwait 4\nclick End the recording%s" AWAY, escape);
    seen_same(lines, "panels on" AWAY); /* it would be an error */
    seen_assert_same();
}

/* At the end of a list the wheel goes on to the column that it is in. */
TESTING_CASE(the_wheel_scrolls_what_is_under_the_mouse)
{
    static const char many[] =
        "panels on\npanel teach off\npanel pixel off\npanel inspect on\npanel performance on\nwait 8\n";
    char lines[2][512];

    snprintf(lines[0], sizeof *lines, "%smouse move 500 540\nwait 2\nmouse wheel -60\nwait 4" AWAY, many);
    snprintf(lines[1], sizeof *lines,
             "%swait 4" AWAY "panel teach on\npanel pixel on\npanel inspect off\npanel performance off", many);
    seen_after(lines[0]);
    seen_after(lines[1]);
    seen_run();
    assert_true(seen_differences(0, 1, 420) > 1000);
}

TESTING_FIXTURE(seen_open_files, NULL)
