/* Pictures of files that were read, for when they are wanted again soon: going back and forth in a folder does not
 * wait. For one thread at a time. */
#ifndef VIEW_SOURCE_RECENT_H
#define VIEW_SOURCE_RECENT_H

#include <sys/types.h>
#include <time.h>

#include "source/picture.h"

#define VIEW_RECENT_PICTURES 4u
#define VIEW_RECENT_BYTES    ((size_t)256 << 20) /* a picture of more than half of the limit is not kept */

struct view_recent_picture {
    struct view_picture *picture; /* NULL: none */
    uint32_t index;
    struct { /* its file's, when it was read */
        dev_t device;
        ino_t number;
        off_t size;
        struct timespec changed;
    } stamp;
    size_t bytes;
    uint64_t used; /* when, as a number that increases */
};

/* Zero, except for the limit, is empty. */
struct view_recent {
    size_t limit; /* bytes of pixels: VIEW_RECENT_BYTES */
    struct view_recent_picture pictures[VIEW_RECENT_PICTURES];
    uint64_t uses;
};

/* A copy of a picture that was read by that choice, unless its file has changed since; NULL: it must be read. */
struct view_picture *view_recent_find(struct view_recent *recent, uint32_t index,
                                      const struct shw_image_choice *choice);

/* Keeps a copy, if there is memory, in place of those not used for longest. */
void view_recent_keep(struct view_recent *recent, uint32_t index, const struct view_picture *picture);

void view_recent_free(struct view_recent *recent);

#endif
