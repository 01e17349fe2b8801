#include "cli/focal.h"

#include "base/log.h"

enum shw_result cli_focus(const struct cli_focal *focal, const char *path, const struct shw_log *log,
                          struct shw_forest **forest)
{
    struct shw_forest *focused = NULL;

    if (focal->given == 0)
        return SHW_OK;
    SHW_PROPAGATE(shw_forest_focus(*forest, focal->given, path, log, &focused));
    shw_forest_destroy(forest);
    *forest = focused;
    return SHW_OK;
}

void cli_check_focal(struct cli_focal *focal, const struct shw_forest_info *info, const char *image, uint32_t width,
                     const struct shw_log *log)
{
    if (!focal->warned && shw_forest_focal_is_assumed(info))
        focal->warned = shw_focal_warn(image, width, "state that of the camera by --focal", log);
}
