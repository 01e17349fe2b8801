/* Small copies of the pictures of a source, made in the background when they are asked for; the latest are kept. For
 * the main thread, unless it says otherwise. */
#ifndef VIEW_SOURCE_THUMBNAILS_H
#define VIEW_SOURCE_THUMBNAILS_H

#include "source/source.h"

/* Pixels at most: a picture keeps its shape. */

#define VIEW_THUMBNAIL_WIDTH  40u
#define VIEW_THUMBNAIL_HEIGHT 30u

struct view_thumbnail {
    uint32_t width, height; /* 0 x 0: the picture cannot be read */
    uint8_t pixels[VIEW_THUMBNAIL_HEIGHT * VIEW_THUMBNAIL_WIDTH][3];
};

/* The largest size of a small copy, in pixels, that has the shape of a picture and fits into size[0] x size[1], which
 * it replaces; small pictures keep theirs. Any thread. */
void view_picture_fit(const struct view_picture *picture, uint32_t size[2]);

/* Makes that copy of a picture, as it is shown: width x height colours. Any thread. */
void view_picture_shrink(const struct view_picture *picture, const uint32_t size[2], uint8_t (*colours)[3]);

/* A small copy of a picture as it is shown. Any thread. */
void view_thumbnail_make(const struct view_picture *picture, struct view_thumbnail *thumbnail);

struct view_thumbnails; /* NULL: none yet */

/* The thumbnail of a picture of the player's source, valid until the next call of any function here; NULL: it is not
 * made yet, and is from now on wanted until the next view_thumbnails_poll(). Sources without numbered pictures, and
 * memory that is short, have none. */
const struct view_thumbnail *view_thumbnails_get(struct view_thumbnails **thumbnails, const struct view_player *player,
                                                 uint32_t entry);

/* Begins to make what has been asked for since the last call; true: there are new ones to be shown. */
bool view_thumbnails_poll(struct view_thumbnails *thumbnails);

/* Makes that of the picture that the player shows again if it is another one than it was: its file may have changed.
 * True: it was. Accepts NULL. */
bool view_thumbnails_renew(struct view_thumbnails *thumbnails, const struct view_player *player,
                           const struct view_picture *shown);

/* Whether some are being made. */
bool view_thumbnails_are_busy(const struct view_thumbnails *thumbnails);

/* Waits for the picture that is being read. Accepts NULL in *thumbnails. */
void view_thumbnails_free(struct view_thumbnails **thumbnails);

#endif
