/* Channels of the picture, their integral images, and the depth image, as grey images that the overlay shows instead
 * of the picture. */
#ifndef VIEW_INSPECT_CHANNELS_H
#define VIEW_INSPECT_CHANNELS_H

#include <shadewood/explain.h>
#include <shadewood/label.h>

#include "label/scene.h"
#include "label/shown.h"

struct view_plane {
    struct view_image image; /* R8_UINT */
    struct view_buffer staging[VIEW_SLOTS];
    uint8_t *pixels; /* of the image's extent, without padding */
    bool upload;     /* the image has not received them yet */
    bool filled;     /* the pixels are on the device or will be uploaded with the next frame */
};

/* Uploads the pixels if necessary; returns whether it did. The slot's last frame must have finished. */
bool view_plane_upload(struct view_plane *plane, VkCommandBuffer commands, uint32_t slot);

/* A channel, or its integral image, at the pixels of a part of a large picture, computed band by band, so that no frame
 * takes long. For the main thread. */
struct view_sampled {
    struct shw_part part; /* width 0: none */
    int16_t *channel;     /* [part] */
    uint32_t *integral;   /* [part]: sums over each pixel and all to the left of it and above; NULL: not wanted */
    uint32_t rows;        /* of the part, complete so far */
    uint32_t *sums;       /* for integral images: those of the last row, of the whole width of the picture */
};

/* Which values are black and white. */
enum view_levels {
    VIEW_LEVELS_AUTO, /* from the plane: 0 and its maximum or, with negative values, plus and minus its largest
                         magnitude */
    VIEW_LEVELS_FULL, /* from the range of the channel, likewise; for integral images as AUTO */
    VIEW_LEVELS_GIVEN
};

struct view_channels {
    struct shw_channel_reader *reader; /* NULL until needed */
    struct shw_channel_list list;      /* of the reader, its kinds of texts held */
    enum shw_fill fill;                /* of the reader */
    uint64_t below;                    /* hash of its level below; 0: there is none */
    uint64_t picture;                  /* of the reader, as the scene's count */
    uint32_t chosen;                   /* number of the channel; may be too large for the list */
    enum view_levels levels;
    int64_t low, high; /* black and white: as given, or as found for the shown plane */
    struct view_plane planes[VIEW_LAYERS];
    struct shw_part parts[VIEW_LAYERS];       /* of the planes, where the picture is large */
    struct view_sampled sampled[VIEW_LAYERS]; /* and what they are made from */
    bool pending;                             /* frames are needed to complete them */
    bool stale;                               /* the plane is out of date */
    uint64_t made_picture;                    /* picture of the plane, as the scene's count, */
    uint32_t made_mode;                       /* its overlay mode */
    struct shw_channel_list made_list;        /* its list, likewise */
    enum shw_fill made_fill;                  /* and how depth was filled for it */
};

void view_channels_destroy(const struct view_gpu *gpu, struct view_channels *channels);

/* The channels to show: the project's if some are its own, or the forest's, or SHW_CHANNELS_WIDE. Valid until these
 * change. */
const struct shw_channel_list *view_channels_list(const struct view_scene *scene);

/* The reader of those channels of the shown picture. Errors: MEMORY; NULL then. */
enum shw_result view_channels_reader(struct view_channels *channels, const struct view_scene *scene,
                                     const struct shw_channel_list *list, struct shw_channel_reader **reader);

/* Before a frame: updates the plane that the overlay shows if needed. After a failure, which has been logged, the
 * picture is shown. */
void view_channels_update(struct view_channels *channels, const struct view_scene *scene);

#endif
