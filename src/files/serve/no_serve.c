/* Where programs cannot be spoken with through pipes as docs/serve.md says. */
#include "base/log.h"
#include "files/serve/remote.h"
#include "files/serve/server.h"

enum shw_result shw_remote_connect(const char *command, const struct shw_log *log, struct shw_remote **remote)
{
    (void)command, (void)remote;
    return shw_fail(log, SHW_ERROR_UNSUPPORTED, SHW_LOG_ARGUMENT,
                    "another machine cannot train for this one on Windows");
}

void shw_remote_destroy(struct shw_remote **remote, double seconds)
{
    (void)remote, (void)seconds;
}

void shw_remote_disconnect(struct shw_remote *remote)
{
    (void)remote;
}

bool shw_remote_is_connected(struct shw_remote *remote)
{
    (void)remote;
    return false;
}

void shw_remote_get_status(struct shw_remote *remote, struct shw_remote_status *status)
{
    (void)remote;
    *status = (struct shw_remote_status){.state = SHW_REMOTE_ENDED};
}

struct shw_teacher shw_remote_teacher(struct shw_remote *remote)
{
    return (struct shw_teacher){NULL, remote};
}

void shw_remote_interrupt(struct shw_remote *remote)
{
    (void)remote;
}

enum shw_result shw_serve(const struct shw_server_params *params)
{
    return shw_fail(&params->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_ARGUMENT, "Windows cannot train for another machine");
}
