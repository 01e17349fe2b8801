/* Everything that can be done, by name: keys, menus and scripts all come through here. */
#ifndef VIEW_ACTION_ACTION_H
#define VIEW_ACTION_ACTION_H

#include <stdio.h>

#include "shell/app.h"

struct view_action {
    const char *name;
    const char *argument; /* as shown in the help; NULL: takes none; in brackets: may be left out */
    const char *help;     /* one line */
    enum shw_result (*run)(struct view_app *app, const char *argument);
};

/* A key with an action's line. Keys are written as "A", "Ctrl+O", "Left", "+". */
struct view_key {
    const char *key;
    const char *line;
    const char *help; /* a few words; NULL: the key before tells it */
};

/* What belongs together in the help. */
struct view_action_group {
    const char *title;
    const struct view_action *actions; /* ends with one whose name is NULL */
    const struct view_key *keys;       /* ends with one whose key is NULL */
};

/* All of them, with NULL after the last. */
extern const struct view_action_group *const view_action_groups[];

/* Does what a line says: the name of an action, and after blanks its argument, to the end of the line. Blanks at both
 * ends do not count. Errors: ARGUMENT for what is not understood, and those of the action. */
enum shw_result view_action_run(struct view_app *app, const char *line);

/* Does what a key is for; nothing for keys that are for nothing. Errors: as above. */
enum shw_result view_key_run(struct view_app *app, const char *key);

/* The key that runs exactly this line; NULL: none does. */
const struct view_key *view_key_find(const char *line);

/* The list of actions and keys, as text for people. */
void view_action_help(FILE *file);

#endif
