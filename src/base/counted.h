/* Numbers in messages, with a noun that agrees: "1 tree", "2 trees". */
#ifndef SHW_BASE_COUNTED_H
#define SHW_BASE_COUNTED_H

#include <inttypes.h>
#include <stdio.h>

struct shw_counted {
    char text[64];
};

static inline struct shw_counted shw_counted(uint64_t count, const char *one, const char *many)
{
    struct shw_counted counted;

    snprintf(counted.text, sizeof counted.text, "%" PRIu64 " %s", count, count == 1 ? one : many);
    return counted;
}

#endif
