#include "dense/train/draws.h"

#include "shared/random.h"

uint32_t shw_draw_key(uint64_t seed, uint32_t tree, enum shw_draw draw)
{
    return shw_random(shw_random((uint32_t)seed, (uint32_t)(seed >> 32), tree), (uint32_t)draw, 0);
}

void shw_draw_choice(uint32_t key, uint32_t stream, uint32_t first, uint32_t *list, uint32_t size, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = i + shw_random_below(shw_random(key, first + i, stream), size - i), chosen = list[other];
        list[other] = list[i];
        list[i] = chosen;
    }
}
