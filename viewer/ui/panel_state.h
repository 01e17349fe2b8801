/* How a panel was left, to be remembered from one run to the next. */
#ifndef VIEW_UI_PANEL_STATE_H
#define VIEW_UI_PANEL_STATE_H

#include <stdbool.h>

#define VIEW_PANELS_MAX 16u

struct view_panel_state {
    char name[32];
    bool shown, open;
};

#endif
