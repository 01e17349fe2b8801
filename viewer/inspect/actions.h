/* Actions of looking inside, on a struct view_inside. */
#ifndef VIEW_INSPECT_ACTIONS_H
#define VIEW_INSPECT_ACTIONS_H

#include "action/action.h"

extern const struct view_action_group view_inspect_group;

#endif
