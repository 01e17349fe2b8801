/* What is shown over everything until it is closed, and what is shown over the picture for a while. */
#ifndef VIEW_UI_SHEETS_H
#define VIEW_UI_SHEETS_H

#include "app.h"

enum view_sheet { VIEW_SHEET_NONE, VIEW_SHEET_HELP, VIEW_SHEET_OPEN };

/* All keys by group. False: it is to be closed. */
bool view_sheet_help(struct view_app *app);

/* The messages of the last seconds. */
void view_notes_show(struct view_app *app);

#endif
