/* Detection in what is shown: on a thread of its own, live in videos and cameras, and compared with ground truth.
 *
 * For the main thread. Functions that fail have logged the reason. */
#ifndef VIEW_DETECT_DETECTING_H
#define VIEW_DETECT_DETECTING_H

#include "annotate/annotating.h"
#include "detect/detect_worker.h"
#include "detection/metrics/detections.h"
#include "label/scene.h"

#define VIEW_DETECT_RECENT 4u /* pictures with their detections: labels may come later than those */
#define VIEW_NO_DETECTION  UINT32_MAX
#define VIEW_DETECT_ANGLES 32

struct view_detecting {
    struct view_scene *scene; /* borrowed, like the next */
    struct view_annotating *annotating;
    bool on;
    bool windows;     /* those that were grouped are shown, too */
    bool compared;    /* with ground truth where there is some */
    bool complete;    /* every frame has its detections, however long that takes */
    uint32_t overlap; /* percent of intersection over union at which an object counts as found */
    uint8_t colour[3];
    struct view_shared_cascade *cascade; /* NULL: none is open */
    struct view_detect_settings settings;

    struct view_detect_worker *worker; /* NULL until needed */
    bool running;
    bool under_way_held; /* it is of a picture that is not shown before that is done */
    struct view_detect_settings begun;
    const struct view_picture *begun_picture; /* only compared, as the next */
    const struct view_shared_cascade *begun_cascade;
    bool failed;                /* the last one: it is not begun again before something changes */
    struct view_picture *held;  /* the newest of a source that plays, waiting for its turn; or NULL */
    struct view_picture *ready; /* to be shown, with its detections; or NULL */
    uint64_t stays;             /* the scene's when `held` came */
    struct view_found_windows recent[VIEW_DETECT_RECENT]; /* the newest first */
    uint64_t count;                                       /* of results */

    uint32_t chosen;                           /* a group of the shown picture */
    const struct view_picture *chosen_picture; /* only compared */
    struct {
        uint64_t count, state; /* of results, of the rectangles */
        const struct view_picture *picture;
        uint32_t overlap;
        struct shw_match *list; /* of the groups */
        bool *found;            /* [rectangle] */
        uint32_t right, wrong, missed, boxes;
    } matches;
    bool list_wanted; /* to be printed when it is there */
    struct {
        bool wanted, at; /* when it is there; what is at (x, y) */
        uint32_t number; /* otherwise: VIEW_NO_DETECTION: all */
        double x, y;
        const char *label; /* of the new rectangles; NULL: what the cascade finds */
    } accept;
    char *save_path;  /* to be written when it is there; NULL: none */
    bool wants_panel; /* for the shell to read and reset */
    char said[1024];  /* as above: what an action has written */
};

void view_detecting_init(struct view_scene *scene, struct view_annotating *annotating,
                         struct view_detecting *detecting);
/* Gives up the picture in progress. Accepts zero-initialised ones. */
void view_detecting_destroy(struct view_detecting *detecting);

/* Opens a cascade, and detects with it; NULL: none any more. Errors: those of view_shared_cascade_load(). */
enum shw_result view_detecting_open(struct view_detecting *detecting, const char *path);

/* Goes on with a cascade that was made here and has no file yet, which it takes over; with the usual settings. Errors:
 * MEMORY; it is destroyed then. */
enum shw_result view_detecting_use(struct view_detecting *detecting, struct shw_cascade *cascade);
/* The cascade's file has that path from now on. Errors: MEMORY. */
enum shw_result view_detecting_name(struct view_detecting *detecting, const char *path);

/* Whether a picture of a source that plays is held back until it is searched, which takes ownership; the one that
 * waited before is skipped. */
bool view_detecting_hold(struct view_detecting *detecting, struct view_picture *picture);
/* Drops the pictures that are held back: there is another source. */
void view_detecting_drop_held(struct view_detecting *detecting);

/* Takes what was found and begins with the next picture. *picture becomes one that was held back, to be shown now;
 * NULL: none. Errors: those of detectors. */
enum shw_result view_detecting_poll(struct view_detecting *detecting, struct view_picture **picture);

/* Before a frame that must have its detections: waits for them. Errors: as above. */
enum shw_result view_detecting_finish(struct view_detecting *detecting);

/* Whether the detections shown are those of picture, cascade and settings, or none are wanted. */
bool view_detecting_is_current(const struct view_detecting *detecting);
bool view_detecting_is_busy(const struct view_detecting *detecting);
/* Whether a script must wait: a list, a file or new rectangles are wanted. */
bool view_detecting_is_awaited(const struct view_detecting *detecting);

/* What was found in the shown picture; NULL: nothing yet, or detection is off. */
const struct view_found_windows *view_detecting_found(const struct view_detecting *detecting);

/* The cascade's description; there is one. */
const struct shw_cascade_info *view_detecting_info(const struct view_detecting *detecting);

/* Makes the least score the cascade's own; any, if it has none or there is no cascade. */
void view_detecting_reset_score(struct view_detecting *detecting);

/* Whether a group lies where the shown picture has a false alarm that was clicked away; it is not drawn. */
bool view_detecting_is_dismissed(const struct view_detecting *detecting, const struct shw_detection *group);

/* The groups compared with the picture's rectangles; false: there is nothing to compare. */
bool view_detecting_compare(struct view_detecting *detecting);

/* The smallest group at a place of the picture; VIEW_NO_DETECTION: none. */
uint32_t view_detecting_at(const struct view_detecting *detecting, double x, double y);

/* Adds what is drawn over the picture. */
void view_detecting_draw(struct view_detecting *detecting, struct view_borders *borders);
/* What is drawn of it; NULL: nothing. */
const struct view_found_windows *view_detecting_drawn(const struct view_detecting *detecting);
/* The group that was chosen; VIEW_NO_DETECTION: none. */
uint32_t view_detecting_chosen(const struct view_detecting *detecting, const struct view_found_windows *found);
/* A group's colour; `compared`: it was, with ground truth. */
void view_detecting_colour(const struct view_detecting *detecting, bool compared, uint32_t group, uint8_t colour[3]);
extern const uint8_t view_detect_right[3], view_detect_wrong[3], view_detect_missed[3];

/* Actions, on a struct view_detecting. */
extern const struct view_action_group view_detect_group;

#endif
