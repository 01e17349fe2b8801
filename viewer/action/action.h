/* The actions of the program, by name: keys, panels and scripts all run them. Each part of the program has groups of
 * actions, which receive the part's struct; shell/app.c lists the groups. */
#ifndef VIEW_ACTION_ACTION_H
#define VIEW_ACTION_ACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <shadewood/log.h>

struct view_action {
    const char *name;
    const char *argument; /* as shown in the help; NULL: none; in brackets: optional */
    const char *help;     /* one line */
    enum shw_result (*run)(void *user, const char *argument);
};

/* A key and the action line that it runs. Keys are written as "A", "Ctrl+O", "Left", "+". */
struct view_key {
    const char *key;
    const char *line;
    const char *help; /* a few words; NULL: as for the previous key */
};

/* Actions and keys under one heading of the help. */
struct view_action_group {
    const char *title;
    const struct view_action *actions; /* ends with one whose name is NULL */
    const struct view_key *keys;       /* ends with one whose key is NULL */
};

/* A group, and the part of the program that its actions receive as `user`. */
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

/* Splits a line into the action's name and, after blanks, its argument, which extends to the end of the line; blanks at
 * both ends are removed. `text` becomes the name; *argument points into it. False: the line is too long. */
bool view_action_split(const char *line, char text[VIEW_ACTION_LINE], const char **argument);

/* Runs an action; the argument, which is "" if there is none, is taken as it is. Errors: ARGUMENT for unknown actions
 * and missing or superfluous arguments, and those of the action. */
enum shw_result view_action_run(const struct view_actions *actions, const char *name, const char *argument);

/* The line of a key; NULL if it has none. */
const char *view_key_line(const struct view_action_entry *entries, const char *key);

/* The key that runs exactly this line; NULL if there is none. */
const struct view_key *view_key_find(const struct view_action_entry *entries, const char *line);

/* Prints the list of actions and keys. */
void view_action_help(const struct view_action_entry *entries, FILE *file);

/* Arguments of actions. */

/* Logs that `argument` is not a `what`, and returns ARGUMENT. */
enum shw_result view_action_refuse(const struct shw_log *log, const char *what, const char *argument);

/* An integer from low to high. */
bool view_parse_number(const char *text, int64_t low, int64_t high, int64_t *number);

/* #RRGGBB. */
bool view_parse_colour(const char *text, uint8_t colour[3]);

/* Two integers separated by blanks. */
bool view_parse_pair(const char *text, int64_t low, int64_t high, int64_t *first, int64_t *second);

/* A number of at least 0; logs an error otherwise. */
enum shw_result view_parse_positive(const struct shw_log *log, const char *argument, double *number);

/* on, off or toggle; logs an error otherwise. */
enum shw_result view_parse_switch(const struct shw_log *log, const char *argument, bool *state);

/* Questions that are answered before unsaved work, such as a project, is given up or a file is replaced, and the action
 * that waits for the answer. They are asked of people; scripts without panels are not held up. For the main thread. */

enum view_question_kind {
    VIEW_QUESTION_NONE,
    VIEW_QUESTION_UNSAVED, /* the project is going to be closed: save it? */
    VIEW_QUESTION_NAME,    /* which file is it saved in? */
    VIEW_QUESTION_REPLACE  /* there is a file of that name: replace it? */
};

struct view_question {
    enum view_question_kind kind;
    char *line;      /* the action that waits for the answer; NULL: none does */
    char *granted;   /* it may run now: view_question_take() */
    bool passed;     /* it is running, and asks nothing */
    char *path;      /* of the file to replace */
    char field[512]; /* text field: the name of the file */
    bool focus;      /* the field is to get the focus */
};

void view_question_free(struct view_question *question);

/* Whether `line`, an action that closes what is `unsaved`, has to wait. Asks then. */
bool view_question_close(struct view_question *question, bool unsaved, const char *line);

/* Asks for the name of a file. Proposes that of the file that a question was about, or else `current`, the one that the
 * work has; NULL: the folder of the last one. */
void view_question_name(struct view_question *question, const char *current);

/* Whether saving to `path` has to wait, because that `replaces` the file of something else, or one that another program
 * has changed. Asks then. */
bool view_question_replace(struct view_question *question, const char *path, bool replaces);

/* Ends the question; `go_on`: the action that waits may run. */
void view_question_end(struct view_question *question, bool go_on);

/* The action that may run now, to be freed; NULL: none. Call view_question_ran() when it has run. */
char *view_question_take(struct view_question *question);
void view_question_ran(struct view_question *question);

#endif
