/* The panels beside the picture, in columns, and the bars above and below; the actions that they request. For the main
 * thread. */
#ifndef VIEW_UI_PANELS_H
#define VIEW_UI_PANELS_H

#include "gpu/frames.h"
#include "ui/bars.h"
#include "ui/panel.h"
#include "ui/sheets.h"
#include "ui/toasts.h"

/* The columns on either side of the picture, which scroll, and the head of the right one, which stays visible. A panel
 * can be moved to the other side; those of the head then are at that one's. */
enum view_panel_place { VIEW_PANEL_LEFT, VIEW_PANEL_RIGHT, VIEW_PANEL_HEAD };

struct view_panel {
    const char *name; /* for the action `panel` */
    const char *title;
    enum view_panel_place place;
    bool shown; /* initially */
    void (*show)(struct view_panel_context *context, void *user);
    void (*over)(void *user); /* draws over the picture, below the panels; NULL: nothing */
    /* A question or dialog over everything, also while the panel is hidden: whether there is one, and what shows it.
     * Nothing else has keys then. NULL: there is never one. */
    bool (*asks)(const void *user, struct view_asked *asked);
    void (*ask)(struct view_panel_context *context, void *user);
    size_t offset; /* of `user`, in bytes from view_panels_params.program */
};

/* Everything pointed to is borrowed and must outlive the panels. */
struct view_panels_params {
    const struct view_gpu *gpu;
    struct view_frames *frames;
    VkRenderPass pass;             /* the render pass for drawing them */
    const struct view_panel *list; /* ends with an entry whose name is NULL */
    void *program;
    const struct view_action_entry *actions;
    struct view_parts parts; /* for the bars; without the panels */
    struct view_toasts *toasts;
    struct shw_log log;
};

struct view_panels {
    struct view_panels_params params;
    struct view_panel_context context; /* its ui is NULL until panels are first shown */
    bool on;
    bool moved; /* the free area has changed; the caller resets this */
    bool shown[VIEW_PANELS_MAX], open[VIEW_PANELS_MAX];
    enum view_side sides[VIEW_PANELS_MAX];
    float width;      /* of the canvas, in points */
    uint32_t rows;    /* of the toolbar */
    uint32_t reveal;  /* a panel that is to be scrolled to, and for how many frames: */
    uint32_t reveals; /* what is new does not know its height yet */
    struct view_columns columns;
    enum view_sheet sheet;
    struct view_open_sheet open_sheet;
    struct view_ui_clipboard clipboard; /* of the window; get NULL: none */
    float scale;                        /* pixels per point */
    double last;                        /* time of the last frame */
    uint32_t frames;                    /* still needed after input */
    uint32_t settling;                  /* frames in which something was measured anew */
};

void view_panels_init(const struct view_panels_params *params, struct view_panels *panels);
/* Recorded commands must have finished. Accepts zero-initialised ones. */
void view_panels_destroy(struct view_panels *panels);

/* Restores the panels' state of an earlier run, before they are first shown; stores their state. remember: returns how
 * many; 0: they were never shown. */
void view_panels_recall(struct view_panels *panels, const struct view_panel_state *states, uint32_t count);
uint32_t view_panels_remember(const struct view_panels *panels, struct view_panel_state states[VIEW_PANELS_MAX]);

/* Shows or hides the panels; resources are created when they are first shown. Errors: MEMORY, DEVICE_MEMORY,
 * UNSUPPORTED. */
enum shw_result view_panels_switch(struct view_panels *panels, bool on);
/* Sets the pixels per point. Errors: as above; there are no panels then. */
enum shw_result view_panels_scale(struct view_panels *panels, float scale);

/* The number of the panel whose name is the first `length` characters; VIEW_PANELS_MAX if there is none. */
uint32_t view_panels_number(const struct view_panels *panels, const char *name, size_t length);

/* Whether a panel is in its column. Showing one shows its column, too. */
bool view_panels_shown(const struct view_panels *panels, uint32_t number);
void view_panels_show(struct view_panels *panels, uint32_t number, bool shown);
/* Whether a panel is expanded, and its column there. */
bool view_panels_open(const struct view_panels *panels, uint32_t number);

/* Folds or opens a panel. */
void view_panels_fold(struct view_panels *panels, uint32_t number, bool open);

/* Moves a panel to a side, and shows or hides the column there. */
void view_panels_move(struct view_panels *panels, uint32_t number, enum view_side side);
void view_panels_set_column(struct view_panels *panels, enum view_side side, enum view_column_state state);
/* Whether there is a column on that side. */
bool view_panels_has_column(const struct view_panels *panels, enum view_side side);

/* Chooses the width of a column in points; 0: the usual one. */
void view_panels_set_width(struct view_panels *panels, enum view_side side, float width);

/* Whether a question or dialog covers everything. */
bool view_panels_asked(const struct view_panels *panels, struct view_asked *asked);

/* Opens a sheet in place of the current one; shows the panels, too. Errors: as for view_panels_switch(). */
enum shw_result view_panels_sheet(struct view_panels *panels, enum view_sheet sheet);
/* The same for the dialogue for files. */
enum shw_result view_panels_browse(struct view_panels *panels, enum view_browse subject);
enum view_sheet view_panels_sheet_shown(const struct view_panels *panels);

/* Must be called after mouse or key input: requests some frames. */
void view_panels_touch(struct view_panels *panels);

/* Describes this frame's panels, unless they are off. Returns whether another frame is needed. */
bool view_panels_frame(struct view_panels *panels, const struct view_panel_frame *frame);
/* The next queued line, to be freed; NULL: none. */
char *view_panels_take_line(struct view_panels *panels);
/* Must be called when a frame's lines have run: whether all of them have succeeded. */
void view_panels_ran(struct view_panels *panels, bool success);

/* Whether mouse and key events are still queued for the next frames. */
bool view_panels_pending(const struct view_panels *panels);
/* Finds the item with that label on the canvas, as of the last frame; false: not visible. */
bool view_panels_find(struct view_panels *panels, const char *label, double *x, double *y);

/* The user interface of the panels; NULL while they are off. */
struct view_ui *view_panels_ui(const struct view_panels *panels);

/* The part of the canvas that panels and bars leave free; without panels, all of it. */
struct view_area view_panels_free_area(struct view_panels *panels, VkExtent2D canvas);

#endif
