/* The memory that control groups of Linux leave to a process. */
#include "base/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
