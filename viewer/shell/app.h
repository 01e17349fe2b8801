/* The state that the viewer's parts share, and what can be done with it. For the main thread. */
#ifndef VIEW_SHELL_APP_H
#define VIEW_SHELL_APP_H

#include "calibration/calibration_file.h"
#include "inspect/channels.h"
#include "inspect/inspect.h"
#include "inspect/texture.h"
#include "label/shared_forest.h"
#include "shell/frame.h"
#include "shell/input.h"
#include "shell/settings.h"
#include "source/source.h"
#include "teach/teaching.h"
#include "ui/toasts.h"

struct view_app_params {
    uint32_t device; /* index */
    bool validation;
    const char *const *extensions; /* that a window needs; none: no window */
    uint32_t extension_count;
    VkExtent2D canvas;
    bool every_picture; /* of videos, see view_source_params */
    bool complete;      /* every frame has its labels, however long they take */
};

/* A part of the canvas, in its pixels. */
struct view_area {
    int32_t x, y;
    uint32_t width, height;
};

struct view_app {
    struct shw_log log; /* to standard error, and errors and warnings to `toasts`; from the source's thread, too */
    struct view_toasts toasts;
    struct view_gpu gpu;
    uint32_t device; /* its index */
    struct view_frames frames;
    struct view_offscreen canvas;
    struct view_overlay *overlay;
    struct view_shown shown;
    struct view_labelling labelling;
    struct view_class_shares shares;
    bool count_classes; /* also while the panel of classes is closed */

    struct view_source *source; /* or NULL */
    bool every_picture;         /* of videos: the clock waits for frames, so that scripts see the same ones each time */
    struct view_picture *picture;      /* or NULL */
    struct view_shared_forest *forest; /* or NULL */
    uint32_t truth_classes;            /* that the picture's ground truth has numbers for */
    uint32_t class_count;              /* that have a colour */
    uint32_t planes;                   /* that have probabilities */
    bool *hidden;                      /* class_count of them */

    struct view_channels channels; /* of the picture */
    struct view_inspect inspect;
    struct view_texture texture;
    struct view_overlay_settings settings;
    struct view_place place;
    struct view_area area; /* of the canvas that panels leave free */
    struct view_display_range range;
    bool auto_range; /* the source finds the range of 16-bit pictures */

    struct shw_stored_calibration calibration; /* of the device, if there is one */
    bool calibrated;

    struct view_input input;
    struct view_settings remembered;
    struct view_teaching *teaching;
    struct view_panels *panels;         /* or NULL: never on until now */
    struct view_ui_clipboard clipboard; /* of the window; get NULL: none */
    float display_scale;                /* that the display wants */
    float scale;                        /* pixels to a point of the panels */
    double now;                         /* of the last poll */

    bool upload;     /* the picture is not on the device yet */
    bool relabel;    /* neither the labels that are shown nor those under way are those of picture and forest */
    bool opening;    /* no picture of the source has come yet */
    bool settle;     /* the script waits for the source's answer */
    uint32_t wait;   /* frames to render before the script goes on */
    VkExtent2D size; /* that the canvas, with its window, is to have; 0 x 0: the one it has */
    bool fitted;     /* the picture stays as large as the canvas allows */
    bool vsync;      /* a window waits for its display */
    bool redraw;     /* something was done that may be seen */
    bool quit;
};

/* `app` must stay where it is. Errors: NO_DEVICE, UNSUPPORTED, MEMORY, DEVICE_MEMORY. */
enum shw_result view_app_create(const struct view_app_params *params, struct view_app *app);
/* Returns how many messages the validation layers have had in all, down to what was left over. Accepts zero-initialised
 * and destroyed ones. */
unsigned view_app_destroy(struct view_app *app);

/* Shows a picture, and owns it from now on, whatever comes of it. One that follows another of its kind waits for its
 * labels where those take long. Errors: UNSUPPORTED, MEMORY, DEVICE_MEMORY. */
enum shw_result view_app_show(struct view_app *app, struct view_picture *picture);

/* What is on the device as the next frame's picture is that one from now on; owns it. Errors: MEMORY, DEVICE_MEMORY. */
enum shw_result view_app_take(struct view_app *app, struct view_picture *picture);

/* Opens a source of pictures, which takes the place of the one before: see view_source_params. Its pictures come by
 * view_app_poll(). Errors: those of view_source_open(). */
enum shw_result view_app_open(struct view_app *app, const char *spec);

/* Shows what the source has ready, without waiting. `now` is in seconds. Errors: those of view_app_show(), and IO,
 * while the script waits, for a source that turns out to have no picture. */
enum shw_result view_app_poll(struct view_app *app, double now);

/* Labels by a forest, whose share it takes over; NULL: by none. Errors: MEMORY, DEVICE_MEMORY. */
enum shw_result view_app_set_forest(struct view_app *app, struct view_shared_forest *forest);

/* The classes that are shown: those of the project that is open; else the forest's, or without one those of the data
 * set, or those that the ground truth has numbers for. Returns how many they are; *classes, which may become NULL,
 * describes them until project, forest or source change. */
uint32_t view_app_classes(const struct view_app *app, const struct shw_class **classes);

/* There may be more or fewer classes than before. Errors: MEMORY, DEVICE_MEMORY. */
enum shw_result view_app_update_classes(struct view_app *app);

/* Colours of classes and their visibility have changed. */
void view_app_colour_classes(struct view_app *app);

/* What is looked at: the picture's, or the forest's texture's; NULL: nothing. */
const struct shw_image *view_app_image(const struct view_app *app);

/* It as large as the part of the canvas without panels allows, in its middle. */
void view_app_fit(struct view_app *app);

/* Panels came or went. */
void view_app_area_changed(struct view_app *app);

/* The column of the canvas where the wipe ends; 0: there is none. */
uint32_t view_app_wipe_column(const struct view_app *app);

/* Another size of the canvas, at least a pixel; what was in its middle stays there. Errors: UNSUPPORTED, MEMORY,
 * DEVICE_MEMORY. */
enum shw_result view_app_resize(struct view_app *app, VkExtent2D canvas);

/* Moves the picture on the canvas, by 1/256 of its pixels. */
void view_app_move(struct view_app *app, int64_t x, int64_t y);

/* Changes the zoom around a point of the canvas. */
void view_app_zoom(struct view_app *app, uint32_t zoom, int32_t x, int32_t y);

/* Renders one frame into the canvas. `extra` may be NULL; its `read`, `user`, callbacks and semaphores are used.
 * Errors: ARGUMENT, MEMORY, DEVICE_LOST. A labeller that cannot be made is an error once, and then there are no
 * labels. */
enum shw_result view_app_frame(struct view_app *app, const struct view_frame *extra);

/* Renders a frame and writes the canvas as a PNG file. Errors: as above, and IO. */
enum shw_result view_app_screenshot(struct view_app *app, const char *path);

#endif
