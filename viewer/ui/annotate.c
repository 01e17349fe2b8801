/* Ground-truth rectangles: their file, the tool, those of the shown picture, and their classes over it. */
#include <stdio.h>
#include <string.h>

#include "annotate/annotating.h"
#include "annotate/boxes.h"
#include "files/io/image_paths.h"
#include "ui/panel.h"
#include "ui/sheets.h"

#define LABELS_MAX  256u  /* in the list to choose from */
#define LABEL_WIDTH 60.0f /* points */
#define LIST_HEIGHT 110.0f
#define HANDLE      3.0f /* half its side, in pixels of the canvas */

static void show_file(struct view_panel_context *context, const struct view_annotating *annotating)
{
    const struct view_panel_item items[] = {
        {"Save", "rectangles-save", "save the rectangles of all pictures", false,
         !view_annotating_is_unsaved(annotating)},
        {"Save as...", "rectangles-save-as", "save them in another file", false, false},
        {"Open...##rectangles", "browse rectangles", "open a table of rectangles", false, false},
        {"New##rectangles", "rectangles new", "begin another table; warns first if this one is not saved", false,
         false}};
    const char *name = annotating->work.origin.path != NULL ? strrchr(annotating->work.origin.path, '/') : NULL;
    char shown[512];

    if (annotating->work.origin.path != NULL) {
        snprintf(shown, sizeof shown, "%s%s", name != NULL ? name + 1 : annotating->work.origin.path,
                 view_annotating_is_unsaved(annotating) ? " (not saved)" : "");
        view_ui_name(shown, annotating->work.origin.path);
    } else {
        view_ui_dim_text(view_annotating_is_unsaved(annotating) ? "not saved" : "no file yet: open a .csv, or draw");
    }
    view_panel_buttons(context, items, sizeof items / sizeof *items);
}

/* The label of new rectangles and of the chosen one, entered or chosen from those that there are. */
static void show_label(struct view_panel_context *context, struct view_annotating *annotating)
{
    const uint32_t count =
        annotating->work.boxes.label_count < LABELS_MAX ? annotating->work.boxes.label_count : LABELS_MAX;
    const char *names[LABELS_MAX];
    uint32_t chosen = 0;

    if (annotating->fields.shown != annotating->chosen) {
        uint32_t boxes;
        const struct view_box *items = view_annotating_boxes(annotating, &boxes);
        snprintf(annotating->fields.label, sizeof annotating->fields.label, "%s",
                 annotating->chosen < boxes
                     ? view_boxes_label_name(&annotating->work.boxes, items[annotating->chosen].label)
                     : annotating->label);
        annotating->fields.shown = annotating->chosen;
    }
    view_ui_next_width(-LABEL_WIDTH);
    if (view_ui_text_field("class##rectangle", annotating->fields.label, sizeof annotating->fields.label,
                           "class of new rectangles", false) &&
        annotating->fields.label[0] != '\0')
        view_panel_run(context, "rectangle-label %s", annotating->fields.label);
    view_panel_tip(context, "the class of new rectangles, and of the chosen one: enter a name", NULL);
    for (uint32_t l = 0; l < count; l++) {
        names[l] = annotating->work.boxes.labels[l];
        if (strcmp(names[l], annotating->fields.label) == 0)
            chosen = l;
    }
    view_ui_disabled_begin(count < 2);
    view_ui_next_width(-LABEL_WIDTH);
    if (count == 0)
        names[0] = "";
    if (view_ui_combo("known##rectangle", &chosen, names, count > 0 ? count : 1) && count > 0)
        view_panel_run(context, "rectangle-label %s", names[chosen]);
    view_panel_tip(context, "classes of this table", NULL);
    view_ui_disabled_end();
}

static const char *row_text(void *user, uint32_t index)
{
    const struct view_annotating *annotating = user;
    uint32_t count;
    const struct view_box *box = view_annotating_boxes(annotating, &count) + index;
    static char text[256];

    snprintf(text, sizeof text, "%u: %s %u x %u at %d, %d", index + 1,
             view_boxes_label_name(&annotating->work.boxes, box->label), box->width, box->height, box->x, box->y);
    return text;
}

static void show_boxes(struct view_panel_context *context, struct view_annotating *annotating)
{
    uint32_t count, pictures, clicked, all = view_boxes_count(&annotating->work.boxes, &pictures);

    view_annotating_boxes(annotating, &count);
    view_ui_dim_text("%u here; %u on %u picture%s", count, all, pictures, pictures == 1 ? "" : "s");
    clicked = view_ui_long_list("##rectangles", LIST_HEIGHT, count,
                                annotating->chosen < count ? annotating->chosen : UINT32_MAX, row_text, annotating);
    if (clicked != UINT32_MAX)
        view_panel_run(context, "rectangle-choose %u", clicked + 1);
}

static void show_buttons(struct view_panel_context *context, const struct view_annotating *annotating)
{
    const struct view_boxes *boxes = &annotating->work.boxes;
    uint32_t count;
    const struct view_panel_item items[] = {
        {"Draw", "hand rectangle",
         "drag to draw a rectangle, inside to move it, at its handles to resize it; with Shift draw over others; the\n"
         "right button deletes",
         false, false},
        {"Delete##rectangle", "rectangle-delete", "delete the chosen rectangle", false,
         annotating->chosen >= (view_annotating_boxes(annotating, &count), count)},
        {"Undo##rectangle", "rectangle-undo", "undo the last change of rectangles; Ctrl+Z with the tool in hand", false,
         boxes->done == 0},
        {"Redo##rectangle", "rectangle-redo", "redo what was undone", false, boxes->done == boxes->edit_count},
        {"None here", "rectangle-delete all", "delete all of this picture, and list it as one without objects", false,
         annotating->scene->picture == NULL},
        {"Shown##rectangles", "rectangles-shown toggle", "show or hide rectangles", !annotating->hidden, false}};

    view_panel_buttons(context, items, sizeof items / sizeof *items);
}

void view_panel_annotate(struct view_panel_context *context, void *user)
{
    struct view_annotating *annotating = user;

    show_file(context, annotating);
    show_buttons(context, annotating);
    show_label(context, annotating);
    show_boxes(context, annotating);
}

static void draw_handles(const struct view_scene *scene, const struct view_box *box)
{
    static const uint8_t dark[3] = {0, 0, 0}, light[3] = {255, 255, 255};

    for (uint32_t h = 0; h < VIEW_HANDLES; h++) {
        double across, down;
        float x, y;

        view_handle_place(box, view_handle_sides[h], &across, &down);
        x = (float)((across * scene->place.zoom + scene->place.offset_x) / VIEW_ZOOM_ONE);
        y = (float)((down * scene->place.zoom + scene->place.offset_y) / VIEW_ZOOM_ONE);
        view_ui_canvas_line(x - HANDLE - 1.0f, y, x + HANDLE + 1.0f, y, dark, 1.0f, 2.0f * HANDLE + 2.0f);
        view_ui_canvas_line(x - HANDLE, y, x + HANDLE, y, light, 1.0f, 2.0f * HANDLE);
    }
}

void view_boxes_captions(void *user)
{
    const struct view_annotating *annotating = user;
    uint32_t count;
    const struct view_box *items = view_annotating_boxes(annotating, &count);

    if (!view_annotating_is_drawn(annotating))
        return;
    for (uint32_t b = 0; b < count; b++) {
        const bool chosen = b == annotating->chosen;
        const struct view_box *box = view_annotating_drawn_box(annotating, b);
        uint8_t colour[3];

        view_annotating_colour(annotating, items[b].label, colour);
        view_panel_caption(annotating->scene, box->x, box->y, box->width, box->height, colour,
                           view_boxes_label_name(&annotating->work.boxes, items[b].label));
        if (chosen)
            draw_handles(annotating->scene, box);
    }
}

/* Questions about ground-truth rectangles: unsaved ones, the name of their file, a file that would be replaced, and
 * what an earlier run left. */

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

    view_ui_wrapped_text("%s %s: %u rectangle%s on %u picture%s.",
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
    static const struct view_sheet_left left = {"Unsaved rectangles of an earlier run",
                                                "The viewer ended before these were saved:",
                                                "##rectangles-left",
                                                "rectangles without a file",
                                                "rectangle",
                                                false,
                                                "rectangles-recover"};
    struct view_annotating *annotating = user;
    const float scale = view_ui_scale(context->ui);
    bool open = true;

    if (annotating->question.kind == VIEW_QUESTION_NONE) {
        view_sheet_left(context, &annotating->recovered, &left);
        return;
    }
    if (!view_ui_sheet_begin(titles[annotating->question.kind], WIDTH * scale,
                             (annotating->question.kind == VIEW_QUESTION_NAME ? VIEW_FILE_NAME_HEIGHT : HEIGHT) * scale,
                             &open))
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
