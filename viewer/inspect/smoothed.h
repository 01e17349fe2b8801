/* One pixel's distribution, as smoothing makes it of many pixels, computed in the background. For the main thread. */
#ifndef VIEW_INSPECT_SMOOTHED_H
#define VIEW_INSPECT_SMOOTHED_H

#include "label/label_worker.h"
#include "label/scene.h"

struct view_smoothed {
    struct view_label_worker *worker; /* NULL until needed */
    bool wanted;                      /* but not begun yet */
    bool running, given_up;
    uint32_t x, y;                     /* the pixel */
    struct view_shared_forest *forest; /* NULL: none */
    struct shw_smoothing smoothing;    /* of the forest */
    uint32_t classes;
    uint16_t argmax, *distribution; /* NULL: not known */
};

/* Waits for what is running. Accepts zero-initialised ones. */
void view_smoothed_destroy(struct view_smoothed *smoothed);

/* Another pixel, or none. */
void view_smoothed_forget(struct view_smoothed *smoothed);

/* The pixel of the scene's picture with the scene's forest. */
void view_smoothed_want(struct view_smoothed *smoothed, const struct view_scene *scene, uint32_t x, uint32_t y);

/* Begins and ends the work; with `wait`, all of it now. Returns whether there is something new. Failures have been
 * logged. */
bool view_smoothed_poll(struct view_smoothed *smoothed, const struct view_scene *scene, bool wait);

/* Whether it is going to know something; and whether polling would change anything now. */
bool view_smoothed_is_running(const struct view_smoothed *smoothed);
bool view_smoothed_is_ready(const struct view_smoothed *smoothed);

#endif
