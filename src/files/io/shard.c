#include "files/io/shard.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

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
