/* Small pictures of what was opened before, for the page of a window in which nothing is open: made in the background,
 * and kept as PNG files in a cache. For the main thread. */
#ifndef VIEW_SOURCE_OPENED_H
#define VIEW_SOURCE_OPENED_H

#include <stdbool.h>
#include <stdint.h>

#include "job/job.h"

#define VIEW_OPENED_MOST   12u
#define VIEW_OPENED_WIDTH  144u /* at most */
#define VIEW_OPENED_HEIGHT 96u
#define VIEW_OPENED_KEPT   64u /* files of the cache, each of at most 48 KB; those not used for longest go */

enum view_recent_kind {
    VIEW_RECENT_PICTURE,
    VIEW_RECENT_FOLDER,
    VIEW_RECENT_DATASET,
    VIEW_RECENT_VIDEO,
    VIEW_RECENT_CAMERA,
    VIEW_RECENT_PROJECT,
    VIEW_RECENT_FOREST,
    VIEW_RECENT_CASCADE,
    VIEW_RECENT_RECTANGLES,
    VIEW_RECENT_KINDS
};

struct view_opened_item {
    char *line; /* the action that opened it: "open FILE", "project FILE", ... */
    enum view_recent_kind kind;
    bool known;   /* its file has been looked for, */
    bool missing; /* and was not there */
    uint8_t *rgb; /* width * height; NULL: there is no picture of it, or not yet */
    uint32_t width, height;
};

/* Zero-initialised, except for the folder: empty. */
struct view_opened {
    char *folder; /* of the cache, owned; NULL: nothing is kept */
    struct view_opened_item items[VIEW_OPENED_MOST];
    uint32_t count;
    bool stale;                                     /* files are to be looked at anew */
    bool started;                                   /* there is a job */
    struct view_job job;                            /* which works on these, one after another, under its lock: */
    struct view_opened_item made[VIEW_OPENED_MOST]; /* those before `done` are complete, those before `taken` moved */
    uint32_t made_count, done, taken;
};

/* The usual folder: shadewood/thumbnails in $XDG_CACHE_HOME or ~/.cache, to be freed; NULL: there is none. */
char *view_opened_usual_folder(void);

/* Begins what is missing of the list, and takes what has been made. Returns whether something has changed. */
bool view_opened_poll(struct view_opened *opened, char *const *lines, uint32_t count, const struct shw_log *log);

/* Whether all of the list that was polled for is known. */
bool view_opened_are_complete(const struct view_opened *opened);

/* Stops the work. Accepts zero-initialised ones. */
void view_opened_free(struct view_opened *opened);

/* The path in a line, without the prefix of a data set or camera. */
const char *view_recent_path(const char *line);

#endif
