/* The open source, and what is expected from it. For the main thread. */
#ifndef VIEW_SOURCE_PLAYER_H
#define VIEW_SOURCE_PLAYER_H

#include "source/source.h"

struct view_player {
    struct view_source *source; /* or NULL */
    bool every_picture;         /* of videos: the clock waits for frames, so that scripts see the same ones each time */
    struct view_other_inputs others;
    uint64_t opened;                    /* sources so far */
    bool opening;                       /* no picture of the source has come yet */
    bool settle;                        /* a script waits for the source's answer */
    const struct view_actions *actions; /* to open other things than sources */
    struct shw_log log;                 /* used on the source's thread, too */
};

/* Opens a source, replacing the previous one: see view_source_params. Its pictures come from view_player_poll().
 * Errors: those of view_source_open(). */
enum shw_result view_player_open(struct view_player *player, const char *spec);

/* Takes the next picture if it is due, without waiting; the caller owns it. NULL: none. `now` is
 * in seconds. Errors: IO, while a script waits, for a source that turns out to have no picture. */
enum shw_result view_player_poll(struct view_player *player, double now, struct view_picture **picture);

/* Whether frames are to come with the previous frame from now on, also the one that is shown. Warns where pictures
 * are no frames. */
void view_player_want_previous(struct view_player *player, bool wanted);

/* As view_source_info(); all zero without a source. */
struct view_source_info view_player_info(const struct view_player *player);

/* The classes of a data set; NULL for others. Valid until another source is open. */
const struct shw_class *view_player_classes(const struct view_player *player, uint32_t *count);

/* Actions, on a struct view_player. */
extern const struct view_action_group view_source_group;

#endif
