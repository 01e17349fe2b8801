#include "base/log.h"
#include "files/depth/fill_colorization.h"

bool shw_can_colorize(void)
{
    return false;
}

enum shw_result shw_solve(struct shw_colorization_system *system, const char *name, const struct shw_log *log)
{
    (void)system;
    return shw_fail(log, SHW_ERROR_UNSUPPORTED, SHW_LOG_ARGUMENT,
                    "%s: this build has no colorization, for it was built without SuperLU", name);
}
