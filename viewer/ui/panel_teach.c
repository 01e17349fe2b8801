/* Teaching: the project, its classes, the tools, and the progress of training. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "teach/teaching.h"
#include "ui/panel.h"

#define LISTS_MAX 16u

static void show_file(struct view_panel_context *context, struct view_teaching *teaching)
{
    const char *name = teaching->project.path != NULL ? strrchr(teaching->project.path, '/') : NULL;
    bool unsaved = teaching->project.saved != shw_project_get_revision(teaching->project.data);
    char shown[512];

    if (teaching->project.path != NULL) {
        snprintf(shown, sizeof shown, "%s%s", name != NULL ? name + 1 : teaching->project.path,
                 unsaved ? " (not saved)" : "");
        view_ui_name(shown, teaching->project.path);
        view_panel_button(context, "Save", "save", "save the project", 0.0f, false);
        view_ui_same_line(0.0f);
        view_panel_button(context, "Save as...", "save-as", "save it under another name", 0.0f, false);
    } else {
        view_ui_next_width(-50.0f);
        if (view_ui_text_field("##file", teaching->fields.file, sizeof teaching->fields.file, "file name to save as",
                               false) &&
            teaching->fields.file[0] != '\0')
            view_panel_run(context, "save %s%s", teaching->fields.file,
                           view_is_project(teaching->fields.file) ? "" : ".json");
    }
    view_ui_same_line(0.0f);
    view_panel_button(context, "New", "project new", "start another project; warns first if this one is not saved",
                      0.0f, false);
}

/* The chosen class's name and colour, and whether it is locked. */
static void show_chosen(struct view_panel_context *context, struct view_teaching *teaching)
{
    uint32_t chosen = teaching->scene->settings.chosen;
    uint8_t colour[3];
    char action[32];

    if (chosen >= teaching->class_count)
        return;
    view_scene_class_colour(teaching->scene, chosen, colour);
    if (view_ui_colour("##colour", colour))
        view_panel_run(context, "colour #%u #%02x%02x%02x", chosen, colour[0], colour[1], colour[2]);
    view_panel_tip(context, "the chosen class's colour", NULL);
    view_ui_same_line(0.0f);
    view_ui_next_width(-60.0f);
    if (view_ui_text_field("##rename", teaching->fields.rename, sizeof teaching->fields.rename, "new name", false) &&
        teaching->fields.rename[0] != '\0') {
        view_panel_run(context, "rename-class #%u %s", chosen, teaching->fields.rename);
        teaching->fields.rename[0] = '\0';
    }
    view_ui_same_line(0.0f);
    if (view_ui_button("Delete"))
        view_panel_run(context, "delete-class #%u", chosen);
    view_panel_tip(context, "delete the chosen class with everything painted of it; can be undone", NULL);
    snprintf(action, sizeof action, "lock #%u", chosen);
    view_panel_toggle(context, "Locked", shw_project_get_class(teaching->project.data, chosen)->locked, action,
                      "protect the chosen class from being painted over");
}

static void show_classes(struct view_panel_context *context, struct view_teaching *teaching)
{
    if (teaching->class_count == 0)
        view_ui_wrapped_text("Start with two classes: enter each name below. Then paint a stroke of each.");
    show_chosen(context, teaching);
    view_ui_next_width(-1.0f);
    teaching->scene->redraw = teaching->scene->redraw || teaching->fields.more;
    view_ui_focus(&teaching->fields.more);
    if (view_ui_text_field("##class", teaching->fields.add, sizeof teaching->fields.add, "name of a new class",
                           false) &&
        teaching->fields.add[0] != '\0') {
        view_panel_run(context, "add-class %s", teaching->fields.add);
        teaching->fields.add[0] = '\0';
        teaching->fields.more = true; /* classes are often added one after the other */
    }
}

static void show_training_buttons(struct view_panel_context *context, const struct view_teaching *teaching,
                                  const struct view_train_status *status)
{
    const struct view_panel_item items[] = {
        {"Train", "teach toggle", "train from the strokes, or pause", !status->stopped, false},
        {"Restore", "restore", "switch to the previous forest, and back", false, !status->can_restore},
        {"Uncertain", "uncertain", "centre the view on the most uncertain unlabelled place", false,
         teaching->scene->forest == NULL}};

    view_panel_buttons(context, items, sizeof items / sizeof *items);
}

static void show_progress(struct view_panel_context *context, struct view_teaching *teaching)
{
    static const char *const states[] = {[VIEW_TRAIN_IDLE] = "ready: paint to train",
                                         [VIEW_TRAIN_SMALL] = "first forest",
                                         [VIEW_TRAIN_FULL] = "full forest",
                                         [VIEW_TRAIN_JUDGING] = "measuring accuracy",
                                         [VIEW_TRAIN_DONE] = "trained",
                                         [VIEW_TRAIN_FAILED] = "failed"};
    const struct view_stroke_times *times = &teaching->times;
    struct view_train_status status;

    view_train_worker_get_status(teaching->worker, &status);
    view_ui_progress(status.state == VIEW_TRAIN_DONE ? 1.0f : (float)status.fraction,
                     status.stopped ? "paused" : states[status.state]);
    if (times->shown > 0)
        view_ui_dim_text("last stroke shown in %.0f ms", 1e3 * (times->shown - times->ended));
    else
        view_ui_dim_text("no stroke has been learned yet");
    show_training_buttons(context, teaching, &status);
}

static void show_settings(struct view_panel_context *context, struct view_teaching *teaching)
{
    struct shw_project_training training = shw_project_get_training(teaching->project.data);
    const char *names[LISTS_MAX];
    const char *current = training.channels[0] != '\0' ? training.channels : SHW_CHANNELS_WINN16, *name;
    uint32_t count = 0, chosen = 0;

    view_panel_slider(context, "Trees", 90.0f, (int)(training.tree_count > 0 ? training.tree_count : 8), 1, 64,
                      (int)SHW_TREES_MAX, "%d", "training trees", "number of trees");
    view_panel_slider(context, "Depth", 90.0f, (int)(training.depth > 0 ? training.depth : 12), 1, 24, 24, "%d",
                      "training depth", "maximum number of tests on a path");
    view_panel_slider(context, "Candidates", 90.0f, (int)(training.candidates > 0 ? training.candidates : 300), 1, 2000,
                      1 << 20, "%d", "training candidates", "candidate tests per node");
    for (; (name = shw_channel_list_get_name(count)) != NULL; count++) {
        names[count] = name;
        chosen = strcmp(name, current) == 0 ? count : chosen;
    }
    if (strcmp(names[chosen], current) != 0)
        names[chosen = count++] = current;
    view_ui_next_width(-90.0f);
    if (view_ui_combo("Channels", &chosen, names, count))
        view_panel_run(context, "training channels %s", names[chosen]);
    view_panel_tip(context, "channels that tests read", NULL);
    chosen = (uint32_t)teaching->trainer;
    view_ui_next_width(-90.0f);
    if (view_ui_combo("Trainer", &chosen, view_trainer_names, VIEW_TRAINER_COUNT))
        view_panel_run(context, "trainer %s", view_trainer_names[chosen]);
    view_panel_tip(context, "who trains; auto: the device, unless it is a CPU itself", NULL);
}

void view_panel_teach(struct view_panel_context *context, void *user)
{
    struct view_teaching *teaching = user;

    if (teaching->project.data == NULL) {
        view_ui_wrapped_text(
            "Teach classes by painting: start a project, name its classes, and paint a stroke of each.");
        view_panel_button(context, "New project", "project new", NULL, 0.0f, false);
        return;
    }
    show_file(context, teaching);
    view_panel_tools(context, teaching);
    view_ui_heading("Classes");
    show_classes(context, teaching);
    view_ui_heading("Training");
    show_progress(context, teaching);
    if (view_ui_tree_begin("Settings", false)) {
        show_settings(context, teaching);
        view_ui_tree_end();
    }
}
