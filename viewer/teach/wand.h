/* The wand: the connected region of pixels whose shown labels are the same. For the main thread. */
#ifndef VIEW_TEACH_WAND_H
#define VIEW_TEACH_WAND_H

#include "label/scene.h"
#include "teach/region.h"

struct view_wand {
    bool wanted;
    bool asked; /* the labels that are being read are for it */
    bool waits; /* for exact labels of what is seen of a large picture */
    bool far;   /* and of what is not seen */
    uint32_t number;
    struct shw_point pixel;
};

/* Takes the region around a pixel of the shown picture, in favour of a class or SHW_LABEL_VOID, from the labels of the
 * next frame; view_wand_poll() has it then. Of large pictures, it waits until the labels that the region goes by are
 * exact, and says so. Errors: ARGUMENT (no picture there, no labels). */
enum shw_result view_wand_begin(struct view_wand *wand, struct view_scene *scene, uint32_t number,
                                struct shw_point pixel);

/* Must be called when another picture is shown, or the classes have changed. */
void view_wand_give_up(struct view_wand *wand);

/* Whether there will be a region; and whether that needs no more than frames. */
bool view_wand_is_running(const struct view_wand *wand);
bool view_wand_needs_frames(const struct view_wand *wand);

/* *found: the region has been found, and `runs` are its pixels, to be freed. Errors: ARGUMENT (the labels have
 * vanished), LIMIT (the region is too large), MEMORY. */
enum shw_result view_wand_poll(struct view_wand *wand, struct view_scene *scene, struct view_runs *runs, bool *found);

#endif
