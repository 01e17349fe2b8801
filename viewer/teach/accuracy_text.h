/* Accuracy in words: for the panels, and for scripts. */
#ifndef VIEW_TEACH_ACCURACY_TEXT_H
#define VIEW_TEACH_ACCURACY_TEXT_H

#include "files/project/held_out.h"

#define VIEW_ACCURACY_TEXT 256

/* "91.3 % of 5123 pixels, 5 of 6 strokes; pictures held out", or why the class has none. */
void view_accuracy_of_class(const struct shw_held_out *accuracy, uint32_t number, char text[VIEW_ACCURACY_TEXT]);

/* "mean of 3 classes 88.1 %, by 5 forests, each without a part of the strokes that are measured", or why there is none.
 */
void view_accuracy_of_all(const struct shw_held_out *accuracy, char text[VIEW_ACCURACY_TEXT]);

#endif
