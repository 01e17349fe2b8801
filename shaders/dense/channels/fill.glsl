/* What the passes of filling make of what they read; PASS is one of them (fill_push.h). The shader has `push`,
 * depth_at(), block_at(), row_at() and source_at(). */

int block_count()
{
    return (push.width + SHW_FILL_BLOCK - 1) / SHW_FILL_BLOCK;
}

#if PASS == SHW_FILL_BLOCKS
uint value_at(ivec2 at)
{
    int begin = at.x * SHW_FILL_BLOCK, end = min(begin + SHW_FILL_BLOCK, push.width);
    uint first = 0u, last = 0u;

    for (int x = begin; x < end; x++) {
        uint depth = depth_at(ivec2(x, at.y));
        first = first != 0u ? first : depth;
        last = depth != 0u ? depth : last;
    }
    return first | last << 16u;
}

#elif PASS == SHW_FILL_ROWS
uint value_at(ivec2 at)
{
    uint all = 0u;

    for (int x = 0; x < block_count(); x++)
        all |= block_at(ivec2(x, at.x));
    return min(all, 1u);
}

#elif PASS == SHW_FILL_SOURCES
uint value_at(ivec2 at)
{
    int y = at.x;

    while (y >= 0 && row_at(y) == 0u)
        y--;
    if (y >= 0)
        return uint(y);
    for (y = at.x + 1; y < push.height; y++)
        if (row_at(y) != 0u)
            return uint(y);
    return uint(at.x);
}

#else
uint value_at(ivec2 at)
{
    int y = int(source_at(at.y)), own = at.x / SHW_FILL_BLOCK;
    int begin = own * SHW_FILL_BLOCK, end = min(begin + SHW_FILL_BLOCK, push.width);
    uint depth = 0u;

    for (int x = at.x; x < end; x++) {
        depth = depth_at(ivec2(x, y));
        if (depth != 0u)
            return depth;
    }
    for (int block = own + 1; block < block_count(); block++) {
        depth = block_at(ivec2(block, y)) & 0xffffu;
        if (depth != 0u)
            return depth;
    }
    for (int x = at.x - 1; x >= begin; x--) {
        depth = depth_at(ivec2(x, y));
        if (depth != 0u)
            return depth;
    }
    for (int block = own - 1; block >= 0; block--) {
        depth = block_at(ivec2(block, y)) >> 16u;
        if (depth != 0u)
            return depth;
    }
    return 0u;
}
#endif
