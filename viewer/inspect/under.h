/* The class probabilities of the pixel under the mouse, as its label has them, computed in the background while the
 * mouse rests on the picture. For the main thread. */
#ifndef VIEW_INSPECT_UNDER_H
#define VIEW_INSPECT_UNDER_H

#include "inspect/smoothed.h"

struct view_under {
    bool pointed;  /* the mouse is on the picture: */
    uint32_t x, y; /* at this pixel */
    bool asked;    /* for the pixel that `computing` is of */
    uint64_t picture;
    struct view_smoothed computing;
    uint32_t classes;
    uint16_t argmax, *distribution; /* what was known last, perhaps of the pixel before; NULL: nothing */
};

/* Waits for what is running. Accepts zero-initialised ones. */
void view_under_destroy(struct view_under *under);

/* Follows the mouse; `works`: probabilities are wanted now. `wait`: until they are known. */
void view_under_follow(struct view_under *under, const struct view_scene *scene, const struct view_cursor *cursor,
                       bool works, bool wait);

/* Whether something is being computed; and whether a frame would show more than the last one. */
bool view_under_is_running(const struct view_under *under);
bool view_under_is_ready(const struct view_under *under);

#endif
