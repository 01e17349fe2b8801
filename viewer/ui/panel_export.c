/* Export and import: how far an export is, and what was exported last. */
#include <stdio.h>
#include <string.h>

#include "export/exporting.h"
#include "ui/panel.h"

static void show_progress(struct view_panel_context *context, const struct view_export_progress *progress)
{
    double left = progress->fraction > 0.0 ? progress->seconds / progress->fraction - progress->seconds : 0.0;
    const char *slash = strrchr(progress->name, '/');
    char text[96];
    int length = snprintf(text, sizeof text, "%u of %u", progress->done, progress->count);

    if (progress->done > 0 || progress->frames > 0)
        snprintf(text + length, sizeof text - (size_t)length, left < 90.0 ? ", %.0f s left" : ", %.0f min left",
                 left < 90.0 ? left : left / 60.0);
    view_ui_progress((float)progress->fraction, progress->count > 0 ? text : "checking files");
    if (progress->frames > 0)
        view_ui_dim_text("%s, frame %u", slash != NULL ? slash + 1 : progress->name, progress->frames);
    else
        view_ui_dim_text("%s", slash != NULL ? slash + 1 : progress->name);
    if (progress->failed > 0)
        view_ui_dim_text("%u failed", progress->failed);
    view_panel_button(context, "Stop##export", "export-stop", "stop the export; files that are complete stay", 0.0f,
                      false);
}

static void show_import(struct view_panel_context *context, struct view_exporting *exporting)
{
    view_ui_next_width(-1.0f);
    if (view_ui_text_field("##import", exporting->import, sizeof exporting->import, "label image to import", false) &&
        exporting->import[0] != '\0')
        view_panel_run(context, "import %s", exporting->import);
    view_panel_tip(context, "its labels become strokes on the shown picture", NULL);
}

void view_panel_export(struct view_panel_context *context, void *user)
{
    struct view_exporting *exporting = user;

    if (view_exporting_is_busy(exporting))
        show_progress(context, &exporting->progress);
    else
        view_panel_button(context, "Export...", "export-sheet on",
                          "write labels, probabilities, overlays, strokes or the forest to files", 0.0f, false);
    if (exporting->teaching->project.data != NULL)
        show_import(context, exporting);
}
