/* Masks and label images to import. */
#include <string.h>

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
    view_ui_next_width(-1.0f);
    if (view_ui_text_field("##import", importing->field, sizeof importing->field, "mask, label image or folder",
                           false) &&
        importing->field[0] != '\0')
        view_panel_run(context, "import %s", importing->field);
    view_panel_tip(context,
                   "its labels become strokes on the shown picture; those of a folder, on the pictures of their names",
                   NULL);
}
