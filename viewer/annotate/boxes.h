/* Ground-truth rectangles of pictures, their classes, the history of their changes, and their files. For one thread
 * at a time. */
#ifndef VIEW_ANNOTATE_BOXES_H
#define VIEW_ANNOTATE_BOXES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <shadewood/log.h>

#include "files/io/output_files.h"
#include "source/picture.h"

#define VIEW_NO_BOX UINT32_MAX /* also: no picture, no label */

struct view_box {
    int32_t x, y; /* of the left and top pixel */
    uint32_t width, height;
    uint32_t label; /* VIEW_NO_BOX: none */
};

/* A picture that has, or has had, rectangles, or is listed without any. */
struct view_boxes_picture {
    char *place;               /* path of its file, with links of its folder resolved; NULL: it has none yet */
    char *frame;               /* name of a frame without a file; NULL: it has one */
    struct view_picture *kept; /* a frame's pixels, shared; NULL: they are in the file */
    struct view_box *items;
    uint32_t count;
    bool listed; /* in the file that was read */
};

struct view_boxes_edit;

struct view_boxes {
    struct view_boxes_picture *pictures;
    char **labels;
    struct view_boxes_edit *edits;
    uint32_t picture_count, picture_capacity;
    uint32_t label_count, label_capacity;
    uint32_t edit_count, edit_capacity;
    uint32_t done;  /* edits that are not undone */
    uint64_t last;  /* number of the newest edit */
    uint64_t saved; /* number of the last edit in the file; 0: before the first */
};

/* Accepts zero-initialised and freed ones. */
void view_boxes_free(struct view_boxes *boxes);

/* The number of a label, which is added if it is new; VIEW_NO_BOX for "" and without memory. */
uint32_t view_boxes_label(struct view_boxes *boxes, const char *name);
/* The name of a label; "" for none. */
const char *view_boxes_label_name(const struct view_boxes *boxes, uint32_t label);

/* Whether it is no object, but was taken for one by a cascade. */
bool view_box_is_false_alarm(const struct view_boxes *boxes, const struct view_box *box);

/* The picture with that place; VIEW_NO_BOX: there is none. */
uint32_t view_boxes_find(const struct view_boxes *boxes, const char *place);

/* Adds a picture; `place`, `frame`, either of which may be NULL, are copied, `kept` is shared. VIEW_NO_BOX without
 * memory. */
uint32_t view_boxes_add(struct view_boxes *boxes, const char *place, const char *frame, struct view_picture *kept);

/* Puts rectangles in the place of a picture's, which is one step of the history. Errors: MEMORY, not logged; nothing
 * has changed then. */
enum shw_result view_boxes_change(struct view_boxes *boxes, uint32_t picture, const struct view_box *items,
                                  uint32_t count);

/* Undoes or redoes a step; returns the picture that it concerned, VIEW_NO_BOX: there is none. */
uint32_t view_boxes_undo(struct view_boxes *boxes, bool redo);

/* Whether a picture is among those of the file: it has rectangles, had some, or is known to have none. */
bool view_boxes_is_listed(const struct view_boxes *boxes, uint32_t picture);

/* The number of the last edit that is not undone; 0: none. Equal numbers mean equal rectangles. */
uint64_t view_boxes_state(const struct view_boxes *boxes);

/* Of all pictures: the rectangles, and the pictures that have some. */
uint32_t view_boxes_count(const struct view_boxes *boxes, uint32_t *pictures);

/* Files of ground-truth rectangles: read as all tools of Shadewood read them (files/dataset/annotations.h), written as
 * CSV.
 */

/* Whether a name is that of a CSV file. */
bool view_is_table(const char *path);

/* Reads the rectangles of a CSV file, or of one of COCO's, whose regions that are not single objects are left out with
 * a warning. `boxes` is empty. Errors: those of shw_annotations_read(), MEMORY; it is empty then, too. */
enum shw_result view_boxes_read(const char *path, const struct shw_log *log, struct view_boxes *boxes);

/* Writes the lines of a table. Names of pictures are from `folder`, which has a trailing slash; "": whole paths. Frames
 * that are no files are left out or, if `stem` is not NULL, called STEM-NUMBER.png (view_boxes_frame_copy()). Errors:
 * ARGUMENT (a name cannot be written), MEMORY; those of the stream are left to it. */
enum shw_result view_boxes_print(FILE *stream, const struct view_boxes *boxes, const char *folder, const char *stem,
                                 const struct shw_log *log);
char *view_boxes_frame_copy(const char *stem, uint32_t picture);

/* Writes all rectangles to a CSV file. Frames without files are written beside it, to the folder STEM-frames, where
 * only such pictures are replaced, and are files from then on. `files` has what is read; the file is added and checked,
 * `own`: it is the one that they were read from or written to. Errors: ARGUMENT, IO, MEMORY. */
enum shw_result view_boxes_write(struct view_boxes *boxes, const char *path, bool own, struct shw_output_files *files,
                                 const struct shw_log *log);

#endif
