/* One of the cascades that are open: how it is used, and what it has found in the newest pictures.
 *
 * For the main thread. Functions that fail have logged the reason. */
#ifndef VIEW_DETECT_DETECTOR_H
#define VIEW_DETECT_DETECTOR_H

#include "annotate/annotating.h"
#include "detect/detect_worker.h"
#include "detection/learn/learn.h"
#include "label/scene.h"

#define VIEW_DETECT_RECENT 4u /* pictures with their detections: labels may come later than those */

struct view_detector {
    struct view_shared_cascade *cascade; /* NULL: none is open */
    char label[VIEW_LABEL_SIZE];         /* the class of what it finds */
    bool on;                             /* pictures are searched with it */
    uint8_t colour[3];
    struct view_detect_settings settings;
    struct shw_learned learned; /* of a cascade that was trained here, without it; objects is 0: it was not */

    struct view_detect_worker *worker; /* NULL until needed */
    bool running;
    bool failed; /* the last one: it is not begun again before something changes */
    struct view_detect_settings begun;
    const struct view_picture *begun_picture; /* only compared, as the next */
    const struct view_shared_cascade *begun_cascade;
    struct view_found_windows recent[VIEW_DETECT_RECENT]; /* the newest first */
};

/* Without a cascade, with the colour of the i-th one. */
void view_detector_init(uint32_t i, struct view_detector *detector);
/* Gives up the picture in progress. Accepts zero-initialised ones. */
void view_detector_destroy(struct view_detector *detector);

/* Takes over a cascade that was not trained here, with the usual scan and grouping; NULL: none any more. Whatever
 * searches stays. */
void view_detector_change(struct view_detector *detector, struct view_shared_cascade *cascade);

/* Whether the cascade was trained here and is in no file. */
bool view_detector_is_unsaved(const struct view_detector *detector);

/* The cascade's description; there is one. */
const struct shw_cascade_info *view_detector_info(const struct view_detector *detector);

/* Makes the least score the cascade's own; any, if it has none or there is no cascade. */
void view_detector_reset_score(struct view_detector *detector);

/* What was found in a picture, perhaps with other settings; NULL: nothing yet, or no picture. */
const struct view_found_windows *view_detector_found(const struct view_detector *detector,
                                                     const struct view_picture *picture);
/* Whether that is what cascade and settings find now. */
bool view_detector_is_current(const struct view_detector *detector, const struct view_picture *picture);
/* Whether the search failed, and a search of the picture would fail again. */
bool view_detector_has_failed(struct view_detector *detector, const struct view_picture *picture);

/* Begins with a picture; only groups again where its windows are known. It is not running. Errors: those of workers. */
enum shw_result view_detector_begin(struct view_detector *detector, const struct view_scene *scene,
                                    struct view_picture *picture);
/* Takes what is done; `waits`: as soon as it is. *taken: there is something new. Errors: those of detectors. */
enum shw_result view_detector_take(struct view_detector *detector, bool waits, bool *taken);

#endif
