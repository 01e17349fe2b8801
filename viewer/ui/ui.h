/* Panels, drawn by Dear ImGui: a C interface to the few of its functions that are needed.
 *
 * Once per frame, between view_ui_begin() and view_ui_end(), the program describes everything that is visible;
 * view_ui_draw() records it into the canvas's render pass. The function of an item that can be clicked or changed
 * returns true in the frame in which that happens. Equal labels in one window need view_ui_push_id(); the part of a
 * label after ## is not shown. Sizes are in points, which view_ui_scale() converts to pixels; positions on the canvas
 * are in pixels. For the main thread; one at a time. */
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

/* Draws in `pass`, with `slots` frames in flight and `scale` pixels per point. Errors: MEMORY, DEVICE_MEMORY,
 * UNSUPPORTED. */
enum shw_result view_ui_create(const struct view_gpu *gpu, VkRenderPass pass, uint32_t slots, float scale,
                               struct view_ui **ui);
/* Recorded commands must have finished. Sets *ui to NULL; accepts NULL. */
void view_ui_destroy(struct view_ui **ui);

float view_ui_scale(const struct view_ui *ui);

/* Begins a frame, `seconds` after the previous one. */
void view_ui_begin(struct view_ui *ui, VkExtent2D canvas, double seconds);
void view_ui_end(struct view_ui *ui);
/* In the render pass, once after each view_ui_end(). */
void view_ui_draw(struct view_ui *ui, VkCommandBuffer commands);
/* Whether input is still queued, so that more frames are needed. */
bool view_ui_pending(const struct view_ui *ui);
/* Whether the last frame measured new tables or windows, which therefore look different in the next. */
bool view_ui_is_settling(const struct view_ui *ui);
/* Whether some of the input may give the focus to a text field, or take it from one. */
bool view_ui_may_change_focus(const struct view_ui *ui);

/* Mouse and key input. A click within one frame is not lost: the following input is delayed to the next frame. Names of
 * keys: Tab, Left, Right, Up, Down, Home, End, Insert, Delete, Backspace, Enter, Escape, and with
 * Ctrl held A, C, V, X, Y, Z. */
void view_ui_move(struct view_ui *ui, float x, float y);
/* 0 left, 1 right, 2 middle, while those modifiers are held */
void view_ui_press(struct view_ui *ui, unsigned button, bool down, bool control, bool shift);
void view_ui_wheel(struct view_ui *ui, float notches);
bool view_ui_key(struct view_ui *ui, const char *name, bool control, bool shift);
void view_ui_character(struct view_ui *ui, uint32_t codepoint);

/* Whether a panel is at that position, or a sheet covers the whole canvas. */
bool view_ui_is_at(const struct view_ui *ui, float x, float y);
/* Finds the centre of the first visible item with that label, or with that part after ##, among those described between
 * the two calls. */
void view_ui_find_begin(const char *label);
bool view_ui_find_end(float *x, float *y);
/* For cutting, copying and pasting text; without it, within the panels only. The result of `get` is valid until its
 * next call. */
struct view_ui_clipboard {
    void *user;
    const char *(*get)(void *user);
    void (*set)(void *user, const char *text);
};
void view_ui_set_clipboard(struct view_ui *ui, const struct view_ui_clipboard *clipboard);
/* The shape of the cursor over the panels. */
enum view_ui_cursor { VIEW_UI_ARROW, VIEW_UI_TEXT, VIEW_UI_SIDEWAYS };
enum view_ui_cursor view_ui_cursor(const struct view_ui *ui);
/* Draws the pointer, which nobody else does without a window. */
void view_ui_show_pointer(struct view_ui *ui, bool shown);
/* Whether a text field has the focus. */
bool view_ui_wants_text(const struct view_ui *ui);
/* Whether a list to choose from, or a palette, has been opened; closes it. */
bool view_ui_has_list(const struct view_ui *ui);
void view_ui_close_list(struct view_ui *ui);
/* Up, Down, Home and End mark a row of a combo's list that is open, and Enter chooses it; others do nothing. */
void view_ui_list_key(const char *key);

/* A window at a fixed position, in pixels; height 0: that of its contents. Always call end. */
enum view_ui_window {
    VIEW_UI_COLUMN, /* beside the picture, scrolls; the program must paint VIEW_UI_BACKGROUND below */
    VIEW_UI_COVER,  /* over the picture, scrolls */
    VIEW_UI_NOTE,   /* over the picture; ignores the mouse */
    VIEW_UI_BAR     /* at an edge of the canvas; does not scroll */
};
void view_ui_window_begin(enum view_ui_window kind, const char *title, float x, float y, float width, float height,
                          float opacity);
void view_ui_window_end(void);
/* Its height in the last frame, in pixels; 0: it was not shown. */
float view_ui_window_height(const char *title);

/* A vertical edge from `top` down to `bottom` that can be dragged. True while that moves it: to *x, or to its usual
 * place if *x is negative, after a double click. In pixels. */
bool view_ui_edge(const char *title, float top, float bottom, float *x);

/* A modal window with a title in the middle of the darkened canvas. It is shown while every frame describes it; *open
 * becomes false when it should be closed. Call end if it returns true. Sizes in pixels. */
bool view_ui_sheet_begin(const char *title, float width, float height, bool *open);
void view_ui_sheet_end(void);

/* A part of a window with a title that expands and collapses it; at the end of the title, buttons that ask for
 * something. Call end only if it is open. */
enum view_ui_request { VIEW_UI_NO_REQUEST, VIEW_UI_OTHER_SIDE, VIEW_UI_CLOSE };
bool view_ui_panel_begin(const char *title, bool *open, enum view_ui_request *request);
void view_ui_panel_end(void);

/* Icons are of a font that is found at run time; without it, words take their places. The word is the item's label. */
enum view_ui_glyph {
    VIEW_ICON_NONE,
    VIEW_ICON_OPEN,
    VIEW_ICON_SAVE,
    VIEW_ICON_BACK,
    VIEW_ICON_NEXT,
    VIEW_ICON_UNDO,
    VIEW_ICON_REDO,
    VIEW_ICON_MOVE,
    VIEW_ICON_BRUSH,
    VIEW_ICON_ERASER,
    VIEW_ICON_FILL,
    VIEW_ICON_LASSO,
    VIEW_ICON_POLYGON,
    VIEW_ICON_WAND,
    VIEW_ICON_RECTANGLE,
    VIEW_ICON_PICTURE,
    VIEW_ICON_CLASSES,
    VIEW_ICON_HEAT,
    VIEW_ICON_BLEND,
    VIEW_ICON_UNCERTAIN,
    VIEW_ICON_TRUTH,
    VIEW_ICON_ERRORS,
    VIEW_ICON_DEPTH,
    VIEW_ICON_SMOOTH,
    VIEW_ICON_CONTOURS,
    VIEW_ICON_STROKES,
    VIEW_ICON_FIT,
    VIEW_ICON_PIXELS,
    VIEW_ICON_LEFT_COLUMN,
    VIEW_ICON_RIGHT_COLUMN,
    VIEW_ICON_OTHER_SIDE,
    VIEW_ICON_CLOSE,
    VIEW_ICON_SCREEN,
    VIEW_ICON_LOCK,
    VIEW_ICON_DELETE,
    VIEW_ICON_COUNT
};
#define VIEW_UI_ICON 24.0f /* points, its side */
bool view_ui_has_icons(void);
/* Words even if there is the font. For all windows. */
void view_ui_show_words(bool shown);
float view_ui_icon_width(const char *word);
bool view_ui_icon(enum view_ui_glyph glyph, const char *word, bool chosen, bool possible, const char *help);

/* In a bar: the next item stays on this line if it has room for that width; a vertical line; a square of a colour. */
void view_ui_flow(float width, float gap);
void view_ui_bar_line(void);
void view_ui_gap(float width);
/* Sliders between the two are as high as icons. */
void view_ui_bar_frames_begin(void);
void view_ui_bar_frames_end(void);
void view_ui_dot(const uint8_t colour[3]);

/* The menu bar at the top of the canvas, `height` in pixels. Call an end only if its begin returns true. `key` may be
 * NULL. */
bool view_ui_menus_begin(float height);
void view_ui_menus_end(void);
bool view_ui_menu_begin(const char *label);
void view_ui_menu_end(void);
bool view_ui_menu_item(const char *label, const char *key, bool chosen, bool possible);

/* Text as with printf(); dim: less prominent; dim and wrapped: over several lines. */
void view_ui_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
void view_ui_dim_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
void view_ui_wrapped_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
void view_ui_coloured_text(const uint8_t colour[3], const char *format, ...) __attribute__((format(printf, 2, 3)));
void view_ui_heading(const char *text);
/* A name on one line: shortened in its middle if it is too long. `help` is its tooltip; NULL: all of the name, if it is
 * shortened. */
void view_ui_name(const char *name, const char *help);
/* The same with a width in points; marked: as something to look at. */
void view_ui_short_text(const char *text, float width);
void view_ui_marked_text(const char *text, float width);
/* The width of a text on one line, in points. */
float view_ui_text_width(const char *text);

void view_ui_separator(void);
void view_ui_space(void);
/* The next item stays on this line; `at` is in points from the window's left edge, 0: after the last item. */
void view_ui_same_line(float at);
/* The same with a gap of so many points. */
void view_ui_same_line_after(float gap);
/* The remaining width of the line, in points. */
float view_ui_width(void);
/* Width of the next slider, combo or field; negative: leaves that much free on its right, for its label. */
void view_ui_next_width(float width);

bool view_ui_button(const char *label);
/* Width in points; 0: that of its label. A chosen one is marked. */
bool view_ui_wide_button(const char *label, float width, bool chosen);
bool view_ui_toggle(const char *label, bool *state);
/* A row of a list. */
bool view_ui_row(const char *label, bool chosen);
bool view_ui_combo(const char *label, uint32_t *chosen, const char *const *names, uint32_t count);
/* `format` is for the number; NULL: "%d" and "%.2f". After Ctrl+click the number is entered: up to `most`, which may be
 * more than the slider has. */
bool view_ui_int_slider(const char *label, int *value, int low, int high, int most, const char *format);
bool view_ui_float_slider(const char *label, float *value, float low, float high, const char *format);
bool view_ui_colour(const char *label, uint8_t colour[3]);
/* A square of that colour, which can be clicked; hollow unless `on`. */
bool view_ui_swatch(const char *label, const uint8_t colour[3], bool on);
/* True when Enter is pressed or, if `at_once`, at each change. `hint` (may be NULL) is shown while it is empty. */
bool view_ui_text_field(const char *label, char *text, size_t size, const char *hint, bool at_once);
/* Whether the last text field has the focus, and whether it has just been left with Enter. */
bool view_ui_has_focus(void);
bool view_ui_entered(void);
/* If *wanted, scrolls to the next text field, gives it the focus, with its text selected, and resets *wanted once it
 * has it: call it in every frame. Not while a sheet lies over the field. */
void view_ui_focus(bool *wanted);

void view_ui_progress(float fraction, const char *text);
/* A bar of a chart: a name, a bar with that fraction of the remaining width, and a value after it, which may be NULL.
 */
void view_ui_bar(const char *label, float fraction, const uint8_t colour[3], const char *value);
/* A scale of equidistant colours, with labels for its ends. */
void view_ui_ramp(const uint8_t (*colours)[3], uint32_t count, const char *low, const char *high);
/* A curve of values in a ring, `first` being the oldest; low < high; height in points. */
void view_ui_plot(const char *label, const float *values, uint32_t count, uint32_t first, float low, float high,
                  float height);

/* Tooltip of the last item: beside a column, otherwise below it, so that it does not cover what is around the item. */
void view_ui_tooltip(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Tooltips are shown when the mouse has rested on their item for so long, at first at once, as scripts expect. */
void view_ui_delay_tooltips(double seconds);
/* In how many seconds one is to be shown; HUGE_VAL: none. */
double view_ui_tooltip_due(void);
/* Whether the click that the last item has reported was a double click. */
bool view_ui_double_clicked(void);

/* A line that expands and collapses what is below it. Call end only if it is open. */
bool view_ui_tree_begin(const char *label, bool open_at_first);
void view_ui_tree_end(void);

/* A table, `height` points high (0: that of its rows), with a header row unless `headers` is NULL. Call end only if it
 * returns true. */
bool view_ui_table_begin(const char *label, uint32_t columns, const char *const *headers, float height);
/* A table of numbers, none of which is wider than `widest`, whose first column has names; that has the rest of the
 * width and stays where it is if the others have to be scrolled. Headers as above. */
bool view_ui_matrix_begin(const char *label, uint32_t columns, const char *const *headers, uint32_t rows,
                          const char *widest);
/* A table of two columns without lines; the first is as wide as key names are. */
bool view_ui_key_table_begin(const char *label);
void view_ui_table_row(void);
void view_ui_table_cell(void); /* begins the next cell */
void view_ui_table_end(void);

/* One of `count` columns side by side that scroll. */
void view_ui_column_begin(uint32_t number, uint32_t count);
void view_ui_column_end(void);

/* A part that scrolls, `height` points high. Call end in any case. */
void view_ui_list_begin(const char *label, float height);
void view_ui_list_end(void);

/* A table of many rows that scrolls, of which only visible ones are requested, under a row of titles that stays. */
struct view_ui_rows {
    const char *label;
    uint32_t columns;
    const char *const *titles;
    const char *const *widest; /* what has to fit into a column; NULL for the first, which has the rest */
    float height;              /* points; less if there are few rows */
    uint32_t count;
    uint32_t show; /* row to scroll to, from the next frame on, if it is not visible; UINT32_MAX: none */
    void (*row)(void *user, uint32_t row);
    void *user;
};
void view_ui_rows(const struct view_ui_rows *rows);
/* In a row: a swatch, the name, and below it a bar of that fraction of the column's width; negative: none. Tells what
 * was clicked. */
enum view_ui_row_click { VIEW_UI_NOT_CLICKED, VIEW_UI_SWATCH_CLICKED, VIEW_UI_ROW_CLICKED };
enum view_ui_row_click view_ui_named_row(const char *name, bool chosen, bool on, const uint8_t colour[3],
                                         float fraction, const char *swatch_help, const char *help);
/* In a row: the next column, with text at its right. */
void view_ui_row_value(const char *text);
void view_ui_row_dim_value(const char *text);

/* Scrolls the window so that the next item is at its top, as far as it can. */
void view_ui_scroll_here(void);

/* Where the next item begins, in points from the top of the window's contents. */
float view_ui_height_used(void);

/* A list of many rows, of which only visible ones are requested. Returns the row that was clicked, otherwise
 * UINT32_MAX. Scrolls to the chosen one when it changes; `chosen` UINT32_MAX: none. */
uint32_t view_ui_long_list(const char *label, float height, uint32_t count, uint32_t chosen,
                           const char *(*name)(void *user, uint32_t index), void *user);
/* The same of rows with a small picture, a name, and below it what is known of it, with marks. */

#define VIEW_UI_DOTS_MAX 8u
struct view_ui_list_row {
    const char *name;
    char value[64];
    char count[12];                    /* at the end, after the dots */
    uint8_t dots[VIEW_UI_DOTS_MAX][3]; /* colours */
    uint32_t dot_count;
    const uint8_t (*picture)[3]; /* NULL: none yet */
    uint32_t width, height;      /* of it, in its pixels */
};

#define VIEW_UI_MARKED_ROW 34.0f /* points */
uint32_t view_ui_marked_list(const char *label, float height, uint32_t count, uint32_t chosen,
                             void (*describe)(void *user, uint32_t index, struct view_ui_list_row *row), void *user);
/* Whether the last such list that was shown is at that position. */
bool view_ui_list_is_at(float x, float y);

/* Items that cannot be changed now. */
void view_ui_disabled_begin(bool disabled);
void view_ui_disabled_end(void);

void view_ui_push_id(uint32_t id);
void view_ui_pop_id(void);

/* The page of an empty window, in pixels; its contents are at most `most` points wide, in the middle, and as wide as
 * view_ui_page_width() says, in points. */
void view_ui_page_begin(const char *title, float x, float y, float width, float height, float most);
void view_ui_page_end(void);
float view_ui_page_width(void);
/* A large line of text, and a large button with a line below its label, or none (NULL); width in points, a chosen one
 * is marked. */
void view_ui_title(const char *text);
bool view_ui_offer(const char *label, const char *help, float width, bool chosen);

/* A card that opens something, with a cross that removes it. */
enum view_ui_symbol { VIEW_UI_SYMBOL_PICTURE, VIEW_UI_SYMBOL_FOREST, VIEW_UI_SYMBOL_FRAMES, VIEW_UI_SYMBOL_CAMERA };
struct view_ui_card {
    const char *name, *place, *note; /* its three lines */
    const char *help;                /* its tooltip */
    const char *remove;              /* the label of its cross, for scripts */
    const uint8_t *rgb;              /* width * height; NULL: the symbol is drawn */
    uint32_t width, height;
    enum view_ui_symbol symbol;
    bool missing; /* cannot be opened */
};
enum view_ui_card_click { VIEW_UI_CARD_LEFT, VIEW_UI_CARD_OPENED, VIEW_UI_CARD_REMOVED };
enum view_ui_card_click view_ui_card(const struct view_ui_card *card, float width);
/* The height of a card of that width, in points. */
float view_ui_card_height(float width);

/* Over the picture, below the panels, within the area given to view_ui_canvas_clip() (default: anywhere), in pixels.
 * Opacity 0..1. */
void view_ui_canvas_clip(float x, float y, float width, float height);
/* A line through points, x and y. */
void view_ui_canvas_path(const float (*points)[2], uint32_t count, const uint8_t colour[3], float opacity, float width);
/* A line, and the outline of a circle. */
void view_ui_canvas_line(float x0, float y0, float x1, float y1, const uint8_t colour[3], float opacity, float width);
void view_ui_canvas_circle(float x, float y, float radius, const uint8_t colour[3], float opacity, float width);

/* A text on a background, with its lower left corner at a place. */
void view_ui_canvas_text(float x, float y, const char *text, const uint8_t colour[3], const uint8_t background[3]);

#ifdef __cplusplus
}
#endif

#endif
