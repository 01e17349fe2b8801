/* The last message of a log, for another one that says more. */
#ifndef SHW_BASE_REASON_H
#define SHW_BASE_REASON_H

#include <shadewood/log.h>

struct shw_reason {
    char text[1024];
};

/* A log of errors that keeps its last message in `reason`, and sends none. */
struct shw_log shw_reason_log(struct shw_reason *reason);

#endif
