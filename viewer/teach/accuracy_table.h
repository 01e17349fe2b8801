/* Accuracy as a table in a file. */
#ifndef VIEW_TEACH_ACCURACY_TABLE_H
#define VIEW_TEACH_ACCURACY_TABLE_H

#include <shadewood/dataset.h>

#include "files/project/held_out.h"

/* Writes CSV (base/csv.h): a row for each class with its counts, and the confusion matrix, a column for each class that
 * pixels were labelled as. `classes` are as many as accuracy->class_count. Errors: IO, MEMORY. */
enum shw_result view_accuracy_write(const struct shw_held_out *accuracy, const struct shw_class *classes,
                                    const char *path, const struct shw_log *log);

#endif
