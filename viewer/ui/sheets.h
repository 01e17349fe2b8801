/* Sheets, which cover everything until they are closed, and notes over the picture. */
#ifndef VIEW_UI_SHEETS_H
#define VIEW_UI_SHEETS_H

#include "action/action.h"
#include "autosave/autosave.h"
#include "source/browser.h"
#include "ui/panel.h"
#include "ui/toasts.h"

enum view_sheet { VIEW_SHEET_NONE, VIEW_SHEET_HELP, VIEW_SHEET_OPEN };

/* All keys by group. False: close it. */
bool view_sheet_help(struct view_panel_context *context);

/* The dialogue for files and folders, which stays open, with the keyboard in its field, until what was chosen could be
 * opened. */

/* What is chosen: anything to open, the pictures of a new project, masks, ... */
enum view_browse {
    VIEW_BROWSE_ALL,
    VIEW_BROWSE_PROJECT,
    VIEW_BROWSE_PICTURES,
    VIEW_BROWSE_IMPORT,
    VIEW_BROWSE_FOREST,
    VIEW_BROWSE_CASCADE,
    VIEW_BROWSE_ANOTHER_CASCADE,
    VIEW_BROWSE_RECTANGLES,
    VIEW_BROWSE_CODE,
    VIEW_BROWSE_SUBJECTS
};

/* Finds one by the name that the action `browse` has for it. */
bool view_browse_find(const char *name, enum view_browse *subject);

struct view_open_sheet {
    enum view_browse subject;
    struct view_browser browser;
    char path[4000];    /* to open */
    char refused[4200]; /* why it was not opened; "": it was not refused */
    bool focus;         /* the path is to get the focus */
    bool asked;         /* lines that open it have been requested */
};
void view_sheet_open_begin(struct view_open_sheet *sheet, enum view_browse subject);
/* False: close it. */
bool view_sheet_open(struct view_panel_context *context, struct view_open_sheet *sheet);
/* Must be called when the lines of a frame have run; `why` not, if they have not all succeeded. True: close it, for it
 * has opened something. */
bool view_sheet_open_ran(struct view_open_sheet *sheet, bool success, const char *why);

/* In the middle, while nothing is open: what was opened before, and how to begin. */
void view_welcome_show(struct view_panel_context *context, const struct view_scene *scene);

#define VIEW_FILE_NAME_HEIGHT 430.0f /* of a question for the name of a file, in points */

/* Parts of questions: buttons with the lines that they run, the first one marked; and the field for the name of a file.
 */
struct view_sheet_file {
    const char *action; /* of the answers `save NAME` and `cancel` */
    const char *ending; /* that names get */
    const char *hint;   /* shown in the field while it is empty */
};
void view_sheet_buttons(struct view_panel_context *context, const char *const (*buttons)[2], uint32_t count);
void view_sheet_file_name(struct view_panel_context *context, struct view_question *question,
                          const struct view_sheet_file *file);

/* The question about copies of unsaved work that earlier runs left. */
struct view_sheet_left {
    const char *title, *said, *id; /* the sheet's, a line in it, and the list's */
    const char *nameless;          /* work without a file */
    const char *counted;           /* "stroke" */
    bool counts_classes;
    const char *action; /* that recovers */
};
void view_sheet_left(struct view_panel_context *context, const struct view_left_list *list,
                     const struct view_sheet_left *texts);

/* Recent messages. */
void view_notes_show(const struct view_panel_context *context, const struct view_scene *scene,
                     struct view_toasts *toasts);

#endif
