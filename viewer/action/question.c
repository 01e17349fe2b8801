#include "action/question.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Forgets the question, but not the action that was granted. */
static void forget(struct view_question *question)
{
    free(question->line);
    free(question->path);
    question->line = question->path = NULL;
    question->kind = VIEW_QUESTION_NONE;
    question->focus = false;
}

void view_question_free(struct view_question *question)
{
    forget(question);
    free(question->granted);
    *question = (struct view_question){0};
}

bool view_question_close(struct view_question *question, bool unsaved, const char *line)
{
    if (question->passed || !unsaved)
        return false;
    forget(question);
    question->kind = VIEW_QUESTION_UNSAVED;
    question->line = strdup(line);
    return true;
}

/* What the field proposes. */
static void propose_name(struct view_question *question, const char *current)
{
    const char *path = question->path != NULL ? question->path : current;
    char *slash = strrchr(question->field, '/');

    if (path != NULL)
        snprintf(question->field, sizeof question->field, "%s", path);
    else
        question->field[slash != NULL ? slash + 1 - question->field : 0] = '\0';
}

void view_question_name(struct view_question *question, const char *current)
{
    if (question->kind != VIEW_QUESTION_NAME) /* else it is asked again */
        propose_name(question, current);
    question->kind = VIEW_QUESTION_NAME;
    question->focus = true;
}

bool view_question_replace(struct view_question *question, const char *path, bool replaces)
{
    if (!replaces)
        return false;
    free(question->path);
    question->path = strdup(path);
    if (question->path == NULL)
        return false; /* saving then refuses what it must not replace */
    question->kind = VIEW_QUESTION_REPLACE;
    question->focus = false;
    return true;
}

void view_question_end(struct view_question *question, bool go_on)
{
    if (go_on && question->line != NULL) {
        free(question->granted);
        question->granted = question->line;
        question->line = NULL;
    }
    forget(question);
}

char *view_question_take(struct view_question *question)
{
    char *line = question->granted;

    question->granted = NULL;
    question->passed = line != NULL;
    return line;
}

void view_question_ran(struct view_question *question)
{
    question->passed = false;
}
