/* How far an export is. */
#include <stdio.h>
#include <string.h>

#include "export/exporting.h"
#include "ui/panel.h"

static void show_progress(struct view_panel_context *context, struct view_exporting *exporting)
{
    const struct view_export_progress *progress = &exporting->progress;
    double left;
    const char *slash = strrchr(progress->name, '/');
    char text[96];
    int length = snprintf(text, sizeof text, "%u of %u", progress->done, progress->count);

    if (shw_time_left_of(&exporting->left, progress->seconds, progress->fraction, &left))
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

void view_panel_export(struct view_panel_context *context, void *user)
{
    struct view_exporting *exporting = user;

    const struct view_recorder *recorder = exporting->recorder;
    const float width = (view_ui_width() - 6.0f) / 2.0f;

    view_panel_button(context, "Snapshot", "snapshot", "write the picture under its overlay as a PNG file", width,
                      false);
    view_ui_same_line(0.0f);
    if (view_recorder_is_on(recorder))
        view_panel_button(context, "Stop recording", "record off", "end the video", width, true);
    else
        view_panel_button(context, "Record", "record on", "record the video or camera under its classes", width, false);
    if (view_recorder_is_on(recorder))
        view_ui_dim_text("%s, %llu dropped", recorder->path, (unsigned long long)recorder->dropped);
    if (view_exporting_is_busy(exporting))
        show_progress(context, exporting);
    else
        view_panel_button(context, "Export...", "export-sheet on",
                          "write labels, probabilities, overlays, strokes or the forest to files", 0.0f, false);
    if (!view_exporting_is_busy(exporting) && exporting->last[0] != '\0')
        view_ui_wrapped_text("%s", exporting->last);
}
