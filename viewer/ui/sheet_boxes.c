/* Questions about ground-truth rectangles: unsaved ones, the name of their file, a file that would be replaced, and
 * what an earlier run left. */
#include <stdio.h>

#include "annotate/annotating.h"
#include "files/io/image_paths.h"
#include "ui/sheets.h"

#define WIDTH  480.0f /* points */
#define HEIGHT 190.0f

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

static void show_unsaved(struct view_panel_context *context, const struct view_annotating *annotating)
{
    static const char *const buttons[][2] = {{"Save##answer", "rectangles-answer save"},
                                             {"Discard", "rectangles-answer discard"},
                                             {"Cancel", "rectangles-answer cancel"}};
    const char *path = annotating->work.origin.path;
    uint32_t pictures, count = view_boxes_count(&annotating->work.boxes, &pictures);

    view_ui_wrapped_text("%s %s. There are %u rectangle%s on %u picture%s.",
                         path != NULL ? shw_path_last(path) : "The rectangles",
                         path != NULL ? "has changes that are not saved" : "were never saved", count, plural(count),
                         pictures, plural(pictures));
    view_sheet_buttons(context, buttons, 3);
}

static void show_name(struct view_panel_context *context, struct view_annotating *annotating)
{
    annotating->scene->redraw = annotating->scene->redraw || annotating->question.focus;
    view_sheet_file_name(context, &annotating->question,
                         &(struct view_sheet_file){"rectangles-answer", ".csv", "name of the rectangles' file"});
}

static void show_replace(struct view_panel_context *context, const struct view_annotating *annotating)
{
    static const char *const buttons[][2] = {{"Save as...", "rectangles-answer rename"},
                                             {"Replace", "rectangles-answer save"},
                                             {"Cancel", "rectangles-answer cancel"}};
    const char *path = annotating->question.path;

    if (annotating->work.origin.path != NULL && view_is_same_file(annotating->work.origin.path, path))
        view_ui_wrapped_text("%s was changed since it was opened here. Replacing it loses those changes.", path);
    else
        view_ui_wrapped_text("%s exists and is not the file of these rectangles. Replacing it loses what is in it.",
                             path);
    view_sheet_buttons(context, buttons, 3);
}

static void show_recovered(struct view_panel_context *context, const struct view_left_list *found)
{
    const float scale = view_ui_scale(context->ui);
    bool open = true;

    if (!view_ui_sheet_begin("Unsaved rectangles of an earlier run", WIDTH * scale, 300.0f * scale, &open))
        return;
    view_ui_wrapped_text("The viewer ended before these were saved:");
    view_ui_list_begin("##rectangles-left", 200.0f);
    for (uint32_t i = 0; i < found->count; i++) {
        const struct view_left *item = &found->items[i];
        char when[64] = "";
        struct tm local;

        if (localtime_r(&item->written, &local) != NULL)
            strftime(when, sizeof when, "%e %B, %H:%M", &local);
        view_ui_push_id(i);
        view_ui_text("%s, %s", item->path != NULL ? shw_path_last(item->path) : "rectangles without a file", when);
        view_ui_dim_text("%u rectangle%s on %u picture%s", item->count, plural(item->count), item->picture_count,
                         plural(item->picture_count));
        if (view_ui_wide_button("Recover", 100.0f, i == 0))
            view_panel_run(context, "rectangles-recover %u", i + 1);
        view_ui_same_line(0.0f);
        if (view_ui_wide_button("Delete##recovered", 100.0f, false))
            view_panel_run(context, "rectangles-recover delete %u", i + 1);
        view_ui_pop_id();
    }
    view_ui_list_end();
    if (view_ui_wide_button("Later", 100.0f, false) || !open)
        view_panel_run(context, "rectangles-recover later");
    view_ui_sheet_end();
}

bool view_asks_about_boxes(const void *user, struct view_asked *asked)
{
    const struct view_annotating *annotating = user;
    const struct view_question *question = &annotating->question;

    *asked = (struct view_asked){"rectangles-answer save", "rectangles-answer cancel", question->focus};
    if (question->kind == VIEW_QUESTION_REPLACE)
        asked->enter = "rectangles-answer rename";
    else if (question->kind == VIEW_QUESTION_NONE)
        *asked = (struct view_asked){NULL, "rectangles-recover later", false};
    return view_annotating_asks(annotating);
}

void view_ask_about_boxes(struct view_panel_context *context, void *user)
{
    static const char *const titles[] = {[VIEW_QUESTION_UNSAVED] = "Unsaved rectangles",
                                         [VIEW_QUESTION_NAME] = "Save the rectangles",
                                         [VIEW_QUESTION_REPLACE] = "Replace the file of rectangles?"};
    struct view_annotating *annotating = user;
    const float scale = view_ui_scale(context->ui);
    bool open = true;

    if (annotating->question.kind == VIEW_QUESTION_NONE) {
        show_recovered(context, &annotating->recovered);
        return;
    }
    if (!view_ui_sheet_begin(titles[annotating->question.kind], WIDTH * scale, HEIGHT * scale, &open))
        return;
    switch (annotating->question.kind) {
    case VIEW_QUESTION_UNSAVED: show_unsaved(context, annotating); break;
    case VIEW_QUESTION_NAME: show_name(context, annotating); break;
    default: show_replace(context, annotating); break;
    }
    view_ui_sheet_end();
    if (!open)
        view_panel_run(context, "rectangles-answer cancel");
}
