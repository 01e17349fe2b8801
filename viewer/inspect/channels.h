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
    struct shw_channel_reader *reader; /* or NULL: not needed until now */
    enum shw_channel_set set;          /* the reader's */
    uint64_t picture;                  /* that the reader has, by the scene's count */
    uint32_t chosen;                   /* channel; may be too large for the set */
    enum view_levels levels;
    int64_t low, high; /* that are black and white: given ones, or what was found for the plane that is shown */
    struct view_plane plane;
    bool stale;                    /* the plane is not the chosen one */
    uint64_t made_picture;         /* that it is of, by the scene's count, */
    uint32_t made_mode;            /* and the overlay */
    enum shw_channel_set made_set; /* and the set */
};

void view_channels_destroy(const struct view_gpu *gpu, struct view_channels *channels);

/* The channel set to show: the forest's, or all channels. */
enum shw_channel_set view_channels_set(const struct view_scene *scene);

/* The reader of the shown picture. Errors: MEMORY; NULL then. */
enum shw_result view_channels_reader(struct view_channels *channels, const struct view_scene *scene,
                                     struct shw_channel_reader **reader);

/* Before a frame: updates the plane that the overlay shows, if needed. Failures have been logged, and leave
 * the picture. */
void view_channels_update(struct view_channels *channels, const struct view_scene *scene);

#endif
