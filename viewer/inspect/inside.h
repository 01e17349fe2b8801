/* Inspection: the explanation of a pixel, channels of the picture, and the forest's texture. For the main thread. */
#ifndef VIEW_INSPECT_INSIDE_H
#define VIEW_INSPECT_INSIDE_H

#include "inspect/texture.h"

struct view_inside {
    struct view_scene *scene; /* borrowed, like the next */
    const struct view_cursor *cursor;
    struct view_channels channels;
    struct view_inspect inspect;
    struct view_texture texture;
    bool wants_panel; /* an action has started to explain pixels */
};

/* Recorded commands must have finished. Accepts zero-initialised ones. */
void view_inside_destroy(struct view_inside *inside);

/* Updates the explanation and the texture's picture after changes of cursor, picture or forest. */
void view_inside_follow(struct view_inside *inside);

/* Actions, on a struct view_inside. */
extern const struct view_action_group view_inspect_group;

#endif
