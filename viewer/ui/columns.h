/* The columns of panels on the left and right of the picture: how wide they are. */
#ifndef VIEW_UI_COLUMNS_H
#define VIEW_UI_COLUMNS_H

#include <stdbool.h>

enum view_side { VIEW_SIDE_LEFT, VIEW_SIDE_RIGHT, VIEW_SIDES };
extern const char *const view_side_names[VIEW_SIDES];

/* In points. */
#define VIEW_COLUMN_USUAL   280.0f
#define VIEW_COLUMN_LEAST   220.0f
#define VIEW_COLUMN_MOST    2000.0f
#define VIEW_COLUMN_PICTURE 200.0f /* that columns leave to the picture */

struct view_columns {
    float chosen[VIEW_SIDES]; /* 0: the usual width */
    enum view_side last;      /* the side whose width was chosen last */
};

/* The widths in points on a canvas of that width; 0 for a side that is not shown. If the picture would be left with
 * less than its share, the side chosen last keeps its width longest, and both keep at least the least one. */
void view_columns_fit(const struct view_columns *columns, const bool shown[VIEW_SIDES], float canvas,
                      float widths[VIEW_SIDES]);

/* The width to choose for a side whose edge is dragged to `width`, given the widths that are shown. */
float view_columns_drag(enum view_side side, float width, float canvas, const float widths[VIEW_SIDES]);

#endif
