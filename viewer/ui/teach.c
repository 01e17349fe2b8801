/* Teaching: the progress of training, and its settings. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "teach/accuracy.h"
#include "teach/teaching.h"
#include "teach/tools.h"
#include "ui/panel.h"

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

/* What is said of the trainer on another machine, once there has been one. */
static void show_other_machine(struct view_panel_context *context, const struct view_teaching *teaching)
{
    char text[512];

    if (teaching->away.remote == NULL)
        return;
    view_away_tell(&teaching->away, text, sizeof text);
    view_ui_wrapped_text("%s", text);
    if (view_away_is_lost(&teaching->away))
        view_panel_button(context, "Connect again", "trainer-connect", "start the command again", 0.0f, false);
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
    const struct shw_held_out *accuracy = view_teaching_accuracy(teaching);
    struct view_train_status status;

    view_train_worker_get_status(teaching->worker, &status);
    view_ui_progress(status.state == VIEW_TRAIN_DONE ? 1.0f : (float)status.fraction,
                     status.stopped ? "paused" : states[status.state]);
    if (shw_project_is_held_back(teaching->project.data))
        view_ui_wrapped_text("The project brings code that does not run, see Own features: nothing is learned.");
    if (status.lacks_class)
        view_ui_wrapped_text(
            "One class is painted so far. Paint a stroke of a second class: then pixels are labelled.");
    if (status.state == VIEW_TRAIN_DONE && accuracy != NULL && isnan(shw_held_out_mean(accuracy)))
        view_ui_wrapped_text("No accuracy: nothing could be held out. Paint a second stroke of each class.");
    if (times->shown > 0)
        view_ui_dim_text("last stroke shown in %.0f ms", 1e3 * (times->shown - times->ended));
    else
        view_ui_dim_text("%s", view_teaching_learned(teaching));
    show_training_buttons(context, teaching, &status);
    show_other_machine(context, teaching);
}

void view_panel_teach(struct view_panel_context *context, void *user)
{
    struct view_teaching *teaching = user;

    if (teaching->project.data == NULL) {
        view_ui_dim_text("A project has your own classes, and learns them from what you paint.");
        view_panel_button(context, "New project", "project new", NULL, view_ui_width(), false);
        return;
    }
    show_progress(context, teaching);
    if (view_ui_tree_begin("Settings", false)) {
        view_panel_choices(context, teaching);
        view_ui_tree_end();
    }
}

/* What the tool in hand would do, and where the search has gone, drawn over the picture. */

#define RADIUS_MIN 3.0f /* pixels of the canvas, so that the brush can be seen at any zoom */
#define CORNER     3.0f
#define MARK       14.0f

static const uint8_t dark[3] = {0, 0, 0}, light[3] = {255, 255, 255};

/* Light with a dark edge, to be seen on anything. */
static void draw_line(const struct view_teaching *teaching, struct shw_point from, struct shw_point to, float opacity)
{
    float x0, y0, x1, y1;

    view_tool_place(teaching, from, &x0, &y0);
    view_tool_place(teaching, to, &x1, &y1);
    view_ui_canvas_line(x0, y0, x1, y1, dark, 0.8f * opacity, 3.0f);
    view_ui_canvas_line(x0, y0, x1, y1, light, opacity, 1.0f);
}

static void draw_circle(float x, float y, float radius)
{
    view_ui_canvas_circle(x, y, radius + 1.0f, dark, 0.8f, 1.0f);
    view_ui_canvas_circle(x, y, radius, light, 0.9f, 1.0f);
}

/* Around the centre of the pixel under the cursor, as it would be painted. */
static void draw_brush(struct view_teaching *teaching, struct shw_point pixel)
{
    const float zoom = (float)teaching->scene->place.zoom / VIEW_ZOOM_ONE;
    const float radius = ((float)view_tool_radius(teaching) + 0.5f) * zoom;
    struct shw_point last;
    float x, y;

    view_tool_place(teaching, pixel, &x, &y);
    draw_circle(x, y, radius > RADIUS_MIN ? radius : RADIUS_MIN);
    if (teaching->cursor->shift && !shw_project_is_painting(teaching->project.data) &&
        view_painting_last_point(&teaching->painting, &last))
        draw_line(teaching, last, pixel, 0.9f);
}

/* What has been drawn, and how it would be closed from the cursor. */
static void draw_outline(const struct view_teaching *teaching, struct shw_point pixel)
{
    const struct view_outline *outline = &teaching->outline;
    float x, y;

    for (uint32_t p = 1; p < outline->count; p++)
        draw_line(teaching, outline->points[p - 1], outline->points[p], 0.9f);
    if (teaching->hand == VIEW_HAND_POLYGON)
        for (uint32_t p = 0; p < outline->count; p++) {
            view_tool_place(teaching, outline->points[p], &x, &y);
            draw_circle(x, y, CORNER);
        }
    if (!teaching->cursor->on_picture)
        return;
    draw_line(teaching, outline->points[outline->count - 1], pixel, 0.9f);
    draw_line(teaching, pixel, outline->points[0], 0.4f);
}

/* Where the search for the most uncertain place went. */
static void draw_mark(const struct view_teaching *teaching)
{
    const struct view_search *search = &teaching->search;
    float x, y;

    view_tool_place(teaching, (struct shw_point){(int32_t)search->x, (int32_t)search->y}, &x, &y);
    draw_circle(x, y, MARK);
    draw_circle(x, y, MARK + 8.0f);
    for (int side = -1; side <= 1; side += 2) {
        const float near = (float)side * (MARK + 8.0f), far = (float)side * (MARK + 22.0f);

        view_ui_canvas_line(x + near, y, x + far, y, light, 0.9f, 2.0f);
        view_ui_canvas_line(x, y + near, x, y + far, light, 0.9f, 2.0f);
    }
}

void view_tool_preview(void *user)
{
    struct view_teaching *teaching = user;

    if (teaching->search.marked > 0.0 && !teaching->scene->instead.on)
        draw_mark(teaching);
    if (!view_tool_works(teaching) || teaching->scene->picture == NULL || teaching->scene->instead.on)
        return;
    if (view_tool_in_hand(teaching)->size != NULL && teaching->cursor->on_picture)
        draw_brush(teaching, view_tool_pixel(teaching));
    if (teaching->outline.begun)
        draw_outline(teaching, view_tool_pixel(teaching));
}

/* Accuracy: how it was measured, the confusion matrix, and the most frequent mistakes. */

#define MATRIX_MAX   10u /* classes */
#define MISTAKES_MAX 8u

static uint64_t count_of(const struct shw_held_out *accuracy, uint32_t label, uint32_t prediction)
{
    return accuracy->matrix.confusion[(size_t)label * accuracy->class_count + prediction];
}

/* Percent: rows are what is painted, columns what it was labelled as. Both by number; rows have the name, too. */
static void show_matrix(const struct view_teaching *teaching, const struct shw_held_out *accuracy)
{
    uint32_t count = accuracy->class_count;
    char numbers[MATRIX_MAX][8];
    const char *headers[MATRIX_MAX + 1] = {"painted"};
    char name[160];

    for (uint32_t c = 0; c < count; c++) {
        snprintf(numbers[c], sizeof numbers[c], "%u", c + 1);
        headers[c + 1] = numbers[c];
    }
    view_ui_dim_text("labelled as (percent of what is painted)");
    if (!view_ui_matrix_begin("##matrix", count + 1, headers, count, "100"))
        return;
    for (uint32_t label = 0; label < count; label++) {
        const struct shw_held_out_class *class = &accuracy->classes[label];

        view_ui_table_row();
        view_ui_table_cell();
        snprintf(name, sizeof name, "%u %s", label + 1, teaching->classes[label].name);
        view_ui_name(name, NULL);
        for (uint32_t c = 0; c < count; c++) {
            uint64_t pixels = count_of(accuracy, label, c);

            view_ui_table_cell();
            if (class->pixels == 0)
                view_ui_dim_text("-");
            else if (pixels == 0)
                view_ui_dim_text("0");
            else
                view_ui_text("%.0f", 100.0 * (double)pixels / (double)class->pixels);
            if (class->pixels > 0)
                view_ui_tooltip("%llu of %llu pixels of %s are labelled %s", (unsigned long long)pixels,
                                (unsigned long long)class->pixels, teaching->classes[label].name,
                                teaching->classes[c].name);
        }
    }
    view_ui_table_end();
}

/* The largest counts off the diagonal. */
static void show_mistakes(const struct view_teaching *teaching, const struct shw_held_out *accuracy)
{
    uint64_t below = UINT64_MAX, least_place = 0;
    size_t places = (size_t)accuracy->class_count * accuracy->class_count;

    for (uint32_t shown = 0; shown < MISTAKES_MAX; shown++) {
        uint64_t most = 0;
        size_t place = places;

        for (size_t p = 0; p < places; p++) {
            uint64_t pixels = accuracy->matrix.confusion[p];
            bool after = pixels < below || (pixels == below && p >= least_place);

            if (p % accuracy->class_count != p / accuracy->class_count && after && pixels > most) {
                most = pixels;
                place = p;
            }
        }
        if (place == places)
            return;
        if (shown == 0)
            view_ui_dim_text("most frequent mistakes");
        view_ui_wrapped_text("%s labelled %s: %llu pixels", teaching->classes[place / accuracy->class_count].name,
                             teaching->classes[place % accuracy->class_count].name, (unsigned long long)most);
        below = most;
        least_place = place + 1;
    }
}

static void show_save(struct view_panel_context *context, const struct view_teaching *teaching)
{
    const bool saved = teaching->project.path != NULL;

    view_ui_disabled_begin(!saved);
    view_panel_button(context, "Save as a table", "accuracy-save",
                      saved ? "write the confusion matrix with a new name beside the project"
                            : "save the project first",
                      0.0f, false);
    view_ui_disabled_end();
}

static void show_keep(struct view_panel_context *context, const struct view_teaching *teaching)
{
    uint32_t picture = teaching->painting.picture;
    bool kept = picture != UINT32_MAX && shw_project_get_picture(teaching->project.data, picture).kept;

    view_panel_toggle(context, "Keep this picture for testing", kept, "keep-for-test",
                      "its strokes are not trained on; accuracy is measured on them");
}

void view_panel_accuracy(struct view_panel_context *context, void *user)
{
    struct view_teaching *teaching = user;
    const struct shw_held_out *accuracy = view_teaching_accuracy(teaching);
    char text[VIEW_ACCURACY_TEXT];

    if (teaching->project.data == NULL) {
        view_ui_wrapped_text("Open or create a project: accuracy is measured on its strokes.");
        return;
    }
    if (teaching->scene->picture != NULL)
        show_keep(context, teaching);
    if (accuracy == NULL) {
        view_ui_dim_text("not measured yet");
        return;
    }
    view_accuracy_of_all(accuracy, text);
    view_ui_wrapped_text("%s", text);
    for (uint32_t c = 0; c < accuracy->class_count; c++) {
        view_accuracy_of_class(accuracy, c, text);
        view_ui_wrapped_text("%s: %s", teaching->classes[c].name, text);
    }
    if (accuracy->folds == 0)
        return;
    if (accuracy->class_count <= MATRIX_MAX)
        show_matrix(teaching, accuracy);
    show_mistakes(teaching, accuracy);
    show_save(context, teaching);
}
