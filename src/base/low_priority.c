#define _GNU_SOURCE
#include "base/low_priority.h"

#include <unistd.h>

#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>

/* On Linux a "process" of this call is a thread. */
void shw_low_priority(enum shw_priority lower)
{
    id_t thread = (id_t)syscall(SYS_gettid);
    int now = getpriority(PRIO_PROCESS, thread);

    setpriority(PRIO_PROCESS, thread, now + (int)lower);
}
#else
void shw_low_priority(enum shw_priority lower)
{
    (void)lower;
}
#endif

uint32_t shw_spare_processors(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    return processors > 2 ? (uint32_t)processors - 1 : 1;
}
