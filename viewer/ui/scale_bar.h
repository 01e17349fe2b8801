/* A scale bar over the picture. */
#ifndef VIEW_UI_SCALE_BAR_H
#define VIEW_UI_SCALE_BAR_H

struct view_objects;

/* In the lower right corner of the picture's area: 1, 2 or 5 times a power of ten of a unit. Nothing if the size of
 * pixels is not known, or no picture is shown. */
void view_scale_bar_draw(const struct view_objects *objects);

#endif
