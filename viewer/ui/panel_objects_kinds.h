/* Object classes in the panel of objects. */
#ifndef VIEW_UI_PANEL_OBJECTS_KINDS_H
#define VIEW_UI_PANEL_OBJECTS_KINDS_H

#include "object/objects.h"
#include "ui/panel.h"

/* The object classes, which can be taken in hand, and how many objects have them; nothing without a project. */
void view_panel_object_classes(struct view_panel_context *context, struct view_objects *objects);

#endif
