/* The groups of actions and keys, one for every part of the program. */
#ifndef VIEW_SHELL_ACTIONS_H
#define VIEW_SHELL_ACTIONS_H

#include "action/action.h"

extern const struct view_action_group view_source_group, view_label_group, view_view_group, view_inspect_group,
    view_project_group, view_teach_group, view_panels_group, view_measure_group, view_program_group, view_input_group;

#endif
