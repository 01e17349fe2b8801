#include <shadewood/channels.h>

#include <stddef.h>
#include <string.h>

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof(array)[0]))

/* The bounds of the Laplacians are what the kernels give for the worst image, rounding included
 * (tests/unit/channels.c). */
static const struct shw_channel_info wide[] = {
    {"gauss-r-1", 4080, 4}, {"gauss-g-1", 4080, 4}, {"gauss-b-1", 4080, 4}, {"gauss-r-2", 4080, 4},
    {"gauss-g-2", 4080, 4}, {"gauss-b-2", 4080, 4}, {"gauss-r-4", 4080, 4}, {"gauss-g-4", 4080, 4},
    {"gauss-b-4", 4080, 4}, {"log-1", 2857, 4},     {"log-2", 2951, 4},     {"log-4", 2922, 4},
    {"dx-2", 4080, 4},      {"dy-2", 4080, 4},      {"dx-4", 4080, 4},      {"dy-4", 4080, 4},
    {"log-8", 2898, 4},     {"abs-log-1", 2857, 4}, {"abs-log-2", 2951, 4}, {"abs-log-4", 2922, 4},
    {"abs-dx-2", 4080, 4},  {"abs-dy-2", 4080, 4},  {"abs-dx-4", 4080, 4},  {"abs-dy-4", 4080, 4},
    {"abs-log-8", 2898, 4}, {"x", 4080, 4},         {"y", 4080, 4},
};
static const struct shw_channel_info rgb[] = {{"r", 4080, 4}, {"g", 4080, 4}, {"b", 4080, 4}};
static const struct shw_channel_info lab[] = {{"l", 3200, 5}, {"a", 4095, 5}, {"b", 4095, 5}};

static const struct shw_channel_set_info sets[] = {
    [SHW_CHANNELS_WINN16] = {"winn16", 16, wide, 12},      [SHW_CHANNELS_WINN17] = {"winn17", 17, wide, 24},
    [SHW_CHANNELS_WIDE] = {"wide", COUNT(wide), wide, 24}, [SHW_CHANNELS_RGB] = {"rgb", COUNT(rgb), rgb, 0},
    [SHW_CHANNELS_LAB] = {"lab", COUNT(lab), lab, 0},
};

const struct shw_channel_set_info *shw_channel_set_get(enum shw_channel_set set)
{
    if (set == SHW_CHANNELS_DEFAULT)
        set = SHW_CHANNELS_WINN16;
    return (uint32_t)set < COUNT(sets) ? &sets[set] : NULL;
}

enum shw_channel_set shw_channel_set_by_name(const char *name)
{
    for (uint32_t set = 1; set < COUNT(sets); set++)
        if (strcmp(sets[set].name, name) == 0)
            return (enum shw_channel_set)set;
    return SHW_CHANNELS_DEFAULT;
}
