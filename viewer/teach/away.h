/* A trainer on another machine: the connection, and what is said about it.
 *
 * For the main thread. Only connecting and disconnecting wait, until the command of the connection before has ended: a
 * moment, or some seconds if it hangs. */
#ifndef VIEW_TEACH_AWAY_H
#define VIEW_TEACH_AWAY_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/log.h>

#include "files/serve/remote.h"

#define VIEW_AWAY_COMMAND  1024u /* bytes of a command, with its end */
#define VIEW_AWAY_PATIENCE 0.1   /* seconds that a command has to end, and again by SIGTERM */

struct view_away {
    struct shw_remote *remote;       /* NULL: never connected, or disconnected */
    char command[VIEW_AWAY_COMMAND]; /* of the last connection, or as settings remember it; "" without one */
    char field[VIEW_AWAY_COMMAND];   /* text field of the panel */
    bool filled;                     /* the field has been given the command */
    enum shw_remote_state shown;     /* when a frame was last asked for */
};

/* Whether another machine trains; and whether there was a connection that has ended by itself. */
bool view_away_is_connected(const struct view_away *away);
bool view_away_is_lost(const struct view_away *away);

/* What is said in a line: "workstation, NVIDIA ...: at work for 3.0 s; 2 MiB sent". */
void view_away_tell(const struct view_away *away, char *text, size_t size);

/* "on workstation", or "" while nothing is known. */
void view_away_where(const struct view_away *away, char *text, size_t size);

/* Whether what is said has changed so that it should be seen at once. */
bool view_away_has_changed(struct view_away *away);

#endif
