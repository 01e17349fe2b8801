/* What a server knows of a client's project, and how it learns the rest. */
#ifndef SHW_FILES_SERVE_SYNC_H
#define SHW_FILES_SERVE_SYNC_H

#include "files/project/training_set.h"
#include "files/serve/link.h"
#include "files/serve/pack.h"
#include "files/serve/squares.h"

/* A picture that the server knows. */
struct synced_picture {
    char *name;
    uint32_t number, width, height, generation;
    bool kept;
    bool wanted;                       /* by the set that is being sent */
    bool told;                         /* the server knows of it */
    bool doubtful;                     /* but perhaps not all */
    struct shw_picture_labels *labels; /* shares; NULL: none were sent */
    struct shw_pixels *pixels;
};

/* Zero-initialised: the server knows nothing. */
struct shw_sync {
    struct shw_pack settings;        /* that were sent */
    struct synced_picture *pictures; /* in the order of their names */
    uint32_t count, capacity;
    uint32_t generation;     /* of pixels, so far */
    struct shw_squares sent; /* squares, without pixels */
    struct shw_pixels *read; /* the picture that `whole` is of, a share */
    struct shw_pixels_part *whole;
};

/* Sends what has changed. Errors: those of shw_link_send(), MEMORY. */
enum shw_result shw_sync_send(struct shw_sync *sync, struct shw_link *link, const struct shw_training_set *set,
                              const struct shw_patience *patience);

/* Answers a WANT of a request. Errors: those of shw_link_send(), of reading the picture; FORMAT (the server asks for
 * what there is not). */
enum shw_result shw_sync_answer(struct shw_sync *sync, struct shw_link *link, const struct shw_message *want,
                                const struct shw_log *log, const struct shw_patience *patience);

void shw_sync_free(struct shw_sync *sync);

#endif
