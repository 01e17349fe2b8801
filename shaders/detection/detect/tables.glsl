/* What describes a scan on the device. The shader has `push`, a struct shw_detect_walk_push. */
#include "detect.h"
#include "detect_push.h"

layout(set = 0, binding = SHW_DETECT_LEVELS) readonly buffer Levels {
    shw_detect_level_entry levels[];
};
layout(set = 0, binding = SHW_DETECT_TABLES) readonly buffer Tables {
    uvec2 tables[];
};

/* A window as lists have it, decoded. */
struct Window {
    uint level, angle, number; /* the angle, and its number in the scan */
    uint column, row;
    bool exists; /* in its tile, which may be cut off; otherwise this is the nearest window */
};

Window window_of(uint window)
{
    uvec2 tile = tables[push.tiles + (window >> SHW_DETECT_TILE_SHIFT)];
    uint column = window & (SHW_DETECT_TILE_WIDTH - 1u), last_column = tile.x >> SHW_DETECT_WIDTH_SHIFT & 31u;
    uint row = (window & (SHW_DETECT_TILE - 1u)) / SHW_DETECT_TILE_WIDTH, last_row = tile.x >> SHW_DETECT_HEIGHT_SHIFT;

    return Window(tile.x & (SHW_DETECT_LEVELS_MAX - 1u), tile.x >> SHW_DETECT_ANGLE_SHIFT & 31u,
                  tile.x >> SHW_DETECT_NUMBER_SHIFT & 31u, (tile.y & 0xffffu) + min(column, last_column),
                  (tile.y >> 16u) + min(row, last_row), column <= last_column && row <= last_row);
}

/* A column's or row's position on the level, and in the image. */
ivec2 position_at(uint index)
{
    return ivec2(tables[index]);
}
