/* The autosave of rectangles: rectangles-XXXXXX, which is locked, rectangles-XXXXXX.csv, and an image for each frame
 * without a file. Works on a struct view_boxes_work. */
#ifndef VIEW_ANNOTATE_AUTOSAVE_BOXES_H
#define VIEW_ANNOTATE_AUTOSAVE_BOXES_H

#include "annotate/boxes.h"
#include "autosave/autosave.h"

/* The file of the rectangles, as it was when it was read or written. */
struct view_boxes_origin {
    char *path; /* NULL: they have none */
    struct view_file_stamp stamp;
};

struct view_boxes_work {
    struct view_boxes boxes;
    struct view_boxes_origin origin;
};

extern const struct view_autosave_kind view_boxes_autosave;

/* Reads the rectangles of an item, which are not saved. Errors: IO, FORMAT, MEMORY. */
enum shw_result view_boxes_left_read(const struct view_left *item, const struct shw_log *log, struct view_boxes *boxes);

#endif
