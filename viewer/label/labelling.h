/* Live labels of the shown picture: recorded into frames, all at once or in pieces that leave time for everything else,
 * or computed in the background by the worker. Until new labels are complete, the previous ones stay, with the picture
 * that they belong to. Of pictures whose overview has only every so-manyth pixel, the worker labels the pixels that are
 * on the device: those that are seen first, cell by cell, then the overview. */
#ifndef VIEW_LABEL_LABELLING_H
#define VIEW_LABEL_LABELLING_H

#include "gpu/frames.h"
#include "label/label_worker.h"
#include "label/labels.h"
#include "label/overlay.h"
#include "label/parts.h"
#include "label/shown.h"

/* What is labelled in frames, where a forest reads more than the colour image: its inputs on the device. */
struct view_input_images {
    struct shw_input inputs[SHW_INPUTS_MAX];   /* on the host, and on the device; colour first */
    struct shw_depth scalings[SHW_INPUTS_MAX]; /* how they are read on the host */
    bool wides[SHW_INPUTS_MAX];                /* whether samples of the device have 16 bits */
    uint32_t first, count;                     /* those from `first` on have images of their own: */
    struct view_image images[SHW_INPUTS_MAX];  /* colour only if the shown one has fewer bits */
    VkDeviceSize size;                         /* of an image in a staging buffer */
    bool upload;                               /* the device has not received them yet */
    struct view_buffer staging[VIEW_SLOTS];
};

/* What labels are computed with. Everything pointed to is borrowed and must outlive the labelling. */
struct view_labelling_params {
    const struct view_gpu *gpu;
    struct view_frames *frames;
    uint32_t device;                           /* index of the GPU, for the worker */
    const struct shw_calibration *calibration; /* of the device; NULL: none is known */
    double budget;                             /* initially */
    uint64_t memory;                           /* bytes that the program is to keep to */
    struct shw_log log;                        /* used on the worker's thread, too */
};

/* What is labelled. */
struct view_labelled {
    const struct view_picture *picture; /* the shown one; NULL: none */
    struct view_shown *shown;           /* its images */
    struct view_shared_forest *forest;  /* NULL: none */
    uint32_t mode;                      /* of the overlay, VIEW_MODE_... */
    struct shw_part overview;           /* of the picture */
    const struct shw_part *detail;      /* what is drawn of it with finer steps; NULL: nothing */
    int64_t x, y;                       /* the pixel in the middle of the view */
};

/* What an update has changed. */
struct view_label_news {
    bool changed;                    /* other labels are shown */
    struct view_picture *labelled;   /* becomes visible with its labels; `shown` has its images. The caller owns it */
    bool upload;                     /* the images have not received it yet */
    struct view_picture *unlabelled; /* waited for labels and must be shown without. The caller owns it */
};

/* The labelling in progress. */
enum view_label_variant {
    VIEW_LABEL_NOTHING,
    VIEW_LABEL_AT_ONCE,   /* in the next frame, into the front labels */
    VIEW_LABEL_IN_PIECES, /* over several frames, into the back labels */
    VIEW_LABEL_ASYNC,     /* by the worker */
    VIEW_LABEL_PARTS      /* by the worker, cell by cell */
};

/* The labels of a large picture. */
struct view_parted {
    bool on; /* the shown picture is large */
    bool has_detail;
    uint32_t side; /* of a cell, in pixels; 0: as it suits the device */
    struct view_part_labels layers[VIEW_LAYERS];
    uint32_t layer;                /* of the labelling in progress: */
    uint32_t *cells, count, taken; /* the blocks of its sketch, its cells, and how many of all have been taken */
    double took;                   /* when, in seconds of the host's clock */
    uint32_t blocks, block_side;   /* how many of them are blocks */
    uint32_t sketch;               /* blocks of any sketch; 0: as it suits device, picture and forest */
    bool prepared;                 /* the worker knows which device it will need */
    bool late;                     /* the labels that are seen are not exact yet */
};

struct view_labelling {
    struct view_labelling_params params;
    double budget; /* milliseconds of device time per frame for labels; 0: labels are complete in every frame */
    enum shw_technique techniques[SHW_STAGE_COUNT]; /* requested */
    bool new_techniques;
    bool wanted; /* neither the shown labels nor those in progress match picture and forest */

    struct view_labels front, back; /* the shown labels, and those in progress */
    struct view_shown behind;       /* the picture of the back labels, if it is another one */
    struct view_picture *coming;    /* waits for its labels to be shown; NULL: none */
    struct view_picture *picture;   /* the picture being labelled; NULL: the shown one */
    bool upload;                    /* that picture is not on the device yet */
    enum view_label_variant variant;
    bool given_up; /* the background labelling is no longer wanted */
    bool changed;  /* other labels, or another picture, than in the frame before */
    double began;  /* seconds of the host's clock */

    struct shw_labeller *labeller;          /* for frames, or NULL */
    struct view_shared_forest *by;          /* its forest */
    VkExtent2D extent;                      /* the size of its pictures */
    struct view_input_images given;         /* its inputs */
    struct shw_labelling_progress progress; /* in pieces */
    uint64_t count;                   /* labellings begun in frames; they alternate between the labeller's slots */
    struct view_label_worker *worker; /* NULL until needed */
    struct view_buffer staging[VIEW_SLOTS]; /* for its results */
    const uint16_t *results;                /* to upload with the next frame; NULL: none */
    struct view_parted parted;
};

void view_labelling_init(const struct view_labelling_params *params, struct view_labelling *labelling);
/* Recorded commands must have finished. Accepts zero-initialised ones. */
void view_labelling_destroy(struct view_labelling *labelling);

/* Whether the worker computes the labels. */
bool view_labelling_is_async(const struct view_labelling *labelling);

/* The techniques in use: the labeller's choice once there is a labeller. */
void view_labelling_techniques(const struct view_labelling *labelling, enum shw_technique techniques[SHW_STAGE_COUNT]);

/* Whether another picture is to wait for its labels before it is shown: if labels take long and are visible. */
bool view_labelling_defers(const struct view_labelling *labelling, const struct view_labelled *of,
                           const struct view_picture *picture);

/* Makes the picture wait, replacing the one that waits; takes ownership. */
void view_labelling_defer(struct view_labelling *labelling, struct view_picture *picture);

/* Discards the labelling in progress, and the pictures that wait. */
void view_labelling_give_up(struct view_labelling *labelling);

/* The same, and discards the shown labels. */
void view_labelling_clear(struct view_labelling *labelling);

/* Before a frame: takes finished labels. Errors: those of labellers; then there are no labels until something
 * changes. */
enum shw_result view_labelling_collect(struct view_labelling *labelling, const struct view_labelled *of,
                                       struct view_label_news *news);

/* After collecting: begins the next labelling if one is wanted. Errors: as above. */
enum shw_result view_labelling_begin(struct view_labelling *labelling, const struct view_labelled *of);

/* Whether it needs frames, and whether it must be polled often. */
bool view_labelling_needs_frames(const struct view_labelling *labelling);
bool view_labelling_is_busy(const struct view_labelling *labelling);

/* Whether nothing is wanted or in progress that can be seen. */
bool view_labelling_is_idle(const struct view_labelling *labelling);

/* The same, and all of the overview is labelled, seen or not. */
bool view_labelling_is_complete(const struct view_labelling *labelling);

/* Whether labels that are seen are a preview, of a previous forest or of coarser steps. */
bool view_labelling_is_preview(const struct view_labelling *labelling);

/* Whether there is a label, of whatever kind, for all that is seen of a large picture. */
bool view_labelling_is_covered(const struct view_labelling *labelling);

/* Whether a frame that must be complete has to wait for more labels. */
bool view_labelling_is_late(const struct view_labelling *labelling);

/* The labels of a layer on the device; NULL: none. */
void view_labelling_images(const struct view_labelling *labelling, uint32_t layer, const struct view_image **argmax,
                           const struct view_image **distribution);

/* Whether there are labels to show, exact or not. */
bool view_labelling_has_labels(const struct view_labelling *labelling);

/* For jobs of the worker: their techniques, and a share of a picture, which the job releases; creates the worker unless
 * there is one. */
void view_labelling_choose(const struct view_labelling *labelling, struct view_label_job *job);
void view_labelling_give(const struct view_picture *picture, struct view_label_job *job);
enum shw_result view_labelling_need_worker(struct view_labelling *labelling);

/* In labelling_parts.c: the same for large pictures. */
bool view_parts_are_large(const struct view_labelled *of);
enum shw_result view_parts_collect(struct view_labelling *labelling, const struct view_labelled *of,
                                   struct view_label_news *news);
enum shw_result view_parts_begin(struct view_labelling *labelling, const struct view_labelled *of);
enum shw_result view_parts_record(struct view_labelling *labelling, VkCommandBuffer commands, uint32_t slot,
                                  bool *uploaded);
bool view_parts_are_seen(const struct view_labelling *labelling); /* they are exact */
bool view_parts_are_uploaded(const struct view_labelling *labelling);
/* The limit for the planes of a tile. */
uint64_t view_parts_tile_memory(const struct view_labelling *labelling, bool on_device);

/* In a frame, after the shown picture's upload: records the work of this frame. Errors: ARGUMENT. */
enum shw_result view_labelling_record(struct view_labelling *labelling, struct view_frames *frames,
                                      const struct view_display *display, VkCommandBuffer commands, uint32_t slot);

#endif
