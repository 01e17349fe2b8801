/* Accuracy in words, for the panels and for scripts, and as a table in a file. */
#ifndef VIEW_TEACH_ACCURACY_H
#define VIEW_TEACH_ACCURACY_H

#include <shadewood/dataset.h>

#include "files/project/held_out.h"

#define VIEW_ACCURACY_TEXT 256

/* "91.3 % of 5123 pixels, 5 of 6 strokes; pictures held out", or why the class has none. */
void view_accuracy_of_class(const struct shw_held_out *accuracy, uint32_t number, char text[VIEW_ACCURACY_TEXT]);

/* "mean of 3 classes 88.1 %, by 5 forests, each without a part of the strokes that are measured", or why there is none.
 */
void view_accuracy_of_all(const struct shw_held_out *accuracy, char text[VIEW_ACCURACY_TEXT]);

/* Accuracy as a table in a file. */

/* Writes CSV (base/text.h): a row for each class with its counts, and the confusion matrix, a column for each class
 * that pixels were labelled as. `classes` are as many as accuracy->class_count. Errors: IO, MEMORY. */
enum shw_result view_accuracy_write(const struct shw_held_out *accuracy, const struct shw_class *classes,
                                    const char *path, const struct shw_log *log);

#endif
