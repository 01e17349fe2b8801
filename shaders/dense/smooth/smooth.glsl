/* What the passes of smoothing make of what they read; PASS is one of them (smooth_push.h). The shader has `push`,
 * a_at(), b_at() and c_at(), which read element `at` of a plane.
 *
 * A pass over windows, with WINDOW 0 along rows and 1 along columns, has clear(), add(), which adds what a window
 * gains or takes away what it loses, and values_of(); another has values_at(). `item` is the class of the group, or
 * the part. */
#include "smooth.h"

ivec2 all_cells()
{
    return (ivec2(push.full_width, push.full_height) + (1 << push.bits) - 1) >> push.bits;
}

/* The cells around the tile: their first in xy, their number in zw. */
ivec4 cells_within(ivec2 windows)
{
    ivec2 more = windows * int(push.cells), all = all_cells();
    shw_smooth_range x = shw_smooth_range_of(push.x, push.width, push.bits, more.x, all.x);
    shw_smooth_range y = shw_smooth_range_of(push.y, push.height, push.bits, more.y, all.y);

    return ivec4(x.first, y.first, x.count, y.count);
}

/* What the pass makes: the first element, in cells or pixels of the image, and how many. */
ivec4 made()
{
#if PASS == SHW_SMOOTH_GUIDE || PASS == SHW_SMOOTH_SHARES
    return cells_within(ivec2(2, 2));
#elif PASS == SHW_SMOOTH_GUIDE_ROWS || PASS == SHW_SMOOTH_SHARE_ROWS
    return cells_within(ivec2(1, 2));
#elif PASS == SHW_SMOOTH_GUIDE_SUMS || PASS == SHW_SMOOTH_MODELS
    return cells_within(ivec2(1, 1));
#elif PASS == SHW_SMOOTH_MODEL_ROWS
    return cells_within(ivec2(0, 1));
#elif PASS == SHW_SMOOTH_MEANS
    return cells_within(ivec2(0, 0));
#else
    return ivec4(push.x, push.y, push.width, push.height);
#endif
}

/* What windows consist of, cells or pixels: how many the image has, and how many windows reach from their centre. */
#if PASS == SHW_SMOOTH_NEAR
#define ALL   ivec2(push.full_width, push.full_height)
#define REACH SHW_SMOOTH_NEAR_REACH
#else
#define ALL   all_cells()
#define REACH int(push.cells)
#endif

/* A window in one direction: its first element, and the one after its last. */
ivec2 window(int centre, int all)
{
    return ivec2(max(centre - REACH, 0), min(centre + REACH + 1, all));
}

uint window_size(ivec2 centre)
{
    ivec2 all = ALL, x = window(centre.x, all.x), y = window(centre.y, all.y);

    return uint((x.y - x.x) * (y.y - y.x));
}

#if PASS == SHW_SMOOTH_GUIDE

/* The first pixel of a cell, and its width and height. */
ivec4 pixels_of(ivec2 cell)
{
    ivec2 first = cell << push.bits;

    return ivec4(first, min(ivec2(1 << push.bits), ivec2(push.full_width, push.full_height) - first));
}

uvec4 values_at(ivec2 at, uint item)
{
    ivec4 pixels = pixels_of(made().xy + at);
    ivec2 first = pixels.xy - ivec2(push.base_x, push.base_y);
    uvec3 sum = uvec3(0);
    uint count = uint(pixels.z * pixels.w);

    for (int y = 0; y < pixels.w; y++)
        for (int x = 0; x < pixels.z; x++) {
            ivec2 pixel = first + ivec2(x, y);
            sum += uvec3(a_at(0u, pixel), a_at(1u, pixel), a_at(2u, pixel));
        }
    return uvec4(shw_smooth_guide(sum.r, count), shw_smooth_guide(sum.g, count), shw_smooth_guide(sum.b, count), 0);
}

#elif PASS == SHW_SMOOTH_SHARES

uvec4 values_at(ivec2 at, uint item)
{
    ivec2 first = (made().xy + at) << push.bits;
    ivec2 size = min(ivec2(1 << push.bits), ivec2(push.full_width, push.full_height) - first);
    uint sum = 0u;

    first -= ivec2(push.given_x, push.given_y);
    for (int y = 0; y < size.y; y++)
        for (int x = 0; x < size.x; x++)
            sum += a_at(push.first_class + item, first + ivec2(x, y));
    return uvec4(shw_smooth_share(sum, uint(size.x * size.y)), 0, 0, 0);
}

#elif PASS == SHW_SMOOTH_NEAR

/* A pass over windows of pixels. */
#define WINDOW 1

ivec3 sums;

void clear()
{
    sums = ivec3(0);
}

void add(ivec2 pixel, uint item, int sign)
{
    ivec2 across = window(pixel.x, push.full_width), at = pixel - ivec2(push.base_x, push.base_y);

    for (at.x = across.x - push.base_x; at.x < across.y - push.base_x; at.x++)
        sums += sign * ivec3(a_at(0u, at), a_at(1u, at), a_at(2u, at));
}

/* Three values of 10 bits. */
uvec4 values_of(ivec2 at, uint item)
{
    uint count = window_size(made().xy + at);
    uvec3 values = SHW_SMOOTH_MIDDLE + uvec3(shw_smooth_guide(sums.r, count), shw_smooth_guide(sums.g, count),
                                             shw_smooth_guide(sums.b, count));

    return uvec4(values.r | values.g << 10 | values.b << 20, 0, 0, 0);
}

#elif PASS <= SHW_SMOOTH_MEANS

/* Passes over windows: WINDOW, and of what they read the windows around the tile (READ_X, READ_Y). Most add up PARTS
 * planes of an item. */
#if PASS == SHW_SMOOTH_GUIDE_ROWS || PASS == SHW_SMOOTH_SHARE_ROWS
#define WINDOW 0
#define READ_X 2
#define READ_Y 2
#elif PASS == SHW_SMOOTH_GUIDE_SUMS || PASS == SHW_SMOOTH_MODELS
#define WINDOW 1
#define READ_X 1
#define READ_Y 2
#elif PASS == SHW_SMOOTH_MODEL_ROWS
#define WINDOW 0
#define READ_X 1
#define READ_Y 1
#else
#define WINDOW 1
#define READ_X 0
#define READ_Y 1
#endif
#define PARTS (PASS == SHW_SMOOTH_GUIDE_SUMS ? 3u : 4u)

ivec2 read_first;
ivec4 sums;

void clear()
{
    read_first = cells_within(ivec2(READ_X, READ_Y)).xy;
    sums = ivec4(0);
}

void add(ivec2 cell, uint item, int sign)
{
    ivec2 at = cell - read_first;

#if PASS == SHW_SMOOTH_GUIDE_ROWS
    ivec3 guide = ivec3(a_at(0u, at), a_at(1u, at), a_at(2u, at));

    if (item == 1u)
        guide = guide.r * guide; /* rr, rg, rb */
    else if (item == 2u)
        guide = guide.ggb * guide.gbb; /* gg, gb, bb */
    sums.xyz += sign * guide;
#elif PASS == SHW_SMOOTH_SHARE_ROWS
    int share = sign * int(a_at(item, at));

    sums += share * ivec4(1, b_at(0u, at), b_at(1u, at), b_at(2u, at));
#else
    for (uint part = 0u; part < PARTS; part++)
        sums[part] += sign * int(a_at(PARTS * item + part, at));
#endif
}

#if PASS == SHW_SMOOTH_MODELS
uvec4 values_of(ivec2 at, uint item)
{
    shw_guide_sums guide;
    shw_divisor cells = shw_divisor_of(window_size(made().xy + at));
    shw_share_sums shares;
    shw_smooth_model model;

    guide.r = int(b_at(0u, at));
    guide.g = int(b_at(1u, at));
    guide.b = int(b_at(2u, at));
    guide.rr = int(b_at(3u, at));
    guide.rg = int(b_at(4u, at));
    guide.rb = int(b_at(5u, at));
    guide.gg = int(b_at(6u, at));
    guide.gb = int(b_at(7u, at));
    guide.bb = int(b_at(8u, at));
    shares.p = sums.x;
    shares.rp = sums.y;
    shares.gp = sums.z;
    shares.bp = sums.w;
    model = shw_smooth_solve(shw_guide_factors_of(guide, cells, push.epsilon), shares);
    return uvec4(model.r, model.g, model.b, model.level);
}
#elif PASS == SHW_SMOOTH_MEANS
uvec4 values_of(ivec2 at, uint item)
{
    shw_smooth_model model;

    model.r = sums.x;
    model.g = sums.y;
    model.b = sums.z;
    model.level = sums.w;
    model = shw_smooth_mean(model, shw_divisor_of(window_size(made().xy + at)));
    return uvec4(model.r, model.g, model.b, model.level);
}
#else
uvec4 values_of(ivec2 at, uint item)
{
    return uvec4(sums);
}
#endif

#elif PASS == SHW_SMOOTH_VALUES

ivec4 model_at(uint item, ivec2 at)
{
    uint plane = 4u * item;

    return ivec4(a_at(plane, at), a_at(plane + 1u, at), a_at(plane + 2u, at), a_at(plane + 3u, at));
}

/* The four models around the pixel read last, which neighbours share. */
ivec4 near_first = ivec4(-1); /* their cells */
ivec4 corners[4];

uvec4 values_at(ivec2 at, uint item)
{
    ivec2 pixel = ivec2(push.x, push.y) + at, all = all_cells();
    ivec2 first = cells_within(ivec2(0, 0)).xy;
    shw_smooth_place x = shw_smooth_place_of(pixel.x, push.bits, all.x);
    shw_smooth_place y = shw_smooth_place_of(pixel.y, push.bits, all.y);
    ivec4 cells = ivec4(x.first, y.first, x.next, y.next) - first.xyxy;
    int whole = 2 << push.bits;
    uint near = b_at(0u, at);
    ivec4 sum;
    shw_smooth_model model;

    if (cells != near_first) {
        near_first = cells;
        corners[0] = model_at(item, cells.xy);
        corners[1] = model_at(item, cells.zy);
        corners[2] = model_at(item, cells.xw);
        corners[3] = model_at(item, cells.zw);
    }
    sum = (whole - x.weight) * ((whole - y.weight) * corners[0] + y.weight * corners[2]) +
          x.weight * ((whole - y.weight) * corners[1] + y.weight * corners[3]);
    model.r = sum.x;
    model.g = sum.y;
    model.b = sum.z;
    model.level = sum.w;
    model = shw_smooth_model_between(model, push.bits);
    return uvec4(shw_smooth_value(model, int(near & 0x3ffu) - SHW_SMOOTH_MIDDLE,
                                  int(near >> 10 & 0x3ffu) - SHW_SMOOTH_MIDDLE, int(near >> 20) - SHW_SMOOTH_MIDDLE),
                 0, 0, 0);
}

#elif PASS == SHW_SMOOTH_TOTALS

/* A sum of zero: the pixel is void, or all its values are zero; it keeps its distribution. */
uvec4 values_at(ivec2 at, uint item)
{
    ivec2 given_at = at + ivec2(push.x - push.given_x, push.y - push.given_y);
    uvec2 largest = uvec2(0), largest_given = uvec2(0); /* value, class */
    uint sum = 0u, given_sum = 0u, rest = 0u;

    for (uint c = 0u; c < push.class_count; c++) {
        uint value = a_at(c, at), given = b_at(c, given_at);
        sum += value;
        given_sum += given;
        if (value > largest.x)
            largest = uvec2(value, c);
        if (given > largest_given.x)
            largest_given = uvec2(given, c);
    }
    if (given_sum == 0u)
        return uvec4(0, 0, 0, 0xffff);
    if (sum == 0u)
        return uvec4(0, 0, 0, largest_given.y);
    rest = 65535u;
    for (uint c = 0u; c < push.class_count; c++)
        rest -= shw_smooth_normalise(a_at(c, at), sum);
    return uvec4(sum, largest.y, rest, largest.y);
}

#elif PASS == SHW_SMOOTH_DISTRIBUTION

uvec4 values_at(ivec2 at, uint item)
{
    uint sum = c_at(0u, at);

    if (sum == 0u)
        return uvec4(b_at(item, at + ivec2(push.x - push.given_x, push.y - push.given_y)), 0, 0, 0);
    return uvec4(shw_smooth_normalise(a_at(item, at), sum) + (c_at(1u, at) == item ? c_at(2u, at) : 0u), 0, 0, 0);
}

#else

uvec4 values_at(ivec2 at, uint item)
{
    return uvec4(a_at(3u, at), 0, 0, 0);
}

#endif
