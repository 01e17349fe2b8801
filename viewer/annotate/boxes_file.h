/* Files of ground-truth rectangles: read as all tools of Shadewood read them (files/dataset/annotations.h), written as
 * CSV.
 */
#ifndef VIEW_ANNOTATE_BOXES_FILE_H
#define VIEW_ANNOTATE_BOXES_FILE_H

#include <stdio.h>

#include "annotate/boxes.h"
#include "files/io/output_files.h"

/* Whether a name is that of a CSV file. */
bool view_is_table(const char *path);

/* Reads the rectangles of a CSV file, or of one of COCO's, whose regions that are no single objects are left out with a
 * warning. `boxes` is empty. Errors: those of shw_annotations_read(), MEMORY; it is empty then, too. */
enum shw_result view_boxes_read(const char *path, const struct shw_log *log, struct view_boxes *boxes);

/* Writes the lines of a table. Names of pictures are from `folder`, which has a trailing slash; "": whole paths. Frames
 * that are no files are left out or, if `stem` is not NULL, called STEM-NUMBER.png (view_boxes_frame_copy()). Errors:
 * ARGUMENT (a name cannot be written), MEMORY; those of the stream are left to it. */
enum shw_result view_boxes_print(FILE *stream, const struct view_boxes *boxes, const char *folder, const char *stem,
                                 const struct shw_log *log);
char *view_boxes_frame_copy(const char *stem, uint32_t picture);

/* Writes all rectangles to a CSV file. Frames that are no files are written beside it, to the folder STEM-frames, where
 * only such pictures are replaced, and are files from then on. `files` has what is read; the file is added and checked,
 * `own`: it is the one that they were read from or written to. Errors: ARGUMENT, IO, MEMORY. */
enum shw_result view_boxes_write(struct view_boxes *boxes, const char *path, bool own, struct shw_output_files *files,
                                 const struct shw_log *log);

#endif
