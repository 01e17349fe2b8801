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

/* Memory: "3 MiB", rounded down, and below that "3 KiB" or "3 bytes". */
static inline struct shw_counted shw_counted_bytes(uint64_t bytes)
{
    if (bytes < 1u << 10)
        return shw_counted(bytes, "byte", "bytes");
    return bytes < 1u << 20 ? shw_counted(bytes >> 10, "KiB", "KiB") : shw_counted(bytes >> 20, "MiB", "MiB");
}

#endif
