#define _GNU_SOURCE /* sched_getaffinity() */
#include "base/machine.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#endif

uint64_t shw_machine_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t all = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : (uint64_t)1 << 32;
    uint64_t limit = shw_memory_limit("/proc/self/cgroup", "/sys/fs/cgroup");

    return limit < all ? limit : all;
}

uint64_t shw_process_memory(void)
{
    uint64_t all = 0, resident = 0;
    long page = sysconf(_SC_PAGESIZE);
    FILE *file = fopen("/proc/self/statm", "r");

    if (file == NULL)
        return 0;
    if (fscanf(file, "%" SCNu64 " %" SCNu64, &all, &resident) != 2)
        resident = 0;
    fclose(file);
    return page > 0 ? resident * (uint64_t)page : 0;
}

/* Priorities and processors. */

#ifdef __linux__

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

uint32_t shw_processor_count(void)
{
#ifdef __linux__
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
#else
    long count = sysconf(_SC_NPROCESSORS_ONLN);
#endif

    return count > 0 ? (uint32_t)count : 1;
}

uint32_t shw_spare_processors(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    return processors > 2 ? (uint32_t)processors - 1 : 1;
}
