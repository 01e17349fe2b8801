#include "teach/away.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "teach/teaching.h"

bool view_away_is_connected(const struct view_away *away)
{
    return shw_remote_is_connected(away->remote);
}

bool view_away_is_lost(const struct view_away *away)
{
    return away->remote != NULL && !shw_remote_is_connected(away->remote);
}

void view_away_tell(const struct view_away *away, char *text, size_t size)
{
    struct shw_remote_status status;
    struct shw_counted sent;

    if (away->remote == NULL) {
        snprintf(text, size, "not connected: training is here");
        return;
    }
    shw_remote_get_status(away->remote, &status);
    sent = shw_counted_bytes(status.sent);
    switch (status.state) {
    case SHW_REMOTE_CONNECTING: snprintf(text, size, "connecting"); break;
    case SHW_REMOTE_READY:
        snprintf(text, size, "%s, %s: ready; %s sent", status.host, status.trainer, sent.text);
        break;
    case SHW_REMOTE_SENDING:
        snprintf(text, size, "%s, %s: sending, %s so far", status.host, status.trainer, sent.text);
        break;
    case SHW_REMOTE_TRAINING:
        snprintf(text, size, "%s, %s: at work for %.1f s; %s sent", status.host, status.trainer, status.seconds,
                 sent.text);
        break;
    case SHW_REMOTE_ENDED: snprintf(text, size, "the connection has ended: training is here"); break;
    }
}

void view_away_where(const struct view_away *away, char *text, size_t size)
{
    struct shw_remote_status status;

    text[0] = '\0';
    if (!view_away_is_connected(away))
        return;
    shw_remote_get_status(away->remote, &status);
    if (status.host[0] != '\0')
        snprintf(text, size, " on %s", status.host);
}

bool view_away_has_changed(struct view_away *away)
{
    struct shw_remote_status status = {.state = SHW_REMOTE_ENDED};
    bool changed;

    if (away->remote != NULL)
        shw_remote_get_status(away->remote, &status);
    changed = status.state != away->shown;
    away->shown = status.state;
    return changed;
}

enum shw_result view_teaching_connect(struct view_teaching *teaching, const char *command)
{
    const struct shw_log *log = &teaching->scene->log;
    struct view_away *away = &teaching->away;
    struct shw_remote *before = away->remote, *made;
    enum shw_result result;

    if (command == NULL || *command == '\0')
        command = away->command;
    if (*command == '\0')
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a command is needed that starts a trainer, as 'ssh HOST shadewood serve'");
    if (strlen(command) >= sizeof away->command)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the command is longer than %zu bytes",
                        sizeof away->command - 1);
    SHW_PROPAGATE(shw_remote_connect(command, log, &made));
    away->remote = made;
    result = view_teaching_restart(teaching);
    if (result != SHW_OK) {
        away->remote = before;
        shw_remote_destroy(&made, VIEW_AWAY_PATIENCE);
        return result;
    }
    shw_remote_destroy(&before, VIEW_AWAY_PATIENCE);
    if (command != away->command)
        snprintf(away->command, sizeof away->command, "%s", command);
    away->filled = false;
    teaching->scene->redraw = true;
    return SHW_OK;
}

enum shw_result view_teaching_disconnect(struct view_teaching *teaching)
{
    struct shw_remote *before = teaching->away.remote;
    enum shw_result result;

    teaching->away.remote = NULL;
    result = view_teaching_restart(teaching);
    if (result != SHW_OK) {
        teaching->away.remote = before;
        return result;
    }
    shw_remote_destroy(&before, VIEW_AWAY_PATIENCE);
    teaching->scene->redraw = true;
    return SHW_OK;
}
