/* Actions that concern the whole program, a struct view_app. */
#ifndef VIEW_SHELL_ACTIONS_H
#define VIEW_SHELL_ACTIONS_H

#include "action/action.h"

extern const struct view_action_group view_panels_group, view_measure_group, view_program_group, view_input_group;

#endif
