/* Sheets, which cover everything until they are closed, and notes over the picture. */
#ifndef VIEW_UI_SHEETS_H
#define VIEW_UI_SHEETS_H

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

/* Recent messages, and hints while there is no picture. */
void view_notes_show(const struct view_panel_context *context, const struct view_scene *scene,
                     struct view_toasts *toasts);

#endif
