/* The tools: what the mouse does on the picture. Each is in a file tool_NAME.c and has an entry in view_tools; what it
 * does is also a function here, which scripts run. For the main thread. */
#ifndef VIEW_TEACH_TOOLS_H
#define VIEW_TEACH_TOOLS_H

#include "teach/teaching.h"

struct view_tool {
    const char *name;                                          /* for the action `hand` */
    const char *label;                                         /* of its button */
    const char *help;                                          /* a line for its tooltip */
    struct view_size *(*size)(struct view_teaching *teaching); /* its brush; NULL: it has none */
    /* A button is pressed at a pixel, which may be outside the picture; `number` is the class to paint or, with the
     * right button, SHW_LABEL_VOID. Returns whether the other two follow. NULL: the picture is moved. */
    bool (*press)(struct view_teaching *teaching, uint32_t number, struct shw_point pixel);
    void (*drag)(struct view_teaching *teaching, struct shw_point pixel);
    void (*release)(struct view_teaching *teaching);
};
extern const struct view_tool *const view_tools[VIEW_HAND_COUNT];

/* The tool in hand. */
const struct view_tool *view_tool_in_hand(const struct view_teaching *teaching);

/* Whether the mouse does something on the picture with the tool in hand, rather than moving it. */
bool view_tool_works(const struct view_teaching *teaching);

/* Mouse buttons and wheel on the picture. Return false if not used. */
bool view_tool_press(struct view_teaching *teaching, bool right);
void view_tool_drag(struct view_teaching *teaching);
void view_tool_release(struct view_teaching *teaching);
bool view_tool_wheel(struct view_teaching *teaching, double notches);

/* The pixel of the picture under the cursor; it may be outside. */
struct shw_point view_tool_pixel(const struct view_teaching *teaching);
/* The position of a pixel's centre on the canvas. */
void view_tool_place(const struct view_teaching *teaching, struct shw_point pixel, float *x, float *y);

/* The brush of the tool in hand, that of the brush if it has none. */
struct view_size *view_tool_size(struct view_teaching *teaching);
/* Its radius in pixels of the picture, at the zoom that is shown. */
uint32_t view_tool_radius(struct view_teaching *teaching);

/* What the tools do. `number` is a class, or SHW_LABEL_VOID to erase. Errors: ARGUMENT (nothing is done, and the reason
 * is logged), LIMIT (the region is too large), MEMORY. */

/* Paints a straight line from the end of the last stroke on this picture; it stays open, as after
 * view_painting_begin(). */
enum shw_result view_tool_line(struct view_teaching *teaching, uint32_t number, uint32_t radius, struct shw_point to);
/* Labels the connected region of pixels that are painted alike. One that nothing is painted on must be enclosed by
 * strokes, with up to three sides of the picture. */
enum shw_result view_tool_fill(struct view_teaching *teaching, uint32_t number, struct shw_point pixel);
/* Labels the pixels of a polygon: see polygon.h. */
enum shw_result view_tool_polygon(struct view_teaching *teaching, uint32_t number, const struct shw_point *corners,
                                  uint32_t count);
/* Labels the connected region of pixels that the forest gives the same class as this one, soon (wand.h). */
enum shw_result view_tool_wand(struct view_teaching *teaching, uint32_t number, struct shw_point pixel);
/* Closes the outline in progress, and labels it; after a failure, it is still in progress. */
enum shw_result view_tool_close(struct view_teaching *teaching);

extern const struct view_tool view_tool_brush_entry, view_tool_eraser_entry, view_tool_fill_entry,
    view_tool_lasso_entry, view_tool_polygon_entry, view_tool_rectangle_entry, view_tool_wand_entry;

#endif
