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

/* What was opened: actions, the most recent first. */
struct view_settings_recent {
    char *lines[VIEW_RECENTS];
    int64_t times[VIEW_RECENTS]; /* in seconds since 1970; 0: unknown */
    uint32_t count;
};

struct view_settings {
    char *path;                        /* NULL: nothing is stored */
    char *written;                     /* the text that was written last, or could not be; NULL: none */
    bool readable;                     /* there was such a file */
    bool failed;                       /* it could not be, which has been reported */
    struct view_settings_recent known; /* the recent lines of the file when it was read or written last */
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
    char trainer[VIEW_AWAY_COMMAND]; /* the command of the last trainer on another machine; or "" */
    bool words;                      /* in the toolbar, instead of icons */
    float scale;                     /* of text and panels, as chosen; 0: that of the display */
};

/* Reads the file if there is one; `path` NULL: the default file. Warns about a file of another kind. Saving then
 * replaces it only if it is the default file; a file of a later version is never replaced. Errors: MEMORY. */
enum shw_result view_settings_load(const char *path, const struct shw_log *log, struct view_settings *settings);

/* Replaces the file atomically if the settings have changed since it was written. What other programs have opened since
 * then is added to the recent lines, and what they removed is removed. Does nothing without a path. Errors, logged
 * once: IO, MEMORY. */
enum shw_result view_settings_save(struct view_settings *settings, const struct shw_log *log);

/* Accepts zero-initialised and freed ones. */
void view_settings_free(struct view_settings *settings);

/* Records an action that opened something; other actions are ignored. Paths become absolute. */
void view_settings_opened(struct view_settings *settings, const char *action, const char *argument);

/* Removes one of the recent lines. */
void view_settings_forget(struct view_settings *settings, uint32_t number);

#endif
