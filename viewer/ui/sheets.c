#include "ui/sheets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/io/image_paths.h"
#include "teach/teaching.h"

static const struct {
    const char *what, *help;
} mouse[] = {{"Drag", "move the picture or the wipe line; use the tool in hand"},
             {"Right drag", "erase with the tool in hand"},
             {"Shift", "straight lines with brush and eraser"},
             {"Middle drag", "move the picture"},
             {"Wheel", "zoom around the cursor; with Ctrl: radius of the brush"},
             {"Ctrl+click", "enter a number in a slider"},
             {"Drop a file", "open it"}};

static void row(const char *key, const char *help)
{
    view_ui_table_row();
    view_ui_table_cell();
    view_ui_text("%s", key);
    view_ui_table_cell();
    view_ui_wrapped_text("%s", help);
}

static void group(const struct view_action_group *shown)
{
    view_ui_heading(shown->title);
    if (!view_ui_key_table_begin(shown->title))
        return;
    for (const struct view_key *key = shown->keys; key->key != NULL; key++)
        if (key->help != NULL)
            row(key->key, key->help);
    view_ui_table_end();
    view_ui_space();
}

static uint32_t rows_of(const struct view_action_group *shown)
{
    uint32_t count = 0;

    for (const struct view_key *key = shown->keys; key->key != NULL; key++)
        count += key->help != NULL;
    return count > 0 ? count + 3 : 0; /* with the title and spacing */
}

/* Distributes groups to columns of about the same height. */
static void columns(const struct view_action_entry *next, uint32_t count)
{
    uint32_t rows = sizeof mouse / sizeof *mouse + 3, before = 0;

    for (const struct view_action_entry *entry = next; entry->group != NULL; entry++)
        rows += rows_of(entry->group);
    for (uint32_t c = 0; c < count; c++) {
        view_ui_column_begin(c, count);
        for (; next->group != NULL && (c + 1 == count || before + rows_of(next->group) / 2 < (c + 1) * rows / count);
             next++) {
            before += rows_of(next->group);
            if (rows_of(next->group) > 0)
                group(next->group);
        }
        if (c + 1 == count) {
            view_ui_heading("Mouse");
            if (view_ui_key_table_begin("Mouse")) {
                for (uint32_t i = 0; i < sizeof mouse / sizeof *mouse; i++)
                    row(mouse[i].what, mouse[i].help);
                view_ui_table_end();
            }
        }
        view_ui_column_end();
    }
}

/* Functions of the window itself, which have no action. */
static void show_window(struct view_panel_context *context)
{
    static const char *const names[] = {"as the display", "75 %", "100 %", "125 %", "150 %", "200 %", "300 %"};
    static const float factors[] = {0.0f, 0.75f, 1.0f, 1.25f, 1.5f, 2.0f, 3.0f};
    uint32_t chosen = UINT32_MAX;

    for (uint32_t i = 0; i < sizeof factors / sizeof *factors; i++)
        if (context->frame.chosen_scale == factors[i])
            chosen = i;
    view_ui_next_width(140.0f);
    if (view_ui_combo("Text size", &chosen, names, sizeof names / sizeof *names)) {
        if (chosen == 0)
            view_panel_run(context, "scale auto");
        else
            view_panel_run(context, "scale %g", (double)factors[chosen]);
    }
    view_ui_same_line(320.0f);
    view_panel_toggle(context, "Vertical sync", context->frame.vsync, "vsync", "synchronise frames with the display");
    view_ui_separator();
}

bool view_sheet_help(struct view_panel_context *context)
{
    float scale = view_ui_scale(context->ui);
    bool open = true;

    if (!view_ui_sheet_begin("Help", 880.0f * scale, 640.0f * scale, &open))
        return open;
    show_window(context);
    columns(context->actions, (float)context->frame.canvas.width >= 860.0f * scale ? 3 : 2);
    view_ui_sheet_end();
    return open;
}

/* In the lower left corner, while labels are not exact. */
static void tell_preview(const struct view_panel_context *context, const struct view_scene *scene)
{
    static const char title[] = "preview";
    float scale = view_ui_scale(context->ui), margin = 10.0f * scale;

    if (scene->instead.on || !view_overlay_shows_labels(scene->settings.mode) ||
        !view_labelling_is_preview(&scene->labelling))
        return;
    view_ui_window_begin(VIEW_UI_NOTE, title, (float)context->frame.area.x + margin,
                         (float)context->frame.area.y + (float)context->frame.area.height - margin -
                             view_ui_window_height(title),
                         80.0f * scale, 0.0f, 0.8f);
    view_ui_text("preview");
    view_ui_window_end();
}

static void show_heading(const struct view_toast *toast)
{
    static const uint8_t red[3] = {240, 120, 100}, amber[3] = {230, 190, 90}, green[3] = {120, 200, 140};
    const uint8_t *colour = toast->error ? red : toast->news ? green : amber;
    const char *heading = toast->error ? "Error" : toast->news ? "Done" : "Warning";

    if (toast->times > 1)
        view_ui_coloured_text(colour, "%s, %u times", heading, toast->times);
    else
        view_ui_coloured_text(colour, "%s", heading);
}

void view_notes_show(const struct view_panel_context *context, const struct view_scene *scene,
                     struct view_toasts *toasts)
{
    struct view_toast list[VIEW_TOASTS];
    uint32_t count = view_toasts_list(toasts, list);
    float scale = view_ui_scale(context->ui), margin = 10.0f * scale;
    float width = (float)context->frame.area.width - 2.0f * margin, height;
    float bottom = (float)context->frame.area.y + (float)context->frame.area.height - margin;

    tell_preview(context, scene);
    width = width > 380.0f * scale ? 380.0f * scale : width;
    while (count-- > 0) {
        char title[16];
        snprintf(title, sizeof title, "note %u", count);
        height = view_ui_window_height(title);
        view_ui_window_begin(VIEW_UI_NOTE, title,
                             (float)context->frame.area.x + (float)context->frame.area.width - margin - width,
                             bottom - height, width, 0.0f, list[count].opacity);
        show_heading(&list[count]);
        view_ui_wrapped_text("%s", list[count].text);
        view_ui_window_end();
        bottom -= height + 0.6f * margin;
    }
}

/* Questions about the project: unsaved work, the name of its file, and a file that would be replaced. */

#define WIDTH  480.0f /* points */
#define HEIGHT 190.0f

void view_sheet_buttons(struct view_panel_context *context, const char *const (*buttons)[2], uint32_t count)
{
    view_ui_space();
    for (uint32_t b = 0; b < count; b++) {
        if (b > 0)
            view_ui_same_line(0.0f);
        if (view_ui_wide_button(buttons[b][0], 100.0f, b == 0))
            view_panel_run(context, "%s", buttons[b][1]);
    }
}

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

static void show_unsaved(struct view_panel_context *context, const struct view_teaching *teaching)
{
    static const char *const buttons[][2] = {
        {"Save##answer", "answer save"}, {"Discard", "answer discard"}, {"Cancel", "answer cancel"}};
    const struct view_project *project = &teaching->project;
    uint32_t strokes = 0, pictures = 0, classes = shw_project_get_class_count(project->data);

    for (uint32_t p = 0; p < shw_project_get_picture_count(project->data); p++) {
        uint32_t count = shw_project_get_picture(project->data, p).stroke_count;
        strokes += count;
        pictures += count > 0;
    }
    view_ui_wrapped_text("%s has changes that are not saved. It has %u class%s, and %u stroke%s on %u picture%s.",
                         project->path != NULL ? shw_path_last(project->path) : "The project without a name", classes,
                         classes == 1 ? "" : "es", strokes, plural(strokes), pictures, plural(pictures));
    if (project->path == NULL)
        view_ui_dim_text("It has never been saved.");
    view_sheet_buttons(context, buttons, 3);
}

static void show_name(struct view_panel_context *context, struct view_teaching *teaching)
{
    teaching->scene->redraw = teaching->scene->redraw || teaching->question.focus;
    view_sheet_file_name(context, &teaching->question,
                         &(struct view_sheet_file){"answer", ".json", "name of the project's file"});
}

static void show_replace(struct view_panel_context *context, const struct view_teaching *teaching)
{
    const char *path = teaching->question.path;

    static const char *const buttons[][2] = {
        {"Save as...", "answer rename"}, {"Replace", "answer save"}, {"Cancel", "answer cancel"}};

    if (view_project_is_own_file(&teaching->project, path))
        view_ui_wrapped_text("%s was changed by another program since it was opened here. Replacing it loses those "
                             "changes.",
                             path);
    else
        view_ui_wrapped_text("%s exists and is not the file of this project. Replacing it loses what is in it.", path);
    view_sheet_buttons(context, buttons, 3);
}

/* Deleting takes two clicks in different places. */
static void show_left_buttons(struct view_panel_context *context, const char *action, uint32_t number, bool recovers)
{
    if (context->doomed != number) {
        if (recovers) {
            if (view_ui_wide_button("Recover", 100.0f, number == 1))
                view_panel_run(context, "%s %u", action, number);
            view_ui_same_line(0.0f);
        }
        if (view_ui_wide_button("Delete ...##recovered", 100.0f, false))
            context->doomed = number;
        return;
    }
    if (view_ui_wide_button("Delete for good", 150.0f, false)) {
        view_panel_run(context, "%s delete %u", action, number);
        context->doomed = 0;
    }
    view_ui_same_line(0.0f);
    if (view_ui_wide_button("Keep", 100.0f, true))
        context->doomed = 0;
}

void view_sheet_left(struct view_panel_context *context, const struct view_left_list *list,
                     const struct view_sheet_left *texts)
{
    const float scale = view_ui_scale(context->ui);
    bool open = true;

    if (!view_ui_sheet_begin(texts->title, WIDTH * scale, 300.0f * scale, &open))
        return;
    view_ui_wrapped_text("%s", texts->said);
    view_ui_list_begin(texts->id, 200.0f);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct view_left *item = &list->items[i];
        char when[64] = "", rest[48], classes[40] = "";
        struct tm local;

        if (localtime_r(&item->written, &local) != NULL && strftime(rest, sizeof rest, "%B, %H:%M", &local) > 0)
            snprintf(when, sizeof when, "%d %s", local.tm_mday, rest); /* Windows has no %e */
        if (texts->counts_classes)
            snprintf(classes, sizeof classes, "%u class%s, ", item->class_count, item->class_count == 1 ? "" : "es");
        view_ui_push_id(i);
        view_ui_text("%s, %s", item->path != NULL ? shw_path_last(item->path) : texts->nameless, when);
        if (item->unreadable)
            view_ui_dim_text("damaged: it cannot be read");
        else
            view_ui_dim_text("%s%u %s%s on %u picture%s", classes, item->count, texts->counted, plural(item->count),
                             item->picture_count, plural(item->picture_count));
        if (item->path != NULL)
            view_ui_tooltip("%s", item->path);
        show_left_buttons(context, texts->action, i + 1, !item->unreadable);
        view_ui_pop_id();
    }
    view_ui_list_end();
    if (view_ui_wide_button("Later", 100.0f, false) || !open)
        view_panel_run(context, "%s later", texts->action);
    context->doomed = open ? context->doomed : 0;
    view_ui_sheet_end();
}

bool view_asks_about_project(const void *user, struct view_asked *asked)
{
    const struct view_teaching *teaching = user;
    const struct view_question *question = &teaching->question;

    *asked = (struct view_asked){"answer save", "answer cancel", question->focus};
    if (question->kind == VIEW_QUESTION_REPLACE)
        asked->enter = "answer rename";
    else if (question->kind == VIEW_QUESTION_NONE)
        *asked = (struct view_asked){NULL, "recover later", false};
    return view_teaching_asks(teaching);
}

void view_ask_about_project(struct view_panel_context *context, void *user)
{
    static const char *const titles[] = {[VIEW_QUESTION_UNSAVED] = "Unsaved work",
                                         [VIEW_QUESTION_NAME] = "Save the project",
                                         [VIEW_QUESTION_REPLACE] = "Replace the file?"};
    static const struct view_sheet_left left = {"Unsaved work of an earlier run",
                                                "The viewer ended before this was saved:",
                                                "##recovered",
                                                "a project without a name",
                                                "stroke",
                                                true,
                                                "recover"};
    struct view_teaching *teaching = user;
    struct view_question *question = &teaching->question;
    float scale = view_ui_scale(context->ui);
    bool open = true;

    if (question->kind == VIEW_QUESTION_NONE) {
        view_sheet_left(context, &teaching->recovered, &left);
        return;
    }
    if (!view_ui_sheet_begin(titles[question->kind], WIDTH * scale,
                             (question->kind == VIEW_QUESTION_NAME ? VIEW_FILE_NAME_HEIGHT : HEIGHT) * scale, &open))
        return;
    switch (question->kind) {
    case VIEW_QUESTION_UNSAVED: show_unsaved(context, teaching); break;
    case VIEW_QUESTION_NAME: show_name(context, teaching); break;
    default: show_replace(context, teaching); break;
    }
    view_ui_sheet_end();
    if (!open)
        view_panel_run(context, "answer cancel");
}
