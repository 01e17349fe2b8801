/* Copies of rectangles that are not saved, from which they can be recovered after the program was killed.
 *
 * In a folder, each running program that has unsaved rectangles keeps rectangles-XXXXXX.lock, which it holds locked,
 * rectangles-XXXXXX.json, and an image for each frame that is no file. Copies are written by a thread of their own;
 * everything else is for the main thread. */
#ifndef VIEW_ANNOTATE_BOXES_COPY_H
#define VIEW_ANNOTATE_BOXES_COPY_H

#include <time.h>

#include "annotate/boxes.h"
#include "source/file_place.h"

#define VIEW_BOXES_COPY_SECONDS 2.0 /* from a change until its copy is begun */

struct view_boxes_copies;

/* `folder`: created when it is needed; copied. Errors: MEMORY. */
enum shw_result view_boxes_copies_create(const char *folder, const struct shw_log *log,
                                         struct view_boxes_copies **copies);
/* Waits until the copy in progress is written; `removes` it then, and otherwise leaves it. Sets *copies to NULL;
 * accepts NULL in it. */
void view_boxes_copies_destroy(struct view_boxes_copies **copies, bool removes);

/* The file of the rectangles, as it was when it was read or written. */
struct view_boxes_origin {
    char *path; /* NULL: they have none */
    struct view_file_stamp stamp;
};

/* Begins a copy of unsaved rectangles if one is due, and removes that of saved ones. A copy that cannot be written is
 * told once, until one can be written again. */
void view_boxes_copies_update(struct view_boxes_copies *copies, const struct view_boxes *boxes,
                              const struct view_boxes_origin *origin, double now);
/* Removes the copy: there are other rectangles now. */
void view_boxes_copies_renew(struct view_boxes_copies *copies);
/* Writes a copy now if the last one is older, and waits for it. */
void view_boxes_copies_rescue(struct view_boxes_copies *copies, const struct view_boxes *boxes,
                              const struct view_boxes_origin *origin);

/* What a program that no longer runs left behind. Nobody else sees it until it is freed. */
struct view_boxes_left {
    char *stem; /* path of its files, without their endings */
    int lock;   /* a descriptor */
    struct view_boxes_origin origin;
    time_t written;
    uint32_t box_count, picture_count; /* pictures with some */
};
struct view_boxes_found {
    struct view_boxes_left *items; /* the most recent first */
    uint32_t count;
};

/* Finds all that can be read; what cannot is told, and left. Errors: MEMORY. */
enum shw_result view_boxes_copies_find(const char *folder, const struct shw_log *log, struct view_boxes_found *found);
void view_boxes_found_free(struct view_boxes_found *found);

/* Reads the rectangles of an item, which are not saved. Errors: IO, FORMAT, MEMORY. */
enum shw_result view_boxes_left_read(const struct view_boxes_left *item, const struct shw_log *log,
                                     struct view_boxes *boxes);
/* Removes the files of an item, and the item. */
void view_boxes_left_delete(struct view_boxes_found *found, uint32_t item);

#endif
