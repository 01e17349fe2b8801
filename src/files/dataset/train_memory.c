#include "files/dataset/train_memory.h"

#define CACHE_SHARE   16u /* training keeps copies of its own */
#define RESERVE       ((uint64_t)16 << 20)
#define RESERVE_SHARE 32u
#define MARGIN        ((uint64_t)1 << 20) /* what the process occupies is not the same in every run */

struct shw_train_memory shw_train_memory_divide(uint64_t option, enum shw_technique technique, bool has_cache)
{
    struct shw_train_memory memory = {.option = option, .of_process = option > 0 && shw_technique_is_host(technique)};

    if (memory.of_process && has_cache)
        memory.cache = option / CACHE_SHARE + 1;
    return memory;
}

uint64_t shw_train_memory_left(const struct shw_train_memory *memory, uint64_t occupied)
{
    uint64_t taken = occupied + memory->cache + RESERVE + memory->option / RESERVE_SHARE;

    if (!memory->of_process)
        return memory->option;
    return taken < memory->option ? memory->option - taken : 1;
}

uint64_t shw_train_memory_least(uint64_t needed, uint64_t occupied, bool has_cache)
{
    uint64_t mebibytes, left;

    occupied += MARGIN;
    mebibytes = (needed + occupied) >> 20;
    do {
        struct shw_train_memory memory = shw_train_memory_divide(++mebibytes << 20, SHW_TECHNIQUE_CPU, has_cache);
        left = shw_train_memory_left(&memory, occupied);
    } while (left < needed);
    return mebibytes;
}
