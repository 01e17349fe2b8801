/* The whole program: what its parts are given, and what passes between them. For the main thread. */
#ifndef VIEW_SHELL_APP_H
#define VIEW_SHELL_APP_H

#include "annotate/annotating.h"
#include "code/coding.h"
#include "detect/learning.h"
#include "detect/tracking.h"
#include "export/exporting.h"
#include "files/output/calibration_file.h"
#include "import/importing.h"
#include "inspect/inspect.h"
#include "inspect/under.h"
#include "label/scene.h"
#include "object/objects.h"
#include "record/recorder.h"
#include "shell/demo.h"
#include "shell/film.h"
#include "shell/input.h"
#include "shell/settings.h"
#include "shell/snapshots.h"
#include "teach/teaching.h"
#include "ui/panels.h"

struct view_app_params {
    uint32_t device; /* index */
    bool validation;
    const char *const *extensions; /* that a window needs; none: no window */
    uint32_t extension_count;
    VkExtent2D canvas;
    bool every_picture; /* of videos, see view_source_params */
    uint64_t memory;    /* bytes that large pictures and their labels may take; 0: a quarter of the machine's */
    struct view_other_inputs others; /* what pictures come with */
    bool trusts_code;                /* texts inside files run without a question */
    bool complete;                   /* every frame has its labels, however long that takes */
    const struct view_action_entry *actions;
    const struct view_panel *panels;
};

struct view_app {
    struct shw_log log; /* to standard error; errors and warnings also to `toasts`; used on the source's thread, too */
    struct view_toasts toasts;
    struct view_gpu gpu;
    struct view_frames frames;
    struct view_offscreen canvas;
    struct shw_stored_calibration calibration; /* of the device, if stored */
    bool calibrated;

    struct view_player player;
    struct view_scene scene;
    struct view_camera_delay delay;
    struct view_inside inside;
    struct view_under under;
    struct view_annotating annotating;
    struct view_detecting detecting;
    struct view_learning learning;
    struct view_tracking tracking;
    struct view_borders borders; /* of the last frame */
    struct view_teaching teaching;
    struct view_coding coding;
    struct view_exporting exporting;
    struct view_importing importing;
    struct view_recorder recorder;
    struct view_snapshots snapshots;
    struct view_film film;
    char said[1024]; /* good news to show, of an action */
    struct view_objects objects;
    struct view_panels panels;
    struct view_actions actions;

    struct view_cursor cursor;
    struct view_input_queue inputs;                                          /* that wait */
    uint32_t waited;                                                         /* frames that they have waited */
    enum { VIEW_NOBODY, VIEW_PANELS, VIEW_PAN, VIEW_WIPE, VIEW_TOOL } owner; /* of the pressed buttons */
    unsigned pressed;                                                        /* one bit per button */
    double pressed_x, pressed_y;                                             /* where the first was */
    bool in_list; /* the list of pictures was clicked last: arrow keys move in it */
    struct view_settings remembered;
    void (*remember_window)(void *window, struct view_settings *settings); /* NULL: there is no window */
    void *window;
    double kept;               /* when settings were looked at last, in seconds of view_clock() */
    bool opened_another;       /* since then something was opened: they are looked at at once */
    struct view_opened opened; /* of what is remembered */
    bool wait_opened;          /* the script waits for them */
    struct view_demo demo;
    struct {
        uint64_t project, rectangles;
    } saves;             /* that have been told of */
    float display_scale; /* of the display */
    double now;          /* time of the last poll */
    uint32_t wait;       /* frames to render before the script continues */
    bool wait_labels;    /* and until what is seen is labelled */
    double resume;       /* when the script continues, in seconds of view_clock() */
    VkExtent2D size;     /* requested size of canvas and window; 0 x 0: unchanged */
    bool vsync;          /* the window synchronises with the display */
    bool interactive;    /* there is a window: people are asked before work is discarded */
    unsigned let_pass;   /* the questions that leaving has passed before the one that is asked: a bit for each */
    bool quit;
};

/* `app` must not move. Errors: NO_DEVICE, UNSUPPORTED, MEMORY, DEVICE_MEMORY. */
enum shw_result view_app_create(const struct view_app_params *params, struct view_app *app);
/* Returns the total number of messages from the validation layers, including those about leaks. Accepts
 * zero-initialised and destroyed ones. */
unsigned view_app_destroy(struct view_app *app);

/* Stores what is remembered, if it has changed. */
void view_app_keep_settings(struct view_app *app);

/* Whether leaving has to wait for an answer about unsaved work. Asks then. */
bool view_app_asks_to_leave(struct view_app *app);

/* Runs an action, and updates panels, settings and the free area after it. Errors: those of view_action_run(). */
enum shw_result view_app_run_action(struct view_app *app, const char *name, const char *argument);

/* The same for a line (view_action_split()). Errors: also ARGUMENT for a line that is too long. */
enum shw_result view_app_run(struct view_app *app, const char *line);

/* Shows a picture: see view_scene_show(). */
enum shw_result view_app_show(struct view_app *app, struct view_picture *picture);

/* Shows the source's next picture if it is ready; never waits. `now` is in seconds. Errors: those of view_scene_show(),
 * and IO, while the script waits, for a source that turns out to have no picture. */
enum shw_result view_app_poll(struct view_app *app, double now);

/* Whether a script waits for labels. */
bool view_app_waits_for_labels(const struct view_app *app);

/* Whether a script has to wait before its next line. */
bool view_app_script_waits(const struct view_app *app);

/* Whether it waits for the end of an export or an import. */
bool view_app_awaits_files(const struct view_app *app);

/* Whether it waits for small pictures of what was opened before, or for the demo. */
bool view_app_awaits_welcome(const struct view_app *app);

/* Whether anything has to be drawn, and otherwise for how many seconds nothing has to be looked at. */
bool view_app_needs_frame(const struct view_app *app);
double view_app_patience(const struct view_app *app);

/* Resizes the canvas, to at least one pixel; the centre of the view stays. Errors: UNSUPPORTED, MEMORY,
 * DEVICE_MEMORY. */
enum shw_result view_app_resize(struct view_app *app, VkExtent2D canvas);

/* Updates the free area after a change of the panels. */
void view_app_fit_panels(struct view_app *app);

/* Finds the item in the panels with that label on the canvas; false: not visible. */
bool view_app_find(struct view_app *app, const char *label, double *x, double *y);

/* Renders one frame into the canvas. `extra` may be NULL; its `read`, `user`, callbacks and semaphores are used.
 * Errors: ARGUMENT, MEMORY, DEVICE_LOST. A labeller that cannot be made is an error once, and then there are no
 * labels. */
enum shw_result view_app_frame(struct view_app *app, const struct view_frame *extra);

/* The same, again without labels or without the picture if these are what fails, which has been logged. Errors: as
 * above, if it is something else. */
enum shw_result view_app_frame_anyhow(struct view_app *app, const struct view_frame *extra);

/* Renders a frame and writes the canvas as a PNG file. Errors: as above. */
enum shw_result view_app_screenshot(struct view_app *app, const char *path);

/* Actions, on a struct view_app. */
extern const struct view_action_group view_panels_group, view_measure_group, view_program_group, view_input_group,
    view_record_group, view_recent_group, view_film_group;

/* All groups of actions, and all panels, each with the part of struct view_app that it is given (shell/app.c). */
extern const struct view_action_entry view_action_list[];
extern const struct view_panel view_panel_list[];

#endif
