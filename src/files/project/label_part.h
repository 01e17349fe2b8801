/* Labels a rectangle of a part of a picture as in the whole picture. */
#ifndef SHW_FILES_PROJECT_LABEL_PART_H
#define SHW_FILES_PROJECT_LABEL_PART_H

#include <shadewood/dataset.h>
#include <shadewood/forest.h>

#include "base/thread_pool.h"
#include "shared/rectangle.h"

/* Writes the classes of the pixels of `rect`, which is in the example's coordinates: row by row. Right for pixels as
 * far from the example's sides as the forest looks, where these are not sides of the picture. Technique `cpu`. `pool`
 * may be NULL. Errors: ARGUMENT (an input is missing), MEMORY. */
enum shw_result shw_label_part(const struct shw_forest *forest, const struct shw_labelled_image *example,
                               struct shw_rect rect, struct shw_thread_pool *pool, const struct shw_log *log,
                               uint16_t *classes);

#endif
