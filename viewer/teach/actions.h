/* Actions of projects and teaching, on a struct view_teaching. */
#ifndef VIEW_TEACH_ACTIONS_H
#define VIEW_TEACH_ACTIONS_H

#include "action/action.h"

extern const struct view_action_group view_project_group, view_teach_group;

#endif
