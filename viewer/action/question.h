/* Questions that are answered before unsaved work, such as a project, is given up or a file is replaced, and the action
 * that waits for the answer. They are asked of people; scripts without panels are not held up. For the main thread. */
#ifndef VIEW_ACTION_QUESTION_H
#define VIEW_ACTION_QUESTION_H

#include <stdbool.h>

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
