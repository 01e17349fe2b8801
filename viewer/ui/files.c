/* The dialogue for files and folders: what is opened, imported or begun, and under which name work is saved. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/process.h"
#include "files/code/code_options.h"
#include "files/io/image_paths.h"
#include "ui/sheets.h"

static bool is_picture(const char *name)
{
    return shw_is_image_name(name);
}

static bool is_source(const char *name)
{
    return shw_is_image_name(name) || shw_is_video_name(name);
}

static bool is_forest(const char *name)
{
    return shw_name_ends_with(name, ".ktx2");
}

static bool is_cascade(const char *name)
{
    return shw_name_ends_with(name, ".ktx2") || shw_name_ends_with(name, ".xml");
}

static bool is_table(const char *name)
{
    return shw_name_ends_with(name, ".csv") || shw_name_ends_with(name, ".json");
}

static const struct {
    const char *name; /* for the action `browse` */
    const char *title, *hint;
    const char *before; /* a line that is run first; NULL: none */
    const char *action; /* that gets the path */
    bool folders;       /* may be chosen, too */
    bool (*wants)(const char *name);
} subjects[VIEW_BROWSE_SUBJECTS] = {
    [VIEW_BROWSE_ALL] = {"all", "Open", "a file, a folder, /dev/video0, camera:FILE, dataset:FOLDER", NULL, "open",
                         true, NULL},
    [VIEW_BROWSE_PROJECT] = {"project", "New project: its pictures", "a picture, a folder or a video", "project new",
                             "open", true, is_source},
    [VIEW_BROWSE_PICTURES] = {"pictures", "Add pictures to the project", "a picture, a folder or a video", NULL,
                              "add-pictures", true, is_source},
    [VIEW_BROWSE_IMPORT] = {"import", "Import masks", "a mask, a label image, or a folder of them", NULL, "import",
                            true, is_picture},
    [VIEW_BROWSE_FOREST] = {"forest", "Open a forest", "a forest (.ktx2)", NULL, "forest", false, is_forest},
    [VIEW_BROWSE_CASCADE] = {"cascade", "Open a cascade", "a cascade (.ktx2, .xml, pico's, or a folder of tables)",
                             NULL, "detect-open", true, is_cascade},
    [VIEW_BROWSE_ANOTHER_CASCADE] = {"another-cascade", "Open another cascade",
                                     "a cascade (.ktx2, .xml, pico's, or a folder of tables)", NULL, "detect-add", true,
                                     is_cascade},
    [VIEW_BROWSE_RECTANGLES] = {"rectangles", "Open rectangles", "rectangles (.csv, or COCO's .json)", NULL,
                                "rectangles", false, is_table},
    [VIEW_BROWSE_CODE] = {"code", "Add a feature or channel from a text", "a text (.glsl)", NULL, "code", false,
                          shw_code_is_file}};

bool view_browse_find(const char *name, enum view_browse *subject)
{
    for (int s = 0; s < VIEW_BROWSE_SUBJECTS; s++)
        if (strcmp(subjects[s].name, name) == 0) {
            *subject = (enum view_browse)s;
            return true;
        }
    return false;
}

/* Entries of a folder, shown as a list. */
struct listing {
    const struct view_browser *browser;
    char shown[300];
};

static const char *entry_name(void *user, uint32_t index)
{
    struct listing *listing = user;
    const struct view_browser_entry *entry = &listing->browser->entries[index];

    snprintf(listing->shown, sizeof listing->shown, "%s%s", entry->name, entry->folder ? "/" : "");
    return listing->shown;
}

static uint32_t find_entry(const struct view_browser *browser, const char *name)
{
    for (uint32_t i = 0; i < browser->count; i++)
        if (!browser->entries[i].folder && strcmp(browser->entries[i].name, name) == 0)
            return i;
    return UINT32_MAX;
}

/* The entry that was clicked, otherwise NULL. */
static const struct view_browser_entry *show_entries(const struct view_browser *browser, const char *chosen,
                                                     float height)
{
    struct listing listing = {.browser = browser};
    const uint32_t clicked =
        view_ui_long_list("##entries", height, browser->count, find_entry(browser, chosen), entry_name, &listing);

    return clicked < browser->count ? &browser->entries[clicked] : NULL;
}

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
            sheet->asked = true;
        }
        view_ui_tooltip("%s", line);
        view_ui_pop_id();
    }
}

static void show_place(struct view_open_sheet *sheet)
{
    const char *folder = sheet->browser.folder;

    if (folder != NULL)
        snprintf(sheet->path, sizeof sheet->path, "%s", folder);
    sheet->refused[0] = '\0';
}

static void enter(struct view_open_sheet *sheet, const char *folder)
{
    if (view_browser_go(&sheet->browser, folder))
        show_place(sheet);
}

static void run(struct view_panel_context *context, struct view_open_sheet *sheet, const char *path)
{
    if (subjects[sheet->subject].before != NULL)
        view_panel_run(context, "%s", subjects[sheet->subject].before);
    view_panel_run(context, "%s %s", subjects[sheet->subject].action, path);
    sheet->asked = true;
}

static void refuse(struct view_open_sheet *sheet, const char *why, const char *path)
{
    snprintf(sheet->refused, sizeof sheet->refused, "%s %s", why, path);
    sheet->focus = true;
}

/* Whether it names no file, but a camera, a data set or a stream. */
static bool is_special(const char *path)
{
    static const char *const prefixes[] = {"camera:", "dataset:", "depth:"};
    bool special = strstr(path, "://") != NULL;

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        special = special || strncmp(path, prefixes[i], strlen(prefixes[i])) == 0;
    return special;
}

/* What was entered: names count from the folder that is shown. A folder is shown first, and opened if it is entered
 * again. */
static void take(struct view_panel_context *context, struct view_open_sheet *sheet, bool typed)
{
    const bool folders = subjects[sheet->subject].folders;
    struct stat status;
    char *path, *file;
    uint32_t page;

    shw_process_take_path(sheet->path);
    path = is_special(sheet->path) ? strdup(sheet->path) : view_browser_path(&sheet->browser, sheet->path);
    file = path != NULL ? shw_image_file_of(path, &page) : NULL;
    if (path == NULL || file == NULL || sheet->path[0] == '\0') {
        sheet->focus = true;
    } else if (is_special(path)) {
        run(context, sheet, path);
    } else if (stat(path, &status) != 0 && stat(file, &status) != 0) {
        refuse(sheet, "There is no file or folder", path);
    } else if (!S_ISDIR(status.st_mode)) {
        run(context, sheet, path);
    } else if (folders && (!typed || view_browser_is_at(&sheet->browser, path))) {
        run(context, sheet, path);
    } else if (view_browser_go(&sheet->browser, path)) {
        show_place(sheet);
        sheet->focus = true;
    } else {
        refuse(sheet, "This folder cannot be read:", path);
    }
    free(file);
    free(path);
}

static void show_folder(struct view_panel_context *context, struct view_open_sheet *sheet, float height)
{
    const struct view_browser_entry *clicked;
    char *path;

    view_ui_heading("Folder");
    view_ui_name(sheet->browser.folder != NULL ? sheet->browser.folder : "no folder", NULL);
    if (view_ui_button("Up"))
        enter(sheet, "..");
    view_ui_tooltip("parent folder");
    if (subjects[sheet->subject].folders) {
        view_ui_same_line(0.0f);
        if (view_ui_button("Open this folder") && sheet->browser.folder != NULL)
            run(context, sheet, sheet->browser.folder);
        view_ui_tooltip("all of its pictures, or the data set that it contains");
    }
    clicked = show_entries(&sheet->browser, shw_path_last(sheet->path), height);
    if (sheet->browser.count == 0)
        view_ui_dim_text("nothing here that can be opened");
    if (clicked == NULL)
        return;
    if (clicked->folder) {
        enter(sheet, clicked->name);
        return;
    }
    path = view_browser_path(&sheet->browser, clicked->name);
    if (path != NULL)
        snprintf(sheet->path, sizeof sheet->path, "%s", path);
    sheet->refused[0] = '\0';
    if (path != NULL && view_ui_double_clicked())
        run(context, sheet, path);
    free(path);
}

bool view_sheet_open(struct view_panel_context *context, struct view_open_sheet *sheet)
{
    const float scale = view_ui_scale(context->ui);
    float room = (float)context->frame.canvas.height / scale;
    bool open = true;

    if (!view_ui_sheet_begin(subjects[sheet->subject].title, 760.0f * scale, 520.0f * scale, &open))
        return open;
    room = (room < 520.0f ? room : 520.0f) - (sheet->refused[0] != '\0' ? 220.0f : 175.0f);
    view_ui_next_width(view_ui_width() - 78.0f);
    view_ui_focus(&sheet->focus);
    if (view_ui_text_field("##path", sheet->path, sizeof sheet->path, subjects[sheet->subject].hint, false))
        take(context, sheet, true);
    view_ui_same_line(0.0f);
    if (view_ui_wide_button("Open##open", 72.0f, true))
        take(context, sheet, false);
    if (sheet->refused[0] != '\0')
        view_ui_wrapped_text("%s", sheet->refused);
    view_ui_space();
    if (sheet->subject == VIEW_BROWSE_ALL) {
        view_ui_column_begin(0, 2);
        show_recent(context, sheet);
        view_ui_column_end();
        view_ui_column_begin(1, 2);
    } else {
        view_ui_dim_text("%s", subjects[sheet->subject].hint);
        view_ui_column_begin(0, 1);
    }
    show_folder(context, sheet, room > 60.0f ? room : 60.0f);
    view_ui_column_end();
    view_ui_sheet_end();
    return open;
}

bool view_sheet_open_ran(struct view_open_sheet *sheet, bool success, const char *why)
{
    const bool asked = sheet->asked;

    sheet->asked = false;
    if (asked && !success)
        refuse(sheet, "Not opened:", why);
    return asked && success;
}

void view_sheet_open_begin(struct view_open_sheet *sheet, enum view_browse subject)
{
    const bool fresh = sheet->browser.folder == NULL || sheet->subject != subject;

    sheet->subject = subject;
    sheet->focus = true;
    sheet->asked = false;
    sheet->refused[0] = '\0';
    sheet->browser.wants = subjects[subject].wants;
    if (view_browser_go(&sheet->browser, ".") && fresh) /* files may have come and gone */
        show_place(sheet);
}

/* The names of files that are saved. */

static bool is_project(const char *name)
{
    return shw_name_ends_with(name, ".json");
}

static bool is_boxes(const char *name)
{
    return shw_name_ends_with(name, ".csv");
}

/* The folder of what is in the field, or the one before if it has none. */
static void follow_field(struct view_browser *places, const char *field, bool (*wants)(const char *name))
{
    const bool same = places->wants == wants;
    const char *slash = strrchr(field, '/');
    char folder[PATH_MAX] = ".";

    if (slash != NULL)
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - field) + 1, field);
    places->wants = wants;
    if (places->folder == NULL || !same || (slash != NULL && !view_browser_is_at(places, folder)))
        view_browser_go(places, folder);
}

static bool has_folder(const struct view_browser *places, const char *field)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(field, '/');

    if (slash == NULL)
        return places->folder != NULL;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - field) + 1, field);
    return view_browser_is_at(places, folder);
}

/* Puts the name into another folder. */
static void move_to(struct view_browser *places, struct view_question *question, const char *folder)
{
    char *path;

    if (!view_browser_go(places, folder))
        return;
    path = view_browser_path(places, shw_path_last(question->field));
    if (path != NULL)
        snprintf(question->field, sizeof question->field, "%s", path);
    free(path);
}

static void save_as(struct view_panel_context *context, const struct view_question *question,
                    const struct view_sheet_file *file)
{
    char *path = view_browser_path(&context->places, question->field);

    if (path != NULL)
        view_panel_run(context, "%s save %s%s", file->action, path,
                       shw_name_ends_with(path, file->ending) ? "" : file->ending);
    free(path);
}

void view_sheet_file_name(struct view_panel_context *context, struct view_question *question,
                          const struct view_sheet_file *file)
{
    struct view_browser *places = &context->places;
    const struct view_browser_entry *clicked;
    const float room = (float)context->frame.canvas.height / view_ui_scale(context->ui);
    bool entered;

    follow_field(places, question->field,
                 strcmp(file->ending, ".csv") == 0    ? is_boxes
                 : strcmp(file->ending, ".ktx2") == 0 ? is_cascade
                                                      : is_project);
    view_ui_next_width(-1.0f);
    view_ui_focus(&question->focus);
    entered = view_ui_text_field("##name", question->field, sizeof question->field, file->hint, false);
    if (has_folder(places, question->field))
        view_ui_dim_text("in the folder %s", places->folder);
    else
        view_ui_dim_text("there is no such folder");
    view_ui_space();
    if ((view_ui_wide_button("Save##answer", 100.0f, true) || entered) && question->field[0] != '\0')
        save_as(context, question, file);
    view_ui_same_line(0.0f);
    if (view_ui_wide_button("Cancel", 100.0f, false))
        view_panel_run(context, "%s cancel", file->action);
    view_ui_same_line(0.0f);
    if (view_ui_button("Up"))
        move_to(places, question, "..");
    view_ui_tooltip("parent folder");
    clicked = show_entries(places, shw_path_last(question->field),
                           (room < VIEW_FILE_NAME_HEIGHT ? room : VIEW_FILE_NAME_HEIGHT) - 140.0f);
    if (clicked != NULL && clicked->folder) {
        move_to(places, question, clicked->name);
    } else if (clicked != NULL) {
        char *path = view_browser_path(places, clicked->name);
        if (path != NULL)
            snprintf(question->field, sizeof question->field, "%s", path);
        free(path);
    }
}
