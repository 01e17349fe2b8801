/* The state of a panel, to be restored in the next run. */
#ifndef VIEW_UI_PANEL_STATE_H
#define VIEW_UI_PANEL_STATE_H

#include <stdbool.h>

#define VIEW_PANELS_MAX 16u

struct view_panel_state {
    char name[32];
    bool shown, open;
};

#endif
