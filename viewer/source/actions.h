/* Actions on the source that is open, a struct view_player. */
#ifndef VIEW_SOURCE_ACTIONS_H
#define VIEW_SOURCE_ACTIONS_H

#include "action/action.h"

extern const struct view_action_group view_source_group;

#endif
