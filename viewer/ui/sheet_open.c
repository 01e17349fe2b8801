/* Files to open: recent ones, and those of a folder. */
#include "ui/sheets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The path in a recent line follows the first blank. */
static void show_recent(struct view_panel_context *context, struct view_open_sheet *sheet)
{
    const struct view_panel_frame *kept = &context->frame;

    view_ui_heading("Recent");
    if (kept->recent_count == 0)
        view_ui_wrapped_text("Nothing has been opened yet.");
    for (uint32_t i = 0; i < kept->recent_count; i++) {
        const char *line = kept->recent[i], *path = strchr(line, ' ') + 1, *slash = strrchr(path, '/');
        view_ui_push_id(i);
        if (view_ui_row(slash != NULL && slash[1] != '\0' ? slash + 1 : path, false)) {
            view_panel_run(context, "%s", line);
            sheet->done = true;
        }
        view_ui_tooltip("%s", line);
        view_ui_pop_id();
    }
}

static void choose(struct view_open_sheet *sheet, const char *name)
{
    char *path = view_browser_path(&sheet->browser, name);

    if (path != NULL)
        snprintf(sheet->path, sizeof sheet->path, "%s", path);
    free(path);
}

static void enter(struct view_open_sheet *sheet, const char *folder)
{
    if (view_browser_go(&sheet->browser, folder))
        snprintf(sheet->path, sizeof sheet->path, "%s", sheet->browser.folder);
}

static void open_path(struct view_panel_context *context, struct view_open_sheet *sheet)
{
    if (sheet->path[0] == '\0')
        return;
    view_panel_run(context, "open %s", sheet->path);
    sheet->done = true;
}

static const char *entry_name(void *user, uint32_t index)
{
    struct view_open_sheet *sheet = user;
    const struct view_browser_entry *entry = &sheet->browser.entries[index];

    snprintf(sheet->shown, sizeof sheet->shown, "%s%s", entry->name, entry->folder ? "/" : "");
    return sheet->shown;
}

static uint32_t chosen_entry(const struct view_open_sheet *sheet)
{
    const char *slash = strrchr(sheet->path, '/');

    for (uint32_t i = 0; slash != NULL && i < sheet->browser.count; i++)
        if (!sheet->browser.entries[i].folder && strcmp(sheet->browser.entries[i].name, slash + 1) == 0)
            return i;
    return UINT32_MAX;
}

static void show_folder(struct view_panel_context *context, struct view_open_sheet *sheet, float height)
{
    uint32_t clicked;

    view_ui_heading(sheet->browser.folder != NULL ? sheet->browser.folder : "no folder");
    if (view_ui_button("Up"))
        enter(sheet, "..");
    view_ui_tooltip("parent folder");
    view_ui_same_line(0.0f);
    if (view_ui_button("Open this folder")) {
        snprintf(sheet->path, sizeof sheet->path, "%s", sheet->browser.folder != NULL ? sheet->browser.folder : "");
        open_path(context, sheet);
    }
    view_ui_tooltip("open it as a sequence of pictures, or as the data set that it contains");
    clicked = view_ui_long_list("##entries", height, sheet->browser.count, chosen_entry(sheet), entry_name, sheet);
    if (clicked >= sheet->browser.count)
        return;
    if (sheet->browser.entries[clicked].folder) {
        enter(sheet, sheet->browser.entries[clicked].name);
        return;
    }
    choose(sheet, sheet->browser.entries[clicked].name);
    if (view_ui_double_clicked())
        open_path(context, sheet);
}

bool view_sheet_open(struct view_panel_context *context, struct view_open_sheet *sheet)
{
    float scale = view_ui_scale(context->ui), room = (float)context->frame.canvas.height / scale;
    bool open = true;

    sheet->done = false;
    if (sheet->browser.folder == NULL)
        enter(sheet, ".");
    if (!view_ui_sheet_begin("Open", 760.0f * scale, 520.0f * scale, &open))
        return open;
    room = (room < 520.0f ? room : 520.0f) - 175.0f;
    view_ui_next_width(view_ui_width() - 78.0f);
    view_ui_focus(&sheet->focus);
    if (view_ui_text_field("##path", sheet->path, sizeof sheet->path,
                           "a file, a folder, /dev/video0, camera:FILE, dataset:FOLDER", false))
        if (!view_browser_go(&sheet->browser, sheet->path))
            open_path(context, sheet);
    view_ui_same_line(0.0f);
    if (view_ui_wide_button("Open##open", 72.0f, true))
        open_path(context, sheet);
    view_ui_space();
    view_ui_column_begin(0, 2);
    show_recent(context, sheet);
    view_ui_column_end();
    view_ui_column_begin(1, 2);
    show_folder(context, sheet, room > 60.0f ? room : 60.0f);
    view_ui_column_end();
    view_ui_sheet_end();
    return open && !sheet->done;
}
