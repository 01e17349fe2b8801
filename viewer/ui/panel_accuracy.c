/* Accuracy: how it was measured, the confusion matrix, and the most frequent mistakes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "teach/accuracy_text.h"
#include "teach/teaching.h"
#include "ui/panel.h"

#define MATRIX_MAX   10u /* classes */
#define MISTAKES_MAX 8u

static uint64_t count_of(const struct shw_held_out *accuracy, uint32_t label, uint32_t prediction)
{
    return accuracy->matrix.confusion[(size_t)label * accuracy->class_count + prediction];
}

/* Rows are what is painted, columns what it was labelled as. Both by number; rows have the name, too. */
static void show_matrix(const struct view_teaching *teaching, const struct shw_held_out *accuracy)
{
    uint32_t count = accuracy->class_count;
    char numbers[MATRIX_MAX][8];
    const char *headers[MATRIX_MAX + 1] = {"painted"};

    for (uint32_t c = 0; c < count; c++) {
        snprintf(numbers[c], sizeof numbers[c], "%u", c + 1);
        headers[c + 1] = numbers[c];
    }
    if (!view_ui_table_begin("##matrix", count + 1, headers, 0.0f))
        return;
    for (uint32_t label = 0; label < count; label++) {
        const struct shw_held_out_class *class = &accuracy->classes[label];

        view_ui_table_row();
        view_ui_table_cell();
        view_ui_text("%u %s", label + 1, teaching->classes[label].name);
        for (uint32_t c = 0; c < count; c++) {
            uint64_t pixels = count_of(accuracy, label, c);

            view_ui_table_cell();
            if (class->pixels == 0)
                view_ui_dim_text("-");
            else if (pixels == 0)
                view_ui_dim_text("0");
            else
                view_ui_text("%.0f %%", 100.0 * (double)pixels / (double)class->pixels);
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
        view_ui_wrapped_text("Open a project, or create one: accuracy is that of its strokes.");
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
