/* The open source, and what is expected from it. For the main thread. */
#ifndef VIEW_SOURCE_PLAYER_H
#define VIEW_SOURCE_PLAYER_H

#include "source/source.h"

struct view_player {
    struct view_source *source; /* or NULL */
    bool every_picture;         /* of videos: the clock waits for frames, so that scripts see the same ones each time */
    struct shw_image_choice chosen; /* how image files are read, by the user or a project */
    bool recalled;                  /* by a forest that was trained so */
    struct view_other_inputs others;
    uint64_t opened;                    /* sources so far */
    uint64_t reported;                  /* the last one whose ignored channels were reported */
    struct shw_image_facts facts;       /* of the picture that came last */
    bool opening;                       /* no picture of the source has come yet */
    bool settle;                        /* a script waits for the source's answer */
    const struct view_actions *actions; /* to open other things than sources */
    struct shw_log log;                 /* used on the source's thread, too */
    struct {
        struct shw_intensity_range shown; /* in the fields */
        char low[40], high[40];
    } fields; /* text fields of the panel */
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

/* Reads image files by that choice from now on, also the picture that is shown. Errors: ARGUMENT. */
enum shw_result view_player_choose(struct view_player *player, const struct shw_image_choice *choice);
/* The choice, with the range that was found by the source if none is chosen. */
struct shw_image_choice view_player_get_choice(const struct view_player *player);

/* As view_source_info(); all zero without a source. */
struct view_source_info view_player_info(const struct view_player *player);

/* The classes of a data set; NULL for others. Valid until another source is open. */
const struct shw_class *view_player_classes(const struct view_player *player, uint32_t *count);

/* Actions, on a struct view_player. */
extern const struct view_action_group view_source_group, view_choice_group;

#endif
