/* Frames: what is uploaded, labelled and drawn, recorded into command buffers of which several are under way at
 * once. */
#ifndef VIEW_SHELL_FRAME_H
#define VIEW_SHELL_FRAME_H

#include "gpu/offscreen.h"
#include "inspect/marks.h"
#include "inspect/plane.h"
#include "label/class_shares.h"
#include "label/labelling.h"
#include "label/overlay.h"
#include "label/shown.h"
#include "teach/painted.h"
#include "ui/ui.h"

#define VIEW_STAMPS 32u /* of a frame */

/* What a frame spends the device's time on, between one stamp and the next. */
struct view_span {
    enum view_time kind;
    uint64_t work; /* of a stage of labelling: units of it */
};

struct view_frames {
    VkCommandBuffer commands[VIEW_SLOTS];
    VkFence fences[VIEW_SLOTS];
    bool pending[VIEW_SLOTS], uploaded[VIEW_SLOTS], plane[VIEW_SLOTS];
    VkQueryPool queries; /* VK_NULL_HANDLE without timestamps */
    uint32_t stamps[VIEW_SLOTS];
    struct view_span spans[VIEW_SLOTS][VIEW_STAMPS];
    bool begins[VIEW_SLOTS], ends[VIEW_SLOTS]; /* a labelling */
    double stage_times[SHW_STAGE_COUNT];       /* of the labelling that is under way, until now */
    double rates[SHW_STAGE_COUNT];             /* milliseconds to a unit of a stage's work; 0: not known */
    struct view_times times;
    double cleared; /* when times were begun anew, in seconds of the host's clock, and at which count of frames */
    uint64_t cleared_count;
    double last;    /* when the frame before was begun, in seconds of the host's clock */
    uint64_t count; /* frames until now */
};

/* Errors: MEMORY, DEVICE_MEMORY. */
enum shw_result view_frames_create(const struct view_gpu *gpu, struct view_frames *frames);
void view_frames_destroy(const struct view_gpu *gpu, struct view_frames *frames);

/* Waits until all frames are over. Errors: DEVICE_LOST. */
enum shw_result view_frames_wait(const struct view_gpu *gpu, struct view_frames *frames);

/* What a frame does. */
struct view_frame {
    const struct view_picture *picture; /* to be uploaded; NULL: the one that is there */
    struct view_display_range range;
    struct view_shown *shown; /* empty: nothing is drawn */
    struct view_labelling *labelling;
    uint32_t planes;                    /* classes that the overlay blends by their probabilities */
    struct view_shown *instead;         /* that is looked at in the place of it all; NULL: the picture is */
    const struct view_picture *texture; /* to be uploaded for it; NULL: the one that is there */
    struct view_plane *plane;           /* that is shown instead of the picture, if the settings say so */
    struct view_painted *painted;       /* over the picture; NULL: nothing is */
    const uint16_t *strokes;            /* the labels that are painted */
    struct view_overlay *overlay;
    struct view_overlay_settings settings;
    struct view_place place;
    const struct view_mark *marks; /* that are drawn over the picture */
    uint32_t mark_count;
    VkRect2D area;        /* of the canvas, that panels leave free */
    uint32_t wipe_column; /* see view_overlay_frame */
    const struct view_offscreen *canvas;
    bool read;                        /* the canvas back to the host */
    struct view_class_shares *shares; /* of the labels */
    bool count;                       /* the shares are wanted */
    struct view_ui *ui;               /* that is drawn over the overlay; or NULL */
    void *user;                       /* of `present`, which may be NULL */
    void (*present)(void *user,
                    VkCommandBuffer commands); /* after it, the canvas being in the use view_use_copied_from */
    VkSemaphore wait, signal;                  /* around the copies of `present`; VK_NULL_HANDLE: none */
};

/* Ends a span of the frame that is being recorded. A frame has room for VIEW_STAMPS; the time of those beyond is not
 * counted. */
void view_frames_stamp(struct view_frames *frames, VkCommandBuffer commands, uint32_t slot, enum view_time kind,
                       uint64_t work);

/* Forgets times until now. */
void view_frames_clear_times(struct view_frames *frames);

/* Seconds of the host's clock. */
double view_frames_clock(void);

/* Whether that frame, counted from 0, is over on the device, or is so before that many seconds have passed. */
bool view_frames_is_over(const struct view_gpu *gpu, const struct view_frames *frames, uint64_t number, double seconds);

/* The slot of the next frame, after the end of the frame that had it before. Errors: DEVICE_LOST. */
enum shw_result view_frames_next(const struct view_gpu *gpu, struct view_frames *frames, uint32_t *slot);

/* Records and submits a frame, after the end of the one that had the slot before. Errors: ARGUMENT, MEMORY,
 * DEVICE_LOST. */
enum shw_result view_frames_render(const struct view_gpu *gpu, struct view_frames *frames,
                                   const struct view_frame *frame);

#endif
