/* What is shown: a picture, its labels over it, and where it lies on the canvas. For the main thread. */
#ifndef VIEW_LABEL_SCENE_H
#define VIEW_LABEL_SCENE_H

#include "label/class_shares.h"
#include "label/labelling.h"
#include "label/overlay.h"
#include "source/player.h"

/* A part of the canvas, in its pixels. */
struct view_area {
    int32_t x, y;
    uint32_t width, height;
};

/* Classes as others describe them. */
struct view_classes {
    const struct shw_class *list; /* NULL: not described */
    uint32_t count;
};

/* The mouse, in pixels of the canvas; pixel 0 is from 0 to 1. */
struct view_cursor {
    double x, y;
    bool on_picture;     /* no panel is below it, and the window has it */
    bool control, shift; /* are held */
};

struct view_scene {
    struct shw_log log;
    struct view_player *player; /* where pictures come from */
    struct view_overlay *overlay;
    struct view_overlay_settings settings;
    struct view_labelling labelling; /* its parameters have the scene's GPU and frames, too */
    struct view_class_shares shares;
    bool count_shares; /* also while nobody looks at them */

    struct view_picture *picture;      /* or NULL */
    uint64_t picture_count;            /* pictures that were shown until now */
    struct view_shown shown;           /* its images */
    struct view_display_range range;   /* of 16-bit pictures */
    bool auto_range;                   /* it is each picture's own */
    bool upload;                       /* the images have not got the picture yet */
    struct view_shared_forest *forest; /* or NULL */

    struct view_classes project; /* of the project that is open */
    uint32_t truth_classes;      /* that the picture's ground truth has numbers for */
    uint32_t class_count;        /* that have a colour */
    uint32_t planes;             /* that have probabilities */
    bool *hidden;                /* class_count of them */

    struct view_place place;
    struct view_area area; /* of the canvas, that panels leave free */
    bool fitted;           /* what is looked at stays as large as that allows */
    struct {
        bool on;
        const struct shw_image *image; /* or NULL */
    } instead;                         /* that is looked at in the place of the picture */

    bool redraw; /* something has changed that may be seen */
};

/* Draws for `pass`. What `params` points to must outlive the scene. Errors: MEMORY, DEVICE_MEMORY. */
enum shw_result view_scene_create(const struct view_labelling_params *params, struct view_player *player,
                                  VkRenderPass pass, struct view_scene *scene);
/* Nothing that was recorded may still run. Accepts zero-initialised and destroyed ones. */
void view_scene_destroy(struct view_scene *scene);

/* Shows a picture, and owns it from now on, whatever comes of it. One that follows another of its kind waits for its
 * labels where those take long. Errors: UNSUPPORTED, MEMORY, DEVICE_MEMORY. */
enum shw_result view_scene_show(struct view_scene *scene, struct view_picture *picture);

/* No other picture is to take the place of the one that is shown until the next call of view_scene_show(). */
void view_scene_stay(struct view_scene *scene);

/* Labels by a forest, whose share it takes over; NULL: by none. Errors: MEMORY, DEVICE_MEMORY. */
enum shw_result view_scene_set_forest(struct view_scene *scene, struct view_shared_forest *forest);

/* ARGUMENT, after a message, where there is no forest. */
enum shw_result view_scene_need_forest(const struct view_scene *scene);

/* Before a frame: takes labels that have come to be, with the picture that waited for them, and begins new ones.
 * Errors: those of view_scene_show() and of labellers; then there are no labels until something changes. */
enum shw_result view_scene_update(struct view_scene *scene);

/* Room to count the labels by class. Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED, DEVICE_LOST. */
enum shw_result view_scene_fit_shares(struct view_scene *scene);

/* Whether the labels that are shown are those of the picture, by the forest. */
bool view_scene_is_current(const struct view_scene *scene);

/* The classes that are shown: those of the project that is open; else the forest's, or without one those of the data
 * set, or those that the ground truth has numbers for. Valid until project, forest or source change. */
struct view_classes view_scene_classes(const struct view_scene *scene);

/* There may be more or fewer classes than before. Errors: MEMORY, DEVICE_MEMORY. */
enum shw_result view_scene_update_classes(struct view_scene *scene);

/* Colours of classes and their visibility have changed. */
void view_scene_colour_classes(struct view_scene *scene);

/* What waits for its labels is not to be shown any more: it is of another source. */
void view_scene_drop_waiting(struct view_scene *scene);

/* The number of a class, by its name or its number; with a # before it, a number is never a name. */
bool view_scene_find_class(const struct view_scene *scene, const char *text, uint32_t *number);

/* What is looked at; NULL: nothing. */
const struct shw_image *view_scene_image(const struct view_scene *scene);

/* It as large as the free part of the canvas allows, in its middle. */
void view_scene_fit(struct view_scene *scene);

/* Another part of the canvas is free; what was in its middle stays there. */
void view_scene_set_area(struct view_scene *scene, struct view_area area);

/* Moves it by 1/256 of the canvas's pixels. */
void view_scene_move(struct view_scene *scene, int64_t x, int64_t y);

/* Brings the middle of one of its pixels into the middle of the free part. */
void view_scene_centre(struct view_scene *scene, uint32_t x, uint32_t y);

/* Changes the zoom around a point of the canvas. */
void view_scene_zoom(struct view_scene *scene, uint32_t zoom, int32_t x, int32_t y);

/* The place in what is looked at, in its pixels, of a place on the canvas; false: outside of it, or there is none. */
bool view_scene_find_place(const struct view_scene *scene, double x, double y, double *across, double *down);

/* The column of the canvas where the wipe ends; 0: there is none. */
uint32_t view_scene_wipe_column(const struct view_scene *scene);

/* Actions, on a struct view_scene. */
extern const struct view_action_group view_label_group, view_view_group;

#endif
