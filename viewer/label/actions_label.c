#include "shell/actions.h"

#include <stdio.h>
#include <string.h>

#include <shadewood/technique.h>

#include "action/parse.h"
#include "base/log.h"

#define BUDGET_MAX 1000

static enum shw_result load_forest(struct view_app *app, const char *argument)
{
    struct shw_forest *forest = NULL;
    struct view_shared_forest *shared;
    enum shw_result result = shw_forest_load(argument, &(struct shw_forest_load_params){.log = app->log}, &forest);

    if (result != SHW_OK)
        return result;
    shared = view_shared_forest_create(forest, true, 0);
    if (shared != NULL)
        return view_app_set_forest(app, shared);
    shw_forest_destroy(&forest);
    return shw_fail_memory(&app->log, argument);
}

/* STAGE TECHNIQUE, or the technique of all stages. */
static enum shw_result set_technique(struct view_app *app, const char *argument)
{
    const char *blank = strchr(argument, ' '), *name = blank != NULL ? blank + 1 : argument;
    const enum shw_technique known[] = {SHW_TECHNIQUE_AUTO, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE,
                                        SHW_TECHNIQUE_CPU};
    bool found = false;

    for (uint32_t stage = 0; stage < SHW_STAGE_COUNT; stage++) {
        const char *stage_name = shw_stage_name((enum shw_stage)stage);
        if (blank != NULL && (strlen(stage_name) != (size_t)(blank - argument) ||
                              strncmp(stage_name, argument, (size_t)(blank - argument)) != 0))
            continue;
        for (size_t t = 0; t < sizeof known / sizeof *known; t++)
            if (strcmp(shw_technique_name(known[t]), name) == 0) {
                app->labelling.techniques[stage] = known[t];
                found = true;
            }
    }
    if (!found)
        return view_action_refuse(
            app,
            "a technique: auto, fragment, compute or cpu, after `channels`, `integrate` or `evaluate` for one stage",
            argument);
    app->labelling.new_techniques = app->relabel = true;
    return SHW_OK;
}

static enum shw_result set_budget(struct view_app *app, const char *argument)
{
    long budget;

    if (!view_parse_number(argument, 0, BUDGET_MAX, &budget))
        return view_action_refuse(app, "milliseconds, or 0", argument);
    app->labelling.budget = (double)budget;
    return SHW_OK;
}

/* A count is known a few frames after the labels are. */
static enum shw_result print_shares(struct view_app *app, const char *argument)
{
    const struct shw_class *classes;
    uint32_t described = view_app_classes(app, &classes);
    enum shw_result result = SHW_OK;

    (void)argument;
    if (app->forest == NULL || app->picture == NULL)
        return view_action_refuse(app, "a picture with labels", "what is shown");
    app->count_classes = true;
    do
        result = view_app_frame(app, NULL);
    while (result == SHW_OK && (!view_labelling_is_current(app) ||
                                (app->labelling.front.filled && view_class_shares_pending(&app->shares))));
    app->count_classes = false;
    if (result == SHW_OK && !app->labelling.front.filled) /* why not, was told when they could not be made */
        return view_action_refuse(app, "a picture with labels", "what is shown");
    for (uint32_t c = 0; result == SHW_OK && c < app->shares.classes; c++)
        printf("%s: %.4f %%\n", c < described && classes != NULL ? classes[c].name : "class",
               100.0 * (double)app->shares.shares[c]);
    return result;
}

static const struct view_action actions[] = {
    {"forest", "FILE", "label by the forest in a .ktx2 file", load_forest},
    {"technique", "[STAGE] NAME", "label by auto, fragment, compute or cpu; STAGE: channels, integrate or evaluate",
     set_technique},
    {"budget", "MILLISECONDS", "of a frame that labels may take, the rest comes in the next ones; 0: all of it at once",
     set_budget},
    {"shares", NULL, "print which share of the picture's pixels each class has", print_shares},
    {0}};

static const struct view_key keys[] = {{0}};

const struct view_action_group view_label_group = {"Labels", actions, keys};
