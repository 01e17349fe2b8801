#include "files/io/shard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"

static const char *parse_number(const char *text, uint32_t *number)
{
    char *end;
    unsigned long value;

    if (*text < '0' || *text > '9')
        return NULL;
    value = strtoul(text, &end, 10);
    if (value < 1 || value > SHW_SHARDS_MAX)
        return NULL;
    *number = (uint32_t)value;
    return end;
}

bool shw_shard_parse(const char *text, struct shw_shard *shard)
{
    struct shw_shard read = {0};
    const char *end = parse_number(text, &read.number);

    end = end != NULL && *end == '/' ? parse_number(end + 1, &read.count) : NULL;
    if (end == NULL || *end != '\0' || read.number > read.count)
        return false;
    *shard = read;
    return true;
}

bool shw_shard_has(const struct shw_shard *shard, const char *name)
{
    return shard->count == 0 || XXH3_64bits(name, strlen(name)) % shard->count + 1 == shard->number;
}

enum shw_result shw_shards_check_all(const bool *there, uint32_t count, const struct shw_log *log)
{
    uint32_t missing = 0, named = 0;
    char list[160] = "";

    for (uint32_t n = 1; n <= count; n++)
        missing += !there[n];
    if (missing == 0)
        return SHW_OK;
    for (uint32_t n = 1; n <= count && named < 8; n++)
        if (!there[n]) {
            const size_t length = strlen(list);

            snprintf(list + length, sizeof list - length, "%s%u",
                     named == 0             ? ""
                     : named + 1 == missing ? " and "
                                            : ", ",
                     n);
            named++;
        }
    return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "shard%s %s%s of %u %s missing", missing == 1 ? "" : "s",
                    list, named < missing ? ", ..." : "", count, missing == 1 ? "is" : "are");
}
