/* How far an export is. */
#include <stdio.h>
#include <string.h>

#include "base/process.h"
#include "export/exporting.h"
#include "files/output/calibrated.h"
#include "ui/panel.h"

static void show_progress(struct view_panel_context *context, struct view_exporting *exporting)
{
    const struct view_export_progress *progress = &exporting->progress;
    double left;
    const char *slash = strrchr(progress->name, '/');
    char text[96];
    int length = snprintf(text, sizeof text, "%u of %u", progress->done, progress->count);

    if (view_exporting_waits_for_forest(exporting)) {
        view_ui_progress((float)exporting->trained, "waiting for the forest");
        view_ui_dim_text("files are written once it is trained");
        view_panel_button(context, "Stop##export", "export-stop", "give up the export", 0.0f, false);
        return;
    }
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

/* What is exported, of which pictures, and the folder. */

#define WIDTH  760.0f /* points */
#define HEIGHT 520.0f
#define AROUND 235.0f /* of the list of folders */

/* A line with the content as words separated by commas. */
static void run_content(struct view_panel_context *context, const char *action, unsigned content, const char *path)
{
    char words[128] = "";

    for (uint32_t k = 0; k < VIEW_EXPORT_CONTENTS; k++)
        if ((content >> k & 1u) != 0) {
            size_t length = strlen(words);
            snprintf(words + length, sizeof words - length, "%s%s", length > 0 ? "," : "",
                     view_export_content_text(k).name);
        }
    view_panel_run(context, "%s %s%s%s", action, words, *path != '\0' ? " " : "", path);
}

/* Which objects are left out. */
static void tell_filter(const struct view_objects *objects)
{
    const struct shw_object_settings *settings = &objects->settings;

    if (settings->area_min > 1)
        view_ui_dim_text("objects of at least %u px", settings->area_min);
    if (settings->area_max > 0)
        view_ui_dim_text("objects of at most %u px", settings->area_max);
    if (view_objects_kind(objects) != UINT32_MAX)
        view_ui_dim_text("only objects of the class %s", objects->kind_name);
}

/* Whether the forest stores a calibration. */
static bool is_calibrated(const struct view_exporting *exporting)
{
    const struct view_shared_forest *forest = exporting->teaching->scene->forest;

    return exporting->settings.calibrated ||
           (forest != NULL && shw_forest_power(shw_forest_get_info(forest->forest)) > 0);
}

static void show_content(struct view_panel_context *context, const struct view_exporting *exporting)
{
    const struct shw_label_output_traits *probabilities = shw_label_outputs[SHW_LABEL_OUTPUT_PROBABILITIES];
    const char *titles[8];
    unsigned content = exporting->sheet.content;
    uint32_t format = exporting->settings.probabilities - 1;

    view_ui_heading("What");
    for (uint32_t k = 0; k < VIEW_EXPORT_CONTENTS; k++) {
        const struct view_export_text text = view_export_content_text(k);
        bool on = (content >> k & 1u) != 0;
        if (text.title == NULL)
            continue;
        if (view_ui_toggle(text.title, &on) && (content ^ 1u << k) != 0)
            run_content(context, "export-what", content ^ 1u << k, "");
        view_panel_tip(context, text.tip, NULL);
    }
    if ((content & VIEW_EXPORT_OBJECTS) != 0)
        tell_filter(exporting->objects);
    if ((content & (VIEW_EXPORT_PROBABILITIES | VIEW_EXPORT_OBJECTS)) != 0 && is_calibrated(exporting))
        view_panel_toggle(context, "Calibrated", exporting->settings.calibrated, "export-calibrated",
                          "raise probabilities to the power that `shadewood calibrate` has stored in the forest");
    if ((content & VIEW_EXPORT_PROBABILITIES) == 0)
        return;
    for (uint32_t f = 0; f < probabilities->form_count; f++)
        titles[f] = probabilities->forms[f].title;
    view_ui_next_width(-1.0f);
    if (view_ui_combo("##format", &format, titles, probabilities->form_count))
        view_panel_run(context, "export-probabilities %s", probabilities->choices[1 + format]);
}

static void show_list(struct view_panel_context *context, struct view_exporting *exporting)
{
    const struct shw_image_paths *list = &exporting->settings.list;

    for (uint32_t i = 0; i < list->count; i++) {
        const char *slash = strrchr(list->paths[i], '/');
        view_ui_push_id(i);
        if (view_ui_button("x"))
            view_panel_run(context, "export-drop %s", list->paths[i]);
        view_ui_same_line(0.0f);
        view_ui_text("%s", slash != NULL && slash[1] != '\0' ? slash + 1 : list->paths[i]);
        view_ui_tooltip("%s", list->paths[i]);
        view_ui_pop_id();
    }
    view_ui_next_width(-1.0f);
    exporting->teaching->scene->redraw = exporting->teaching->scene->redraw || exporting->sheet.focus;
    view_ui_focus(&exporting->sheet.focus);
    if (view_ui_text_field("##add", exporting->sheet.add, sizeof exporting->sheet.add, "add a file, folder or video",
                           false) &&
        exporting->sheet.add[0] != '\0') {
        view_panel_run(context, "export-add %s", exporting->sheet.add);
        exporting->sheet.add[0] = '\0';
        exporting->sheet.focus = true; /* for the next one */
    }
}

static void show_pictures(struct view_panel_context *context, struct view_exporting *exporting)
{
    static const char *const names[VIEW_EXPORT_PICTURES] = {"project and source", "the shown picture",
                                                            "pictures of the project", "the whole source", "a list"};
    uint32_t chosen = (uint32_t)exporting->settings.pictures;

    view_ui_heading("Of");
    view_ui_next_width(-1.0f);
    if (view_ui_combo("##pictures", &chosen, names, VIEW_EXPORT_PICTURES))
        view_panel_run(context, "export-of %s", view_export_picture_names[chosen]);
    view_panel_tip(context,
                   "the source is what is open: a picture, a folder, a data set or a video\n"
                   "with the project, only the shown frame of a video is exported",
                   NULL);
    if (exporting->settings.pictures == VIEW_EXPORT_LIST)
        show_list(context, exporting);
}

static void enter(struct view_export_sheet *sheet, const char *folder)
{
    if (view_browser_go(&sheet->browser, folder))
        snprintf(sheet->folder, sizeof sheet->folder, "%s", sheet->browser.folder);
}

/* Of the browser's entries, folders come first. */
static uint32_t count_folders(const struct view_browser *browser)
{
    uint32_t count = 0;

    while (count < browser->count && browser->entries[count].folder)
        count++;
    return count;
}

static const char *folder_name(void *user, uint32_t index)
{
    struct view_export_sheet *sheet = user;

    snprintf(sheet->shown, sizeof sheet->shown, "%s/", sheet->browser.entries[index].name);
    return sheet->shown;
}

/* The folders below the one that is shown in the list. */
static void show_folders(struct view_export_sheet *sheet, float height)
{
    uint32_t clicked;

    if (sheet->browser.folder == NULL && !view_browser_go(&sheet->browser, sheet->folder))
        view_browser_go(&sheet->browser, ".");
    view_ui_heading("Where");
    view_ui_dim_text("%s", sheet->browser.folder != NULL ? sheet->browser.folder : "no folder");
    if (view_ui_button("Up"))
        enter(sheet, "..");
    view_ui_tooltip("parent folder");
    clicked = view_ui_long_list("##folders", height, count_folders(&sheet->browser), UINT32_MAX, folder_name, sheet);
    if (clicked < sheet->browser.count)
        enter(sheet, sheet->browser.entries[clicked].name);
}

/* How many files there will be. */
static void show_count(const struct view_exporting *exporting)
{
    const struct view_export_progress *counted = &exporting->counted;
    double trained;

    if (view_teaching_expects_forest(exporting->teaching, &trained))
        view_ui_wrapped_text("A forest is being trained: files are written once it is whole.");
    if (exporting->counting)
        view_ui_dim_text("counting files");
    else if (exporting->sheet.trouble[0] != '\0')
        view_ui_wrapped_text("%s", exporting->sheet.trouble);
    else if (counted->outdated > 0)
        view_ui_wrapped_text("%llu files, of which %llu exist already, %llu of them of another forest or settings.",
                             (unsigned long long)counted->files, (unsigned long long)counted->existing,
                             (unsigned long long)counted->outdated);
    else if (counted->existing > 0)
        view_ui_wrapped_text("%llu files, of which %llu exist already.", (unsigned long long)counted->files,
                             (unsigned long long)counted->existing);
    else
        view_ui_text("%llu new files.", (unsigned long long)counted->files);
}

static void start(struct view_panel_context *context, const struct view_exporting *exporting, const char *existing)
{
    char path[VIEW_EXPORT_PATH];

    view_exporting_sheet_path(exporting, path);
    view_panel_run(context, "export-existing %s", existing);
    run_content(context, "export-start", exporting->sheet.content, path);
    view_panel_run(context, "export-existing check");
}

static void show_buttons(struct view_panel_context *context, const struct view_exporting *exporting)
{
    bool known = !exporting->counting && exporting->sheet.trouble[0] == '\0' && exporting->counted.files > 0;
    bool existing = known && exporting->counted.existing > 0, outdated = known && exporting->counted.outdated > 0;

    view_ui_disabled_begin(!known || view_exporting_is_busy(exporting));
    if (!existing && view_ui_wide_button("Export##start", 110.0f, true))
        start(context, exporting, "check");
    if (existing && view_ui_wide_button("Replace##start", 110.0f, false))
        start(context, exporting, "replace");
    if (existing) {
        view_ui_tooltip("replace the files that exist, except those that are read");
        view_ui_same_line(0.0f);
        if (view_ui_wide_button(outdated ? "Missing and outdated ones" : "Only missing ones",
                                outdated ? 210.0f : 150.0f, true))
            start(context, exporting, "missing");
        view_ui_tooltip("keep the files that exist, except those that another forest or other settings made and nobody "
                        "has changed");
    }
    view_ui_disabled_end();
    view_ui_same_line(0.0f);
    if (view_ui_wide_button("Cancel", 110.0f, false))
        view_panel_run(context, "export-sheet off");
}

static void show_sheet(struct view_panel_context *context, struct view_exporting *exporting)
{
    struct view_export_sheet *sheet = &exporting->sheet;
    float scale = view_ui_scale(context->ui), room = (float)context->frame.canvas.height / scale;
    bool open = true;

    if (!view_ui_sheet_begin("Export", WIDTH * scale, HEIGHT * scale, &open))
        return;
    room = (room < HEIGHT ? room : HEIGHT) - AROUND;
    view_ui_next_width(-1.0f);
    if (view_ui_text_field("##folder", sheet->folder, sizeof sheet->folder, "the folder for the files", true)) {
        shw_process_take_path(sheet->folder);
        view_browser_free(&sheet->browser); /* shows the folder that was entered, if there is one */
    }
    show_count(exporting);
    show_buttons(context, exporting);
    view_ui_space();
    view_ui_column_begin(0, 2);
    show_content(context, exporting);
    show_pictures(context, exporting);
    view_ui_column_end();
    view_ui_column_begin(1, 2);
    show_folders(sheet, room > 60.0f ? room : 60.0f);
    view_ui_column_end();
    view_ui_sheet_end();
    if (!open)
        view_panel_run(context, "export-sheet off");
}

static void ask_to_quit(struct view_panel_context *context, const struct view_exporting *exporting)
{
    float scale = view_ui_scale(context->ui);
    bool open = true;

    if (!view_ui_sheet_begin("An export is in progress", 480.0f * scale, 170.0f * scale, &open))
        return;
    if (view_exporting_waits_for_forest(exporting))
        view_ui_wrapped_text("It waits for the forest that is being trained.");
    else
        view_ui_wrapped_text("%u of %u pictures are written.", exporting->progress.done, exporting->progress.count);
    view_ui_space();
    if (view_ui_wide_button("Quit when done", 130.0f, true))
        view_panel_run(context, "export-answer later");
    view_ui_same_line(0.0f);
    if (view_ui_wide_button("Stop and quit", 130.0f, false))
        view_panel_run(context, "export-answer now");
    view_ui_same_line(0.0f);
    if (view_ui_wide_button("Cancel##quit", 100.0f, false) || !open)
        view_panel_run(context, "export-answer no");
    view_ui_sheet_end();
}

bool view_asks_about_export(const void *user, struct view_asked *asked)
{
    const struct view_exporting *exporting = user;

    const bool field = exporting->sheet.focus && exporting->settings.pictures == VIEW_EXPORT_LIST;

    *asked = exporting->asks_to_quit ? (struct view_asked){"export-answer later", "export-answer no", false}
                                     : (struct view_asked){NULL, "export-sheet off", field};
    return exporting->asks_to_quit || exporting->sheet.open;
}

void view_ask_about_export(struct view_panel_context *context, void *user)
{
    struct view_exporting *exporting = user;

    if (exporting->asks_to_quit)
        ask_to_quit(context, exporting);
    else
        show_sheet(context, exporting);
}
