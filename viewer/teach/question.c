#include "teach/question.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataset/examples.h"

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

bool view_project_is_unsaved(const struct view_project *project)
{
    bool any = false;

    if (project->data == NULL || shw_project_get_revision(project->data) == project->saved)
        return false;
    any = shw_project_get_class_count(project->data) > 0;
    for (uint32_t p = 0; p < shw_project_get_picture_count(project->data) && !any; p++)
        any = shw_project_get_picture(project->data, p).stroke_count > 0;
    return any;
}

bool view_question_close(struct view_question *question, const struct view_project *project, const char *line)
{
    if (question->passed || !view_project_is_unsaved(project))
        return false;
    forget(question);
    question->kind = VIEW_QUESTION_UNSAVED;
    question->line = strdup(line);
    return true;
}

/* What the field proposes. */
static void propose_name(struct view_question *question, const struct view_project *project)
{
    const char *path = question->path != NULL ? question->path : project->path;
    char *slash = strrchr(question->field, '/');

    if (path != NULL)
        snprintf(question->field, sizeof question->field, "%s", path);
    else
        question->field[slash != NULL ? slash + 1 - question->field : 0] = '\0';
}

void view_question_name(struct view_question *question, const struct view_project *project)
{
    if (question->kind != VIEW_QUESTION_NAME) /* else it is asked again */
        propose_name(question, project);
    question->kind = VIEW_QUESTION_NAME;
    question->focus = true;
}

bool view_question_replace(struct view_question *question, const struct view_project *project, const char *path)
{
    path = path != NULL ? path : project->path;
    if (path == NULL || !shw_is_file(path) ||
        (view_project_is_own_file(project, path) && !view_project_is_changed_elsewhere(project)))
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
