/* What a client has sent of its project, and the training sets that are made of it. Everything comes from outside and
 * is checked. For one thread. */
#ifndef SHW_FILES_SERVE_SESSION_H
#define SHW_FILES_SERVE_SESSION_H

#include "files/project/training_set.h"
#include "files/serve/link.h"
#include "files/serve/squares.h"

#define SHW_SESSION_PICTURES_MAX SHW_PROJECT_PICTURES_MAX
#define SHW_SESSION_SIDE_MAX     ((uint32_t)SHW_STROKE_PLACE_MAX)

struct shw_session;

struct shw_session_params {
    uint64_t labels_max; /* bytes of labels, names and settings */
    uint64_t cache_max;  /* bytes of squares that are kept beyond their use */
    uint64_t pixels_max; /* bytes of pixels in use */
    bool trusts_code;
    struct shw_log log;
    /* Asks the client for squares of a picture, and gives each PIXELS and INPUTS to shw_session_take_pixels() until
     * that says that all have come. Errors: CANCELLED, IO. */
    enum shw_result (*fetch)(void *user, const void *want, size_t size);
    void *user;
};

enum shw_result shw_session_create(const struct shw_session_params *params, struct shw_session **session);

/* Training sets of it must have been destroyed. Accepts NULL and a pointer to NULL. */
void shw_session_destroy(struct shw_session **session);

/* Takes a message SETTINGS, PICTURE, STROKES, LABELS or FORGET. Errors, logged: FORMAT (it is not valid), LIMIT,
 * MEMORY. */
enum shw_result shw_session_take(struct shw_session *session, const struct shw_message *message);

/* Takes INPUTS or PIXELS while `fetch` runs; *complete: all that was wanted has come. Errors, logged: FORMAT, MEMORY.
 */
enum shw_result shw_session_take_pixels(struct shw_session *session, const struct shw_message *message, bool *complete);

/* The training set of what has come. Errors, logged: ARGUMENT (there are no settings, or code that is not trusted),
 * those of shw_training_set_build(). */
enum shw_result shw_session_make_set(struct shw_session *session, struct shw_training_set **set);

#endif
