/* Panels, drawn by Dear ImGui, whose few functions that are needed stand here in C.
 *
 * Once a frame, between view_ui_begin() and view_ui_end(), a program says all that is to be seen; view_ui_draw()
 * records it into the canvas's render pass. A function of a thing that can be clicked or changed returns true in the
 * frame in which that was done. Labels that are the same in one window need view_ui_push_id() around them; what follows
 * ## in a label is not shown. Sizes are in points, which view_ui_scale() turns to pixels; places on the canvas are in
 * pixels. For the main thread; one at a time. */
#ifndef VIEW_UI_UI_H
#define VIEW_UI_UI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "gpu/gpu.h"

struct view_ui;

#define VIEW_UI_BACKGROUND 41 /* grey */

/* Draws for `pass`, with `slots` frames in flight, `scale` pixels to a point. Errors: MEMORY, DEVICE_MEMORY,
 * UNSUPPORTED. */
enum shw_result view_ui_create(const struct view_gpu *gpu, VkRenderPass pass, uint32_t slots, float scale,
                               struct view_ui **ui);
/* Recorded commands must have finished. Sets *ui to NULL; accepts NULL. */
void view_ui_destroy(struct view_ui **ui);

float view_ui_scale(const struct view_ui *ui);

/* A frame; `seconds` have gone by since the one before. */
void view_ui_begin(struct view_ui *ui, VkExtent2D canvas, double seconds);
void view_ui_end(struct view_ui *ui);
/* In the render pass, once for each view_ui_end(). */
void view_ui_draw(struct view_ui *ui, VkCommandBuffer commands);
/* What was done by mouse and keys is not all in the frames yet: more must come. */
bool view_ui_pending(const struct view_ui *ui);

/* What mouse and keys do. A click within one frame is seen, too: what follows it comes in the next frame. Names of
 * keys: Tab, Left, Right, Up, Down, PageUp, PageDown, Home, End, Insert, Delete, Backspace, Enter, Escape, and with
 * Ctrl held A, C, V, X, Y, Z. */
void view_ui_move(struct view_ui *ui, float x, float y);
void view_ui_press(struct view_ui *ui, unsigned button, bool down); /* 0 left, 1 right, 2 middle */
void view_ui_wheel(struct view_ui *ui, float notches);
bool view_ui_key(struct view_ui *ui, const char *name, bool control, bool shift);
void view_ui_character(struct view_ui *ui, uint32_t codepoint);

/* A panel is at that place of the canvas, or covers all of it until it is closed. */
bool view_ui_is_at(const struct view_ui *ui, float x, float y);
/* The middle of the first thing in sight with that label, or with that ## part of it, among those that are said between
 * the two calls. */
void view_ui_find_begin(const char *label);
bool view_ui_find_end(float *x, float *y);
/* Where text is cut, copied and pasted; without it, within the panels only. What `get` returns is valid until the next
 * call of it. */
struct view_ui_clipboard {
    void *user;
    const char *(*get)(void *user);
    void (*set)(void *user, const char *text);
};
void view_ui_set_clipboard(struct view_ui *ui, const struct view_ui_clipboard *clipboard);
/* What the cursor is over, for its shape. */
enum view_ui_cursor { VIEW_UI_ARROW, VIEW_UI_TEXT };
enum view_ui_cursor view_ui_cursor(const struct view_ui *ui);
/* A text field has the keys. */
bool view_ui_wants_text(const struct view_ui *ui);

/* A window at a fixed place, in pixels; height 0: as high as its contents. Call end in any case. */
enum view_ui_window {
    VIEW_UI_COLUMN, /* scrolls, beside the picture; it is for the program to paint VIEW_UI_BACKGROUND below */
    VIEW_UI_COVER,  /* the same, over the picture */
    VIEW_UI_NOTE    /* over the picture; not reached by the mouse */
};
void view_ui_window_begin(enum view_ui_window kind, const char *title, float x, float y, float width, float height,
                          float opacity);
void view_ui_window_end(void);
/* Its height in the last frame, in pixels; 0: it was not there. */
float view_ui_window_height(const char *title);

/* A window with a title in the middle of the canvas, which is dark meanwhile: the mouse reaches nothing else. It is
 * there as long as each frame says so; *open becomes false when it is to be closed. Call end if it is seen. Sizes in
 * pixels. */
bool view_ui_sheet_begin(const char *title, float width, float height, bool *open);
void view_ui_sheet_end(void);

/* A part of a window with a title that opens and closes it. Call end only if it is open. */
bool view_ui_panel_begin(const char *title, bool *open);
void view_ui_panel_end(void);

/* Text as by printf(); dim: of less weight; wrapped: over several lines. */
void view_ui_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
void view_ui_dim_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
void view_ui_wrapped_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
void view_ui_coloured_text(const uint8_t colour[3], const char *format, ...) __attribute__((format(printf, 2, 3)));
void view_ui_heading(const char *text);

void view_ui_separator(void);
void view_ui_space(void);
/* The next thing stays in this line; `at` points from the window's left edge, 0: behind the last thing. */
void view_ui_same_line(float at);
/* Width that is left in this line, in points. */
float view_ui_width(void);
/* Width of the next slider, combo or field; negative: so much is left free on its right, for its label. */
void view_ui_next_width(float width);

bool view_ui_button(const char *label);
/* As wide as that; 0: as its label. `chosen` ones are marked. */
bool view_ui_wide_button(const char *label, float width, bool chosen);
bool view_ui_toggle(const char *label, bool *state);
/* A row of a list. */
bool view_ui_row(const char *label, bool chosen);
bool view_ui_combo(const char *label, uint32_t *chosen, const char *const *names, uint32_t count);
/* `format` is of the number, NULL: "%d" and "%.2f". */
bool view_ui_int_slider(const char *label, int *value, int low, int high, const char *format);
bool view_ui_float_slider(const char *label, float *value, float low, float high, const char *format);
bool view_ui_colour(const char *label, uint8_t colour[3]);
/* A square of that colour, which can be clicked; hollow when it is off. */
bool view_ui_swatch(const char *label, const uint8_t colour[3], bool on);
/* True when Enter ends it, and if `at_once`, at each change. `hint` (may be NULL) is shown while it is empty. */
bool view_ui_text_field(const char *label, char *text, size_t size, const char *hint, bool at_once);
/* The next text field takes the keys, if it is in sight. */
void view_ui_focus(void);
/* What comes next is scrolled into sight, from the next frame on. */
void view_ui_scroll_here(void);

void view_ui_progress(float fraction, const char *text);
/* A bar of a chart: a name, a bar of that part of the width left, and a value behind it, which may be NULL. */
void view_ui_bar(const char *label, float fraction, const uint8_t colour[3], const char *value);
/* A row of a list with a bar of that part of its width behind it; negative: none. */
bool view_ui_bar_row(const char *label, bool chosen, float fraction, const uint8_t colour[3], const char *value);
/* A scale of colours at the same distance from each other, with what its ends stand for. */
void view_ui_ramp(const uint8_t (*colours)[3], uint32_t count, const char *low, const char *high);
/* A curve of a ring of values, `first` being the oldest; low < high; height in points. */
void view_ui_plot(const char *label, const float *values, uint32_t count, uint32_t first, float low, float high,
                  float height);

/* Tooltip of the last item. */
void view_ui_tooltip(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The click that the last item has reported was a double click. */
bool view_ui_double_clicked(void);

/* A line that opens and closes what lies below it. Call end only if it is open. */
bool view_ui_tree_begin(const char *label, bool open_at_first);
void view_ui_tree_end(void);

/* A table, `height` points high, with a line of headers unless those are NULL; 0: as high as its rows. Call end only if
 * it is seen. */
bool view_ui_table_begin(const char *label, uint32_t columns, const char *const *headers, float height);
/* A table of two columns without lines, the first as wide as keys are. */
bool view_ui_key_table_begin(const char *label);
void view_ui_table_row(void);
void view_ui_table_cell(void); /* the next one, before its contents */
void view_ui_table_end(void);

/* One of `count` columns side by side that scroll. */
void view_ui_column_begin(uint32_t number, uint32_t count);
void view_ui_column_end(void);

/* A part that scrolls, `height` points high. Call end in any case. */
void view_ui_list_begin(const char *label, float height);
void view_ui_list_end(void);
/* Scrolls, if that is needed, until the last thing is in sight. */
void view_ui_bring_into_sight(void);

/* A list of many rows, of which only those in sight are asked for. Returns the one that was clicked, else UINT32_MAX.
 * It scrolls to the chosen one when that changes; `chosen` UINT32_MAX: none. */
uint32_t view_ui_long_list(const char *label, float height, uint32_t count, uint32_t chosen,
                           const char *(*name)(void *user, uint32_t index), void *user);

/* What cannot be changed now. */
void view_ui_disabled_begin(bool disabled);
void view_ui_disabled_end(void);

void view_ui_push_id(uint32_t id);
void view_ui_pop_id(void);

/* Over the picture, below the panels, within the area given to view_ui_canvas_clip() (default: anywhere), in pixels.
 * Opacity 0..1. */
void view_ui_canvas_clip(float x, float y, float width, float height);
/* An outline. */
void view_ui_canvas_circle(float x, float y, float radius, const uint8_t colour[3], float opacity, float width);

#ifdef __cplusplus
}
#endif

#endif
