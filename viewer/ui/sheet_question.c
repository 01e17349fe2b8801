/* Questions about the project: unsaved work, the name of its file, and a file that would be replaced. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/io/image_paths.h"
#include "teach/teaching.h"
#include "ui/sheets.h"

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

/* Where a file of that name would be. */
static void show_folder(const char *name)
{
    char folder[PATH_MAX] = "", *real;
    const char *slash = strrchr(name, '/');

    snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - name) + 1 : 1, slash != NULL ? name : ".");
    real = realpath(folder, NULL);
    if (real != NULL)
        view_ui_dim_text("in the folder %s", real);
    else
        view_ui_dim_text("there is no folder %s", folder);
    free(real);
}

void view_sheet_file_name(struct view_panel_context *context, struct view_question *question,
                          const struct view_sheet_file *file)
{
    bool entered;

    view_ui_next_width(-1.0f);
    view_ui_focus(&question->focus);
    entered = view_ui_text_field("##name", question->field, sizeof question->field, file->hint, false);
    show_folder(question->field);
    view_ui_space();
    if ((view_ui_wide_button("Save##answer", 100.0f, true) || entered) && question->field[0] != '\0')
        view_panel_run(context, "%s save %s%s", file->action, question->field,
                       shw_name_ends_with(question->field, file->ending) ? "" : file->ending);
    view_ui_same_line(0.0f);
    if (view_ui_wide_button("Cancel", 100.0f, false))
        view_panel_run(context, "%s cancel", file->action);
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
        char when[64] = "", classes[40] = "";
        struct tm local;

        if (localtime_r(&item->written, &local) != NULL)
            strftime(when, sizeof when, "%e %B, %H:%M", &local);
        if (texts->counts_classes)
            snprintf(classes, sizeof classes, "%u class%s, ", item->class_count, item->class_count == 1 ? "" : "es");
        view_ui_push_id(i);
        view_ui_text("%s, %s", item->path != NULL ? shw_path_last(item->path) : texts->nameless, when);
        view_ui_dim_text("%s%u %s%s on %u picture%s", classes, item->count, texts->counted, plural(item->count),
                         item->picture_count, plural(item->picture_count));
        if (item->path != NULL)
            view_ui_tooltip("%s", item->path);
        if (view_ui_wide_button("Recover", 100.0f, i == 0))
            view_panel_run(context, "%s %u", texts->action, i + 1);
        view_ui_same_line(0.0f);
        if (view_ui_wide_button("Delete##recovered", 100.0f, false))
            view_panel_run(context, "%s delete %u", texts->action, i + 1);
        view_ui_pop_id();
    }
    view_ui_list_end();
    if (view_ui_wide_button("Later", 100.0f, false) || !open)
        view_panel_run(context, "%s later", texts->action);
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
    if (!view_ui_sheet_begin(titles[question->kind], WIDTH * scale, HEIGHT * scale, &open))
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
