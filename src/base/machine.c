#define _GNU_SOURCE
#include "base/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The number in a file; UINT64_MAX if there is none, as in files that say "max". */
static uint64_t read_number(const char *path)
{
    uint64_t number = UINT64_MAX;
    FILE *file = fopen(path, "r");

    if (file == NULL)
        return UINT64_MAX;
    if (fscanf(file, "%" SCNu64, &number) != 1)
        number = UINT64_MAX;
    fclose(file);
    return number;
}

/* Goes from a group to the root. `group` is changed. */
static uint64_t least_limit(const char *root, const char *controller, char *group, const char *name)
{
    uint64_t least = UINT64_MAX, limit;
    char path[4096], *slash;

    for (;;) {
        snprintf(path, sizeof path, "%s%s%s/%s", root, controller, group, name);
        limit = read_number(path);
        least = limit < least ? limit : least;
        slash = strrchr(group, '/');
        if (slash == NULL)
            return least;
        *slash = '\0';
    }
}

uint64_t shw_memory_limit(const char *groups, const char *root)
{
    uint64_t least = UINT64_MAX, limit = UINT64_MAX;
    char line[2048];
    FILE *file = fopen(groups, "r");

    while (file != NULL && fgets(line, sizeof line, file) != NULL) { /* number:controllers:group */
        char *controllers = strchr(line, ':'), *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (group == NULL)
            continue;
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        if (strcmp(controllers, ":") == 0)
            limit = least_limit(root, "", group, "memory.max");
        else if (strstr(controllers, "memory") != NULL)
            limit = least_limit(root, "/memory", group, "memory.limit_in_bytes");
        least = limit < least ? limit : least;
    }
    if (file != NULL)
        fclose(file);
    return least;
}

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
