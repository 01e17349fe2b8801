/* Films: the window's contents as a video, with the pointer, for scripts without a display; what shows how something is
 * done is made with them. Their time is the frames that a script waits for by number, thirty of sixty a second: what
 * else it waits for, as training, takes no time in them. So a film has the same length on every machine.
 *
 * For the main thread. */
#ifndef VIEW_SHELL_FILM_H
#define VIEW_SHELL_FILM_H

#include <stdbool.h>
#include <stdint.h>

#include "files/video/video_write.h"

struct view_app;

struct view_film {
    struct shw_video_file *file; /* NULL: there is none */
    char *path;
    uint64_t frames; /* that a script has waited for since the beginning */
    struct {
        double from_x, from_y, to_x, to_y; /* pixels of the canvas */
        uint32_t frames, done;             /* equal: the pointer rests */
    } glide;
};

/* Renders a frame that a script waits for by number, moves the pointer before, and films it. Errors: those of
 * view_app_frame(), and those of the film, which then ends. */
enum shw_result view_film_frame(struct view_app *app);

/* Completes the film, if there is one; `app->said` tells of it. Errors: IO, MEMORY. */
enum shw_result view_film_end(struct view_app *app);

#endif
