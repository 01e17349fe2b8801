/* Teaching: the project, its classes, the tools, and the progress of training. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "teach/teaching.h"
#include "ui/panel.h"

#define GAP       6.0f /* points between two items on a line */
#define LISTS_MAX 16u

#define FOCUS_FRAMES 3u     /* until a field has received the focus */
#define ROW          25.0f  /* height of a class, points */
#define AROUND       540.0f /* of the panels without the classes */
#define ROWS_MIN     5u     /* at least visible; more scroll */

static void show_file(struct view_panel_context *context, struct view_teaching *teaching)
{
    const char *name = teaching->project.path != NULL ? strrchr(teaching->project.path, '/') : NULL;
    bool unsaved = teaching->project.saved != shw_project_get_revision(teaching->project.data);

    if (teaching->project.path != NULL) {
        view_ui_text("%s%s", name != NULL ? name + 1 : teaching->project.path, unsaved ? " (not saved)" : "");
        view_panel_button(context, "Save", "save", "save the project", 0.0f, false);
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

/* A class: its painted pixels and, as a bar, out-of-bag accuracy. */
static void show_class(struct view_panel_context *context, struct view_teaching *teaching, uint32_t number,
                       uint64_t pixels, const struct shw_out_of_bag *judged)
{
    const struct shw_class *class = &teaching->classes[number];
    bool locked = shw_project_get_class(teaching->project.data, number)->locked,
         known = judged != NULL && judged->labelled > 0;
    double right = known ? (double)judged->right / (double)judged->labelled : 0.0;
    char value[48], accuracy[64] = "", help[512], line[32];
    uint8_t colour[3];

    view_scene_class_colour(teaching->scene, number, colour);
    snprintf(line, sizeof line, "class #%u", number);
    snprintf(value, sizeof value, "%s%llu px", locked ? "locked, " : "", (unsigned long long)pixels);
    if (known)
        snprintf(accuracy, sizeof accuracy, "\nout-of-bag accuracy %.1f %% (the bar)", 100.0 * right);
    view_ui_push_id(number);
    if (view_ui_swatch("##choose", colour, true))
        view_panel_run(context, "%s", line);
    view_ui_same_line(0.0f);
    if (view_ui_bar_row(class->name, teaching->scene->settings.chosen == number, known ? (float)right : -1.0f, colour,
                        value))
        view_panel_run(context, "%s", line);
    snprintf(help, sizeof help, "choose %s as the class to paint\n%llu pixels painted%s", class->name,
             (unsigned long long)pixels, accuracy);
    view_panel_tip(context, help, line);
    if (teaching->fields.chosen != number && teaching->scene->settings.chosen == number) {
        view_ui_bring_into_sight();
        teaching->fields.chosen = number;
    }
    view_ui_pop_id();
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

/* As many rows as leave room for the rest of the panel. */
static uint32_t rows_in_sight(const struct view_panel_context *context)
{
    float room = (float)context->frame.canvas.height / view_ui_scale(context->ui) - AROUND;
    uint32_t rows = room > 0.0f ? (uint32_t)(room / ROW) : 0;

    return rows > ROWS_MIN ? rows : ROWS_MIN;
}

static void show_list(struct view_panel_context *context, struct view_teaching *teaching)
{
    uint32_t count = teaching->class_count, rows = rows_in_sight(context), known;
    const uint64_t *pixels = view_painting_count_labels(&teaching->painting);
    struct shw_out_of_bag *judged = calloc(count + 1u, sizeof *judged);

    if (pixels != NULL && judged != NULL) {
        known = view_train_worker_get_accuracy(teaching->worker, judged, count);
        if (count > rows)
            view_ui_list_begin("##list", ROW * (float)rows + 10.0f);
        for (uint32_t c = 0; c < count; c++)
            show_class(context, teaching, c, pixels[c], c < known ? &judged[c] : NULL);
        if (count > rows)
            view_ui_list_end();
    }
    free(judged);
}

static void show_classes(struct view_panel_context *context, struct view_teaching *teaching)
{

    if (teaching->class_count > 0)
        show_list(context, teaching);
    else
        view_ui_wrapped_text("Start with two classes: enter each name below. Then paint a stroke of each.");
    show_chosen(context, teaching);
    view_ui_next_width(-1.0f);
    if (teaching->fields.more == FOCUS_FRAMES && teaching->question.kind == VIEW_QUESTION_NONE)
        view_ui_focus();
    else if (teaching->fields.more > FOCUS_FRAMES)
        view_ui_scroll_here();
    teaching->scene->redraw = teaching->scene->redraw || teaching->fields.more > 0;
    teaching->fields.more -= teaching->fields.more > 0;
    if (view_ui_text_field("##class", teaching->fields.add, sizeof teaching->fields.add, "name of a new class",
                           false) &&
        teaching->fields.add[0] != '\0') {
        view_panel_run(context, "add-class %s", teaching->fields.add);
        teaching->fields.add[0] = '\0';
        teaching->fields.more = VIEW_MORE_CLASSES; /* classes are often added one after the other */
    }
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
    const float width = (view_ui_width() - 2.0f * GAP) / 3.0f;
    struct view_train_status status;

    view_train_worker_get_status(teaching->worker, &status);
    view_ui_progress(status.state == VIEW_TRAIN_DONE ? 1.0f : (float)status.fraction,
                     status.stopped ? "paused" : states[status.state]);
    if (times->shown > 0)
        view_ui_dim_text("last stroke trained and shown in %.0f ms", 1e3 * (times->shown - times->ended));
    view_panel_button(context, "Train", "teach toggle", "train from the strokes, or pause", width, !status.stopped);
    view_ui_same_line(0.0f);
    view_ui_disabled_begin(!status.can_restore);
    view_panel_button(context, "Restore", "restore", "switch to the previous forest, and back", width, false);
    view_ui_disabled_end();
    view_ui_same_line(0.0f);
    view_ui_disabled_begin(teaching->scene->forest == NULL);
    view_panel_button(context, "Uncertain", "uncertain", "centre the view on the most uncertain unlabelled pixel",
                      width, false);
    view_ui_disabled_end();
}

static void show_settings(struct view_panel_context *context, struct view_teaching *teaching)
{
    struct shw_project_training training = shw_project_get_training(teaching->project.data);
    const char *names[LISTS_MAX];
    const char *current = training.channels[0] != '\0' ? training.channels : SHW_CHANNELS_WINN16, *name;
    uint32_t count = 0, chosen = 0;

    view_panel_slider(context, "Trees", 90.0f, (int)(training.tree_count > 0 ? training.tree_count : 8), 1, 64, "%d",
                      "training trees", "number of trees");
    view_panel_slider(context, "Depth", 90.0f, (int)(training.depth > 0 ? training.depth : 12), 1, 24, "%d",
                      "training depth", "maximum number of tests on a path");
    view_panel_slider(context, "Candidates", 90.0f, (int)(training.candidates > 0 ? training.candidates : 300), 1, 2000,
                      "%d", "training candidates", "candidate tests per node");
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
