#include "base/reason.h"

#include <stdio.h>

static void keep(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    struct shw_reason *reason = user;

    (void)level, (void)item;
    snprintf(reason->text, sizeof reason->text, "%s", text);
}

struct shw_log shw_reason_log(struct shw_reason *reason)
{
    return (struct shw_log){keep, reason, SHW_LOG_ERROR};
}
