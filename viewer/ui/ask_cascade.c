/* Questions about a cascade that was trained: it is not saved, the name of its file, and a file that would be replaced;
 * and about one that is being trained. */
#include <stdio.h>

#include "detect/learning.h"
#include "ui/panel.h"
#include "ui/sheets.h"

#define WIDTH  480.0f /* points */
#define HEIGHT 190.0f

static void show_training(struct view_panel_context *context)
{
    static const char *const buttons[][2] = {{"Go on training", "cascade-answer cancel"},
                                             {"Stop and quit", "cascade-answer discard"}};

    view_ui_wrapped_text(
        "A cascade is being trained. What it has learned so far would be lost; the rectangles can train "
        "it again.");
    view_sheet_buttons(context, buttons, 2);
}

static void show_unsaved(struct view_panel_context *context, const struct view_learning *learning)
{
    static const char *const buttons[][2] = {{"Save...##answer", "cascade-answer save"},
                                             {"Discard", "cascade-answer discard"},
                                             {"Cancel", "cascade-answer cancel"}};

    const struct view_detector *detector = view_learning_unsaved(learning);

    view_ui_wrapped_text("The cascade '%s' that was trained here with %u rectangle%s on %u picture%s is not saved.",
                         detector->label, detector->learned.objects, detector->learned.objects == 1 ? "" : "s",
                         detector->learned.pictures, detector->learned.pictures == 1 ? "" : "s");
    view_sheet_buttons(context, buttons, 3);
}

static void show_name(struct view_panel_context *context, struct view_learning *learning)
{
    learning->scene->redraw = learning->scene->redraw || learning->question.focus;
    view_sheet_file_name(context, &learning->question,
                         &(struct view_sheet_file){"cascade-answer", ".ktx2", "name of the cascade's file"});
}

static void show_replace(struct view_panel_context *context, const struct view_learning *learning)
{
    static const char *const buttons[][2] = {{"Save as...", "cascade-answer rename"},
                                             {"Replace", "cascade-answer save"},
                                             {"Cancel", "cascade-answer cancel"}};

    view_ui_wrapped_text("%s exists and is not the file of this cascade. Replacing it loses what is in it.",
                         learning->question.path);
    view_sheet_buttons(context, buttons, 3);
}

bool view_asks_about_cascade(const void *user, struct view_asked *asked)
{
    const struct view_learning *learning = user;
    const struct view_question *question = &learning->question;

    *asked = (struct view_asked){"cascade-answer save", "cascade-answer cancel", question->focus};
    if (question->kind == VIEW_QUESTION_REPLACE)
        asked->enter = "cascade-answer rename";
    else if (question->kind == VIEW_QUESTION_UNSAVED && view_learning_unsaved(learning) == NULL)
        asked->enter = "cascade-answer cancel";
    return question->kind != VIEW_QUESTION_NONE;
}

void view_ask_about_cascade(struct view_panel_context *context, void *user)
{
    static const char *const titles[] = {[VIEW_QUESTION_UNSAVED] = "Unsaved cascade",
                                         [VIEW_QUESTION_NAME] = "Save the cascade",
                                         [VIEW_QUESTION_REPLACE] = "Replace the file of a cascade?"};
    struct view_learning *learning = user;
    const enum view_question_kind kind = learning->question.kind;
    const float scale = view_ui_scale(context->ui);
    bool open = true;

    if (!view_ui_sheet_begin(titles[kind], WIDTH * scale,
                             (kind == VIEW_QUESTION_NAME ? VIEW_FILE_NAME_HEIGHT : HEIGHT) * scale, &open))
        return;
    switch (kind) {
    case VIEW_QUESTION_NAME: show_name(context, learning); break;
    case VIEW_QUESTION_REPLACE: show_replace(context, learning); break;
    default:
        if (view_learning_unsaved(learning) != NULL)
            show_unsaved(context, learning);
        else
            show_training(context);
        break;
    }
    view_ui_sheet_end();
    if (!open)
        view_panel_run(context, "cascade-answer cancel");
}
