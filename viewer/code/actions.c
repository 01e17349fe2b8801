#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "code/coding.h"
#include "files/code/code_options.h"

/* Begins a project if there is none. */
static enum shw_result add_file(void *user, const char *argument)
{
    struct view_coding *coding = user;
    char *copy;

    if (!shw_code_is_file(argument))
        return view_action_refuse(&coding->scene->log, "a text with the ending " SHW_CODE_ENDING, argument);
    if (coding->teaching->project.data == NULL) {
        SHW_PROPAGATE(view_teaching_new(coding->teaching));
        SHW_PROPAGATE(view_coding_poll(coding));
    }
    copy = strdup(argument);
    if (copy == NULL)
        return shw_fail_memory(&coding->scene->log, argument);
    free(coding->adding);
    coding->adding = copy;
    coding->wants_panel = true;
    return SHW_OK;
}

static enum shw_result remove_text(void *user, const char *argument)
{
    struct view_coding *coding = user;
    struct shw_project *project = coding->teaching->project.data;

    SHW_PROPAGATE(view_project_need(&coding->teaching->project, &coding->scene->log));
    for (uint32_t i = 0; i < shw_project_get_text_count(project); i++)
        if (strcmp(shw_project_get_text(project, i).name, argument) == 0) {
            coding->error = (struct view_code_error){.line = 0};
            return view_teaching_remove_text(coding->teaching, i);
        }
    return view_action_refuse(&coding->scene->log, "the name of a feature type or channel kind of the project's own",
                              argument);
}

static bool is_held_back(const struct view_coding *coding)
{
    const struct shw_project *project = coding->teaching->project.data;

    return project != NULL && shw_project_is_held_back(project);
}

static enum shw_result run_texts(void *user, const char *argument)
{
    struct view_coding *coding = user;

    (void)argument;
    if (coding->scene->held_forest.path != NULL)
        coding->runs_forest = true;
    else if (is_held_back(coding))
        coding->runs_project = true;
    else
        return shw_fail(&coding->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "nothing that is open brings texts that do not run yet");
    return SHW_OK;
}

static enum shw_result refuse_texts(void *user, const char *argument)
{
    struct view_coding *coding = user;

    (void)argument;
    if (coding->scene->held_forest.path != NULL) {
        view_scene_drop_held_forest(coding->scene);
    } else {
        coding->refused = true;
    }
    return SHW_OK;
}

static enum shw_result trust(void *user, const char *argument)
{
    struct view_coding *coding = user;
    enum shw_result result = view_parse_switch(&coding->scene->log, argument, &coding->trusts);

    coding->scene->held_forest.may_wait = coding->trusts;
    return result;
}

static enum shw_result print_texts(void *user, const char *argument)
{
    const struct view_coding *coding = user;
    const struct shw_project *project = coding->teaching->project.data;

    (void)argument;
    for (uint32_t i = 0; project != NULL && i < shw_project_get_text_count(project); i++) {
        const struct shw_project_text text = shw_project_get_text(project, i);

        printf("%s %s, %s%s%s\n", text.is_feature ? "feature type" : "channel kind", text.name,
               text.runs ? "runs" : "does not run", text.path != NULL ? ", from " : "",
               text.path != NULL ? text.path : "");
    }
    if (coding->error.message[0] != '\0')
        printf("error: %s\n", coding->error.message);
    fflush(stdout);
    return SHW_OK;
}

static const struct view_action actions[] = {
    {"code", "FILE.glsl",
     "train the project with the feature type or channel kind that a text defines; the text is stored in the project, "
     "and taken again whenever its file is saved",
     add_file},
    {"code-remove", "NAME", "train without a feature type or channel kind of the project's own", remove_text},
    {"code-run", NULL, "run the texts that the forest or project which was opened brings", run_texts},
    {"code-refuse", NULL, "do not run them", refuse_texts},
    {"code-list", NULL, "print the project's texts, whether they run, and what is wrong with one that was saved",
     print_texts},
    {"trust-code", "on|off|toggle", "run texts that come inside files that are opened, without a question", trust},
    {0}};

static const struct view_key keys[] = {{0}};

const struct view_action_group view_code_group = {"Features and channels of your own", actions, keys};
