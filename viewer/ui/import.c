/* Masks and label images to import. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/io/image_paths.h"
#include "import/importing.h"
#include "ui/panel.h"

void view_panel_import(struct view_panel_context *context, void *user)
{
    struct view_importing *importing = user;
    const struct view_import_job *job = &importing->job;

    if (importing->teaching->project.data == NULL) {
        view_ui_dim_text("masks become strokes of a project");
        return;
    }
    if (importing->state == VIEW_IMPORT_LOOKING || importing->state == VIEW_IMPORT_READING) {
        view_ui_progress(importing->state == VIEW_IMPORT_READING ? (float)importing->done / (float)job->count : 0.0f,
                         importing->state == VIEW_IMPORT_READING ? "importing" : "looking for values");
        return;
    }
    view_panel_button(context, "Choose masks...", "browse import", "choose a mask, a label image or a folder of them",
                      view_ui_width(), false);
    view_ui_next_width(-1.0f);
    if (view_ui_text_field("##import", importing->field, sizeof importing->field, "mask, label image or folder",
                           false) &&
        importing->field[0] != '\0')
        view_panel_run(context, "import %s", importing->field);
    view_panel_tip(context,
                   "its labels become strokes on the shown picture; those of a folder, on the pictures of their names",
                   NULL);
}

/* What the values of a mask mean. */

#define WIDTH  560.0f /* points */
#define HEIGHT 420.0f

/* Nothing, the classes, and the new class that is proposed. */
static void show_choice(struct view_panel_context *context, const struct view_importing *importing,
                        const struct view_import_value *value)
{
    const struct view_teaching *teaching = importing->teaching;
    uint32_t count = teaching->class_count, chosen = 0;
    const char **names = calloc(count + 2u, sizeof *names);
    char text[16], fresh[300];

    if (names == NULL)
        return;
    names[0] = "nothing";
    for (uint32_t c = 0; c < count; c++) {
        names[c + 1] = teaching->classes[c].name;
        chosen = strcmp(names[c + 1], value->class_name) == 0 ? c + 1 : chosen;
    }
    if (chosen == 0 && value->class_name[0] != '\0') {
        snprintf(fresh, sizeof fresh, "new class: %s", value->class_name);
        names[++count] = fresh;
        chosen = count;
    }
    view_import_value_print(value, text);
    view_ui_next_width(-1.0f);
    if (view_ui_combo("##class", &chosen, names, count + 1) && (names[chosen] != fresh))
        view_panel_run(context, "import-value %s %s", text, chosen == 0 ? "-" : names[chosen]);
    free(names);
}

static void show_value(struct view_panel_context *context, struct view_importing *importing, uint32_t number)
{
    const struct view_import_value *value = &importing->job.values.list[number];
    char text[16];

    view_import_value_print(value, text);
    view_ui_push_id(number);
    view_ui_table_row();
    view_ui_table_cell();
    if (value->is_colour) {
        view_ui_swatch("##colour", value->colour, true);
        view_ui_same_line(0.0f);
    }
    view_ui_text("%s", text);
    view_ui_table_cell();
    view_ui_text("%llu", (unsigned long long)value->pixels);
    view_ui_table_cell();
    show_choice(context, importing, value);
    view_ui_table_cell();
    if (view_ui_button("New"))
        view_panel_run(context, "import-value %s %s", text,
                       importing->new_name[0] != '\0' ? importing->new_name : value->class_name);
    view_ui_tooltip("a new class of the name that is entered below");
    view_ui_pop_id();
}

static void show_values(struct view_panel_context *context, struct view_importing *importing)
{
    static const char *const headers[] = {"Value", "Pixels", "means", ""};

    if (!view_ui_table_begin("##values", 4, headers, 210.0f))
        return;
    for (uint32_t i = 0; i < importing->job.values.count; i++)
        show_value(context, importing, i);
    view_ui_table_end();
}

/* The first file whose values are asked about. */
static const struct view_import_file *first_asked(const struct view_import_job *job)
{
    uint32_t f = 0;

    while (f + 1 < job->count && (job->files[f].failed || job->files[f].is_mask))
        f++;
    return &job->files[f];
}

bool view_asks_about_import(const void *user, struct view_asked *asked)
{
    const struct view_importing *importing = user;

    *asked = (struct view_asked){"import-answer import", "import-answer cancel", false};
    return importing->state == VIEW_IMPORT_ASKING;
}

void view_ask_about_import(struct view_panel_context *context, void *user)
{
    struct view_importing *importing = user;
    const struct view_import_job *job = &importing->job;
    const struct view_import_file *file = first_asked(job);
    float scale = view_ui_scale(context->ui);
    bool open = true;

    if (!view_ui_sheet_begin("What do the values mean?", WIDTH * scale, HEIGHT * scale, &open))
        return;
    if (job->count == 1)
        view_ui_wrapped_text("%s goes to the picture %s.", shw_path_last(file->path),
                             shw_path_last(file->picture->path));
    else
        view_ui_wrapped_text("%u files go to the pictures of their names: %s to %s, for instance.",
                             job->count - job->unmatched, shw_path_last(file->path),
                             shw_path_last(file->picture->path));
    show_values(context, importing);
    view_ui_next_width(-1.0f);
    view_ui_text_field("##new", importing->new_name, sizeof importing->new_name, "name of a new class, for New", true);
    view_ui_space();
    if (view_ui_wide_button("Import##masks", 110.0f, true))
        view_panel_run(context, "import-answer import");
    view_ui_same_line(0.0f);
    if (view_ui_wide_button("Cancel##masks-cancel", 110.0f, false) || !open)
        view_panel_run(context, "import-answer cancel");
    view_ui_sheet_end();
}
