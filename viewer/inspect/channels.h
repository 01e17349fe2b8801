/* Channels of the picture and their integral images, and its depth image, as grey images. */
#ifndef VIEW_INSPECT_CHANNELS_H
#define VIEW_INSPECT_CHANNELS_H

#include <shadewood/explain.h>

#include "inspect/plane.h"
#include "label/scene.h"

/* Which values become black and white. */
enum view_levels {
    VIEW_LEVELS_AUTO, /* those of the plane: 0 and the largest, or where there are negative ones, the largest magnitude
                         both ways */
    VIEW_LEVELS_FULL, /* those that the channel could have, likewise; for integral images as AUTO */
    VIEW_LEVELS_GIVEN
};

struct view_channels {
    struct shw_channel_reader *reader;     /* or NULL: not needed until now */
    char list[SHW_CHANNEL_LIST_NAME_SIZE]; /* the reader's */
    uint64_t picture;                      /* that the reader has, by the scene's count */
    uint32_t chosen;                       /* channel; may be too large for the list */
    enum view_levels levels;
    int64_t low, high; /* that are black and white: given ones, or what was found for the plane that is shown */
    struct view_plane plane;
    bool stale;                                 /* the plane is not the chosen one */
    uint64_t made_picture;                      /* that it is of, by the scene's count, */
    uint32_t made_mode;                         /* and the overlay */
    char made_list[SHW_CHANNEL_LIST_NAME_SIZE]; /* and the list */
};

void view_channels_destroy(const struct view_gpu *gpu, struct view_channels *channels);

/* The channels that are looked at: the forest's, or SHW_CHANNELS_WIDE. Valid until the forest changes. */
const struct shw_channel_list *view_channels_list(const struct view_scene *scene);

/* The reader of the shown picture. Errors: MEMORY; NULL then. */
enum shw_result view_channels_reader(struct view_channels *channels, const struct view_scene *scene,
                                     struct shw_channel_reader **reader);

/* Before a frame: updates the plane that the overlay shows, if needed. Failures have been logged, and leave
 * the picture. */
void view_channels_update(struct view_channels *channels, const struct view_scene *scene);

#endif
