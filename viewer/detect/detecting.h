/* Detection in what is shown, by all cascades that are open: on threads of their own, live in videos and cameras, and
 * compared with ground truth.
 *
 * For the main thread. Functions that fail have logged the reason. */
#ifndef VIEW_DETECT_DETECTING_H
#define VIEW_DETECT_DETECTING_H

#include "annotate/annotating.h"
#include "detect/detector.h"
#include "detection/metrics/detections.h"
#include "label/scene.h"

#define VIEW_DETECTORS     VIEW_OUTPUT_CASCADES /* at most */
#define VIEW_NO_DETECTION  UINT32_MAX
#define VIEW_DETECT_ANGLES 32

/* One of the detections of the shown picture, which are numbered through all cascades. False alarms that were clicked
 * away have no number; places count them, too. */
struct view_detection {
    uint32_t number, place;
    uint32_t detector, group;
    const struct view_found_windows *found;
    const struct shw_detection *item;
};

struct view_detecting {
    struct view_scene *scene; /* borrowed, like the next */
    struct view_annotating *annotating;
    bool on;
    bool windows;     /* those that were grouped are shown, too */
    bool compared;    /* with ground truth where there is some */
    bool complete;    /* every frame has its detections, however long that takes */
    uint32_t overlap; /* percent of intersection over union at which an object counts as found */
    struct view_detector list[VIEW_DETECTORS];
    uint32_t count;   /* from 1: a single one may be without a cascade */
    uint32_t hand;    /* whose settings actions change */
    uint64_t set;     /* changes with the cascades that are open */
    bool keeps_place; /* for a cascade that is being trained */

    struct view_picture *searched; /* held back, and under way; or NULL */
    struct view_picture *held;     /* the newest of a source that plays, waiting for its turn; or NULL */
    struct view_picture *ready;    /* to be shown, with its detections; or NULL */
    uint64_t stays;                /* the scene's when `held` came */
    uint64_t results;              /* changes with what is found */

    uint32_t chosen;                           /* the place of a detection of the shown picture */
    const struct view_picture *chosen_picture; /* only compared */
    struct {
        uint64_t results, state; /* state: of the rectangles */
        const struct view_picture *picture;
        uint32_t overlap;
        struct shw_match *list; /* [detection] */
        bool *found;            /* [rectangle] */
        uint32_t boxes;
        struct {
            uint32_t right, wrong, missed;
        } counts[VIEW_DETECTORS];
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

/* The one whose settings actions change. */
struct view_detector *view_detecting_hand(struct view_detecting *detecting);

/* Opens a cascade in the place of the one in hand, and detects with it; NULL: closes that one. Errors: those of
 * view_shared_cascade_load(). */
enum shw_result view_detecting_open(struct view_detecting *detecting, const char *path);
/* Opens one beside the others. Errors: as above, ARGUMENT (there are VIEW_DETECTORS). */
enum shw_result view_detecting_add(struct view_detecting *detecting, const char *path);

/* Keeps a place for a cascade of that class, until it is used; NULL: none is kept any more. False: there is none. */
bool view_detecting_keep_place(struct view_detecting *detecting, const char *label);

/* Goes on with a cascade that was made here and has no file yet, which it takes over, with the usual settings: in the
 * place of the one that finds the same class, or in the place that is kept. Errors: MEMORY; it is destroyed
 * then. */
enum shw_result view_detecting_use(struct view_detecting *detecting, struct shw_cascade *cascade);
/* The file of one of the cascades has that path from now on. Errors: MEMORY. */
enum shw_result view_detecting_name(struct view_detecting *detecting, struct view_detector *detector, const char *path);
/* The files of cascades are inputs, but not that of `written` (NULL: all are). */
void view_detecting_list_files(const struct view_detecting *detecting, const struct view_detector *written);

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

/* Whether the detections shown are those of picture, cascades and settings, or none are wanted. */
bool view_detecting_is_current(const struct view_detecting *detecting);
bool view_detecting_is_busy(const struct view_detecting *detecting);
/* Whether a script must wait: a list, a file or new rectangles are wanted. */
bool view_detecting_is_awaited(const struct view_detecting *detecting);

/* What a cascade has found in the shown picture; NULL: nothing yet, or detection is off. */
const struct view_found_windows *view_detecting_found(const struct view_detecting *detecting, uint32_t detector);
/* Whether any has something to show, even if it has found no object. */
bool view_detecting_is_there(const struct view_detecting *detecting);
/* Goes to the next detection of the shown picture, from a zero-initialised one to the first; false: there are no
 * more. */
bool view_detecting_next(const struct view_detecting *detecting, struct view_detection *item);
/* One of them; false: there is none of that number. */
bool view_detecting_item(const struct view_detecting *detecting, uint32_t number, struct view_detection *item);
/* How many there are, and how many of a cascade. */
uint32_t view_detecting_count(const struct view_detecting *detecting);
uint32_t view_detecting_count_of(const struct view_detecting *detecting, uint32_t detector);

/* Whether a group lies where the shown picture has a false alarm that was clicked away: then it is no detection. */
bool view_detecting_is_dismissed(const struct view_detecting *detecting, const struct shw_detection *group);

/* The detections compared with the picture's rectangles; false: there is nothing to compare. A rectangle is of the
 * cascades that find its class; where none does, of all. */
bool view_detecting_compare(struct view_detecting *detecting);

/* The smallest detection at a place of the picture; VIEW_NO_DETECTION: none. */
uint32_t view_detecting_at(const struct view_detecting *detecting, double x, double y);

/* Adds what is drawn over the picture. */
void view_detecting_draw(struct view_detecting *detecting, struct view_borders *borders);
/* Whether anything is. */
bool view_detecting_is_drawn(const struct view_detecting *detecting);
/* The detection that was chosen; VIEW_NO_DETECTION: none. */
uint32_t view_detecting_chosen(const struct view_detecting *detecting);
/* A detection's colour; `compared`: it was, with ground truth. */
void view_detecting_colour(const struct view_detecting *detecting, bool compared,
                           const struct view_detection *detection, uint8_t colour[3]);
extern const uint8_t view_detect_right[3], view_detect_wrong[3], view_detect_missed[3];

/* Actions, on a struct view_detecting. */
extern const struct view_action_group view_detect_group;

#endif
