/* The bars at the edges of the canvas: menus and tools above the picture, the status below it. They show what the parts
 * of the program say, and ask for actions. For the main thread. */
#ifndef VIEW_UI_BARS_H
#define VIEW_UI_BARS_H

#include "ui/panel.h"

struct view_annotating;
struct view_detecting;
struct view_tracking;
struct view_exporting;
struct view_importing;
struct view_inside;
struct view_learning;
struct view_objects;
struct view_panels;
struct view_recorder;
struct view_teaching;
struct view_under;

/* Borrowed. */
struct view_parts {
    struct view_scene *scene;
    const struct view_under *under; /* the mouse */
    struct view_teaching *teaching;
    const struct view_annotating *annotating;
    const struct view_detecting *detecting;
    const struct view_tracking *tracking;
    const struct view_exporting *exporting;
    const struct view_importing *importing;
    const struct view_inside *inside;
    struct view_learning *learning;
    const struct view_objects *objects;
    const struct view_recorder *recorder;
    const struct view_panels *panels;
};

/* What an entry of a menu or a tool needs to be of use. */

#define VIEW_NEEDS_PICTURE   1u
#define VIEW_NEEDS_PICTURES  2u /* several, or a video */
#define VIEW_NEEDS_FOREST    4u
#define VIEW_NEEDS_PROJECT   8u
#define VIEW_NEEDS_BOXES     16u /* ground-truth rectangles */
#define VIEW_NEEDS_RECORDING 32u /* in progress */
#define VIEW_NEEDS_COPIES    64u /* of unsaved work are kept */

bool view_parts_have(const struct view_parts *parts, unsigned needs);

/* Whether the line of an entry can do anything: it has what it needs, and an overlay has something to show. */
bool view_parts_can(const struct view_parts *parts, const char *line, unsigned needs);

/* Whether what a line would do or switch on is so already: an overlay, a tool, a panel. */
bool view_parts_are(const struct view_parts *parts, const char *line);

/* Menus. An entry runs its line; its key is the one that is registered for that. */

struct view_menu_entry {
    const char *label; /* NULL: a line between entries */
    const char *line;
    unsigned needs;
    bool (*chosen)(const struct view_parts *parts); /* NULL: view_parts_are() says it */
};

struct view_menu {
    const char *title;
    const struct view_menu_entry *entries; /* ends with one that has neither label nor line */
    bool panels;                           /* followed by the list of panels */
};
extern const struct view_menu view_menus[]; /* ends with one without title */

/* What the status bar says. */
struct view_status {
    char work[128];  /* what is being computed, or waits; "": nothing */
    char saved[300]; /* the project or the rectangles, and whether they are saved; "": neither is open */
    bool unsaved;
};
void view_status_tell(const struct view_parts *parts, struct view_status *status);

/* Heights in points. */

#define VIEW_MENUS_HEIGHT  20.0f
#define VIEW_STATUS_HEIGHT 20.0f
float view_toolbar_height(uint32_t rows);

/* Heights, widths and places in pixels. The toolbar returns how many rows its tools take. */
void view_menus_show(struct view_panel_context *context, const struct view_parts *parts, float height);
uint32_t view_toolbar_show(struct view_panel_context *context, const struct view_parts *parts, float top, float height);
void view_status_show(struct view_panel_context *context, const struct view_parts *parts, float top, float height);

#endif
