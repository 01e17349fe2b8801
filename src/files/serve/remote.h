/* A trainer that is another program, usually on another machine (docs/serve.md): a command is started, and spoken with
 * through its standard input and output.
 *
 * Nothing here waits for the network except trainings, which ask meanwhile whether to go on. */
#ifndef SHW_FILES_SERVE_REMOTE_H
#define SHW_FILES_SERVE_REMOTE_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/log.h>

#include "files/project/teacher.h"

#define SHW_REMOTE_COMMAND_MAX 4095u /* bytes */
#define SHW_REMOTE_NAME_SIZE   128

struct shw_remote;

/* Starts the command (words as docs/serve.md says) and returns at once. `log` gets one error when the connection ends
 * in another way than by shw_remote_disconnect() and shw_remote_destroy(), from any thread, with the reason. Errors:
 * ARGUMENT (the command), IO (it cannot be started), MEMORY, UNSUPPORTED (on Windows, or where numbers are not
 * little-endian). */
enum shw_result shw_remote_connect(const char *command, const struct shw_log *log, struct shw_remote **remote);

/* Ends the connection and the command; no training may be in progress. The command has `seconds` to end by itself, and
 * as long again by SIGTERM. Accepts NULL and a pointer to NULL. */
void shw_remote_destroy(struct shw_remote **remote, double seconds);

/* Ends the connection, so that trainings in progress end soon. Any thread. */
void shw_remote_disconnect(struct shw_remote *remote);

/* Whether the connection has not ended; it may not have been answered yet. False for NULL. Any thread. */
bool shw_remote_is_connected(struct shw_remote *remote);

enum shw_remote_state {
    SHW_REMOTE_CONNECTING, /* no answer yet */
    SHW_REMOTE_READY,
    SHW_REMOTE_SENDING,  /* strokes and pixels */
    SHW_REMOTE_TRAINING, /* or measuring */
    SHW_REMOTE_ENDED
};

struct shw_remote_status {
    enum shw_remote_state state;
    char host[SHW_REMOTE_NAME_SIZE], trainer[SHW_REMOTE_NAME_SIZE]; /* "" until it has answered */
    uint64_t sent, received;                                        /* bytes */
    uint64_t requests;                                              /* so far */
    double seconds; /* since the request in progress began; 0: none is */
};

/* Any thread. */
void shw_remote_get_status(struct shw_remote *remote, struct shw_remote_status *status);

/* The trainer; no destroy. Errors of its functions: also IO after the end of the connection, which has been logged;
 * FORMAT (an answer is not valid). NULL has one that must not be used. */
struct shw_teacher shw_remote_teacher(struct shw_remote *remote);

/* shw_teacher_interrupt() of it. */
void shw_remote_interrupt(struct shw_remote *remote);

#endif
