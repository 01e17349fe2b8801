#define _GNU_SOURCE
#include "base/low_priority.h"

#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOWER 10

/* On Linux a "process" of this call is a thread. */
void shw_low_priority(void)
{
    id_t thread = (id_t)syscall(SYS_gettid);
    int now = getpriority(PRIO_PROCESS, thread);

    setpriority(PRIO_PROCESS, thread, now + LOWER);
}
#else
void shw_low_priority(void)
{
}
#endif
