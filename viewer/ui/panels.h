/* The panels beside the picture: which there are, where they stand, and what they ask to be done. For the main thread.
 *
 * A panel is a function, in a file of its own, panel_NAME.c, that says its contents by ui.h; panels.c lists them. It
 * changes nothing of the program itself but by actions, so that keys, scripts and panels do the same. */
#ifndef VIEW_UI_PANELS_H
#define VIEW_UI_PANELS_H

#include "shell/app.h"
#include "ui/sheets.h"
#include "ui/ui.h"

struct view_panel {
    const char *name; /* for the action `panel` */
    const char *title;
    bool right; /* beside the picture on its right, else on its left */
    bool shown; /* from the start */
    void (*show)(struct view_app *app);
};

/* Ends with one whose name is NULL. */
extern const struct view_panel view_panel_list[];

struct view_panels;

/* Panels on or off; what they need is made when they are first on. Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED. */
enum shw_result view_panels_switch(struct view_app *app, bool on);
/* Pixels to a point of what panels show. Errors: as above, and then there are none. */
enum shw_result view_panels_scale(struct view_app *app, float scale);
bool view_panels_are_on(const struct view_app *app);
/* A panel's contents are to be seen, but for scrolling. */
bool view_panels_open(const struct view_app *app, const char *name);

/* Writes into app->remembered which panels there are to be in the next run. */
void view_panels_remember(struct view_app *app);
/* Nothing that was recorded may still run. */
void view_panels_destroy(struct view_app *app);

/* Whether a panel has its place in a column; `number` in the list. */
bool view_panels_shown(const struct view_app *app, uint32_t number);
void view_panels_show(struct view_app *app, uint32_t number, bool shown);

/* Shows a sheet in the place of the one before; panels come on for it. Errors: as for view_panels_switch(). */
enum shw_result view_panels_sheet(struct view_app *app, enum view_sheet sheet);
enum view_sheet view_panels_sheet_shown(const struct view_app *app);

/* Mouse or keys were used: some frames show what they changed. */
void view_panels_touch(struct view_app *app);

/* Says this frame's panels, and then does what was clicked. Does nothing while they are off. */
void view_panels_frame(struct view_app *app);

/* Where the thing with that label is on the canvas; false: not in sight. */
bool view_panels_find(struct view_app *app, const char *label, double *x, double *y);

/* What the panels draw by; NULL while they are off. */
struct view_ui *view_panels_ui(const struct view_app *app);

/* The part of the canvas that panels leave free; all of it without them. */
struct view_area view_panels_free_area(const struct view_app *app);

/* For panels: lets an action's line run once this frame's panels are complete. */
void view_panel_run(struct view_app *app, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For panels: tells about the last thing, with the key that runs the line; either may be NULL. */
void view_panel_tip(const char *help, const char *line);

/* For panels: a button that runs a line. Width in points, 0: as its label; chosen ones are marked. */
void view_panel_button(struct view_app *app, const char *label, const char *line, const char *help, float width,
                       bool chosen);

/* The panels themselves. */
void view_panel_sources(struct view_app *app);
void view_panel_inspect(struct view_app *app);
void view_panel_classes(struct view_app *app);
void view_panel_overlay(struct view_app *app);
void view_panel_performance(struct view_app *app);
void view_panel_teach(struct view_app *app);

/* The outline of the brush, over the picture. */
void view_brush_outline(struct view_app *app);

#endif
