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

/* Files to open. False: close it. */
struct view_open_sheet {
    struct view_browser browser;
    char path[4000]; /* to open */
    char shown[300]; /* the name of the entry that is drawn */
    bool focus;      /* the path is to get the focus */
    bool done;
};
bool view_sheet_open(struct view_panel_context *context, struct view_open_sheet *sheet);

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

/* Recent messages, and hints while there is no picture. */
void view_notes_show(const struct view_panel_context *context, const struct view_scene *scene,
                     struct view_toasts *toasts);

#endif
