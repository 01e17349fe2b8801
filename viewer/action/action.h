/* The actions of the program, by name: keys, panels and scripts all run them. Each part of the program has groups of
 * actions, which are given the part's struct; shell/parts.c lists the groups. */
#ifndef VIEW_ACTION_ACTION_H
#define VIEW_ACTION_ACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <shadewood/log.h>

struct view_action {
    const char *name;
    const char *argument; /* as shown in the help; NULL: takes none; in brackets: may be left out */
    const char *help;     /* one line */
    enum shw_result (*run)(void *user, const char *argument);
};

/* A key with an action's line. Keys are written as "A", "Ctrl+O", "Left", "+". */
struct view_key {
    const char *key;
    const char *line;
    const char *help; /* a few words; NULL: the key before has them */
};

/* Actions and keys of one heading in the help. */
struct view_action_group {
    const char *title;
    const struct view_action *actions; /* ends with one whose name is NULL */
    const struct view_key *keys;       /* ends with one whose key is NULL */
};

/* A group, and the part of the program that its actions are given as `user`. */
struct view_action_entry {
    const struct view_action_group *group;
    size_t offset; /* bytes from struct view_actions.program */
};

struct view_actions {
    const struct view_action_entry *entries; /* ends with one without a group */
    void *program;
    struct shw_log log;
};

#define VIEW_ACTION_LINE 4096u /* bytes of a line, with its end */

/* A line's action and, after blanks, its argument, to the end of the line; blanks at both ends do not count. `text` is
 * the name, and *argument lies in it. False: the line is too long. */
bool view_action_split(const char *line, char text[VIEW_ACTION_LINE], const char **argument);

/* Runs a line. Errors: ARGUMENT for unknown actions and missing or superfluous arguments, and those of the action. */
enum shw_result view_action_run(const struct view_actions *actions, const char *line);

/* The line of a key; NULL: it has none. */
const char *view_key_line(const struct view_action_entry *entries, const char *key);

/* The key that runs exactly this line; NULL: none does. */
const struct view_key *view_key_find(const struct view_action_entry *entries, const char *line);

/* The list of actions and keys, as text for people. */
void view_action_help(const struct view_action_entry *entries, FILE *file);

#endif
