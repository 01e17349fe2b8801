/* Actions on what is shown, a struct view_scene. */
#ifndef VIEW_LABEL_ACTIONS_H
#define VIEW_LABEL_ACTIONS_H

#include "action/action.h"

extern const struct view_action_group view_label_group, view_view_group;

#endif
