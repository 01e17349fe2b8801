/* What a project is trained with, as plain choices: the section Settings of the panel Teaching. */
#include <stdio.h>
#include <string.h>

#include "dense/input/inputs.h"
#include "files/tune/preset.h"
#include "teach/choices.h"
#include "ui/panel.h"

#define LISTS_MAX   16u
#define PRESETS_MAX 8u
#define LABEL_WIDTH 78.0f /* points */

/* A sentence about the choice above it. */
static void say(const char *text)
{
    view_ui_dim_text("%s", text);
}

/* The presets begin with the one that projects have anyway. */
static void show_preset(struct view_panel_context *context)
{
    const char *names[PRESETS_MAX + 1] = {"Choose..."}, *name;
    uint32_t count = 1, chosen = 0;

    for (uint32_t i = 0; (name = shw_preset_name(i)) != NULL && count <= PRESETS_MAX; i++)
        names[count++] = name;
    view_ui_next_width(-LABEL_WIDTH);
    if (view_ui_combo("Preset", &chosen, names, count) && chosen > 0)
        view_panel_run(context, "preset %s", names[chosen]);
    view_panel_tip(context, "settings that were found for such pictures; strokes has those that a new project has",
                   NULL);
    say("A preset sets everything below. \"strokes\" is the quickest.");
}

/* Where the depth of pictures is. The field is filled again when the project says otherwise. */
static void show_pattern(struct view_panel_context *context, struct view_teaching *teaching)
{
    char *field = teaching->fields.depth, *was = teaching->fields.depth_was, now[sizeof teaching->fields.depth];

    view_choice_depth(teaching, now, sizeof now);
    if (strcmp(was, now) != 0) {
        memcpy(was, now, sizeof now);
        memcpy(field, now, sizeof now);
    }
    view_ui_next_width(-1.0f);
    if (view_ui_text_field("##depth-files", field, sizeof teaching->fields.depth, "NAME_depth.png", false))
        view_panel_run(context, "learn-from depth %s", field[0] != '\0' ? field : "beside");
    view_panel_tip(context,
                   "a pattern, from the folder of the shown picture: ../depth/{}.png\n"
                   "{} stands for a picture's name; empty: NAME_depth.png beside NAME_colors.png",
                   NULL);
    say("Where the depth of pictures is, {} being a picture's name.");
}

static void show_inputs(struct view_panel_context *context, struct view_teaching *teaching)
{
    const struct shw_project *project = teaching->project.data;

    view_panel_toggle(context, "Depth", shw_project_reads(project, SHW_DEPTH), "learn-from depth",
                      "also train on depth: NAME_depth.png beside NAME_colors.png, or where a pattern says");
    view_ui_same_line(0.0f);
    view_panel_toggle(context, "Motion", shw_project_reads(project, SHW_PREVIOUS), "learn-from motion",
                      "also train on what has changed since the previous frame of a video or of a folder of frames");
    say("What is learned from besides colours.");
    if (shw_project_reads(project, SHW_DEPTH))
        show_pattern(context, teaching);
}

/* How far tests reach: near tests follow detail, far ones use the context. */
static void show_reach(struct view_panel_context *context, const struct shw_project_training *training)
{
    static const uint32_t reaches[] = {0, 3, 7, 15, 31, 63, 95, 200};
    const char *names[sizeof reaches / sizeof *reaches + 1] = {"Automatic", "Detail: 3 pixels",   "7 pixels",
                                                               "15 pixels", "31 pixels",          "63 pixels",
                                                               "95 pixels", "Context: 200 pixels"};
    uint32_t count = sizeof reaches / sizeof *reaches, chosen = 0;
    char other[32];

    while (chosen < count && reaches[chosen] != training->offset)
        chosen++;
    if (chosen == count) {
        snprintf(other, sizeof other, "%u pixels", training->offset);
        names[count++] = other;
    }
    view_ui_next_width(-LABEL_WIDTH);
    if (view_ui_combo("Reach", &chosen, names, count) && chosen < sizeof reaches / sizeof *reaches)
        view_panel_run(context, "training offset %u", reaches[chosen]);
    view_panel_tip(context, "how far around a pixel tests look", NULL);
    say("Less follows detail, more uses what is around it.");
}

static void show_smoothing(struct view_panel_context *context, const struct view_teaching *teaching)
{
    view_panel_slider(context, "Smoothing##choice", LABEL_WIDTH, (int)view_scene_radius(teaching->scene), 0, 48,
                      (int)SHW_SMOOTHING_RADIUS_MAX, "%d pixels", "smoothing",
                      "radius of smoothing, 0: none; nothing is trained again for it");
    say("More removes specks, less keeps thin things.");
}

static void show_levels(struct view_panel_context *context, const struct shw_project_training *training)
{
    static const char *const names[] = {"One forest", "Two levels"};
    uint32_t chosen = training->levels > 1;

    view_ui_next_width(-LABEL_WIDTH);
    if (view_ui_combo("Levels", &chosen, names, 2))
        view_panel_run(context, "training levels %u", chosen + 1);
    view_panel_tip(context, "two levels: a second forest also sees what the first one says of the surroundings", NULL);
    say("Two levels know that a road is beside grass, and take several times as long. The quick forest has one.");
}

static void show_preview(struct view_panel_context *context, const struct view_teaching *teaching)
{
    const bool on = teaching->preview.on;
    const struct view_panel_item begin[] = {
        {"Compare", "preview on",
         "keep the present labels left of a line, and change a choice: its labels are right of "
         "it",
         false, teaching->scene->forest == NULL}};
    const struct view_panel_item end[] = {
        {"Keep", "preview keep", "keep the changed choices", false, false},
        {"Go back", "preview drop", "go back to the choices of the labels left of the line", false, false}};

    view_panel_buttons(context, on ? end : begin, on ? 2 : 1);
    say(on ? "Left of the line: the labels before. Right of it: those of the choices below."
           : "Compare shows the labels before and after a change side by side.");
}

static void show_numbers(struct view_panel_context *context, const struct shw_project_training *training)
{
    const char *names[LISTS_MAX + 1];
    const char *current = shw_project_training_channels(training), *name;
    uint32_t count = 0, chosen = 0;

    view_panel_slider(context, "Trees", LABEL_WIDTH,
                      (int)(training->tree_count > 0 ? training->tree_count : SHW_PROJECT_TREES), 1, 64,
                      (int)SHW_TREES_MAX, "%d", "training trees", "number of trees");
    view_panel_slider(context, "Tree depth", LABEL_WIDTH,
                      (int)(training->depth > 0 ? training->depth : SHW_PROJECT_DEPTH), 1, 24, 24, "%d",
                      "training depth", "maximum number of tests on a path");
    view_panel_slider(context, "Candidates", LABEL_WIDTH,
                      (int)(training->candidates > 0 ? training->candidates : SHW_PROJECT_CANDIDATES), 1, 2000, 1 << 20,
                      "%d", "training candidates", "candidate tests per node");
    for (; count < LISTS_MAX && (name = shw_channel_list_get_name(count)) != NULL; count++) {
        names[count] = name;
        chosen = strcmp(name, current) == 0 ? count : chosen;
    }
    if (strcmp(names[chosen], current) != 0)
        names[chosen = count++] = current;
    view_ui_next_width(-LABEL_WIDTH);
    if (view_ui_combo("Channels", &chosen, names, count))
        view_panel_run(context, "training channels %s", names[chosen]);
    view_panel_tip(context, "channels that tests read", NULL);
}

static void show_trainer(struct view_panel_context *context, const struct view_teaching *teaching)
{
    uint32_t chosen = (uint32_t)teaching->trainer;

    view_ui_next_width(-LABEL_WIDTH);
    if (view_ui_combo("Trainer", &chosen, view_trainer_names, VIEW_TRAINER_COUNT))
        view_panel_run(context, "trainer %s", view_trainer_names[chosen]);
    view_panel_tip(context, "who trains; auto: the device, unless it is a CPU itself", NULL);
}

/* A trainer on another machine. */
static void show_away(struct view_panel_context *context, struct view_teaching *teaching)
{
    struct view_away *away = &teaching->away;
    const bool connected = view_away_is_connected(away);
    const struct view_panel_item items[] = {
        {connected                 ? "Connect anew##away"
         : view_away_is_lost(away) ? "Connect again##away"
                                   : "Connect##away",
         NULL, "let the program train that the command starts", false, away->field[0] == '\0'},
        {"Disconnect##away", "trainer-disconnect", "train here again", false, away->remote == NULL}};
    char text[512], line[VIEW_AWAY_COMMAND + 32];
    struct view_panel_item shown[2] = {items[0], items[1]};

    if (!away->filled)
        snprintf(away->field, sizeof away->field, "%s", away->command);
    away->filled = true;
    view_ui_next_width(-LABEL_WIDTH);
    if (view_ui_text_field("Other machine", away->field, sizeof away->field, "ssh HOST shadewood serve", false) &&
        away->field[0] != '\0')
        view_panel_run(context, "trainer-connect %s", away->field);
    view_panel_tip(context, "the command that starts a trainer on another machine", "trainer-connect COMMAND");
    snprintf(line, sizeof line, "trainer-connect %s", away->field);
    shown[0].line = line;
    view_panel_buttons(context, shown, 2);
    view_away_tell(away, text, sizeof text);
    say(text);
}

void view_panel_choices(struct view_panel_context *context, struct view_teaching *teaching)
{
    const struct shw_project_training training = shw_project_get_training(teaching->project.data);

    show_preview(context, teaching);
    show_preset(context);
    show_inputs(context, teaching);
    show_reach(context, &training);
    show_smoothing(context, teaching);
    show_levels(context, &training);
    show_numbers(context, &training);
    show_trainer(context, teaching);
    show_away(context, teaching);
}
