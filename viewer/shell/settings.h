/* Settings that are kept between runs: a JSON file, $XDG_CONFIG_HOME/shadewood/viewer.json unless another one is named.
 * The file is not trusted: invalid values are ignored. For the main thread. */
#ifndef VIEW_SHELL_SETTINGS_H
#define VIEW_SHELL_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/log.h>

#include "export/export_settings.h"
#include "teach/teaching.h"
#include "ui/panel.h"

#define VIEW_SCALE_MIN         0.5
#define VIEW_SCALE_MAX         4.0
#define VIEW_RECENTS           12u
#define VIEW_SETTINGS_LINE     4096u /* bytes of a recent line, including its terminating zero */
#define VIEW_SETTINGS_SIDE_MAX 16384u

struct view_settings {
    char *path; /* NULL: nothing is stored */
    struct {
        int32_t x, y;
        uint32_t width, height; /* of the window; 0 x 0: unknown */
    } window;
    char *recent[VIEW_RECENTS];         /* actions that opened something: "open FILE", "forest FILE", "project FILE",
                                           "detect-open FILE", "rectangles FILE"; the most
                                           recent first */
    int64_t recent_times[VIEW_RECENTS]; /* when, in seconds since 1970; 0: unknown */
    uint32_t recent_count;
    struct view_export_folders exports;
    struct view_panel_state panels[VIEW_PANELS_MAX];
    uint32_t panel_count;
    bool panels_off;
    float columns[VIEW_SIDES]; /* widths in points, as chosen; 0: the usual ones */
    enum view_column_state column_states[VIEW_SIDES];
    struct view_size sizes[2]; /* of the brush and the eraser */
    bool sizes_known;
    bool colour_blind;
    bool words;  /* in the toolbar, instead of icons */
    float scale; /* of text and panels, as chosen; 0: that of the display */
};

/* Reads the file if there is one; `path` NULL: the default file. Warns about a file of another kind. Saving then
 * replaces it only if it is the default file; a file of a later version is never replaced. Errors: MEMORY. */
enum shw_result view_settings_load(const char *path, const struct shw_log *log, struct view_settings *settings);

/* Replaces the file atomically. Does nothing without a path. Errors, logged: IO, MEMORY. */
enum shw_result view_settings_save(const struct view_settings *settings, const struct shw_log *log);

/* Accepts zero-initialised and freed ones. */
void view_settings_free(struct view_settings *settings);

/* Records an action that opened something; other actions are ignored. Paths become absolute. */
void view_settings_opened(struct view_settings *settings, const char *action, const char *argument);

/* Removes one of the recent lines. */
void view_settings_forget(struct view_settings *settings, uint32_t number);

#endif
