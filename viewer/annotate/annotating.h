/* Ground-truth rectangles: those of the shown picture, drawn with the mouse, and the file of all of them.
 *
 * For the main thread. Functions that fail have logged the reason. */
#ifndef VIEW_ANNOTATE_ANNOTATING_H
#define VIEW_ANNOTATE_ANNOTATING_H

#include "action/action.h"
#include "annotate/boxes.h"
#include "autosave/autosave.h"
#include "inspect/marks.h"
#include "label/scene.h"
#include "source/file_place.h"

/* A rectangle that is being drawn, moved or resized with the mouse. */

enum view_drag_kind { VIEW_DRAG_NONE, VIEW_DRAG_NEW, VIEW_DRAG_MOVE, VIEW_DRAG_RESIZE };

/* Sides of a rectangle, or those at a handle. */
enum view_side_bits { VIEW_LEFT_SIDE = 1, VIEW_RIGHT_SIDE = 2, VIEW_TOP_SIDE = 4, VIEW_BOTTOM_SIDE = 8 };

#define VIEW_HANDLES 8u
extern const unsigned view_handle_sides[VIEW_HANDLES];

struct view_drag {
    enum view_drag_kind kind;
    unsigned sides; /* that are moved */
    double x, y;    /* where it began, in pixels of the picture */
    struct view_box before, now;
};

/* Where a handle is, in pixels of the picture. */
void view_handle_place(const struct view_box *box, unsigned sides, double *x, double *y);

/* The autosave of rectangles: rectangles-XXXXXX, which is locked, rectangles-XXXXXX.csv, and an image for each frame
 * without a file. Works on a struct view_boxes_work. */

/* The file of the rectangles, as it was when it was read or written. */
struct view_boxes_origin {
    char *path; /* NULL: they have none */
    struct view_file_stamp stamp;
};

struct view_boxes_work {
    struct view_boxes boxes;
    struct view_boxes_origin origin;
};

#define VIEW_LABEL_SIZE 128u

struct view_annotating {
    struct view_scene *scene; /* borrowed, like the next */
    const struct view_cursor *cursor;
    struct view_boxes_work work; /* the rectangles and their file */
    bool careful;                /* interactive use: asks before work is discarded or replaced */
    uint64_t saves;              /* how often they were saved */
    struct view_question question;
    struct view_autosave *autosave;  /* NULL: no copies are kept */
    struct view_left_list recovered; /* rectangles that can be recovered */

    uint32_t picture;            /* the shown one's number; VIEW_NO_BOX: it has no rectangles yet */
    uint64_t picture_count;      /* the scene's when that was found */
    uint32_t chosen;             /* a rectangle of the shown picture; VIEW_NO_BOX: none */
    char label[VIEW_LABEL_SIZE]; /* of new rectangles; "": none */
    bool hidden;
    struct view_drag drag;
    bool wants_panel;            /* for the shell to read and reset */
    bool clicked;                /* where there is no rectangle; for the shell to read and reset, with the next */
    bool clicked_away;           /* with the right button */
    double clicked_x, clicked_y; /* in pixels of the picture */
    struct {
        char label[VIEW_LABEL_SIZE];
        uint32_t shown; /* the rectangle whose label the field has */
    } fields;           /* text fields of the panel */
    char said[1024];    /* what an action has written, for the shell to show and reset */
};

void view_annotating_init(struct view_scene *scene, const struct view_cursor *cursor,
                          struct view_annotating *annotating);
/* Leaves a copy of unsaved work if `rescue`. Accepts zero-initialised ones. */
void view_annotating_destroy(struct view_annotating *annotating, bool rescue);

/* Keeps copies of unsaved work in a folder from now on, and finds what others left there. Errors: MEMORY. */
enum shw_result view_annotating_keep_copies(struct view_annotating *annotating, const char *folder);
enum shw_result view_annotating_recover(struct view_annotating *annotating, uint32_t item);

/* Finds the shown picture's rectangles, and copies unsaved work if that is due. */
void view_annotating_poll(struct view_annotating *annotating);

bool view_annotating_is_unsaved(const struct view_annotating *annotating);
/* Whether something is asked that covers the picture. */
bool view_annotating_asks(const struct view_annotating *annotating);

/* Replaces all rectangles by those of a file, or by none (NULL). Errors: those of view_boxes_read(). */
enum shw_result view_annotating_open(struct view_annotating *annotating, const char *path);
/* Whether saving there would replace the file of something else, or one that another program has changed. */
bool view_annotating_replaces(const struct view_annotating *annotating, const char *path);
/* Saves to `path`, NULL: the file that there is. `replace`: whatever that is, except one that is read. Errors: those of
 * view_boxes_write(). */
enum shw_result view_annotating_save(struct view_annotating *annotating, const char *path, bool replace);
/* The same, but asks first where that has to be asked. */
enum shw_result view_annotating_save_asking(struct view_annotating *annotating, const char *path);

/* The rectangles of the shown picture, valid until they change; *count is 0 if there are none. */
const struct view_box *view_annotating_boxes(const struct view_annotating *annotating, uint32_t *count);

/* Changes of the shown picture's rectangles, each a step of the history; a video is paused. `box` NULL in the second:
 * deletes it. Errors: ARGUMENT (no picture, or outside it), MEMORY. */
enum shw_result view_annotating_add(struct view_annotating *annotating, const struct view_box *boxes, uint32_t count);
enum shw_result view_annotating_change(struct view_annotating *annotating, uint32_t number, const struct view_box *box);
enum shw_result view_annotating_clear(struct view_annotating *annotating);
/* Undoes or redoes the last change, on whatever picture; or gives up what is being drawn. */
void view_annotating_undo(struct view_annotating *annotating, bool redo);

/* The number of the label of new rectangles. */
uint32_t view_annotating_label(struct view_annotating *annotating);

/* Adds the rectangles that are drawn over the picture, with the one that is being drawn. */
void view_annotating_draw(const struct view_annotating *annotating, struct view_borders *borders);
/* Whether there are any; where one is, moved or not; and the colour of a class of them. */
bool view_annotating_is_drawn(const struct view_annotating *annotating);
const struct view_box *view_annotating_drawn_box(const struct view_annotating *annotating, uint32_t number);
void view_annotating_colour(const struct view_annotating *annotating, uint32_t label, uint8_t colour[3]);

/* The mouse with the tool in hand; `erases`: its right button. Returns false if the other two do not follow. */
bool view_annotating_press(struct view_annotating *annotating, bool erases);
void view_annotating_drag(struct view_annotating *annotating);
void view_annotating_release(struct view_annotating *annotating);
/* Gives up what is being drawn, moved or resized; false if nothing is. */
bool view_annotating_give_up(struct view_annotating *annotating);

/* Actions, on a struct view_annotating. */
extern const struct view_action_group view_annotate_group;

#endif
