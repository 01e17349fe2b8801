/* The lists of what the program is made of: groups of actions, and panels, each with the part of struct view_app that
 * it is given. */
#ifndef VIEW_SHELL_PARTS_H
#define VIEW_SHELL_PARTS_H

#include "action/action.h"
#include "ui/panels.h"

extern const struct view_action_entry view_action_list[];
extern const struct view_panel view_panel_list[];

#endif
