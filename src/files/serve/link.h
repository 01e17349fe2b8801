/* One side of a connection: two threads, one of which reads messages and checks them while the other writes, so that
 * nobody else ever waits for the peer longer than he wants.
 *
 * The connection ends for good when the peer closes it or is silent for too long, when a message is not valid, and by
 * shw_link_end(); the reason is kept. */
#ifndef SHW_FILES_SERVE_LINK_H
#define SHW_FILES_SERVE_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/log.h>

#include "files/serve/message.h"

#define SHW_LINK_ALIVE_SECONDS  5.0  /* after which something is sent */
#define SHW_LINK_SILENT_SECONDS 30.0 /* after which a silent peer is gone */
/* The same before its greeting, since people may have to type a password. */
#define SHW_LINK_GREETING_SECONDS 120.0
#define SHW_LINK_WHY_SIZE         400

struct shw_link;

struct shw_message {
    struct shw_message *next;
    enum shw_message_type type;
    uint32_t request, length;
    uint8_t *contents;
};
void shw_message_free(struct shw_message **message);

struct shw_link_params {
    int in, out; /* descriptors, which do not block from now on; not closed */
    enum shw_side side;
    double alive, silent; /* seconds; 0: those above */
    /* A message that has arrived, on the reading thread; true: it needs nothing else, and is not received. Or NULL. */
    bool (*arrived)(void *user, const struct shw_message *message);
    void (*ended)(void *user); /* the same thread; or NULL */
    void *user;
};

/* Greets the peer. *link is set before the first callback, and NULL again after the last. Errors: MEMORY. */
enum shw_result shw_link_create(const struct shw_link_params *params, struct shw_link **link);

/* Ends the connection; `why` is the reason unless there is one. NULL: this side wants no more. What was sent before is
 * still written, for `seconds` at most. Any thread. */
void shw_link_end(struct shw_link *link, const char *why, double seconds);

/* Ends it; what was sent before is still written, for `seconds` at most. Accepts NULL and a pointer to NULL. */
void shw_link_destroy(struct shw_link **link, double seconds);

/* Whether it has not ended, and whether the peer has greeted. Any thread. */
bool shw_link_is_open(struct shw_link *link);
bool shw_link_is_greeted(struct shw_link *link);

/* Whether the peer has ended it, where a message could begin. */
bool shw_link_is_finished(struct shw_link *link);

/* The reason for its end, "" without one. */
void shw_link_why(struct shw_link *link, char why[SHW_LINK_WHY_SIZE]);

/* Sends a copy of the contents. Waits while much is not written yet, as long as go_on(user), which is asked every few
 * milliseconds. `first`: before all that waits. Errors: IO (the connection has ended), CANCELLED, MEMORY. Any thread.
 */
struct shw_patience {
    bool (*go_on)(void *user); /* NULL: without an end */
    void *user;
};
enum shw_result shw_link_send(struct shw_link *link, enum shw_message_type type, uint32_t request, const void *contents,
                              size_t length, bool first, const struct shw_patience *patience);

/* The next message that has arrived, to be freed; NULL: none within `seconds`. Once the connection has ended, what has
 * arrived before comes first; then IO. One thread. */
enum shw_result shw_link_receive(struct shw_link *link, double seconds, struct shw_message **message);

/* Makes it the next one again; takes it. */
void shw_link_return(struct shw_link *link, struct shw_message *message);

/* Makes shw_link_receive() and shw_link_send() return early, or ask. Any thread. */
void shw_link_wake(struct shw_link *link);

/* Bytes sent and received so far. Any thread. */
void shw_link_count(struct shw_link *link, uint64_t *sent, uint64_t *received);

#endif
