/* The interface of panels and sheets, and the columns that they are in. */
#ifndef VIEW_UI_PANEL_H
#define VIEW_UI_PANEL_H

#include <stdbool.h>

#include "action/action.h"
#include "label/scene.h"
#include "source/browser.h"
#include "source/opened.h"
#include "ui/ui.h"

/* The state of a panel, to be restored in the next run. */

#define VIEW_PANELS_MAX 16u

enum view_side { VIEW_SIDE_LEFT, VIEW_SIDE_RIGHT, VIEW_SIDES };
extern const char *const view_side_names[VIEW_SIDES];

struct view_panel_state {
    char name[32];
    bool shown, open;
    enum view_side side; /* VIEW_SIDES: the usual one */
};

/* In points. */

#define VIEW_COLUMN_USUAL   280.0f /* at most, */
#define VIEW_COLUMN_SHARE   0.18f  /* of the canvas */
#define VIEW_COLUMN_LEAST   220.0f
#define VIEW_COLUMN_MOST    2000.0f
#define VIEW_COLUMN_PICTURE 200.0f  /* that columns leave to the picture */
#define VIEW_COLUMN_BOTH    1180.0f /* canvases this wide have both columns unless one is folded */

/* The left one is by itself folded on narrow canvases, so that the picture has two thirds of them. */
enum view_column_state { VIEW_COLUMN_AUTO, VIEW_COLUMN_SHOWN, VIEW_COLUMN_FOLDED };

struct view_columns {
    float chosen[VIEW_SIDES]; /* 0: the usual width */
    enum view_side last;      /* the side whose width was chosen last */
    enum view_column_state state[VIEW_SIDES];
};

/* The usual width on a canvas of that width; whether it has the column, if there are panels for it. In points. */
float view_columns_usual(float canvas);
bool view_columns_has(const struct view_columns *columns, enum view_side side, float canvas);

/* The widths in points on a canvas of that width; 0 for a side that is not shown. If the picture would be left with
 * less than its share, the side chosen last keeps its width longest, and both keep at least the least one. */
void view_columns_fit(const struct view_columns *columns, const bool shown[VIEW_SIDES], float canvas,
                      float widths[VIEW_SIDES]);

/* The width to choose for a side whose edge is dragged to `width`, given the widths that are shown. */
float view_columns_drag(enum view_side side, float width, float canvas, const float widths[VIEW_SIDES]);

/* The interface of panels and sheets.
 *
 * A panel is a function, in its own file panel_NAME.c, that describes its contents with ui.h; the program lists them.
 * It changes the program only by actions, so that keys, scripts and panels do the same. */

#define VIEW_PANEL_LINES 16u

/* What the program passes with each frame. */
struct view_panel_frame {
    VkExtent2D canvas;
    struct view_area area;       /* the area that panels leave free */
    double now;                  /* seconds */
    char *const *recent;         /* actions that opened something, the most recent first */
    const int64_t *recent_times; /* when, in seconds since 1970; 0: unknown */
    uint32_t recent_count;
    const struct view_opened *opened; /* of them */
    bool project;                     /* one is open */
    float chosen_scale;               /* pixels per point, as chosen; 0: that of the display */
    bool vsync;
};

/* How the legend shows the classes. */
struct view_legend {
    char filter[128];
    uint32_t chosen; /* class that is scrolled into view */
    uint32_t scroll; /* frames until it is: a list that has just appeared does not know its height yet */
    bool focus;      /* the filter is to get the focus */
    bool typing;     /* it has the focus */
};
#define VIEW_LEGEND_SCROLL 4u

struct view_panel_context {
    const struct view_action_entry *actions;
    struct view_legend legend;
    struct view_browser places; /* the folder that work was or is to be saved in */
    uint32_t doomed;            /* of copies of unsaved work: the one that is to be deleted, from 1; 0: none */
    float room;                 /* how high the panel may become, in points */
    struct view_ui *ui;
    struct view_panel_frame frame;
    char *lines[VIEW_PANEL_LINES]; /* requested and not taken yet */
    uint32_t line_count;
};

/* Queues an action line, to run after this frame's panels are complete. */
void view_panel_run(struct view_panel_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The tooltip of the last item, with the key for the line; either may be NULL. */
void view_panel_tip(const struct view_panel_context *context, const char *help, const char *line);

/* A button that runs a line. Width in points, 0: that of its label; a chosen one is marked. */
void view_panel_button(struct view_panel_context *context, const char *label, const char *line, const char *help,
                       float width, bool chosen);

/* Buttons in as few rows as there is room for their labels; of equal widths if that needs no more rows. */
struct view_panel_item {
    const char *label, *line, *help;
    bool chosen, impossible;
};
void view_panel_buttons(struct view_panel_context *context, const struct view_panel_item *items, uint32_t count);

/* A slider that runs "ACTION NUMBER"; its label is `room` points wide. Ctrl+click enters a number up to `most`. */
void view_panel_slider(struct view_panel_context *context, const char *label, float room, int value, int low, int high,
                       int most, const char *format, const char *action, const char *help);

/* The same without a label beside it, in the width of view_ui_next_width(). */
void view_panel_slider_of(struct view_panel_context *context, const char *label, int value, int low, int high, int most,
                          const char *format, const char *action, const char *help);

/* A toggle that runs "ACTION on" or "ACTION off". */
void view_panel_toggle(struct view_panel_context *context, const char *label, bool on, const char *action,
                       const char *help);

/* The panels; `user` is what each receives. */
void view_panel_sources(struct view_panel_context *context, void *teaching);
void view_panel_inspect(struct view_panel_context *context, void *inside);
void view_panel_classes(struct view_panel_context *context, void *teaching);
void view_panel_overlay(struct view_panel_context *context, void *scene);
void view_panel_objects(struct view_panel_context *context, void *objects);
void view_panel_performance(struct view_panel_context *context, void *scene);
void view_panel_detect(struct view_panel_context *context, void *learning);
void view_panel_annotate(struct view_panel_context *context, void *annotating);
void view_panel_teach(struct view_panel_context *context, void *teaching);
/* A section of the panel Teaching. */
struct view_teaching;
void view_panel_choices(struct view_panel_context *context, struct view_teaching *teaching);
/* Planes of the shown picture, in the panel Pictures; nothing if it has none besides colours. */
void view_panel_planes(struct view_panel_context *context, struct view_teaching *teaching);
void view_panel_accuracy(struct view_panel_context *context, void *teaching);
void view_panel_pixel(struct view_panel_context *context, void *parts);

void view_panel_export(struct view_panel_context *context, void *exporting);
void view_panel_import(struct view_panel_context *context, void *importing);

/* What keys do while there is a question. */
struct view_asked {
    const char *enter, *escape; /* lines that they run; NULL: none */
    bool field;                 /* a text field is about to get the focus */
};

/* The question of the project. */
bool view_asks_about_project(const void *teaching, struct view_asked *asked);
void view_ask_about_project(struct view_panel_context *context, void *teaching);

/* The dialog of an export, and the question whether to quit during one. */
bool view_asks_about_export(const void *exporting, struct view_asked *asked);
void view_ask_about_export(struct view_panel_context *context, void *exporting);

/* Texts of the project's own; and the question whether those inside a file may run. */
void view_panel_code(struct view_panel_context *context, void *coding);
bool view_asks_about_code(const void *coding, struct view_asked *asked);
void view_ask_about_code(struct view_panel_context *context, void *coding);

/* The question what the values of a mask mean. */
bool view_asks_about_import(const void *importing, struct view_asked *asked);
void view_ask_about_import(struct view_panel_context *context, void *importing);

/* The same about rectangles. */
bool view_asks_about_boxes(const void *annotating, struct view_asked *asked);
void view_ask_about_boxes(struct view_panel_context *context, void *annotating);

/* The same about a cascade that was trained, or is being trained. */
bool view_asks_about_cascade(const void *learning, struct view_asked *asked);
void view_ask_about_cascade(struct view_panel_context *context, void *learning);

/* The classes of ground-truth rectangles, over the picture, and the handles of the chosen one. */
void view_boxes_captions(void *annotating);

/* The scores of detections, over the picture. */
void view_detections_captions(void *learning);

/* A text above a rectangle of the picture, given in its pixels; NULL: none. */
void view_panel_caption(const struct view_scene *scene, double x, double y, double width, double height,
                        const uint8_t colour[3], const char *text);

/* The outlines of objects, over the picture. */
void view_objects_outline(void *objects);

/* The tools of the panel Teaching. */
struct view_teaching;

/* Over the picture: what the tool in hand would do (the brush, a straight line, an outline), and the most uncertain
 * place that was found. */
void view_tool_preview(void *teaching);

/* Whether an overlay can be shown: what it needs is there. */
bool view_overlay_is_possible(const struct view_scene *scene, uint32_t mode);

/* Bars of the probabilities of a forest's classes: as many rows for every pixel, also without a distribution. */
struct shw_forest_info;
void view_panel_probabilities(const struct view_scene *scene, const struct shw_forest_info *info,
                              const uint16_t *distribution);

/* The buttons of overlays that a panel has. */
void view_panel_overlays(struct view_panel_context *context, const struct view_scene *scene,
                         enum view_overlay_panel panel);

#endif
