/* The panels next to the picture: their columns, and the actions that they ask for. For the main thread. */
#ifndef VIEW_UI_PANELS_H
#define VIEW_UI_PANELS_H

#include "gpu/frames.h"
#include "ui/panel.h"
#include "ui/panel_state.h"
#include "ui/sheets.h"
#include "ui/toasts.h"

struct view_panel {
    const char *name; /* for the action `panel` */
    const char *title;
    bool right; /* beside the picture on its right, else on its left */
    bool shown; /* from the start */
    void (*show)(struct view_panel_context *context, void *user);
    void (*over)(void *user); /* draws over the picture, below the panels; NULL: nothing */
    size_t offset;            /* of `user`: bytes from view_panels_params.program */
};

/* Everything pointed to is borrowed and must outlive the panels. */
struct view_panels_params {
    const struct view_gpu *gpu;
    struct view_frames *frames;
    VkRenderPass pass;             /* that they are drawn in */
    const struct view_panel *list; /* ends with one whose name is NULL */
    void *program;
    const struct view_action_entry *actions;
    const struct view_scene *scene;
    struct view_toasts *toasts;
    struct shw_log log;
};

struct view_panels {
    struct view_panels_params params;
    struct view_panel_context context; /* its ui is NULL until panels are first on */
    bool on;
    bool moved; /* the free area has changed; the caller resets this */
    bool shown[VIEW_PANELS_MAX], open[VIEW_PANELS_MAX];
    enum view_sheet sheet;
    struct view_open_sheet open_sheet;
    struct view_ui_clipboard clipboard; /* of the window; get NULL: none */
    float scale;                        /* pixels to a point */
    double last;                        /* frame's time */
    uint32_t frames;                    /* still needed after input */
};

void view_panels_init(const struct view_panels_params *params, struct view_panels *panels);
/* Recorded commands must have finished. Accepts zero-initialised ones. */
void view_panels_destroy(struct view_panels *panels);

/* As the panels were in an earlier run, before they are first on; and as they are now. remember: returns how many; 0:
 * they were never on. */
void view_panels_recall(struct view_panels *panels, const struct view_panel_state *states, uint32_t count);
uint32_t view_panels_remember(const struct view_panels *panels, struct view_panel_state states[VIEW_PANELS_MAX]);

/* Panels on or off; what they need is made when they are first on. Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED. */
enum shw_result view_panels_switch(struct view_panels *panels, bool on);
/* Pixels to a point of what panels show. Errors: as above, and then there are none. */
enum shw_result view_panels_scale(struct view_panels *panels, float scale);

/* The number of a panel in the list; VIEW_PANELS_MAX: there is none of that name. `length` characters of it count. */
uint32_t view_panels_number(const struct view_panels *panels, const char *name, size_t length);

/* Whether a panel has its place in a column. */
bool view_panels_shown(const struct view_panels *panels, uint32_t number);
void view_panels_show(struct view_panels *panels, uint32_t number, bool shown);
/* Whether a panel is expanded. */
bool view_panels_open(const struct view_panels *panels, uint32_t number);

/* Shows a sheet in the place of the one before; panels come on for it. Errors: as for view_panels_switch(). */
enum shw_result view_panels_sheet(struct view_panels *panels, enum view_sheet sheet);
enum view_sheet view_panels_sheet_shown(const struct view_panels *panels);

/* Mouse or keys were used: requests some frames. */
void view_panels_touch(struct view_panels *panels);

/* Describes this frame's panels, unless they are off. Returns whether another frame is needed. */
bool view_panels_frame(struct view_panels *panels, const struct view_panel_frame *frame);
/* The next queued line, to be freed; NULL: none. */
char *view_panels_take_line(struct view_panels *panels);

/* Mouse and key events are still queued for the next frames. */
bool view_panels_pending(const struct view_panels *panels);
/* Finds the item with that label on the canvas, as of the last frame; false: not visible. */
bool view_panels_find(struct view_panels *panels, const char *label, double *x, double *y);

/* The user interface of the panels; NULL while they are off. */
struct view_ui *view_panels_ui(const struct view_panels *panels);

/* The part of the canvas that panels leave free; all of it without them. */
struct view_area view_panels_free_area(const struct view_panels *panels, VkExtent2D canvas);

#endif
