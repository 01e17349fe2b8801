/* Labels of the shown picture, live: recorded into the frames, at once or in pieces that leave time for everything
 * else, or made beside them by the worker. While new labels come to be, those before stay where they are, with the
 * picture that they belong to. */
#ifndef VIEW_LABEL_LABELLING_H
#define VIEW_LABEL_LABELLING_H

#include "gpu/frames.h"
#include "label/label_worker.h"
#include "label/labels.h"

/* What labels are made with. What is pointed to stays the caller's, and must outlive the labelling. */
struct view_labelling_params {
    const struct view_gpu *gpu;
    struct view_frames *frames;
    uint32_t device;                           /* index of the GPU, for the worker */
    const struct shw_calibration *calibration; /* of the device; NULL: none is known */
    double budget;                             /* at first */
    struct shw_log log;                        /* used on the worker's thread, too */
};

/* What is labelled. */
struct view_labelled {
    const struct view_picture *picture; /* that is shown; NULL: none */
    struct view_shown *shown;           /* its images */
    struct view_shared_forest *forest;  /* NULL: none */
    uint32_t mode;                      /* of the overlay, VIEW_MODE_... */
};

/* What has come of it. */
struct view_label_news {
    bool changed;                  /* other labels are shown */
    struct view_picture *labelled; /* is shown from now on with its labels, its images being in `shown`; the caller's */
    bool upload;                   /* these images have not got it yet */
    struct view_picture *unlabelled; /* has waited in vain, and is to be shown without labels; the caller's */
};

/* What is under way. */
enum view_label_way {
    VIEW_LABEL_NOTHING,
    VIEW_LABEL_AT_ONCE,   /* all of it in the next frame, into the labels that are shown */
    VIEW_LABEL_IN_PIECES, /* in frames, into the labels behind */
    VIEW_LABEL_BESIDE     /* by the worker */
};

struct view_labelling {
    struct view_labelling_params params;
    double budget; /* milliseconds of a frame's time on the device that labels may take; 0: labels are complete in every
                      frame */
    enum shw_technique techniques[SHW_STAGE_COUNT]; /* that are asked for */
    bool new_techniques;
    bool wanted; /* neither the labels that are shown nor those under way are those of picture and forest */

    struct view_labels front, back; /* the labels that are shown, and those that come to be */
    struct view_shown behind;       /* the picture of the latter, if it is another one */
    struct view_picture *coming;    /* to be shown when it has labels; NULL: none waits */
    struct view_picture *picture;   /* that labels come to be for, likewise; NULL: for the one that is shown */
    bool upload;                    /* which is not on the device yet */
    enum view_label_way way;
    bool given_up; /* what is under way beside the frames is not wanted any more */
    bool changed;  /* other labels, or another picture, than in the frame before */
    double began;  /* seconds of the host's clock */

    struct shw_labeller *labeller;          /* for frames, or NULL; */
    struct view_shared_forest *by;          /* it labels by this */
    VkExtent2D extent;                      /* pictures of this size */
    struct shw_labelling_progress progress; /* in pieces */
    uint64_t count; /* labellings that were begun in frames; they take the labeller's slots by turns */
    struct view_label_worker *worker;       /* or NULL: not needed until now */
    struct view_buffer staging[VIEW_SLOTS]; /* of what comes from it */
    const uint16_t *results;                /* that the next frame brings to the device; NULL: none */
};

void view_labelling_init(const struct view_labelling_params *params, struct view_labelling *labelling);
/* Nothing that was recorded may still run. Accepts zero-initialised ones. */
void view_labelling_destroy(struct view_labelling *labelling);

/* The techniques that the stages come to: on devices that are CPUs, `auto` for all of them is `cpu`. What is still
 * `auto` then, the labeller decides, by the device's calibration if there is one. */
void view_labelling_decide(const struct view_labelling *labelling, enum shw_technique techniques[SHW_STAGE_COUNT]);

/* Whether that is done by the worker. */
bool view_labelling_is_beside(const struct view_labelling *labelling);

/* What the stages are labelled by: the labeller's choice, as soon as there is one. */
void view_labelling_techniques(const struct view_labelling *labelling, enum shw_technique techniques[SHW_STAGE_COUNT]);

/* Whether another picture is to wait for its labels before it is shown: where those take long, and are looked at. */
bool view_labelling_defers(const struct view_labelling *labelling, const struct view_labelled *of,
                           const struct view_picture *picture);

/* Makes the picture wait, in place of one that waits; owns it. */
void view_labelling_defer(struct view_labelling *labelling, struct view_picture *picture);

/* There is no such picture any more, or there are no such labels: nothing that is under way will be shown. */
void view_labelling_give_up(struct view_labelling *labelling);

/* The same, and what is shown has no labels. */
void view_labelling_clear(struct view_labelling *labelling);

/* Before a frame: takes what has come to be. Errors: those of labellers; then there are no labels until something
 * changes. */
enum shw_result view_labelling_collect(struct view_labelling *labelling, const struct view_labelled *of,
                                       struct view_label_news *news);

/* Then: begins what is wanted. Errors: as above. */
enum shw_result view_labelling_begin(struct view_labelling *labelling, const struct view_labelled *of);

/* Whether frames are to come for it, and whether it is worth looking after it often. */
bool view_labelling_needs_frames(const struct view_labelling *labelling);
bool view_labelling_is_busy(const struct view_labelling *labelling);

/* Nothing is wanted or under way. */
bool view_labelling_is_idle(const struct view_labelling *labelling);

/* In a frame, the shown picture being there: records what there is to do. Errors: ARGUMENT. */
enum shw_result view_labelling_record(struct view_labelling *labelling, struct view_frames *frames,
                                      struct view_shown *shown, struct view_display_range range,
                                      VkCommandBuffer commands, uint32_t slot);

#endif
