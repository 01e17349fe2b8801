/* Labels of the shown picture, live: recorded into the frames, at once or in pieces that leave time for everything
 * else, or made beside them by the worker. While new labels come to be, those before stay where they are, with the
 * picture that they belong to. */
#ifndef VIEW_LABEL_LABELLING_H
#define VIEW_LABEL_LABELLING_H

#include "gpu/times.h"
#include "label/label_worker.h"
#include "label/labels.h"

struct view_app;
struct view_frames;

/* What is under way. */
enum view_label_way {
    VIEW_LABEL_NOTHING,
    VIEW_LABEL_AT_ONCE,   /* all of it in the next frame, into the labels that are shown */
    VIEW_LABEL_IN_PIECES, /* in frames, into the labels behind */
    VIEW_LABEL_BESIDE     /* by the worker */
};

struct view_labelling {
    double budget; /* milliseconds of a frame's time on the device that labels may take; 0: labels are complete in every
                      frame */
    enum shw_technique techniques[SHW_STAGE_COUNT]; /* that are asked for */
    bool new_techniques;

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

/* Nothing that was recorded may still run. */
void view_labelling_destroy(const struct view_gpu *gpu, struct view_labelling *labelling);

/* The techniques that the stages come to: on devices that are CPUs, `auto` for all of them is `cpu`. What is still
 * `auto` then, the labeller decides, by the device's calibration if there is one. */
void view_labelling_decide(const struct view_app *app, enum shw_technique techniques[SHW_STAGE_COUNT]);

/* Whether that is done by the worker. */
bool view_labelling_is_beside(const struct view_app *app);

/* What the stages are labelled by: the labeller's choice, as soon as there is one. */
void view_labelling_techniques(const struct view_app *app, enum shw_technique techniques[SHW_STAGE_COUNT]);

/* Whether another picture is to wait for its labels before it is shown: where those take long, and are looked at. */
bool view_labelling_defers(const struct view_app *app, const struct view_picture *picture);

/* Makes the picture wait, in place of one that waits; owns it. */
void view_labelling_defer(struct view_app *app, struct view_picture *picture);

/* There is no such picture any more, or there are no such labels: nothing that is under way will be shown. */
void view_labelling_give_up(struct view_app *app);

/* The same, and what is shown has no labels. */
void view_labelling_clear(struct view_app *app);

/* Before a frame: shows what has come to be, and begins what is wanted. Errors: those of labellers; then there are no
 * labels until something changes. */
enum shw_result view_labelling_update(struct view_app *app);

/* Whether frames are to come for it, and whether it is worth looking after it often. */
bool view_labelling_needs_frames(const struct view_app *app);
bool view_labelling_is_busy(const struct view_app *app);

/* Whether the labels that are shown are those of the picture, by the forest. */
bool view_labelling_is_current(const struct view_app *app);

/* In a frame, the shown picture being there: records what there is to do. Errors: ARGUMENT. */
enum shw_result view_labelling_record(struct view_labelling *labelling, struct view_frames *frames,
                                      struct view_shown *shown, struct view_display_range range,
                                      VkCommandBuffer commands, uint32_t slot);

#endif
