#include "files/depth/old_heights.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"

void shw_heights_beside(const char *depth, char path[SHW_HEIGHTS_PATH])
{
    snprintf(path, SHW_HEIGHTS_PATH, "%.*s_height.png", (int)(strlen(depth) - strlen("_depth.png")), depth);
}

void shw_old_heights_add(struct shw_old_heights *old, const char *path)
{
    if (old->count++ == 0)
        snprintf(old->first, sizeof old->first, "%s", path);
}

void shw_old_heights_warn(const struct shw_old_heights *old, const char *remedy, const struct shw_log *log)
{
    if (old->count > 0)
        shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%s%s not from the depth written now: %s recreates the heights", old->first,
                        old->count == 1 ? " is" : " and others are", remedy);
}
